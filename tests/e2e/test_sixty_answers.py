"""Answers from the studio and from a spreadsheet, over months: none is lost, and all are applied."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest
from corpora import Corpus, invented
from studio_page import StudioPage
from studio_process import Studio

from seedtopic import Answers, cli

NAMES = [*invented().seeds]


def confirm(one: StudioPage, first: int, last: int, category: str) -> None:
    """Confirm documents of the list one after another, by keys."""
    key = str(1 + NAMES.index(category))
    one.row(first).click()
    for document in range(first, last):
        one.expect("#document-name").to_have_text(f"Document {document}")
        one.page.keyboard.press(key)
        one.expect("#document-name").not_to_have_text(f"Document {document}")


def shows(one: StudioPage, text: str, category: str) -> None:
    """Search for a document: it is labelled and confirmed as a category."""
    one.page.locator("#filter-search").fill(text)
    one.expect("#found").to_contain_text("1 of 350 documents")
    one.expect(one.row(0).locator(".row-label")).to_have_text(category)
    one.expect(one.row(0).locator(".row-confirmed")).to_have_text("✓ confirmed")
    one.page.locator("#filter-clear").click()


@pytest.mark.both_browsers
def test_sixty_answers_of_sixty_are_there_and_applied(
    studio_of: Callable[[Corpus], Studio],
    open_page: Callable[..., StudioPage],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SEEDTOPIC_USER", "ada")
    corpus = invented()
    studio = studio_of(corpus)
    documents, ledger = studio.documents, studio.documents.with_name("notes.answers.csv")
    one = open_page(studio.address)
    for name, words in corpus.seeds.items():
        one.write(f"{name}: {', '.join(words)}")
    one.wait_for_labels()

    # Thirty documents are corrected in the studio, all to another category.
    confirm(one, 0, 30, "music")
    one.expect("#checked").to_have_text("· 30 checked")
    one.wait_for_labels()
    one.page.locator("#export-open").click()
    one.expect(".export-note").to_contain_text("Answers are in notes.answers.csv. 30 answers: 30 are used.")
    sheet = one.download(one.page.locator('[data-download="labels.xlsx"]').click, "labels.xlsx")
    seeds = one.download(one.page.locator('[data-download="seeds.toml"]').click, "seeds.toml")
    one.page.locator("#export").press("Escape")
    one.page.close()
    studio.end()
    assert len(Answers.read(ledger)) == 30

    # Thirty more in a spreadsheet: half of them in the column for it, half by changing the label.
    book = openpyxl.load_workbook(sheet)
    cells = book.worksheets[0]
    column = {cell.value: cell.column for cell in cells[1]}
    for row in range(32, 62):
        said = row % 2 or cells.cell(row, column["predicted"]).value == "travel"
        cells.cell(row, column["checked" if said else "predicted"], "Travel " if said else "travel")
    corrected = tmp_path / "corrected.xlsx"
    book.save(corrected)
    labelled = tmp_path / "labelled.jsonl"
    command = ["label", str(documents), "--seeds", str(seeds), "--confirmed", str(corrected)]
    assert cli.run([*command, "-o", str(labelled), "--quiet"]) == 0
    rows = [json.loads(line) for line in labelled.read_text().splitlines()]
    assert [row["predicted"] for row in rows[:60]] == ["music"] * 30 + ["travel"] * 30
    assert len(Answers.read(ledger)) == 60

    # The next month is appended; the studio opens again, and two categories are merged.
    with documents.open("a", encoding="utf-8") as file:
        for number in range(50):
            file.write(json.dumps({"text": f"In the new month the train came {number} times."}) + "\n")
    studio.start()
    one = open_page(studio.address)
    one.wait_for_labels()
    one.expect("#found").to_contain_text("350")
    one.expect("#checked").to_have_text("· 60 checked")
    menu = one.card("travel").locator(".card-menu")
    menu.click()
    one.page.get_by_role("button", name="Merge into…").click()
    one.page.locator(".popover").get_by_role("button", name="football").click()
    one.expect(".popover .sheet-label").to_have_text("30 answers move to 'football', 30 stay.")
    one.edit_and_wait(one.page.get_by_role("button", name="Merge into football").click)
    assert set(corpus.seeds["travel"]) <= set(one.words("football"))
    one.expect("#checked").to_have_text("· 60 checked")
    shows(one, corpus.texts[30], "football")
    one.page.close()
    studio.end()

    # Opened again, everything is there, and can be undone.
    studio.start()
    one = open_page(studio.address)
    one.wait_for_labels()
    one.expect("#checked").to_have_text("· 60 checked")
    for document, name in ((0, "music"), (29, "music"), (30, "football"), (59, "football")):
        shows(one, corpus.texts[document], name)
    one.expect("#undo").to_have_attribute("aria-label", "Undo: merge 'travel' into 'football'")
    one.edit_and_wait(one.page.locator("#undo").click)
    shows(one, corpus.texts[30], "travel")
    one.expect("#undo").to_have_attribute("aria-label", "Undo: confirm document 29 as music")
    one.edit_and_wait(one.page.locator("#undo").click)
    one.expect("#checked").to_have_text("· 59 checked")
    one.edit_and_wait(one.page.locator("#redo").click)
    one.expect("#checked").to_have_text("· 60 checked")
    rows_kept = Answers.read(ledger)
    assert len(rows_kept) == 62  # sixty, one that is taken back, and the same again
    assert {(row.by, row.how) for row in rows_kept} == {("ada", "studio"), ("ada", "corrected.xlsx")}

    # What somebody else adds meanwhile is seen without a click.
    rows_kept.add([rows_kept[0]._replace(text=corpus.texts[100], answer="weather", by="bob", at="")])
    one.expect("#checked").to_have_text("· 61 checked", timeout=30_000)


def test_a_category_is_removed_after_it_is_said_what_rests(
    studio_of: Callable[[Corpus], Studio], open_page: Callable[..., StudioPage]
) -> None:
    corpus = invented()
    one = open_page(studio_of(corpus).address)
    for name, words in corpus.seeds.items():
        one.write(f"{name}: {', '.join(words)}")
    one.wait_for_labels()
    confirm(one, 0, 3, "music")
    one.wait_for_labels()
    one.card("music").locator(".card-menu").click()
    one.page.get_by_role("button", name="Remove…").click()
    one.expect(".popover .sheet-label").to_contain_text("3 answers rest: they are kept and count again when")
    one.edit_and_wait(one.page.get_by_role("button", name="Remove music").click)
    one.expect("#toasts").to_contain_text("3 answers: 3 name no category ('music').")
    one.expect("#checked").to_have_text("")
    one.edit_and_wait(one.page.locator("#undo").click)
    one.expect("#checked").to_have_text("· 3 checked")
