"""How large the page of a report is, and how long Chromium takes to open it.

    seedtopic fit docs.jsonl --seeds seeds.toml -o model/
    seedtopic report model/ docs.jsonl --fitted -o report.html
    python benchmarks/report.py report.html [REPEATS]

Seconds are those from the request until the page is seen, and until it is loaded and its script has run.
"""

from __future__ import annotations

import os
import shutil
import statistics
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

TIMES = """() => {
  const [{ loadEventEnd }] = performance.getEntriesByType("navigation");
  const [{ startTime }] = performance.getEntriesByName("first-contentful-paint");
  return [startTime / 1000, loadEventEnd / 1000, document.querySelectorAll("*").length];
}"""
READY = (
    "() => performance.getEntriesByName('first-contentful-paint').length && document.readyState == 'complete'"
)


def main() -> None:
    path, repeats = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 7
    found = []
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=arguments)
        for _ in range(repeats):
            page = browser.new_context(viewport={"width": 1360, "height": 850}).new_page()
            page.goto(path.resolve().as_uri())
            page.wait_for_function(READY)
            found.append(page.evaluate(TIMES))
            page.context.close()
        browser.close()
    seen, loaded, elements = (statistics.median(column) for column in zip(*found, strict=True))
    print(f"{path.stat().st_size / 1e6:.2f} MB, {elements:,.0f} elements; load {os.getloadavg()[0]:.1f}")
    print(f"seen after {seen:.2f} s, loaded after {loaded:.2f} s (median of {repeats})")
    latest_seen, latest_loaded = (max(column) for column in [*zip(*found, strict=True)][:2])
    print(f"at the latest seen after {latest_seen:.2f} s, loaded after {latest_loaded:.2f} s")


if __name__ == "__main__":
    main()
