"""What the page says about words: warnings in place, suggestions with examples, and nothing that jumps."""

from __future__ import annotations

from collections.abc import Callable

from corpora import Corpus
from studio_page import StudioPage
from studio_process import Studio


def test_warnings_stand_where_they_belong_and_nothing_jumps(
    small_corpus: Corpus, studio_of: Callable[[Corpus], Studio], open_page: Callable[..., StudioPage]
) -> None:
    one = open_page(studio_of(small_corpus).address)
    page = one.page
    for name, words in small_corpus.seeds.items():
        one.write(f"{name}: {', '.join(words)}")
    one.write("football: strikker")
    chip = one.chip("football", "strikker")
    chip.wait_for()
    one.forget_shifts()
    one.wait_for_labels()
    one.expect(one.card("travel").locator(".suggestion").first).to_be_visible()
    jumped = one.shifted()
    print(f"\nlayout shift while labels, warnings and suggestions came: {jumped:.5f}")  # noqa: T201
    assert jumped < 0.001

    one.expect(chip.locator("xpath=..")).to_have_class("chip warned")
    one.expect(chip.locator(".chip-count")).to_have_text("0")
    one.expect(one.card("football").locator(".warning-mark")).to_have_attribute("aria-label", "1 warning")
    one.card("football").locator(".warning-mark").click()
    one.expect(one.card("football").locator(".warning-list li")).to_contain_text("striker")  # what was meant
    one.card("football").locator(".warning-mark").click()
    one.expect(one.card("football").locator(".warning-list")).to_be_hidden()
    chip.hover()
    one.expect("#tip").to_contain_text("strikker")
    chip.click()
    one.expect(".sheet-warning").to_contain_text("strikker")
    page.keyboard.press("Escape")
    one.edit_and_wait(lambda: chip.press("Delete"))
    one.expect(one.card("football").locator(".warning-mark")).to_be_hidden()

    # Examples are shown for a suggestion that is pointed at.
    suggestion = one.card("football").locator(".suggestion").first
    word = suggestion.inner_text().splitlines()[0].removeprefix("+ ")
    suggestion.hover()
    one.expect("#tip").to_contain_text(word)


def test_lists_can_be_pasted_and_seeds_opened_from_a_file(
    small_corpus: Corpus, studio_of: Callable[[Corpus], Studio], open_page: Callable[..., StudioPage]
) -> None:
    one = open_page(studio_of(small_corpus).address)
    page = one.page
    one.expect("#welcome").to_be_visible()
    paste = """([selector, text]) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text", text);
      document.querySelector(selector).dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
    }"""
    page.evaluate(paste, ["#new-category-name", "football: match, goal\nmusic: guitar\n"])
    page.evaluate(paste, [".card:nth-child(2) .add-words", "concert\nalbum\n-oven\n"])
    one.wait_for_labels()
    assert one.words("football") == ["match", "goal"]
    assert one.words("music") == ["guitar", "concert", "album", "oven"]

    page.locator("#export-open").click()
    toml = b'weather = ["rain", "snow"]\n\n[travel]\nwords = ["train", "hotel"]\nweights = { train = 2 }\n'
    chosen = {"name": "seeds.toml", "mimeType": "application/toml", "buffer": toml}
    one.edit_and_wait(lambda: page.locator("#open-seeds").set_input_files(chosen))
    one.expect(".card").to_have_count(2)
    one.expect(one.chip("travel", "train").locator(".chip-weight")).to_have_text("×2")
    one.edit_and_wait(page.locator("#undo").click)
    assert one.words("football") == ["match", "goal"]
