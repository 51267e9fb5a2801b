"""What the browser tests share: a real Chromium or Firefox, and a studio in a process of its own."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from corpora import Corpus, invented, news_or_docstrings
from studio_page import StudioPage
from studio_process import Studio

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# Counts what moves on the page without anybody having touched it. Browsers leave out what moves within half a
# second of an input; a busy machine may take longer to show what was asked for. Firefox has no such entries.
WATCH_SHIFTS = """
window.shifts = [];
if (PerformanceObserver.supportedEntryTypes.includes("layout-shift"))
new PerformanceObserver((list) => {
  for (const { value, sources, startTime, lastInputTime } of list.getEntries()) {
    const moved = sources.map(({ node, previousRect: from, currentRect: to }) =>
      `${node?.className || node?.nodeName} ${from.x},${from.y} to ${to.x},${to.y}`);
    const since = Math.round(startTime - lastInputTime);
    if (!lastInputTime || since > 1500) window.shifts.push([value, [`${since} ms after an input`, ...moved]]);
  }
}).observe({ type: "layout-shift", buffered: true });
"""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test in Chromium; one that is marked ``both_browsers`` in Firefox, too."""
    if "browser" in metafunc.fixturenames:
        both = metafunc.definition.get_closest_marker("both_browsers") is not None
        names = ["chromium", "firefox"] if both else ["chromium"]
        metafunc.parametrize("browser", names, indirect=True, scope="session")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)
            if CHROMIUM is None or FIREFOX is None:
                reason = "there is no Chromium or no Firefox: run  make test-browser"
                item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session")
def playwright() -> Iterator[object]:
    from playwright import sync_api  # here, because only these tests need it

    with sync_api.sync_playwright() as started:
        yield started


@pytest.fixture(scope="session")
def downloads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that Firefox downloads into."""
    return tmp_path_factory.mktemp("downloads")


@pytest.fixture(scope="session")
def browser(playwright: object, downloads: Path, request: pytest.FixtureRequest) -> Iterator[object]:
    if request.param == "chromium":
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)  # type: ignore[attr-defined]
    else:  # an unpatched Firefox, which is driven over WebDriver BiDi
        wishes = {"browser.download.folderList": 2, "browser.download.dir": str(downloads)}
        launched = playwright.firefox.launch(  # type: ignore[attr-defined]
            channel="moz-firefox", executable_path=FIREFOX, firefox_user_prefs=wishes
        )
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
def open_page(browser: object, downloads: Path) -> Iterator[Callable[..., StudioPage]]:
    """Open pages; in the end none may have had an error, or asked for anything from elsewhere."""
    opened: list[StudioPage] = []

    def open_one(address: str, **context: object) -> StudioPage:
        page = browser.new_context(**{"viewport": {"width": 1360, "height": 850}, **context}).new_page()  # type: ignore[attr-defined]
        page.add_init_script(WATCH_SHIFTS)
        page.set_default_timeout(60_000)
        opened.append(StudioPage(page, downloads))
        page.goto(address)
        return opened[-1]

    yield open_one
    for one in opened:
        one.page.context.close()
    assert [problem for one in opened for problem in one.problems] == []
    assert {host for one in opened for host in one.hosts} <= {"127.0.0.1"}
