"""Confirmed labels are kept apart from guesses, written to files, and read back from them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seedtopic import InputError, SeedTopicClassifier, cli, load
from seedtopic.answers.resolve import labels_of_column, labels_of_file
from seedtopic.io.predictions import Predictions, added_columns
from seedtopic.io.rows import Rows, read_documents
from seedtopic.io.write import labelled_rows, write_rows

TEXTS = [
    "the team won the game", "a late goal", "a goal in the game", "the team lost", "goal and team",
    "the bank cut its rate", "a loan at a low rate", "the bank gave a loan", "a rate for a loan", "bank rate",
    "", "the of", "a late goal",
]  # fmt: skip
SAID = ["", "money", "", "", "", "", "", "", "sports", "", "", "", ""]
SEEDS = 'sports = ["game", "team"]\nmoney = ["bank", "rate"]\n'
SOURCES = ["labelled", "confirmed", *["labelled"] * 6, "confirmed", "labelled", "none", "none", "labelled"]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "seeds.toml").write_text(SEEDS)
    rows = [
        {"number": n, "text": text, "mine": said}
        for n, (text, said) in enumerate(zip(TEXTS, SAID, strict=True))
    ]
    write_rows(tmp_path / "docs.jsonl", rows, ["number", "text", "mine"])
    return tmp_path


def label(folder: Path, docs: str, output: str, *more: str) -> list[dict[str, Any]]:
    command = ["label", str(folder / docs), "--seeds", str(folder / "seeds.toml"), "-o", str(folder / output)]
    assert cli.run([*command, "--quiet", "--set", "max_iter=3", *more]) == 3  # a row has no text
    return list(read_documents(folder / output).rows)


@pytest.mark.filterwarnings("ignore::seedtopic.base.errors.UnusableDocuments")
@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet", "xlsx", "csv.gz"])
def test_an_output_is_read_back(files: Path, ending: str) -> None:
    first = label(files, "docs.jsonl", f"first.{ending}", "--confirmed", "mine")
    assert [row["source"] for row in first] == SOURCES
    assert [first[place]["predicted"] for place in (1, 8)] == ["money", "sports"]

    guesses = label(files, f"first.{ending}", f"alone.{ending}")
    assert "confirmed" not in {row["seedtopic_source"] for row in guesses}
    by_column = label(files, f"first.{ending}", f"second.{ending}", "--confirmed", "predicted")
    by_file = label(files, "docs.jsonl", f"third.{ending}", "--confirmed", str(files / f"first.{ending}"))
    for rows, prefix in ((by_column, "seedtopic_"), (by_file, "")):
        for name in ("predicted", "probability", "source"):
            assert [row[prefix + name] for row in rows] == [row[name] for row in first]
    again = label(files, "docs.jsonl", "fourth.csv", "--confirmed", str(files / f"second.{ending}"))
    assert [row["source"] for row in again] == SOURCES


def test_the_model_says_which_labels_are_confirmed(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"text": TEXTS[:10]})
    said = [name or None for name in SAID[:10]]
    model = SeedTopicClassifier({"sports": ["game"], "money": ["bank"]}, max_iter=3, random_state=0)
    model.fit(frame["text"], said).save(tmp_path / "model")
    for fitted in (model, load(tmp_path / "model")):
        assert fitted.confirmed_.tolist() == [name is not None for name in said]
        assert fitted.label_frame(frame, fitted=True)["source"].tolist() == SOURCES[:10]
        assert set(fitted.label_frame(frame)["source"]) == {"labelled"}
    assert not model.fit(frame["text"]).confirmed_.any()


def test_a_sheet_is_read_by_id_or_by_text(tmp_path: Path) -> None:
    documents = Rows(texts=["a\n goal", "a loan", "a goal"], rows=[{}] * 3, ids=["7", "8", "9"])
    sheet = tmp_path / "sheet.csv"
    sheet.write_text("id,text,checked\n9,,SPORTS\n8,,\n12,,money\n")
    assert labels_of_file(sheet, documents, ["sports", "money"]) == (["", "", "sports"], 1)
    sheet.write_text("text,predicted,checked\na goal,money,sports\n")
    assert labels_of_file(sheet, documents, ["sports", "money"]) == (["sports", "", "sports"], 0)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("text,label\na goal,sports\n", "has no column 'checked', and no columns 'predicted' and 'source'"),
        ("text,checked\na goal,\n", "has no confirmed label: write some into the column 'checked'"),
        ("text,predicted,source\na goal,sports,labelled\n", "has no confirmed label"),
        ("text,checked\na bank,money\n", "no document has a label in"),
        ("name,checked\na bank,money\n", "has no column 'text', by which the documents could be found"),
        ("text,checked\na goal,money\na goal,sports\n", "sheet.csv:3 says 'sports', but line 2 says 'money'"),
        (None, "sheet.csv was not found"),
    ],
)
def test_sheets_that_cannot_be_used(tmp_path: Path, content: str | None, sentence: str) -> None:
    sheet = tmp_path / "sheet.csv"
    if content is not None:
        sheet.write_text(content)
    documents = Rows(texts=["a goal", "a loan"], rows=[{}, {}])
    with pytest.raises(InputError) as raised:
        labels_of_file(sheet, documents, ["sports", "money"])
    assert sentence in str(raised.value)


@given(st.data())
def test_a_guess_never_becomes_a_confirmed_label(tmp_path_factory: pytest.TempPathFactory, data: Any) -> None:
    texts = data.draw(st.lists(st.sampled_from(["a goal", "a loan", "x", " "]), min_size=1, max_size=6))
    draws = st.lists(st.booleans(), min_size=len(texts), max_size=len(texts))
    confirmed, best = np.array(data.draw(draws)), np.array(data.draw(draws))
    documents = Rows(texts=texts, rows=[{"text": text} for text in texts])
    probabilities = np.where(best[:, None], [0.75, 0.25], [0.25, 0.75])
    rows = list(labelled_rows(documents, Predictions.of("bc", probabilities, confirmed=confirmed)))
    said = [("b" if first else "c") if known else "" for first, known in zip(best, confirmed, strict=True)]
    read = Rows(texts=texts, rows=rows, labels=[row["predicted"] for row in rows])
    assert labels_of_column(read, "predicted") == said
    if confirmed.any():
        path = tmp_path_factory.mktemp("labels") / "labels.jsonl"
        write_rows(path, rows, ["text", *added_columns(["text"])])
        assert labels_of_file(path, documents, ["b", "c"]) == (said, 0)


def test_a_missing_sheet_is_one_sentence(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = [
        "label",
        str(files / "docs.jsonl"),
        "--seeds",
        str(files / "seeds.toml"),
        "--confirmed",
        "no.csv",
    ]
    assert cli.run(command) == 2
    assert "no.csv was not found" in capsys.readouterr().err


def test_the_summary_of_a_confirmed_file_is_json(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (files / "sheet.csv").write_text("text,checked\na late goal,money\nno such text,money\n")
    command = [
        "label",
        str(files / "docs.jsonl"),
        "--seeds",
        str(files / "seeds.toml"),
        "--set",
        "max_iter=3",
    ]
    more = ["--confirmed", str(files / "sheet.csv"), "-o", str(files / "out.csv"), "--json"]
    assert cli.run([*command, *more]) == 3
    found = capsys.readouterr()
    assert "1 of the labels in" in found.err
    assert "2 documents have a confirmed label" in found.err
    assert json.loads(found.out)["documents"] == 11
