import csv
import gzip
import io
import json
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from seedtopic import InputError, MissingExtraError, UnusableDocuments
from seedtopic.io.formats.delimited import huge_cells
from seedtopic.io.rows import Rows, read_documents

ROWS = [
    {"id": "7", "text": "A late goal", "label": "sport"},
    {"id": "8", "text": "Rätes, „rise“", "label": "money"},
]
TABLE = 'id,text,label\n7,A late goal,sport\n8,"Rätes, „rise“",money\n'
CONTENT = {
    "jsonl": "\n\n".join(json.dumps(row, ensure_ascii=False) for row in ROWS),
    "csv": TABLE,
    "tsv": "id\ttext\tlabel\n7\tA late goal\tsport\n8\tRätes, „rise“\tmoney\n",
}


@pytest.fixture
def write(tmp_path):
    """Write a file under the test's folder, gzipped if its name says so, and give its path."""

    def write_file(name: str, content: str | bytes) -> Path:
        data = content.encode() if isinstance(content, str) else content
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return path

    return write_file


def parquet_bytes(rows) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), buffer)
    return buffer.getvalue()


def pipe(monkeypatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


def fails(match: str):
    return pytest.raises(InputError, match=match)


def unusable(match: str):
    return pytest.warns(UnusableDocuments, match=match)


@pytest.fixture(autouse=True)
def nothing_fits(monkeypatch):
    """Rows that need not be kept are read again, however few they are."""
    monkeypatch.setattr("seedtopic.io.rows.KEPT", 0)


# ---- kinds of sources --------------------------------------------------------------------------------


@pytest.mark.parametrize("packed", ["", ".gz"])
@pytest.mark.parametrize("kind", ["jsonl", "csv", "tsv", "parquet"])
def test_tables(write, kind, packed):
    content = parquet_bytes(ROWS) if kind == "parquet" else CONTENT[kind]
    documents = read_documents(write(f"news.{kind}{packed}", content), label_field="label")
    assert documents == Rows(
        texts=["A late goal", "Rätes, „rise“"],
        rows=ROWS,
        text_field="text",
        labels=["sport", "money"],
        ids=["7", "8"],
        notes=[],
    )
    assert documents.columns == ["id", "text", "label"]
    assert len(documents) == 2


def test_labels_are_read_only_when_asked_for(write):
    assert read_documents(write("news.csv", TABLE)).labels is None


@pytest.mark.parametrize("name", ["news.txt", "news.txt.gz", "NEWS.TXT"])
def test_text_file_keeps_blank_lines_between_documents_only(write, name):
    with unusable("1 row .* has no text .* line 2"):
        documents = read_documents(write(name, "one\r\n\ntwo \n\n\n"))
    assert documents.texts == ["one", "", "two "]
    assert documents.rows[2] == {"text": "two "}
    assert documents.ids is None


def test_folder_with_labels(write, tmp_path):
    write("news/sport/b.txt", "goal\r\nscored")
    write("news/sport/a.txt", "match")
    write("news/money/deep/c", "rates")
    write("news/money/.hidden", "no")
    write("news/.git/config", "no")
    documents = read_documents(tmp_path / "news")
    assert documents.ids == ["money/deep/c", "sport/a.txt", "sport/b.txt"]
    assert documents.labels == ["deep", "sport", "sport"]
    assert documents.texts == ["rates", "match", "goal\r\nscored"]
    assert documents.rows[1] == {"id": "sport/a.txt", "text": "match", "label": "sport"}


def test_flat_folder_has_no_labels(write, tmp_path):
    write("b.txt", "two")
    write("a.txt", b"caf\xe9")
    with unusable("a.txt line 1"):
        documents = read_documents(tmp_path)
    assert (documents.texts, documents.labels) == (["caf\ufffd", "two"], None)
    assert "a.txt line 1" in documents.problems[0]
    with fails("no column 'label': use one of 'id', 'text'"):
        read_documents(tmp_path, label_field="label")
    with fails("a.txt:1 is not valid UTF-8: if the file is in another encoding"):
        read_documents(tmp_path, strict=True)
    assert read_documents(tmp_path, encoding="latin-1").texts == ["café", "two"]


def test_folder_with_a_file_outside_the_sub_folders(write, tmp_path):
    write("README", "about")
    write("sport/a.txt", "match")
    documents = read_documents(tmp_path)
    assert documents.labels == ["", "sport"]
    assert documents.notes == [
        f"1 of 2 rows has no value in the column 'label' of {tmp_path}, which is read as empty"
    ]


@pytest.mark.parametrize(
    ("data", "format", "texts"),
    [
        (b'\n {"text": "one"}\n{"text": "two"}', None, ["one", "two"]),
        (b"one\ntwo\n", None, ["one", "two"]),
        (b"\xef\xbb\xbfone\n", None, ["one"]),
        ("one\ntwo".encode("utf-16"), None, ["one", "two"]),
        (b"text\none\n", "csv", ["one"]),
        (b"id\ttext\n1\tone, two\n", "tsv", ["one, two"]),
        (b'{"text": "one"}\n', "txt", ['{"text": "one"}']),
    ],
)
def test_standard_input(monkeypatch, data, format, texts):
    pipe(monkeypatch, data)
    assert read_documents("-", format=format).texts == texts
    assert not sys.stdin.buffer.closed


def test_format_overrides_the_ending(write):
    assert read_documents(write("news.data", TABLE), format="csv").texts[0] == "A late goal"
    assert read_documents(write("news.csv", TABLE), format="txt").texts[0] == "id,text,label"


def test_on_row_counts_the_rows(write):
    seen = []
    read_documents(write("news.csv", TABLE), on_row=seen.append)
    assert seen == [1, 2]


# ---- columns -----------------------------------------------------------------------------------------


def test_named_columns(write):
    path = write("news.jsonl", '{"key": 1, "body": "goal", "topic": true}\n')
    documents = read_documents(path, text_field="body", label_field="topic", id_field="key")
    assert (documents.texts, documents.labels, documents.ids) == (["goal"], ["True"], ["1"])


@pytest.mark.parametrize(
    ("content", "column"),
    [
        ("Text,other text\na,much longer than the first\n", "Text"),
        ("title,body\nGoal,A late goal decides the match\n", "body"),
        ("id,note\nabcdefgh,short\n", "note"),
    ],
)
def test_text_column_is_found_and_noted(write, content, column):
    path = write("news.csv", content)
    documents = read_documents(path)
    assert documents.text_field == column
    assert documents.notes == [
        f"the texts of {path} were read from the column {column!r}, chosen automatically"
    ]


def test_numbers_are_not_taken_for_the_text(write):
    documents = read_documents(write("news.jsonl", '{"stamp": 1700000000000, "body": "goal"}\n'))
    assert documents.text_field == "body"


@pytest.mark.parametrize("content", ["title,body\nlate goal,the match\n", "id,label\n1,sport\n", 'a\n""\n'])
def test_no_clear_text_column(write, content):
    with fails("has no column 'text' and none that is clearly the text: name one of '"):
        read_documents(write("news.csv", content))


@pytest.mark.parametrize("field", ["text_field", "label_field", "id_field"])
def test_missing_column_lists_close_matches_first(write, field):
    with fails("news.csv has no column 'labell': use one of 'label', 'id', 'text'$"):
        read_documents(write("news.csv", TABLE), **{field: "labell"})


def test_many_columns_are_listed_in_part(write):
    row = {f"c{number}": 0 for number in range(25)}
    with fails("'c19' and 5 more"):
        read_documents(write("news.jsonl", json.dumps(row)), text_field="body")


@pytest.mark.parametrize("keep_rows", [True, False])
def test_missing_texts_are_empty_and_counted(write, keep_rows):
    path = write(
        "news.jsonl",
        '{"text": "goal"}\n\n{"text": null}\n{"other": 1}\n{"text": NaN}\n{"text": ""}\n{"text": " \\t"}\n',
    )
    sentence = f"5 rows of {path} have no text in the column 'text' and have no label (first: line 3, 4, 5)"
    with unusable("5 rows"):
        documents = read_documents(path, keep_rows=keep_rows)
    assert list(documents.texts) == ["goal", "", "", "", "", " \t"]
    assert list(documents.rows)[2] == {"other": 1}
    assert documents.columns == ["text", "other"]
    assert (documents.problems, documents.notes) == ([sentence], [])
    assert (documents.without_text, documents.unusable) == ({1, 2, 3, 4, 5}, 5)
    assert documents.has_text.tolist() == [True, False, False, False, False, False]
    with fails("news.jsonl:3 has no text in the column 'text': add one"):
        read_documents(path, strict=True)


def test_numbers_become_strings(write):
    assert read_documents(write("news.jsonl", '{"text": 3}\n{"text": 2.5}\n')).texts == ["3", "2.5"]


@pytest.mark.parametrize("value", [["goal"], {"en": "goal"}])
def test_nested_text_is_no_text(write, value):
    nested = json.dumps({"text": value})
    with unusable("line 3"):
        documents = read_documents(write("some.jsonl", f'{{"text": "x"}}\n\n{nested}\n'))
    assert (documents.texts, documents.without_text) == (["x", ""], {1})
    assert documents.rows[1] == {"text": value}
    with fails(f"the column 'text' at .*all.jsonl:3 contains a {type(value).__name__}: make it"):
        read_documents(write("all.jsonl", f'{{"text": null}}\n\n{nested}\n'))


def test_nested_id_counts_only_when_asked_for(write):
    path = write("news.jsonl", '{"id": {"oid": 1}, "text": "goal"}\n')
    assert read_documents(path).ids is None
    with fails("the column 'id' at"):
        read_documents(path, id_field="id")


def test_binary_parquet_column_is_refused(write):
    with fails("news.parquet:1 contains a bytes"):
        read_documents(write("news.parquet", parquet_bytes([{"text": b"goal"}])))


# ---- encodings ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_encodings_and_line_ends(write, encoding, ending):
    for kind, content in CONTENT.items():
        path = write(f"news.{kind}", content.replace("\n", ending).encode(encoding))
        documents = read_documents(path)
        assert documents.rows == ROWS
        assert documents.notes == []


@pytest.mark.parametrize("byte_order", ["utf-16-le", "utf-16-be"])
def test_both_byte_orders(write, byte_order):
    assert read_documents(write("a.txt", "\ufeffein\nzwei ਊ".encode(byte_order))).texts == ["ein", "zwei ਊ"]


def test_invalid_bytes_are_replaced_and_reported(write):
    lines = [b"caf\xe9" if number in (7, 12, 40, 41) else b"caf\xc3\xa9" for number in range(1, 50)]
    path = write("news.txt", b"\n".join(lines))
    with unusable("4 lines"):
        documents = read_documents(path)
    assert (len(documents), documents.unusable) == (49, 4)
    assert documents.texts[5:7] == ["café", "caf\ufffd"]
    assert documents.problems == [
        f"4 lines of {path} were not valid UTF-8 and were read with replacement characters "
        "(first: line 7, 12, 40); if the file is in another encoding, name it (for example --encoding latin-1)"
    ]
    with fails("news.txt:7 is not valid UTF-8"):
        read_documents(path, strict=True)


def test_replacement_characters_of_the_input_are_no_problem(write):
    assert read_documents(write("news.txt", "caf\ufffd")).notes == []


def test_truncated_utf16_is_reported(write):
    with unusable("line 2"):
        documents = read_documents(write("news.txt", "one\ntwo".encode("utf-16")[:-1]))
    assert documents.texts == ["one", "tw\ufffd"]
    assert "was not valid UTF-16" in documents.problems[0]


def test_half_characters_in_json_are_replaced_and_reported(write):
    with unusable("line 1"):
        documents = read_documents(write("news.jsonl", r'{"text": "\ud83d\ude00 \uD83D!"}'))
    assert documents.texts == ["😀 \ufffd!"]
    assert documents.rows == [{"text": "😀 \ufffd!"}]
    assert "1 line of" in documents.problems[0]


@pytest.mark.parametrize("name", ["utf-9", "base64", "idna", "undefined", "", "a\0b"])
def test_unknown_encoding(write, name):
    with fails("is not known: use utf-8"):
        read_documents(write("news.csv", TABLE), encoding=name)


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16-le", "utf-16-be", "utf-32", "shift_jis"])
def test_a_named_encoding(write, encoding):
    text = "テニス, ok" if encoding == "shift_jis" else "Räte, né"
    for keep_rows in (True, False):
        path = write("news.csv", f'id,text\r\n1,"{text}"\r\n'.encode(encoding))
        documents = read_documents(path, encoding=encoding, keep_rows=keep_rows)
        assert list(documents.texts) == [text]
        assert documents.notes == []


def test_a_byte_order_mark_tells_more_than_a_name(write):
    for encoding in ("utf-8-sig", "utf-16", "utf-32"):
        path = write("news.txt", "Räte".encode(encoding))
        assert read_documents(path, encoding="latin-1").texts == ["Räte"]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_two_bytes_a_letter_without_a_mark(write, encoding):
    with fails(rf"looks like UTF-16 without a byte order mark: name its encoding \(--encoding {encoding}\)"):
        read_documents(write("news.txt", "one goal\ntwo".encode(encoding)))


@pytest.mark.parametrize("kind", ["jsonl", "csv", "tsv"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_lines_that_end_by_a_return_alone(write, kind, encoding):
    path = write(f"news.{kind}", CONTENT[kind].replace("\n", "\r").encode(encoding))
    assert read_documents(path).rows == ROWS


# ---- CSV ---------------------------------------------------------------------------------------------


def test_quotes_and_newlines_in_cells(write):
    documents = read_documents(write("news.csv", 'id,text\n1,"a ""late""\r\ngoal, yes"\n\n2,plain\n'))
    assert documents.texts == ['a "late"\r\ngoal, yes', "plain"]


def test_nul_characters(write):
    assert read_documents(write("news.csv", "id,text\n1,a\0b\n")).texts == ["a\0b"]


def test_huge_cell_and_the_limit_is_restored(write):
    before = csv.field_size_limit()
    huge = "x" * 10_000_000
    assert read_documents(write("news.csv", f"text\n{huge}\n")).texts == [huge]
    assert csv.field_size_limit() == before
    with fails("contains no usable document: line 2 has 3 cells for 1 column: quote the cells"):
        read_documents(write("bad.csv", "text\na,b,c\n"))
    assert csv.field_size_limit() == before


def test_the_limit_stays_lifted_until_the_last_of_several_readings_has_ended():
    before = csv.field_size_limit()
    first, second = huge_cells(), huge_cells()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)  # as threads do, whose readings end in any order
    assert csv.field_size_limit() > before
    second.__exit__(None, None, None)
    assert csv.field_size_limit() == before


def test_too_few_cells_are_filled(write):
    documents = read_documents(write("news.csv", "text,a,b\ngoal\n"))
    assert documents.rows == [{"text": "goal", "a": None, "b": None}]
    with unusable("1 row .* has no text .* line 3"):
        assert read_documents(write("late.csv", "a,text\n1,goal\n2\n")).texts == ["goal", ""]


def test_unnamed_index_column(write):
    assert read_documents(write("news.csv", ",text\n0,goal\n")).rows == [{"": "0", "text": "goal"}]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("text,a,text\n", "the header at .*news.csv:1 contains 'text' more than once: rename"),
        ("\ntext\n", "the header at .*news.csv:1 is empty: name the columns"),
        (",,\n1,2,3\n", "the header at .*news.csv:1 is empty: name the columns"),
        ('"text\nfine\n', "the header at .*news.csv:1 cannot be read"),
        ("text\n", "contains no documents"),
    ],
)
def test_bad_csv(write, content, message):
    with fails(message):
        read_documents(write("news.csv", content))


