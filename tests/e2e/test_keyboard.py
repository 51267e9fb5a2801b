"""Everything without a mouse: keys alone, from the first category to the download."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from corpora import Corpus
from studio_page import StudioPage
from studio_process import Studio


@pytest.mark.both_browsers
def test_the_story_with_keys_alone(
    small_corpus: Corpus, studio_of: Callable[[Corpus], Studio], open_page: Callable[..., StudioPage]
) -> None:
    one = open_page(studio_of(small_corpus).address)
    page, keys = one.page, one.page.keyboard
    one.expect("#welcome").to_be_visible()

    # Categories: n leads to the field, Enter on a bare name leads into its card.
    keys.press("n")
    keys.type("football: Match, goal")
    keys.press("Enter")
    keys.type("music")
    keys.press("Enter")
    one.expect(one.card("music").locator(".add-words")).to_be_focused()
    keys.type("guitar, concert,rain,-oven")
    keys.press("Enter")
    assert one.words("football") == ["match", "goal"]
    assert one.words("music") == ["guitar", "concert", "rain", "oven"]
    reached = sum("oven" in text for text in small_corpus.texts)
    said = f"oven, excluded from music, in {reached} documents"
    one.expect(one.chip("music", "oven")).to_have_attribute("aria-label", said)
    one.wait_for_labels()

    # From the field back to the words; weight, direction, another category, away, and back.
    keys.press("Backspace")
    one.expect(one.chip("music", "oven")).to_be_focused()
    keys.press("ArrowLeft")
    one.expect(one.chip("music", "rain")).to_be_focused()
    keys.press("+")
    one.expect(one.chip("music", "rain").locator(".chip-weight")).to_have_text("×1.5")
    keys.press("x")
    one.expect(one.chip("music", "rain").locator("xpath=..")).to_have_class("chip excluded")
    keys.press("x")
    keys.press("Control+ArrowRight")
    one.expect(one.chip("football", "rain")).to_be_focused()
    assert one.words("music") == ["guitar", "concert", "oven"]
    keys.press("m")
    one.expect('.popover [aria-label="Move to music"]').to_be_focused()
    keys.press("Enter")
    one.expect(one.chip("music", "rain")).to_be_focused()
    keys.press("Delete")
    one.expect(one.chip("music", "oven")).to_be_focused()
    one.expect("#undo").to_have_attribute("aria-label", "Undo: remove 'rain' from music")
    one.edit_and_wait(lambda: keys.press("Control+z"))
    assert one.words("music") == ["guitar", "concert", "oven", "rain"]
    one.edit_and_wait(lambda: keys.press("Control+Shift+z"))
    assert one.words("music") == ["guitar", "concert", "oven"]

    # The category itself: its button, renamed and moved.
    one.card("music").locator(".card-menu").focus()
    keys.press("Enter")
    keys.press("Enter")  # Rename
    keys.type("songs")
    keys.press("Enter")
    one.expect(one.card("songs").locator(".card-menu")).to_be_focused()
    keys.press("Control+ArrowUp")
    one.expect(page.locator(".card").first).to_have_attribute("data-category", "songs")
    one.expect(one.card("songs").locator(".card-menu")).to_be_focused()
    one.wait_for_labels()

    # Documents: search, walk, open, confirm, close.
    keys.press("/")
    keys.type("guitar")
    one.expect("#found").to_contain_text(" of 300 documents")
    for _ in range(6):
        keys.press("Tab")
    one.expect("#filter-clear").to_be_focused()
    keys.press("Tab")
    one.expect("#confirm-all").to_be_focused()
    keys.press("Tab")
    one.expect("#list").to_be_focused()
    keys.press("ArrowDown")
    one.expect("#list").to_have_attribute("aria-activedescendant", "row-1")
    keys.press("Enter")
    one.expect("#document").to_be_focused()
    before = page.locator("#document-name").inner_text()
    one.edit_and_wait(lambda: keys.press("2"))
    one.expect("#document-name").not_to_have_text(before)  # the next one comes
    keys.press("ArrowLeft")
    one.expect('[data-stays="choice football"]').to_have_attribute("aria-pressed", "true")
    one.edit_and_wait(lambda: keys.press("Delete"))
    one.expect('[data-stays="choice football"]').to_have_attribute("aria-pressed", "false")
    keys.press("ArrowRight")
    one.expect("#document-name").not_to_have_text(before)
    keys.press("Escape")
    one.expect("#document").to_be_hidden()
    one.expect("#list").to_be_focused()

    # The map: tabs by arrow keys, the document at the cross by Enter.
    page.locator("#tab-documents").focus()
    keys.press("ArrowRight")
    one.expect("#tab-map").to_be_focused()
    one.expect("#map-note").to_have_text("")
    page.locator("#map-canvas").focus()
    keys.press("+")
    keys.press("ArrowLeft")
    keys.press("Enter")
    one.expect("#document").to_be_focused()
    keys.press("Escape")
    one.expect("#tab-map").to_be_focused()

    # Help and export are dialogs that keep the focus and give it back.
    keys.press("?")
    one.expect("#help").to_be_visible()
    keys.press("Escape")
    page.locator("#export-open").focus()
    keys.press("Enter")
    page.locator('[data-download="seeds.toml"]').focus()
    assert one.download(lambda: keys.press("Enter"), "seeds.toml").stat().st_size > 0
    keys.press("Escape")
    # In Firefox the list of downloads has taken the focus from the page, so that nothing in it counts as focused.
    page.wait_for_function("document.activeElement.id === 'export-open'")


def test_single_keys_can_be_switched_off(
    small_corpus: Corpus, studio_of: Callable[[Corpus], Studio], open_page: Callable[..., StudioPage]
) -> None:
    one = open_page(studio_of(small_corpus).address)
    one.expect("#welcome").to_be_visible()
    one.page.keyboard.press("?")
    one.page.locator("#single-keys").uncheck()
    one.page.keyboard.press("Escape")
    one.page.keyboard.press("n")
    one.expect("#new-category-name").not_to_be_focused()
    one.page.keyboard.press("?")
    one.expect("#help").to_be_hidden()
