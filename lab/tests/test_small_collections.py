"""The experiment on small collections: what is drawn, scored, encoded and left out, on a toy corpus."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from seedtopic import InputError, MissingExtraError, SeedTopicClassifier
from seedtopic.knowledge.tables import english
from seedtopic_lab.corpora import Dataset
from seedtopic_lab.experiments import Recorded, find_plans, material, read_plan, run, write_report
from seedtopic_lab.experiments.peers.control import SeedControl
from seedtopic_lab.experiments.peers.cosine import CosineToSeeds
from seedtopic_lab.experiments.remembered_encoder import RememberedEncoder
from seedtopic_lab.experiments.small import complete
from seedtopic_lab.experiments.systems import ENTRIES, Entry
from seedtopic_lab.experiments.tables import table

PLAN = """
title = "Toy"
measure = "small"
table = "documents"
figure = "documents"
scores = ["micro", "macro"]
corpora = ["toy"]
seeds = ["SL"]
"""
SYSTEM = """
[[systems]]
name = "{name}"
model = "{model}"
parameters = {parameters}
sweep = {{ documents = {documents} }}
"""
Write = Callable[..., Path]


def system(model: str, documents: list[int], parameters: str = "{}", name: str = "") -> str:
    return SYSTEM.format(name=name or model, model=model, parameters=parameters, documents=documents)


@pytest.fixture
def write(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    toy_texts: list[str],
    toy_labels: list[str],
    toy_seeds: dict[str, list[str]],
) -> Write:
    """Write a plan for a corpus of 36 different documents; seeds may be others than those of the toy."""

    def written(*systems: str, seeds: dict[str, list[str]] = toy_seeds, more: str = "") -> Path:
        texts = [f"{text} number{row}" for row, text in enumerate(toy_texts)]
        split = ["train"] * 24 + ["test"] * 12
        toy = Dataset(
            "toy", texts, toy_labels, split, sorted(set(toy_labels)), [str(row) for row in range(36)]
        )
        monkeypatch.setattr(material, "fetch_corpus", lambda name: toy)
        monkeypatch.setattr(material, "published_seeds", lambda name, which, *, purified, draw: seeds)
        path = tmp_path / "toy.toml"
        path.write_text(PLAN + more + "".join(systems))
        return path

    return written


def rows(path: Path) -> list[dict[str, str]]:
    with (path.parent / "results" / "small.csv").open(newline="") as file:
        return list(csv.DictReader(file))


class Spy:
    """A model with vectors, which knows the right labels and remembers what it is given."""

    fitted: list[Spy]

    def __init__(self, seeds: object, vectors: Any = "auto", random_state: int | None = None) -> None:
        self.vectors, self.random_state = vectors, random_state

    def fit(self, texts: Sequence[str]) -> Spy:
        self.texts = list(texts)
        if callable(self.vectors):
            self.vectors(texts)
        Spy.fitted.append(self)
        right = {"team": "sports", "player": "sports", "coach": "sports", "league": "sports"}
        right |= dict.fromkeys(("bank", "investor", "stock", "share"), "money")
        self.transduction_ = np.array([right.get(text.split()[0], "weather") for text in texts])
        return self


@pytest.fixture
def spies(monkeypatch: pytest.MonkeyPatch) -> list[Spy]:
    Spy.fitted = []
    monkeypatch.setitem(ENTRIES, "Spy", Entry(f"{__name__}:Spy", "counts"))
    return Spy.fitted


def test_documents_are_drawn_by_the_run_and_all_are_scored(
    write: Write, spies: list[Spy], toy_texts: list[str]
) -> None:
    path = write(system("Spy", [5, 50], '{ vectors = "none" }'), more="runs = 2\n")
    assert run(path, path.parent).added == 4
    for spy, (draw, wanted) in zip(spies, [(0, 5), (0, 50), (1, 5), (1, 50)], strict=True):
        drawn = np.random.default_rng(draw).permutation(36)[:wanted]
        assert spy.texts == [f"{toy_texts[row]} number{row}" for row in drawn]
        assert (spy.random_state, spy.vectors) == (draw, None)
    assert [json.loads(row["parameters"]) for row in rows(path)[:2]] == [
        {"vectors": None, "documents": 5},
        {"vectors": None, "documents": 50},
    ]
    assert run(path, path.parent).added == 0


def test_macro_f1_is_of_the_categories_that_occur(write: Write, spies: list[Spy]) -> None:
    path = write(system("Spy", [1]))
    run(path, path.parent)
    (row,) = rows(path)
    assert (float(row["micro"]), float(row["macro"])) == (1.0, 1.0)


def test_a_text_is_encoded_once_and_its_seconds_are_recorded(write: Write, spies: list[Spy]) -> None:
    path = write(
        system("Spy", [5, 50], '{ vectors = "encoder" }', "encoder"), system("Spy", [50]), more="runs = 2\n"
    )
    asked: list[str] = []

    def encode(texts: Sequence[str]) -> np.ndarray:
        asked.extend(texts)
        return np.array([[float(len(text))] for text in texts], np.float32)

    shared = material.Material()
    shared.encoder = RememberedEncoder(lambda: encode)
    run(path, path.parent, material=shared)
    assert len(asked) == len(set(asked)) == 36
    few, many, *_ = (float(row["encoder_seconds"]) for row in rows(path) if row["system"].startswith("enc"))
    assert 0 < few < many
    assert {row["encoder_seconds"] for row in rows(path) if row["system"].startswith("Spy")} == {"0"}
    assert shared.encoder(["gold", asked[0]])[:, 0].tolist() == [4.0, len(asked[0])]


def test_remembered_vectors_give_the_labels_of_the_encoder(
    toy_texts: list[str], toy_seeds: dict[str, list[str]]
) -> None:
    remembered, own = (
        SeedTopicClassifier(toy_seeds, vectors=vectors, random_state=0).fit(toy_texts).label_distributions_
        for vectors in (material.Material().encoder, "encoder")
    )
    # Vectors of texts that are encoded in other company may differ in their last digits.
    np.testing.assert_allclose(remembered, own, atol=1e-6)


def test_without_the_encoder_the_other_systems_are_run(write: Write, spies: list[Spy]) -> None:
    def missing() -> Any:
        raise MissingExtraError("vectors='encoder'", "some-encoder", "encoder")

    path = write(system("Spy", [5, 9], '{ vectors = "encoder" }', "encoder"), system("Spy", [5, 9]))
    shared = material.Material()
    shared.encoder = RememberedEncoder(missing)
    outcome = run(path, path.parent, material=shared)
    assert [row["system"] for row in rows(path)] == ["Spy, documents = 5", "Spy, documents = 9"]
    (sentence,) = outcome.skipped
    assert sentence.startswith("2 results of encoder are left out: ")
    assert "seedtopic[encoder]" in sentence


def test_documents_that_a_model_refuses_for_want_of_seeds_are_labelled_wrong(write: Write) -> None:
    path = write(system("PLDNB", [9]), seeds={"money": ["ore"], "sports": ["chess"], "weather": ["fog"]})
    run(path, path.parent)
    (row,) = rows(path)
    assert (row["micro"], row["macro"]) == ("0", "0")


def test_other_refusals_are_errors(write: Write) -> None:
    path = write(system("WSPTM", [9], "{ max_iter = -1 }"))
    with pytest.raises(InputError, match="max_iter"):
        run(path, path.parent)


@pytest.mark.parametrize("wrong", [0, 2.5, "many"])
def test_a_wrong_number_of_documents_is_refused(write: Write, wrong: object) -> None:
    path = write(system("SeedControl", [9]).replace("[9]", json.dumps([wrong])))
    with pytest.raises(InputError, match="give the number of documents"):
        run(path, path.parent)


def test_tables_show_means_seconds_and_each_task(write: Write) -> None:
    path = write(system("SeedControl", [30, 3000]))
    path.write_text(path.read_text().replace('seeds = ["SL"]', 'seeds = ["SL", "SD"]'))
    plan = read_plan(path)
    pairs = [
        (task, {"micro": micro, "macro": "0.25", "seconds": "2", "encoder_seconds": encoding})
        for task, micro, encoding in zip(plan.tasks(), ("0.5", "1", "0.75"), ("4", "5", "6"), strict=False)
    ]
    lines = table(Recorded(plan, pairs)).splitlines()
    assert lines[0] == "Mean of the 2 tasks:"
    assert "|  | 30 documents | 3,000 documents |" in lines
    assert "| SeedControl | .750 / .250 | – / – |" in lines  # one task with 3,000 is missing
    assert "| SeedControl | 2.00 + 4.50 | – + – |" in lines
    assert "| SeedControl, documents = 3000 | .750 / .250 | – / – |" in lines


def test_the_figure_is_drawn_with_and_without_rows(write: Write) -> None:
    path = write(system("SeedControl", [5, 20]), system("SeedControl", [5], "{ rounds = 0 }", "seed counts"))
    plan, figure = read_plan(path), path.parent / "figures" / "toy.svg"
    write_report(plan, path.parent)
    empty = figure.read_bytes()
    run(plan, path.parent)
    assert "figures/toy.svg" in write_report(plan, path.parent)
    drawn = figure.read_bytes()
    write_report(plan, path.parent)
    assert drawn == figure.read_bytes() != empty


def test_cosine_alone_by_hand() -> None:
    texts = ["hockey hockey team hokcey", "bank loan the the", "..."]
    peer = CosineToSeeds({"money": ["loan", "bank"], "sports": ["team", "bsktbll"], "unknown": ["hokcey"]})
    table = english()
    known = ["hockey", "team", "bank", "loan", "the"]
    vectors = dict(zip(known, table.vectors(known)[0].astype(float), strict=True))
    frequency = dict(zip(known, table.frequencies(known), strict=True))
    expected = []
    for counts in ({"hockey": 2, "team": 1}, {"bank": 1, "loan": 1, "the": 2}):
        document = sum(
            (1 + np.log(tf)) * np.log(1 + 3 / 1) * 1e-3 / (1e-3 + frequency[word]) * vectors[word]
            for word, tf in counts.items()
        )
        money = (vectors["loan"] + vectors["bank"]) / 2
        cosines = [document @ seeds / np.linalg.norm(seeds) for seeds in (money, vectors["team"])]
        expected.append(["money", "sports"][int(np.argmax(cosines))])
    assert expected == ["sports", "money"]
    assert peer.fit(texts).transduction_.tolist() == [*expected, "money"]


def test_the_plan_compares_one_number_of_documents_with_the_next() -> None:
    plan = read_plan(find_plans(Path(__file__).parents[2] / "experiments")["small"])
    assert {tuple(systems) for systems in plan.sweeps().values()} == {(30, 100, 300, 1000, 3000)}
    assert len(plan.tasks()) == 6 * 5 * 10 * 3
    used = [complete(swept[30].model, swept[30].parameters) for swept in plan.sweeps().values()]
    assert [given["vectors"] for given in used if "vectors" in given] == ["auto", "encoder", None]
    counted = plan.sweeps()["seed counts"][30]
    assert (counted.model, counted.parameters["rounds"]) == (SeedControl.__name__, 0)
