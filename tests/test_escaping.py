"""Pages and Markdown made of hostile texts, names and words: nothing of them becomes a tag."""

from __future__ import annotations

import re
import warnings
from html.parser import HTMLParser

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from seedtopic import WSPTM, InputError, SeedWarning
from seedtopic.show.html import escape
from seedtopic.show.report import Report

TAGS = set(
    "html head meta title style body h1 h2 h3 p div span ul li b i table thead tbody tr th td figure "  # noqa: SIM905
    "figcaption section nav main ol a button small script svg g path rect line circle text tspan polyline mark details summary".split()
)
ATTRIBUTES = set(
    "id dir href visibility type popover popovertarget data-rows data-value lang charset name content http-equiv class style title role aria-label viewbox width height x y x1 x2 y1 "  # noqa: SIM905
    "y2 d cx cy r points transform text-anchor data-head colspan scope fill stroke aria-hidden".split()
)
STYLES = re.compile(r"((--s|fill|stroke|width):[\w#%. (),-]+;?)+")


class Strict(HTMLParser):
    """Fails at anything that our own pages do not have."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in TAGS
        self.tags.append(tag)
        for name, value in attrs:
            assert name in ATTRIBUTES
            assert name != "href" or re.fullmatch("#[a-z0-9-]+", value or "")
            assert name != "style" or STYLES.fullmatch(value or "")

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")

    def handle_decl(self, decl: str) -> None:
        assert decl == "DOCTYPE html"

    def unknown_decl(self, data: str) -> None:
        raise AssertionError(f"a declaration: {data}")

    def handle_pi(self, data: str) -> None:
        raise AssertionError(f"an instruction: {data}")


def parsed(page: str) -> Strict:
    page.encode("utf-8")  # can be written
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\u202d\u202e]", page)
    found = Strict()
    found.feed(page)
    found.close()
    assert page.count("<style>") == page.count("</style>") == 1
    assert page.count("<script") == page.count("</script") == found.tags.count("script") <= 2
    return found


PIECES = [
    "<script>alert(1)</script>", "</style>", "</title>", "<!--", "-->", "]]>", "<![CDATA[", "<?php", "&", "&lt;",
    "&#60;script&#62;", '"', "'", '" onload="x', "<img src=x onerror=y>", "</td></tr></table>", "\0", "\u202e",
    "\u2066", "\ud800", "\x85", "\n# head\n", "| a | b |", "](javascript:x)", "`", "*", "<b>", "{{7*7}}", "game",
    "bank", "goal", "é", "\U0001f600",
]  # fmt: skip
hostile = st.lists(st.sampled_from(PIECES) | st.text(st.characters(), max_size=8), max_size=6).map("".join)
hostile_names = hostile.filter(lambda name: name.strip())


def fitted(names: list[str], word: str) -> WSPTM:
    seeds = {names[0]: ["game", word], names[1]: ["bank"]}
    texts = ["game goal team", "goal game", "bank loan rate", "loan bank", f"game {word}"]
    model = WSPTM(seeds, random_state=0, max_iter=1, lam=0.0, n_threads=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SeedWarning)
        return model.fit(texts)


@settings(max_examples=50, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(hostile_names, min_size=2, max_size=2, unique_by=lambda name: name.strip()),
    hostile.filter(lambda word: word.strip().strip("*")),
    st.lists(hostile, min_size=1, max_size=4),
    hostile,
)
def test_nothing_from_outside_becomes_a_tag(
    names: list[str], word: str, texts: list[str], title: str
) -> None:
    try:
        model = fitted(names, word)
    except InputError:  # such as a wildcard in a phrase
        return
    labels = model.classes_.tolist() * 4
    texts = [f"game {text}" for text in texts]  # a text without a known word is not shown
    report = Report.of(model, texts, labels=labels[: len(texts)], ids=[title] * len(texts), title=title)
    page = parsed(report.to_html())
    shown = "".join(page.texts)
    for text in (*texts, title):
        for line in text.split():
            if len(line) < 40:
                assert (
                    re.sub(
                        "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff\u202d\u202e]",
                        "\ufffd",
                        line,
                    )
                    in shown
                )
    parsed(model.explain(texts[0]).to_html())
    markdown = report.to_markdown()
    markdown.encode("utf-8")
    assert not re.search(r"<[a-zA-Z!/?]", markdown)
    assert not re.search(r"(?<!\\)\]\(", markdown)  # no links
    headings = [line for line in markdown.splitlines() if line.startswith("#")]
    assert all(re.match(r"#{1,3} ", line) for line in headings)
    plain = Report.of(model, ["a game"] * len(texts), labels=labels[: len(texts)]).to_markdown()
    assert len(headings) == sum(line.startswith("#") for line in plain.splitlines())


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("<script>", "&lt;script&gt;"),
        ("\"'&", "&quot;&#x27;&amp;"),
        ("a\0b\u202ec\ud800", "a\ufffdb\ufffdc\ufffd"),
        ("tab\tand\nline", "tab\tand\nline"),
        ("שלום \u200f", "שלום \u200f"),  # marks that right-to-left scripts need stay
    ],
)
def test_known_answers(text: str, written: str) -> None:
    assert escape(text) == written
