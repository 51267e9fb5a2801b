"""The table of bad inputs: what each is, what happens, and the exit code of every command that reads it.

docs/bad-inputs.md is written from it:  python tests/bad_inputs.py
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl

COMMANDS = (
    "label", "fit", "update", "predict", "evaluate", "audit", "discover", "explain", "report", "seeds check",
    "seeds suggest",
)  # fmt: skip
OF_SEEDS = ("label", "fit", "seeds check", "seeds suggest")

SPORTS = (
    "the team won the game goal",
    "player scored goal league",
    "coach praised player game",
    "league final goal",
)
MONEY = ("bank and rate and loan", "investor bought stock share", "stock market loan", "share price market")
TEXTS = [text for pair in zip(SPORTS, MONEY, strict=True) for text in pair] * 2
ROWS = [
    {"id": f"t{place}", "label": ("sports", "money")[place % 2], "text": text}
    for place, text in enumerate(TEXTS)
]
SEEDS = 'sports = ["game", "player"]\nmoney = ["bank", "stock"]\n'

LOCKED = bytes.fromhex("d0cf11e0a1b11ae1") + "EncryptedPackage".encode("utf-16-le")

Made = str | Path
Make = Callable[[Path], Made]


@dataclass(frozen=True)
class Bad:
    """An input: how it is made, what happens with it, and the exit codes, one for all or by command."""

    name: str
    happens: str
    make: Make
    codes: int | Mapping[str, int]
    says: str = ""
    options: tuple[str, ...] = ()
    id: str = "t1"
    labelled: int | None = None  # rows of the output that have a label, where some have none
    rows: int | None = None  # rows of the output
    slow: bool = False
    rights: bool = False  # whether it is about rights, which do not stop root

    def code(self, command: str) -> int:
        return self.codes if isinstance(self.codes, int) else self.codes.get(command, self.codes["others"])


def but(others: int, **codes: int) -> dict[str, int]:
    return {"others": others, **{name.replace("_", " "): code for name, code in codes.items()}}


def table(rows: list[dict[str, str]] | None = None, line_end: str = "\n", delimiter: str = ",") -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, ["id", "label", "text"], lineterminator=line_end, delimiter=delimiter)
    writer.writeheader()
    writer.writerows(ROWS if rows is None else rows)
    return text.getvalue()


def lines(*extra: str) -> str:
    """JSON lines with some more in the middle."""
    good = [json.dumps(row) for row in ROWS]
    return "\n".join([*good[:3], *extra, *good[3:]]) + "\n"


def file(name: str, content: str | bytes) -> Make:
    def make(folder: Path) -> Path:
        path = folder / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return make


def with_text(text: str) -> str:
    return table([*ROWS[:3], {**ROWS[3], "text": text}, *ROWS[4:]])


def accented(first: int, last: int) -> str:
    """The table with a word that is not ASCII in some of its rows, from line `first + 2` on."""
    changed = [{**row, "text": row["text"] + " café"} for row in ROWS[first:last]]
    return table([*ROWS[:first], *changed, *ROWS[last:]])


def mixed(folder: Path) -> Path:
    whole = accented(2, 6).splitlines(keepends=True)
    data = [line.encode("latin-1" if number == 4 else "utf-8") for number, line in enumerate(whole)]
    return file("docs.csv", b"".join(data))(folder)


def spreadsheet(folder: Path) -> Path:
    pd.DataFrame(ROWS).to_excel(folder / "docs.xlsx", index=False)
    return folder / "docs.xlsx"


def half_a_spreadsheet(folder: Path) -> Path:
    path = spreadsheet(folder)
    path.write_bytes(path.read_bytes()[:2000])
    return path


def pipe(folder: Path) -> Path:
    path = folder / "pipe.csv"
    os.mkfifo(path)

    def write() -> None:
        with open(path, "w", encoding="utf-8") as file:
            file.write(table())

    threading.Thread(target=write, daemon=True).start()
    return path


def text_folder(folder: Path) -> Path:
    for row in ROWS:
        path = folder / "texts" / row["label"] / f"{row['id']}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(row["text"], encoding="utf-8")
    return folder / "texts"


def folder_with_unreadable(folder: Path) -> Path:
    texts = text_folder(folder)
    (texts / "sports" / "t0.txt").chmod(0)
    (texts / "closed").mkdir(mode=0o000)
    return texts


def unreadable(make: Make) -> Make:
    def made(folder: Path) -> Path:
        path = Path(make(folder))
        path.chmod(0)
        return path

    return made


def empty_folder(folder: Path) -> Path:
    (folder / "empty").mkdir()
    return folder / "empty"


def two_in_one(folder: Path) -> str:
    file("part1.csv", table(ROWS[:8]))(folder)
    file("part2.csv", table(ROWS[8:]) + "t99,sports,too,many\n")(folder)
    return str(folder / "part*.csv")


MANY = "".join(f'category{number} = ["word{number}"]\n' for number in range(100_000))
AWKWARD = "the \"best\",\nof 😀; <b>'all'</b>"
FITS = ("label", "fit", "update", "seeds suggest")

DOCUMENTS = [
    Bad("a file that is not there", "refused", lambda folder: folder / "none.csv", 2, "was not found"),
    Bad("an empty file", "refused", file("docs.csv", ""), 2, "contains no documents"),
    Bad("a header and no row", "refused", file("docs.csv", "id,label,text\n"), 2, "contains no documents"),
    Bad(
        "one document",
        "labelled; nothing can be learned from it",
        file("docs.csv", table(ROWS[1:2])),
        but(0, **dict.fromkeys(("label", "fit", "update", "seeds_suggest"), 2)),
        "learning needs at least 2",
    ),
    Bad(
        "10 MB in one line",
        "read like any other",
        file("docs.csv", with_text("bank loan " * 1_000_000)),
        0,
        slow=True,
    ),
    Bad("10 MB in one word", "read like any other", file("docs.csv", with_text("x" * 10_000_000 + " bank")), 0, slow=True),
    Bad("NUL bytes in a text", "read like any other character", file("docs.csv", with_text("bank\0loan")), 0),
    Bad(
        "latin-1 read as UTF-8",
        "read with replacement characters, and labelled",
        file("docs.csv", accented(2, 6).encode("latin-1")),
        3,
        r"4 lines .* not valid UTF-8 .* \(first: line 4, 5, 6\); .*--encoding latin-1",
        rows=16,
    ),
    Bad(
        "latin-1 with `--encoding latin-1`",
        "read as it is meant",
        file("docs.csv", accented(2, 6).encode("latin-1")),
        0,
        options=("--encoding", "latin-1"),
    ),
    Bad(
        "an encoding that is not known",
        "refused",
        file("docs.csv", table()),
        2,
        "the encoding 'utf-9' is not known",
        options=("--encoding", "utf-9"),
    ),
    Bad("UTF-16 with a byte order mark", "known by its mark", file("docs.csv", table().encode("utf-16")), 0),
    Bad(
        "UTF-16 without a mark",
        "refused",
        file("docs.csv", table().encode("utf-16-le")),
        2,
        r"looks like UTF-16 without a byte order mark: name its encoding \(--encoding utf-16-le\)",
    ),
    Bad(
        "two encodings in one file",
        "the lines of the other are read with replacement characters",
        mixed,
        3,
        r"1 line .* not valid UTF-8 .* \(first: line 5\)",
        rows=16,
    ),
    Bad("UTF-8 with a byte order mark", "the mark is left out", file("docs.csv", "\ufeff" + table()), 0),
    Bad("lines that end by CR LF", "read like any other", file("docs.csv", table(line_end="\r\n")), 0),
    Bad("lines that end by CR alone", "read like any other", file("docs.csv", table(line_end="\r")), 0),
    Bad(
        "an id given twice",
        "all are labelled; `explain` takes the first and says so",
        file("docs.csv", table([*ROWS, ROWS[1]])),
        0,
        rows=17,
    ),
    Bad(
        "no column of texts",
        "refused, with the columns there are",
        file("docs.csv", "id,label\nt1,sports\n"),
        2,
        "has no column 'text' and none that is clearly the text: name one of 'id', 'label'",
    ),
    Bad(
        "a column that is not there",
        "refused, with the columns there are",
        file("docs.csv", table()),
        2,
        "has no column 'txt': use one of 'text', 'id', 'label'",
        options=("--text-field", "txt"),
    ),
    Bad("a column twice", "refused", file("docs.csv", "id,text,text\n1,a,b\n"), 2, "'text' more than once"),
    Bad(
        "a row with more cells than columns",
        "left out and named",
        file("docs.csv", table() + "t99,sports,one,two\n"),
        3,
        "1 row .* left out: line 18 has 4 cells for 3 columns",
        rows=16,
    ),
    Bad(
        "a row that ends before its text",
        "kept without a label",
        file("docs.csv", table() + "t99,sports\n"),
        3,
        r"1 row .* has no text in the column 'text' and has no label \(first: line 18\)",
        rows=17,
        labelled=16,
    ),
    Bad(
        "a quote that is not closed",
        "its line is left out and named",
        file("docs.csv", table(ROWS[:4]) + 't98,sports,"open\n' + table(ROWS[4:]).partition("\n")[2]),
        3,
        "1 row .* left out: line 6 cannot be read",
        rows=16,
    ),
    Bad(
        "a JSON line that is broken",
        "left out and named",
        file("docs.jsonl", lines('{"text": "a', "{'text': 1}", "nonsense")),
        3,
        "3 rows .* left out: line 4 is not a JSON object, got .*; line 5 .*; line 6 ",
        rows=16,
    ),
    Bad(
        "JSON lines that are no objects",
        "left out and named",
        file("docs.jsonl", lines("null", "[1, 2]", '"text"', "7", "[" * 100_000)),
        3,
        "5 rows .* left out: line 4 is not a JSON object, got 'null'; .*; and 2 more",
        rows=16,
    ),
    Bad(
        "nothing but such lines",
        "refused",
        file("docs.jsonl", json.dumps(ROWS) + "\n"),
        2,
        "contains no usable document: line 1 is not a JSON object",
    ),
    Bad(
        "a text that is null, missing, NaN or a list",
        "kept without a label",
        file("docs.jsonl", lines('{"text": null}', "{}", '{"text": NaN}', '{"text": ["a"]}')),
        3,
        r"4 rows .* have no text .* \(first: line 4, 5, 6\)",
        rows=20,
        labelled=16,
    ),
    Bad(
        "a text that is empty or blank",
        "kept without a label",
        file("docs.jsonl", lines('{"text": ""}', '{"text": " "}')),
        3,
        r"2 rows .* have no text .* and have no label \(first: line 4, 5\)",
        rows=18,
        labelled=16,
    ),
    Bad(
        "a text without a known word",
        "kept without a label, and counted; `evaluate` does not score it",
        file("docs.jsonl", lines('{"text": "the of", "label": "sports"}')),
        0,
        rows=17,
        labelled=16,
    ),
    Bad("a text that is a number", "read as it is written; single digits are not words", file("docs.jsonl", lines('{"text": 7.5}')), 0, rows=17, labelled=16),
    Bad(
        "half a character (a lone surrogate)",
        "read with a replacement character, and labelled",
        file("docs.jsonl", lines(r'{"text": "game \ud83d"}')),
        3,
        r"1 line .* not valid Unicode .* \(first: line 4\)",
        rows=17,
    ),
    Bad(
        "a gzip file that is cut off",
        "refused",
        file("docs.csv.gz", gzip.compress(table().encode())[:-12]),
        2,
        "is not a complete gzip file",
    ),
    Bad("a gzip file that is none", "refused", file("docs.csv.gz", table()), 2, "is not a complete gzip file"),
    Bad(
        "a gzip file with more behind it",
        "what is behind is left out",
        file("docs.csv.gz", gzip.compress(table().encode()) + b"garbage"),
        3,
        "has bytes after its end that are not gzipped",
        rows=16,
    ),
    Bad("a spreadsheet (`.xlsx`)", "its first sheet with a table is read", spreadsheet, 0, rows=16),
    Bad("a sheet that is not there", "refused, with the sheets there are", spreadsheet, 2, "no sheet 'May': its sheets are 'Sheet1'", ("--sheet", "May")),
    Bad("a spreadsheet that is cut off", "refused", half_a_spreadsheet, 2, "is not a complete .xlsx file"),
    Bad("a spreadsheet with a password", "refused", file("docs.xlsx", LOCKED), 2, "is protected by a password"),
    Bad("a spreadsheet of Excel before 2007", "refused", file("docs.xls", LOCKED[:8]), 2, "save it as .xlsx"),
    Bad("text named `.xlsx`", "refused", file("docs.xlsx", table()), 2, "is not a spreadsheet"),
    Bad("an ending that is not known", "refused", file("docs.xyz", table()), 2, "ending '.xyz', which is unknown"),
    Bad("a named pipe", "read once and kept in memory", pipe, 0),
    Bad("`/dev/null`", "refused", lambda folder: "/dev/null", 2, "contains no documents", ("--format", "csv")),
    Bad("a folder without files", "refused", empty_folder, 2, "is a folder without files"),
    Bad("a folder of texts", "a file a document", text_folder, 0, id="sports/t0.txt"),
    Bad(
        "a file without read rights",
        "refused",
        unreadable(file("docs.csv", table())),
        2,
        r"cannot be read \(permission denied\): change its permissions",
        rights=True,
    ),
    Bad("a folder without read rights", "refused", unreadable(text_folder), 2, r"cannot be read \(permission", rights=True),
    Bad(
        "such files and folders inside a folder",
        "left out and named",
        folder_with_unreadable,
        3,
        "2 parts .* left out: .*closed cannot be read .*; .*t0.txt cannot be read",
        id="sports/t2.txt",
        rows=15,
        rights=True,
    ),
    Bad("a broken row in one of several files", "left out and named", two_in_one, 3, "part2.csv line 10 has 4 cells", rows=16),
    Bad("documents that are all alike", "labelled alike", file("docs.csv", table([{**row, "text": "game bank"} for row in ROWS])), 0),
    Bad(
        "no document with a known word",
        "kept without a label; nothing can be learned from them",
        file("docs.csv", table([{**row, "text": "qwertzu of"} for row in ROWS])),
        but(0, label=2, fit=2, evaluate=2, audit=2, seeds_suggest=2),
        "fewer than two categories have a seed word|no word that tells|has too few documents|",
        rows=16,
        labelled=0,
    ),
    Bad(
        "texts that are all empty",
        "kept without a label; nothing can be learned from them",
        file("docs.csv", table([{**row, "text": ""} for row in ROWS])),
        but(3, label=2, fit=2, update=2, evaluate=2, audit=2, seeds_suggest=2),
        "no text in the column 'text' and have no label",
        rows=16,
        labelled=0,
    ),
]  # fmt: skip

SEED_FILES = [
    Bad("no such file", "refused", lambda folder: folder / "none.toml", 2, "none.toml does not exist"),
    Bad("an empty file", "refused", file("s.toml", ""), 2, "at least two categories; got none"),
    Bad("a folder", "refused", empty_folder, 2, "cannot be read: Is a directory"),
    Bad("another ending", "refused", file("s.txt", SEEDS), 2, "its name must end in .toml or .json"),
    Bad(
        "a quote that is not closed",
        "refused, with the line and a hint",
        file("s.toml", 'sports = ["game]\nmoney = ["bank"]\n'),
        2,
        r"in the seeds file \S*s.toml: it is not valid: .*line 1.*; a quote is not closed there",
    ),
    Bad("a bracket that is not closed", "refused, with a hint", file("s.toml", 'a = ["x"'), 2, r"ends with \]"),
    Bad("a word without quotes", "refused, with a hint", file("s.toml", "a = [x]"), 2, "in plain quotes"),
    Bad("broken JSON", "refused, with the line", file("s.json", '{"a": ["x"}'), 2, "it is not valid: .*line 1"),
    Bad("JSON that is no object", "refused", file("s.json", "[1]"), 2, "must be a mapping of categories"),
    Bad("JSON that is nested 100,000 deep", "refused", file("s.json", "[" * 100_000), 2, "nested too deep"),
    Bad("a category twice", "refused", file("s.json", '{"a": ["x"], "a": ["y"]}'), 2, "'a' is given twice"),
    Bad("latin-1", "refused, with the line", file("s.toml", b'a = ["x"]\nb = ["caf\xe9"]'), 2, "is not UTF-8 at line 2"),
    Bad("UTF-16", "refused", file("s.toml", SEEDS.encode("utf-16")), 2, "is not UTF-8 at line 1"),
    Bad("NUL bytes", "refused", file("s.toml", 'a = ["x\0"]'), 2, "it is not valid"),
    Bad("UTF-8 with a byte order mark", "the mark is left out", file("s.toml", "\ufeff" + SEEDS), 0),
    Bad("lines that end by CR LF", "read like any other", file("s.toml", SEEDS.replace("\n", "\r\n")), 0),
    Bad(
        "without read rights", "refused", unreadable(file("s.toml", SEEDS)), 2, "cannot be read: Permission denied", rights=True
    ),
    Bad("half a character in a name", "refused", file("s.json", r'{"a\ud800": ["x"], "b": ["y"]}'), 2, "contains half a character"),
    Bad("half a character in a word", "refused", file("s.json", r'{"a": ["\ud800"], "b": ["y"]}'), 2, "contains half a character"),
    Bad("a name of 10 MB", "refused", file("s.json", json.dumps({"a" * 10_000_000: ["x"], "b": ["y"]})), 2, "10,000,000 characters"),
    Bad(
        "a name with quotes, commas, a line end, an emoji and HTML",
        "kept as it is, in every file",
        file("s.json", json.dumps({AWKWARD: ["game", "player"], "money": ["bank", "stock"]})),
        0,
    ),
    Bad("seeds that are all stop words", "used: a seed is never dropped", file("s.toml", 'a = ["the"]\nb = ["and"]'), 0),
    Bad(
        "phrases that do not occur",
        "refused where something is learned, and named",
        file("s.toml", 'a = ["wrld cpp"]\nb = ["stck xchng"]'),
        but(2, seeds_check=0),
        "fewer than two categories have a seed word|",
    ),
    Bad(
        "a pattern that is not a regular expression",
        "refused, with the position",
        file("s.toml", '[a]\npatterns = ["x("]\n[b]\nwords = ["y"]'),
        2,
        r"the category 'a' has the pattern 'x\(', which is not a regular expression at position 1",
    ),
    Bad(
        "a pattern that Python would match forever",
        "matched in linear time",
        file("s.toml", SEEDS + '[loans]\nwords = ["loan"]\npatterns = ["(a*)*b(c*)*!!"]'),
        0,
    ),
    Bad(
        "a rule on a column that is not there",
        "refused, with the names of the columns",
        file("s.toml", SEEDS + '[loans]\nwords = ["loan"]\ncolumns = { subject = "x" }'),
        2,
        "has no column 'subject': use one of",
    ),
    Bad(
        "an example in two categories",
        "refused",
        file("s.toml", '[a]\nexamples = ["x y"]\n[b]\nexamples = ["x y"]'),
        2,
        "the example 'x y' is given for 'a' and for 'b': keep one of them",
    ),
    Bad("the same words in all categories", "labelled as far as it can be", file("s.toml", 'a = ["game"]\nb = ["game"]\nc = ["game"]'), 0),
    Bad(
        "100,000 categories that do not occur",
        "counted, and the first few named; too many to save",
        file("s.toml", MANY + SEEDS),
        but(0, fit=2),
        slow=True,
    ),
]  # fmt: skip


@dataclass(frozen=True)
class Value:
    """What is given in the place of documents in Python, and what each call makes of it."""

    name: str
    happens: str
    make: Callable[[], Any]
    outcome: str | Mapping[str, str]
    says: str = ""

    def of(self, call: str) -> str:
        outcome = self.outcome
        return outcome if isinstance(outcome, str) else outcome.get(call, outcome["others"])


CALLS = ("fit", "partial_fit", "predict", "Seeds.check", "Seeds.suggest", "Report.of")
REFUSED, WARNED, FINE = "`InputError`", "`UnusableDocuments`", "done"
LEARNING = dict.fromkeys(("fit", "partial_fit", "Seeds.suggest"), REFUSED)
NOT_A_TEXT = "document 16 is .* not a text: give every document as a str"
NO_TEXTS = "are of type|must be a list of texts"
MISSING = r"1 of 17 texts is missing and read as empty \(first: row 16\)"

VALUES = [
    Value("a text", "refused", lambda: "a game", REFUSED, NO_TEXTS),
    Value("None", "refused; seeds are checked and suggested by their meaning", lambda: None, {"Seeds.check": FINE, "Seeds.suggest": FINE, "others": REFUSED}, NO_TEXTS),
    Value("a number", "refused", lambda: 7, REFUSED, NO_TEXTS),
    Value("a dict", "refused", lambda: {"a": "game"}, REFUSED, NO_TEXTS),
    Value("an empty list", "nothing to do; nothing can be learned", list, {**LEARNING, "Report.of": REFUSED, "others": FINE}, "learning needs at least 2|no document"),
    Value("one text in a list", "labelled; nothing can be learned", lambda: ["game"], {**LEARNING, "others": FINE}, "learning needs at least 2"),
    Value("a number among texts", "refused, by its position", lambda: [*TEXTS, 7], REFUSED, NOT_A_TEXT),
    Value("None among texts", "refused, by its position", lambda: [*TEXTS, None], REFUSED, NOT_A_TEXT),
    Value("NaN among texts", "refused, by its position", lambda: [*TEXTS, float("nan")], REFUSED, NOT_A_TEXT),
    Value("bytes among texts", "refused, by its position", lambda: [*TEXTS, b"game"], REFUSED, NOT_A_TEXT),
    Value("a list among texts", "refused, by its position", lambda: [*TEXTS, ["game"]], REFUSED, NOT_A_TEXT),
    Value("lists of words", "refused", lambda: [["game"], ["bank"], ["game"]], REFUSED, "document 0 is list .* not a text"),
    Value("None in an array", "refused, by its position", lambda: np.array([*TEXTS, None], object), REFUSED, NOT_A_TEXT),
    Value("a missing cell in a column of pandas", "an empty document, with a warning", lambda: pd.Series([*TEXTS, None]), WARNED, MISSING),
    Value("a missing cell in a column of polars", "an empty document, with a warning", lambda: pl.Series([*TEXTS, None]), WARNED, MISSING),
    Value("a missing cell in a frame", "an empty document, with a warning", lambda: pd.DataFrame({"n": range(17), "text": [*TEXTS, None]}), WARNED, MISSING),
    Value("a frame with two columns of texts", "refused, with their names", lambda: pd.DataFrame({"a": TEXTS, "b": TEXTS}), REFUSED, "'a', 'b': pass one of them"),
    Value("a column of numbers", "refused", lambda: pd.Series([1.0, 2.0]), REFUSED, "column of type float64|is float"),
    Value("half a character (a lone surrogate)", "no word", lambda: [*TEXTS, "game \ud83d"], FINE),
    Value("NUL characters", "part words", lambda: [*TEXTS, "game\0bank"], FINE),
    Value("an iterator", "read once", lambda: iter(TEXTS), FINE),
    Value("texts that are all alike", "labelled alike", lambda: ["game and bank"] * 9, FINE),
    Value("texts that are all empty", "all categories are alike; nothing can be learned", lambda: ["", "", ""], {**LEARNING, "others": FINE}, "no document (has a|contains a usable) word"),
]  # fmt: skip

HEAD = """# Bad inputs