@pytest.mark.parametrize(
    ("content", "texts", "place", "remedy"),
    [
        ('text,a\n"x\ny",1\nz,1,2\nw,1\n', ["x\ny", "w"], "4 has 3 cells for 2 columns", "quote the cells"),
        ('text\nfine\n"open\nmore\n', ["fine", "more"], r"3 cannot be read \(unex.*\)", "close every quote"),
        ('text\n"a" b\nlast\n', ["last"], r"2 cannot be read \(.*\)", "close every quote"),
        # The other lines of a broken row are no documents of their own, as far as they can be told.
        ('a,text\n1,"he said "no" and\nwent\n2,fine\n3\n', ["fine", ""], r"2 cannot .*\)", "close every"),
        ('a,text\n1,"open\n2,x\n3,"y"\n', ["x", "y"], r"2 cannot be read \(.*\)", "close every quote"),
    ],
)
def test_a_broken_row_is_left_out_and_named(write, content, texts, place, remedy):
    path = write("news.csv", content)
    for keep_rows in (True, False):
        with unusable(f"1 row of .*news.csv could not be used and was left out: line {place}"):
            documents = read_documents(path, keep_rows=keep_rows)
        assert list(documents.texts) == texts
        assert documents.unusable == 1 + texts.count("")
    with fails(f"news.csv:{place}: {remedy}"):
        read_documents(path, strict=True)


