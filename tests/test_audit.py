"""Audits: what a few checked documents say of all, on numbers known by hand, drawn populations and corpora."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from dataclasses import replace
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from seedtopic import InputError, SeedTopicClassifier, cli
from seedtopic.quality.audit import LEAST_CHECKS, N_STRATA, allocated, draw, estimate, strata_of
from seedtopic.quality.intervals import Estimate, Z, added, stratified, weighted
from seedtopic_lab.corpora import fetch_corpus, published_seeds

MANY = 10**9


def counts(*values: int) -> NDArray[np.int_]:
    return np.array(values)


def rounded(of: Estimate) -> tuple[float | None, float, float]:
    return (None if of.value is None else round(of.value, 4), round(of.low, 4), round(of.high, 4))


def wilson(right: int, checked: int) -> tuple[float, float]:
    """Wilson's interval as it is printed in textbooks."""
    share, scale = right / checked, 1 + Z**2 / checked
    half = Z * sqrt(share * (1 - share) / checked + Z**2 / (4 * checked**2)) / scale
    centre = (share + Z**2 / (2 * checked)) / scale
    return centre - half, centre + half


# Numbers known by hand


def test_one_stratum_is_wilsons_interval() -> None:
    found = stratified(counts(45), counts(50), counts(MANY))
    assert rounded(found) == (0.9, 0.7864, 0.9565)
    assert rounded(weighted(counts(45), counts(50), counts(50), counts(MANY))) == rounded(found)
    assert wilson(45, 50) == pytest.approx((found.low, found.high), abs=1e-6)


def test_strata_are_weighed_by_their_sizes() -> None:
    found = stratified(counts(5, 10), counts(10, 10), counts(100, 300))
    assert found.value == pytest.approx(0.25 * 0.5 + 0.75 * 1.0)


def test_all_right_is_not_certain() -> None:
    found = stratified(counts(12, 13), counts(12, 13), counts(1000, 1000))
    assert found.value == found.high == 1
    assert 0.8 < found.low < 0.95
    assert stratified(counts(0, 0), counts(12, 13), counts(1000, 1000)).low == 0


def test_what_is_checked_completely_is_known() -> None:
    assert rounded(stratified(counts(3, 4), counts(4, 4), counts(4, 4))) == (0.875, 0.875, 0.875)
    half = stratified(counts(5, 5), counts(10, 10), counts(10, 90))
    alone = stratified(counts(5), counts(10), counts(90))
    assert half.low == pytest.approx(0.05 + 0.9 * alone.low)
    assert half.high == pytest.approx(0.05 + 0.9 * alone.high)


def test_a_document_of_a_larger_weight_counts_more() -> None:
    # One check stands for 10 documents, the other for 30: the weighted mean of 1 and 0 is 1/4, and the
    # effective number of checks is 40² / (10² · 0.9 + 30² · 29/30) = 1600 / 960.
    found = weighted(counts(1, 0), counts(1, 1), counts(1, 1), counts(10, 30))
    share, checks = 0.25, 1600 / 960
    scale = 1 + Z**2 / checks
    half = Z * sqrt(share * (1 - share) / checks + Z**2 / (4 * checks**2)) / scale
    assert found.value == pytest.approx(share)
    assert found.high == pytest.approx((share + Z**2 / (2 * checks)) / scale + half)


def test_two_shares_are_added() -> None:
    total = added(Estimate(0.3, 0.26, 0.33), Estimate(0.1, 0.07, 0.14))
    assert rounded(total) == (0.4, 0.35, 0.45)  # hypot(3, 4) = 5, both ways


def test_the_share_of_a_category_counts_what_it_missed() -> None:
    labels, true = ["oil"] * 60 + ["gold"] * 40, ["oil"] * 50 + ["gold"] * 40 + [None] * 10
    answers = dict(enumerate(true))
    audit = estimate(labels, [0.9] * 100, answers)
    assert [row.category for row in audit.categories] == ["gold", "oil", None]
    assert [row.share.value for row in audit.categories] == pytest.approx([0.4, 0.5, 0.1])
    assert audit.categories[1].precision.value == pytest.approx(50 / 60)
    assert audit.accuracy == Estimate(0.8, 0.8, 0.8)


