import csv
import errno
import io
import os
import stat
import sys

import numpy as np
import pytest

from seedtopic import InputError, MissingExtraError, UnusableDocuments
from seedtopic.base.files import atomic_file
from seedtopic.base.json import parsed
from seedtopic.io.predictions import Predictions, added_columns
from seedtopic.io.rows import Rows, read_documents
from seedtopic.io.write import check_output, labelled_rows, write_predictions, write_rows

AWKWARD = [
    'say "hi", now',
    "two\nlines",
    "two\r\nlines",
    "a\rreturn",
    "tab\there",
    '"',
    "",
    "  spaces ",
    "Ünï😀",
    "nul\0",
    "line\u2028separator",
]
ENDINGS = ["csv", "tsv", "jsonl", "csv.gz", "tsv.gz", "jsonl.gz", "parquet", "xlsx"]


def fails(match: str):
    return pytest.raises(InputError, match=match)


# ---- rows --------------------------------------------------------------------------------------------


def test_labelled_rows_follow_the_own_columns():
    documents = Rows(texts=["a", "b"], rows=[{"text": "a", "label": "x"}, {"text": "b", "label": "y"}])
    rows = list(
        labelled_rows(documents, Predictions.of("xyz", np.array([[0.1, 2 / 3, 0.7 / 3], [0.4, 0.2, 0.4]])))
    )
    assert list(rows[0].values()) == ["a", "x", "y", 0.666667, "z", 0.233333, 0.433333, "labelled"]
    assert list(rows[1].items()) == [
        ("text", "b"),
        ("label", "y"),
        ("predicted", "x"),
        ("probability", 0.4),
        ("runner_up", "z"),
        ("runner_up_probability", 0.4),
        ("margin", 0.0),
        ("source", "labelled"),
    ]


def test_a_label_below_the_least_probability_is_left_empty_and_the_rest_stays():
    documents = Rows(texts=["a", "b", "c"], rows=[{"text": "a"}, {"text": "b"}, {"text": "c"}])
    probabilities = np.array([[0.8, 0.2], [0.7, 0.3], [0.31, 0.69]])
    rows = list(labelled_rows(documents, Predictions.of("xy", probabilities), 0.7))
    assert [row["predicted"] for row in rows] == ["x", "x", None]
    assert list(rows[2].values())[2:] == [0.69, "x", 0.31, 0.38, "none"]


def test_a_single_category_has_no_runner_up():
    documents = Rows(texts=["a"], rows=[{"text": "a"}])
    (row,) = labelled_rows(documents, Predictions.of("x", np.ones((1, 1), dtype=np.float32)))
    assert list(row.values()) == ["a", "x", 1.0, None, None, None, "labelled"]


@pytest.mark.parametrize("shape", [(2, 2), (1, 3), (1,)])
def test_probabilities_must_fit(shape):
    documents = Rows(texts=["a"], rows=[{"text": "a"}])
    with fails("for 1 document and 2 categories"):
        labelled_rows(documents, Predictions.of("xy", np.zeros(shape)))


def test_added_columns_overwrite_nothing_but_themselves():
    once = added_columns(["text", "runner_up"])
    assert once[0] == "seedtopic_predicted"
    assert not {"text", "runner_up"} & set(once)
    assert added_columns(["text", "runner_up", *once]) == once


# ---- formats -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ENDINGS)
def test_round_trip(tmp_path, ending):
    path = tmp_path / f"out.{ending}"
    rows = [{"text": text, 'the "class"\n': f'{text}"\n'} for text in AWKWARD]
    write_rows(path, iter(rows), list(rows[0]))
    with pytest.warns(UnusableDocuments, match="no text in the column"):  # one of them is empty
        documents = read_documents(path)
    assert documents.texts == AWKWARD
    empty = None if ending == "xlsx" else ""
    assert documents.rows == [{**row, "text": row["text"] or empty} for row in rows]


