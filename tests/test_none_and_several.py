"""A proper "none of these", and several labels per document: in Python, on the command line, in files."""

from __future__ import annotations

import csv
import json
from collections import Counter
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import f1_score

from seedtopic import InputError, Report, Seeds, SeedTopicClassifier, SeedWarning, cli, load
from seedtopic.io.predictions import Predictions
from seedtopic.io.rows import Rows
from seedtopic.io.write import labelled_rows
from seedtopic.learning.classify.out_of_scope import (
    N_BINS,
    Tally,
    best_with_and_without,
    estimated,
    falling,
    find_strangers,
    mean_of_larger,
    stranger_odds,
)
from seedtopic_lab.corpora import Dataset
from seedtopic_lab.experiments import material, none_and_several, read_plan, run, write_report

TOPICS = ("sports", "money", "weather", "music")
SEEDS = {name: [f"{name}{i}" for i in range(4)] for name in TOPICS[:3]}  # music has none
MISSING = "of the documents seem to belong to none of your categories"


def documents(topics: tuple[str, ...], n_each: int = 60, seed: int = 0) -> tuple[list[str], list[str]]:
    """Draw documents of ten words out of thirty of their topic, and three that all topics share."""
    rng = np.random.RandomState(seed)
    labels = [name for _ in range(n_each) for name in topics]
    texts = [
        " ".join([f"{name}{i}" for i in rng.choice(30, 10)] + [f"common{i}" for i in rng.choice(20, 3)])
        for name in labels
    ]
    return texts, labels


def model(**parameters: Any) -> SeedTopicClassifier:
    return SeedTopicClassifier(SEEDS, random_state=0, n_background=2, max_iter=10, **parameters)


@pytest.fixture(scope="module")
def corpus() -> tuple[list[str], list[str]]:
    return documents(TOPICS)


@pytest.fixture(scope="module")
def fitted(corpus: tuple[list[str], list[str]]) -> SeedTopicClassifier:
    return model(none_label="other").fit(corpus[0])


# ---------------------------------------------------------------------------------- a proper none of these


def test_a_proper_none_of_these(fitted: SeedTopicClassifier, corpus: tuple[list[str], list[str]]) -> None:
    _, labels = corpus
    truth = ["other" if label == "music" else label for label in labels]
    assert f1_score(truth, fitted.transduction_, average="macro") > 0.95
    assert ((fitted.none_probability_ > 0.5) == (fitted.transduction_ == "other")).all()
    new_texts, new_labels = documents(TOPICS, 20, seed=1)
    new_truth = ["other" if label == "music" else label for label in new_labels]
    assert f1_score(new_truth, fitted.predict(new_texts), average="macro") > 0.9
    outside = fitted.predict_none_proba(new_texts)
    assert ((outside > 0.5) == (fitted.predict(new_texts) == "other")).all()
    assert ((outside >= 0) & (outside <= 1)).all()


def test_none_changes_neither_the_categories_nor_their_probabilities(
    fitted: SeedTopicClassifier, corpus: tuple[list[str], list[str]]
) -> None:
    with pytest.warns(SeedWarning, match=MISSING):
        plain = model().fit(corpus[0])
    assert fitted.classes_.tolist() == plain.classes_.tolist() == list(SEEDS)
    np.testing.assert_array_equal(fitted.label_distributions_, plain.label_distributions_)
    np.testing.assert_array_equal(fitted.predict_proba(corpus[0]), plain.predict_proba(corpus[0]))
    assert set(plain.transduction_) == set(SEEDS)
    assert not plain.none_probability_.any()
    assert not plain.predict_none_proba(["music1"]).any()