def test_a_category_without_a_check_is_not_known() -> None:
    audit = estimate(["oil"] * 50 + ["gold"] * 50, [0.9] * 100, dict.fromkeys(range(20), "oil"))
    gold, oil, none = audit.categories
    assert (gold.checked, gold.precision) == (0, Estimate(None, 0.0, 1.0))
    assert str(gold.precision) == "not known"
    assert gold.share.high >= 0.5  # all of them may be right
    assert oil.precision.value == 1
    assert none.share.low == 0


def test_a_name_for_none_of_these_is_a_category_of_its_own() -> None:
    audit = estimate(
        ["oil", "other"] * 20, [0.9] * 40, {0: None, 1: None, 2: "oil"}, ["oil", "other"], "other"
    )
    assert [(row.category, row.checked) for row in audit.categories] == [("oil", 2), ("other", 1)]
    assert audit.categories[1].precision.value == 1


def test_strata_have_equal_parts_of_the_uncertainty() -> None:
    strata = strata_of(np.linspace(0.5, 1, 1000))
    assert sorted(set(strata.tolist())) == [1, 2]
    sizes = np.bincount(strata)[1:]
    assert (np.diff(sizes) > 0).all()  # the more certain, the more documents per check
    sampled = np.bincount(draw(np.linspace(0.5, 1, 1000), 30).strata)[1:]
    assert sampled.tolist() == [15, 15]


def test_checks_are_shared_out() -> None:
    assert allocated(50, np.array([1.0, 1.0, 1.0]), counts(100, 100, 100)).sum() == 50
    assert allocated(50, np.array([3.0, 1.0]), counts(20, 100)).tolist() == [20, 30]
    assert allocated(50, np.array([1.0, 1.0]), counts(3, 4)).tolist() == [3, 4]


# Laws

PROBABILITIES = st.lists(st.floats(0, 1) | st.sampled_from([0.5, 0.9, 0.99, 1.0]), min_size=1, max_size=200)


@given(PROBABILITIES, st.integers(LEAST_CHECKS, 300), st.integers(0, 5))
def test_a_sample_has_each_document_once_and_leaves_no_stratum_out(
    probabilities: list[float], n: int, seed: int
) -> None:
    sample = draw(probabilities, n, random_state=seed)
    strata = strata_of(probabilities)
    assert len(sample) == len(set(sample.documents.tolist())) == min(n, len(probabilities))
    assert strata[sample.documents].tolist() == sample.strata.tolist()
    assert set(sample.strata.tolist()) == set(strata.tolist())
    assert len(set(strata.tolist())) <= N_STRATA
    order = np.argsort(probabilities, kind="stable")
    assert (np.diff(strata[order]) >= 0).all()
    again = draw(probabilities, n, random_state=seed)
    assert again.documents.tolist() == sample.documents.tolist()


@st.composite
def checks(draw_: st.DrawFn) -> tuple[NDArray[np.int_], NDArray[np.int_], NDArray[np.int_]]:
    """Right, checked and all documents of some strata."""
    sizes = draw_(st.lists(st.integers(1, 10_000), min_size=1, max_size=5))
    checked = [draw_(st.integers(1, min(size, 60))) for size in sizes]
    right = [draw_(st.integers(0, count)) for count in checked]
    return np.array(right), np.array(checked), np.array(sizes)


@given(checks())
def test_an_interval_holds_its_estimate_and_has_a_width(found: tuple[NDArray[np.int_], ...]) -> None:
    right, checked, sizes = found
    for of in (stratified(right, checked, sizes), weighted(right, checked, checked, sizes)):
        assert of.value is not None
        assert 0 <= of.low <= of.value + 1e-9
        assert of.value - 1e-9 <= of.high <= 1 + 1e-12
        assert (of.high - of.low > 1e-6) == bool((checked < sizes).any())