@pytest.mark.parametrize("ending", ENDINGS)
def test_labels_round_trip(tmp_path, ending):
    documents = Rows(texts=["goal"], rows=[{"text": "goal"}])
    edited = ["checked", "was_predicted"] if ending.partition(".")[0] in ("csv", "tsv", "xlsx") else []
    columns = [*documents.columns, *added_columns(documents.columns), *edited]
    path = tmp_path / f"out.{ending}"
    write_predictions(path, documents, Predictions.of(['the "best"\n', "x"], np.array([[2 / 3, 1 / 3]])))
    again = read_documents(path, label_field="predicted")
    assert again.labels == ['the "best"\n']
    assert again.columns == columns
    assert float(again.rows[0]["probability"]) == 0.666667


def test_csv_is_read_by_the_standard_library(tmp_path):
    path = tmp_path / "out.csv"
    write_rows(path, [{"text": text, "n": 1} for text in AWKWARD], ["text", "n"])
    with path.open(encoding="utf-8", newline="") as file:
        assert [row["text"] for row in csv.DictReader(file)] == AWKWARD


def test_plain_csv_is_plain(tmp_path):
    path = tmp_path / "out.csv"
    write_rows(path, [{"a": "x", "b": None}, {"a": ["y", {"z": 1}]}, {"a": "w", "c": "left out"}], ["a", "b"])
    assert path.read_bytes() == b'a,b\nx,\n"[""y"", {""z"": 1}]",\nw,\n'


def test_jsonl_is_readable_and_keeps_missing_columns_missing(tmp_path):
    path = tmp_path / "out.jsonl"
    write_rows(path, [{"b": "ü", "a": None}, {"a": 0.1234567}], ["a", "b"])
    assert path.read_bytes().decode() == '{"a": null, "b": "ü"}\n{"a": 0.1234567}\n'


def test_no_rows(tmp_path):
    write_rows(tmp_path / "out.csv", [], ["a", "b"])
    assert (tmp_path / "out.csv").read_bytes() == b"a,b\n"


def test_gzip_is_reproducible(tmp_path):
    for name in ("a.csv.gz", "b.csv.gz"):
        write_rows(tmp_path / name, [{"a": "x"}], ["a"])
    assert (tmp_path / "a.csv.gz").read_bytes() == (tmp_path / "b.csv.gz").read_bytes()


def test_standard_output(monkeypatch):
    latin = io.TextIOWrapper(io.BytesIO(), encoding="latin-1")
    monkeypatch.setattr(sys, "stdout", latin)
    latin.write("before\n")
    write_rows("-", [{"text": "„goal“"}], ["text"])
    latin.write("after\n")
    latin.flush()
    assert latin.buffer.getvalue().decode() == "before\ntext\n„goal“\nafter\n"


# ---- whole or not at all -----------------------------------------------------------------------------


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
@pytest.mark.parametrize("ending", ENDINGS)
def test_old_file_survives_an_error(tmp_path, ending, error):
    def rows():
        yield {"text": "new"}
        raise error

    path = tmp_path / f"out.{ending}"
    path.write_text("old")
    with pytest.raises(error):
        write_rows(path, rows(), ["text"])
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_disk_full(tmp_path, monkeypatch):
    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with fails(r"out.csv could not be written \(No space left on device\): choose"):
        write_rows(tmp_path / "out.csv", [{"a": 1}], ["a"])
    assert list(tmp_path.iterdir()) == []


def test_atomic_text_and_bytes(tmp_path):
    with atomic_file(tmp_path / "a.txt", "w") as file:
        file.write("ü\r\n")
    with atomic_file(tmp_path / "a.bin") as file:
        file.write(b"\xff")
    assert (tmp_path / "a.txt").read_bytes() == "ü\r\n".encode()
    assert (tmp_path / "a.bin").read_bytes() == b"\xff"


def test_atomic_file_appears_only_at_the_end(tmp_path):
    path = tmp_path / "a.txt"
    with atomic_file(path, "w") as file:
        file.write("x")
        assert not path.exists()
    assert list(tmp_path.iterdir()) == [path]


