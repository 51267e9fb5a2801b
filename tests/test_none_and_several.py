"""A proper "none of these", and several labels per document: in Python, on the command line, in files."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as parquet
import pytest
import scipy.sparse as sp
from sklearn.metrics import f1_score

from seedtopic import InputError, Report, Seeds, SeedTopicClassifier, SeedWarning, cli, load
from seedtopic.io.predictions import Predictions
from seedtopic.io.rows import Rows
from seedtopic.io.write import labelled_rows
from seedtopic.learning.classify.logistic import Regression, fit
from seedtopic.learning.classify.out_of_scope import Outsiders, find_outsiders, margin, seeds_near
from seedtopic_lab.corpora import Dataset
from seedtopic_lab.experiments import material, none_and_several, read_plan, run, write_report

TOPICS = ("sports", "money", "weather", "music")
SEEDS = {name: [f"{name}{i}" for i in range(4)] for name in TOPICS[:3]}  # music has none


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


def test_seeds_that_reach_few_documents_are_said_to_tell_nothing(
    corpus: tuple[list[str], list[str]],
) -> None:
    one_word = {name: words[:1] for name, words in SEEDS.items()}
    few = SeedTopicClassifier(one_word, random_state=0, max_iter=5, n_background=2, none_label="other")
    with pytest.warns(
        SeedWarning, match=r"reach 33% of the documents, but only \d+% contain .* add seed words"
    ):
        few.fit(corpus[0])
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


def test_outsiders_by_hand() -> None:
    # Two pairs of neighbours: the seed of the first is near the second, the third pair has none near.
    seeds = np.array([[1.0, 0], [0, 0], [0, 1.0], [0, 0], [0, 0], [0, 0]])
    averaging = sp.csr_array(np.kron(np.eye(3), [[0.0, 1.0], [1.0, 0.0]]))
    assert seeds_near(seeds, averaging, n_steps=1).max(axis=1).tolist() == [0, 1, 0, 1, 0, 0]
    assert seeds_near(seeds, averaging, n_steps=2).max(axis=1).tolist() == [1, 0, 1, 0, 0, 0]
    assert margin(np.log([[0.2, 0.2, 0.6]])) == pytest.approx([np.log(0.6 / 0.4)])


def test_too_few_documents_or_seeds_make_no_outsiders() -> None:
    vectors, averaging = sp.csr_array(np.eye(6)), sp.csr_array(np.eye(6))
    for seeds in (np.eye(6, 2), np.ones((6, 2)) / 2, np.zeros((6, 2))):
        found, probability = find_outsiders(
            vectors, seeds, np.zeros(6, dtype=np.intp), averaging, np.random.RandomState(0)
        )
        assert found is None
        assert not probability.any()


def test_few_documents_are_not_outweighed_by_the_penalty() -> None:
    group = np.repeat([0, 1, 2], 20)
    vectors, targets = sp.csr_array(np.eye(3)[group]), np.eye(3)[group]
    seeds = targets[:, :2] * (np.arange(60) % 4 > 0)[:, None]
    averaging = sp.csr_array((group == group[:, None]) / 20)
    found, _ = find_outsiders(vectors, seeds, np.minimum(group, 1), averaging, np.random.RandomState(0))
    examples = (group == 2) | seeds.any(axis=1)
    start = Regression.zero(3, 3)
    expected = fit(vectors[examples], targets[examples], 0.01, start, max_iter=30)
    np.testing.assert_array_equal(found.regression.weights, expected.weights)


def test_the_level_is_where_the_probability_is_one_half(fitted: SeedTopicClassifier) -> None:
    nothing = Regression(np.zeros((2, 3)), np.log([0.25, 0.25, 0.5]))
    vectors = sp.csr_array(np.ones((1, 2)))
    assert Outsiders(nothing, level=0.0).probability(vectors) == pytest.approx([0.5])
    assert Outsiders(nothing, level=np.log(3)).probability(vectors) == pytest.approx([0.25])


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
        "none": 'measure = "none"\nscores = ["called", "other_f1", "rest_macro", "plain_macro"]\n'
        + common
        + system.format("one left out", ", left_out = 0.25")
        + system.format("none left out", ", left_out = 0.0"),
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
    assert float(left_out["other_f1"]) > 0.85
    assert float(left_out["rest_macro"]) > float(left_out["plain_macro"])
    assert (float(kept["outside"]), float(kept["called"]), float(kept["other_f1"])) == (0, 0, 0)
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
    given = ["docs.jsonl", "--seeds", "seeds.toml", "--none-label", "other", "--min-probability", "0.97"]
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