def test_explanations_and_reports_say_none_where_the_model_does(
    fitted: SeedTopicClassifier, corpus: tuple[list[str], list[str]]
) -> None:
    texts, labels = corpus
    outside = int(np.flatnonzero(fitted.transduction_ == "other")[0])
    inside = int(np.flatnonzero(fitted.transduction_ != "other")[0])
    for place in (outside, inside):
        why = fitted.explain(texts[place], fitted=place)
        assert (why.given, why.none_label) == (fitted.transduction_[place], "other")
        assert why.none_probability == fitted.none_probability_[place]
        assert str(why).startswith("other: ") == (place == outside)
        new = fitted.explain(texts[place])
        assert new.given == fitted.predict([texts[place]])[0]
    assert "Why other" in fitted.explain(texts[outside], fitted=outside).to_html()
    report = Report.of(fitted, texts, labels=labels, fitted=True)
    assert report.none is not None
    given = Counter(fitted.transduction_.tolist())
    assert {c.name: c.documents for c in (*report.categories, report.none)} == dict(given)
    assert report.scores is not None
    assert report.scores.micro_f1 == pytest.approx((fitted.transduction_ == np.array(labels)).mean())
    assert "other" in {example.label for example in report.most_certain}
    assert report.confusions is not None
    assert np.sum(report.confusions.counts) == len(texts)
    for page in (report.to_html(), report.to_markdown()):
        assert "other: no category" in page
    assert Report.of(fitted, texts[:9]).none is not None
    without = model().fit(texts[:40])
    assert Report.of(without, texts[:40], fitted=True).none is None
    assert without.explain(texts[0]).given == without.explain(texts[0]).label


def test_where_every_document_belongs_none_is_other_but_the_empty() -> None:
    texts, labels = documents(TOPICS[:3])
    fitted = model(none_label="other").fit([*texts, "", "common1 unheard"])
    called = np.flatnonzero(fitted.transduction_ == "other")
    assert len(texts) in called
    assert len(called) <= 2
    assert fitted.predict(["", "words nobody knows", texts[0]]).tolist() == ["other", "other", labels[0]]


def test_none_survives_saving_and_the_order_of_documents(
    fitted: SeedTopicClassifier, corpus: tuple[list[str], list[str]], tmp_path: Path
) -> None:
    fitted.save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert isinstance(again, SeedTopicClassifier)
    assert again.none_label == "other"
    np.testing.assert_array_equal(again.transduction_, fitted.transduction_)
    np.testing.assert_array_equal(again.multi_transduction_, fitted.multi_transduction_)
    new_texts, _ = documents(TOPICS, 5, seed=2)
    np.testing.assert_array_equal(again.predict(new_texts), fitted.predict(new_texts))
    np.testing.assert_array_equal(again.predict_none_proba(new_texts), fitted.predict_none_proba(new_texts))

    order = np.random.RandomState(3).permutation(len(corpus[0]))
    shuffled = model(none_label="other").fit([corpus[0][i] for i in order])
    np.testing.assert_array_equal(shuffled.transduction_, fitted.transduction_[order])
    np.testing.assert_array_equal(shuffled.multi_transduction_, fitted.multi_transduction_[order])


def test_it_is_said_unasked_that_categories_are_missing(
    corpus: tuple[list[str], list[str]], tmp_path: Path
) -> None:
    with pytest.warns(SeedWarning, match=MISSING):
        missing = model().fit(corpus[0])
    low, high = missing.none_share_
    assert low - 0.05 < 0.25 < high + 0.05
    (doubt,) = [one for one in missing.doubts_ if one.category is None]
    assert "'music" in doubt.sentence  # words that such documents have
    assert "seedtopic discover" in doubt.sentence
    assert doubt.remark in unescape(Report.of(missing, corpus[0], fitted=True).to_html())
    missing.save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert doubt in again.doubts_
    np.testing.assert_array_equal(again.none_share_, missing.none_share_)


def test_nothing_is_said_where_nothing_is_missing_or_they_have_a_name(
    fitted: SeedTopicClassifier,
) -> None:
    texts, _ = documents(TOPICS[:3])
    whole = model().fit(texts)
    assert whole.none_share_[0] == 0
    for one in (whole, fitted):
        assert all(doubt.category is not None for doubt in one.doubts_)


