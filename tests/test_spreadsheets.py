"""Spreadsheets are read and written as people expect it; openpyxl and pandas are the judges."""

from __future__ import annotations

import datetime as dt
import gc
import gzip
import io
import re
import sys
import warnings
import zipfile
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import openpyxl
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl.utils import get_column_letter

from seedtopic import InputError, MissingExtraError, UnusableDocuments, cli
from seedtopic.answers.ledger import Answers
from seedtopic.io.formats.xlsx import OLE, write_workbook
from seedtopic.io.rows import read_documents
from seedtopic.io.source import TableStyle
from seedtopic.io.write import check_fits, check_output, write_rows
from seedtopic.text.identity import identity, identity_of_cell

TEXTS = [
    "the team won the game goal", "bank and rate and loan", "player scored goal league",
    "investor bought stock share", "coach praised player game", "stock market loan", "league final goal",
    "share price market",
]  # fmt: skip
SEEDS = 'sports = ["game", "player"]\nmoney = ["bank", "stock"]\n'


def fails(match: str) -> Any:
    return pytest.raises(InputError, match=match)


def workbook(path: Path, **sheets: list[list[Any]]) -> Path:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def written(path: Path, rows: list[dict[str, Any]], **style: Any) -> openpyxl.Workbook:
    write_rows(path, rows, list(rows[0]), TableStyle(**style))
    return openpyxl.load_workbook(path)


# ---- reading -----------------------------------------------------------------------------------------


def test_the_values_of_cells(tmp_path: Path) -> None:
    own = {
        "id": 7,
        "Größe": 2.5,
        "whole": 100000,
        "day": dt.date(2024, 5, 1),
        "moment": dt.datetime(2024, 5, 1, 10, 30),
        "hour": dt.time(9, 30),
        "long": dt.timedelta(hours=30),
        "ok": True,
        "none": None,
        "text": "A late goal\nin May",
    }
    path = workbook(tmp_path / "docs.xlsx", Tickets=[list(own), list(own.values())])
    documents = read_documents(path)
    assert documents.rows == [own]
    assert [type(value) for value in documents.rows[0].values()] == [type(value) for value in own.values()]
    assert documents.ids == ["7"]
    assert documents.notes == []


def test_a_midnight_of_a_column_with_times_stays_a_moment(tmp_path: Path) -> None:
    path = workbook(tmp_path / "docs.xlsx", A=[["text", "when"], ["goal", dt.datetime(2024, 5, 1)]])
    assert read_documents(path).rows[0]["when"] == dt.datetime(2024, 5, 1)


def test_blank_names_rows_and_columns(tmp_path: Path) -> None:
    rows = [
        [],
        ["id", None, "text", None, None],
        [1, "x", "a goal", None, None],
        [],
        [2, None, "a bank", None, None, "a remark"],
        [None, None, None],
    ]
    documents = read_documents(workbook(tmp_path / "docs.xlsx", A=rows))
    assert documents.columns == ["id", "column B", "text", "column F"]
    assert documents.rows == [
        {"id": 1, "column B": "x", "text": "a goal"},
        {"id": 2, "column B": None, "text": "a bank", "column F": "a remark"},
    ]


def test_a_title_above_the_table(tmp_path: Path) -> None:
    path = tmp_path / "docs.xlsx"
    rows = [["Tickets of May"], [], ["id", "text"], [1, "a goal"]]
    book = openpyxl.load_workbook(workbook(path, A=rows))
    book["A"].merge_cells("A1:B1")
    book.save(path)
    documents = read_documents(path)
    assert documents.rows == [{"id": 1, "text": "a goal"}]
    assert documents.notes == [
        f"the column names of {path}, sheet 'A', were read from row 3, and what is above it taken for a title"
    ]


@pytest.mark.parametrize(
    ("rows", "columns"),
    [
        ([["text"], ["a goal"], ["a bank"]], ["text"]),
        ([[None, "text"], ["a", "a goal"]], ["column A", "text"]),  # as pandas writes an index
        ([["text"], ["a goal", 7]], ["text", "column B"]),
    ],
)
def test_what_is_not_a_title(tmp_path: Path, rows: list[list[Any]], columns: list[str]) -> None:
    assert read_documents(workbook(tmp_path / "docs.xlsx", A=rows)).columns == columns


