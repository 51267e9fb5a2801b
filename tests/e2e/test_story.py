"""The whole story, as a person would live it: from an empty page to labels that survive a crash."""

from __future__ import annotations

import csv
import re
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from corpora import Corpus
from studio_page import StudioPage, number
from studio_process import Studio
from test_suggestions import drag as drag_to
from test_suggestions import suggested

from seedtopic import Seeds


@contextmanager
def step(name: str) -> Iterator[None]:
    """Print how long a step took; seen with ``pytest -s``."""
    begin = time.perf_counter()
    yield
    print(f"{name:48s}{time.perf_counter() - begin:7.2f} s")  # noqa: T201


@pytest.mark.both_browsers
def test_from_an_empty_page_to_saved_labels_and_back(
    large_corpus: Corpus,
    studio_of: Callable[[Corpus], Studio],
    open_page: Callable[..., StudioPage],
) -> None:
    print(f"\n{large_corpus.name}: {len(large_corpus.texts):,} documents")  # noqa: T201
    first, second, *_, last = names = [*large_corpus.seeds]
    with step("start the studio, open the page"):
        studio = studio_of(large_corpus)
        one = open_page(studio.address)
        page = one.page
        one.expect("#welcome").to_be_visible()
        one.expect("#corpus").to_contain_text(f"{len(large_corpus.texts):,} documents")

    with step("write five categories"):
        for name in names[:-1]:
            one.write(f"{name}: {', '.join(large_corpus.seeds[name])}")
        one.write(last)  # the last one by its card, word by word
        field = one.card(last).locator(".add-words")
        one.expect(field).to_be_focused()
        for word in large_corpus.seeds[last]:
            field.press_sequentially(word)
            field.press("Enter")
        for name in names:
            assert one.words(name) == large_corpus.seeds[name]

    with step("watch labels arrive"):
        one.expect("#status-words").to_have_text(re.compile("^Labels "), timeout=120_000)
    with step("until they have settled"):
        one.wait_for_labels()
        for name in names:
            one.expect(one.card(name).locator(".card-size")).not_to_have_text("0")
        assert sum(one.size(name) for name in names) == len(large_corpus.texts)
        for word in large_corpus.seeds[first]:
            assert number(one.chip(first, word).locator(".chip-count").inner_text()) > 0
        one.expect(one.row(0).locator(".row-label")).not_to_have_text("no label")

    with step("accept a suggestion"):
        suggestion = page.locator(".suggestion").first
        word = suggestion.inner_text().splitlines()[0].removeprefix("+ ")
        category = str(suggestion.locator("xpath=ancestor::article").get_attribute("data-category"))
        one.edit_and_wait(suggestion.click)
        assert one.words(category)[-1] == word
        one.expect("#status-moved").to_be_visible()

    with step("drag a word to another category"):
        dragged = large_corpus.seeds[first][0]
        chip = one.chip(first, dragged)
        chip.scroll_into_view_if_needed()
        start, end = chip.bounding_box(), one.card(second).bounding_box()

        def drag() -> None:
            page.mouse.move(start["x"] + 12, start["y"] + 12)
            page.mouse.down()
            page.mouse.move(end["x"] + 60, end["y"] + 40, steps=5)
            one.expect(one.card(second)).to_have_class("card drop-here")
            page.mouse.up()

        one.edit_and_wait(drag)
        assert dragged not in one.words(first)
        assert dragged in one.words(second)
        one.expect(".popover").to_have_count(0)

    with step("what changed"):
        page.locator("#status-moved").click()
        one.expect("#changes").to_be_visible()
        moved = number(page.locator(".changes-lead strong").inner_text())
        assert moved > 0
        counts = [number(text) for text in page.locator(".flow .number").all_inner_texts()]
        assert sum(counts) == moved
        link = page.locator(".flow-documents .link-button").first
        row = link.inner_text()  # the documents have no ids
        link.click()
        one.expect("#document-name").to_have_text(f"Document {row}")
        page.keyboard.press("Escape")
        one.expect("#tab-changes").to_be_focused()
        page.locator(".changes .button").click()  # show all of them
        one.expect("#filter-changed").to_have_attribute("aria-pressed", "true")
        one.expect("#found").to_have_text(f"{moved:,} of {len(large_corpus.texts):,} documents")
        one.expect(one.row(0).locator(".row-before")).to_contain_text("was ")
        page.locator("#filter-clear").click()

    with step("open a document, correct its label"):
        one.expect("#found").to_have_text(f"{len(large_corpus.texts):,} documents")
        page.locator("#filter-order").select_option("doubtful")
        one.expect(one.row(0).locator(".row-sure")).not_to_have_text("")
        one.row(0).click()
        one.expect(".document-text").to_be_visible()
        assert page.locator(".document-text mark").count() > 0
        assert page.locator(".prose").inner_text() != ""
        shown = str(page.locator("#document-name").inner_text())
        wrong = str(page.locator(".verdict .badge-name").first.inner_text())
        right = next(name for name in names if name != wrong)
        one.edit_and_wait(page.locator(f'[data-stays="choice {right}"]').click)
        one.expect(f'[data-stays="choice {right}"]').to_have_attribute("aria-pressed", "true")
        one.expect(page.locator(".verdict .badge-name").first).to_have_text(right)
        page.keyboard.press("Escape")
        one.expect("#document").to_be_hidden()
        page.locator("#filter-order").select_option("given")

    with step("filter and search"):
        page.locator("#filter-category").select_option(right)
        one.expect("#found").to_contain_text(" of ")
        assert one.found() == one.size(right)
        labels = page.locator(".row:not(.waiting) .row-label").all_inner_texts()
        assert set(labels) == {right}
        page.locator("#filter-category").select_option("")
        page.locator("#filter-search").fill(word)
        one.expect("#filter-clear").to_be_visible()
        expected = sum(word in text.casefold() for text in large_corpus.texts)
        one.expect("#found").to_contain_text(f"{expected:,} of")
        page.locator("#filter-search").fill("")
        one.expect("#found").to_have_text(f"{len(large_corpus.texts):,} documents")

    with step("the map: pick a point"):
        page.locator("#tab-map").click()
        one.expect("#map-note").to_have_text("", timeout=60_000)
        one.expect("#map-canvas").to_have_attribute(
            "aria-label", f"Map of {len(large_corpus.texts):,} documents"
        )
        page.locator("#map-canvas").press("Enter")
        one.expect(".document-text").to_be_visible()
        page.keyboard.press("Escape")
        page.locator("#tab-documents").click()

    with step("undo and redo"):
        one.expect("#undo").to_have_attribute("aria-label", f"Undo: confirm {shown.lower()} as {right}")
        one.edit_and_wait(page.locator("#undo").click)  # the correction
        one.edit_and_wait(lambda: page.keyboard.press("Control+z"))  # the drag
        assert one.words(first)[0] == dragged
        assert dragged not in one.words(second)
        one.edit_and_wait(lambda: page.keyboard.press("Control+Shift+Z"))
        assert dragged in one.words(second)
        one.edit_and_wait(page.locator("#undo").click)
        one.edit_and_wait(page.locator("#undo").click)  # the suggestion
        assert word not in one.words(category)

    def right_key(document: int) -> str:
        label = first if large_corpus.labels is None else large_corpus.labels[document]
        return str(1 + names.index(label))

    with step("drag suggestions to another category and to a new one"):
        earlier = str(page.locator("#undo").get_attribute("aria-label"))
        suggestion, belongs = suggested(one, first)
        drag_to(one, suggestion, one.card(second))
        one.expect(one.chip(second, belongs)).to_be_visible()
        one.expect("#undo").not_to_have_attribute(
            "aria-label", earlier
        )  # the page shows the word before that
        one.edit_and_wait(page.locator("#undo").click)
        suggestion, belongs = suggested(one, first)
        drag_to(one, suggestion, page.locator("#drop-new"))
        one.expect("#undo").not_to_have_attribute("aria-label", earlier)
        one.expect(".rename").to_be_focused()
        page.keyboard.press("Escape")
        assert one.words(belongs) == [belongs]
        one.edit_and_wait(page.locator("#undo").click)
        one.expect(".card").to_have_count(len(names))

    with step("check a sample, compare with a column"):
        page.locator("#tab-quality").click()
        page.locator("#audit-size").select_option("20 documents")
        page.locator("#audit-draw").press("Enter")
        for place in range(20):
            one.expect(".audit-head").to_contain_text(f"{place} checked")
            page.keyboard.press(right_key(number(page.locator(".audit-head strong").inner_text())))
        one.expect("#audit .measure").to_contain_text("% of the labels are right (95 % interval: ")
        if large_corpus.labels is not None:
            page.locator("#agreement-column").select_option("known")
            one.expect("#agreement-body .measure").to_contain_text("documents agree with column known")
        page.locator("#tab-documents").click()

    with step("check what is worth most, by keys"):
        page.locator("#filter-queue").click()
        one.expect("#found").to_have_text("0 of 50 checked", timeout=60_000)
        page.locator("#list").press("Enter")
        one.expect("#document").to_be_focused()
        answers = {}
        for keys in (("right",), ("0",), ("s",), ("+", "right", "other", "ArrowRight")):
            document = number(page.locator("#document-name").inner_text())
            answers[keys] = document
            for key in keys:
                right_one = right_key(document)
                other = "1" if right_one != "1" else "2"
                page.keyboard.press({"right": right_one, "other": other}.get(key, key))
                if key in ("right", "other") and len(keys) > 1:
                    chosen = names[int(right_one if key == "right" else other) - 1]
                    one.expect(f'[data-stays="choice {chosen}"]').to_have_attribute("aria-pressed", "true")
            one.expect("#document-name").not_to_have_text(f"Document {document}")
            one.expect("#document").to_be_focused()
        one.expect("#found").to_have_text("3 of 50 checked · 1 skipped")
        page.keyboard.press("Escape")
        page.locator("#filter-clear").click()
        one.expect("#checked").to_have_text("· 3 checked")

    with step("confirm all of a column and a search, and take it back"):
        page.locator("#filter-column").select_option("half")
        page.locator("#filter-value").select_option("second")
        page.locator("#filter-search").fill(word)
        half = [
            word in text.casefold() and 2 * place >= len(large_corpus.texts)
            for place, text in enumerate(large_corpus.texts)
        ]
        one.expect("#found").to_have_text(f"{sum(half):,} of {len(large_corpus.texts):,} documents")
        one.wait_for_labels()
        page.locator("#confirm-all").click()
        asked = number(page.locator("#confirm-all-title").inner_text())
        assert sum(half) - 3 <= asked <= sum(half)
        page.locator("#confirm-all-dialog .primary").click()
        one.expect("#checked").to_have_text(f"· {sum(half):,} checked")
        one.expect("#undo").to_have_attribute("aria-label", f"Undo: confirm {asked:,} documents")
        page.keyboard.press("Control+z")
        one.expect("#confirm-all").to_be_visible()
        page.locator("#filter-clear").click()
        one.expect("#checked").to_have_text("· 3 checked")
        one.wait_for_labels()

    with step("export: download and save"):
        page.locator("#export-open").click()
        labels_file = one.download(page.locator('[data-download="labels.csv"]').click, "labels.csv")
        with open(labels_file, encoding="utf-8", newline="") as file:
            rows = [*csv.DictReader(file)]
        assert len(rows) == len(large_corpus.texts)
        assert [place for place, row in enumerate(rows) if row["source"] == "confirmed"] == sorted(
            document for keys, document in answers.items() if "right" in keys
        )
        none, skipped = (rows[answers[keys]] for keys in (("0",), ("s",)))
        assert (none["predicted"], none["source"], skipped["source"]) == ("", "none", "labelled")
        both = rows[answers["+", "right", "other", "ArrowRight"]]["labels"]
        assert {*both.split("; ")} < {*names}
        assert both.count("; ") == 1
        if large_corpus.labels is not None:
            right_ones = sum(
                row["predicted"] == label for row, label in zip(rows, large_corpus.labels, strict=True)
            )
            assert right_ones / len(rows) > 0.85
        seeds_file = one.download(page.locator('[data-download="seeds.toml"]').click, "seeds.toml")
        kept = {name: list(words) for name, words in Seeds.read(seeds_file).categories.items()}
        assert kept == large_corpus.seeds
        page.locator('[data-save="report.html"]').click()
        one.expect(".export-result").to_contain_text("Written to", timeout=60_000)
        assert "<html" in (studio.output / "report.html").read_text(encoding="utf-8")
        page.keyboard.press("Escape")

    with step("kill the studio, open it again"):
        sizes = {name: one.size(name) for name in names}
        one.expect("#saved").to_have_text("Saved")
        redo = page.locator("#redo").get_attribute("aria-label")
        jumped = one.shifted()
        page.close()
        studio.end(signal.SIGKILL)
        studio.start()
        again = open_page(studio.address)
        again.wait_for_labels()
        for name in names:
            assert again.words(name) == large_corpus.seeds[name]
            assert again.size(name) == sizes[name]
        again.expect("#redo").to_have_attribute("aria-label", str(redo))

    print(f"layout shift: {jumped:.4f} in the story, {again.shifted():.4f} after opening again")  # noqa: T201
    assert jumped < 0.02
    assert again.shifted() < 0.02
