"""Answers in the studio: kept in the ledger alone, with whoever else adds to it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from seedtopic import Answer, Answers, InputError, Seeds
from seedtopic.io.rows import Rows
from seedtopic.web.studio.documents import Collection
from seedtopic.web.studio.export import save_into, write_export
from seedtopic.web.studio.session import Session

PATIENCE = 60.0
SEEDS = {"sport": ["game", "goal"], "money": ["bank", "rate"], "weather": ["rain", "snow"]}
TEXTS = [f"the {words[number % 2]} of note {number}" for number, words in enumerate([*SEEDS.values()] * 12)]
Opened = Callable[..., Session]


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Opened]:
    """Open studios on documents, each with a workspace of its own and all with one ledger."""
    monkeypatch.setenv("SEEDTOPIC_USER", "ada")
    sessions = []

    def open_one(
        texts: list[str] = TEXTS, workspace: str = "notes.studio", ids: list[str] | None = None
    ) -> Session:
        rows = [{"text": text, "stars": place} for place, text in enumerate(texts)]
        collection = Collection(Rows(texts=texts, rows=rows, ids=ids), "notes", vectors=None)
        ledger = Answers.read(tmp_path / "notes.answers.csv")
        sessions.append(Session(collection, Seeds(SEEDS), tmp_path / workspace, answers=ledger, pause=0.0))
        return sessions[-1]

    yield open_one
    for session in sessions:
        session.close()


def confirm(session: Session, document: int, *labels: str) -> dict[str, Any]:
    return session.edit({"action": "confirm", "document": document, "labels": list(labels)})


def names(session: Session) -> dict[int, list[str]]:
    """Return what each document with an answer is, by names."""
    name_of = {category.key: category.name for category in session.draft.categories}
    return {row: [name_of[key] for key in keys] for row, keys in session.draft.confirmed.items()}


def kept(tmp_path: Path) -> list[tuple[str, str, str]]:
    """Return the rows of the ledger: text, answer, and how it came."""
    return [(row.text, row.answer, row.how) for row in Answers.read(tmp_path / "notes.answers.csv")]


def test_each_answer_is_a_row_and_undo_adds_one(opened: Opened, tmp_path: Path) -> None:
    session = opened()
    session.start()
    session.wait_until_settled(PATIENCE)
    confirm(session, 0, "money")
    confirm(session, 1, "sport", "money")
    confirm(session, 2)
    confirm(session, 0, "weather")
    assert names(session) == {0: ["weather"], 1: ["sport", "money"], 2: []}
    for expected in (
        {0: ["money"], 1: ["sport", "money"], 2: []},
        {0: ["money"], 1: ["sport", "money"]},
        {0: ["money"]},
        {},
    ):
        session.edit({"action": "undo"})
        assert names(session) == expected
    for _ in range(4):
        session.edit({"action": "redo"})
    assert names(session) == {0: ["weather"], 1: ["sport", "money"], 2: []}
    none, gone = "(none of these)", "(withdrawn)"
    first = [(TEXTS[0], "money"), (TEXTS[1], "sport; money"), (TEXTS[2], none), (TEXTS[0], "weather")]
    back = [(TEXTS[0], "money"), (TEXTS[2], gone), (TEXTS[1], gone), (TEXTS[0], gone)]
    assert kept(tmp_path) == [(text, answer, "studio") for text, answer in (*first, *back, *first)]
    rows = Answers.read(tmp_path / "notes.answers.csv")
    assert [(row.by, row.predicted) for row in rows][:3] == [
        ("ada", "sport"),
        ("ada", "money"),
        ("ada", "weather"),
    ]
    assert not set(TEXTS) & set((tmp_path / "notes.studio").read_text().split('"'))


def test_documents_may_be_appended_put_in_another_order_and_edited(opened: Opened) -> None:
    first = opened()
    for document in range(10):
        confirm(first, document, "money")
    first.close()
    texts = [*TEXTS[9::-1], *TEXTS[10:], "rain in the new month"]
    texts[0] = "edited since"
    second = opened(texts)
    assert second.reopened
    assert names(second) == {row: ["money"] for row in range(1, 10)}
    answers = second.state()["answers"]
    assert answers["sentence"] == "10 answers: 9 are used, 1 is about a text that is not here"
    assert answers["unused"] == 1
    assert second.state()["undo"] == "confirm document 9 as money"
    second.edit({"action": "undo"})  # of the text that is not here: it is withdrawn, too
    second.edit({"action": "undo"})
    assert names(second) == {row: ["money"] for row in range(2, 10)}


def test_all_copies_of_a_text_get_its_answer(opened: Opened) -> None:
    texts = [*TEXTS, f"  {TEXTS[3]}\n", TEXTS[3].replace(" ", "  ")]
    session = opened(texts)
    state = confirm(session, 3, "money")
    assert state["undo"] == "confirm document 3 as money, and 2 copies of its text"
    assert names(session) == {3: ["money"], 36: ["money"], 37: ["money"]}
    assert session.answers_about(36) == "3 documents have this text, and have its answer together."
    assert session.answers_about(4) is None
    assert session.edit({"action": "undo"})["confirmed"] == 0


def test_two_studios_and_a_spreadsheet_lose_no_answer(opened: Opened, tmp_path: Path) -> None:
    one, two = opened(), opened(workspace="other.studio")
    for document in range(0, 20, 2):
        confirm(one, document, "money")
        confirm(two, document + 1, "sport")
    assert names(one).keys() == set(range(19)) and one.state()["confirmed"] == 20  # noqa: PT018
    assert names(one) == names(two) | {19: ["sport"]}
    revision = two.state()["revision"]
    path = tmp_path / "notes.answers.csv"
    as_excel = (
        path.read_text("utf-8-sig").replace("sport", "Weather ").replace(",", ";").replace("\n", "\r\n")
    )
    path.write_bytes(as_excel.encode("cp1252"))
    assert one.state()["confirmed"] == 20
    assert names(one)[1] == ["weather"]
    assert two.state()["revision"] > revision
    confirm(two, 30, "sport")
    assert one.state()["confirmed"] == 21
    assert len(Answers.read(path)) == 21


def test_a_change_of_the_file_is_noticed_without_a_request(
    opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("seedtopic.web.studio.session.LOOKS", 0.01)
    session = opened()
    session.start()
    session.wait_until_settled(PATIENCE)
    Answers.read(tmp_path / "notes.answers.csv").add([Answer(TEXTS[4], answer="weather", by="bob")])
    end = time.monotonic() + PATIENCE
    while not session.draft.confirmed:
        assert time.monotonic() < end
    assert names(session) == {4: ["weather"]}
    assert session.wait_until_settled(PATIENCE).key[4] == session.draft.category("weather").key


def test_a_file_that_cannot_be_read_now_is_named_and_nothing_is_forgotten(
    opened: Opened, tmp_path: Path
) -> None:
    session = opened()
    confirm(session, 0, "money")
    path = tmp_path / "notes.answers.csv"
    content = path.read_bytes()
    path.write_text("other,columns\n1,2\n")
    state = session.state()
    assert state["confirmed"] == 1
    assert "is no file of answers" in state["answers"]["problems"][0]
    with pytest.raises(InputError, match="is no file of answers"):
        confirm(session, 1, "money")
    assert session.state()["undo"] == "confirm document 0 as money"
    path.write_bytes(content)
    assert session.state()["answers"]["problems"] == []
    assert confirm(session, 1, "money")["confirmed"] == 2


def test_who_disagrees_is_said(opened: Opened, tmp_path: Path) -> None:
    session = opened()
    ledger = Answers.read(tmp_path / "notes.answers.csv")
    ledger.add([Answer(TEXTS[0], answer="money", by="bob"), Answer(TEXTS[1], answer="sport", by="bob")])
    assert names(session) == {} and session.state()["confirmed"] == 2  # noqa: PT018
    confirm(session, 0, "sport")
    assert names(session) == {1: ["sport"]}
    assert (
        session.answers_about(0)
        == "People disagree: bob said money; ada said sport. As it stands, none of it counts."
    )
    ledger.add([Answer(TEXTS[0], answer="money", by="cem")])
    assert session.state()["confirmed"] == 2
    assert (
        session.answers_about(0)
        == "People disagree: bob and cem said money; ada said sport. As it stands, money counts."
    )
    session.edit({"action": "confirm", "document": 0, "label": None})
    assert session.answers_about(0) is None
    with pytest.raises(InputError, match="you have not answered document 1"):
        session.edit({"action": "confirm", "document": 1, "label": None})


def test_an_undo_leaves_what_was_said_elsewhere_since(opened: Opened, tmp_path: Path) -> None:
    session = opened()
    confirm(session, 0, "money")
    Answers.read(tmp_path / "notes.answers.csv").add(
        [Answer(TEXTS[0], answer="weather", by="ada", how="sheet.xlsx")]
    )
    session.state()
    session.edit({"action": "undo"})
    assert names(session) == {0: ["weather"]}


def test_a_document_without_a_text_has_no_answer(opened: Opened, tmp_path: Path) -> None:
    session = opened([*TEXTS, "", " \n"], ids=[f"t{number}" for number in range(38)])
    with pytest.raises(InputError, match="without a text can have no answer"):
        confirm(session, 36, "money")
    session.confirm_many({0: "money", 36: "money", 37: "money"})
    assert names(session) == {0: ["money"]}
    assert [row.id for row in Answers.read(tmp_path / "notes.answers.csv")] == ["t0"]


def test_skipped_documents_are_skipped_in_later_sessions_and_answers_stay(opened: Opened) -> None:
    session = opened()
    confirm(session, 0, "money")
    session.skip(0)
    session.skip(1)
    session.close()
    again = opened()
    assert names(again) == {0: ["money"]}
    assert again.draft.skipped == {1}
    assert confirm(again, 1, "sport")["confirmed"] == 2
    assert again.draft.skipped == set()


def test_names_have_a_history(opened: Opened, tmp_path: Path) -> None:
    session = opened()
    for document in range(30):
        confirm(session, document, ("sport", "money", "weather")[document % 3])
    merge = {"action": "merge_category", "category": "weather", "into": "money"}
    assert session.moves(merge) == {
        "done": "merge 'weather' into 'money'",
        "sentence": "10 answers move to 'money', 20 stay",
        "move": {"money": 10},
        "stay": 20,
        "rest": 0,
    }
    assert session.state()["undo"] == "confirm document 29 as weather"  # nothing is done yet
    session.edit({"action": "rename_category", "category": "money", "name": "finance"})
    assert session.edit({**merge, "into": "finance"})["confirmed"] == 30
    assert names(session) == {row: ["sport" if row % 3 == 0 else "finance"] for row in range(30)}
    remove = {"action": "remove_category", "category": "sport"}
    assert session.moves(remove)["rest"] == 10
    state = session.edit(remove)
    assert (state["confirmed"], state["answers"]["unused"]) == (20, 10)
    assert "10 name no category ('sport')" in state["answers"]["sentence"]
    assert session.edit({"action": "undo"})["confirmed"] == 30
    session.edit({"action": "redo"})
    session.close()
    again = opened()
    assert again.state()["confirmed"] == 20
    again.edit({"action": "add_category", "name": "Sport"})  # in any case of letters
    assert again.state()["confirmed"] == 30
    write_export(again, "seeds", tmp_path / "seeds.toml")
    assert Seeds.read(tmp_path / "seeds.toml").entries["finance"].formerly == ("weather", "money")
    assert len(kept(tmp_path)) == 30


def test_an_export_is_a_sheet_to_correct_and_overwrites_no_answer(opened: Opened, tmp_path: Path) -> None:
    session = opened()
    session.start()
    confirm(session, 0, "money")
    path = save_into(session, "labels", "labels.xlsx", tmp_path)
    book = openpyxl.load_workbook(path)
    sheet = book.worksheets[0]
    header = [cell.value for cell in sheet[1]]
    assert {"text", "stars", "predicted", "source", "checked", "was_predicted"} <= {*header}
    assert sheet.cell(2, header.index("source") + 1).value == "confirmed"
    sheet.cell(5, header.index("checked") + 1, "weather")
    book.save(path)
    with pytest.raises(InputError, match=r"labels.xlsx holds 1 answer that would be overwritten"):
        save_into(session, "labels", "labels.xlsx", tmp_path, replace_file=True)
    with pytest.raises(InputError, match="holds documents, answers or the workspace, and stays"):
        save_into(session, "labels", "notes.answers.csv", tmp_path, replace_file=True)
    assert len(kept(tmp_path)) == 1


def test_an_answer_is_taken_fast_among_ten_thousand(opened: Opened, tmp_path: Path) -> None:
    texts = [f"{TEXTS[number % 36]} and {number}" for number in range(12_000)]
    answers = Answers.read(tmp_path / "notes.answers.csv")
    answers.add(Answer(text, answer="money", how="sheet.xlsx") for text in texts[:10_000])
    session = opened(texts)
    times = []
    for document in range(10_000, 10_011):
        begin = time.process_time()
        assert confirm(session, document, "sport")["confirmed"] == document + 1
        times.append(time.process_time() - begin)
    assert sorted(times)[5] < 0.05
