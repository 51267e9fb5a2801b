"""A document is text, whatever it contains; so are words and names."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from corpora import Corpus, invented
from studio_page import StudioPage
from studio_process import Studio

SCRIPT = "<script>window.taken = true</script> guitar concert <img src=x onerror='window.taken = true'> &amp; <b>bold</b>"


@pytest.mark.both_browsers
def test_markup_in_documents_words_and_names_stays_text(
    studio_of: Callable[[Corpus], Studio], open_page: Callable[..., StudioPage]
) -> None:
    one = open_page(studio_of(invented(hostile=(SCRIPT,))).address)
    page = one.page
    one.write("<img src=x onerror=alert(1)>: guitar, <b>concert</b>")
    one.write("football: match, goal")
    one.wait_for_labels()
    assert page.locator(".card h3").first.inner_text() == "<img src=x onerror=alert(1)>"
    assert "<b>concert</b>" in page.locator(".card").first.locator(".chip-name").all_inner_texts()
    one.expect(one.row(0).locator(".row-snippet")).to_contain_text("<script>window.taken = true</script>")
    one.row(0).click()
    one.expect(".document-text").to_have_text(SCRIPT)
    page.locator("#tab-map").click()
    one.expect("#map-note").to_have_text("")
    page.locator("#tab-changes").click()
    inside = "#cards script, #cards img, #cards b, #list script, #list img, #document script, #document img, #document b"
    assert page.locator(inside).count() == 0
    assert page.evaluate("window.taken") is None


def test_the_policy_forbids_inline_script_and_other_hosts(
    small_corpus: Corpus, studio_of: Callable[[Corpus], Studio], open_page: Callable[..., StudioPage]
) -> None:
    one = open_page(studio_of(small_corpus).address)
    one.expect("#welcome").to_be_visible()
    ran = one.page.evaluate(
        """() => {
          const script = document.createElement("script");
          script.textContent = "window.taken = true";
          document.body.append(script);
          return window.taken === true;
        }"""
    )
    assert ran is False
    assert (
        one.page.evaluate("fetch('http://127.0.0.1:9/').then(() => 'let through', (error) => error.name)")
        == "TypeError"
    )
    refused = [problem for problem in one.problems if "Content Security Policy" in problem]
    assert len(refused) >= 2
    one.problems.clear()
