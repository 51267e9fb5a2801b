"""The page as a person sees it: cards, chips, rows. Every wait is for something to be seen."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

FITTED = re.compile("^Labels are up to date")
WHOLE_FIT = 120_000  # milliseconds, on a machine with much else to do


class StudioPage:
    """A page of the studio, and all that went wrong on it."""

    def __init__(self, page: Any, downloads: Path) -> None:
        self.page, self.downloads = page, downloads
        self.problems: list[str] = []
        self.hosts: set[str] = set()
        page.on("console", lambda message: self._said(message.type, message.text))
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("request", lambda request: self._asked(request.url))
        page.on("dialog", self.answer)

    def answer(self, dialog: Any) -> None:
        """Agree with what the page asks."""
        dialog.accept()

    def _said(self, kind: str, text: str) -> None:
        if kind in ("error", "warning"):
            self.problems.append(text)

    def _asked(self, address: str) -> None:
        if not address.startswith(("blob:", "data:", "file:")):
            self.hosts.add(urlsplit(address).hostname or address)

    def expect(self, found: Any) -> Any:
        from playwright.sync_api import expect

        return expect(found if not isinstance(found, str) else self.page.locator(found))

    def download(self, start: Callable[[], object], name: str) -> Path:
        """Start a download, and give the file when it is there; Playwright is not told of Firefox's."""
        path = self.downloads / name
        path.unlink(missing_ok=True)
        if self.page.context.browser.browser_type.name == "chromium":
            with self.page.expect_download() as download:
                start()
            assert download.value.suggested_filename == name
            download.value.save_as(path)
            return path
        start()
        end = time.monotonic() + 60
        while not path.exists() or path.stat().st_size == 0 or [*self.downloads.glob("*.part")]:
            assert time.monotonic() < end, f"{name} was not downloaded"
            self.page.wait_for_timeout(50)
        return path

    # --- words ---

    def write(self, line: str) -> None:
        """Write into the field for new categories, and Enter."""
        self.page.locator("#new-category-name").fill(line)
        self.page.locator("#new-category-name").press("Enter")

    def card(self, category: str) -> Any:
        return self.page.locator(f'.card[data-category="{category}"]')

    def chip(self, category: str, word: str) -> Any:
        return self.card(category).locator(f'.chip[data-word="{word}"] .chip-word')

    def words(self, category: str) -> list[str]:
        return [str(name) for name in self.card(category).locator(".chip-name").all_inner_texts()]

    def size(self, category: str) -> int:
        return number(self.card(category).locator(".card-size").inner_text())

    # --- the fit ---

    def wait_for_labels(self) -> None:
        """Wait until the labels and the suggestions are those of the last edit."""
        self.expect("#status-words").to_have_text(FITTED, timeout=WHOLE_FIT)
        self.expect('.suggestions[aria-busy="true"]').to_have_count(0, timeout=WHOLE_FIT)

    def edit_and_wait(self, edit: Any) -> None:
        """Make an edit, and wait until the labels are those of it."""
        before = self.page.locator("#undo").get_attribute("aria-label")
        edit()
        self.expect("#undo").not_to_have_attribute("aria-label", str(before), timeout=30_000)
        self.wait_for_labels()

    # --- documents ---

    def row(self, place: int) -> Any:
        return self.page.locator(f"#row-{place}")

    def found(self) -> int:
        """How many documents the list says there are."""
        return number(self.page.locator("#found").inner_text().split(" of ")[0])

    def forget_shifts(self) -> None:
        """Count from here on; what was just typed has moved what it had to."""
        self.page.evaluate("window.shifts.length = 0")

    def shifted(self) -> float:
        """How far the page has jumped by itself."""
        shifts = self.page.evaluate("window.shifts")
        for value, moved in shifts:
            print(f"{value:.5f}: {'; '.join(moved)}")  # noqa: T201
        return float(sum(value for value, _ in shifts))


def number(text: str) -> int:
    """Give the first number of a text."""
    found = re.search(r"[\d,]+", text)
    assert found, text
    return int(found[0].replace(",", ""))