def test_formulas_have_their_saved_value_and_errors_are_no_text(tmp_path: Path) -> None:
    rows = [["id", "text", "label"], [1, "=A2", "#N/A"], [2, "#REF!", "money"], [3, "a goal", "sports"]]
    path = workbook(tmp_path / "docs.xlsx", A=rows)
    with zipfile.ZipFile(path) as archive:  # openpyxl does not calculate
        parts = {name: archive.read(name) for name in archive.namelist()}
    sheet = "xl/worksheets/sheet1.xml"
    empty = rb"<f>A2</f><v( ?/>|></v>)"  # with lxml openpyxl writes it in another way
    parts[sheet], n_found = re.subn(empty, b"<f>A2</f><v>1</v>", parts[sheet])
    assert n_found == 1
    repacked(path, parts)
    with pytest.warns(UnusableDocuments, match=r"1 row of .* has no text .* \(first: line 3\)"):
        documents = read_documents(path, label_field="label")
    assert documents.texts == ["1", "", "a goal"]
    assert documents.labels == ["", "money", "sports"]
    assert documents.rows[1]["text"] == "#REF!"  # and so it is written
    write_rows(tmp_path / "out.parquet", [{"size": 2.5}, {"size": "#N/A"}], ["size"])
    assert pd.read_parquet(tmp_path / "out.parquet")["size"].isna().tolist() == [False, True]


def test_a_formula_without_a_saved_value_is_empty(tmp_path: Path) -> None:
    path = workbook(tmp_path / "docs.xlsx", A=[["id", "text"], [1, "=A2"], [2, "a goal"]])
    with pytest.warns(UnusableDocuments, match="1 row"):
        assert read_documents(path).texts == ["", "a goal"]


def test_escaped_characters(tmp_path: Path) -> None:
    path = workbook(tmp_path / "docs.xlsx", A=[["text"], ["one_x000D_\ntwo_x000B_ my_x0041_name"]])
    assert read_documents(path).texts == ["one\r\ntwo\x0b my_x0041_name"]


def test_shared_and_rich_texts(tmp_path: Path) -> None:
    path = tmp_path / "docs.xlsx"
    parts = parts_of(path)
    texts = b"<si><t>text</t></si><si><r><t>a </t></r><r><rPr><b/></rPr><t>goal</t></r></si>"
    main = b"http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    parts["xl/sharedStrings.xml"] = b'<sst xmlns="%s">%s</sst>' % (main, texts)
    part = b'<Override PartName="/xl/sharedStrings.xml" ContentType="%s.sharedStrings+xml"/></Types>'
    kind = b"application/vnd.openxmlformats-officedocument.spreadsheetml"
    types = parts["[Content_Types].xml"]
    parts["[Content_Types].xml"] = types.replace(b"</Types>", part % kind)
    cells = b'<row><c t="s"><v>0</v></c></row><row><c t="s"><v>1</v></c></row>'
    parts["xl/worksheets/sheet1.xml"] = b'<worksheet xmlns="%s"><sheetData>%s</sheetData></worksheet>' % (
        main,
        cells,
    )
    assert read_documents(repacked(path, parts)).texts == ["a goal"]


def test_which_sheet(tmp_path: Path) -> None:
    path = workbook(
        tmp_path / "docs.xlsx",
        Notes=[["only a note"]],
        Tickets=[["text"], ["a goal"]],
        Old=[["text"], ["a bank"], ["a loan"]],
    )
    documents = read_documents(path)
    assert documents.texts == ["a goal"]
    assert documents.notes == [f"{path} was read from the sheet 'Tickets'; others: 'Notes', 'Old'"]
    assert documents.style.sheet == "Tickets"
    for sheet in ("Old", "old", "3"):
        documents = read_documents(path, sheet=sheet)
        assert (documents.texts, documents.notes) == (["a bank", "a loan"], [])
    for sheet in ("New", "0", "4"):
        with fails(f"docs.xlsx has no sheet '{sheet}': its sheets are 'Notes', 'Tickets', 'Old'$"):
            read_documents(path, sheet=sheet)
    with fails("docs.xlsx contains no documents"):
        read_documents(path, sheet="Notes")
    (tmp_path / "docs.csv").write_text("text\na goal\n")
    with fails("docs.csv is not a spreadsheet and has no sheets"):
        read_documents(tmp_path / "docs.csv", sheet="1")