def test_broken_rows_take_no_longer_than_whole_ones(write):
    """Every row of these begins with a quote that is not closed where it should be."""
    for line in ('"open', '"open ""', 'a"b,"c', '"x"y'):
        content = "text\n" + f"{line}\n" * 20_000 + "fine\n"
        with unusable("rows of"):
            documents = read_documents(write("news.csv", content))
        assert documents.texts[-1] == "fine"


def test_a_document_taken_for_the_header_is_told(write):
    first = "the team won the game, said the coach, and all of them went home at once"
    path = write("news.csv", f'"{first}"\nthe bank cut its rate\n')
    notes = read_documents(path).notes
    assert "'the team won the game, said the coach, a…', chosen automatically" in notes[0]
    assert notes[1].endswith("looks like a document: put a line such as id,text above it if it is one")


# ---- bad input ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "got"),
    [
        ("{'text': 1}", "\"{'text': 1}\""),
        ('["goal"]', r"""'\["goal"\]'"""),
        ("null", "'null'"),
        ("x" * 90, f"'{'x' * 40}…'"),
        ("[" * 100_000, r"'\[+…'"),
    ],
)
def test_bad_json_line(write, line, got):
    path = write("news.jsonl", f'{{"text": "fine"}}\n\n{line}\n{{"text": "as well"}}\n')
    for keep_rows in (True, False):
        with unusable(f"1 row of .* was left out: line 3 is not a JSON object, got {got}$"):
            documents = read_documents(path, keep_rows=keep_rows)
        assert list(documents.texts) == ["fine", "as well"]
        assert documents.unusable == 1
    with fails(f"news.jsonl:3 is not a JSON object, got {got}: put one object on each line$"):
        read_documents(path, strict=True)


