"""The token is nowhere to be seen, files are replaced only if a person says so, and tabs keep each other's edits."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from corpora import Corpus
from studio_page import StudioPage
from studio_process import Studio

from seedtopic.web.studio.app import redirect_file


@pytest.mark.both_browsers
def test_the_token_leaves_the_address_and_is_sent_in_no_address(
    small_corpus: Corpus, studio_of: Callable[[Corpus], Studio], open_page: Callable[..., StudioPage]
) -> None:
    studio = studio_of(small_corpus)
    token = studio.address.partition("token=")[2]
    one = open_page("about:blank")
    sent: list[str] = []
    one.page.on("request", lambda request: sent.append(f"{request.url} {request.headers.get('referer')}"))
    one.page.goto(studio.address)
    one.expect("#welcome").to_be_visible()
    assert one.page.url == f"http://127.0.0.1:{studio.port}/"
    assert one.page.evaluate("location.href + document.cookie").count(token) == 0
    one.page.reload()
    one.write("football: match, goal")
    one.expect("#saved").to_have_text("Saved")
    assert any("/api/events" in address for address in sent)
    assert not any(token in address.partition("#")[0] for address in sent)


def test_a_private_file_leads_to_the_studio(
    small_corpus: Corpus, studio_of: Callable[[Corpus], Studio], open_page: Callable[..., StudioPage]
) -> None:
    studio = studio_of(small_corpus)
    with redirect_file(studio.address) as path:
        one = open_page("about:blank")
        one.page.goto(path.as_uri())
        one.page.wait_for_url(f"http://127.0.0.1:{studio.port}/")
        one.expect("#welcome").to_be_visible()


def test_an_undo_does_not_take_back_the_edit_of_another_tab(
    small_corpus: Corpus, studio_of: Callable[[Corpus], Studio], open_page: Callable[..., StudioPage]
) -> None:
    studio = studio_of(small_corpus)
    one, two = open_page(studio.address), open_page(studio.address)
    one.write("football: match, goal")
    two.expect(two.card("football")).to_be_visible()
    two.page.route("**/api/state", lambda route: None)  # it hears nothing from now on
    one.write("music: guitar, concert")
    one.expect("#saved").to_have_text("Saved")
    two.page.locator("#undo").click()
    two.expect(two.page.locator(".toast.problem").first).to_contain_text("another tab has made an edit")
    two.page.unroute("**/api/state")
    two.page.reload()
    two.wait_for_labels()
    assert two.words("music") == ["guitar", "concert"]
    assert two.words("football") == ["match", "goal"]
    two.problems.clear()  # the browser reports the refusal


@pytest.mark.parametrize("answer", ["accept", "dismiss"])
def test_a_file_is_replaced_only_if_the_person_says_so(
    small_corpus: Corpus,
    studio_of: Callable[[Corpus], Studio],
    open_page: Callable[..., StudioPage],
    answer: str,
) -> None:
    studio = studio_of(small_corpus)
    one = open_page(studio.address)
    one.write("football: match, goal")
    one.write("music: guitar, concert")
    one.expect("#saved").to_have_text("Saved")
    file = studio.output / "seeds.toml"
    file.write_text("of somebody else", encoding="utf-8")
    asked: list[str] = []
    one.page.remove_listener("dialog", one.answer)
    one.page.on("dialog", lambda dialog: (asked.append(dialog.message), getattr(dialog, answer)()))
    one.page.locator("#export-open").click()
    one.page.locator('[data-save="seeds.toml"]').click()
    words = "Written to" if answer == "accept" else "was not replaced"
    one.expect(".export-result").to_contain_text(words)
    assert asked == ["seeds.toml exists in the folder. Replace it?"]
    assert (file.read_text(encoding="utf-8") == "of somebody else") == (answer == "dismiss")
    one.problems.clear()
