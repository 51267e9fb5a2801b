"""A lost connection is said, edits made meanwhile are kept, and nothing is lost when it is back."""

from __future__ import annotations

import re
import signal
from collections.abc import Callable

import pytest
from corpora import Corpus
from studio_page import StudioPage
from studio_process import Studio


def test_edits_outlive_a_studio_that_died(
    small_corpus: Corpus, studio_of: Callable[[Corpus], Studio], open_page: Callable[..., StudioPage]
) -> None:
    studio = studio_of(small_corpus)
    one = open_page(studio.address)
    one.write("football: match, goal")
    one.write("music: guitar, concert")
    one.wait_for_labels()
    studio.end(signal.SIGKILL)
    one.expect("#status-words").to_contain_text("Connection lost")
    one.write("weather: rain, snow")
    one.expect("#status-words").to_contain_text("2 edits kept here until it returns")
    one.expect("#saved").to_have_text("Saving…")
    assert one.words("weather") == ["rain", "snow"]

    studio.start()  # with another token: the old address is refused, and the page says so
    one.expect("#status-words").to_contain_text("open the address that the studio printed", timeout=60_000)
    one.page.goto(studio.address)
    one.wait_for_labels()
    assert one.words("weather") == ["rain", "snow"]
    one.expect("#saved").to_have_text("Saved")
    one.expect("#undo").to_have_attribute("aria-label", "Undo: add 'rain', 'snow' to weather")
    one.problems.clear()  # the browser reports every failed request


@pytest.mark.both_browsers
def test_a_break_heals_by_itself(
    small_corpus: Corpus, studio_of: Callable[[Corpus], Studio], open_page: Callable[..., StudioPage]
) -> None:
    one = open_page(studio_of(small_corpus).address)
    one.write("football: match, goal")
    one.write("music: guitar, concert")
    one.wait_for_labels()
    one.page.route("**/api/**", lambda route: route.abort())
    one.card("music").locator(".add-words").fill("violin")
    one.card("music").locator(".add-words").press("Enter")
    one.expect("#status-words").to_contain_text("1 edit kept here")
    one.page.unroute("**/api/**")
    one.wait_for_labels()
    one.page.reload()
    one.wait_for_labels()
    assert one.words("music") == ["guitar", "concert", "violin"]
    one.problems.clear()


def test_an_edit_that_is_refused_is_said_and_taken_back(
    small_corpus: Corpus, studio_of: Callable[[Corpus], Studio], open_page: Callable[..., StudioPage]
) -> None:
    one = open_page(studio_of(small_corpus).address)
    one.expect("#welcome").to_be_visible()
    one.write("football: match")
    one.write(f"{'x' * 300}: goal")
    one.expect(one.page.locator(".toast.problem").first).to_contain_text("Could not add the category")
    one.expect(".card").to_have_count(1)
    one.problems.clear()


def test_two_pages_of_one_studio_agree(
    small_corpus: Corpus, studio_of: Callable[[Corpus], Studio], open_page: Callable[..., StudioPage]
) -> None:
    studio = studio_of(small_corpus)
    one, two = open_page(studio.address), open_page(studio.address)
    one.write("football: match, goal")
    one.write("music: guitar, concert")
    two.wait_for_labels()
    assert two.words("music") == ["guitar", "concert"]


def test_a_large_edit_gets_through(
    small_corpus: Corpus, studio_of: Callable[[Corpus], Studio], open_page: Callable[..., StudioPage]
) -> None:
    # Browsers do not send requests of more than 64 KiB that shall outlive their page.
    one = open_page(studio_of(small_corpus).address)
    one.expect("#welcome").to_be_visible()
    many = ", ".join(f'"phrase number {place} of a long list of words"' for place in range(1900))
    assert len(many) > 2**16
    seeds = f'football = ["match", {many}]\nmusic = ["guitar"]\n'.encode()
    file = {"name": "seeds.toml", "mimeType": "application/toml", "buffer": seeds}
    one.page.locator("#open-seeds").set_input_files(file)
    one.expect(".card").to_have_count(2)
    one.expect("#saved").to_have_text("Saved")


def test_a_workspace_that_cannot_be_written_is_said(
    small_corpus: Corpus, studio_of: Callable[[Corpus], Studio], open_page: Callable[..., StudioPage]
) -> None:
    studio = studio_of(small_corpus)
    one = open_page(studio.address)
    one.expect("#saved").to_have_text("Saved")
    workspace = studio.documents.with_name(studio.documents.name + ".studio")
    workspace.unlink()
    workspace.mkdir()
    one.write("football: match, goal")
    one.expect("#saved").to_have_text("Not saved")
    one.expect("#saved").to_have_attribute("title", re.compile("cannot be written"))
    workspace.rmdir()
    one.write("music: guitar")
    one.expect("#saved").to_have_text("Saved")
    assert workspace.is_file()


def test_what_is_typed_before_the_first_answer_is_not_lost(
    small_corpus: Corpus, studio_of: Callable[[Corpus], Studio], open_page: Callable[..., StudioPage]
) -> None:
    one = open_page("about:blank")
    one.page.route("**/api/state", lambda route: None)  # held back until it is unrouted
    one.page.goto(studio_of(small_corpus).address)
    one.write("football: match, goal")
    one.write("music: guitar, concert")
    one.expect("#new-category-name").to_have_value("")
    one.page.unroute("**/api/state")
    one.wait_for_labels()
    assert one.words("football") == ["match", "goal"]
    assert one.words("music") == ["guitar", "concert"]