def test_many_bad_lines_are_counted(write):
    path = write("news.jsonl", '{"text": "fine"}\n' + "null\n" * 2_000)
    with unusable("2,000 rows .* were left out: line 2 .*; line 3 .*; line 4 .*; and 1,997 more$"):
        read_documents(path)
    with fails("news.jsonl contains no usable document: line 1 is not a JSON object, got '3': put one"):
        read_documents(write("news.jsonl", "3\n"))


def test_a_pattern_says_in_which_file(write, tmp_path):
    write("a.jsonl", '{"text": "one"}\n')
    write("b.jsonl", "null\n")
    with unusable(r"left out: .*b\.jsonl line 1 is not a JSON object"):
        read_documents(tmp_path / "*.jsonl")


@pytest.mark.parametrize("kind", ["jsonl", "csv", "tsv", "txt"])
@pytest.mark.parametrize("content", ["", "\ufeff"])
def test_empty_file(write, kind, content):
    with fails(f"news.{kind}"):
        read_documents(write(f"news.{kind}", content))


def test_empty_standard_input(monkeypatch):
    pipe(monkeypatch, b"\n")
    with fails("standard input contains no documents"):
        read_documents("-")


def test_a_folder_of_parquet_files_is_a_table(write, tmp_path):
    for name, rows in {"b/part.1.parquet": ROWS[1:], "a/part.2.parquet": ROWS[:1]}.items():
        write(f"table/{name}", parquet_bytes(rows))
    for name in ("_SUCCESS", ".part.crc", "a/_metadata"):
        write(f"table/{name}", b"")
    for keep in (True, False):
        documents = read_documents(tmp_path / "table", keep_rows=keep)
        assert list(documents.texts) == [row["text"] for row in ROWS]
        assert documents.columns == list(ROWS[0])
        assert documents.labels is None  # which only the sub-folders of text files are
    write("table/read me.txt", "a text")
    with fails(r"contains Parquet files and others, such as read me\.txt: name .*/table/\*\.parquet'"):
        read_documents(tmp_path / "table")


