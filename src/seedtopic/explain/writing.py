"""An explanation as text for a terminal and as a page for a browser."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from seedtopic.explain.counterfactual import MOST_CHANGED
from seedtopic.html.escaping import escape
from seedtopic.html.highlight import KEY, STYLE, Mark, highlighted
from seedtopic.html.notebook import notebook
from seedtopic.html.page import page
from seedtopic.html.pieces import Html, bullets, folded, paragraph, table

if TYPE_CHECKING:
    from seedtopic.explain.explanation import Explanation

NEGLIGIBLE = 1e-6
LETTERS_SHOWN, WORDS_SHOWN = 5_000, 15  # in a notebook, and words in a terminal
CLOSE, CLEAR = np.log(2), np.log(10)  # log-odds: the label is less than twice, or ten times, as probable
MEANING = {
    "seeds": "words of the text that are seeds of either category",
    "learned words": "all other words of the text",
    "sentence": "the text as a whole, as the sentence encoder reads it",
    "neighbours": "similar documents that the model was fitted to",
    "prior": "the label before any word is read",
    "limit": "subtracted, because no probability may come close to 0",
    "total": "ln(probability / probability of the runner-up)",
}
_REASONS = {"no text": "it has no text", "no known word": "the model knows no word of it"}


def as_page(explanation: Explanation) -> str:
    """Write a page with the words highlighted."""
    title = _title(explanation)
    body = [
        f"<h1>{escape(title)}</h1>",
        f"<p>{escape(sentence(explanation))}</p>",
        KEY,
        f'<p class="document">{highlighted(explanation.text, _marks(explanation))}</p>',
        "<h2>What decided the label</h2>",
        _terms_table(explanation),
        "<h2>Word by word</h2>",
        _words_table(explanation, len(explanation.words)),
        *(f"<p>{escape(told)}</p>" for told in _turn_sentences(explanation)),
    ]
    return page(title, "\n".join(body), STYLE)


def as_notebook(explanation: Explanation) -> str:
    """Write the same for a notebook: its beginning, where the text is long."""
    marks = [mark for mark in _marks(explanation) if mark.end <= LETTERS_SHOWN]
    text, rest = explanation.text[:LETTERS_SHOWN], len(explanation.text) - LETTERS_SHOWN
    n_words = len(explanation.words)
    more = [f"and {n_words - WORDS_SHOWN:,} more words"] if n_words > WORDS_SHOWN else []
    known = [
        Html(KEY),
        paragraph(Html(highlighted(text, marks)), "document"),
        *([f"{rest:,} more characters: to_html() shows all of the text."] if rest > 0 else []),
        _terms_table(explanation),
        folded("Word by word", _words_table(explanation, WORDS_SHOWN), *more),
        bullets(_turn_sentences(explanation)),
    ]
    return notebook(_title(explanation), sentence(explanation), *(known if n_words else []))


def _title(explanation: Explanation) -> str:
    given = "no label" if explanation.given is None else explanation.given
    if explanation.id is None:
        return f"Why {given}"
    return f"Why {explanation.id} {'has' if explanation.given is None else 'is'} {given}"


def _terms_table(explanation: Explanation) -> Html:
    rows = [(*row, MEANING[row[0]]) for row in _term_rows(explanation)]
    return table(("term", "log-odds", "weight", ""), rows, numbers=(1, 2))


def _words_table(explanation: Explanation, count: int) -> Html:
    head = ("word", "log-odds", "times", "seed of")
    return table(head, _word_rows(explanation, count), numbers=(1, 2))


def _marks(explanation: Explanation) -> list[Mark]:
    return [
        Mark(
            start, end, share.log_odds, explanation.names_either(share), f"{share.word} {share.log_odds:+.2f}"
        )
        for share in explanation.words
        for start, end in share.spans
    ]


def as_text(explanation: Explanation) -> str:
    """Write what a terminal shows."""
    rows = [("term", "log-odds", "weight"), *_term_rows(explanation)]
    words = [("word", "log-odds", "times", "seed of"), *_word_rows(explanation, WORDS_SHOWN)]
    more = len(explanation.words) - WORDS_SHOWN
    return "\n".join(
        [
            sentence(explanation),
            *(["", *_aligned(rows)] if explanation.words or explanation.neighbours else []),
            *(["", *_aligned(words)] if explanation.words else []),
            *([f"and {more} more words"] if more > 0 else []),
            *(["", *_turn_sentences(explanation)] if explanation.words else []),
        ]
    )


def sentence(explanation: Explanation) -> str:
    """The label and how clear it is in plain words, then the numbers."""
    if explanation.unlabelled is not None:
        return f"This document has no label: {_REASONS[explanation.unlabelled]}."
    if explanation.given == explanation.label:
        return _of_categories(explanation)
    return (
        f"{explanation.given}: it probably belongs to no category "
        f"(probability {explanation.none_probability:.3f}). "
        f"The most probable category: {_of_categories(explanation)}"
    )


def _of_categories(explanation: Explanation) -> str:
    if not explanation.words and not explanation.neighbours:
        return (
            f"none, because no word of this document is known and all are equally probable "
            f"({explanation.probability:.3f})."
        )
    return (
        f"{explanation.label}, {_clearness(explanation)} "
        f"({explanation.probability:.3f} against {explanation.runner_up_probability:.3f})."
    )


def _clearness(explanation: Explanation) -> str:
    if explanation.log_odds < CLOSE:
        return f"a close call: {explanation.runner_up} would have needed little more"
    if explanation.log_odds < CLEAR:
        return f"fairly clear: {explanation.runner_up} is less probable"
    return f"a clear case: {explanation.runner_up} is far less probable"


def _term_rows(explanation: Explanation) -> list[tuple[str, ...]]:
    shown = {
        name: value
        for name, value in explanation.terms.items()
        if name not in ("limit", "neighbours") or abs(value) > NEGLIGIBLE
    }
    rows = [(name, f"{value:+.2f}", f"{explanation.shares[name]:.0%}") for name, value in shown.items()]
    return [*rows, ("total", f"{explanation.log_odds:+.2f}", "")]


def _word_rows(explanation: Explanation, count: int) -> list[tuple[str, ...]]:
    return [
        (
            share.word,
            f"{share.log_odds:+.2f}",
            str(len(share.spans) or ""),
            ", ".join(map(str, share.seed_of)),
        )
        for share in explanation.words[:count]
    ]


def _turn_sentences(explanation: Explanation) -> list[str]:
    if not explanation.words:
        return []
    tried = (("Without", explanation.without, ""), ("With", explanation.with_, " added"))
    found = [
        f"{how} {_listed(turn.words)}{more} it would be {turn.label}." for how, turn, more in tried if turn
    ]
    return found or [f"Removing or adding up to {MOST_CHANGED} words would not change the label."]


def _listed(words: Sequence[str]) -> str:
    quoted = [f"“{word}”" for word in words]
    return quoted[0] if len(quoted) == 1 else ", ".join(quoted[:-1]) + " and " + quoted[-1]


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Align rows in columns, text to the left and numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            f"{cell:<{width}}" if place in (0, 3) else f"{cell:>{width}}"
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
