"""Names, references and contrast of every state, in light and in dark; focus that can be seen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from corpora import Corpus
from studio_page import StudioPage
from studio_process import Studio

CHECKS = Path(__file__).with_name("checks.js").read_text(encoding="utf-8")
FOCUS = """() => {
  const one = document.activeElement;
  if (!one || one === document.body) return null;
  const style = getComputedStyle(one);
  const seen = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
  return [one.id || one.className, seen];
}"""


def checked(one: StudioPage, state: str) -> None:
    answer = one.page.evaluate(CHECKS)
    print(f"{state:24s} least contrast {answer['least']:.2f} of {answer['measured']} texts and shapes")  # noqa: T201
    assert answer["measured"] > 10
    assert answer["found"] == [], state


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_names_references_and_contrast(
    scheme: str,
    small_corpus: Corpus,
    studio_of: Callable[[Corpus], Studio],
    open_page: Callable[..., StudioPage],
) -> None:
    one = open_page(studio_of(small_corpus).address, color_scheme=scheme, reduced_motion="reduce")
    page = one.page
    one.expect("#welcome").to_be_visible()
    checked(one, f"{scheme}, empty")
    for name, words in small_corpus.seeds.items():
        one.write(f"{name}: {', '.join(words)}, -nothing{name}")
    one.wait_for_labels()
    one.expect(one.row(0).locator(".row-label")).not_to_have_text("no label")
    checked(one, f"{scheme}, labels")
    one.edit_and_wait(lambda: one.write("football: thunder"))
    one.row(1).click()
    one.expect(".document-text").to_be_visible()
    checked(one, f"{scheme}, document")
    page.keyboard.press("+")
    page.locator("#filter-queue").click()
    one.expect("#found").to_have_text("0 of 50 checked", timeout=60_000)
    checked(one, f"{scheme}, queue")
    page.locator("#filter-clear").click()
    page.locator("#filter-search").fill("thunder")
    page.locator("#confirm-all").click()
    checked(one, f"{scheme}, confirm all")
    page.keyboard.press("Escape")
    page.locator("#tab-changes").click()
    one.expect(".changes-lead").to_be_visible()
    checked(one, f"{scheme}, changes")
    page.locator("#tab-map").click()
    one.expect("#map-note").to_have_text("")
    checked(one, f"{scheme}, map")
    one.chip("football", "thunder").click()
    checked(one, f"{scheme}, sheet")
    page.keyboard.press("Escape")
    page.locator("#export-open").click()
    checked(one, f"{scheme}, export")
    page.keyboard.press("Escape")
    page.locator("#help-open").click()
    checked(one, f"{scheme}, help")


def test_the_switch_changes_the_colours_and_is_remembered(
    small_corpus: Corpus, studio_of: Callable[[Corpus], Studio], open_page: Callable[..., StudioPage]
) -> None:
    one = open_page(studio_of(small_corpus).address, color_scheme="light")
    one.expect("#welcome").to_be_visible()
    ground = "getComputedStyle(document.body).backgroundColor"
    light = one.page.evaluate(ground)
    one.page.locator("#theme").click()
    one.page.locator("#theme").click()
    one.expect("#theme").to_have_attribute("aria-label", "Colours: dark")
    dark = one.page.evaluate(ground)
    assert dark != light
    one.page.reload()
    one.expect("#theme").to_have_attribute("aria-label", "Colours: dark")
    assert one.page.evaluate(ground) == dark


@pytest.mark.both_browsers
def test_the_tab_key_reaches_all_and_the_focus_is_seen(
    small_corpus: Corpus, studio_of: Callable[[Corpus], Studio], open_page: Callable[..., StudioPage]
) -> None:
    one = open_page(studio_of(small_corpus).address)
    one.expect("#welcome").to_be_visible()
    for name, words in small_corpus.seeds.items():
        one.write(f"{name}: {', '.join(words)}")
    one.wait_for_labels()
    one.page.reload()  # so that the Tab key begins at the beginning
    one.wait_for_labels()
    reached: list[str] = []
    while len(reached) < 150:
        one.page.keyboard.press("Tab")
        focus = one.page.evaluate(FOCUS)
        if focus is None:
            break
        name, seen = focus
        assert seen, f"{name}: nobody sees that it has the focus"
        reached.append(name)
    for wanted in (
        "undo",
        "export-open",
        "theme",
        "help-open",
        "tab-documents",
        "new-category-name",
        "list",
        "filter-search",
    ):
        assert wanted in reached
    for kind in ("icon-button card-menu", "chip-word", "add-words"):
        assert reached.count(kind) == len(small_corpus.seeds)
