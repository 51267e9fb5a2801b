"""Confirmed labels teach a model, and a model learns on from further documents."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from seedtopic import WSPTM, InputError, SeedTopicClassifier, SeedWarning, cli, load
from seedtopic.base.products import Design
from seedtopic.learning.classify.logistic import Examples, Regression, loss_parts
from seedtopic.learning.signals.answers import NOTHING_CONFIRMED, TRAINING_WEIGHT, Confirmed
from seedtopic.model.training import UNKNOWN, Sample
from seedtopic.text.counts import Counts

SEEDS = {"sports": ["game"], "money": ["bank"]}
TEXTS = [
    "the game was a late game", "a game with a goal", "goal after goal by the team", "the team and its goal",
    "the bank and the rate", "a bank with a loan", "rate on a loan", "loan at a low rate",
] * 3  # fmt: skip


def model(**settings: object) -> SeedTopicClassifier:
    return SeedTopicClassifier(SEEDS, random_state=0, **settings)  # type: ignore[arg-type]


def test_confirmed_labels_are_kept_and_teach_other_documents() -> None:
    texts = [*TEXTS, *["opera and choir", "choir of the opera"] * 4]
    alone = model().fit(texts)
    labels = [None] * len(TEXTS) + ["sports"] + [None] * 7  # of all things, the opera
    taught = model().fit(texts, labels)
    assert taught.transduction_[len(TEXTS)] == "sports"
    assert taught.label_distributions_[len(TEXTS)].tolist() == [1.0, 0.0]
    opera = slice(len(TEXTS) + 1, None)
    gain = taught.label_distributions_[opera, 0] - alone.label_distributions_[opera, 0]
    assert (gain > 0).all()
    assert (taught.predict(["an opera"]) == "sports").all()


def test_the_order_of_documents_and_labels_does_not_matter() -> None:
    labels: list[str | None] = ["sports", *[None] * (len(TEXTS) - 2), "money"]
    texts = [f"{text} {'extra ' * (number // 8)}" for number, text in enumerate(TEXTS)]  # no two alike
    forward = model().fit(texts, labels)
    backward = model().fit(texts[::-1], labels[::-1])
    assert np.array_equal(forward.label_distributions_, backward.label_distributions_[::-1])


def test_no_labels_change_nothing() -> None:
    plain = model().fit(TEXTS)
    for nothing in (
        [None] * len(TEXTS),
        np.full(len(TEXTS), -1),
        [float("nan")] * len(TEXTS),
        iter([""] * 24),
    ):
        same = model().fit(TEXTS, nothing)
        assert np.array_equal(plain.label_distributions_, same.label_distributions_)


def test_a_category_without_an_occurring_seed_lives_by_its_examples() -> None:
    seeds = {**SEEDS, "music": ["violoncello"]}
    texts = [*TEXTS, *["opera and choir", "choir of the opera"] * 6]
    labels = [None] * len(TEXTS) + ["music", "music"] + [None] * 10
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SeedWarning)
        found = SeedTopicClassifier(seeds, random_state=0).fit(texts, labels).transduction_
    assert (found[len(TEXTS) :] == "music").all()


@pytest.mark.parametrize(
    ("labels", "sentence"),
    [
        (["sports"], r"1 labels for 24 documents"),
        ("sports", r"given as str"),
        (7, r"given as int"),
    ],
)
def test_wrong_labels(labels: object, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        model().fit(TEXTS, labels)


def test_labels_that_are_no_category_are_named_and_not_used() -> None:
    with pytest.warns(
        SeedWarning,
        match=r"3 confirmed labels are not names of categories and are not used: 'opera' \(2\), 7 \(1\)",
    ):
        found = Confirmed.of(["opera", "money", 7, "opera"], ["sports", "money"], 4)
    assert found.documents.tolist() == [1]


def test_weights_of_documents_are_repetitions() -> None:
    rng = np.random.default_rng(0)
    vectors, targets = sp.csr_array(rng.random((3, 4))), rng.dirichlet(np.ones(2), 3)
    at = Regression(rng.normal(size=(4, 2)), rng.normal(size=2))
    repeated = [0, 0, 1, 2, 2, 2]
    weighted = Examples(Design(vectors), targets, np.array([2.0, 1.0, 3.0]))
    written_out = Examples(Design(sp.csr_array(vectors[repeated])), targets[repeated])
    for part, same in zip(loss_parts(weighted, at, 6), loss_parts(written_out, at, 6), strict=True):
        assert part == pytest.approx(same)


def test_holding_nothing_and_something() -> None:
    values = np.full((2, 2), 0.5)
    assert NOTHING_CONFIRMED.hold(values) is values
    assert NOTHING_CONFIRMED.weights(2) is None
    one = Confirmed.of([None, "b"], ["a", "b"], 2)
    assert one.hold(values, 3.0).tolist() == [[0.5, 0.5], [0.0, 3.0]]
    weights = one.weights(2)
    assert weights is not None
    assert weights.tolist() == [1.0, TRAINING_WEIGHT]


def test_learns_on_from_new_documents() -> None:
    learner = model().partial_fit(TEXTS)
    assert "choir" not in learner.vocabulary_
    learner.partial_fit(["game in the choir", "choir of the game", "the choir"])
    assert len(learner.transduction_) == len(learner.label_distributions_) == 3
    assert {"choir", "loan"} <= set(learner.vocabulary_)
    assert learner.predict(["choir", "loan"]).tolist() == ["sports", "money"]
    assert learner.classes_.tolist() == ["sports", "money"]


def test_parts_of_a_collection_end_like_the_whole_while_all_is_kept() -> None:
    whole = model(min_df=1).fit(TEXTS)
    parts = model(min_df=1)
    for start in range(0, len(TEXTS), 8):
        parts.partial_fit(TEXTS[start : start + 8])
    assert parts.vocabulary_ == whole.vocabulary_
    assert np.array_equal(parts.label_distributions_, whole.label_distributions_[-8:])
    assert np.array_equal(parts.coef_, whole.coef_)


def test_what_is_kept_is_bounded_and_confirmed_documents_stay() -> None:
    learner = model()
    for batch in range(5):
        labels = ["sports", *[None] * (len(TEXTS) - 1)]
        learner.partial_fit([f"number{batch} {text}" for text in TEXTS], labels, most_kept=10)
        assert learner.sample_ is not None
        assert learner.sample_.counts.matrix.shape[0] == 10
        assert (learner.sample_.category == 0).sum() == batch + 1
    assert learner.sample_.n_seen == 5 * len(TEXTS)


def test_a_loaded_model_learns_on_as_if_it_had_stayed(tmp_path: Path) -> None:
    stayed = model().partial_fit(TEXTS[:12])
    stayed.save(tmp_path / "model")
    loaded = load(tmp_path / "model").set_params(random_state=0)
    for learner in (stayed, loaded):
        learner.partial_fit(TEXTS[12:])
    assert np.array_equal(stayed.label_distributions_, loaded.label_distributions_)
    assert stayed.vocabulary_ == loaded.vocabulary_


def test_a_fitted_model_learns_on_and_documents_are_saved_only_then(tmp_path: Path) -> None:
    learner = model(min_df=1).fit(TEXTS[:12])
    learner.save(tmp_path / "fitted")
    assert not any(name.startswith("sample") for name in np.load(tmp_path / "fitted" / "arrays.npz").files)
    learner.partial_fit(TEXTS[12:])
    whole = model(min_df=1).fit(TEXTS)
    assert np.array_equal(learner.coef_, whole.coef_)


def test_other_models_learn_on_too() -> None:
    learner = WSPTM(SEEDS, random_state=0).partial_fit(TEXTS[:12]).partial_fit(TEXTS[12:])
    assert len(learner.transduction_) == len(TEXTS) - 12


def test_what_cannot_learn_on_says_why(tmp_path: Path) -> None:
    model().fit(TEXTS).save(tmp_path / "model")
    with pytest.raises(InputError, match="fit it again with --learn-on"):
        load(tmp_path / "model").partial_fit(TEXTS)
    with pytest.raises(InputError, match="other categories"):
        model().partial_fit(TEXTS).set_params(seeds={"a": ["game"], "b": ["bank"]}).partial_fit(TEXTS)
    with pytest.raises(InputError, match="graph='words'"):
        model(graph=sp.eye_array(len(TEXTS))).partial_fit(TEXTS)
    with pytest.raises(InputError, match="an encoder needs texts, which are not kept"):
        model(vectors=lambda texts: np.ones((len(texts), 2))).partial_fit(TEXTS)
    with pytest.raises(InputError, match="most_kept"):
        model().partial_fit(TEXTS, most_kept=0)


def test_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    documents, seeds, folder = tmp_path / "new.jsonl", tmp_path / "seeds.json", tmp_path / "model"
    seeds.write_text(json.dumps(SEEDS))
    rows = [{"text": text, "known": None} for text in TEXTS] + [{"text": "an opera", "known": "sports"}]
    documents.write_text("".join(json.dumps(row) + "\n" for row in rows))
    given = [str(documents), "--seeds", str(seeds), "--confirmed", "known"]
    assert cli.run(["label", *given, "-o", str(tmp_path / "out.jsonl")]) == 0
    last = json.loads((tmp_path / "out.jsonl").read_text().splitlines()[-1])
    assert (last["predicted"], last["probability"]) == ("sports", 1.0)
    assert cli.run(["fit", *given, "--learn-on", "-o", str(folder)]) == 0
    assert cli.run(["update", str(folder), str(documents), "--confirmed", "known"]) == 0
    updated = load(folder)
    assert updated.sample_ is not None
    assert updated.sample_.n_seen == 2 * len(rows)
    assert cli.run(["fit", *given, "-o", str(folder)]) == 0
    capsys.readouterr()
    assert cli.run(["update", str(folder), str(documents)]) == 2
    assert "fit it again with --learn-on" in capsys.readouterr().err


def test_folders_named_by_labels_teach_nothing_unless_asked(tmp_path: Path) -> None:
    for number, text in enumerate(TEXTS):  # all in the wrong place
        place = tmp_path / "docs" / ("money" if "game" in text or "goal" in text else "sports")
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{number}.txt").write_text(text)
    seeds = tmp_path / "seeds.json"
    seeds.write_text(json.dumps(SEEDS))
    out = tmp_path / "out.jsonl"
    assert cli.run(["label", str(tmp_path / "docs"), "--seeds", str(seeds), "-o", str(out)]) == 0
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert all(row["predicted"] != row["label"] for row in rows)


def test_documents_that_join_others_have_their_words_in_alphabetical_order() -> None:
    one, two = Counts(sp.csr_array([[1.0]]), ["ore"]), Counts(sp.csr_array([[2.0, 3.0]]), ["mine", "ore"])
    nothing = np.array([UNKNOWN])
    both = Sample.empty().joined(one, nothing, 0).joined(two, nothing, 0)
    assert both.counts.vocabulary == ["mine", "ore"]
    assert both.counts.matrix.toarray().tolist() == [[0.0, 1.0], [2.0, 3.0]]


@settings(deadline=None, max_examples=30)
@given(st.lists(st.integers(1, 30), min_size=1, max_size=6), st.integers(2, 20))
def test_the_kept_are_those_of_least_priority_whenever_they_came(sizes: list[int], most: int) -> None:
    kept, everything = Sample.empty(), Sample.empty()
    for size in sizes:
        new = Counts(sp.csr_array(np.ones((size, 1), np.float32)), ["word"])
        nothing = np.full(size, UNKNOWN)
        kept = kept.joined(new, nothing, 0).trimmed(most)
        everything = everything.joined(new, nothing, 0)
    assert np.array_equal(np.sort(kept.priority), np.sort(everything.priority)[:most])
    assert kept.n_seen == sum(sizes)


LABELS = ["a", None, "b", ""]


@pytest.mark.parametrize(
    "y",
    [
        pd.Series(LABELS, dtype="string"),
        pd.Series(LABELS, dtype=pd.ArrowDtype(pa.string())),
        pd.Series(LABELS, dtype="category"),
        pd.DataFrame({"y": pd.Series(LABELS, dtype="string")}),
        [pd.NA if label is None else label for label in LABELS],
        [pd.NaT if label is None else label for label in LABELS],
        pl.Series(LABELS),
        pl.Series(LABELS, dtype=pl.Categorical),
        pa.array(LABELS),
        pa.chunked_array([LABELS]),
    ],
    ids=lambda y: f"{type(y).__module__.split('.')[0]}-{type(y).__name__}",
)
def test_labels_that_are_missing_in_a_column_are_not_known(y: object) -> None:
    found = Confirmed.of(y, ["a", "b"], 4)
    assert (found.documents.tolist(), found.categories.tolist()) == ([0, 2], [0, 1])


def test_numbers_that_are_missing_in_a_column_are_not_known() -> None:
    for y in (pd.Series([0, None, 1, -1], dtype="Int64"), pl.Series([0, None, 1, -1])):
        found = Confirmed.of(y, [0, 1], 4)
        assert (found.documents.tolist(), found.categories.tolist()) == ([0, 2], [0, 1])


def test_labels_that_cannot_be_compared_are_named() -> None:
    with pytest.warns(
        SeedWarning,
        match=r"2 confirmed labels are not names of categories and are not used: \['a'\] \(1\), array",
    ):
        Confirmed.of([["a"], np.array(["a", "b"]), "a"], ["a", "b"], 3)


def test_a_column_with_missing_labels_is_learned_from(
    toy_texts: list[str], toy_seeds: dict[str, list[str]]
) -> None:
    y = pd.Series(["money"] + [None] * (len(toy_texts) - 1), dtype="string")
    model = SeedTopicClassifier(toy_seeds, random_state=0, max_iter=2, self_training_rounds=0).fit(
        toy_texts, y
    )
    assert model.transduction_[0] == "money"
