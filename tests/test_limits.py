"""Sources of documents made to take memory or time: each ends with one sentence, within bounds that can be set."""

from __future__ import annotations

import gzip
import io
import json
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from seedtopic import InputError
from seedtopic.io import source as limits_module
from seedtopic.io.formats.text import Source, has_more_values
from seedtopic.io.pieces import Pieces
from seedtopic.io.rows import read_documents
from seedtopic.io.source import Limits


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set small limits: a megabyte for a row, 50 columns."""
    monkeypatch.setenv("SEEDTOPIC_MAX_ROW", "1MB")
    monkeypatch.setenv("SEEDTOPIC_MAX_CELLS", "50")


def refused(path: Path, **options: Any) -> str:
    with pytest.raises(InputError) as caught:
        read_documents(path, **options)
    sentence = str(caught.value)
    assert "\n" not in sentence
    return sentence


LONG = "long " * 300_000


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.txt", "a goal\n" + LONG),
        ("a.jsonl", '{"text": "a goal"}\n{"text": "' + LONG),
        ("a.csv", "id,text\n1," + LONG),
        ("a.tsv", "id\ttext\n1\t" + LONG + "\n2\ta goal\n"),
        ("a.csv", LONG),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_line_that_is_too_long(tmp_path: Path, name: str, content: str, encoding: str) -> None:
    (tmp_path / name).write_text(content, encoding=encoding)
    sentence = refused(tmp_path / name)
    assert f"line {1 if content == LONG else 2} of" in sentence
    assert "1,000,000 bytes" in sentence
    assert "SEEDTOPIC_MAX_ROW" in sentence


@pytest.mark.usefixtures("small")
def test_a_long_line_is_refused_where_files_are_cut(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "a"}\n' * 3 + "x" * 5_000_000, encoding="utf-8")
    with pytest.raises(InputError, match=r"^line 4 of .* is longer than 1,000,000 bytes"):
        list(Pieces(Source(tmp_path / "a.jsonl")))


@pytest.mark.usefixtures("small")
def test_a_text_file_that_is_too_long(tmp_path: Path) -> None:
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.txt").write_text("line\n" * 300_000, encoding="utf-8")
    assert "a.txt is longer than" in refused(tmp_path / "texts")


@pytest.mark.usefixtures("small")
def test_a_quote_that_is_not_closed_takes_no_more_than_a_row(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('id,text\n1,"a goal\n' + "2,a bank\n" * 200_000, encoding="utf-8")
    with pytest.warns(match=r"line 2 cannot be read \(it is longer than 1,000,000 characters\)"):
        assert len(read_documents(tmp_path / "a.csv")) == 200_000


@pytest.mark.usefixtures("small")
def test_rows_with_many_cells(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,text\n1," + "," * 60 + '\n2,"' + "a goal, " * 60 + '"\n', encoding="utf-8")
    with pytest.warns(match=r"line 2 cannot be read \(it has more than 50 cells\)"):
        assert read_documents(path).texts == ["a goal, " * 60]
    path.write_text(",".join(f"c{n}" for n in range(60)) + "\n", encoding="utf-8")
    assert "more than 50 cells" in refused(path)
    assert "SEEDTOPIC_MAX_CELLS" in refused(path)


@pytest.mark.usefixtures("small")
def test_objects_with_many_values(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"text": "a goal, " * 60, "quote": '"{[,' * 60}) + "\n", encoding="utf-8")
    assert len(read_documents(path)) == 1
    path.write_text('{"text": "a", "more": [' + "[]," * 60 + "0]}\n", encoding="utf-8")
    assert "line 1 of" in refused(path)
    path.write_text("".join(f'{{"text": "a", "column {n}": 1}}\n' for n in range(60)), encoding="utf-8")
    assert "more than 50 columns" in refused(path)


def test_strings_of_json_that_do_not_end() -> None:
    begin = time.process_time()
    assert not has_more_values('"' + '\\"' * 1_000_000 + "," * 20, 10)
    assert has_more_values('["' + '\\"' * 1_000_000 + '"' + ",1" * 20, 10)
    assert time.process_time() - begin < 1


def zeros(path: Path, size: int) -> None:
    with gzip.open(path, "wb", compresslevel=1) as file:
        for _ in range(size // 1_000_000):
            file.write(bytes(1_000_000))


@pytest.mark.parametrize("kind", ["txt", "csv", "jsonl"])
def test_a_packed_file_of_one_line(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"a.{kind}.gz"
    zeros(path, 60_000_000)
    assert "line 1 of" in refused(path)


def test_a_packed_file_that_expands_too_far(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits_module, "UNPACKED_IN_ANY_CASE", 1_000_000)
    path = tmp_path / "a.txt.gz"
    with gzip.open(path, "wb") as file:
        file.write(b"a goal in the game\n" * 200_000)
    assert "more than 200 times its size" in refused(path)
    monkeypatch.setenv("SEEDTOPIC_MAX_EXPANSION", "2000")
    assert len(read_documents(path)) == 200_000


def test_the_memory_of_an_endless_line() -> None:
    """Read /dev/zero, in a process whose memory is limited."""
    code = """
