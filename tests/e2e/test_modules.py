"""Single modules of the page, called in the browser with known answers."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from corpora import Corpus
from studio_page import StudioPage
from studio_process import Studio

CALL = """async ([file, name, given]) => (await import(`/static/js/${file}.js`))[name](...given)"""
# Makes every edit both here and in the studio, and gives what each makes of the words.
BOTH = """async (edits) => {
  const { applied } = await import("/static/js/edits.js");
  const { get, post } = await import("/static/js/api.js");
  const written = ({ categories }) => categories.map(({ name, words }) =>
    [name, words.map(({ word, weight, excluded }) => [word, weight, excluded])]);
  let state = await get("/api/state");
  const found = [];
  for (const edit of edits) {
    const here = written(applied(state, edit));
    try {
      state = await post("/api/edit", edit);
      found.push([JSON.stringify(edit), JSON.stringify(here), JSON.stringify(written(state))]);
    } catch (problem) {
      if (problem.status !== 422) throw problem;
    }
  }
  return found;
}"""


@pytest.fixture
def page(
    small_corpus: Corpus, studio_of: Callable[[Corpus], Studio], open_page: Callable[..., StudioPage]
) -> StudioPage:
    one = open_page(studio_of(small_corpus).address)
    one.expect("#welcome").to_be_visible()
    return one


def test_what_is_typed_and_pasted_is_taken_apart(page: StudioPage) -> None:
    def call(name: str, typed: str) -> Any:
        return page.page.evaluate(CALL, ["parse_words", name, [typed]])

    assert call("words", "Goal, world  cup;\tgoal\n\n keeper ,") == ["goal", "world cup", "keeper"]
    assert call("parted", "goal, -own goal, -, --x") == {"wanted": ["goal"], "against": ["own goal", "-x"]}
    assert call("categories", "sport: goal, cup\n\n music \n: nothing\na: b: c") == [
        {"name": "sport", "words": " goal, cup"},
        {"name": "music", "words": ""},
        {"name": "a", "words": " b: c"},
    ]


def test_an_edit_of_any_size_is_made_or_refused(page: StudioPage) -> None:
    def seeds(n_words: int) -> list[object]:
        words = ", ".join(f'"word{number:060}"' for number in range(n_words))
        return ["/api/edit", {"action": "replace_seeds", "toml": f'a = [{words}]\nb = ["other"]'}]

    state = page.page.evaluate(CALL, ["api", "post", seeds(1500)])  # more than is sent with keepalive
    assert [len(category["words"]) for category in state["categories"]] == [1500, 1]
    with pytest.raises(Exception, match="larger than 1 MB"):
        page.page.evaluate(CALL, ["api", "post", seeds(20_000)])


def test_the_line_of_status_says_where_the_fit_is(page: StudioPage) -> None:
    fit = {
        "status": "running",
        "revision": 3,
        "stage": "refining",
        "done": 1,
        "total": 4,
        "on": "all",
        "seconds": 0.84,
    }

    def words(**changed: object) -> str:
        return str(
            page.page.evaluate(
                CALL, ["status", "fitWords", [{"fit": {**fit, **changed}, "revision": 4}, 1.25]]
            )
        )

    assert words() == "Refining, step 2 of 4 · 1.3 s"
    assert words(revision=4) == "Preview after 0.8 s, refining, step 2 of 4…"
    assert words(revision=4, total=0) == "Preview after 0.8 s, refining…"
    assert words(revision=4, on="sample").startswith("Preview after 0.8 s from a sample of the documents")
    assert words(status="idle") == "Labels are out of date"
    assert words(status="idle", revision=4) == "Labels are up to date · 0.8 s"
    assert words(status="failed", message="No words.") == "No words."
    assert words(status="idle", revision=-1, message="Write more.") == "Write more."


def test_an_edit_is_shown_at_once_as_the_studio_will_make_it(page: StudioPage) -> None:
    draw = random.Random(0)
    names, words = ["a", "b", "c", "d"], ["goal", "oven", "rain", "snow"]
    edits: list[dict[str, object]] = [{"action": "add_category", "name": name} for name in names[:3]]
    for _ in range(120):
        category, word, other = draw.choice(names), draw.choice(words), draw.choice(names)
        edits.append(
            draw.choice(
                [
                    {"action": "add_category", "name": category},
                    {"action": "rename_category", "category": category, "name": other},
                    {"action": "move_category", "category": category, "position": draw.randrange(3)},
                    {"action": "add_words", "category": category, "words": words[: draw.randrange(1, 4)], "excluded": draw.random() < 0.3, "new": draw.random() < 0.3},
                    {"action": "remove_word", "category": category, "word": word},
                    {"action": "set_weight", "category": category, "word": word, "weight": 2.0},
                    {"action": "set_excluded", "category": category, "word": word, "excluded": draw.random() < 0.5},
                    {"action": "move_word", "word": word, "from": category, "to": other, "new": draw.random() < 0.5},
                    {"action": "remove_category", "category": category} if draw.random() < 0.2 else {"action": "add_words", "category": category, "words": words, "excluded": False},
                ]
            )
        )  # fmt: skip
    compared = page.page.evaluate(BOTH, edits)
    assert len(compared) > 60
    for edit, here, there in compared:
        assert here == there, edit
    page.problems.clear()  # refused edits, which the browser reports


def test_the_map_keeps_what_lies_under_the_pointer_when_it_zooms(page: StudioPage) -> None:
    places = page.page.evaluate(
        """async () => {
          const { Camera } = await import("/static/js/camera.js");
          const camera = new Camera();
          camera.resize(800, 600);
          camera.setBounds([-1, 3], [0, 2]);
          const under = (x, y) => {
            const { factor, x0, y0 } = camera.toScreen();
            return [(x - x0) / factor, (y - y0) / factor];
          };
          const found = [under(200, 150)];
          camera.zoomAt(200, 150, 4);
          found.push(under(200, 150));
          camera.pan(30, -20);
          found.push(under(230, 130));
          camera.whole();
          found.push(under(400, 300));
          return found;
        }"""
    )
    assert places[1] == pytest.approx(places[0])
    assert places[2] == pytest.approx(places[0])
    assert places[3] == pytest.approx([1, 1])  # the middle of the documents is the middle of the screen
