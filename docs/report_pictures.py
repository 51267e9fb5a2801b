"""Make the pictures of docs/howto/report.md: the report of ``seedtopic demo``, in a real Chromium.

``python docs/report_pictures.py`` writes them; with a report as argument, those of that report.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, Page, expect, sync_playwright

HERE = Path(__file__).with_name("report")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
DESKTOP: dict[str, Any] = {"viewport": {"width": 1360, "height": 850}}
PHONE: dict[str, Any] = {
    "viewport": {"width": 360, "height": 780},
    "device_scale_factor": 2,
    "is_mobile": True,
    "has_touch": True,
}
# Where the point of the map that is farthest from all others is on the screen.
LONELY = """() => {
  const { points } = JSON.parse(document.getElementById("map-points").textContent);
  const nearest = ([x, y]) => Math.min(...points.map(([u, v]) => Math.hypot(u - x, v - y) || Infinity));
  const [x, y] = points.reduce((one, other) => (nearest(one) < nearest(other) ? other : one));
  const at = new DOMPoint(x, y).matrixTransform(document.querySelector("svg.map").getScreenCTM());
  return [at.x, at.y];
}"""


def seen(page: Page) -> Image.Image:
    """Give what is seen on a page."""
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    with Image.open(BytesIO(page.screenshot())) as drawn:
        return drawn.convert("RGB")


def show(page: Page, section: str) -> None:
    """Scroll a section to the top of the screen."""
    page.locator(f"#{section}").evaluate("(one) => one.scrollIntoView({ behavior: 'instant' })")


def pictures(browser: Browser, address: str) -> dict[str, Image.Image]:
    """Give the first screen, an open document, and the map with the text of a point."""
    made = {}
    page = browser.new_context(**DESKTOP).new_page()
    page.goto(address)
    made["desktop"] = seen(page)
    page = browser.new_context(**DESKTOP, color_scheme="dark").new_page()
    page.goto(address)
    page.locator("#least-certain summary").nth(1).click()
    show(page, "least-certain")
    made["documents"] = seen(page)
    phones = []
    page = browser.new_context(**PHONE).new_page()
    page.goto(address)
    phones.append(seen(page))
    show(page, "map")
    page.touchscreen.tap(*page.evaluate(LONELY))
    expect(page.locator(".tip")).to_be_visible()
    phones.append(seen(page))
    show(page, "seeds")
    phones.append(seen(page))
    made["phone"] = side_by_side(phones)
    return made


def side_by_side(parts: list[Image.Image], gap: int = 24) -> Image.Image:
    """Put pictures of one size into one, at half their size."""
    width, height = parts[0].width // 2, parts[0].height // 2
    strip = Image.new("RGB", ((width + gap) * len(parts) - gap, height), "#8b98a5")
    for place, part in enumerate(parts):
        strip.paste(part.resize((width, height), Image.Resampling.LANCZOS), ((width + gap) * place, 0))
    return strip


def main(report: Path) -> None:
    """Write the pictures of a report."""
    HERE.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        for name, picture in pictures(browser, report.resolve().as_uri()).items():
            picture.save(HERE / f"{name}.webp", lossless=name != "phone", quality=85, method=6)
        browser.close()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        with TemporaryDirectory() as folder:
            labels = Path(folder) / "labels.csv"
            subprocess.run([sys.executable, "-m", "seedtopic", "demo", "-o", str(labels)], check=True)
            main(next(Path(folder).glob("*.html")))
