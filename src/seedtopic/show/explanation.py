"""Why a document has its label, as text for a terminal, as a page and in a notebook."""

from __future__ import annotations

import numpy as np

from seedtopic.base.wording import listed
from seedtopic.model.evidence import MOST_CHANGED, Explanation
from seedtopic.show.html import KEY, Html, Mark, escape, highlighted, notebook, page
from seedtopic.show.table import Table, bullets, columns, folded, more, text

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
    """Return a page with the words highlighted."""
    title = _title(explanation)
    body = [
        f"<h1>{escape(title)}</h1>",
        text(sentence(explanation)).html,
        KEY,
        f'<p class="document">{highlighted(explanation.text, _marks(explanation))}</p>',
        "<h2>What decided the label</h2>",
        _terms(explanation).notebook(),
        "<h2>Word by word</h2>",
        _words(explanation, len(explanation.words)).notebook(),
        *(text(turn).html for turn in _turns(explanation)),
    ]
    return page(title, "\n".join(body), "marks.css")


def as_notebook(explanation: Explanation) -> str:
    """Return the same for a notebook: its beginning, where the text is long."""
    parts: list[object] = []
    if explanation.words:
        marks = [mark for mark in _marks(explanation) if mark.end <= LETTERS_SHOWN]
        rest = len(explanation.text) - LETTERS_SHOWN
        words = _words(explanation, WORDS_SHOWN).notebook()
        parts = [
            Html(KEY),
            Html(f'<p class="document">{highlighted(explanation.text[:LETTERS_SHOWN], marks)}</p>'),
            *([f"{rest:,} more characters: to_html() shows all of the text."] if rest > 0 else []),
            _terms(explanation).notebook(),
            folded("Word by word", words, *more(len(explanation.words), WORDS_SHOWN, "word")),
            bullets(_turns(explanation)),
        ]
    return notebook(_title(explanation), sentence(explanation), *parts)


def as_text(explanation: Explanation) -> str:
    """Return what a terminal shows."""
    terms, lines = _terms(explanation), [sentence(explanation)]
    if explanation.words or explanation.neighbours:
        lines += ["", Table(terms.columns[:3], [row[:3] for row in terms.rows]).text()]
    if explanation.words:
        lines += ["", _words(explanation, WORDS_SHOWN).text()]
        lines += [*more(len(explanation.words), WORDS_SHOWN, "word"), "", *_turns(explanation)]
    return "\n".join(lines)


def sentence(explanation: Explanation) -> str:
    """Return the label and how clear it is in plain words, then the numbers."""
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
        why = "no word of this document is known and all are equally probable"
        return f"none, because {why} ({explanation.probability:.3f})."
    if explanation.log_odds < CLOSE:
        clear = f"a close call: {explanation.runner_up} would have needed little more"
    elif explanation.log_odds < CLEAR:
        clear = f"fairly clear: {explanation.runner_up} is less probable"
    else:
        clear = f"a clear case: {explanation.runner_up} is far less probable"
    numbers = f"({explanation.probability:.3f} against {explanation.runner_up_probability:.3f})"
    return f"{explanation.label}, {clear} {numbers}."


def _title(explanation: Explanation) -> str:
    label = "no label" if explanation.given is None else explanation.given
    if explanation.id is None:
        return f"Why {label}"
    return f"Why {explanation.id} {'has' if explanation.given is None else 'is'} {label}"


def _terms(explanation: Explanation) -> Table:
    rows = [
        (name, f"{value:+.2f}", f"{explanation.shares[name]:.0%}", MEANING[name])
        for name, value in explanation.terms.items()
        if name not in ("limit", "neighbours") or abs(value) > NEGLIGIBLE
    ]
    rows.append(("total", f"{explanation.log_odds:+.2f}", "", MEANING["total"]))
    return Table(columns("term", numbers=("log-odds", "weight"), right=("",)), rows)


def _words(explanation: Explanation, count: int) -> Table:
    rows = []
    for share in explanation.words[:count]:
        times, seeds = str(len(share.spans) or ""), ", ".join(map(str, share.seed_of))
        rows.append((share.word, f"{share.log_odds:+.2f}", times, seeds))
    return Table(columns("word", numbers=("log-odds", "times"), right=("seed of",)), rows)


def _marks(explanation: Explanation) -> list[Mark]:
    return [
        Mark(*span, share.log_odds, explanation.names_either(share), f"{share.word} {share.log_odds:+.2f}")
        for share in explanation.words
        for span in share.spans
    ]


def _turns(explanation: Explanation) -> list[str]:
    """Return what would change the label."""
    if not explanation.words:
        return []
    tried = (("Without", explanation.without, ""), ("With", explanation.with_, " added"))
    turns = [
        f"{how} {listed([f'“{word}”' for word in turn.words])}{added} it would be {turn.label}."
        for how, turn, added in tried
        if turn
    ]
    return turns or [f"Removing or adding up to {MOST_CHANGED} words would not change the label."]