def test_atomic_file_keeps_permissions_and_links(tmp_path):
    path = tmp_path / "real.txt"
    path.write_text("old")
    path.chmod(0o640)
    link = tmp_path / "link.txt"
    link.symlink_to(path)
    with atomic_file(link, "w") as file:
        file.write("new")
    assert link.is_symlink()
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_new_files_follow_the_umask(tmp_path):
    (tmp_path / "plain").touch()
    with atomic_file(tmp_path / "atomic") as file:
        file.write(b"x")
    assert (tmp_path / "atomic").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_atomic_file_replaces_no_folder_or_device(tmp_path):
    with fails("is not a regular file"), atomic_file(tmp_path):
        pass
    with fails("is not a regular file"), atomic_file(os.devnull):
        pass


def test_atomic_file_without_its_folder(tmp_path):
    with fails(r"could not be written \(No such file or directory\)"), atomic_file(tmp_path / "no" / "a"):
        pass


# ---- refusals before any work ------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["-", *(f"out.{ending}" for ending in ENDINGS), "OUT.CSV"])
def test_good_outputs(tmp_path, name):
    check_output(name if name == "-" else tmp_path / name)


@pytest.mark.parametrize("ending", [".txt", ".xlsx.gz", ".csv.zip", ".parquet.gz", ".gz", ""])
def test_unknown_ending(tmp_path, ending):
    with fails(r"cannot be written: use \.csv, \.tsv, \.jsonl \(each also with \.gz\), \.xlsx or \.parquet$"):
        check_output(tmp_path / f"out{ending}")


def test_missing_folder(tmp_path):
    with fails("the folder .*no for out.csv does not exist: create it first$"):
        check_output(tmp_path / "no" / "out.csv")


def test_folder_in_the_place_of_the_file(tmp_path):
    (tmp_path / "out.csv").mkdir()
    with fails("out.csv is a folder: give the path of a file in it"):
        check_output(tmp_path / "out.csv")


def test_folder_that_may_not_be_written_to(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)  # not chmod, which does not stop root
    with fails("is not writable: choose another for out.csv$"):
        check_output(tmp_path / "out.csv")


def test_parquet_without_pyarrow(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'seedtopic\[parquet\]'"):
        check_output(tmp_path / "out.parquet")


def test_nothing_is_consumed_when_the_output_is_refused(tmp_path):
    rows = iter([{"a": 1}])
    with fails("cannot be written"):
        write_rows(tmp_path / "out.xlsx.gz", rows, ["a"])
    assert next(rows) == {"a": 1}


def test_mixed_types_do_not_fit_into_parquet(tmp_path):
    with fails("the column 'a' does not fit into a Parquet file"):
        write_rows(tmp_path / "out.parquet", [{"a": 1}, {"a": "x"}], ["a"])
    assert list(tmp_path.iterdir()) == []


def test_half_characters_are_refused(tmp_path):
    with fails(r"could not be written as UTF-8 because of '\\ud83d'"):
        write_rows(tmp_path / "out.csv", [{"a": "\ud83d"}], ["a"])
    assert list(tmp_path.iterdir()) == []


def test_a_value_that_is_not_a_number_is_null_in_json(tmp_path):
    nan, inf = float("nan"), float("inf")
    row = {"text": "a goal", "stars": nan, "more": {"near": [0.5, -inf], "of": (inf, "NaN")}}
    write_rows(tmp_path / "out.jsonl", [row], list(row))
    (line,) = (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()
    assert parsed(line) == {
        "text": "a goal",
        "stars": None,
        "more": {"near": [0.5, None], "of": [None, "NaN"]},
    }
    write_rows(tmp_path / "out.csv", [row], ["more"])
    assert (tmp_path / "out.csv").read_text(encoding="utf-8").splitlines()[1] == (
        '"{""near"": [0.5, null], ""of"": [null, ""NaN""]}"'
    )