@pytest.mark.parametrize("kind", ["txt", "parquet"])
def test_broken_gzip(tmp_path, kind):
    whole = gzip.compress(b"goal\n" * 1000)
    for broken in (b"not gzip", whole[:-9], whole[:20] + b"\xff" * 9 + whole[29:]):
        path = tmp_path / f"news.{kind}.gz"
        path.write_bytes(broken)
        with fails("is not a complete gzip file .*: compress it again$"):
            read_documents(path)


def test_what_stands_after_a_gzip_file(tmp_path):
    lines = b"".join(b"goal number %d\n" % number for number in range(50_000))
    path = tmp_path / "news.txt.gz"
    path.write_bytes(gzip.compress(lines) + gzip.compress(b"the last\n") + b"garbage")
    for keep_rows in (True, False):
        with unusable("1 part of .* has bytes after its end that are not gzipped"):
            documents = read_documents(path, keep_rows=keep_rows)
        texts = list(documents.texts)
        assert (len(texts), texts[-2], texts[-1]) == (50_001, "goal number 49999", "the last")
    with fails("has bytes after its end"):
        read_documents(path, strict=True)


def test_broken_parquet(write):
    with fails("news.parquet is not a complete Parquet file .*: download or write it again$"):
        read_documents(write("news.parquet", b"PAR1 no more"))


