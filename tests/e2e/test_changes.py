"""What a refit has changed: documents by their ids, which open them."""

from __future__ import annotations

from collections.abc import Callable

from corpora import Corpus, with_columns
from studio_page import StudioPage
from studio_process import Studio


def test_moved_documents_are_named_by_their_ids_and_opened(
    studio_of: Callable[[Corpus], Studio], open_page: Callable[..., StudioPage]
) -> None:
    corpus = with_columns()
    one = open_page(studio_of(corpus).address)
    page = one.page
    one.write("football: match, goal")
    one.write("cooking: oven, butter")
    one.wait_for_labels()
    one.edit_and_wait(lambda: one.write("weather: rain, snow"))
    page.locator("#tab-changes").click()
    first = page.locator(".flow-documents .link-button").first
    name = str(first.inner_text())
    assert name in [str(row["id"]) for row in corpus.columns or []]
    first.focus()
    page.keyboard.press("Enter")
    one.expect("#document-name").to_have_text(name)
    one.expect("#document").to_be_focused()
    page.keyboard.press("Escape")
    one.expect("#document").to_be_hidden()
