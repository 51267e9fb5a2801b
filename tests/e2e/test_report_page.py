"""The page of a report in a real browser: sorted, searched, opened, pointed at; on a phone; without script."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from corpora import invented

from seedtopic import Report, SeedTopicClassifier

PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
HOSTILE = "<img src=x onerror='alert(1)'></script><script>alert(1)</script>"
CHECKS = Path(__file__).with_name("checks.js").read_text(encoding="utf-8")
AT = """([x, y]) => {
  const at = new DOMPoint(x, y).matrixTransform(document.querySelector("svg.map").getScreenCTM());
  return [at.x, at.y];
}"""


@pytest.fixture(scope="module")
def report() -> Report:
    """On notes, one of which would like to be more than text."""
    notes = invented(hostile=(f"{HOSTILE} match goal",))
    texts, seeds = notes.texts, {**notes.seeds, HOSTILE: ["guitar", "concert"]}
    del seeds["music"]
    model = SeedTopicClassifier(seeds, random_state=0, n_threads=1).fit(texts)
    return Report.of(model, texts, fitted=True, title="Labels of notes.csv")


@pytest.fixture(scope="module")
def address(report: Report, tmp_path_factory: pytest.TempPathFactory) -> str:
    path: Path = tmp_path_factory.mktemp("report") / "report.html"
    report.write(path)
    return path.as_uri()


@pytest.fixture
def opened(browser: Any, address: str) -> Iterator[Callable[..., Any]]:
    """Open the page; in the end it must have had no error, and have asked for nothing but itself."""
    pages, problems, asked = [], [], []

    def open_one(**context: object) -> Any:
        page = browser.new_context(**{"viewport": {"width": 1360, "height": 850}, **context}).new_page()
        page.set_default_timeout(60_000)
        page.on("console", lambda message: problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("dialog", lambda dialog: problems.append(dialog.message))
        page.on("request", lambda request: asked.append(request.url.partition("#")[0]))
        pages.append(page)
        page.goto(address)
        return page

    yield open_one
    for page in pages:
        page.context.close()
    assert problems == []
    assert set(asked) <= {address}


def column(page: Any, section: str, place: int) -> list[str]:
    return [str(text) for text in page.locator(f"#{section} .data td:nth-child({place})").all_inner_texts()]


@pytest.mark.both_browsers
def test_tables_are_sorted_and_searched(opened: Callable[..., Any], report: Report) -> None:
    from playwright.sync_api import expect

    page = opened()
    words = [seed.word for seed in report.seeds]
    head = page.locator("#seeds th", has_text="seed").first
    assert column(page, "seeds", 1) == words
    head.get_by_role("button").press("Enter")  # by the keyboard, too
    expect(head).to_have_attribute("aria-sort", "ascending")
    assert column(page, "seeds", 1) == sorted(words)
    documents = page.locator("#seeds th", has_text="documents")
    documents.get_by_role("button").click()
    expect(documents).to_have_attribute("aria-sort", "descending")
    assert page.locator("#seeds th[aria-sort]").count() == 1
    assert column(page, "seeds", 3) == [
        f"{count:,}" for count in sorted((seed.documents for seed in report.seeds), reverse=True)
    ]
    page.get_by_role("searchbox", name="Search seeds").fill(words[0])
    expect(page.locator("#seeds tbody tr:visible")).to_have_count(1)
    expect(page.locator("#seeds [role=status]")).to_have_text(f"1 of {len(words)} seeds")


def test_documents_open_with_their_words_marked(opened: Callable[..., Any], report: Report) -> None:
    from playwright.sync_api import expect

    page = opened()
    link = page.get_by_role("navigation").get_by_role("link", name="Examples of each category")
    link.click()
    expect(link).to_have_attribute("aria-current", "true")
    first = page.locator("#examples details").first
    expect(first.locator(".document")).to_be_hidden()
    first.locator("summary").press("Enter")
    expect(first.locator(".document")).to_be_visible()
    assert first.locator(".document").inner_text() == report.most_certain[0].text
    assert first.locator("mark.for").count() > 0
    page.locator("#examples").get_by_role("button", name="Open all").click()
    expect(page.locator("#examples details[open]")).to_have_count(len(report.most_certain))
    expect(page.locator("#examples").get_by_role("button", name="Close all")).to_be_visible()
    names = [category.name for category in report.categories]
    expect(page.locator("#examples h3")).to_have_text(names)


def test_a_point_of_the_map_shows_its_text(opened: Callable[..., Any], report: Report) -> None:
    from playwright.sync_api import expect

    page = opened()
    map_ = page.locator("svg.map")
    map_.scroll_into_view_if_needed()
    points = page.evaluate("JSON.parse(document.getElementById('map-points').textContent).points")
    assert len(points) == len(report.map.documents) == report.documents
    x, y = page.evaluate(AT, points[0][:2])
    page.mouse.move(x, y)
    expect(page.locator(".tip")).to_be_visible()
    shown = page.locator(".tip").inner_text()
    assert any(f"{point[5]}\n" in shown for point in points if point[:2] == points[0][:2])
    page.mouse.move(2, 2)
    expect(page.locator(".tip")).to_be_hidden()
    map_.press("ArrowRight")
    expect(page.locator(".tip")).to_be_visible()
    before = page.locator(".ring").get_attribute("cx")
    map_.press("ArrowRight")
    expect(page.locator(".ring")).not_to_have_attribute("cx", before)
    map_.press("Escape")
    expect(page.locator(".tip")).to_be_hidden()


def test_a_phone_needs_no_scrolling_sideways(opened: Callable[..., Any]) -> None:
    from playwright.sync_api import expect

    page = opened(**PHONE)
    wide = "document.documentElement.scrollWidth"
    assert page.evaluate(wide) <= 360
    expect(page.get_by_role("heading", name="What to do next")).to_be_in_viewport()
    contents = page.get_by_role("navigation", name="Contents")
    expect(contents).to_be_hidden()
    page.get_by_role("button", name="Contents").tap()
    expect(contents).to_be_visible()
    contents.get_by_role("link", name="Map of the documents").tap()
    expect(contents).to_be_hidden()
    expect(page.get_by_role("heading", name="Map of the documents")).to_be_in_viewport()
    point = page.evaluate(
        "JSON.parse(document.getElementById('map-points').textContent).points[0].slice(0, 2)"
    )
    page.touchscreen.tap(*page.evaluate(AT, point))
    expect(page.locator(".tip")).to_be_visible()
    page.locator("#examples").get_by_role("button", name="Open all").tap()
    assert page.evaluate(wide) <= 360


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_names_references_and_contrast(scheme: str, opened: Callable[..., Any]) -> None:
    page = opened(color_scheme=scheme)
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    answer = page.evaluate(CHECKS)
    assert answer["measured"] > 100
    assert answer["found"] == []


def test_without_script_everything_can_be_read(opened: Callable[..., Any], report: Report) -> None:
    from playwright.sync_api import expect

    page = opened(java_script_enabled=False)
    expect(page.locator("#contents")).to_be_visible()
    expect(page.locator("#seeds tbody tr:visible")).to_have_count(len(report.seeds))
    page.locator("#least-certain summary").first.click()
    expect(page.locator("#least-certain .document").first).to_have_text(report.least_certain[0].text)


def test_dark_and_printed_pages_have_their_colours(opened: Callable[..., Any]) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    page = opened(color_scheme="dark")
    assert page.evaluate(ground) == "rgb(20, 24, 29)"
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate(ground) == "rgb(255, 255, 255)"
    assert not page.locator("#contents").is_visible()
    assert not page.locator(".tools").first.is_visible()
    printed = "getComputedStyle(document.querySelector('#seeds th'), '::before').content"
    assert page.evaluate(printed) == '"seed"'  # since buttons are not repeated on each sheet of paper
