"""Checking documents by keys: the next one comes, nothing is overwritten silently, and a whole list at once."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from corpora import Corpus
from studio_page import StudioPage, number
from studio_process import Studio

COUNT_KEYS = "window.pressed = 0; addEventListener('keydown', () => { window.pressed += 1; }, true);"


@pytest.fixture
def one(
    small_corpus: Corpus, studio_of: Callable[[Corpus], Studio], open_page: Callable[..., StudioPage]
) -> StudioPage:
    """A page with the labels of five categories."""
    one = open_page(studio_of(small_corpus).address)
    for name, words in small_corpus.seeds.items():
        one.write(f"{name}: {', '.join(words)}")
    one.wait_for_labels()
    one.page.locator("#list").focus()
    return one


def shown(one: StudioPage) -> str:
    return str(one.page.locator("#document-name").inner_text())


def press(one: StudioPage, key: str) -> None:
    """Press a key that answers, and wait for the next document."""
    before = shown(one)
    one.page.keyboard.press(key)
    one.expect("#document-name").not_to_have_text(before)


@pytest.mark.both_browsers
def test_the_next_document_comes_and_nothing_is_overwritten_silently(one: StudioPage) -> None:
    page, keys = one.page, one.page.keyboard
    keys.press("Enter")
    one.expect("#document-name").to_have_text("Document 0")
    one.expect("#document").to_be_focused()

    # One key, one answer; the focus stays, and it is said what was done and what comes.
    press(one, "1")
    one.expect("#document-name").to_have_text("Document 1")
    one.expect("#document").to_be_focused()
    one.expect("#announcer").to_contain_text("Confirmed as football. Document 1: cooking, ")
    one.expect(one.row(0).locator(".row-confirmed")).to_have_text("✓ confirmed")
    press(one, "Enter")  # the label is right
    one.expect(one.row(1).locator(".row-confirmed")).to_have_text("✓ confirmed")
    press(one, "0")
    one.expect(one.row(2).locator(".row-confirmed")).to_have_text("✓ none of these")
    press(one, "s")
    one.expect(one.row(3).locator(".row-confirmed")).to_have_text("")

    # Several labels: the document stays until one goes on.
    keys.press("+")
    one.expect('[data-stays="choice Several"]').to_have_attribute("aria-pressed", "true")
    keys.press("5")
    one.expect('[data-stays="choice travel"]').to_have_attribute("aria-pressed", "true")
    keys.press("4")
    one.expect('[data-stays="choice music"]').to_have_attribute("aria-pressed", "true")
    one.expect("#document-name").to_have_text("Document 4")
    one.expect(one.row(4).locator(".row-confirmed")).to_have_text("✓ travel and music")

    # Arrows work wherever the focus is, but not where they move something else, nor in a text field.
    page.locator("#theme").focus()
    press(one, "ArrowDown")
    press(one, "ArrowLeft")
    press(one, "ArrowUp")
    press(one, "ArrowUp")
    press(one, "ArrowUp")
    press(one, "ArrowRight")
    one.expect("#document-name").to_have_text("Document 2")
    page.locator("#new-category-name").focus()
    keys.press("3")
    one.expect("#new-category-name").to_have_value("3")
    page.locator("#new-category-name").fill("")
    page.locator("#theme").focus()

    # What is confirmed already needs the key twice, and can be taken back.
    keys.press("3")
    question = "Document 2 is confirmed as none of these. Press the key again to change it to weather."
    one.expect(".toast p").to_have_text(question)
    one.expect("#document-name").to_have_text("Document 2")
    press(one, "3")
    one.expect(".toast p").to_have_text(
        "Document 2 was confirmed as none of these, and is confirmed as weather."
    )
    one.expect(one.row(2).locator(".row-confirmed")).to_have_text("✓ confirmed")
    page.locator(".toast .link-button").click()
    one.expect(one.row(2).locator(".row-confirmed")).to_have_text("✓ none of these")
    press(one, "ArrowLeft")
    keys.press("Delete")
    one.expect(one.row(2).locator(".row-confirmed")).to_have_text("")
    one.expect(".toast p").to_have_text(
        "Document 2 was confirmed as none of these, and is no longer confirmed."
    )


def test_a_key_that_is_held_down_answers_once(one: StudioPage) -> None:
    one.page.keyboard.press("Enter")
    one.expect("#document-name").to_have_text("Document 0")
    for _ in range(4):  # a second `down` is a repetition
        one.page.keyboard.down("1")
    one.page.keyboard.up("1")
    one.expect("#document-name").to_have_text("Document 1")
    one.expect("#checked").to_have_text("· 1 checked")


@pytest.mark.both_browsers
def test_all_of_a_search_are_confirmed_and_taken_back(one: StudioPage, small_corpus: Corpus) -> None:
    page = one.page
    one.expect("#confirm-all").to_be_hidden()
    page.locator("#list").press("1")
    one.expect("#checked").to_have_text("· 1 checked")
    page.locator("#filter-search").fill("match")
    expected = sum("match" in text for text in small_corpus.texts)
    one.expect("#found").to_have_text(f"{expected} of 300 documents")
    one.wait_for_labels()
    page.locator("#confirm-all").click()
    one.expect("#confirm-all-title").to_have_text(f"Confirm {expected - 1} documents?")
    one.expect("#confirm-all-dialog").to_contain_text("1 checked already: they stay as they are.")
    page.locator("#confirm-all-dialog .primary").press("Enter")
    one.expect("#checked").to_have_text(f"· {expected} checked")
    one.expect("#confirm-all").to_be_hidden()
    one.expect(".toast p").to_have_text(f"Confirmed {expected - 1} documents.")
    one.expect("#undo").to_have_attribute("aria-label", f"Undo: confirm {expected - 1} documents")
    page.locator(".toast .link-button").click()
    one.expect("#checked").to_have_text("· 1 checked")

    page.locator("#filter-search").fill("rain")
    others = sum("rain" in text for text in small_corpus.texts)
    one.expect("#found").to_have_text(f"{others} of 300 documents")
    page.locator("#confirm-all").click()
    page.locator("#confirm-all-label").select_option("music")
    page.locator("#confirm-all-dialog .primary").click()
    one.expect("#checked").to_have_text(f"· {others} checked")
    one.wait_for_labels()
    one.expect(one.row(0).locator(".row-label")).to_have_text("music")


def test_a_hundred_answers_take_few_keys_more(one: StudioPage, small_corpus: Corpus) -> None:
    """Two rounds of the queue, checked by keys alone; the label of the corpus answers."""
    page, keys = one.page, one.page.keyboard
    assert small_corpus.labels is not None
    page.evaluate(COUNT_KEYS)
    for _ in range(7):  # from the list back to the button of the queue
        keys.press("Shift+Tab")
        if page.evaluate("document.activeElement.id") == "filter-queue":
            break
    keys.press("Enter")
    one.expect("#found").to_have_text("0 of 50 checked", timeout=60_000)
    keys.press("ArrowDown")
    keys.press("ArrowUp")
    page.locator("#list").focus()
    keys.press("Enter")
    one.expect(".document-text").to_be_visible()
    names, before = [*small_corpus.seeds], ""
    for answered in range(100):
        if answered == 50:
            one.expect("#found").to_contain_text("50 of 50 checked")
            page.locator("#queue-more").focus()
            keys.press("Enter")
            one.expect("#document-name").not_to_have_text(before)
        one.expect("#found").to_contain_text(f"{answered} of {50 if answered < 50 else 100} checked")
        document = number(shown(one))
        before = shown(one)
        keys.press(str(1 + names.index(small_corpus.labels[document])))
        if answered not in (49, 99):
            one.expect("#document-name").not_to_have_text(before)
    one.expect("#found").to_contain_text("100 of 100 checked")
    pressed = page.evaluate("window.pressed")
    print(f"\n{pressed} keys for 100 answers")  # noqa: T201
    assert pressed < 200
    one.wait_for_labels()
    page.locator("#filter-clear").click()
    one.expect("#checked").to_have_text("· 100 checked")
