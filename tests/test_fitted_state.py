"""What a fitted model holds: columns named by the user, labels of their type, and no document twice."""

from __future__ import annotations

import copy
import json
import pickle
import random
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from seedtopic import (
    PLDNB,
    STM,
    WSPTM,
    InputError,
    LapSWTM,
    Report,
    SeedTopicClassifier,
    UnusableDocuments,
    load,
)
from seedtopic.text.counts import Counts

TOPICS = ("sports", "money", "weather", "music")
WORDS = {name: [f"{name}{letter}" for letter in "abcdefghijkl"] for name in TOPICS}
NUMBERS = {"sports": 7, "money": 3, "weather": 11}
SEEDS = {name: WORDS[name][:3] for name in NUMBERS}  # music has none
NUMBERED = {number: SEEDS[name] for name, number in NUMBERS.items()}


def documents(topics: tuple[str, ...], n_each: int, length: int = 6) -> tuple[list[str], list[str]]:
    """Draw documents, each with words of one topic, and one word that all share."""
    draw, names = random.Random(0), [name for _ in range(n_each) for name in topics]
    texts = [" ".join([*draw.choices(WORDS[name], k=length), draw.choice(["day", "week"])]) for name in names]
    return texts, names


def own(seeds: Any = SEEDS, **options: Any) -> SeedTopicClassifier:
    return SeedTopicClassifier(seeds, random_state=0, max_iter=5, n_background=2, **options)


# ------------------------------------------------------------------------------------- columns of a matrix

MATRIX_MODELS: dict[str, Callable[..., Any]] = {
    "SeedTopicClassifier": own,
    "WSPTM": lambda **options: WSPTM(SEEDS, random_state=0, max_iter=5, **options),
    "LapSWTM": lambda **options: LapSWTM(SEEDS, random_state=0, max_iter=5, **options),
    "STM": lambda **options: STM(SEEDS, random_state=0, n_sweeps=10, **options),
    "PLDNB": lambda **options: PLDNB(SEEDS, random_state=0, max_iter=5, **options),
}
every_model = pytest.mark.parametrize("name", MATRIX_MODELS)


def counted(texts: list[str], columns: list[str]) -> sp.csr_array:
    return sp.csr_array(np.array([[text.split().count(word) for word in columns] for text in texts]))


@pytest.fixture(scope="module")
def table() -> tuple[sp.csr_array, list[str], list[str]]:
    """Counts, their labels, and the words of their columns, which are not sorted."""
    texts, labels = documents(TOPICS[:3], 20)
    columns = sorted({word for text in texts for word in text.split()})
    random.Random(1).shuffle(columns)
    return counted(texts, columns), labels, columns


@every_model
def test_partial_fit_keeps_the_columns_of_the_user(name: str, table: Any, tmp_path: Path) -> None:
    matrix, labels, columns = table
    model = MATRIX_MODELS[name](vocabulary=columns)
    for part in (matrix, matrix[:30]):
        model.partial_fit(part)
        assert list(model.vocabulary_) == columns
        assert model.n_features_in_ == len(columns)
        assert (model.predict(matrix) == labels).mean() >= 0.95
    model.save(tmp_path / "model")
    for again in (load(tmp_path / "model"), pickle.loads(pickle.dumps(model))):
        assert np.array_equal(again.predict_proba(matrix), model.predict_proba(matrix))


@every_model
def test_rare_and_unused_columns_stay_columns(name: str, table: Any) -> None:
    matrix, labels, columns = table
    once = sp.csr_array(([1], ([0], [0])), shape=(matrix.shape[0], 1))
    never = sp.csr_array((matrix.shape[0], 1))
    wider = sp.csr_array(sp.hstack([never, matrix, once]))
    words = ["never", *columns, "once"]
    model = MATRIX_MODELS[name](vocabulary=words, min_df=2).partial_fit(wider)
    assert (model.predict(wider) == labels).mean() >= 0.95
    model.partial_fit(wider[:30])
    assert (model.predict(wider) == labels).mean() >= 0.95
    fitted = MATRIX_MODELS[name](vocabulary=words, min_df=2).fit(wider)
    assert list(fitted.vocabulary_) == words
    assert (fitted.predict(wider) == labels).mean() >= 0.95


