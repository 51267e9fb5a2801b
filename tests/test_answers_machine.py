"""People and models answer, rename, merge, edit files and run commands in any order: no answer is lost."""

from __future__ import annotations

import csv
import json
import os
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import openpyxl
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from starlette.testclient import TestClient

from seedtopic import cli, load
from seedtopic.answers.ledger import Answer, Answers
from seedtopic.io.rows import read_documents
from seedtopic.seeds import Seeds
from seedtopic.seeds.names import Names
from seedtopic.web.api import Api
from seedtopic.web.app import make_app
from seedtopic.web.limits import Limits
from seedtopic.web.studio.documents import Collection
from seedtopic.web.studio.session import Session

TEXTS = [
    "the team won the game",
    "a late goal in the game",
    "the bank cut its rate",
    "rate of the bank, rate of all",
    "snow and rain",
    "rain all day",
    "team of the year",
    "=bank note",
    "the snow,\nthe rain",
    "goal; goal; goal",
    "ein früher Schnee, rain",
    "the game of the bank",
    'a "game" of snow',
    "-1 rate",
]
WORDS = {"Sports": ["game", "team", "goal"], "Money": ["bank", "rate"], "Weather": ["rain", "snow"]}
PEOPLE = ("anna", "ben", "cleo")
NONE = "(none of these)"
TOKEN = "of-the-test-1234"

COMMANDS = {
    "shares": ["shares", "model", "docs.csv"],
    "audit": ["audit", "model", "docs.csv", "-n", "10", "-o", "of_a_command.csv"],
    "next": ["next", "model", "docs.csv", "-n", "3", "-o", "of_a_command.csv"],
    "disputed": ["next", "model", "docs.csv", "--disputed", "-o", "of_a_command.csv"],
    "report": ["report", "model", "docs.csv", "-o", "report.md"],
    "explain": ["explain", "model", "docs.csv", "--id", "2"],
    "discover": ["discover", "model", "docs.csv", "-o", "found.toml"],
    "suggest": ["seeds", "suggest", "docs.csv", "--seeds", "seeds.toml"],
    "check": ["seeds", "check", "docs.csv", "--seeds", "seeds.toml"],
    "evaluate": ["evaluate", "model", "true.csv", "--answers", "docs.answers.csv"],
    "update": ["update", "model", "docs.csv"],
    "agreement": ["agreement", "docs.csv"],
    "convert": ["convert", "docs.csv", "--to", "doccano", "--seeds", "seeds.toml", "-o", "for_a_tool.jsonl"],
}

person = st.sampled_from(PEOPLE)
place = st.integers(0, 10_000)
some = st.lists(place, min_size=1, max_size=3)


def decoded(line: bytes) -> str:
    """Read a line of a file whose older lines a spreadsheet program has saved."""
    try:
        return line.decode()
    except UnicodeDecodeError:
        return line.decode("cp1252")


@dataclass
class Said:
    """An answer as the test remembers it."""

    text: str
    by: str
    category: int | None  # its number, which no renaming changes; None for none of these
    written: str  # the answer as it stood in the file