def test_a_sheet_of_one_column_comes_after_a_table(tmp_path: Path) -> None:
    read_me = [["These are tickets."], ["They are of May."]]
    path = workbook(tmp_path / "docs.xlsx", Read=read_me, Tickets=[["id", "text"], [1, "a goal"]])
    assert read_documents(path).texts == ["a goal"]
    assert read_documents(workbook(path, Read=read_me, Notes=[["one row"]])).texts == ["They are of May."]


def test_a_hidden_sheet_comes_last(tmp_path: Path) -> None:
    path = workbook(tmp_path / "docs.xlsx", Lists=[["a"], ["b"]], Tickets=[["text"], ["a goal"]])
    book = openpyxl.load_workbook(path)
    book["Lists"].sheet_state = "hidden"
    book.save(path)
    assert read_documents(path).texts == ["a goal"]


def test_several_files_and_gzip(tmp_path: Path) -> None:
    one = workbook(tmp_path / "a.xlsx", A=[["text"], ["a goal"]])
    workbook(tmp_path / "b.xlsx", A=[["text", "more"], ["a bank", 1]])
    for keep_rows in (True, False):
        documents = read_documents(tmp_path / "*.xlsx", keep_rows=keep_rows)
        assert list(documents.texts) == list(documents.texts) == ["a goal", "a bank"]
    (tmp_path / "a.xlsx.gz").write_bytes(gzip.compress(one.read_bytes()))
    assert read_documents(tmp_path / "a.xlsx.gz").texts == ["a goal"]


def test_openpyxl_is_an_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = workbook(tmp_path / "docs.xlsx", A=[["text"], ["a goal"]])
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'seedtopic\[excel\]'"):
        read_documents(path)


# ---- hostile and broken files ------------------------------------------------------------------------


