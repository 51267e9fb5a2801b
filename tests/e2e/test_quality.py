"""How good is it? A sample checked by keys alone, and the agreement with a column that holds known labels."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from corpora import Corpus, with_columns
from studio_page import StudioPage
from studio_process import Studio
from test_accessibility import checked
from test_phone import fits


@pytest.mark.both_browsers
def test_a_sample_is_checked_by_keys_and_labels_are_compared_with_a_column(
    studio_of: Callable[[Corpus], Studio], open_page: Callable[..., StudioPage]
) -> None:
    corpus = with_columns()
    subjects = {str(row["id"]): str(row["subject"]) for row in corpus.columns or []}
    names = [*corpus.seeds]
    studio = studio_of(corpus)
    one = open_page(studio.address)
    page, keys = one.page, one.page.keyboard
    for name, words in corpus.seeds.items():
        one.write(f"{name}: {', '.join(words)}")
    one.wait_for_labels()

    # Agreement with a column, which follows the labels.
    page.locator("#tab-quality").click()
    page.locator("#agreement-column").select_option("subject")
    measure = page.locator("#agreement-body .measure")
    one.expect(measure).to_contain_text("of 300 documents agree with column subject")
    one.card("music").locator(".card-menu").click()
    page.get_by_role("button", name="Rename").click()
    keys.type("songs")
    one.edit_and_wait(lambda: keys.press("Enter"))
    one.expect(measure).to_contain_text("80 % of 300 documents")
    one.expect("#agreement-body").to_contain_text(
        "60 documents have a value that is not one of the categories and count as errors: music."
    )
    one.edit_and_wait(page.locator("#undo").click)
    one.expect(measure).to_contain_text("100 % of 300 documents")

    # Twenty documents by keys alone: the label is hidden, and after a key the next one comes.
    page.locator("#audit-size").select_option("20 documents")
    page.locator("#audit-draw").focus()
    keys.press("Enter")
    one.expect("#audit").to_be_focused()
    checked(one, "audit")
    one.expect(".audit-text").not_to_contain_text("subject")  # the column that is compared with
    seen = []
    for number in range(20):
        one.expect(".audit-head").to_contain_text(f"{number} checked")
        seen.append(page.locator(".audit-head strong").inner_text().removeprefix("Document "))
        assert page.locator("#audit .verdict").count() == 0
        keys.press("0" if number == 3 else str(1 + names.index(subjects[seen[-1]])))
    assert len(set(seen)) == 20
    one.expect("#audit .measure").to_contain_text(
        re.compile(r"^\d+ % of the labels are right \(95 % interval: \d+ %")
    )
    one.expect("#audit .measures tbody tr").to_have_count(6)
    checked(one, "audit, result")
    # Nothing was learned from it, until the person says so.
    one.expect(page.locator(".audit-actions button").first).to_have_text(
        "Use the answers as confirmed labels"
    )
    page.locator("#tab-documents").click()
    assert page.locator(".row-confirmed:not(:empty)").count() == 0
    page.reload()
    one.wait_for_labels()
    page.locator("#tab-quality").click()
    one.expect("#audit .measure").to_contain_text("checked documents")
    one.expect("#status-right").to_have_text(re.compile(r"^\d+ % right \(\d+ to \d+ %\)$"))
    page.get_by_role("button", name="Use the answers as confirmed labels").click()
    one.expect("#audit").to_contain_text("draw a new sample for that")
    one.wait_for_labels()
    page.locator("#tab-documents").click()
    one.expect("#checked").to_have_text("· 20 checked")
    page.locator("#tab-quality").click()

    phone = open_page(studio.address, viewport={"width": 360, "height": 720})
    phone.wait_for_labels()
    phone.page.locator("#tab-quality").click()
    phone.expect("#audit .measure").to_be_visible()
    fits(phone)
