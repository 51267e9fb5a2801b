"""Sentences and paragraphs, and labels for them."""

from __future__ import annotations

import csv
import json
import time
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seedtopic import cli
from seedtopic.text.parts import SPLITTERS, paragraphs, sentences


def cut(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("Mr. Smith met J. R. Jones, etc. in St. Louis. He left.", ["Mr. Smith met J. R. Jones, etc. in St. Louis.", "He left."]),
        ("It cost 3.50 at example.com. Why?! So", ["It cost 3.50 at example.com.", "Why?!", "So"]),
        ('He said "No." Then he (really!) left.', ['He said "No."', "Then he (really!) left."]),
        ("Am 5. März kam z. B. nichts. Dann doch.", ["Am 5. März kam z. B. nichts.", "Dann doch."]),
        ("and so on ... but not here. Done", ["and so on ... but not here.", "Done"]),
        ("今日は雨です。明日は？晴れ！", ["今日は雨です。", "明日は？", "晴れ！"]),
        ("「雨です。」と言った。", ["「雨です。」", "と言った。"]),
        ("यह पहला है। यह दूसरा है।", ["यह पहला है।", "यह दूसरा है।"]),
        ("هل هذا؟ نعم.", ["هل هذا؟", "نعم."]),
        ("A heading\n\nA line\nof text. More", ["A heading", "A line\nof text.", "More"]),
        ("", []),
        (" \n\n \r\n\r\n ", []),
        ("...", ["..."]),
    ],
)  # fmt: skip
def test_sentences(text: str, parts: list[str]) -> None:
    assert cut(text) == parts


def test_paragraphs_end_at_blank_lines() -> None:
    text = "  One\nline.\r\n\r\nTwo. Three.\n \t \n\nFour "
    assert [text[start:end] for start, end in paragraphs(text)] == ["One\nline.", "Two. Three.", "Four"]


@given(st.text(alphabet="aB1 .!?\n\r\t\"'。！।)…", max_size=60), st.sampled_from(sorted(SPLITTERS)))
def test_parts_are_in_order_and_hold_all_but_white_space(text: str, per: str) -> None:
    spans = SPLITTERS[per](text)  # type: ignore[index]
    assert spans == sorted(spans)
    assert all(end <= start for (_, end), (start, _) in pairwise(spans))
    assert all(text[start:end] == text[start:end].strip() != "" for start, end in spans)
    joined = "".join(text[start:end] for start, end in spans)
    assert "".join(joined.split()) == "".join(text.replace("\u2029", " ").split())


@pytest.mark.parametrize("unit", [".", ". ", "\n", "\n ", "a.", "\r\n", "(", "。", ".)", "e.g. "])
def test_the_time_is_proportional_to_the_length(unit: str) -> None:
    def seconds(n: int) -> float:
        started = time.process_time()
        sentences(unit * (n // len(unit)) + "x")
        return time.process_time() - started

    seconds(1000)
    assert seconds(400_000) < 40 * max(seconds(40_000), 0.005)


@pytest.fixture(scope="module")
def pile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("parts")
    texts = ["the team won the game", "a goal in the game", "the bank cut its rate", "rate of the bank"] * 10
    (folder / "docs.txt").write_text("".join(f"{text}\n" for text in texts))
    (folder / "seeds.toml").write_text('sports = ["game", "team"]\nmoney = ["bank"]\n')
    rows = [("a", "The team won the game. The bank cut its rate!"), ("b", ""), ("a", "A goal.")]
    with open(folder / "long.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerows([("id", "text"), *rows])
    arguments = [
        "fit",
        str(folder / "docs.txt"),
        "--seeds",
        str(folder / "seeds.toml"),
        "-o",
        str(folder / "model"),
        "-q",
    ]
    assert cli.run(arguments) == 0
    return folder


def test_predict_labels_sentences(pile: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = pile / "parts.csv"
    arguments = [
        "predict",
        str(pile / "model"),
        str(pile / "long.csv"),
        "--per",
        "sentence",
        "-o",
        str(output),
    ]
    assert cli.run([*arguments, "--json"]) == 3  # a document has no text
    told = capsys.readouterr().out
    with open(output, newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["document"], row["part"], row["predicted"]) for row in rows] == [
        ("a", "1", "sports"), ("a", "2", "money"), ("a", "1", "sports"),
    ]  # fmt: skip
    text = "The team won the game. The bank cut its rate!"
    assert [text[int(row["start"]) : int(row["end"])] for row in rows[:2]] == [
        row["text"] for row in rows[:2]
    ]
    assert [float(row["share"]) for row in rows] == pytest.approx([0.5, 0.5, 1.0])
    assert json.loads(told)["parts"] == 3
    assert cli.run([*arguments[:4], "paragraph", "-o", "-"]) == 3
    whole = capsys.readouterr().out.splitlines()
    assert whole[0] == "document,part,start,end,text,predicted,probability,share"
    assert len(whole) == 3


def test_label_fits_to_whole_documents_and_labels_parts(
    pile: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["label", str(pile / "docs.txt"), "--seeds", str(pile / "seeds.toml"), "--per", "paragraph"]
    assert cli.run([*arguments, "-o", str(pile / "out.jsonl")]) == 0
    assert "40 paragraphs of 40 documents" in "".join(capsys.readouterr())
    first = json.loads((pile / "out.jsonl").read_text().splitlines()[0])
    assert (first["document"], first["part"], first["predicted"], first["share"]) == (0, 1, "sports", 1.0)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--per", "word"], "use sentence or paragraph"),
        (["--per", "sentence", "--multi"], "about whole documents"),
    ],
)
def test_wrong_options_get_one_sentence(
    pile: Path, options: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["predict", str(pile / "model"), str(pile / "long.csv"), *options]) == 2
    assert sentence in capsys.readouterr().err
