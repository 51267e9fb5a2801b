"""Confirmed labels that look wrong are named, and kept."""

from __future__ import annotations

import csv
import warnings
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from seedtopic import SeedTopicClassifier, SeedWarning, cli, load
from seedtopic.base.engine import LocalEngine
from seedtopic.base.errors import ConfirmedWarning
from seedtopic.learning.classify.self_training import SoftTargets
from seedtopic.learning.classify.trust import contradictions
from seedtopic.learning.signals.answers import NOTHING_CONFIRMED, Confirmed

SEEDS = {"sports": ["game", "player"], "money": ["bank", "stock"], "weather": ["rain", "snow", "sun"]}


@pytest.fixture
def toy_texts(toy_texts: list[str]) -> list[str]:
    """Enough documents to be sure by."""
    return toy_texts * 3


@pytest.fixture
def toy_labels(toy_labels: list[str]) -> list[str]:
    return toy_labels * 3


@pytest.fixture
def answers(toy_labels: list[str]) -> list[str | None]:
    """Every fourth document is confirmed; the first of them wrongly."""
    said: list[str | None] = [label if i % 4 == 0 else None for i, label in enumerate(toy_labels)]
    said[0] = next(name for name in SEEDS if name != toy_labels[0])
    return said


def test_a_wrong_label_is_named_and_kept(
    toy_texts: list[str], toy_labels: list[str], answers: list[str | None], tmp_path: Path
) -> None:
    model = SeedTopicClassifier(SEEDS, random_state=0)
    with pytest.warns(ConfirmedWarning, match=r"1 confirmed label looks wrong, and is kept: row 0 is '"):
        model.fit(toy_texts, answers)
    (suspect,) = model.suspect_confirmed_
    assert (suspect.row, suspect.label, suspect.contradicting_class) == (0, answers[0], toy_labels[0])
    assert 0.68 < suspect.probability <= 1
    assert model.transduction_[0] == answers[0]
    model.save(tmp_path / "model")
    assert load(tmp_path / "model").suspect_confirmed_ == []


def test_right_labels_and_no_labels_are_not_suspected(toy_texts: list[str], toy_labels: list[str]) -> None:
    model = SeedTopicClassifier(SEEDS, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConfirmedWarning)
        warnings.simplefilter("ignore", SeedWarning)
        assert model.fit(toy_texts).suspect_confirmed_ == []
        said = [label if i % 4 == 0 else None for i, label in enumerate(toy_labels)]
        assert model.fit(toy_texts, said).suspect_confirmed_ == []
        assert model.fit(toy_texts, toy_labels).suspect_confirmed_ == []  # no other document is left to ask


def test_rows_are_those_of_the_last_documents(toy_texts: list[str]) -> None:
    model = SeedTopicClassifier(SEEDS, random_state=0).partial_fit(toy_texts)
    with pytest.warns(ConfirmedWarning, match="row 2 is 'money', but documents like it are 'sports'"):
        model.partial_fit(["bank stock", "rain and snow", "player of the game, team"], [None, None, "money"])
    assert [suspect.row for suspect in model.suspect_confirmed_] == [2]


def test_nothing_confirmed_and_a_category_without_documents() -> None:
    alone = Confirmed(np.array([2]), np.array([2]))  # the only document of its category
    for confirmed in (NOTHING_CONFIRMED, alone):
        block = SoftTargets.of(sp.csr_array(np.eye(3)), sp.csr_array(np.eye(3)), np.eye(3), confirmed)
        assert contradictions(LocalEngine(), [block])(block)[0].tolist() == [-1, -1, -1]


def test_the_command_names_it_by_its_id(
    tmp_path: Path,
    toy_texts: list[str],
    answers: list[str | None],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("seeds.toml").write_text("".join(f"{name} = {words}\n" for name, words in SEEDS.items()))
    with open("docs.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "text", "said"])
        writer.writerows(
            (f"t{i}", f"{text} {i}", said or "")  # no text twice, as an answer is about a text
            for i, (text, said) in enumerate(zip(toy_texts, answers, strict=True))
        )
    command = ["label", "docs.csv", "--seeds", "seeds.toml", "--confirmed", "said", "-o", "out.csv"]
    assert cli.run(command) == 0
    told = capsys.readouterr().err
    assert f"1 confirmed label looks wrong, and is kept: document t0 is {answers[0]!r}, but" in told
    assert told.count("looks wrong") == 1
    with open("out.csv", newline="") as file:
        assert next(csv.DictReader(file))["predicted"] == answers[0]