def test_few_documents_cannot_tell() -> None:
    few = model(none_label="other").fit(documents(TOPICS, 8)[0])
    assert few.none_share_.tolist() == [0, 1]
    assert "other" not in few.transduction_


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("money", "none_label is 'money', which is the name of a category: use another name."),
        ("", "none_label is '': use a name such as 'other', or None."),
        (" ", "none_label is ' ': use a name"),
        (3, "none_label is 3: use a name"),
        (["other"], r"none_label is \['other'\]: use a name"),
    ],
)
def test_a_wrong_none_label_is_refused_before_any_work(name: Any, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        model(none_label=name).fit(["too few"])


def test_falling_values_by_hand() -> None:
    assert falling(np.array([3.0, 1.0, 2.0, 0.0]), np.ones(4)).tolist() == [3, 1.5, 1.5, 0]
    assert falling(np.array([1.0, 4.0]), np.array([2.0, 1.0])).tolist() == [2, 2]
    assert falling(np.array([5.0, 4.0]), np.ones(2)).tolist() == [5, 4]


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0.1, 9)), min_size=1, max_size=30))
def test_falling_values_fall_and_keep_the_mean(drawn: list[tuple[float, float]]) -> None:
    values, weights = np.array(drawn).T
    fallen = falling(values, weights)
    assert (np.diff(fallen) <= 1e-12).all()
    assert np.average(fallen, weights=weights) == pytest.approx(np.average(values, weights=weights))
    np.testing.assert_allclose(falling(fallen, weights), fallen)
    np.testing.assert_allclose(
        fallen,
        IsotonicRegression(increasing=False).fit_transform(
            np.arange(len(values)), values, sample_weight=weights
        ),
    )


@pytest.mark.parametrize("share", [0.0, 0.2, 0.5, 0.9])
def test_the_share_of_strangers_is_that_of_drawn_scores(share: float) -> None:
    rng = np.random.RandomState(0)
    bins = np.arange(N_BINS)

    def drawn(centre: int, n: int) -> Any:
        return np.bincount(np.clip(rng.normal(centre, 60, n), 0, N_BINS - 1).astype(int), minlength=N_BINS)

    insiders, strangers = drawn(500, 4000), drawn(350, 4000)
    everyone = drawn(500, int(5000 * (1 - share))) + drawn(350, int(5000 * share))
    odds = stranger_odds(insiders, strangers)
    assert (np.diff(odds) <= 0).all()
    found, probability = estimated(Tally(insiders[None], strangers[None], everyone))
    assert found == pytest.approx(share, abs=0.05)
    assert (everyone * probability).sum() == pytest.approx(found * everyone.sum(), rel=0.02, abs=1)
    assert (probability[bins > 700] <= probability[bins < 200].max()).all()


def test_the_best_without_a_category_by_hand() -> None:
    assert mean_of_larger(np.array([0.0, 2.0, 9.0]), np.array([1.0, 3.0])).tolist() == [2, 2.5, 9]
    scores = np.array([[5.0, 1.0, 0.0], [5.0, 4.0, 0.0], [0.0, 6.0, 2.0]])
    best, without = best_with_and_without(scores, np.array([0, 0, 1]))
    assert best.tolist() == [5, 5, 6]
    assert without[0, 0] == 1  # the second best, and the only text of another label is far from the first
    assert without[2].tolist() == [6, 3, 6]  # without its own, 2, or instead of it 1 or 4 of the others


def test_where_strangers_do_not_differ_nothing_is_told() -> None:
    counts = np.full(N_BINS, 3)
    alike = find_strangers(lambda which, found: Tally(counts[None], counts[None], counts))
    assert alike.share[0] == 0
    assert alike.probability.max() <= 0.5
    none = find_strangers(lambda which, found: Tally(0 * counts[None], 0 * counts[None], counts))
    assert (none.share, none.probability.any()) == ((0.0, 1.0), False)


# ------------------------------------------------------------------------------ several labels per document


def test_several_labels_per_document(fitted: SeedTopicClassifier) -> None:
    texts, labels = documents(TOPICS[:3], 20, seed=4)
    joined = [f"{texts[i]} {texts[i + 1]}" for i in range(0, 60, 3)]  # each of sports and money
    alone = fitted.predict(texts, multi_label=True)
    both = fitted.predict(joined, multi_label=True)
    assert alone.dtype == bool
    assert alone.shape == (60, 3)
    assert both.shape == (20, 3)
    truth = np.array([[name == label for name in fitted.classes_] for label in labels])
    assert (alone == truth).all(axis=1).mean() > 0.9
    assert (both == [True, True, False]).all(axis=1).mean() > 0.8
    names = fitted.predict_labels(joined)
    assert names == [tuple(fitted.classes_[row]) or ("other",) for row in both]
    assert ("sports", "money") in names


