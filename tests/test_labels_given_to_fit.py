"""The labels given to fit are confirmed ones, which are learned from: who gives all of them is told."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest
from sklearn.model_selection import cross_val_score

from seedtopic import PLDNB, STM, WSPTM, LapSWTM, MedLDA, SeedTopicClassifier, SeedWarning, cli
from seedtopic_lab.svm import linear_svm_pipeline

SENTENCE = r"all \d+ documents have a confirmed label, .* fit without labels and compare"


def model(seeds: dict[str, list[str]]) -> SeedTopicClassifier:
    return SeedTopicClassifier(seeds, random_state=0, max_iter=2)


def test_all_labels_cause_one_warning(
    toy_texts: list[str], toy_labels: list[str], toy_seeds: dict[str, list[str]]
) -> None:
    with pytest.warns(SeedWarning, match=SENTENCE) as caught:
        model(toy_seeds).fit(toy_texts, toy_labels)
    assert len(caught) == 1
    assert caught[0].filename == __file__


@pytest.mark.parametrize("unknown", [None, -1, ""])
def test_one_unknown_label_is_enough_for_no_warning(
    unknown: object, toy_texts: list[str], toy_labels: list[str], toy_seeds: dict[str, list[str]]
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model(toy_seeds).fit(toy_texts, [unknown, *toy_labels[1:]])
        model(toy_seeds).fit(toy_texts, [unknown] * len(toy_texts))
        model(toy_seeds).fit(toy_texts)


def test_cross_validation_warns_once_a_fit(
    toy_texts: list[str], toy_labels: list[str], toy_seeds: dict[str, list[str]]
) -> None:
    with pytest.warns(SeedWarning, match=SENTENCE) as caught:
        cross_val_score(model(toy_seeds), toy_texts, toy_labels, cv=3)
    assert len(caught) == 3


@pytest.mark.parametrize("cls", [WSPTM, LapSWTM, STM, PLDNB])
def test_models_that_do_not_look_at_labels_do_not_warn(
    cls: type, toy_texts: list[str], toy_labels: list[str], toy_seeds: dict[str, list[str]]
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cls(toy_seeds, random_state=0).fit(toy_texts, toy_labels)


def test_supervised_models_do_not_warn(toy_texts: list[str], toy_labels: list[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        MedLDA(n_topics=3, n_sweeps=2, burn_in=1, n_samples=1, random_state=0).fit(toy_texts, toy_labels)
        linear_svm_pipeline(min_df=1).fit(toy_texts, toy_labels)


def test_the_command_line_says_so(
    tmp_path: Path,
    toy_texts: list[str],
    toy_labels: list[str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    docs, seeds = tmp_path / "docs.csv", tmp_path / "seeds.toml"
    rows = [f"{text},{label}" for text, label in zip(toy_texts, toy_labels, strict=True)]
    docs.write_text("\n".join(["text,label", *rows]))
    seeds.write_text("".join(f'{name} = ["{name}"]\n' for name in sorted(set(toy_labels))))
    command = ["label", str(docs), "--seeds", str(seeds), "-o", str(tmp_path / "out.csv")]
    assert cli.run([*command, "--confirmed", "label", "--set", "max_iter=2"]) == 0
    assert "seedtopic: all 36 documents have a confirmed label" in capsys.readouterr().err
