"""The table and figure of costs: every point has an origin, sums are right, names do not cover each other."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from seedtopic import InputError
from seedtopic_lab.experiments import Plan, Recorded, cost, find_plans, read_plan
from seedtopic_lab.experiments.cost_figure import CITED, OURS, kind, spread
from seedtopic_lab.experiments.cost_points import CORPORA, cost_table, points
from seedtopic_lab.experiments.figures import cost_figure
from seedtopic_lab.experiments.plan import Setting, System, Task

EXPERIMENTS = Path(__file__).parents[2] / "experiments"
MEASURED = {
    "name": "quick", "label": "quick", "system": "peer", "hardware": "one core", "command": "seedtopic reproduce cost"
}  # fmt: skip
CITATION = {"name": "far", "ag_news": [0.6, 0.8], "newsgroups20": 0.5, "source": "a paper"}


@pytest.fixture(scope="module")
def recorded() -> Recorded:
    return Recorded.of(read_plan(find_plans(EXPERIMENTS)["cost"]), EXPERIMENTS)


def toy(*given: dict[str, Any], rows: bool = True) -> Recorded:
    """A plan of one system, measured on 200 documents in 3 seconds, beside one that has its scores."""
    system, peer = (System(name, "SeedControl", {}, 1, 1) for name in ("quick", "peer"))
    place = Setting("ag_news", "SL")
    other = Plan("peers", "", "classification", "", [peer], [place, Setting("ag_news", "SD")], [])
    scores = [
        (Task(peer, setting, 0), {"test_micro": score, "seconds": "13.8"})
        for setting, score in zip(other.settings, ("0.75", "0.5"), strict=True)
    ]
    plan = Plan("cost", "", "cost", "", [system], [place], [], points=list(given))
    pairs = [(Task(system, place, 0), {"documents": "200", "busy_seconds": "3"})] if rows else []
    return Recorded(plan, pairs, Recorded(other, scores))


def test_seconds_are_scaled_to_a_million() -> None:
    (point,) = points(toy(MEASURED))
    assert point.accuracy == {"ag_news": [0.75, 0.5]}  # with S^L and S^D; not run on the other corpus
    assert point.seconds == pytest.approx(3 * 1_000_000 / 200)
    (point,) = points(toy(MEASURED, rows=False))  # by the fit of all 27,600 articles in the plan beside it
    assert point.seconds == pytest.approx(500)
    (point,) = points(toy({**MEASURED, "seconds": 7, "how": "by a clock"}))
    assert (point.seconds, point.how) == (7, "by a clock")


def test_the_table_says_where_each_row_is_from() -> None:
    lines = cost_table(toy(CITATION, MEASURED)).splitlines()
    assert lines[2] == (
        "| quick | .750 / .500 | – | 15,000 (scaled from 200) | one core |  | `seedtopic reproduce cost` |"
    )
    assert lines[3] == "| far | .600 to .800 | .500 | not published |  |  | a paper |"


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"name": "no origin", "ag_news": 0.5}, "no origin of cost needs a source"),
        ({**CITATION, "command": "seedtopic"}, "and not both"),
        ({**CITATION, "colour": "red"}, "an entry too many: colour"),
        ({**MEASURED, "system": "nobody"}, "'nobody', which the plan beside it does not have"),
    ],
)
def test_wrong_points_are_refused(given: dict[str, Any], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        points(toy(given))


def test_every_point_has_a_source_or_a_command(recorded: Recorded) -> None:
    found = points(recorded)
    assert {point.name for point in found} == {given["name"] for given in recorded.plan.points}
    for point in found:
        assert bool(point.source) != bool(point.command)
        assert point.hardware
        assert point.protocol
        assert set(point.accuracy) <= set(CORPORA)
        assert all(0 < score < 1 for scores in point.accuracy.values() for score in scores)
        if point.command:
            plan = point.command.removeprefix("seedtopic reproduce ")
            assert plan in find_plans(EXPERIMENTS)
            assert point.seconds
        else:
            assert "](https://" in point.source
    assert len({point.label for point in found}) == len(found)


def test_the_figure_shows_all_points_and_their_names_are_apart(recorded: Recorded) -> None:
    from matplotlib.text import Text

    figure = cost_figure(recorded)
    renderer = figure.canvas.get_renderer()  # type: ignore[attr-defined]
    for number, corpus in enumerate(CORPORA):
        wanted = {point.label for point in points(recorded) if corpus in point.accuracy}
        shown = {}
        for axis in figure.axes[2 * number : 2 * number + 2]:
            inside = axis.get_window_extent(renderer)
            boxes = []
            for text in axis.texts:
                text.update_positions(renderer)  # type: ignore[attr-defined]
                box = Text.get_window_extent(text, renderer)
                assert inside.x0 <= box.x0
                assert box.x1 <= inside.x1
                assert not any(box.overlaps(other) for other in boxes)
                boxes.append(box)
                shown[text.get_text()] = text.xy[0]  # type: ignore[attr-defined]
        assert set(shown) == wanted
        for point in points(recorded):
            if corpus in point.accuracy and point.seconds is not None:
                assert shown[point.label] == point.seconds


def test_marks_tell_measured_from_cited() -> None:
    far, quick = points(toy(CITATION, MEASURED))
    assert [kind(point) for point in (far, quick, replace(quick, name=OURS))] == [
        CITED, "measured here", "this package"
    ]  # fmt: skip


def test_names_that_are_too_near_are_spread_around_their_mean() -> None:
    assert spread([30.0, 11.0, 10.0, 9.0], 4) == [30.0, 14.0, 10.0, 6.0]
    assert spread([10.0, 10.0], 2) == [11.0, 9.0]
    assert spread([9.0, 5.0], 2) == [9.0, 5.0]
    assert spread([], 2) == []


def test_settings_of_the_measurement_are_not_settings_of_a_model() -> None:
    assert cost.complete("SeedControl", {"documents": 30}) == {
        "rounds": 10, "strength": 6.0, "documents": 30, "device": "cpu"
    }  # fmt: skip
    with pytest.raises(InputError, match="documents is -1"):
        cost.complete("SeedControl", {"documents": -1})


def test_a_drawn_sample_is_labelled_and_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    from seedtopic import Seeds
    from seedtopic_lab.corpora import Dataset
    from seedtopic_lab.experiments.material import Material

    texts = ["team won game goal", "bank raised rate loan"] * 100
    toy_corpus = Dataset("toy", texts, ["sports", "money"] * 100, ["test"] * 200, ["money", "sports"], texts)
    material = Material()
    monkeypatch.setattr(material, "dataset", lambda corpus: toy_corpus)
    monkeypatch.setattr(
        material, "seeds", lambda setting, draw=None: Seeds({"money": ["bank"], "sports": ["game"]})
    )
    task = Task(System("control", "SeedControl", {}, 1, 1), Setting("toy", "SL"), 0)
    for wanted, labelled in ((50, 50), (0, 200)):
        found = cost.cost(task, cost.complete("SeedControl", {"documents": wanted}), material, None)
        assert found["documents"] == labelled
        assert found["busy_seconds"] > 0
