"""Make the pictures of docs/howto/studio.md: the studio on docstrings, in a real Chromium.

``python docs/studio_pictures.py`` writes the ones shown there; with a folder as argument, all states,
at desktop and phone width, light and dark, to be looked at.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from PIL import Image
from playwright.sync_api import Page, expect, sync_playwright

from seedtopic.cli.demo import load_docstrings

HERE = Path(__file__).with_name("studio")
SHOWN = [
    "desktop-light-labels",
    "desktop-dark-document",
    "desktop-light-map",
    "desktop-light-changes",
    "desktop-light-quality",
]
PHONES = ["phone-light-labels", "phone-dark-document", "phone-light-map"]  # side by side in one picture
CATEGORIES = [
    "statistics: probability, distribution, variance, hypothesis",
    "images: image, pixel, erosion",
    "clusters: clusters, centroids, clustering",
    "optimization: minimize, constraints, jacobian",
    "signals: signal, frequency, sampling, -image",
    "polynomials: polynomial, coefficients, chebyshev",
]
SCREENS: dict[str, dict[str, Any]] = {
    "desktop": {"viewport": {"width": 1360, "height": 850}},
    "phone": {
        "viewport": {"width": 390, "height": 780},
        "device_scale_factor": 2,
        "is_mobile": True,
        "has_touch": True,
    },
}
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]


@contextmanager
def studio() -> Iterator[str]:
    """Run a studio on the docstrings; give its address."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "docstrings.jsonl"
        texts = [*load_docstrings().texts]
        Random(0).shuffle(texts)
        path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
        command = [sys.executable, "-m", "seedtopic", "studio", str(path), "--no-browser", "--quiet"]
        environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
            assert process.stdout is not None
            found = re.search(r"http://\S+", process.stdout.readline())
            assert found, "the studio did not start"
            try:
                yield found[0]
            finally:
                process.terminate()


def wait_for_labels(page: Page) -> None:
    """Wait until the labels are those of the words, and words are suggested."""
    expect(page.locator("#status-words")).to_have_text(re.compile("^Labels are up to date"), timeout=120_000)
    expect(page.locator('.suggestions[aria-busy="true"]')).to_have_count(0, timeout=60_000)


def write_words(page: Page) -> None:
    """Write the categories, and one more word, so that something has changed."""
    expect(page.locator("#welcome")).to_be_visible()
    for line in CATEGORIES:
        page.locator("#new-category-name").fill(line)
        page.locator("#new-category-name").press("Enter")
    wait_for_labels(page)
    field = page.locator(".add-words").nth(4)
    field.fill("filter, wavelett")
    field.press("Enter")
    expect(page.locator("#status-moved")).to_be_visible(timeout=120_000)
    wait_for_labels(page)


def states(page: Page, phone: bool) -> Iterator[str]:
    """Bring the page from state to state; the words are written already."""
    wait_for_labels(page)
    page.locator("#cards").evaluate("(cards) => cards.scrollTo(0, 0)")
    yield "labels"
    page.locator("#tab-documents").click()
    page.locator("#filter-search").fill("lowpass")
    expect(page.locator("#found")).to_contain_text(" of ")
    yield "list"
    page.locator("#row-1").click()
    expect(page.locator(".document-text")).to_be_visible()
    page.mouse.move(2, 2)
    yield "document"
    page.locator('[data-stays="close"]').click()
    page.locator("#filter-clear").click()
    page.locator("#tab-map").click()
    expect(page.locator("#map-note")).to_have_text("", timeout=60_000)
    yield "map"
    page.locator("#tab-changes").click()
    expect(page.locator(".changes-lead")).to_be_visible()
    yield "changes"
    page.locator("#tab-quality").click()
    if page.locator("#audit-draw").is_visible():
        page.locator("#audit-draw").click()
    expect(page.locator(".audit-words")).to_be_visible()
    yield "quality"
    if phone:
        page.locator("#tab-words").click()
    page.locator(".chip-word").nth(1).click()
    yield "sheet"
    page.keyboard.press("Escape")
    page.locator("#export-open").click()
    yield "export"
    page.keyboard.press("Escape")
    page.locator("#help-open").click()
    yield "help"


def seen(page: Page) -> Image.Image:
    """Give what is seen on a page."""
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    with Image.open(BytesIO(page.screenshot())) as drawn:
        return drawn.convert("RGB")


def write(picture: Image.Image, path: Path, *, lossless: bool = True) -> None:
    """Write a picture, as small as it can be."""
    picture.save(path, lossless=lossless, quality=85, method=6)


def side_by_side(pictures: list[Image.Image], gap: int = 24) -> Image.Image:
    """Put pictures of one size into one, at half their size."""
    width, height = pictures[0].width // 2, pictures[0].height // 2
    strip = Image.new("RGB", ((width + gap) * len(pictures) - gap, height), "#8b98a5")
    for place, picture in enumerate(pictures):
        strip.paste(picture.resize((width, height), Image.Resampling.LANCZOS), ((width + gap) * place, 0))
    return strip


def main(folder: Path, wanted: list[str] | None) -> None:
    """Write the wanted pictures, or all, into a folder."""
    phones: dict[str, Image.Image] = {}
    folder.mkdir(exist_ok=True, parents=True)
    with studio() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        first = True
        for screen, size in SCREENS.items():
            for scheme in ("light", "dark"):
                page = browser.new_context(color_scheme=scheme, reduced_motion="reduce", **size).new_page()
                page.goto(address)
                if first and wanted is None:
                    write(seen(page), folder / "desktop-light-empty.webp")
                if first:
                    write_words(page)
                first = False
                for state in states(page, screen == "phone"):
                    name = f"{screen}-{scheme}-{state}"
                    if wanted is None or name in wanted:
                        write(seen(page), folder / f"{name}.webp")
                    if name in PHONES:
                        phones[name] = seen(page)
                page.context.close()
        browser.close()
    write(side_by_side([phones[name] for name in PHONES]), folder / "phone.webp", lossless=False)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]), None)
    else:
        main(HERE, SHOWN)
