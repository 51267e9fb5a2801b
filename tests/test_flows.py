"""The flows on the page of the architecture are those that documents take: each hop is called, in this order."""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType

import pytest
from starlette.testclient import TestClient

import seedtopic
from seedtopic import Seeds, SeedTopicClassifier, cli
from seedtopic.io.rows import Rows
from seedtopic.web.api import Api
from seedtopic.web.app import make_app
from seedtopic.web.studio.app import create_app
from seedtopic.web.studio.documents import Collection
from seedtopic.web.studio.session import Session

HOME = Path(seedtopic.__file__).parent
PAGE = (Path(__file__).parents[1] / "docs" / "architecture.md").read_text(encoding="utf-8")
MOST_HOPS = {"`seedtopic label`": 15, "`fit`": 14, "`POST /predict`": 10, "An edit in the studio": 12}
IN_A_THREAD = "Then, in the thread that fits:"
TOKEN = "of-the-test"

Hop = tuple[str, str]  # a file below the package, and the qualified name of a function


def hops(text: str) -> list[Hop]:
    return re.findall(r"^\d+\. `([\w/]+\.py)` `([\w.]+)`: \w", text, re.M)


def section(name: str) -> str:
    return PAGE.split(f"\n### {name}\n")[1].split("\n## ")[0].split("\n### ")[0]


class Calls:
    """Which functions of the package are called, each once and in the order of the first calls, by thread."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Forget what was called so far."""
        self.hops: list[Hop] = []
        self.of_fits: list[Hop] = []  # in the thread of the studio that fits
        self._seen: set[tuple[int, CodeType]] = set()

    def __call__(self, frame: FrameType, event: str, value: object) -> None:
        key = (threading.get_ident(), frame.f_code)
        if event != "call" or key in self._seen:
            return
        self._seen.add(key)
        path = Path(frame.f_code.co_filename)
        if HOME in path.parents:
            in_fit = threading.current_thread().name == "seedtopic-studio-fits"
            hop = (path.relative_to(HOME).as_posix(), frame.f_code.co_qualname)
            (self.of_fits if in_fit else self.hops).append(hop)


@contextmanager
def recorded() -> Iterator[Calls]:
    """Record the calls of this thread, and of threads that begin meanwhile."""
    calls, before = Calls(), (sys.getprofile(), threading.getprofile())
    threading.setprofile(calls)
    sys.setprofile(calls)
    try:
        yield calls
    finally:
        sys.setprofile(before[0])
        threading.setprofile(before[1])


def off_course(listed: list[Hop], called: list[Hop]) -> list[Hop]:
    """Return the hops that were not called, or earlier than those above them."""
    never = [hop for hop in listed if hop not in called]
    places = [called.index(hop) for hop in listed if hop in called]
    there = [hop for hop in listed if hop in called]
    return never + [
        hop for hop, before, place in zip(there[1:], places, places[1:], strict=False) if place < before
    ]


@pytest.mark.parametrize("name", MOST_HOPS)
def test_a_flow_is_no_longer_than_it_may_be(name: str) -> None:
    lines = re.findall(r"^\d+\. .*", section(name), re.M)
    assert 0 < len(lines) <= MOST_HOPS[name]
    assert len(hops(section(name))) == len(lines), "a hop is:  1. `file` `function`: what it does"


def test_what_is_off_course_is_named() -> None:
    first, second, third = ("a.py", "f"), ("b.py", "g"), ("c.py", "h")
    assert off_course([first, third], [first, second, third]) == []
    assert off_course([first, second], [second, first]) == [second]
    assert off_course([first, third], [first, second]) == [third]


def test_label(tmp_path: Path, toy_texts: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("docs.csv").write_text("text\n" + "".join(f'"{text}"\n' for text in toy_texts), encoding="utf-8")
    Path("seeds.toml").write_text('sports = ["game"]\nmoney = ["bank"]\n', encoding="utf-8")
    with recorded() as calls:
        assert cli.run(["label", "docs.csv", "--seeds", "seeds.toml", "-o", "out.csv", "-q"]) == 0
    assert off_course(hops(section("`seedtopic label`")), calls.hops) == []


def test_fit(toy_texts: list[str], toy_seeds: dict[str, list[str]]) -> None:
    with recorded() as calls:
        SeedTopicClassifier(toy_seeds, random_state=0).fit(toy_texts)
    assert off_course(hops(section("`fit`")), calls.hops) == []


def test_predict(toy_texts: list[str], toy_seeds: dict[str, list[str]]) -> None:
    model = SeedTopicClassifier(toy_seeds, mixture=False, random_state=0).fit(toy_texts)
    app = make_app(Api(lambda: model), log=lambda event, values: None)
    with recorded() as calls, TestClient(app, "http://localhost:8000") as client:
        calls.begin()
        assert client.post("/predict", json={"texts": toy_texts[:1]}).status_code == 200
    assert off_course(hops(section("`POST /predict`")), calls.hops) == []


def test_edit(tmp_path: Path, toy_texts: list[str], toy_seeds: dict[str, list[str]]) -> None:
    rows = Rows(texts=toy_texts, rows=[{}] * len(toy_texts))
    first = next(iter(toy_seeds))
    with recorded() as calls:
        session = Session(Collection(rows, "toy"), Seeds(toy_seeds), tmp_path / "toy.studio", pause=0.0)
        app = create_app(session, tmp_path, TOKEN)
        with TestClient(app, "http://127.0.0.1:8000", headers={"X-Seedtopic-Token": TOKEN}) as client:
            session.wait_until_settled(60)
            calls.begin()
            edit = {"action": "add_words", "category": first, "words": ["rate"]}
            assert client.post("/api/edit", json=edit).status_code == 200
            session.wait_until_settled(60)
    at_once, later = section("An edit in the studio").split(IN_A_THREAD)
    assert off_course(hops(at_once), calls.hops) == []
    assert off_course(hops(later), calls.of_fits) == []