def test_file_not_found(tmp_path):
    with fails("nothing was not found: check the path"):
        read_documents(tmp_path / "nothing")


def test_unknown_ending(write):
    with fails(r"has the ending '.json', .* \.jsonl, \.csv, \.tsv, \.txt, \.parquet .* or \.xlsx"):
        read_documents(write("news.json", "[]"))


def test_unknown_format(write):
    with fails("the format 'xml' is not known: use one of jsonl, csv, tsv, txt"):
        read_documents(write("news.csv", TABLE), format="xml")


def test_folder_has_no_format(write, tmp_path):
    write("a.txt", "goal")
    with fails("is a folder, not a 'csv' file"):
        read_documents(tmp_path, format="csv")


def test_folder_without_files(write, tmp_path):
    write("sub/.hidden", "no")
    with fails("is a folder without files"):
        read_documents(tmp_path)


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (PermissionError(13, "Permission denied"), r"cannot be read \(permission denied\): change its"),
        (OSError(5, "Input/output error"), r"could not be read \(Input/output error\)"),
    ],
)
def test_unreadable_file(write, monkeypatch, error, message):
    def refuse(*_):
        raise error

    path = write("news.csv", TABLE)
    monkeypatch.setattr(Path, "open", refuse)  # not chmod, which does not stop root
    with fails(message):
        read_documents(path)


def test_parquet_without_pyarrow(write, monkeypatch):
    path = write("news.parquet", parquet_bytes(ROWS))
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'seedtopic\[parquet\]'"):
        read_documents(path)


def test_semicolons_part_cells_where_the_header_says_so(write):
    documents = read_documents(write("d.csv", b"id;text\n1;a, b\n2;c\n"))
    assert documents.texts == ["a, b", "c"]
    documents = read_documents(write("e.csv", b'"Desk, 2004";text;id\nx;a, b, c;1\n'))
    assert documents.texts == ["a, b, c"]


def test_gzip_is_known_by_its_content(write, monkeypatch):
    zipped = gzip.compress(b"id,text\n1,hello\n")
    assert read_documents(write("d.csv", zipped)).texts == ["hello"]
    pipe(monkeypatch, zipped)
    assert read_documents("-", format="csv").texts == ["hello"]