def test_the_first_label_is_always_among_several(fitted: SeedTopicClassifier) -> None:
    texts, _ = documents(TOPICS, 20, seed=5)
    several, first, outside = (
        fitted.predict(texts, multi_label=True),
        fitted.predict(texts),
        fitted.predict(texts) == "other",
    )
    assert outside.any()
    assert not several[outside].any()
    for row, label in zip(several[~outside], first[~outside], strict=True):
        assert label in fitted.classes_[row]
    assert not fitted.multi_transduction_[fitted.transduction_ == "other"].any()
    assert fitted.multi_transduction_[fitted.transduction_ != "other"].any(axis=1).all()
    with pytest.warns(SeedWarning, match=MISSING):
        plain = model(refine=False, mixture=False).fit(texts)
    assert plain.predict(["", *texts], multi_label=True).any(axis=1).all()
    assert plain.predict([""], multi_label=True).sum() == 1


# --------------------------------------------------------------------------------------------- experiments


def test_measures_of_none_and_several(
    tmp_path: Path, corpus: tuple[list[str], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    texts, labels = corpus
    half = len(texts) // 2
    split = ["train"] * half + ["test"] * (len(texts) - half)
    toy = Dataset("toy", texts, labels, split, sorted(TOPICS), [str(i) for i in range(len(texts))])
    seeds = {name: [f"{name}{i}" for i in range(4)] for name in sorted(TOPICS)}

    def unavailable(**options: bool) -> Dataset:
        raise InputError("no network")

    monkeypatch.setattr(material, "fetch_corpus", lambda name: toy)
    monkeypatch.setattr(material, "published_seeds", lambda name, which, *, purified, draw: seeds)
    monkeypatch.setattr(none_and_several, "fetch_reuters10", unavailable)
    common = 'title = "Toy"\ntable = "list"\ncorpora = ["toy"]\nseeds = ["SD"]\n'
    system = '[[systems]]\nname = "{}"\nmodel = "SeedTopicClassifier"\nparameters = {{ max_iter = 5{} }}\n'
    plans = {
        "none": 'measure = "none"\nscores = ["outside", "called", "right", "plain_right"]\n'
        + common
        + system.format("one left out", ", every = 4, documents = 200")
        + system.format("none left out", ", every = 0, documents = 200"),
        "several": 'measure = "several"\nscores = ["exact", "single_exact"]\n'
        + common
        + system.format("joined", "")
        + system.format("stories", ", several_topics = true"),
    }
    rows = {}
    for name, plan in plans.items():
        (tmp_path / f"{name}.toml").write_text(plan)
        outcome = run(tmp_path / f"{name}.toml", tmp_path)
        assert outcome.skipped == ([] if name == "none" else ["1 result on toy is left out: no network"])
        assert "| toy S<sup>D</sup> |" in write_report(read_plan(tmp_path / f"{name}.toml"), tmp_path)
        with (tmp_path / "results" / f"{name}.csv").open(newline="") as file:
            rows[name] = list(csv.DictReader(file))
    left_out, kept = rows["none"]
    assert float(left_out["outside"]) == 0.25
    assert float(left_out["precision"]) > 0.85
    assert float(left_out["right"]) > float(left_out["plain_right"]) + 0.1
    assert float(left_out["new_right"]) > float(left_out["new_plain_right"]) + 0.1
    assert float(left_out["lowest"]) - 0.1 < 0.25 < float(left_out["highest"]) + 0.1
    assert (float(kept["outside"]), float(kept["called"]), float(kept["lowest"])) == (0, 0, 0)
    (joined,) = rows["several"]
    assert float(joined["exact"]) > 0.8
    assert float(joined["single_exact"]) <= 0.5  # one label is never all of a joined document


# ------------------------------------------------------------------------------------------- files, commands


def test_rows_of_none_and_several_by_hand() -> None:
    given = Rows(texts=["a", "b"], rows=[{"text": "a", "labels": "mine"}, {"text": "b"}])
    said = Predictions.of(
        "xy",
        np.array([[0.9, 0.1], [0.4, 0.6]]),
        none_label="other",
        none_probability=np.array([0.2, 0.7]),
        several=np.array([[True, False], [False, False]]),
    )
    first, second = labelled_rows(given, said)
    assert list(first)[2:] == [
        f"seedtopic_{name}"  # the input has a column of the name "labels" already
        for name in ("predicted", "probability", "runner_up", "runner_up_probability", "margin", "source")
    ] + ["seedtopic_none_probability", "seedtopic_labels"]
    assert list(first.values())[2:] == ["x", 0.9, "y", 0.1, 0.8, "labelled", 0.2, ["x"]]
    assert list(second.values())[1:] == ["other", 0.7, "y", 0.6, None, "labelled", 0.7, ["other"]]


@pytest.fixture
def workplace(tmp_path: Path, corpus: tuple[list[str], list[str]], monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rows = (
        {"text": text, "label": "other" if label == "music" else label}
        for text, label in zip(*corpus, strict=True)
    )
    Path("docs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    Path("seeds.toml").write_text(Seeds(SEEDS).to_toml())
    return tmp_path


def test_none_and_several_on_the_command_line(workplace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["docs.jsonl", "--seeds", "seeds.toml", "--none-label", "other"]
    assert cli.run(["label", *given, "--multi", "-o", "out.csv", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["categories"]["other"] == pytest.approx(60, abs=12)
    with open("out.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["predicted"] for row in rows} == {*SEEDS, "other"}
    assert all((float(row["none_probability"]) > 0.5) == (row["predicted"] == "other") for row in rows)
    assert all(row["predicted"] in row["labels"].split("; ") for row in rows)

    assert cli.run(["fit", *given, "-o", "model", "--quiet"]) == 0
    assert cli.run(["predict", "model", "docs.jsonl", "--multi", "-o", "out.jsonl", "--quiet"]) == 0
    lines = [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()]
    assert all(isinstance(row["labels"], list) and row["predicted"] in row["labels"] for row in lines)
    assert sum(row["predicted"] == "other" for row in lines) > 40
    capsys.readouterr()
    assert cli.run(["evaluate", "model", "docs.jsonl", "--json"]) == 0
    scores = json.loads(capsys.readouterr().out)
    assert {row["category"]: row["f1"] > 0.8 for row in scores["categories"]}["other"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--none-label", "money"], "none_label is 'money', which is the name of a category"),
        (["--none-label", ""], "none_label is '': use a name"),
        (["--none-label", "other", "--model", "WSPTM"], "WSPTM does not support --none-label: use --model"),
        (["--multi", "--model", "STM"], "STM does not support --multi: use --model SeedTopicClassifier"),
    ],
)
def test_wrong_options_are_one_sentence_and_code_2(
    workplace: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], sentence: str
) -> None:
    assert cli.run(["label", "docs.jsonl", "--seeds", "seeds.toml", "-o", "out.csv", *arguments]) == 2
    assert sentence in capsys.readouterr().err
    assert not Path("out.csv").exists()


def test_labels_left_empty_are_counted_alike_with_a_name_for_none(
    workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["docs.jsonl", "--seeds", "seeds.toml", "--none-label", "other", "--min-probability", "0.99"]
    assert cli.run(["label", *given, "-o", "out.jsonl", "--json"]) == 0
    told = capsys.readouterr()
    rows = [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()]
    empty = sum(row["predicted"] is None for row in rows)
    assert 0 < empty < len(rows)
    assert json.loads(told.out)["left_empty"] == empty
    assert f"{empty} of {len(rows)} labels left empty" in told.err


def test_several_labels_are_lists_in_parquet(workplace: Path) -> None:
    command = ["label", "docs.jsonl", "--seeds", "seeds.toml", "--multi", "-o", "out.parquet", "--quiet"]
    assert cli.run(command) == 0
    rows = parquet.read_table("out.parquet").to_pylist()
    assert all(row["predicted"] in row["labels"] for row in rows)
    assert "none_probability" not in rows[0]  # was not asked for