@every_model
@pytest.mark.filterwarnings("ignore:X has feature names")
def test_a_table_whose_columns_are_in_another_order_is_refused(name: str, table: Any, tmp_path: Path) -> None:
    matrix, labels, columns = table
    frame = pd.DataFrame(matrix.toarray(), columns=columns)
    other = frame[sorted(columns)]
    with pytest.raises(
        InputError, match=r"column 0 of the counts is named .*: give the columns in the order"
    ):
        MATRIX_MODELS[name](vocabulary=columns).fit(other)
    for given in (matrix, frame):
        model = MATRIX_MODELS[name](vocabulary=columns).fit(given)
        model.save(tmp_path / "model")
        for one in (model, load(tmp_path / "model")):
            assert (one.predict(frame) == labels).mean() >= 0.95
            for kind in (other, pl.from_pandas(other)):
                with pytest.raises(ValueError, match=r"in the (same )?order"):
                    one.predict(kind)


@every_model
def test_texts_after_a_matrix_find_their_words(name: str, table: Any) -> None:
    matrix, labels, columns = table
    texts, _ = documents(TOPICS[:3], 20)
    for learn in ("fit", "partial_fit"):
        model = getattr(MATRIX_MODELS[name](vocabulary=columns), learn)(matrix)
        assert (model.predict(texts) == labels).mean() >= 0.95


# ---------------------------------------------------------------------------- integers, and none of these


@pytest.fixture(scope="module")
def numbered() -> tuple[SeedTopicClassifier, list[str], list[Any]]:
    """A model whose categories are integers, some of whose documents belong to none."""
    texts, names = documents(TOPICS, 30)
    return own(NUMBERED, none_label="other").fit(texts), texts, [NUMBERS.get(name, "other") for name in names]


def test_integers_stay_integers_beside_the_none_label(numbered: Any, tmp_path: Path) -> None:
    model, texts, truth = numbered
    model.save(tmp_path / "model")
    for one in (model, load(tmp_path / "model"), copy.deepcopy(model)):
        for labels in (one.transduction_, one.predict(texts)):
            assert labels.dtype == object
            assert {type(label) for label in labels.tolist()} == {int, str}
            assert (labels == np.array(truth, dtype=object)).mean() > 0.95
            assert (labels == 7).sum() == pytest.approx(30, abs=6)
            assert (labels == "other").sum() == pytest.approx(30, abs=6)
    assert model.classes_.dtype.kind == "i"


def test_the_score_takes_integers_beside_the_none_label(numbered: Any) -> None:
    model, texts, truth = numbered
    inside = [place for place, label in enumerate(truth) if label != "other"]
    known = [truth[place] for place in inside]
    for y in (known, np.array(known), pd.Series(known)):
        assert model.score([texts[place] for place in inside], y) > 0.95
    for y in (truth, np.array(truth, dtype=object)):
        assert model.score(texts, y) > 0.95
    weights = np.array([label == "other" for label in truth], dtype=float)
    assert model.score(texts, [7] * len(truth), sample_weight=weights) < 0.1


def test_the_score_reads_labels_as_fit_does(numbered: Any) -> None:
    model, texts, truth = numbered
    as_text = [str(label) for label in truth]
    for y in (as_text, pd.Series(as_text, dtype="string"), pl.Series(as_text), pa.array(as_text)):
        assert model.score(texts, y) == model.score(texts, truth)
    half = pd.Series([pd.NA if place % 2 else label for place, label in enumerate(as_text)], dtype="string")
    assert model.score(texts, half) == pytest.approx(model.score(texts, truth) / 2, abs=0.1)
    with pytest.raises(InputError, match="there are 1 labels for 120 documents: give one each"):
        model.score(texts, ["7"])


