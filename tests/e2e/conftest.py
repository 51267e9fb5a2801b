"""What the browser tests share: a real Chromium, and a studio in a process of its own."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from corpora import Corpus, invented, news_or_docstrings
from studio_page import StudioPage
from studio_process import Studio

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
window.shifts = [];
new PerformanceObserver((list) => {
  for (const { value, hadRecentInput, sources } of list.getEntries()) {
    const moved = sources.map(({ node, previousRect: from, currentRect: to }) =>
      `${node?.className || node?.nodeName} ${from.x},${from.y} to ${to.x},${to.y}`);
    if (!hadRecentInput) window.shifts.push([value, moved]);
  }
}).observe({ type: "layout-shift", buffered: true });
"""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)
            if CHROMIUM is None:
                item.add_marker(pytest.mark.skip(reason="there is no Chromium: run  make test-browser"))


@pytest.fixture(scope="session")
def browser() -> Iterator[object]:
    from playwright import sync_api  # here, because only these tests need it

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
