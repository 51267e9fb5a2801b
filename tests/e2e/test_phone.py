"""On a phone: one view at a time, nothing wider than the screen, everything large enough for a finger."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from corpora import Corpus
from studio_page import StudioPage
from studio_process import Studio

PHONE = {"viewport": {"width": 360, "height": 720}, "has_touch": True, "is_mobile": True}
# Controls that reach out of the screen sideways, or are smaller than WCAG 2.2 asks for (24 pixels).
MISFITS = """() => {
  const found = [];
  for (const one of document.querySelectorAll("button, input, select, canvas, summary")) {
    const box = one.getBoundingClientRect();
    if (!box.width || !one.checkVisibility({ visibilityProperty: true }) || one.closest(".hidden, [inert]")) continue;
    const sideways = box.left < -1 || box.right > innerWidth + 1;
    const small = box.width < 24 || box.height < 22;
    if (sideways || small) found.push(`${one.id || one.className} ${Math.round(box.width)}x${Math.round(box.height)} at ${Math.round(box.left)}`);
  }
  return found;
}"""


def fits(one: StudioPage) -> None:
    wide = "[document.documentElement.scrollWidth, document.body.scrollWidth, innerWidth]"
    document, body, screen = one.page.evaluate(wide)
    assert max(document, body) <= screen
    assert one.page.evaluate(MISFITS) == []


@pytest.mark.parametrize("width", [360, 400])
def test_every_view_fits_a_phone(
    width: int,
    small_corpus: Corpus,
    studio_of: Callable[[Corpus], Studio],
    open_page: Callable[..., StudioPage],
) -> None:
    phone = {**PHONE, "viewport": {"width": width, "height": 720}}
    one = open_page(studio_of(small_corpus).address, **phone)
    page = one.page
    one.expect("#welcome").to_be_visible()
    fits(one)
    for name, words in small_corpus.seeds.items():
        one.write(f"{name}: {', '.join(words)}")
    one.write("a category with quite a long name: donaudampfschiffahrtsgesellschaftskapitän, thunder")
    one.wait_for_labels()
    fits(one)

    # A finger moves words by their sheet.
    one.chip("football", "goal").tap()
    page.locator('.popover [aria-label="Move to weather"]').wait_for()
    fits(one)
    one.edit_and_wait(page.locator('.popover [aria-label="Move to weather"]').tap)
    assert "goal" in one.words("weather")

    page.locator("#tab-documents").tap()
    one.expect("#words").to_be_hidden()
    one.expect(one.row(0).locator(".row-label")).not_to_have_text("no label")
    fits(one)
    one.row(2).tap()
    one.expect(".document-text").to_be_visible()
    fits(one)
    one.edit_and_wait(page.locator('[data-stays="choice music"]').tap)
    page.locator('[data-stays="close"]').tap()
    one.expect("#document").to_be_hidden()
    one.expect(one.row(2).locator(".row-confirmed")).to_have_text("✓ confirmed")

    page.locator("#tab-map").tap()
    one.expect("#map-note").to_have_text("")
    fits(one)
    page.locator("#tab-changes").tap()
    one.expect(".changes-lead").to_be_visible()
    fits(one)
    page.locator("#export-open").tap()
    one.expect("#export").to_be_visible()
    fits(one)
    page.keyboard.press("Escape")
    page.locator("#help-open").tap()
    fits(one)