def repacked(path: Path, parts: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    return path


def parts_of(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(workbook(path, A=[["text"], ["a goal"], ["a bank"]])) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(**parts: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, part in parts.items():
            archive.writestr(name.replace("__", "/").replace("_", "."), part)
    return packed.getvalue()


ENTITY = b'<?xml version="1.0"?><!-- x --><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>'


def with_doctype(parts: dict[str, bytes]) -> None:
    parts["xl/worksheets/sheet1.xml"] = ENTITY + parts["xl/worksheets/sheet1.xml"]


def with_bomb(parts: dict[str, bytes]) -> None:
    parts["xl/worksheets/sheet1.xml"] += b" " * 2_000_000


def with_far_row(parts: dict[str, bytes]) -> None:
    sheet = parts["xl/worksheets/sheet1.xml"]
    parts["xl/worksheets/sheet1.xml"] = sheet.replace(b'r="3"', b'r="30000000000"')


def with_wrong_string(parts: dict[str, bytes]) -> None:
    sheet = parts["xl/worksheets/sheet1.xml"].replace(b"inlineStr", b"s")
    parts["xl/worksheets/sheet1.xml"] = sheet.replace(b"<is><t>a goal</t></is>", b"<v>99</v>")


def with_broken_xml(parts: dict[str, bytes]) -> None:
    parts["xl/worksheets/sheet1.xml"] = parts["xl/worksheets/sheet1.xml"][:-40]


def without_workbook(parts: dict[str, bytes]) -> None:
    del parts["xl/workbook.xml"]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (with_doctype, "contains a document type in xl/worksheets/sheet1.xml, .*: do not trust it$"),
        (
            with_bomb,
            r"has 0\.\d MB and unpacks to 2 MB, which is too much to be read: save the sheet as \.csv$",
        ),
        (with_far_row, r"not a complete \.xlsx file \(a sheet has more than 1,048,576 rows\)"),
        (with_wrong_string, r"is not a complete \.xlsx file \(list index out of range\): open it"),
        (with_broken_xml, r"is not a complete \.xlsx file \(.*\): open it in a spreadsheet program and save"),
        (without_workbook, r"is not a complete \.xlsx file"),
    ],
)
def test_hostile_parts(
    tmp_path: Path, change: Callable[[dict[str, bytes]], None], says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("seedtopic.io.formats.xlsx.LARGE", 1_000_000)
    path = tmp_path / "docs.xlsx"
    parts = parts_of(path)
    change(parts)
    repacked(path, parts)
    with fails(says):
        read_documents(path)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("docs.xlsx", b"", "docs.xlsx is not a spreadsheet: open it"),
        ("docs.xlsx", b"id,text\n1,a goal\n", r"is not a spreadsheet: .*, or rename it if it is text, such as .*docs\.csv$"),
        ("docs.xlsx", b"PK\x03\x04 no more", r"is not a complete \.xlsx file \(File is not a zip file\)"),
        ("docs.xlsx", OLE + b"\0" * 600, "is in the format of Excel before 2007: open it .* as .xlsx$"),
        ("docs.xlsx", OLE + "EncryptedPackage".encode("utf-16-le"), "is protected by a password: remove the password"),
        ("docs.xlsx", zipped(content_xml=b"", mimetype=b""), "is an OpenDocument file, not an .xlsx file"),
        ("docs.xlsx", zipped(xl__workbook_bin=b""), r"is a binary spreadsheet \(.xlsb\), not an .xlsx file"),
        ("docs.xlsx", zipped(word__document_xml=b""), "is a Word document, not an .xlsx file"),
        ("docs.xlsx", zipped(a_txt=b""), "is another kind of zip archive, not an .xlsx file"),
        ("docs.xls", b"", "docs.xls is in another format than .xlsx, which cannot be read: open it"),
        ("docs.ods", b"", "docs.ods is in another format than .xlsx"),
        ("docs.csv", b"PK\x03\x04...", "docs.csv is a spreadsheet or another binary file, not text: open it"),
        ("docs.txt", OLE, "docs.txt is a spreadsheet or another binary file, not text"),
    ],
    ids=lambda value: "" if isinstance(value, bytes) else None,  # an archive holds the time it was made
)  # fmt: skip
def test_what_is_no_spreadsheet(tmp_path: Path, name: str, content: bytes, says: str) -> None:
    (tmp_path / name).write_bytes(content)
    with fails(says):
        read_documents(tmp_path / name)


def test_a_file_that_is_cut_off(tmp_path: Path) -> None:
    whole = workbook(tmp_path / "whole.xlsx", A=[["text"], *[[text] for text in TEXTS]]).read_bytes()
    path = tmp_path / "docs.xlsx"
    for length in range(8, len(whole), 450):
        path.write_bytes(whole[:length])
        with fails(r"docs.xlsx is not a complete \.xlsx file"):
            read_documents(path)


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([], r"has no sheet with a table \('A'\): write the names of the columns into the first row"),
        ([["text"]], r"has no sheet with a table \('A'\)"),
        (
            [["text", "text"], ["a", "b"]],
            "the header at .*docs.xlsx, sheet 'A', row 1 contains 'text' more than once",
        ),
    ],
)
def test_no_table(tmp_path: Path, rows: list[list[Any]], says: str) -> None:
    with fails(says):
        read_documents(workbook(tmp_path / "docs.xlsx", A=rows))


# ---- writing -----------------------------------------------------------------------------------------