What cannot be used is counted and named, the rest goes on, and the exit code says so. This page is written from
`tests/bad_inputs.py`, and every cell with a number is a test.

| exit code | meaning |
|---|---|
| 0 | success |
| 2 | wrong input: one sentence on standard error says what, where and how to correct it; nothing is written |
| 3 | success, but some documents could not be used: they are counted on standard error, the first few with their lines |
| 1 | any other failure: an interruption or a bug in seedtopic (one sentence), or a closed pipe on standard output (none) |

With `--strict`, the first document that cannot be used as it stands is an error: what is 3 below becomes 2. With
`--quiet`, the reasons of 2 and 3 are still given.

- A row whose columns can be read keeps its place in the output. The added columns are empty if it has no text (missing,
  empty or blank; exit code 3) or no word that the model knows (counted; with `--none-label`, it has that label).
- A row whose columns cannot be read is left out. Rows before and after it are not touched.
- Bytes that are not valid in the encoding become replacement characters (U+FFFD), in the output, too.
- In Python, `read_documents` warns with `UnusableDocuments` where the command line has exit code 3, and raises `InputError`
  where it has 2. `predict` gives every text a class; `has_known_words` tells which texts have a word that the model knows.
- Output files appear when they are complete. If a command is interrupted, the disk is full or the folder may not be
  written to, the file that was there before stays, and nothing else is left behind.
