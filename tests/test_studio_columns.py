"""The other columns of the documents' file in the studio: kept small, filtered and sorted by."""

from __future__ import annotations

import json
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seedtopic import InputError
from seedtopic.io.rows import Rows, read_documents
from seedtopic.web.studio.documents import FEW, LONGEST, Collection, Column, Columns
from seedtopic.web.studio.draft import Draft
from seedtopic.web.studio.listing import Query, Search, matching_documents, open_document

ROWS = [
    {"id": "a", "text": "a game of chess", "stars": 10, "date": "2024-05-01", "shop": "Nord", "tags": ["x", "y"]},
    {"id": "b", "text": "game over", "stars": 9, "date": "2023-12-31", "shop": "süd", "tags": []},
    {"id": "c", "text": "the bank", "stars": None, "date": "2024-01-15", "shop": "Nord"},
    {"id": "d", "text": "my bank rate", "stars": 2.5, "date": "", "shop": "  "},
]  # fmt: skip


def columned(rows: list[dict[str, object]]) -> Collection:
    texts, ids = [str(row["text"]) for row in rows], [str(row["id"]) for row in rows]
    return Collection(Rows(texts=texts, rows=rows, ids=ids), "toy")


def found(**query: object) -> list[int]:
    collection = columned(ROWS)
    asked = Query(**query)  # type: ignore[arg-type]
    rows = matching_documents(asked, collection, Draft(), None, None, Search(collection.texts))
    return [int(row) for row in rows]


def test_the_text_and_the_ids_are_not_among_the_columns() -> None:
    assert [column.name for column in columned(ROWS).columns] == ["stars", "date", "shop", "tags"]
    assert [column.kind for column in columned(ROWS).columns] == ["number", "date", "text", "text"]


def test_a_document_shows_what_its_row_has() -> None:
    shown = open_document(0, columned(ROWS), Draft(), None, None)["columns"]
    assert shown == [
        {"name": "stars", "value": "10"},
        {"name": "date", "value": "2024-05-01"},
        {"name": "shop", "value": "Nord"},
        {"name": "tags", "value": '["x", "y"]'},
    ]
    assert open_document(3, columned(ROWS), Draft(), None, None)["columns"] == [
        {"name": "stars", "value": "2.5"}
    ]


def test_documents_are_filtered_by_a_value() -> None:
    assert found(column="shop", value="Nord") == [0, 2]
    assert found(column="shop", value="nord") == []  # one of few values is chosen, not typed
    assert found(column="shop", value="Nord", search="chess") == [0]
    assert found(column="shop") == [0, 1, 2, 3]


def test_numbers_and_dates_are_sorted_as_such_and_missing_values_come_last() -> None:
    assert found(sort="stars") == [3, 1, 0, 2]
    assert found(sort="stars", descending=True) == [0, 1, 3, 2]
    assert found(sort="date") == [1, 2, 0, 3]
    assert found(sort="shop", descending=True) == [1, 0, 2, 3]  # equal ones as given


def test_of_many_values_text_is_searched_for() -> None:
    rows = [{"id": f"{n}", "text": "word", "name": f"Name {n}"} for n in range(FEW + 1)]
    column = columned(rows).columns["name"]
    assert column.choices is None
    assert np.flatnonzero(column.having("NAME 1")).tolist() == [1, *range(10, 20)]


def test_an_unknown_column_is_named() -> None:
    with pytest.raises(InputError, match="no column 'star': the columns are stars, date, shop, tags"):
        found(column="star", value="5")


def test_long_values_are_cut_and_the_largest_column_is_left_out() -> None:
    rows = [{"id": f"{n}", "text": "word", "note": f"{n} " * 300, "kind": n % 2} for n in range(20)]
    documents = Rows(texts=["word"] * 20, rows=rows)
    kept = Columns.of(documents)
    assert len(kept["note"][3]) == LONGEST + 1
    few = Columns.of(documents, memory=5_000)
    assert [column.name for column in few] == ["id", "kind"]
    assert few.left_out == ["note"]


@given(st.lists(st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False)), min_size=1))
def test_any_numbers_are_sorted_like_python_sorts_them(numbers: list[float | None]) -> None:
    values = list(dict.fromkeys("" if number is None else repr(number) for number in numbers))
    codes = np.array([values.index("" if number is None else repr(number)) for number in numbers], np.int32)
    order = Column("n", values, codes).order(np.arange(len(numbers)), descending=False)
    there = [place for place, number in enumerate(numbers) if number is not None]
    missing = [place for place, number in enumerate(numbers) if number is None]
    assert order.tolist() == sorted(there, key=lambda place: numbers[place]) + missing  # type: ignore[arg-type,return-value]


def test_two_hundred_thousand_documents_are_quick_and_small(tmp_path: Path) -> None:
    total = 200_000
    path = tmp_path / "large.jsonl"
    path.write_text(
        "".join(json.dumps({"text": "w", "n": n * 7919 % total, "s": n % 9}) + "\n" for n in range(total))
    )
    documents = read_documents(path, keep_rows=False)
    tracemalloc.start()
    columns = Columns.of(documents)
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept < 50_000_000
    rows = np.arange(total)
    columns["n"].order(rows, descending=False)
    begin = time.process_time()
    order = columns["n"].order(rows, descending=True)
    some = columns["s"].having("3")
    assert time.process_time() - begin < 1.0
    assert columns["n"][int(order[0])] == str(total - 1)
    assert int(some.sum()) == sum(n % 9 == 3 for n in range(total))
