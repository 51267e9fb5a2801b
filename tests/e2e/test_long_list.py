"""Two hundred thousand documents in the list: few elements, smooth scrolling, the right rows. The answers of
the studio are made up here, since only the page is tested."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

from corpora import Corpus
from studio_page import StudioPage
from studio_process import Studio

TOTAL = 200_000
SCROLL = """() => new Promise((done) => {
  const list = document.getElementById("list");
  const frames = [];
  let before = performance.now();
  const step = (now) => {
    frames.push(now - before);
    before = now;
    list.scrollTop += 4321;
    if (frames.length < 120) requestAnimationFrame(step);
    else done({ frames, rows: document.querySelectorAll("#list .row").length });
  };
  requestAnimationFrame(step);
})"""


def made_up(route: Any) -> None:
    asked = {name: values[0] for name, values in parse_qs(urlsplit(route.request.url).query).items()}
    first, limit = int(asked["offset"]), int(asked["limit"])
    rows = [
        {
            "id": number,
            "name": f"number {number}",
            "snippet": f"This is what document {number} begins with.",
            "label": "football",
            "probability": 0.9,
            "runner_up": "music",
            "before": None,
            "confirmed": None,
        }
        for number in range(first, min(first + limit, TOTAL))
    ]
    answer = {"total": TOTAL, "revision": 1, "documents": rows}
    route.fulfill(status=200, content_type="application/json", body=json.dumps(answer))


def test_two_hundred_thousand_rows(
    small_corpus: Corpus,
    studio_of: Callable[[Corpus], Studio],
    open_page: Callable[..., StudioPage],
    browser: Any,
) -> None:
    one = open_page("about:blank")
    page = one.page
    page.route("**/api/documents?**", made_up)
    page.goto(studio_of(small_corpus).address)
    one.expect("#found").to_have_text("200,000 documents")
    one.expect(one.row(0)).to_contain_text("document 0 ")

    scrolled = page.evaluate(SCROLL)
    frames = sorted(scrolled["frames"])
    print(f"\nframes while scrolling: median {frames[60]:.1f} ms, 95 % below {frames[114]:.1f} ms")  # noqa: T201
    assert scrolled["rows"] < 60
    assert frames[60] < 50

    page.locator("#list").focus()
    page.keyboard.press("End")
    one.expect(one.row(TOTAL - 1)).to_contain_text("document 199999 ")
    one.expect(one.row(TOTAL - 1)).to_be_in_viewport()
    one.expect("#list").to_have_attribute("aria-activedescendant", f"row-{TOTAL - 1}")
    page.keyboard.press("Home")
    one.expect(one.row(0)).to_contain_text("document 0 ")
    one.expect(one.row(0)).to_be_in_viewport()
