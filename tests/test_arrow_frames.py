"""Tables of pyarrow: accepted like data frames, and given back with their own columns as they were."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from seedtopic import InputError, Seeds, SeedTopicClassifier, UnusableDocuments
from seedtopic.io.frames import is_frame, texts_of
from seedtopic.io.predictions import ADDED

TEXT = pa.string()


@pytest.fixture(scope="module")
def model(toy_texts: list[str], toy_seeds: dict[str, list[str]]) -> SeedTopicClassifier:
    return SeedTopicClassifier(toy_seeds, random_state=0, max_iter=5).fit(toy_texts)


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.dictionary(pa.int8(), pa.string())])
def test_fit_and_predict_take_a_table_or_its_column(
    kind: pa.DataType, model: SeedTopicClassifier, toy_texts: list[str], toy_seeds: dict[str, list[str]]
) -> None:
    column = pa.array(toy_texts).cast(kind)
    table = pa.table({"number": range(len(toy_texts)), "body": column})
    for given in (table, table["body"], column):
        again = SeedTopicClassifier(toy_seeds, random_state=0, max_iter=5).fit(given)
        assert np.array_equal(again.label_distributions_, model.label_distributions_)
        assert np.array_equal(again.predict_proba(given), model.predict_proba(toy_texts))
    assert Seeds(toy_seeds).check(table).documents == len(toy_texts)


def test_the_columns_of_a_table_keep_their_types(model: SeedTopicClassifier) -> None:
    texts = ['say "game",\nnow 😀', "rain", "qwertzu"]
    day = datetime(2026, 1, 2, tzinfo=UTC)
    own = pa.table(
        {
            "text": texts,
            "when": pa.array([day] * 3, pa.timestamp("us", "UTC")),
            "price": pa.array([Decimal("1.50"), None, Decimal("2.25")], pa.decimal128(9, 2)),
            "tags": pa.array([["a"], [], None], pa.list_(pa.string())),
            "who": pa.array([{"name": "Ada"}] * 3),
            "stars": pa.array([1, 2, 3], pa.int8()),
        }
    ).replace_schema_metadata({"made by": "me"})
    labelled = model.label_frame(own)
    assert labelled.column_names == [*own.column_names, *ADDED]
    assert labelled.select(own.column_names).equals(own)
    assert labelled.schema.metadata == own.schema.metadata
    beside = model.label_frame(pd.DataFrame({"text": texts}))
    for name in ADDED:
        values = [None if value is None or value != value else value for value in beside[name]]
        assert labelled[name].to_pylist() == values
        expected = pa.float64() if name.endswith(("probability", "margin")) else pa.string()
        assert labelled.schema.field(name).type == expected
    assert own.num_columns == 6  # the given one is left alone


def test_columns_without_a_value_have_a_type(model: SeedTopicClassifier) -> None:
    with pytest.warns(UnusableDocuments):
        without = model.label_frame(pa.table({"text": pa.array([None], TEXT)}), multi=True)
    assert [without[name].to_pylist() for name in ("predicted", "margin", "labels")] == [[None]] * 3
    for labelled in (without, model.label_frame(pa.table({"text": pa.array([], TEXT)}), multi=True)):
        kinds = {field.name: field.type for field in labelled.schema}
        assert (kinds["predicted"], kinds["margin"]) == (pa.string(), pa.float64())
        assert kinds["labels"] == pa.list_(pa.string())
    assert model.label_frame(pa.table({"text": ["a game"]}), multi=True)["labels"].to_pylist()[0] == [
        "sports"
    ]


def test_columns_of_the_same_names_are_not_overwritten(model: SeedTopicClassifier) -> None:
    once = model.label_frame(pa.table({"text": ["a game"], "margin": [7]}))
    assert once.column_names == ["text", "margin", *(f"seedtopic_{name}" for name in ADDED)]
    assert once["margin"].to_pylist() == [7]


def test_integer_categories_stay_integers() -> None:
    table = pa.table({"text": ["game on", "bank rate", "game off", "a bank"]})
    model = SeedTopicClassifier({1: ["game"], 2: ["bank"]}, random_state=0).fit(table)
    assert model.label_frame(table)["predicted"].to_pylist() == [1, 2, 1, 2]


def test_rules_see_the_other_columns_of_a_table() -> None:
    table = pa.table({"text": ["x", "y"], "team": ["billing", None]})
    assert [text.columns for text in texts_of(table, "text", ["team"])] == [{"team": "billing"}, {"team": ""}]  # type: ignore[attr-defined]


def test_a_table_of_counts_stays_a_matrix() -> None:
    counts = pa.table({"game": [2, 1, 0, 0], "goal": [1, 0, 0, 0], "bank": [0, 0, 1, 2]})
    seeds = {"sports": ["game"], "money": ["bank"]}
    model = SeedTopicClassifier(seeds, vocabulary=["game", "goal", "bank"], random_state=0).fit(counts)
    assert model.transduction_.tolist() == ["sports", "sports", "money", "money"]


def test_tables_that_are_refused(model: SeedTopicClassifier) -> None:
    two = pa.table({"title": ["a game"], "body": ["a bank"]})
    with pytest.raises(InputError, match="text columns 'title', 'body': pass one of them"):
        model.predict(two)
    with pytest.raises(InputError, match="the frame has no column 'text': it has 'title', 'body'"):
        model.label_frame(two)
    with pytest.raises(InputError, match="more than one column 'text'"):
        model.label_frame(pa.table([["a"], ["b"]], names=["text", "text"]))
    with pytest.raises(InputError, match=r"row 0 of the column 'text' is int \(7\), not a text"):
        model.label_frame(pa.table({"text": [7]}))
    with pytest.raises(InputError, match="the documents are a column of type int64"):
        model.predict(pa.array([1, 2]))
    batch = pa.RecordBatch.from_pydict({"text": ["a game"]})
    assert not is_frame(batch)
    with pytest.raises(InputError, match="the frame is RecordBatch"):
        model.label_frame(batch)