def test_openpyxl_reads_what_was_written(tmp_path: Path) -> None:
    row = {
        "text": " a goal <&> 'x' ",
        "formula": "=1+1",
        "minus": "-x",
        "number": 5,
        "share": 0.1,
        "decimal": Decimal("1.5"),
        "ok": True,
        "day": dt.date(2024, 5, 1),
        "moment": dt.datetime(2024, 5, 1, 10, 30, 5),
        "hour": dt.time(9, 30),
        "long": dt.timedelta(hours=30),
        "error": "#N/A",
    }
    book = written(tmp_path / "out.xlsx", [row, {"number": 6}], sheet="My tickets")
    sheet = book["My tickets"]
    assert [cell.value for cell in sheet[1]] == list(row)
    wanted = [*row.values()]
    wanted[7] = dt.datetime(2024, 5, 1)
    assert [cell.value for cell in sheet[2]] == wanted
    assert "".join(cell.data_type for cell in sheet[2]) == "sssnnnbdddds"
    assert [sheet["B2"].quotePrefix, sheet["C2"].quotePrefix, sheet["A2"].quotePrefix] == [1, 1, 0]
    assert [cell.value for cell in sheet[3]] == [None, None, None, 6, *[None] * 8]
    assert (sheet.freeze_panes, sheet.auto_filter.ref, sheet["A1"].font.b) == ("A2", "A1:L3", True)
    read = pd.read_excel(tmp_path / "out.xlsx")
    assert read.loc[0, "formula"] == "=1+1"
    assert read.loc[0, "moment"] == pd.Timestamp(2024, 5, 1, 10, 30, 5)
    with pytest.warns(UnusableDocuments, match="1 row"):
        assert read_documents(tmp_path / "out.xlsx").rows == [row, {**dict.fromkeys(row), "number": 6}]


def test_what_a_spreadsheet_cannot_hold_as_it_is(tmp_path: Path) -> None:
    row = {
        "nan": float("nan"),
        "inf": float("inf"),
        "id": 1234567890123456789,
        "old": dt.date(1850, 1, 1),
        "zone": dt.datetime(2024, 1, 1, tzinfo=dt.UTC),
        "list": ["a", 1],
    }
    (_, cells) = written(tmp_path / "out.xlsx", [row]).active.iter_rows(values_only=True)
    assert cells == (
        None,
        "inf",
        "1234567890123456789",
        "1850-01-01",
        "2024-01-01 00:00:00+00:00",
        '["a", 1]',
    )


def test_long_texts_are_cut_with_a_warning(tmp_path: Path) -> None:
    rows = [{"text": "a" * 40_000}, {"text": "🙂" * 20_000}, {"text": "b" * 32_767}]
    with pytest.warns(
        UnusableDocuments, match="^2 texts longer than 32,767 characters, .* were cut: write .csv"
    ):
        book = written(tmp_path / "out.xlsx", rows)
    cells = [cell.value for cell in book.active["A"][1:]]
    assert [len(cell.encode("utf-16-le")) // 2 for cell in cells] == [32767, 32766, 32767]
    for row, cell in zip(rows, cells, strict=True):  # although it was cut, it is known which text it was
        assert identity_of_cell(cell) == identity(row["text"])


def test_tables_that_do_not_fit(tmp_path: Path) -> None:
    class Many(list[str]):
        def __len__(self) -> int:
            return 1 << 20

    documents = read_documents(workbook(tmp_path / "docs.xlsx", A=[["text"], ["a goal"]]))
    object.__setattr__(documents, "texts", Many())
    check_fits("out.csv", documents)
    with fails("1,048,576 rows and 7 columns do not fit into an .xlsx file, which holds 1,048,575 rows"):
        check_fits("out.xlsx", documents)


@pytest.mark.parametrize(
    ("given_name", "title"),
    [
        (None, "documents"),
        ("a/b:c", "a b c"),
        ("'quoted'", "quoted"),
        ("x" * 40, "x" * 31),
        ("R&D <1>", "R&D <1>"),
    ],
)
def test_names_of_sheets(tmp_path: Path, given_name: str | None, title: str) -> None:
    assert written(tmp_path / "out.xlsx", [{"text": "a"}], sheet=given_name).sheetnames == [title]


def test_the_same_rows_give_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a.xlsx", "b.xlsx"):
        written(tmp_path / name, [{"text": "a", "n": 1}])
    assert (tmp_path / "a.xlsx").read_bytes() == (tmp_path / "b.xlsx").read_bytes()


CELLS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8),
    st.sampled_from(["=1", "_x000D_", "_x0041_", "\r", "a\r\nb", " x", "\ufffe", "#N/A", "]]>", "&lt;"]),
    st.integers(-(10**14), 10**14),
    st.booleans(),
    st.floats(allow_nan=False, allow_infinity=False).filter(lambda value: not value.is_integer()),
    st.datetimes(dt.datetime(1901, 1, 1), dt.datetime(2100, 1, 1)).map(
        lambda value: value.replace(microsecond=0)
    ),
    st.dates(dt.date(1901, 1, 1), dt.date(2100, 1, 1)),
    st.none(),
)


