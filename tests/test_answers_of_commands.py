"""No command loses an answer, gives it to another document, or ignores it: each case once went wrong silently."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import openpyxl
import pytest

import seedtopic
from seedtopic import Answer, Answers, Names, cli
from seedtopic.io.rows import read_documents

SEEDS = 'sports = ["game", "goal"]\nmoney = ["bank", "loan"]\n'
SPORTS = ["the team won the game", "a late goal", "a goal in the game", "game and goal", "no game today"]
MONEY = ["the bank cut its rate", "a loan at a low rate", "the bank gave a loan", "a rate for a loan", "bank"]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SEEDTOPIC_USER", "anna")
    Path("seeds.toml").write_text(SEEDS)
    texts = [f"{text} {number}" for number in "abcd" for text in (*SPORTS, *MONEY)]
    write("docs.csv", [{"id": f"t{place}", "text": text} for place, text in enumerate(texts)])
    return tmp_path


def read(path: str | Path) -> list[dict[str, str]]:
    with open(path, newline="", encoding="utf-8-sig") as file:
        return list(csv.DictReader(file))


def write(path: str | Path, rows: list[dict[str, Any]]) -> None:
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def run(*arguments: str) -> int:
    return cli.run([*arguments, "-q"])


def label(docs: str = "docs.csv", output: str = "out.csv", *more: str) -> list[dict[str, str]]:
    assert run("label", docs, "--seeds", "seeds.toml", "-o", output, "--set", "max_iter=3", *more) == 0
    return read(output) if output.endswith(".csv") else []


def fit(*more: str, seeds: str = "seeds.toml") -> None:
    assert run("fit", "docs.csv", "--seeds", seeds, "-o", "model", "--set", "max_iter=3", *more) == 0


def other(label: str) -> str:
    return "money" if label == "sports" else "sports"


def changed(rows: list[dict[str, str]], numbers: range, column: str) -> list[dict[str, str]]:
    return [
        {**row, column: other(row["predicted"])} if number in numbers else row
        for number, row in enumerate(rows)
    ]


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize(
    "columns", [("checked", "checked"), ("predicted", "checked"), ("predicted", "predicted")]
)
def test_two_rounds_of_corrections_count_together(columns: tuple[str, str]) -> None:
    first = label()
    write("out.csv", changed(first, range(5), columns[0]))
    second = label("docs.csv", "second.csv", "--confirmed", "out.csv")
    write("second.csv", changed(second, range(5, 10), columns[1]))
    third = label("docs.csv", "third.csv", "--confirmed", "second.csv")
    for rows in (third, label("docs.csv", "fourth.csv")):  # without an option, too
        assert [row["predicted"] for row in rows[:10]] == [other(row["predicted"]) for row in first[:10]]
        assert [row["source"] for row in rows[:10]] == ["confirmed"] * 10


@pytest.mark.usefixtures("place")
def test_people_disagree_in_several_files_of_audit_and_label(capsys: pytest.CaptureFixture[str]) -> None:
    fit()
    assert run("audit", "model", "docs.csv", "-n", "20", "-o", "sheet.csv") == 0
    rows = [{**row, "checked": row["predicted"]} for row in read("sheet.csv")]
    write("anna.csv", rows)
    write(
        "ben.csv", [{**row, "checked": other(row["checked"])} if n < 2 else row for n, row in enumerate(rows)]
    )
    capsys.readouterr()
    both = ["--checked", "anna.csv", "--checked", "ben.csv"]
    assert run("audit", "model", "docs.csv", *both, "--json") == 0
    told = capsys.readouterr()
    assert json.loads(told.out)["checked"] == 18  # the others are tied
    assert "4 contradict each other" in told.err
    assert {answer.by for answer in Answers.read("docs.answers.csv")} == {"anna", "ben"}
    write("cem.csv", rows)
    assert run("audit", "model", "docs.csv", *both, "--checked", "cem.csv", "--json") == 0
    assert json.loads(capsys.readouterr().out)["checked"] == 20


@pytest.mark.usefixtures("place")
def test_capitals_blanks_and_near_spellings_are_understood_or_named(
    capsys: pytest.CaptureFixture[str],
) -> None:
    said = [" MONEY ", "Sprots", "none", *[""] * 37]
    write("docs.csv", [{**row, "mine": word} for row, word in zip(read("docs.csv"), said, strict=True)])
    capsys.readouterr()
    rows = label("docs.csv", "out.csv", "--confirmed", "mine")
    assert (rows[0]["predicted"], rows[0]["source"]) == ("money", "confirmed")
    assert (rows[2]["predicted"], rows[2]["source"]) == ("", "confirmed")
    assert "1 names no category ('Sprots', like 'sports')" in capsys.readouterr().err  # despite --quiet


@pytest.mark.usefixtures("place")
def test_a_category_may_be_called_none() -> None:
    Path("seeds.toml").write_text(SEEDS.replace("money", "none"))
    texts = [row["text"] for row in read("docs.csv")]
    write(
        "sheet.csv", [{"text": texts[0], "checked": "none"}, {"text": texts[5], "checked": "(none of these)"}]
    )
    rows = label("docs.csv", "out.csv", "--confirmed", "sheet.csv")
    assert (rows[0]["predicted"], rows[0]["source"]) == ("none", "confirmed")
    assert (rows[5]["predicted"], rows[5]["source"]) == ("", "confirmed")


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("command", ["label", "predict", "shares", "next", "audit"])
def test_a_file_with_answers_is_not_replaced(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    fit()
    rows = label()
    write("a.csv", changed(rows, range(5), "checked"))
    before = Path("a.csv").read_bytes()
    arguments = {
        "label": ["docs.csv", "--seeds", "seeds.toml", "--confirmed", "a.csv"],
        "predict": ["model", "docs.csv"],
        "shares": ["model", "docs.csv", "--checked", "a.csv"],
        "next": ["model", "docs.csv", "--confirmed", "a.csv"],
        "audit": ["model", "docs.csv"],
    }
    capsys.readouterr()
    assert run(command, *arguments[command], "-o", "a.csv") == 2
    assert "a.csv" in capsys.readouterr().err
    assert Path("a.csv").read_bytes() == before


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("ledger", ["docs.answers.csv", "mine.csv"])
@pytest.mark.parametrize("command", ["label", "predict", "next"])
def test_no_output_takes_the_place_of_answers_that_are_about_to_be_kept(
    command: str, ledger: str, capsys: pytest.CaptureFixture[str]
) -> None:
    fit()
    write("a.csv", [{"text": row["text"], "checked": "money"} for row in read("docs.csv")[:3]])
    arguments = {
        "label": ["docs.csv", "--seeds", "seeds.toml", "--confirmed", "a.csv"],
        "predict": ["model", "docs.csv"],
        "next": ["model", "docs.csv", "--confirmed", "a.csv"],
    }
    capsys.readouterr()
    assert run(command, *arguments[command], "--answers", ledger, "-o", ledger) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert "answers" in told
    assert not Path(ledger).exists()


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("command", ["agreement", "convert", "audit", "shares"])
def test_no_table_is_written_over_a_file_of_answers(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    fit()
    texts = [row["text"] for row in read("docs.csv")]
    for name, said in (("a", "money"), ("b", "sports")):
        write(f"{name}.csv", [{"text": text, "checked": said} for text in texts[:4]])
    Path("a.jsonl").write_text(json.dumps({"id": 1, "text": texts[0], "label": ["money"]}) + "\n")
    Answers.read("other.answers.csv").add([Answer(texts[0], answer="money")])
    before = Path("other.answers.csv").read_bytes()
    arguments = {
        "agreement": ["a.csv", "b.csv"],
        "convert": ["a.jsonl", "--from", "doccano"],
        "audit": ["model", "docs.csv", "-n", "10"],
        "shares": ["model", "docs.csv"],
    }
    capsys.readouterr()
    assert run(command, *arguments[command], "-o", "other.answers.csv") == 2
    assert "has the name of a file of answers, which is only added to" in capsys.readouterr().err
    assert Path("other.answers.csv").read_bytes() == before


@pytest.mark.usefixtures("place")
def test_an_answer_about_nothing_is_named_and_not_kept(capsys: pytest.CaptureFixture[str]) -> None:
    text = read("docs.csv")[0]["text"]
    write("a.csv", [{"id": "", "text": said, "checked": "money"} for said in ("", text)])
    capsys.readouterr()
    label("docs.csv", "out.csv", "--confirmed", "a.csv")
    assert "row 2 of a.csv has neither text nor id and is not used: add one" in capsys.readouterr().err
    assert [answer.text for answer in Answers.read("docs.answers.csv")] == [text]


@pytest.mark.usefixtures("place")
def test_a_measured_accuracy_replaces_the_guessed_one(capsys: pytest.CaptureFixture[str]) -> None:
    fit()
    assert run("audit", "model", "docs.csv", "-n", "20", "-o", "sheet.csv") == 0
    rows = read("sheet.csv")
    write(
        "sheet.csv",
        [
            {**row, "checked": other(row["predicted"]) if n < 5 else row["predicted"]}
            for n, row in enumerate(rows)
        ],
    )
    capsys.readouterr()
    assert cli.run(["audit", "model", "docs.csv", "--checked", "sheet.csv", "--json"]) == 0
    accuracy = json.loads(capsys.readouterr().out)["accuracy"]
    assert 0.5 < accuracy["low"] < accuracy["value"] < accuracy["high"] < 1
    date = next(iter(Answers.read("docs.answers.csv"))).at[:10]
    label_command = ["label", "docs.csv", "--seeds", "seeds.toml", "-o", "out.csv", "--set", "max_iter=3"]
    for command in (
        label_command,
        ["predict", "model", "docs.csv", "-o", "predicted.csv"],
        ["fit", "docs.csv", "--seeds", "seeds.toml", "-o", "again", "--set", "max_iter=3"],
        ["report", "model", "docs.csv", "-o", "report.md"],
    ):
        assert cli.run([*command, "--json"]) == 0
        measured = json.loads(capsys.readouterr().out)["measured_accuracy"]
        assert (measured["checked"], measured["date"]) == (20, date)
        assert measured["accuracy"] == pytest.approx(accuracy["value"])
        assert [measured["low"], measured["high"]] == pytest.approx([accuracy["low"], accuracy["high"]])
        assert cli.run(command) == 0
        told = capsys.readouterr().out
        assert f"were right ({accuracy['low'] * 100:.0f} %" in " ".join(told.split())
        assert "as far as this can be told without labels" not in told
    assert "when a random sample of 20 was checked" in Path("report.md").read_text()


@pytest.mark.usefixtures("place")
def test_a_later_fit_does_not_change_what_was_measured(capsys: pytest.CaptureFixture[str]) -> None:
    """The labels of a fit that has learned from the answers are not measured by them."""
    fit()
    assert run("audit", "model", "docs.csv", "-n", "20", "-o", "sheet.csv") == 0
    write(
        "sheet.csv", [{**row, "checked": other(row["predicted"])} for row in read("sheet.csv")]
    )  # all wrong
    assert run("audit", "model", "docs.csv", "--checked", "sheet.csv") == 0
    fit()  # learns from them
    capsys.readouterr()
    assert (
        cli.run(["fit", "docs.csv", "--seeds", "seeds.toml", "-o", "m2", "--set", "max_iter=3", "--json"])
        == 0
    )
    assert json.loads(capsys.readouterr().out)["measured_accuracy"]["accuracy"] == 0
    assert cli.run(["audit", "model", "docs.csv"]) == 2  # other labels: a new sample is needed
    assert "is of other labels" in capsys.readouterr().err


@pytest.mark.usefixtures("place")
def test_columns_of_the_run_before_are_renewed() -> None:
    first = label()
    again = label("out.csv", "again.csv")
    assert list(again[0]) == list(first[0])
    third = label("again.csv", "third.csv")
    assert list(third[0]) == list(first[0])


@pytest.mark.usefixtures("place")
def test_an_empty_id_is_nobodys() -> None:
    write("docs.csv", [{**row, "id": "" if n % 2 else row["id"]} for n, row in enumerate(read("docs.csv"))])
    rows = label()
    write("one.csv", [{**row, "checked": other(row["predicted"])} for row in rows[1:2]])
    assert [row["source"] for row in label("docs.csv", "b.csv", "--confirmed", "one.csv")].count(
        "confirmed"
    ) == 1


@pytest.mark.usefixtures("place")
def test_answers_beside_a_text_do_not_follow_ids_of_a_sheet(capsys: pytest.CaptureFixture[str]) -> None:
    """Whether one column has the ids or another, whether they are shared or begin anew each month."""
    texts = [row["text"] for row in read("docs.csv")]
    write("docs.csv", [{"id": n, "ticket": 99 - n, "text": text} for n, text in enumerate(texts)])
    fit()
    assert run("next", "model", "docs.csv", "-n", "10", "--id-field", "ticket", "-o", "sheet.csv") == 0
    rows = [{**row, "checked": other(row["predicted"])} for row in read("sheet.csv")]
    write("sheet.csv", rows)
    said = {row["text"]: row["checked"] for row in rows}
    assert said
    same: dict[str, list[dict[str, Any]]] = {
        "now.csv": [{"id": n, "text": text} for n, text in enumerate(texts)],
        "thread.csv": [{"id": n // 20, "text": text} for n, text in enumerate(texts)],
        "month.csv": [
            {"id": n, "text": text} for n, text in enumerate([f"new {text}" for text in texts] + texts)
        ],
    }
    for name, documents in same.items():
        write(name, documents)
        labelled = label(name, f"of-{name}", "--confirmed", "sheet.csv")
        got = {row["text"]: row["predicted"] for row in labelled if row["source"] == "confirmed"}
        assert got == said
    write("only.csv", [{"id": "0", "checked": "money"}])  # of 20 documents
    capsys.readouterr()
    labelled = label("thread.csv", "only-out.csv", "--confirmed", "only.csv")
    assert "1 has an id of several documents" in capsys.readouterr().err
    assert {row["text"] for row in labelled if row["source"] == "confirmed"} == set(said)


@pytest.mark.usefixtures("place")
def test_texts_with_one_id_in_an_annotation_tool_stay_apart() -> None:
    texts = [row["text"] for row in read("docs.csv")]
    said = [{"id": 1, "text": text, "meta": {}, "label": ["money"]} for text in texts[:6]]
    exported = [{**one, "document_id": f"d{place % 2}"} for place, one in enumerate(said)]
    Path("all.jsonl").write_text("".join(json.dumps(one) + "\n" for one in exported))
    assert run("convert", "all.jsonl", "--from", "doccano", "-o", "checked.csv") == 0
    assert [row["text"] for row in read("checked.csv")] == texts[:6]
    rows = label("docs.csv", "out.csv", "--confirmed", "checked.csv")
    assert [row["predicted"] for row in rows[:6]] == ["money"] * 6
    assert run("convert", "all.jsonl", "--from", "doccano", "--answers", "new.answers.csv") == 0
    assert [answer.text for answer in Answers.read("new.answers.csv")] == texts[:6]
    assert {answer.by for answer in Answers.read("new.answers.csv")} == {"all"}  # doccano's file of a person


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("command", ["shares", "audit", "report", "next", "explain"])
@pytest.mark.parametrize("how", ["sorted", "other"])
def test_other_documents_are_not_those_of_the_fit(
    command: str, how: str, capsys: pytest.CaptureFixture[str]
) -> None:
    fit()
    rows = read("docs.csv")
    write(
        "other.csv", rows[::-1] if how == "sorted" else [{**row, "text": f"{row['text']}!x"} for row in rows]
    )
    output = {"report": ["-o", "r.html"], "next": ["-o", "n.csv"], "audit": ["-o", "s.csv", "-n", "10"]}
    output |= {"explain": ["--id", "t3"], "shares": []}
    capsys.readouterr()
    assert run(command, "model", "other.csv", "--fitted", *output[command]) == 2
    told = capsys.readouterr().err
    assert "other texts than those to which the model was fitted, or another order" in told
    assert told.count("\n") == 1
    assert run(command, "model", "docs.csv", "--fitted", *output[command]) == 0


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_texts_that_begin_alike_are_told_apart_in_sheets(ending: str) -> None:
    long = "game " * 8_000
    write(
        "docs.csv", [{"id": "a", "text": f"{long}one"}, {"id": "b", "text": f"{long}two"}, *read("docs.csv")]
    )
    fit()
    assert run("audit", "model", "docs.csv", "-n", "42", "-o", f"sheet.{ending}") == 0
    if ending == "xlsx":
        book = openpyxl.load_workbook("sheet.xlsx")
        names = [cell.value for cell in book.active[1]]
        for row in book.active.iter_rows(min_row=2):
            assert len(str(row[names.index("text")].value)) <= 32_767
            if row[names.index("id")].value == "a":
                row[names.index("checked")].value = "money"
        book.save("sheet.xlsx")
    else:
        rows = read("sheet.csv")
        assert max(len(row["text"]) for row in rows) <= 32_767
        write("sheet.csv", [{**row, "checked": "money" if row["id"] == "a" else ""} for row in rows])
    rows = label("docs.csv", "out.csv", "--confirmed", f"sheet.{ending}")
    assert [row["id"] for row in rows if row["source"] == "confirmed"] == ["a"]


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize(
    ("seeds", "more"),
    [
        (SEEDS, ["--none-label", "other"]),
        (
            'sports = { words = ["game", "goal"], parent = "news" }\nmoney = { words = ["bank", "loan"], parent = "news" }\n',
            [],
        ),
        (SEEDS, None),  # an answer has come
    ],
)
def test_a_folder_of_labelled_files_has_one_model(
    seeds: str, more: list[str] | None, capsys: pytest.CaptureFixture[str]
) -> None:
    fit()
    os.mkdir("in")
    write("in/a.csv", read("docs.csv")[:20])
    assert run("predict", "model", "in/*.csv", "-o", "out/") == 0
    if more is None:
        text = read("docs.csv")[0]["text"]
        Answers.read("in/all.answers.csv").add([Answer(text, answer="money")])
    else:
        Path("seeds.toml").write_text(seeds)
        fit(*more)
    capsys.readouterr()
    assert run("predict", "model", "in/*.csv", "-o", "out/") == 2
    assert "labelled by another model, with other options or other answers" in capsys.readouterr().err


@pytest.mark.usefixtures("place")
def test_evaluate_leaves_out_rows_without_a_label(capsys: pytest.CaptureFixture[str]) -> None:
    fit()
    rows = read("docs.csv")
    true = ["sports" if place % 10 < 5 else "money" for place in range(len(rows))]
    write("whole.csv", [{**row, "label": label} for row, label in zip(rows, true, strict=True)])
    write(
        "test.csv",
        [
            {**row, "label": label if n < 20 else ""}
            for n, (row, label) in enumerate(zip(rows, true, strict=True))
        ],
    )
    write("first.csv", read("whole.csv")[:20])
    capsys.readouterr()
    results = {}
    for name in ("test.csv", "first.csv"):
        assert cli.run(["evaluate", "model", name, "--json"]) == 0
        told = capsys.readouterr()
        results[name] = json.loads(told.out)
        assert ("20 documents have nothing in the column 'label' and are not scored" in told.err) == (
            name == "test.csv"
        )
    assert results["test.csv"]["micro_f1"] == results["first.csv"]["micro_f1"]
    assert results["test.csv"]["documents"] == 20


@pytest.mark.usefixtures("place")
def test_sheets_have_a_persons_own_columns_and_the_rows_of_their_program() -> None:
    write(
        "docs.csv",
        [{**row, "row": "mine", "by": "a customer", "stars": n} for n, row in enumerate(read("docs.csv"))],
    )
    fit()
    assert run("next", "model", "docs.csv", "-n", "5", "-o", "next.csv") == 0
    documents, rows = read("docs.csv"), read("next.csv")
    assert list(rows[0])[:5] == ["id", "text", "row", "by", "stars"]
    for row in rows:
        own = documents[int(row["seedtopic_row"]) - 2]  # row 1 has the names
        assert own == {name: row[name] for name in own}
    write("next.csv", [{**row, "checked": "money"} for row in rows])
    label("docs.csv", "out.csv", "--confirmed", "next.csv")
    assert {answer.by for answer in Answers.read("docs.answers.csv")} == {"anna"}  # not the customer


@pytest.mark.usefixtures("place")
def test_a_second_update_waits_or_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    fit("--learn-on")
    held = "import os, sys, fcntl; f = os.open('model', os.O_RDONLY); fcntl.flock(f, fcntl.LOCK_EX); print(flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", held], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        capsys.readouterr()
        assert run("update", "model", "docs.csv") == 2
        assert "model is being updated by another program" in capsys.readouterr().err
        process.communicate()
    assert run("update", "model", "docs.csv") == 0


@pytest.mark.usefixtures("place")
def test_a_model_that_is_being_replaced_never_looks_damaged() -> None:
    fit()
    model = seedtopic.load("model")
    Path("seeds.toml").write_text(SEEDS.replace('"loan"', '"loan", "rate"'))
    fit()
    models, done, failures = [model, seedtopic.load("model")], threading.Event(), []

    def replace() -> None:
        for turn in range(30):
            models[turn % 2].save("model")
        done.set()

    writer = threading.Thread(target=replace)
    writer.start()
    while not done.is_set():
        try:
            seedtopic.load("model")
        except seedtopic.InputError as error:
            failures.append(str(error))
    writer.join()
    assert failures == []


@pytest.mark.usefixtures("place")
def test_answers_in_python() -> None:
    answers = Answers.read("docs.answers.csv")
    texts = [row["text"] for row in read("docs.csv")]
    assert answers.add([Answer(texts[3], answer="Money"), Answer("not here", answer="sports")]) == 2
    outcome = answers.matching(read_documents("docs.csv").texts, names=Names.listed(["sports", "money"]))
    assert outcome.labels == {3: "money"}
    assert label()[3]["source"] == "confirmed"
    fit()
    report = seedtopic.Report.of(seedtopic.load("model"), texts, answers=answers)
    assert {category.name: category.documents for category in report.categories} == {
        "sports": 19,
        "money": 21,
    }


@pytest.mark.usefixtures("place")
def test_explain_discover_and_suggest_read_answers(capsys: pytest.CaptureFixture[str]) -> None:
    fit()
    text = read("docs.csv")[0]["text"]
    Answers.read("docs.answers.csv").add([Answer(text, answer="money")])
    capsys.readouterr()
    assert cli.run(["explain", "model", "docs.csv", "--id", "t0"]) == 0
    assert "people say that it belongs to money" in capsys.readouterr().err
    assert cli.run(["discover", "model", "docs.csv", "-o", "new.toml"]) == 0
    assert "1 document has a category by answers of people" in capsys.readouterr().err
    assert cli.run(["seeds", "suggest", "docs.csv", "--seeds", "seeds.toml"]) == 0
    assert "1 answer: 1 is used" in capsys.readouterr().err
    assert cli.run(["explain", "model", "docs.csv", "--id", "t0", "--answers", "none"]) == 0
    assert "people say" not in capsys.readouterr().err


@pytest.mark.usefixtures("place")
def test_a_row_has_one_number_in_sheets_reports_and_explain(capsys: pytest.CaptureFixture[str]) -> None:
    write("docs.csv", [{"text": row["text"]} for row in read("docs.csv")])
    fit()
    assert run("next", "model", "docs.csv", "-n", "40", "-o", "next.csv") == 0
    assert run("report", "model", "docs.csv", "-o", "report.json") == 0
    report = json.loads(Path("report.json").read_text())
    text_of = {row["row"]: row["text"] for row in read("next.csv")}
    texts = [row["text"] for row in read("docs.csv")]
    assert len(text_of) > 1
    shown = {
        example["id"]: example["text"] for example in (*report["most_certain"], *report["least_certain"])
    }
    for number, text in [*text_of.items(), *shown.items()]:
        assert texts[int(number) - 2] == text  # row 1 has the names of the columns
        capsys.readouterr()
        assert cli.run(["explain", "model", "docs.csv", "--id", number, "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["text"] == text


def test_a_pattern_does_not_take_the_file_of_answers_for_documents(place: Path) -> None:
    rows = read("docs.csv")
    Path("news").mkdir()
    write("news/a.csv", [{**row, "known": "money" if not number else ""} for number, row in enumerate(rows)])
    before = label("news/*.csv", "out.csv", "--confirmed", "known")
    assert [one.answer for one in Answers.read("news/all.answers.csv")] == ["money"]
    again = label("news/*.csv", "again.csv")
    assert [row["text"] for row in again] == [row["text"] for row in before]
    assert again[0]["source"] == "confirmed"
    fit()
    assert run("predict", "model", "news/*.csv", "-o", "many/") == 0
    assert [path.name for path in Path("many").glob("*.csv")] == ["a.csv"]
