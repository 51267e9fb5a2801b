"""A suggestion goes where it belongs: to its card, to another category, or to a new one; by mouse, key and finger."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from corpora import Corpus
from studio_page import StudioPage
from studio_process import Studio


def suggested(one: StudioPage, category: str, place: int = 0) -> tuple[Any, str]:
    found = one.card(category).locator(".suggested:visible").nth(place).locator(".suggestion")
    return found, str(found.locator("span").first.inner_text()).removeprefix("+ ")


def drag(one: StudioPage, start: Any, end: Any) -> None:
    start.scroll_into_view_if_needed()
    here = start.bounding_box()
    one.page.mouse.move(here["x"] + 12, here["y"] + 8)
    one.page.mouse.down()
    one.page.mouse.move(here["x"] + 30, here["y"] + 20, steps=3)
    there = end.bounding_box()  # the place for a new category appears with the drag
    one.page.mouse.move(there["x"] + there["width"] / 2, there["y"] + 20, steps=3)
    one.expect(end).to_have_class("drop-new drop-here" if end.get_attribute("id") else "card drop-here")
    one.page.mouse.up()


@pytest.mark.both_browsers
def test_a_suggestion_is_moved_to_another_category_and_to_a_new_one(
    small_corpus: Corpus, studio_of: Callable[[Corpus], Studio], open_page: Callable[..., StudioPage]
) -> None:
    one = open_page(studio_of(small_corpus).address)
    page, keys = one.page, one.page.keyboard
    for name, words in small_corpus.seeds.items():
        one.write(f"{name}: {', '.join(words)}")
    one.wait_for_labels()

    # By mouse, to another card: there it is a seed, and here it is not.
    suggestion, word = suggested(one, "football")
    one.edit_and_wait(lambda: drag(one, suggestion, one.card("music")))
    assert one.words("music")[-1] == word
    assert word not in one.words("football")

    # By mouse, to the top: a new category, whose name can be typed at once; one undo takes it back.
    suggestion, word = suggested(one, "cooking")
    one.edit_and_wait(lambda: drag(one, suggestion, page.locator("#drop-new")))
    one.expect(".rename").to_be_focused()
    keys.type("kitchen")
    keys.press("Enter")
    one.expect(one.card("kitchen").locator(".card-menu")).to_be_focused()
    assert one.words("kitchen") == [word]
    one.expect("#undo").to_have_attribute("aria-label", re.compile("rename"))  # it is answered
    one.edit_and_wait(page.locator("#undo").click)
    one.edit_and_wait(page.locator("#undo").click)
    one.expect(one.card(word)).to_have_count(0)

    # By keys: m opens the menu of a suggestion.
    suggestion, word = suggested(one, "weather")
    suggestion.focus()
    keys.press("m")
    one.expect('.popover [aria-label="Add to football"]').to_be_focused()
    keys.press("ArrowDown")
    keys.press("Enter")
    one.expect(one.chip("cooking", word)).to_be_focused()
    one.wait_for_labels()
    suggestion, word = suggested(one, "weather")
    suggestion.focus()
    keys.press("m")
    keys.press("ArrowUp")
    one.expect('.popover [aria-label="Add to a new category"]').to_be_focused()
    keys.press("Enter")
    one.expect(".rename").to_be_focused()
    keys.press("Escape")
    assert one.words(word) == [word]

    # A seed word, too, makes a new category.
    one.edit_and_wait(lambda: drag(one, one.chip("travel", "hotel"), page.locator("#drop-new")))
    keys.press("Escape")
    assert (one.words("travel"), one.words("hotel")) == (["train"], ["hotel"])


def test_a_finger_opens_the_menu_of_a_suggestion(
    small_corpus: Corpus, studio_of: Callable[[Corpus], Studio], open_page: Callable[..., StudioPage]
) -> None:
    phone = {"viewport": {"width": 360, "height": 720}, "has_touch": True, "is_mobile": True}
    one = open_page(studio_of(small_corpus).address, **phone)
    one.write("football: match, goal")
    one.write("music: guitar, concert")
    one.wait_for_labels()
    suggestion, word = suggested(one, "football")
    suggestion.locator("xpath=..").locator(".suggestion-more").tap()
    one.edit_and_wait(one.page.locator('.popover [aria-label="Add to music"]').tap)
    assert one.words("music")[-1] == word
