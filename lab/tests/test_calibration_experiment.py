"""The experiment on calibration: what is drawn, made wrong, scored and shown, on a toy corpus."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from seedtopic import InputError, Seeds
from seedtopic.quality.scores import expected_calibration_error
from seedtopic_lab.corpora import Dataset
from seedtopic_lab.experiments import find_plans, material, read_plan, run, write_report
from seedtopic_lab.experiments.calibration import UNRELATED, complete, reliability_bins, scores, wrong_seeds
from seedtopic_lab.experiments.systems import ENTRIES, Entry

PLAN = """
title = "Toy"
measure = "calibration"
table = "calibration"
figure = "reliability"
scores = ["ece"]
corpora = ["toy"]
seeds = ["SL"]
reference = { system = "all" }
"""
SYSTEM = """
[[systems]]
name = "{name}"
model = "{model}"
runs = {runs}
parameters = {parameters}
"""
Write = Callable[..., Path]


def system(name: str, parameters: str = "{}", *, model: str = "Spy", runs: int = 1) -> str:
    return SYSTEM.format(name=name, parameters=parameters, model=model, runs=runs)


@pytest.fixture
def write(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    toy_texts: list[str],
    toy_labels: list[str],
    toy_seeds: dict[str, list[str]],
) -> Write:
    """Write a plan for the toy corpus, the last twelve of whose documents are its test part."""

    def written(*systems: str) -> Path:
        split, ids = ["train"] * 24 + ["test"] * 12, [str(row) for row in range(36)]
        toy = Dataset("toy", toy_texts, toy_labels, split, sorted(set(toy_labels)), ids)
        monkeypatch.setattr(material, "fetch_corpus", lambda name: toy)
        monkeypatch.setattr(material, "published_seeds", lambda name, which, *, purified, draw: toy_seeds)
        path = tmp_path / "toy.toml"
        path.write_text(PLAN + "".join(systems))
        return path

    return written


def rows(path: Path) -> list[dict[str, str]]:
    with (path.parent / "results" / "calibration.csv").open(newline="") as file:
        return list(csv.DictReader(file))


class Spy:
    """A model that labels everything sports, the first half with .96 and the others with .5.

    It doubts the category "money".
    """

    fitted: list[Spy]

    def __init__(
        self, seeds: Seeds, vocabulary: list[str], random_state: int | None = None, calibrate: bool = True
    ) -> None:
        self.seeds, self.random_state = seeds, random_state
        if calibrate:
            self.doubts_ = [SimpleNamespace(category="money")]

    def fit(self, counts: Any) -> Spy:
        self.n_documents = counts.shape[0]
        Spy.fitted.append(self)
        self.transduction_ = np.full(self.n_documents, "sports")
        sure = np.where(np.arange(self.n_documents) < self.n_documents / 2, 0.96, 0.5)
        self.label_distributions_ = np.column_stack([sure, 1 - sure])
        return self


@pytest.fixture
def spies(monkeypatch: pytest.MonkeyPatch) -> list[Spy]:
    Spy.fitted = []
    monkeypatch.setitem(ENTRIES, "Spy", Entry(f"{__name__}:Spy", "counts"))
    return Spy.fitted


def test_all_documents_are_fitted_and_the_test_part_is_scored(
    write: Write, spies: list[Spy], toy_labels: list[str]
) -> None:
    path = write(system("all"))
    assert run(path, path.parent).added == 1
    row = rows(path)[0]
    accuracy = np.mean([label == "sports" for label in toy_labels[24:]])
    assert spies[0].n_documents == 36
    assert float(row["accuracy"]) == pytest.approx(accuracy, abs=1e-6)
    assert float(row["estimate"]) == 0.5  # the test part is in the unsure half
    assert float(row["ece"]) == pytest.approx(abs(accuracy - 0.5), abs=1e-6)
    assert (row["sure"], row["sure_right"], row["wronged"], row["doubted"]) == ("0", "0", "[]", '["money"]')
    assert json.loads(row["bins"]) == [[12, 0.5, pytest.approx(accuracy, abs=1e-4)]]


def test_drawn_documents_are_all_scored(write: Write, spies: list[Spy], toy_labels: list[str]) -> None:
    path = write(system("ten", "{ documents = 10 }", runs=2))
    assert run(path, path.parent).added == 2
    for draw, row in enumerate(rows(path)):
        drawn = np.random.default_rng(draw).permutation(36)[:10]
        right = np.array(toy_labels)[drawn] == "sports"
        assert (spies[draw].n_documents, spies[draw].random_state) == (10, draw)
        assert float(row["accuracy"]) == right.mean()
        assert float(row["estimate"]) == pytest.approx(0.73)
        assert (float(row["sure"]), float(row["sure_right"])) == (0.5, right[:5].sum() / 10)
        assert json.loads(row["parameters"]) == {"calibrate": True, "documents": 10}


def test_scores_by_hand() -> None:
    probability = np.array([0.99, 0.97, 0.5, 0.5])
    found = scores(probability, np.array([True, False, True, False]), np.array([True, True, True, False]))
    assert found["ece"] == pytest.approx((0.96 + 0.0) / 4)  # two bins: 1.96 for one right, 1 for one right
    assert found["seeded_ece"] == pytest.approx((0.96 + 0.5) / 3)
    assert found["unseeded_ece"] == 0.5
    assert (found["accuracy"], found["sure"], found["sure_right"]) == (0.5, 0.5, 0.25)
    assert np.isnan(scores(probability, probability > 0.9, np.ones(4, bool))["unseeded_ece"])


def test_the_bins_are_those_of_the_calibration_error() -> None:
    random = np.random.default_rng(0)
    probability, right = random.random(500), random.random(500) < 0.5
    sizes, sure, share = np.array(reliability_bins(probability, right)).T
    assert sizes.sum() == 500
    gap = np.sum(sizes * np.abs(sure - share)) / 500
    assert gap == pytest.approx(expected_calibration_error(probability, right), abs=1e-4)


def test_wrong_seeds() -> None:
    seeds = Seeds({name: [f"of {name}"] for name in "abcde"})
    swapped, wronged = wrong_seeds(seeds, "first two swapped")
    assert wronged == ["a", "b"]
    assert swapped.categories == {**seeds.categories, "a": ("of b",), "b": ("of a",)}
    drawn, two = wrong_seeds(seeds, "drawn two swapped")
    assert len(set(two)) == 2
    assert {name for name in "abcde" if drawn.categories[name] != seeds.categories[name]} == set(two)
    assert drawn.categories[two[0]] == seeds.categories[two[1]]
    assert wrong_seeds(seeds, "drawn two swapped")[1] == two
    unrelated, first = wrong_seeds(seeds, "first unrelated")
    assert first == ["a"]
    assert unrelated.categories == {**seeds.categories, "a": UNRELATED}
    assert list(unrelated.names) == list("abcde")
    assert wrong_seeds(seeds, None) == (seeds, [])


def test_a_model_gets_wrong_seeds_and_the_report_says_what_is_named(
    write: Write, spies: list[Spy], toy_seeds: dict[str, list[str]]
) -> None:
    assert list(toy_seeds) == ["sports", "money", "weather"]  # the model doubts the second
    path = write(
        system("all"),
        system("bare", "{ calibrate = false }"),
        system("swapped", '{ wrong_seeds = "first two swapped" }'),
        system("unrelated", '{ wrong_seeds = "first unrelated" }'),
    )
    assert "No result is recorded" in write_report(read_plan(path), path.parent)  # with no rows at all
    assert run(path, path.parent).added == 4
    assert spies[2].seeds.categories["money"] == tuple(toy_seeds["sports"])
    assert spies[3].seeds.categories["sports"] == UNRELATED
    section = write_report(read_plan(path), path.parent)
    accuracy = f"{float(rows(path)[0]['accuracy']):.3f}"[1:]
    assert (
        f"| toy S<sup>L</sup> | {accuracy} (+.000) / .500 (+.000) | 1 of 2 + 0 "
        f"| {accuracy} (+.000) / .500 (+.000) | 0 of 1 + 1 |"
    ) in section
    means = [
        line.split(" | ")[-2:] for line in section.splitlines() if line.startswith(("| all |", "| bare |"))
    ]
    assert means == [["–", "1 |"], ["–", "– |"]]


def test_the_figure_is_the_same_file_again(write: Write, spies: list[Spy]) -> None:
    path = write(system("all"))
    run(path, path.parent)
    assert "figures/toy.svg" in write_report(read_plan(path), path.parent)
    first = (path.parent / "figures" / "toy.svg").read_bytes()
    write_report(read_plan(path), path.parent)
    assert (path.parent / "figures" / "toy.svg").read_bytes() == first


def test_the_default_model_is_measured(write: Write) -> None:
    path = write(
        system("all", model="SeedTopicClassifier"),
        system("not calibrated", "{ calibrate = false }", model="SeedTopicClassifier"),
    )
    assert run(path, path.parent).added == 2
    calibrated, not_calibrated = rows(path)
    assert calibrated["accuracy"] == not_calibrated["accuracy"]  # calibration changes no label
    assert calibrated["estimate"] != not_calibrated["estimate"]
    assert not_calibrated["doubted"] == "null"


@pytest.mark.parametrize(
    ("parameters", "complaint"),
    [
        ({"wrong_seeds": "burnt"}, "wrong_seeds is 'burnt': use one of first two swapped"),
        ({"documents": 0}, "documents is 0"),
        ({"maxiter": 3}, "no setting 'maxiter'"),
    ],
)
def test_wrong_settings_are_refused(parameters: dict[str, Any], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        complete("SeedTopicClassifier", parameters)


def test_the_plan_compares_with_a_system_of_its_own() -> None:
    plan = read_plan(find_plans(Path(__file__).parents[2] / "experiments")["calibration"])
    assert plan.reference["system"] in [one.name for one in plan.systems]
    for one in plan.systems:
        complete(one.model, one.parameters)