def test_what_is_said_of_integers_agrees(numbered: Any) -> None:
    model, texts, truth = numbered
    place = truth.index(7)
    assert model.explain(texts[place], fitted=place).given == model.transduction_[place] == 7
    frame = model.label_frame(pd.DataFrame({"text": texts}), fitted=True)
    assert frame["predicted"].tolist() == model.transduction_.tolist()
    report = Report.of(model, texts, labels=truth, fitted=True)
    assert report.scores is not None
    assert report.scores.micro_f1 > 0.95


def test_files_hold_integers_as_integers(numbered: Any) -> None:
    model, texts, truth = numbered
    rows = model.label_frame(pd.DataFrame({"text": texts}), fitted=True).to_json(orient="records")
    found = [row["predicted"] for row in json.loads(rows)]
    assert {type(label) for label in found} == {int, str}
    assert np.mean([label == right for label, right in zip(found, truth, strict=True)]) > 0.95


def nothing_else(value: Any) -> bool:
    return value is None or value is pd.NA or value != value


@pytest.mark.parametrize(
    "Frame",
    [
        pytest.param(
            pd.DataFrame,
            id="pandas",
        ),
        pytest.param(pl.DataFrame, id="polars"),
    ],
)
def test_integers_stay_integers_beside_empty_labels(Frame: Any) -> None:
    texts, names = documents(TOPICS[:3], 10)
    model = own(NUMBERED).fit(texts)
    frame = Frame({"text": [None, *texts]})
    with pytest.warns(UnusableDocuments):
        labelled = model.label_frame(frame)
    empty, *found = labelled["predicted"].to_list()
    assert nothing_else(empty)
    assert [type(label) for label in found] == [int] * len(found)
    assert found == [NUMBERS[name] for name in names]
    assert {type(label) for label in labelled["runner_up"].to_list()[1:]} == {int}


@pytest.mark.parametrize(
    ("seeds", "none_label"),
    [
        pytest.param(
            {name: {"words": words, "parent": "news"} for name, words in SEEDS.items()}, "news", id="parent"
        ),
        pytest.param(
            {
                **{name: {"words": words, "parent": "business"} for name, words in SEEDS.items()},
                "business": {"parent": "news"},
            },
            "news",
            id="parent of a parent",
        ),
        pytest.param(
            {name: {"words": words, "parent": 100} for name, words in NUMBERED.items()}, "100", id="integer"
        ),
    ],
)
def test_none_label_is_not_the_name_of_a_parent(seeds: Any, none_label: str) -> None:
    with pytest.raises(InputError) as refusal:
        own(seeds, none_label=none_label).fit(["too few"])
    assert str(refusal.value) == (
        f"none_label is {none_label!r}, which is the name of a category: use another name."
    )


# ----------------------------------------------------------------------------------------- missing texts


@pytest.mark.parametrize(
    "column",
    [
        pytest.param(lambda texts: pd.Series(texts), id="pandas column"),
        pytest.param(lambda texts: pd.Series(texts, dtype="string"), id="pandas strings"),
        pytest.param(lambda texts: pd.Series(texts).where(pd.notna(texts), np.nan), id="pandas NaN"),
        pytest.param(lambda texts: pl.Series(texts), id="polars column"),
        pytest.param(lambda texts: pd.DataFrame({"text": texts}), id="pandas frame"),
        pytest.param(lambda texts: pl.DataFrame({"text": texts}), id="polars frame"),
    ],
)
def test_an_encoder_is_given_an_empty_text_for_a_missing_one(column: Any) -> None:
    texts, names = documents(TOPICS[:3], 10)
    given: list[list[str]] = []

    def encode(asked: list[str]) -> np.ndarray:
        given.append(asked)
        return np.array([[asked_text.count(name) for name in TOPICS] for asked_text in asked], dtype=float)

    with pytest.warns(UnusableDocuments, match="1 of 31 texts is missing and read as empty"):
        model = own(vectors=encode).fit(column([texts[0], None, *texts[1:]]))
    read, seeds = given
    assert seeds == list(dict.fromkeys([*(word for words in SEEDS.values() for word in words), *SEEDS]))
    assert sorted(read) == sorted([texts[0], "", *texts[1:]])
    assert model.transduction_.tolist()[2:] == names[1:]
    assert model.label_distributions_[1] == pytest.approx(1 / 3)