@given(checks())
def test_right_and_wrong_are_mirrored(found: tuple[NDArray[np.int_], ...]) -> None:
    right, checked, sizes = found
    of, mirrored = stratified(right, checked, sizes), stratified(checked - right, checked, sizes)
    assert of.low == pytest.approx(1 - mirrored.high, abs=1e-6)
    assert of.high == pytest.approx(1 - mirrored.low, abs=1e-6)


@given(st.integers(0, 10_000), st.integers(1, 60))
def test_shares_add_up_and_the_order_of_documents_does_not_matter(seed: int, n: int) -> None:
    random = np.random.default_rng(seed)
    labels, true = random.choice(["a", "b", "c"], 80), random.choice(["a", "b", "c", "d"], 80)
    sure = random.random(80).round(2)
    chosen = random.permutation(80)[:n]

    def audit(order: NDArray[np.intp]) -> Any:
        answers = {
            place: None if true[document] == "d" else str(true[document])
            for place, document in enumerate(order.tolist())
            if document in chosen
        }
        return estimate(labels[order].tolist(), sure[order], answers, ["a", "b", "c"])

    first, other = audit(np.arange(80)), audit(random.permutation(80))
    assert sum(row.share.value for row in first.categories) == pytest.approx(1)
    assert all(0 <= row.share.low <= row.share.value <= row.share.high <= 1 for row in first.categories)
    assert rounded(first.accuracy) == rounded(other.accuracy)
    assert [rounded(row.share) for row in first.categories] == [
        rounded(row.share) for row in other.categories
    ]


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: draw([0.5], 9), "n is 9: check at least 10 documents"),
        (lambda: draw([], 50), r"the probabilities have the shape \(0,\)"),
        (lambda: draw([0.5, 1.5], 50), "the probability of document 1 is 1.5: give numbers from 0 to 1"),
        (lambda: draw([0.5, float("nan")], 50), "the probability of document 1 is nan"),
        (lambda: estimate(["a"], [0.5], {}), "no document is checked"),
        (
            lambda: estimate(["a"], [0.5], {1: "a"}),
            "document 1 is checked, but the last one is 0, counted from 0",
        ),
        (lambda: estimate(["a"], [0.5], {0: "b"}), "was checked as 'b', which is not a category: .* are a"),
        (lambda: estimate(["a"], [0.5], {0: "b"}, ["b"]), "has the label 'a', which is not a category"),
        (lambda: estimate(["a", "a"], [0.5], {0: "a"}), "there are 2 labels, but 1 probability:"),
    ],
)
def test_wrong_values_are_one_sentence(call: Callable[[], object], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        call()


# Coverage


def simulated(
    sure: NDArray[np.float64], right: NDArray[np.bool_], n: int, audits: int
) -> tuple[float, float, float]:
    """Audit many times: how often the interval holds the truth, its mean width, and that of a plain sample."""
    random = np.random.default_rng(0)
    strata, truth = strata_of(sure), right.mean()
    sizes, good = np.bincount(strata)[1:], np.bincount(strata, right)[1:].astype(int)
    checked = np.bincount(draw(sure, n).strata)[1:]
    drawn = np.stack(
        [random.hypergeometric(a, b - a, c, audits) for a, b, c in zip(good, sizes, checked, strict=True)], 1
    )
    kinds, times = np.unique(drawn, axis=0, return_counts=True)
    found = [stratified(kind, checked, sizes) for kind in kinds]
    holds = np.array([of.low <= truth <= of.high for of in found])
    widths = np.array([of.high - of.low for of in found])
    plain = random.hypergeometric(int(right.sum()), int((~right).sum()), n, audits)
    plain_widths = [high - low for low, high in (wilson(int(count), n) for count in plain)]
    return (
        float(holds @ times / audits),
        float(widths @ times / audits),
        float(np.mean(plain_widths)),
    )


POPULATIONS = {  # how the share of right labels depends on the probability
    "calibrated": lambda sure: sure,
    "too sure": lambda sure: 0.4 + 0.5 * sure,
    "worth nothing": lambda sure: np.full(len(sure), 0.85),
    "upside down": lambda sure: 1.3 - 0.6 * sure,
}


@pytest.mark.parametrize("n", [50, 100])
@pytest.mark.parametrize("name", POPULATIONS)
def test_intervals_cover_whatever_the_probabilities_are_worth(name: str, n: int) -> None:
    random = np.random.default_rng(1)
    sure = 0.5 + 0.5 * random.beta(2, 0.6, 5000)
    right = random.random(5000) < POPULATIONS[name](sure)
    covered, width, plain = simulated(sure, right, n, 2000)
    assert 0.925 <= covered <= 0.98
    assert width < (plain if name in ("calibrated", "too sure") else 1.2 * plain)


def test_precision_and_shares_cover() -> None:
    random = np.random.default_rng(2)
    names = np.array(["a", "b", "c", "d"])
    sure = 0.5 + 0.5 * random.beta(2, 0.6, 3000)
    true = random.choice(4, 3000, p=[0.5, 0.3, 0.15, 0.05])
    label = np.where(random.random(3000) < sure, true, random.choice(4, 3000))
    precision = [(true[label == k] == k).mean() for k in range(4)]
    share = np.bincount(true, minlength=4) / 3000
    held = np.zeros((2, 4))
    for audit in range(200):
        answers = {
            place: str(names[true[place]]) for place in draw(sure, 50, random_state=audit).documents.tolist()
        }
        rows = estimate(names[label].tolist(), sure, answers, names.tolist()).categories[:4]
        held[0] += [
            row.precision.low <= p <= row.precision.high for row, p in zip(rows, precision, strict=True)
        ]
        held[1] += [row.share.low <= s <= row.share.high for row, s in zip(rows, share, strict=True)]
    assert held.min() / 200 >= 0.9
    assert (held.mean(axis=1) / 200 >= 0.93).all()


@pytest.mark.corpora
@pytest.mark.parametrize("corpus", ["ag_news", "bbc_news", "newsgroups20", "reuters10", "stackoverflow"])
@pytest.mark.filterwarnings("ignore::seedtopic.SeedWarning")
def test_intervals_cover_on_corpora_and_are_narrower_than_those_of_a_plain_sample(corpus: str) -> None:
    documents = fetch_corpus(corpus)
    model = SeedTopicClassifier(published_seeds(corpus, "SL"), random_state=0).fit(documents.texts)
    sure = model.label_distributions_.max(axis=1)
    right = model.transduction_ == np.array(documents.labels)
    for n in (50, 100):
        covered, width, plain = simulated(sure, right, n, 2000)
        print(f"{corpus} {n}: covered {covered:.3f}, width {width:.3f}, plain sample {plain:.3f}")  # noqa: T201
        assert 0.93 <= covered <= 0.97
        assert width < plain


# The command


@pytest.fixture(scope="module")
def fitted(tmp_path_factory: pytest.TempPathFactory, toy_texts: list[str], toy_labels: list[str]) -> Path:
    """A folder with documents, a model, and one that knows none of these."""
    folder = tmp_path_factory.mktemp("audited")
    with open(folder / "docs.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "text", "topic"])
        for i, (text, topic) in enumerate(zip(toy_texts, toy_labels, strict=True)):
            own = "unheard of" if i % 4 == 0 else text
            writer.writerow([f"t{i}", f'{own},\n"é"', topic])
    seeds = (
        'sports = ["game", "player"]\n"café, money" = ["bank", "stock"]\nweather = ["rain", "snow", "sun"]\n'
    )
    (folder / "seeds.toml").write_text(seeds, encoding="utf-8")
    docs, seeds_file = str(folder / "docs.csv"), str(folder / "seeds.toml")
    fit = ["fit", docs, "--seeds", seeds_file, "--quiet"]
    assert cli.run([*fit, "-o", str(folder / "model")]) == 0
    assert cli.run([*fit, "-o", str(folder / "with-none"), "--none-label", "other"]) == 0
    return folder


@pytest.fixture
def workplace(fitted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return fitted


def audit(folder: Path, *arguments: str, model: str = "model") -> int:
    """Audit with answers that are kept in the working folder, since several tests share the documents."""
    command = ["audit", str(folder / model), str(folder / "docs.csv"), "--answers", "answers.csv"]
    return cli.run([*command, *arguments])


def read(path: str) -> list[dict[str, str]]:
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def write(path: str, rows: list[dict[str, str]], encoding: str = "utf-8", delimiter: str = ",") -> None:
    with open(path, "w", newline="", encoding=encoding) as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter=delimiter)
        writer.writeheader()
        writer.writerows(rows)


def filled(folder: Path, n: int = 20) -> list[dict[str, str]]:
    """A sheet in which every label is right but one, the first, of a text that stands there once."""
    assert audit(folder, "-n", str(n), "-o", "to-check.csv", "--quiet") == 0
    rows = [{**row, "checked": row["predicted"]} for row in read("to-check.csv")]
    texts = [row["text"] for row in rows]
    rows.sort(key=lambda row: texts.count(row["text"]))
    rows[0]["checked"] = "none"
    write("to-check.csv", rows)
    return rows


def test_a_sheet_has_what_a_person_needs(workplace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert audit(workplace, "-n", "20", "-o", "to-check.csv") == 0
    told = capsys.readouterr().out
    assert "20 of 36 documents written to" in told
    assert "--checked to-check.csv" in told
    rows, documents = read("to-check.csv"), read(str(workplace / "docs.csv"))
    assert list(rows[0]) == [
        "id", "text", "topic", "row", "predicted", "runner_up", "checked", "probability", "how", "was_predicted",
    ]  # fmt: skip
    assert len(rows) == 20
    for row in rows:
        own = documents[int(row["row"]) - 2]  # below the header, as a spreadsheet program counts
        assert (row["id"], row["text"], row["checked"]) == (own["id"], own["text"], "")
        assert row["runner_up"] != row["predicted"]
    places = [int(row["row"]) for row in rows]
    assert places != sorted(places)
    assert audit(workplace, "-n", "20", "-o", "other.csv", "--seed", "1", "-q") == 0
    assert {row["row"] for row in read("other.csv")} != {row["row"] for row in rows}


def test_a_round_trip(workplace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = filled(workplace)
    assert audit(workplace, "--checked", "to-check.csv", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["documents"], found["checked"]) == (36, 20)
    assert {row["how"].partition("stratum ")[2][0] for row in rows} == {"1", "2"}
    assert 0.8 < found["accuracy"]["value"] < 1
    assert 0.6 < found["accuracy"]["low"] < found["accuracy"]["value"] < found["accuracy"]["high"] < 1
    assert [row["category"] for row in found["categories"]] == ["sports", "café, money", "weather", None]
    assert sum(row["checked"] for row in found["categories"]) == 20
    assert audit(workplace, "--checked", "to-check.csv") == 0
    told = capsys.readouterr()
    assert "10 answers: 10 are used for 36 documents" in told.err  # of ten texts
    assert "(none of these)" in told.out
    assert "accuracy " in told.out.splitlines()[-2]
    assert "20 of 36 documents checked" in told.out.splitlines()[-1]


def spreadsheet(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    return [{**row, "probability": row["probability"].replace(".", ",")} for row in rows]


@pytest.mark.parametrize(
    ("encoding", "delimiter", "change"),
    [
        ("utf-8-sig", ",", lambda rows: rows),
        ("utf-8-sig", ";", spreadsheet),
        ("cp1252", ";", spreadsheet),
        ("utf-16", ",", lambda rows: rows[::-1]),
        ("utf-8", ",", lambda rows: [{**row, "checked": f" {row['checked'].upper()} "} for row in rows]),
        ("utf-8", ",", lambda rows: [{**row, "text": f" {row['text']}\n", "note": "mine"} for row in rows]),
        ("utf-8", ",", lambda rows: [{**row, "id": "", "probability": "x"} for row in rows]),
    ],
)
def test_what_spreadsheet_programs_and_people_make_of_it_is_read(
    workplace: Path, capsys: pytest.CaptureFixture[str], encoding: str, delimiter: str, change: Any
) -> None:
    rows = filled(workplace)
    assert audit(workplace, "--checked", "to-check.csv", "--json") == 0
    before = capsys.readouterr().out
    Path("answers.csv").unlink()
    write("saved.csv", change(rows), encoding, delimiter)
    assert audit(workplace, "--checked", "saved.csv", "--json") == 0
    assert capsys.readouterr().out == before


def test_documents_that_were_not_checked_are_named(
    workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = filled(workplace)
    write(
        "part.csv",
        [{**row, "checked": "" if place > 11 else row["checked"]} for place, row in enumerate(rows)],
    )
    assert audit(workplace, "--checked", "part.csv", "--json") == 0
    told = capsys.readouterr()
    assert (
        "8 of 20 documents in part.csv are not checked: the others are taken for a random part of the sample"
        in told.err
    )
    part = json.loads(told.out)
    assert part["checked"] == 12
    write("cut.csv", rows[:12])  # or their rows were removed
    assert audit(workplace, "--checked", "cut.csv", "--json") == 0
    told = capsys.readouterr()
    assert json.loads(told.out) == part
    assert "not checked" not in told.err


def test_all_documents_leave_nothing_to_estimate(workplace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert audit(workplace, "-o", "to-check.csv") == 0
    assert "the file contains all 36 documents: nothing has to be estimated" in capsys.readouterr().err
    rows = read("to-check.csv")
    write("to-check.csv", [{**row, "checked": row["predicted"]} for row in rows])
    assert audit(workplace, "--checked", "to-check.csv", "--json") == 0
    told = capsys.readouterr()
    assert "all documents are checked: the shares are exact" in told.err
    found = json.loads(told.out)
    assert found["accuracy"] == {"value": 1.0, "low": 1.0, "high": 1.0}
    assert all(row["share"]["high"] - row["share"]["low"] < 1e-9 for row in found["categories"])


def test_the_name_for_none_of_these_is_a_category(
    workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert audit(workplace, "-n", "20", "-o", "to-check.csv", "--fitted", "-q", model="with-none") == 0
    rows = [{**row, "checked": "Other"} for row in read("to-check.csv")]
    write("to-check.csv", rows)
    assert audit(workplace, "--checked", "to-check.csv", "--fitted", "--json", model="with-none") == 0
    found = json.loads(capsys.readouterr().out)
    assert [row["category"] for row in found["categories"]][-1] == "other"
    assert found["categories"][-1]["share"]["value"] == 1
    write("to-check.csv", [{**row, "checked": "none"} for row in rows])  # means the same
    assert audit(workplace, "--checked", "to-check.csv", "--fitted", "--json", model="with-none") == 0
    assert json.loads(capsys.readouterr().out) == found


def test_other_formats_and_documents_without_a_label(
    workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [json.dumps({"text": row["text"]}) for row in read(str(workplace / "docs.csv"))]
    lines = ["{}", '{"text": "qwertz"}', *lines]  # neither has a label
    Path("docs.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    command = ["audit", str(workplace / "model"), "docs.jsonl"]
    assert cli.run([*command, "-n", "15", "-o", "to-check.jsonl"]) == 3
    assert "2 of 38 documents have no label and are left out" in capsys.readouterr().err
    rows = [json.loads(line) for line in Path("to-check.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(rows) == 15
    assert all(row["row"] > 2 and "id" not in row for row in rows)
    content = "".join(json.dumps({**row, "checked": row["predicted"]}) + "\n" for row in rows)
    Path("to-check.jsonl").write_text(content, encoding="utf-8")
    capsys.readouterr()
    assert cli.run([*command, "--checked", "to-check.jsonl", "--json"]) == 3
    found = json.loads(capsys.readouterr().out)
    assert (found["documents"], found["checked"], found["accuracy"]["value"]) == (36, 15, 1.0)
    Path("empty.jsonl").write_text('{"text": null}\n{"text": null}\n', encoding="utf-8")
    assert cli.run(["audit", str(workplace / "model"), "empty.jsonl", "-o", "x.csv"]) == 2
    assert (
        "no document has a label: give documents with words that the model knows." in capsys.readouterr().err
    )


def test_a_sheet_on_standard_output_is_pure_csv(workplace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert audit(workplace, "-n", "10", "-o", "-") == 0
    assert len(list(csv.DictReader(capsys.readouterr().out.splitlines(keepends=True)))) == 10


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "nobody has checked a sample of these labels: write the documents to check with -o FILE"),
        (["-o", "a.csv", "--checked", "b.csv"], "write the documents to check with -o FILE, or read them"),
        (["--checked", "b.csv", "-n", "20"], "-n is for a new sample: write one with -o FILE."),
        (["-o", "-", "--json"], "standard output cannot hold both documents and --json"),
        (["-o", "there.csv"], "there.csv is there already and may be filled in: name another file with -o."),
        (["-o", "a.xyz"], "a.xyz has the ending '.xyz', which cannot be written"),
        (["--checked", "missing.csv"], "missing.csv was not found"),
        (
            ["--checked", "there.csv"],
            "there.csv has no column 'checked', and none of the columns of labelled",
        ),
        (["-n", "20"], "-n is for a new sample: write one with -o FILE."),
    ],
)
def test_wrong_options_are_one_sentence(
    workplace: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], sentence: str
) -> None:
    Path("there.csv").write_text("text\nmine\n", encoding="utf-8")
    assert audit(workplace, *arguments) == 2
    told = capsys.readouterr()
    assert sentence in told.err
    assert told.out == ""
    assert Path("there.csv").read_text(encoding="utf-8") == "text\nmine\n"


def test_a_word_that_is_no_category_is_named_and_the_rest_counts(
    workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = filled(workplace)
    write("to-check.csv", [{**rows[0], "checked": "sprots"}, *rows[1:]])
    capsys.readouterr()
    assert audit(workplace, "--checked", "to-check.csv", "--json", "-q") == 0
    told = capsys.readouterr()
    assert "1 names no category ('sprots', like 'sports')" in told.err
    assert json.loads(told.out)["checked"] == 19
    write("to-check.csv", rows)  # as it was meant
    assert audit(workplace, "--checked", "to-check.csv", "--json") == 0
    assert json.loads(capsys.readouterr().out)["checked"] == 20


def test_a_sheet_of_other_labels_or_without_answers_is_refused(
    workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = filled(workplace)
    write("empty.csv", [{**row, "checked": ""} for row in rows])
    assert audit(workplace, "--checked", "empty.csv") == 2
    assert "has no answer: write some into the column 'checked'" in capsys.readouterr().err
    other = Path("other.csv")
    other.write_text("id,text\n" + "".join(f"{i},rain and snow {i}\n" for i in range(36)), encoding="utf-8")
    assert cli.run(["audit", str(workplace / "model"), "other.csv", "--checked", "to-check.csv"]) == 2
    assert (
        "give the model, the documents and the options with which it was written" in capsys.readouterr().err
    )
    Path("header.csv").write_text(",".join(rows[0]) + "\n", encoding="utf-8")
    assert audit(workplace, "--checked", "header.csv") == 2
    assert "header.csv contains no documents" in capsys.readouterr().err
    Path("long.csv").write_text(",".join(rows[0]) + "\n" + ",".join("12345678901") + "\n", encoding="utf-8")
    assert audit(workplace, "--checked", "long.csv") == 2
    assert "line 2 has 11 cells for 10 columns" in capsys.readouterr().err


def test_an_estimate_is_as_it_is_printed() -> None:
    found = estimate(["a"] * 100, [0.9] * 100, dict.fromkeys(range(10), "a"))
    assert str(replace(found.accuracy, low=0.5)) == "100.0% (50.0% to 100.0%)"
