"""A labelled table is written as its input was: delimiter, quotes, line ends, byte order mark and encoding."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seedtopic import cli
from seedtopic.io.rows import read_documents
from seedtopic.io.source import TableStyle
from seedtopic.io.write import write_rows

SEEDS = 'sports = ["game"]\nGeld = ["bank"]\n'
TEXTS = ["the game", "a bank", "game on", "bank rate"]


def copied(path: Path, **more: Any) -> bytes:
    """Read a table, write it again without any label, and give its bytes."""
    documents = read_documents(path, text_field="text", **more)
    copy = path.with_name("copy" + "".join(path.suffixes))
    write_rows(copy, documents.rows, documents.columns, documents.style)
    return copy.read_bytes()


@pytest.mark.parametrize(
    "table",
    [
        "id,Größe,text\n1,2.5,a goal\n",
        "id;Größe;text\r\n1;2,5;a goal\r\n",
        '"id","Größe","text"\n"1","2.5","a goal"\n',
        '"id","Größe","text"\n1,2.5,"a goal"\n2,NA,"NA goals"\n',  # as R writes it
        '"id";"Größe";"text"\r\n1;;"a ""late"" goal"\r\n',
        'id,Größe,text\n1,"2,5","a ""late"" goal\nin May"\n',
        '"007","text"\n"01","a goal"\n',
        "id,text\r1,a goal\r2,a bank\r",
        '"text"\r\n"a\nb"\r\n',
        "text\r\na goal\r\n",
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_copy_has_the_same_bytes(tmp_path: Path, table: str, encoding: str) -> None:
    path = tmp_path / "docs.csv"
    path.write_bytes(table.encode(encoding))
    assert copied(path) == table.encode(encoding)


def test_tabs_and_gzip(tmp_path: Path) -> None:
    table = '\ufeff"Größe"\t"text"\r\n1\t"a goal"\r\n'.encode()
    (tmp_path / "docs.tsv").write_bytes(table)
    (tmp_path / "docs.csv.gz").write_bytes(gzip.compress(table.replace(b"\t", b";")))
    assert copied(tmp_path / "docs.tsv") == table
    assert gzip.decompress(copied(tmp_path / "docs.csv.gz")) == table.replace(b"\t", b";")


CELL = st.text(st.sampled_from(list("ab1.-;,\t\"'\n\r =ü0")), max_size=6)
STYLES = st.builds(
    TableStyle,
    delimiter=st.sampled_from([",", ";"]),
    quoting=st.sampled_from(["minimal", "texts", "all"]),
    line_end=st.sampled_from(["\n", "\r\n"]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp1252"]),
)


@settings(max_examples=60)
@given(STYLES, st.lists(st.tuples(CELL, CELL), min_size=1, max_size=4), st.sampled_from(["csv", "tsv"]))
def test_every_style_keeps_the_cells_and_is_found_again(
    style: TableStyle, rows: list[tuple[str, str]], ending: str
) -> None:
    table = [{"id": "x", "text": "goal", "a": a, "b": b} for a, b in rows]
    named = "utf-8" if style.encoding.startswith("utf") else style.encoding
    with TemporaryDirectory() as folder:
        path = Path(folder, f"docs.{ending}")
        write_rows(path, table, list(table[0]), style)
        documents = read_documents(path, encoding=named)
        assert documents.rows == table
        first = path.read_bytes()
        assert copied(path, encoding=named) == first
        delimiter = "\t" if ending == "tsv" else style.delimiter
        parsed = csv.reader(io.StringIO(first.decode(style.encoding), newline=""), delimiter=delimiter)
        assert [tuple(row[2:]) for row in parsed][1:] == rows


@pytest.mark.parametrize(
    ("codec", "kept"),
    [("cp1252", "cp1252"), ("latin-1", "latin-1"), ("big5", "utf-8-sig"), ("utf-32", "utf-8-sig")],
)
def test_which_encodings_are_kept(tmp_path: Path, codec: str, kept: str) -> None:
    table = "text,n\na goal 中,1\n" if codec == "big5" else "text,n\nGröße,1\n"
    path = tmp_path / "docs.csv"
    path.write_bytes(table.encode(codec))
    assert copied(path, encoding=codec) == table.encode(kept)


def test_a_category_that_the_encoding_lacks(tmp_path: Path) -> None:
    rows = [{"text": "Größe", "predicted": "piłka"}]
    write_rows(tmp_path / "out.csv", rows, ["text", "predicted"], TableStyle(encoding="cp1252"))
    assert (tmp_path / "out.csv").read_bytes() == "\ufefftext,predicted\nGröße,piłka\n".encode()


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("seeds.toml").write_text(SEEDS)
    lines = [f'"{number}";"{text}";"=1+{number}"\r\n' for number, text in enumerate(TEXTS)]
    Path("docs.csv").write_bytes('\ufeff"id";"text";"Größe"\r\n'.encode() + "".join(lines).encode())
    return tmp_path


def test_commands_keep_the_style(place: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    label = ["label", "docs.csv", "--seeds", "seeds.toml", "--quiet"]
    assert cli.run([*label, "-o", "out.csv"]) == 0
    head, first, *_ = Path("out.csv").read_bytes().split(b"\r\n")
    assert head.startswith(codecs.BOM_UTF8 + '"id";"text";"Größe";"predicted";"probability"'.encode())
    assert first.startswith(b'"0";"the game";"=1+0";"sports";"')
    assert cli.run([*label, "-o", "-"]) == 0
    assert capfdbinary.readouterr().out == Path("out.csv").read_bytes()
    assert cli.run([*label, "-o", "out.jsonl"]) == 0
    assert Path("out.jsonl").read_bytes().startswith(b'{"id": "0"')
    assert cli.run(["fit", "docs.csv", "--seeds", "seeds.toml", "--quiet", "-o", "model"]) == 0
    assert cli.run(["next", "model", "docs.csv", "--quiet", "-o", "next.csv"]) == 0
    assert Path("next.csv").read_bytes().startswith(b'\xef\xbb\xbf"id";"text"')


def test_safe_cells(place: Path) -> None:
    Path("seeds.toml").write_text(SEEDS.replace("Geld", '"=money"'))
    label = ["label", "docs.csv", "--seeds", "seeds.toml", "--quiet"]
    for option in ((), ("--safe-cells",)):
        assert cli.run([*label, "-o", "out.csv", *option]) == 0
        rows = list(read_documents("out.csv").rows)
        before = "'" if option else ""
        assert [rows[1][name] for name in ("Größe", "predicted")] == [f"{before}=1+1", f"{before}=money"]
    assert cli.run([*label, "-o", "out.tsv", "--safe-cells"]) == 0
    assert b'\t"\'=1+0"\t' in Path("out.tsv").read_bytes()
