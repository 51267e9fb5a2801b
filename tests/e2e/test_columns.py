"""The other columns of the documents' file: shown, filtered and sorted by, and never markup."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from corpora import Corpus, with_columns
from studio_page import StudioPage
from studio_process import Studio


@pytest.mark.both_browsers
def test_columns_are_shown_filtered_and_sorted(
    studio_of: Callable[[Corpus], Studio], open_page: Callable[..., StudioPage]
) -> None:
    one = open_page(studio_of(with_columns()).address)
    page = one.page
    column, value, order = (page.locator(f"#filter-{name}") for name in ("column", "value", "order"))
    column.select_option("subject")
    value.select_option("music")
    one.expect("#found").to_have_text("60 of 300 documents")
    one.expect(one.row(0).locator(".row-name")).to_have_text("note-3")
    order.select_option("pages: largest first")
    one.expect(one.row(0).locator(".row-name")).to_have_text("note-128")
    one.row(0).click()
    one.expect(page.locator(".columns div").first).to_have_text("pages296")
    assert page.locator(".columns dt").all_inner_texts()[:3] == ["pages", "written", "subject"]
    order.select_option("written: oldest first")
    one.expect(one.row(0).locator(".row-name")).to_have_text("note-168")

    # Of many values, a part of the text is typed.
    page.locator("#filter-clear").click()
    one.expect("#found").to_have_text("300 documents")
    column.select_option("author")
    one.expect(value).to_be_hidden()
    page.locator("#filter-contains").fill("Author 9")
    one.expect("#found").to_have_text("24 of 300 documents")  # 9 and 90 to 96, three of each

    # Names and values of columns are text.
    column.select_option("<b>shop</b>")
    value.select_option("<img src=x onerror='window.taken = true'>")
    one.expect("#found").to_have_text("150 of 300 documents")
    one.row(0).click()
    one.expect(page.locator(".columns dt").last).to_have_text("<b>shop</b>")
    assert page.locator("#filters b, #filters img, #document b, #document img").count() == 0
    assert page.evaluate("window.taken") is None