- An output file that is also the file of documents is refused.

## Documents
"""


def page() -> str:
    """Write the whole page."""
    return "\n".join(
        [
            HEAD,
            *_rows(DOCUMENTS, COMMANDS),
            "",
            "## Seeds files",
            "",
            *_rows(SEED_FILES, OF_SEEDS),
            "",
            "## What is given for documents in Python",
            "",
            *_table(
                ["given", "what happens", *(f"`{call}`" for call in CALLS)],
                [[value.name, value.happens, *(value.of(call) for call in CALLS)] for value in VALUES],
            ),
            "",
        ]
    )


def _rows(inputs: list[Bad], commands: tuple[str, ...]) -> list[str]:
    head = ["input", "what happens", *(f"`{command}`" for command in commands)]
    rows = [[bad.name, bad.happens, *(str(bad.code(command)) for command in commands)] for bad in inputs]
    return _table(head, rows)


def _table(head: list[str], rows: list[list[str]]) -> list[str]:
    lines = ["| " + " | ".join(row) + " |" for row in [head, *rows]]
    return [lines[0], "|" + "---|" * len(head), *lines[1:]]


if __name__ == "__main__":
    Path(__file__).parents[1].joinpath("docs", "bad-inputs.md").write_text(page(), encoding="utf-8")