def test_a_piped_table_is_not_taken_for_lines_in_silence(monkeypatch):
    pipe(monkeypatch, b"id,text\n1,hello\n")
    documents = read_documents("-")
    assert len(documents) == 2
    assert any("plain text" in note for note in documents.notes)


def test_an_empty_path_is_refused():
    with pytest.raises(InputError, match="path of the documents is empty"):
        read_documents("")


# ---- rows that are not kept --------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["jsonl", "csv.gz", "tsv", "parquet"])
def test_a_file_read_again_says_the_same(write, kind):
    content = parquet_bytes(ROWS) if kind == "parquet" else CONTENT[kind.removesuffix(".gz")]
    path = write(f"news.{kind}", content)
    kept, reread = (read_documents(path, label_field="label", keep_rows=keep) for keep in (True, False))
    assert not isinstance(reread.rows, list)
    for _ in range(2):
        for name in ("texts", "rows", "labels", "ids"):
            assert list(getattr(reread, name)) == getattr(kept, name)
    assert (len(reread), reread.columns, reread.notes) == (len(kept), kept.columns, kept.notes)
    assert len(reread.texts) == 2
    assert kept.texts[1] in reread.texts
    assert kept.rows[1] in reread.rows


def test_what_can_be_read_only_once_is_kept(write, tmp_path, monkeypatch):
    write("folder/a.txt", "goal")
    pipe(monkeypatch, b"one\ntwo\n")
    assert read_documents("-", keep_rows=False).texts == ["one", "two"]
    assert read_documents(tmp_path / "folder", keep_rows=False).texts == ["goal"]


def test_a_file_changed_meanwhile(write):
    path = write("news.csv", TABLE)
    documents = read_documents(path, keep_rows=False)
    path.write_text(TABLE + "9,more,sport\n")
    with fails("news.csv was changed while it was being used"):
        list(documents.texts)


def test_few_rows_are_parsed_once_and_many_again(write, monkeypatch):
    path = write("news.csv", TABLE)
    monkeypatch.setattr("seedtopic.io.rows.KEPT", 300)
    assert read_documents(write("one.csv", "text\na goal\n"), keep_rows=False).texts == ["a goal"]
    assert not isinstance(read_documents(path, keep_rows=False).texts, list)
    monkeypatch.setattr("seedtopic.io.rows.KEPT", 3000)
    documents = read_documents(path, keep_rows=False)
    path.unlink()
    assert (documents.texts, documents.rows) == (list(documents.texts), list(documents.rows))


def test_a_pattern_stands_for_its_files_in_the_order_of_their_names(tmp_path: Path) -> None:
    (tmp_path / "b.jsonl").write_text('{"text": "third", "stars": 1}\n', encoding="utf-8")
    with gzip.open(tmp_path / "a.jsonl.gz", "wt", encoding="utf-8") as file:
        file.write('{"text": "first"}\n{"text": "second"}\n')
    (tmp_path / "other.csv").write_text("text\nno\n", encoding="utf-8")
    for keep_rows in (True, False):
        documents = read_documents(tmp_path / "*.jsonl*", keep_rows=keep_rows)
        assert list(documents.texts) == list(documents.texts) == ["first", "second", "third"]
        assert documents.columns == ["text", "stars"]


def test_a_file_whose_name_looks_like_a_pattern_is_that_file(tmp_path: Path) -> None:
    (tmp_path / "a[1].txt").write_text("this one\n", encoding="utf-8")
    (tmp_path / "a1.txt").write_text("not this one\n", encoding="utf-8")
    assert read_documents(tmp_path / "a[1].txt").texts == ["this one"]


def test_a_pattern_that_nothing_matches_and_one_whose_files_change(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"\*\.csv"):
        read_documents(tmp_path / "*.csv")
    (tmp_path / "a.txt").write_text("one\n", encoding="utf-8")
    documents = read_documents(tmp_path / "*.txt", keep_rows=False)
    (tmp_path / "b.txt").write_text("two\n", encoding="utf-8")
    with pytest.raises(InputError, match="changed"):
        list(documents.texts)