@settings(max_examples=40)
@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=4))
def test_any_cells_come_back(rows: list[tuple[Any, Any]]) -> None:
    table = [{"text": f"goal {number}", "a": a, "b": b} for number, (a, b) in enumerate(rows)]
    with TemporaryDirectory() as folder:
        path = Path(folder, "out.xlsx")
        write_rows(path, table, ["text", "a", "b"])
        assert read_documents(path).rows == [
            {name: float(f"{cell:.16g}") if isinstance(cell, float) else cell for name, cell in row.items()}
            for row in table
        ]


@pytest.mark.parametrize(
    "text", ["<r>a</r>", "<r><t>a & b</t></r>", '<r></is></c><c r="C2"><v>7</v></c></r>', "<r>=1</r>"]
)
def test_a_text_that_looks_like_a_part_of_a_cell_stays_a_text(tmp_path: Path, text: str) -> None:
    rows = [{"text": text, "next": 1}, {"text": "a", "next": 2}]
    book = written(tmp_path / "out.xlsx", rows)
    assert [[cell.value for cell in row] for row in book.active.iter_rows(min_row=2)] == [[text, 1], ["a", 2]]
    assert read_documents(tmp_path / "out.xlsx").rows == rows


def test_xlsxwriter_is_an_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    with pytest.raises(MissingExtraError, match=r"writing .xlsx files needs XlsxWriter.*seedtopic\[excel\]"):
        check_output(tmp_path / "out.xlsx")


# ---- commands ----------------------------------------------------------------------------------------


@pytest.fixture
def tickets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("seeds.toml").write_text(SEEDS)
    day = dt.date(2024, 5, 1)
    rows = [[number, day, text, None] for number, text in enumerate(TEXTS * 2)]
    return workbook(
        tmp_path / "tickets.xlsx", Info=[["of May"]], Größe=[["id", "day", "text", "Größe"], *rows]
    )


def run(*command: str) -> int:
    return cli.run([*command, "--quiet"])


def test_from_a_spreadsheet_to_a_labelled_one(tickets: Path, capsys: pytest.CaptureFixture[str]) -> None:
    label = ("label", "tickets.xlsx", "--seeds", "seeds.toml", "--multi")
    assert run(*label, "-o", "out.xlsx") == 0
    sheet = openpyxl.load_workbook("out.xlsx")["Größe"]
    names, first, *others = sheet.iter_rows(values_only=True)
    assert names[:6] == ("id", "day", "text", "Größe", "predicted", "probability")
    assert first[:5] == (0, dt.datetime(2024, 5, 1), TEXTS[0], None, "sports")
    assert isinstance(first[5], float)
    assert names[-3:] == ("labels", "checked", "was_predicted")
    assert (isinstance(first[-3], str), first[-2:]) == (True, (None, first[4]))
    assert sheet.column_dimensions[get_column_letter(len(names))].hidden
    assert not sheet.column_dimensions[get_column_letter(len(names) - 1)].hidden
    assert [row[2] for row in others] == (TEXTS * 2)[1:]
    assert run(*label, "-o", "out.csv", "--sheet", "größe") == 0
    assert Path("out.csv").read_bytes().startswith("\ufeffid,day,text,Größe,predicted".encode())
    assert [str(row["predicted"]) for row in read_documents("out.csv").rows] == [
        row["predicted"] for row in read_documents("out.xlsx").rows
    ]
    assert run(*label, "-o", "none.xlsx", "--sheet", "Tickets") == 2
    assert "tickets.xlsx has no sheet 'Tickets': its sheets are 'Info', 'Größe'" in capsys.readouterr().err
    assert not Path("none.xlsx").exists()


