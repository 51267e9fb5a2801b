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
from seedtopic.answers.ledger import Answers
from seedtopic.answers.readers import answers_of_file
from seedtopic.io.predictions import Predictions
from seedtopic.io.rows import Rows, read_documents
from seedtopic.io.write import write_predictions, write_rows
from seedtopic.seeds.names import Names

TEXTS = [
    "the team won the game", "a late goal", "a goal in the game", "the team lost", "goal and team",
    "the bank cut its rate", "a loan at a low rate", "the bank gave a loan", "a rate for a loan", "bank rate",
    "", "the of", "a late goal",
]  # fmt: skip
SAID = ["", "money", "", "", "", "", "", "", "sports", "", "", "", ""]
SEEDS = 'sports = ["game", "team"]\nmoney = ["bank", "rate"]\n'
SOURCES = ["labelled", "confirmed", *["labelled"] * 6, "confirmed", "labelled", "none", "none", "confirmed"]


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

    again = label(files, f"first.{ending}", f"again.{ending}")  # its columns are renewed
    by_column = label(files, f"first.{ending}", f"second.{ending}", "--confirmed", "predicted")
    by_file = label(
        files, "docs.jsonl", f"third.{ending}", "--confirmed", str(files / f"first.{ending}"),
        "--answers", str(files / "other.csv"),
    )  # fmt: skip
    for rows in (again, by_column, by_file):
        assert list(rows[0]) == list(first[0])
        for name in ("predicted", "probability", "source"):
            assert [row[name] for row in rows] == [row[name] for row in first]


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


NAMES = Names.listed(["sports", "money", "b", "c"])


def labels_of(sheet: Path, documents: Rows) -> dict[int, Any]:
    answers = Answers()
    brought = answers_of_file(sheet, documents, NAMES)
    answers.add([*brought.answers, *brought.earlier])
    return dict(answers.matching(documents.texts, documents.ids, NAMES).labels)


def test_a_sheet_is_read_by_text_and_by_an_id_where_there_is_none(tmp_path: Path) -> None:
    documents = Rows(texts=["a\n goal", "a loan", "a goal", "rates"], rows=[{}] * 4, ids=["7", "8", "9", "8"])
    sheet = tmp_path / "sheet.csv"
    sheet.write_text("id,text,checked\n9,,SPORTS\n8,,money\n12,,money\n")
    assert labels_of(sheet, documents) == {2: "sports"}  # 8 is the id of two
    sheet.write_text("text,predicted,checked\na goal,money,sports\n")
    assert labels_of(sheet, documents) == {0: "sports", 2: "sports"}


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("text,label\na goal,sports\n", "has no column 'checked', and none of the columns of labelled files"),
        ("text,checked\na goal,\n", "has no answer: write some into the column 'checked'"),
        (
            "text,predicted,probability,runner_up,runner_up_probability,margin,source\na goal,sports,,,,,labelled\n",
            "has no answer",
        ),
        ("name,checked\na bank,money\n", "has no column 'text', by which the documents could be found"),
        ("text,checked\n", "contains no documents"),
        (None, "sheet.csv was not found"),
    ],
)
def test_sheets_that_cannot_be_used(tmp_path: Path, content: str | None, sentence: str) -> None:
    sheet = tmp_path / "sheet.csv"
    if content is not None:
        sheet.write_text(content)
    documents = Rows(texts=["a goal", "a loan"], rows=[{}, {}])
    with pytest.raises(InputError) as raised:
        answers_of_file(sheet, documents, NAMES)
    assert sentence in str(raised.value)


def test_a_sheet_that_contradicts_itself_is_named_by_its_rows(tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.csv"
    sheet.write_text("text,checked\na goal,money\na loan,money\na goal,sports\n")
    brought = answers_of_file(sheet, Rows(texts=["a goal"], rows=[{}]), NAMES)
    assert [answer.text for answer in brought.answers] == ["a loan"]
    assert "rows 2 and 4 of sheet.csv say 'money' and 'sports'" in brought.problems[0]


@given(st.data())
def test_a_guess_never_becomes_a_confirmed_label(tmp_path_factory: pytest.TempPathFactory, data: Any) -> None:
    texts = data.draw(
        st.lists(st.sampled_from(["a goal", "a loan", "x"]), min_size=1, max_size=3, unique=True)
    )
    draws = st.lists(st.booleans(), min_size=len(texts), max_size=len(texts))
    confirmed, best = np.array(data.draw(draws)), np.array(data.draw(draws))
    documents = Rows(texts=texts, rows=[{"text": text} for text in texts])
    probabilities = np.where(best[:, None], [0.75, 0.25], [0.25, 0.75])
    predictions = Predictions.of("bc", probabilities, confirmed=confirmed)
    said = {row: "b" if best[row] else "c" for row in np.flatnonzero(confirmed).tolist()}
    path = tmp_path_factory.mktemp("labels") / data.draw(st.sampled_from(["labels.jsonl", "labels.csv"]))
    write_predictions(path, documents, predictions)
    if said:
        assert labels_of(path, documents) == said
    else:
        with pytest.raises(InputError):
            labels_of(path, documents)


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
    assert "2 answers: 1 is used for 2 documents, 1 is about a text that is not here" in found.err
    assert json.loads(found.out)["documents"] == 11
