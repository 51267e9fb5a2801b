"""What the browser tests share: a real Chromium, and a studio in a process of its own."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from corpora import Corpus, invented, news_or_docstrings
from studio_page import StudioPage

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# Counts what moves on the page without anybody having touched it.
WATCH_SHIFTS = """
window.shifted = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value;
}).observe({ type: "layout-shift", buffered: true });
"""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)
            if CHROMIUM is None:
                item.add_marker(pytest.mark.skip(reason="there is no Chromium: run  make test-browser"))


class Studio:
    """A running ``seedtopic studio``, which can be killed and started again."""

    def __init__(self, documents: Path, output: Path) -> None:
        self.documents, self.output = documents, output
        self.port = 0
        self.start()

    def start(self) -> None:
        command = [sys.executable, "-m", "seedtopic", "studio", str(self.documents), "--no-browser", "--quiet"]
        command += ["--output", str(self.output), "--port", str(self.port)]
        environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        assert self.process.stdout is not None
        printed = self.process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/\?token=\S+", printed)
        assert found, f"the studio printed {printed!r}"
        self.address, self.port = found[0], int(found[1])

    def end(self, how: signal.Signals = signal.SIGTERM) -> None:
        self.process.send_signal(how)
        self.process.wait(timeout=30)
        assert self.process.stdout is not None
        self.process.stdout.close()


@pytest.fixture(scope="session")
def browser() -> Iterator[object]:
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def small_corpus() -> Corpus:
    """A few hundred invented notes, so that a fit takes no time."""
    return invented()


@pytest.fixture(scope="session")
def large_corpus() -> Corpus:
    """BBC News where SEEDTOPIC_DATA has it, else docstrings."""
    return news_or_docstrings()


@pytest.fixture
def studio_of(tmp_path: Path) -> Iterator[Callable[[Corpus], Studio]]:
    """Start studios; whatever still runs in the end is ended."""
    started: list[Studio] = []

    def start(corpus: Corpus) -> Studio:
        (tmp_path / "saved").mkdir(exist_ok=True)
        started.append(Studio(corpus.write(tmp_path), tmp_path / "saved"))
        return started[-1]

    yield start
    for studio in started:
        if studio.process.poll() is None:
            studio.end()


@pytest.fixture
def open_page(browser: object) -> Iterator[Callable[..., StudioPage]]:
    """Open pages; in the end none may have had an error, or asked for anything from elsewhere."""
    opened: list[StudioPage] = []

    def open_one(address: str, **context: object) -> StudioPage:
        page = browser.new_context(**{"viewport": {"width": 1360, "height": 850}, **context}).new_page()  # type: ignore[attr-defined]
        page.add_init_script(WATCH_SHIFTS)
        page.set_default_timeout(60_000)
        opened.append(StudioPage(page))
        page.goto(address)
        return opened[-1]

    yield open_one
    for one in opened:
        one.page.context.close()
    assert [problem for one in opened for problem in one.problems] == []
    assert {host for one in opened for host in one.hosts} <= {"127.0.0.1"}