import resource, sys
import seedtopic
from seedtopic.io.rows import read_documents
held = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (held + 200_000_000,) * 2)
try:
    read_documents(sys.argv[1], format=sys.argv[2])
except seedtopic.InputError as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", code, "/dev/zero", "txt"], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("line 1 of /dev/zero is longer than 32,000,000 bytes")


class Endless(io.RawIOBase):
    """Lines without end."""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        buffer[:] = (b"a goal in the game\n" * (len(buffer) // 19 + 1))[: len(buffer)]
        return len(buffer)


def test_standard_input_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BufferedReader(Endless())))
    with pytest.raises(InputError, match="standard input takes more than 5,000,000 bytes"):
        read_documents("-", max_memory="5MB")


def test_max_memory_holds_for_rows() -> None:
    assert Limits.of("8MB").row == 1_000_000
    assert Limits.of(None).row == 32_000_000


@pytest.mark.parametrize(
    ("name", "value"),
    [("SEEDTOPIC_MAX_ROW", "much"), ("SEEDTOPIC_MAX_CELLS", "-1"), ("SEEDTOPIC_MAX_EXPANSION", "1.5")],
)
def test_limits_that_are_no_numbers(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(InputError, match=name):
        Limits.of()


# Time in proportion to the size


def wide(path: Path, n_columns: int, n_rows: int) -> float:
    path.write_text(
        ",".join(["text", *(f"c{n}" for n in range(n_columns))]) + "\n" + "a goal\n" * n_rows,
        encoding="utf-8",
    )
    begin = time.process_time()
    documents = read_documents(path)
    assert len(documents) == n_rows
    assert len(documents.columns) == n_columns + 1
    return time.process_time() - begin


def test_a_header_of_many_columns_over_short_rows(tmp_path: Path) -> None:
    assert wide(tmp_path / "a.csv", 90_000, 20_000) < 2  # before: 90,000 x 20,000 cells


def test_a_million_columns(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(",".join(f"c{n}" for n in range(1_000_000)) + "\n", encoding="utf-8")
    begin = time.process_time()
    assert "more than 100,000 cells" in refused(path)
    assert time.process_time() - begin < 1


# Spreadsheets

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
HEADER = '<row><c r="A1" t="str"><v>text</v></c><c r="B1" t="str"><v>id</v></c></row>'


@pytest.fixture
def workbook(tmp_path: Path) -> Callable[[str], Path]:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["text", "id"])
    book.save(tmp_path / "plain.xlsx")

    def write(rows: str) -> Path:
        with (
            zipfile.ZipFile(tmp_path / "plain.xlsx") as old,
            zipfile.ZipFile(tmp_path / "a.xlsx", "w", zipfile.ZIP_DEFLATED) as new,
        ):
            for name in old.namelist():
                sheet = f'<worksheet xmlns="{MAIN}"><sheetData>{rows}</sheetData></worksheet>'
                new.writestr(name, sheet if name == "xl/worksheets/sheet1.xml" else old.read(name))
        return tmp_path / "a.xlsx"

    return write


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        (HEADER + "<row>" + "<c/>" * 400_000 + "</row>", "more cells than any sheet"),
        (HEADER + "<row>" + "<c/>" * 5_000_000 + "</row>", "too much to be read"),
        (HEADER + "".join(f'<row><c r="XFD{n}"/></row>' for n in range(2, 4000)), "are empty"),
    ],
)
def test_small_spreadsheets_of_many_cells(
    workbook: Any, rows: str, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("seedtopic.io.formats.xlsx.MOST_EMPTY", 2_000_000)
    path = workbook(rows)
    assert path.stat().st_size < 60_000
    begin = time.process_time()
    assert sentence in refused(path)
    assert time.process_time() - begin < 15


def test_a_wide_header_of_a_spreadsheet(workbook: Any) -> None:
    header = '<row><c r="A1" t="str"><v>text</v></c><c r="XFD1" t="str"><v>id</v></c></row>'
    rows = "".join(f'<row><c r="A{n}" t="str"><v>a goal</v></c></row>' for n in range(2, 2000))
    documents = read_documents(workbook(header + rows))
    assert len(documents.columns) == 16_384
    assert sum(map(len, documents.rows)) < 20_000