def test_every_command_reads_spreadsheets(tickets: Path) -> None:
    book = openpyxl.load_workbook(tickets)
    book["Größe"]["D1"] = "label"
    for number in range(2 * len(TEXTS)):
        book["Größe"].cell(number + 2, 4).value = "money" if number % 2 else "sports"
    book.save(tickets)
    docs = "tickets.xlsx"
    assert run("fit", docs, "--seeds", "seeds.toml", "-o", "model") == 0
    assert run("predict", "model", docs, "-o", "predicted.xlsx", "--sheet", "2") == 0
    assert run("evaluate", "model", docs) == 0
    assert run("report", "model", docs, "-o", "report.html") == 0
    assert run("explain", "model", docs, "--id", "3", "-o", "why.html") == 0
    assert run("seeds", "check", docs, "--seeds", "seeds.toml") == 0
    assert run("audit", "model", docs, "-n", "10", "-o", "check.xlsx") == 0
    assert run("next", "model", docs, "-n", "3", "-o", "next.xlsx") == 0
    for name in ("check.xlsx", "next.xlsx"):
        sheet = openpyxl.load_workbook(name)
        (choice,) = sheet.active.data_validations.dataValidation
        assert choice.formula1 == "'checked'!$A$1:$A$3"
        assert [cell.value for cell in sheet["checked"]["A"]] == ["sports", "money", "none"]
        assert sheet["checked"].sheet_state == "hidden"
        assert sheet.active[str(choice.sqref).split(":")[0].replace("2", "1")].value == "checked"
        column = [cell.value for cell in sheet.active[1]].index("checked") + 1
        for row in range(2, sheet.active.max_row + 1):
            sheet.active.cell(row, column).value = "Sports"
        sheet.save(name)
    assert run("audit", "model", docs, "--checked", "check.xlsx") == 0
    assert run("label", docs, "--seeds", "seeds.toml", "--confirmed", "next.xlsx", "-o", "out.xlsx") == 0
    sources = [row["source"] for row in read_documents("out.xlsx").rows]
    read = Answers.read("tickets.answers.csv")  # of audit, too
    answered = {answer.text for answer in read}
    assert {answer.answer for answer in read} == {"sports"}  # as was written, in capitals
    assert sources.count("confirmed") == 2 * len(answered)  # each text stands there twice
    assert run("fit", docs, "--seeds", "seeds.toml", "--confirmed", "out.xlsx", "-o", "again") == 0


def test_a_long_text_in_a_sheet_is_found_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("seeds.toml").write_text(SEEDS)
    texts = ["=game " + "player " * 6000, *TEXTS]
    write_rows("docs.jsonl", [{"text": text} for text in texts], ["text"])
    checked = [{"text": texts[0], "checked": "money"}]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        write_rows("checked.xlsx", checked, ["text", "checked"])
    write_rows("checked.csv", checked, ["text", "checked"], TableStyle(safe_cells=True))
    assert Path("checked.csv").read_text().startswith("text,checked\n'=game player")
    for name in ("checked.xlsx", "checked.csv"):
        label = ("label", "docs.jsonl", "--seeds", "seeds.toml", "--confirmed", name, "-o", "out.jsonl")
        assert run(*label) == 0
        assert read_documents("out.jsonl").rows[0]["source"] == "confirmed"


def test_a_disk_that_fills_up_while_the_file_is_packed_prints_nothing(
    capfd: pytest.CaptureFixture[str],
) -> None:
    class FullDisk(io.BytesIO):
        def write(self, data: Any) -> int:
            raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        write_workbook(FullDisk(), [{"id": "a"}], ["id"])
    gc.collect()
    assert capfd.readouterr() == ("", "")