# ------------------------------------------------------------------------------------------------ pickles


@every_model
def test_a_pickle_does_not_carry_the_documents_of_the_fit(name: str) -> None:
    sizes = []
    for length in (10, 200):  # documents over the same words, of few and of many different ones
        texts, _ = documents(TOPICS[:3], 100, length)
        model = MATRIX_MODELS[name](min_df=1).fit(texts)
        again = pickle.loads(pickle.dumps(model))
        assert np.array_equal(again.predict_proba(texts), model.predict_proba(texts))
        assert np.array_equal(again.transduction_, model.transduction_)
        with pytest.raises(InputError, match="without documents to continue from"):
            again.partial_fit(texts)
        model.partial_fit(texts[:30])  # the model itself still can
        sizes.append(len(pickle.dumps(again)))
    assert abs(sizes[1] - sizes[0]) < 5_000


@every_model
def test_a_pickle_after_partial_fit_learns_on(name: str) -> None:
    texts, _ = documents(TOPICS[:3], 12)
    model = MATRIX_MODELS[name]().partial_fit(texts[:24])
    again = pickle.loads(pickle.dumps(model))
    for one in (model, again):
        one.partial_fit(texts[24:])
    assert np.array_equal(again.label_distributions_, model.label_distributions_)


# ------------------------------------------------------------------------------------------------- memory


def alive_while_learning(
    monkeypatch: pytest.MonkeyPatch, learn: Callable[[Callable[[str, int, int], None]], Any]
) -> set[str]:
    """Name the stages at which the first counts that were made are still in memory."""
    made: list[weakref.ref[Any]] = []
    original = Counts.__init__

    def noted(self: Counts, matrix: sp.csr_array, vocabulary: list[str], left_out: Any = None) -> None:
        original(self, matrix, vocabulary, left_out)
        if not made:  # later ones are parts and samples of these
            made.extend(map(weakref.ref, (self, matrix, matrix.data, matrix.indices)))

    monkeypatch.setattr(Counts, "__init__", noted)
    alive: set[str] = set()
    stages: set[str] = set()

    def look(stage: str, done: int, total: int) -> None:
        stages.add(stage)
        if made and any(reference() is not None for reference in made):
            alive.add(stage)

    learn(look)
    assert "learning" in stages
    assert len(made) == 4
    return alive - {"reading words"}


@every_model
def test_fit_does_not_hold_the_counts_twice(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    texts, _ = documents(TOPICS[:3], 20)
    model = MATRIX_MODELS[name]()
    assert alive_while_learning(monkeypatch, lambda look: model.fit(texts, progress=look)) == set()


@every_model
def test_fit_does_not_hold_a_copy_of_a_matrix_twice(
    name: str, table: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    matrix, _, columns = table
    model = MATRIX_MODELS[name](vocabulary=columns)
    assert alive_while_learning(monkeypatch, lambda look: model.fit(matrix, progress=look)) == set()


@every_model
def test_partial_fit_does_not_hold_the_counts_twice(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    texts, _ = documents(TOPICS[:3], 20)
    model = MATRIX_MODELS[name]().partial_fit(texts)
    assert alive_while_learning(monkeypatch, lambda look: model.partial_fit(texts, progress=look)) == set()