class People(RuleBasedStateMachine):
    """What people do with a collection of texts, its seeds and the files that commands write."""

    def __init__(self) -> None:
        super().__init__()
        self._folder = tempfile.TemporaryDirectory()
        self._before = Path.cwd()
        os.chdir(self._folder.name)
        self.texts = list(TEXTS[:8])
        self.said: list[Said] = []
        self.names: dict[int, str] = dict(enumerate(WORDS))
        self.n_names = len(WORDS)
        self.merged: dict[int, int] = {}
        self.parts: dict[int, list[int]] = {}  # of a category that was split
        self.n_studios = 0
        self.labelled = False  # whether out.csv is there, as the newest output
        # Texts with answers in out.csv that were not given yet, and whether they change a confirmed label.
        self.edited: list[tuple[str, int | None, bool]] = []

    def teardown(self) -> None:
        os.chdir(self._before)
        self._folder.cleanup()
        os.environ.pop("SEEDTOPIC_USER", None)

    # What is there

    @initialize()
    def begin(self) -> None:
        Path("seeds.toml").write_text("".join(f"{name} = {words}\n" for name, words in WORDS.items()))
        self.write()

    def write(self) -> None:
        with open("docs.csv", "w", encoding="utf-8", newline="") as file:
            table = csv.writer(file)
            table.writerow(["number", "text"])
            table.writerows(enumerate(self.texts))

    def run(self, *arguments: str) -> None:
        assert cli.run([*arguments, "-q"]) == 0, arguments

    def fit(self, *more: str) -> None:
        self.run("fit", "docs.csv", "--seeds", "seeds.toml", "--vectors", "none", "-o", "model", *more)
        self.fitted = dict(self.names)

    def alive(self, number: int) -> int | None:
        """Return the category that answers about a category mean today."""
        while number in self.merged:
            number = self.merged[number]
        if number in self.parts:  # as long as it is open which part is meant, they rest
            meant = {self.alive(part) for part in self.parts[number]}
            return meant.pop() if len(meant) == 1 else None
        return number if number in self.names else None

    def category(self, drawn: int) -> int | None:
        """Choose a category, or none of them."""
        numbers = [*self.names, None]
        return numbers[drawn % len(numbers)]

    def word(self, category: int | None, how: int) -> str:
        """Write a category as a person may type it."""
        if category is None:
            return "none"
        name = self.names[category]
        return (name, name.upper(), f" {name} ", name.lower())[how % 4]

    def say(self, text: str, by: str, category: int | None) -> None:
        written = NONE if category is None else self.names[category]
        self.said.append(Said(" ".join(text.split()), by, category, written))

    def has_said(self, by: str, text: str, category: int | None) -> bool:
        """Return whether a person has ever said this of a text."""
        written = NONE if category is None else self.names[category]
        return any(
            (said.text, said.by, said.written) == (" ".join(text.split()), by, written) for said in self.said
        )

    def says(self, by: str, text: str, category: int | None) -> bool:
        """Return whether a person has said this of a text last."""
        written = NONE if category is None else self.names[category]
        own = [said for said in self.said if (said.text, said.by) == (" ".join(text.split()), by)]
        return bool(own) and own[-1].written == written

    def expected(self) -> dict[str, int | None]:
        """Return what the answers about each text come to, for texts on which people do not disagree."""
        newest: dict[tuple[str, str], Said] = {}
        for said in self.said:
            newest[said.text, said.by] = said
        verdicts: dict[str, int | None] = {}
        for text in {said.text for said in self.said}:
            group = [said for (about, _), said in newest.items() if about == text]
            people = [said for said in group if not said.by.startswith("model:")]
            # An answer whose category is gone rests; where only people's rest, a model's does not count.
            votes = Counter(
                None if said.category is None else self.alive(said.category)
                for said in people or group
                if said.category is None or self.alive(said.category) is not None
            ).most_common(2)
            if votes and not (len(votes) > 1 and votes[0][1] == votes[1][1]):
                verdicts[text] = votes[0][0]
        return verdicts

    # What people do

    @rule(by=person, places=some, drawn=place)
    def answer_in_python(self, by: str, places: list[int], drawn: int) -> None:
        category = self.category(drawn)
        texts = [self.texts[place % len(self.texts)] for place in places]
        answer = NONE if category is None else self.names[category]
        Answers.read("docs.answers.csv").add(
            Answer(text, answer=answer, by=by, how="python") for text in texts
        )
        for text in dict.fromkeys(texts):
            self.say(text, by, category)

    @rule(places=some, drawn=place)
    def ask_a_model(self, places: list[int], drawn: int) -> None:
        self.answer_in_python("model:small", places, drawn)

    @rule(by=person, order=st.randoms(use_true_random=False))
    def reorder(self, by: str, order) -> None:  # type: ignore[no-untyped-def]
        order.shuffle(self.texts)
        self.write()

    @precondition(lambda self: len(self.texts) < 24)
    @rule(places=st.lists(st.sampled_from(TEXTS), min_size=1, max_size=3))
    def append_rows(self, places: list[str]) -> None:
        self.texts += places
        self.write()

    @rule(by=person)
    def label(self, by: str) -> None:
        """Label anew; an output that holds answers which were given nowhere else is refused."""
        os.environ["SEEDTOPIC_USER"] = by
        code = cli.run(
            ["label", "docs.csv", "--seeds", "seeds.toml", "-o", "out.csv", "--vectors", "none", "-q"]
        )
        new = [
            (text, category)
            for text, category, change in self.edited
            if not (self.says(by, text, category) if change else self.has_said(by, text, category))
        ]
        assert code == (2 if new else 0)
        if not new:
            self.labelled, self.edited = True, []

    @precondition(lambda self: self.labelled)
    @rule(places=some, drawn=place, how=place, column=st.sampled_from(["predicted", "checked"]))
    def correct_the_output(self, places: list[int], drawn: int, how: int, column: str) -> None:
        """Change labels in the newest output, as in a spreadsheet program."""
        with open("out.csv", encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
        category = self.category(drawn)
        for number in places:
            row = rows[number % len(rows)]
            if row["checked"] or row["predicted"] != row["was_predicted"] or not row["text"].strip():
                continue  # it was corrected before
            if category is None and column == "predicted":
                continue  # there is nothing to write there
            name = None if category is None else self.names[category]
            if column == "predicted" and row["predicted"] == name:
                continue  # it is no change
            twins = [other for other in rows if other["text"].split() == row["text"].split()]
            if any(other["checked"] or other["predicted"] != other["was_predicted"] for other in twins):
                continue  # two answers about one text in one file are refused, which has its own tests
            row[column] = name if column == "predicted" else self.word(category, how)
            self.edited.append((row["text"], category, row["source"] == "confirmed"))
        with open("out.csv", "w", encoding="utf-8-sig", newline="") as file:
            table = csv.DictWriter(file, list(rows[0]))
            table.writeheader()
            table.writerows(rows)

    @precondition(lambda self: self.edited)
    @rule(by=person, form=st.sampled_from(["csv", "xlsx"]))
    def give_the_output_back(self, by: str, form: str) -> None:
        if any(not change and self.has_said(by, text, category) for text, category, change in self.edited):
            return  # what somebody said before, and then otherwise, may be of a sheet that is given again
        os.environ["SEEDTOPIC_USER"] = by
        given = "out.csv"
        if form == "xlsx":
            given = "out.xlsx"
            book = openpyxl.Workbook()
            with open("out.csv", encoding="utf-8-sig", newline="") as file:
                for row in csv.reader(file):
                    book.active.append([cell or None for cell in row])
                    for cell in book.active[book.active.max_row]:
                        if isinstance(cell.value, str):
                            cell.data_type = "s"
            book.save(given)
        self.run(
            "label",
            "docs.csv",
            "--seeds",
            "seeds.toml",
            "--confirmed",
            given,
            "-o",
            "next.csv",
            "--vectors",
            "none",
        )
        os.replace("next.csv", "out.csv")
        for text, category, _ in self.edited:
            self.say(text, by, category)
        self.edited, self.labelled = [], True

    @precondition(lambda self: Path("docs.answers.csv").exists())
    @rule(delimiter=st.sampled_from([",", ";"]), encoding=st.sampled_from(["utf-8", "utf-8-sig", "cp1252"]))
    def save_the_ledger_in_excel(self, delimiter: str, encoding: str) -> None:
        lines = Path("docs.answers.csv").read_bytes().removeprefix(b"\xef\xbb\xbf").splitlines()
        content = "\n".join(map(decoded, lines))
        rows = list(csv.reader(content.splitlines(), delimiter=";" if ";" in content.split("\n")[0] else ","))
        with open("docs.answers.csv", "w", encoding=encoding, newline="") as file:
            csv.writer(file, delimiter=delimiter).writerows(rows)

    @precondition(lambda self: not self.edited)
    @rule(drawn=place)
    def rename(self, drawn: int) -> None:
        number = list(self.names)[drawn % len(self.names)]
        self.n_names += 1
        new = f"Topic {chr(64 + self.n_names % 26)}{self.n_names}"
        self.run("seeds", "rename", "seeds.toml", self.names[number], new)
        self.names[number] = new

    @precondition(lambda self: not self.edited and len(self.names) > 2)
    @rule(first=place, second=place)
    def merge(self, first: int, second: int) -> None:
        numbers = list(self.names)
        one, other = numbers[first % len(numbers)], numbers[second % len(numbers)]
        if one != other:
            name = self.names[one]
            self.run("seeds", "merge", "seeds.toml", name, self.names[other], "--into", name)
            self.merged[other] = one
            del self.names[other]

    @precondition(lambda self: not self.edited and len(self.names) > 2)
    @rule(drawn=place)
    def remove(self, drawn: int) -> None:
        number = list(self.names)[drawn % len(self.names)]
        self.run("seeds", "remove", "seeds.toml", self.names[number])
        del self.names[number]

    @precondition(lambda self: not self.edited and len(self.names) < 6)
    @rule(drawn=place)
    def split(self, drawn: int) -> None:
        number = list(self.names)[drawn % len(self.names)]
        parts = []
        for _ in range(2):
            self.n_names += 1
            parts.append(self.n_names)
            self.names[1000 + self.n_names] = f"Part {self.n_names} rain game bank"
        self.run(
            "seeds", "split", "seeds.toml", self.names[number], *(self.names[1000 + part] for part in parts)
        )
        self.parts[number] = [1000 + part for part in parts]
        del self.names[number]

    @rule(by=person, where=place, drawn=place)
    def answer_in_the_studio(self, by: str, where: int, drawn: int) -> None:
        category, row = self.category(drawn), where % len(self.texts)
        os.environ["SEEDTOPIC_USER"] = by
        self.n_studios += 1
        session = Session(
            Collection(read_documents("docs.csv"), "docs", vectors=None),
            Seeds.read("seeds.toml"),
            Path(f"{self.n_studios}.studio"),
            answers=Answers.read("docs.answers.csv"),
        )
        try:
            labels = [] if category is None else [self.names[category]]
            session.edit({"action": "confirm", "document": row, "labels": labels})
        finally:
            session.close()
        self.say(self.texts[row], by, category)

    @rule(by=person, where=place, drawn=place, how=place)
    def answer_to_the_server(self, by: str, where: int, drawn: int, how: int) -> None:
        self.fit()
        category, text = self.category(drawn), self.texts[where % len(self.texts)]
        api = Api(lambda: load("model"), Limits(), answers=Path("docs.answers.csv"), token=TOKEN)
        app = make_app(api, log=lambda *_: None)
        with TestClient(app, "http://localhost:8000", headers={"X-Seedtopic-Token": TOKEN}) as client:
            answer = {"text": text, "answer": self.word(category, how), "by": by}
            assert client.post("/answers", json={"answers": [answer]}).json()["unnamed"] == []
        self.say(text, by, category)

    @rule(by=person, places=some, drawn=place, how=place, command=st.sampled_from(["next", "audit"]))
    def fill_in_a_sheet(self, by: str, places: list[int], drawn: int, how: int, command: str) -> None:
        self.fit()
        os.environ["SEEDTOPIC_USER"] = by
        category = self.category(drawn)
        sheet = Path(f"sheet_of_{command}.csv")
        sheet.unlink(missing_ok=True)
        self.run(command, "model", "docs.csv", "-n", "24", "-o", sheet.name)
        with sheet.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
        filled = []
        for number in places:
            row = rows[number % len(rows)] if rows else {"text": ""}
            # What somebody has said before may be of a sheet that is given again, and does not count anew.
            if row["text"].strip() and not self.has_said(by, row["text"], category):
                row["checked"] = self.word(category, how)
                filled.append(row["text"])
        if not filled:
            return
        with sheet.open("w", encoding="utf-8", newline="") as file:
            table = csv.DictWriter(file, list(rows[0]))
            table.writeheader()
            table.writerows(rows)
        option = {"next": "--confirmed", "audit": "--checked"}[command]
        output = ["-o", "more.csv"] if command == "next" else []
        Path("more.csv").unlink(missing_ok=True)
        code = cli.run([command, "model", "docs.csv", option, sheet.name, *output, "-q"])
        assert code == 0 or command == "audit"  # which has nothing to measure if all of them are disputed
        for text in dict.fromkeys(filled):
            self.say(text, by, category)

    @precondition(lambda self: self.names)
    @rule(by=person, places=some, drawn=place)
    def annotate_in_a_tool(self, by: str, places: list[int], drawn: int) -> None:
        category = list(self.names)[drawn % len(self.names)]
        texts = dict.fromkeys(self.texts[place % len(self.texts)] for place in places)
        texts = [text for text in texts if not self.has_said(by, text, category)]
        if not texts:
            return
        said = [{"id": 1, "text": text, "label": [self.names[category]]} for text in texts]
        exported = Path(f"{by}.jsonl")
        exported.write_text("".join(json.dumps(one) + "\n" for one in said))
        self.run("convert", exported.name, "--from", "doccano", "--answers", "docs.answers.csv")
        for text in texts:
            self.say(text, by, category)

    @rule()
    def predict(self) -> None:
        """A model that was fitted before answers labels an answered text by its answer."""
        if not Path("model").exists():
            self.fit()
        if set(self.fitted.values()) != set(self.names.values()):
            return  # its names are of before
        self.run("predict", "model", "docs.csv", "-o", "p.jsonl")
        expected = self.expected()
        with open("p.jsonl", encoding="utf-8") as file:
            for row in map(json.loads, file):
                about = " ".join(row["text"].split())
                assert (row["source"] == "confirmed") == (about in expected), row
                if about in expected:
                    number = expected[about]
                    assert row["predicted"] == (None if number is None else self.names[number]), row

    @rule(command=st.sampled_from(list(COMMANDS)))
    def run_a_command(self, command: str) -> None:
        """A command that is given no answers leaves those that are there as they are."""
        self.fit("--learn-on")
        with open("true.csv", "w", encoding="utf-8", newline="") as file:
            table = csv.writer(file)
            names = list(self.names.values())
            table.writerow(["text", "label"])
            table.writerows([text, names[place % len(names)]] for place, text in enumerate(self.texts))
        ledger = Path("docs.answers.csv")
        before = ledger.read_bytes() if ledger.exists() else None
        code = cli.run([*COMMANDS[command], "-q"])
        assert code == 0 or command == "agreement"  # which needs two people
        assert (ledger.read_bytes() if ledger.exists() else None) == before
        Path("of_a_command.csv").unlink(missing_ok=True)

    # What must be true after each step

    @invariant()
    def every_answer_is_there(self) -> None:
        rows = list(Answers.read("docs.answers.csv"))
        left = Counter((row.text, row.by, row.answer) for row in rows)
        newest: dict[tuple[str, str], Said] = {}
        for said in self.said:
            assert left[said.text, said.by, said.written], said
            newest[said.text, said.by] = said
        assert all(row.by in (*PEOPLE, "model:small") for row in rows), "an answer that nobody gave"
        assert {(row.text, row.by) for row in rows} == set(newest)

    @invariant()
    def every_answer_is_applied_to_its_texts_alone(self) -> None:
        if not Path("seeds.toml").exists():
            return
        seeds = Seeds.read("seeds.toml")
        assert set(map(str, seeds.names)) == set(self.names.values())
        outcome = Answers.read("docs.answers.csv").matching(self.texts, names=Names.of(seeds))
        expected = self.expected()
        for number, text in enumerate(self.texts):
            about = " ".join(text.split())
            if about not in expected:
                assert number not in {*outcome.labels, *outcome.none}, text
            elif expected[about] is None:
                assert number in outcome.none, text
            else:
                assert outcome.labels[number] == self.names[expected[about]], text

    @precondition(lambda self: self.labelled and not self.edited)
    @invariant()
    def the_output_says_who_has_said_so(self) -> None:
        with open("out.csv", encoding="utf-8-sig", newline="") as file:
            for row in csv.DictReader(file):
                assert (row["source"] == "confirmed") <= any(
                    said.text == " ".join(row["text"].split()) for said in self.said
                )


def programs(number: int) -> None:
    run_state_machine_as_test(
        People,
        settings=settings(
            max_examples=number,
            stateful_step_count=24,
            deadline=None,
            derandomize=number < 100,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.generate],  # a program without a finding needs no shrinking, and takes its time
        ),
    )


def test_a_few_programs() -> None:
    programs(8)


@pytest.mark.slow
def test_many_programs() -> None:
    programs(int(os.environ.get("SEEDTOPIC_PROGRAMS", "150")))
