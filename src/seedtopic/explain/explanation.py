"""Why a document has its label: the terms whose sum is its log-odds against the runner-up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from math import fsum
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.explain.counterfactual import MOST_CHANGED, Infer, Label, Trial, Turn, logarithm
from seedtopic.html.escaping import escape
from seedtopic.html.highlight import STYLE, Mark, highlighted
from seedtopic.html.page import page
from seedtopic.text.positions import Span

Array = NDArray[np.float64]
NEGLIGIBLE = 1e-6
CLOSE, CLEAR = np.log(2), np.log(10)  # log-odds: the label is less than twice, or ten times, as probable
MEANING = {
    "seeds": "words of the text that are seeds of either category",
    "learned words": "all other words of the text",
    "neighbours": "similar documents that the model was fitted to",
    "prior": "the label before any word is read",
    "limit": "subtracted, because no probability may come close to 0",
    "total": "ln(probability / probability of the runner-up)",
}


_KEY = (
    '<p class="key">Words with a <mark class="for" style="--s:1">solid</mark> line speak for the label, '
    'those with a <mark class="against" style="--s:1">dashed</mark> line for the runner-up; thick and '
    'dark lines are strong. <mark class="for seed" style="--s:1">Seeds</mark> are bold.</p>'
)


@dataclass(frozen=True)
class Evidence:
    """The evidence of a model for one document, as log-odds of a label against its rival.

    Attributes
    ----------
    words : ndarray
        What each word of the document adds, in the order of its row of counts.
    prior : float
        What does not depend on the words.
    pull : ndarray, shape (n_vocabulary,)
        How strongly each known word speaks for the label rather than the rival, on any scale.
    """

    words: Array
    prior: float
    pull: Array


@dataclass(frozen=True)
class WordShare:
    """What a word adds to the log-odds, whose seed it is, and where it is in the text."""

    word: str
    log_odds: float
    seed_of: tuple[Label, ...] = ()
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True)
class Explanation:
    """Why a document has its label rather than the runner-up.

    `log_odds` is ln(probability / runner_up_probability). It is the sum of `terms`: the seeds of the two
    categories, all other words, the neighbours, the prior, and the limit.

    Attributes
    ----------
    text : str
    label, runner_up : str or int
    probability, runner_up_probability : float
    log_odds : float
    words : tuple of WordShare
        Every known word of the document, the strongest first.
    prior : float
        What does not depend on the words. In a topic model (WSPTM, LapSWTM, and SeedTopicClassifier with
        refine=False) it is the prior of the document, which depends on its seeds.
    neighbours : float
        What the neighbours in the graph add; 0 for a document that the model was not fitted to.
    limit : float
        What is subtracted because no probability may come close to 0.
    without, with_ : Turn or None
        The strongest words of the document whose removal changes the label, and the strongest words of the
        runner-up whose addition does, as few as possible; both were tried. None where ten are not enough.
    none_label, none_probability : str or None, and float
        The label of documents that belong to no category, and the probability that this is one of them.
        Above 0.5 the document has this label, and `label` is the most probable category.
    id : str, optional
        The id of the document.

    Examples
    --------
    >>> from seedtopic import SeedTopicClassifier
    >>> texts = ["the team won the game", "a goal in the game", "the bank cut its rate", "rate of the bank"]
    >>> model = SeedTopicClassifier({"sports": ["game", "team"], "money": ["bank"]}, random_state=0)
    >>> found = model.fit(texts).explain("Which game? At what rate? A goal!")
    >>> found.label, [(share.word, share.spans) for share in found.words if share.log_odds > 0]
    ('sports', [('goal', ((28, 32),)), ('game', ((6, 10),))])
    >>> bool(abs(sum(found.terms.values()) - found.log_odds) < 1e-9)
    True
    """

    text: str
    label: Label
    probability: float
    runner_up: Label
    runner_up_probability: float
    log_odds: float
    words: tuple[WordShare, ...]
    prior: float = 0.0
    neighbours: float = 0.0
    limit: float = 0.0
    without: Turn | None = None
    with_: Turn | None = None
    none_label: str | None = None
    none_probability: float = 0.0
    id: str | None = field(default=None, compare=False)

    @property
    def given(self) -> Label:
        """The label the document was given: a category, or `none_label`."""
        none = self.none_label is not None and self.none_probability > 0.5
        return self.none_label if none and self.none_label is not None else self.label

    def _seeded(self, share: WordShare) -> bool:
        return self.label in share.seed_of or self.runner_up in share.seed_of

    @property
    def terms(self) -> dict[str, float]:
        """The terms whose sum is the log-odds; the first two contain the words of the text."""
        return {
            "seeds": fsum(share.log_odds for share in self.words if self._seeded(share)),
            "learned words": fsum(share.log_odds for share in self.words if not self._seeded(share)),
            "neighbours": self.neighbours,
            "prior": self.prior,
            "limit": self.limit,
        }

    @property
    def shares(self) -> dict[str, float]:
        """The weight of each term, for or against the label, as a share of the total weight."""
        weight = {name: abs(value) for name, value in self.terms.items()}
        total = fsum(weight.values())
        return {name: value / total if total else 0.0 for name, value in weight.items()}

    def to_dict(self) -> dict[str, Any]:
        """Give plain values for JSON."""
        values = asdict(self)
        values["with"] = values.pop("with_")
        return {**values, "terms": self.terms, "shares": self.shares}

    def to_html(self) -> str:
        """Write a page with the words highlighted; it works offline."""
        title = f"Why {self.given}" if self.id is None else f"Why {self.id} is {self.given}"
        body = [
            f"<h1>{escape(title)}</h1>",
            f"<p>{escape(self.sentence)}</p>",
            _KEY,
            f'<p class="document">{highlighted(self.text, self._marks())}</p>',
            "<h2>What decided the label</h2>",
            _table(
                ("term", "log-odds", "weight", ""), [(*row, MEANING[row[0]]) for row in self._term_rows()]
            ),
            "<h2>Word by word</h2>",
            _table(("word", "log-odds", "times", "seed of"), self._word_rows(len(self.words))),
            *(f"<p>{escape(sentence)}</p>" for sentence in self._turn_sentences()),
        ]
        return page(title, "\n".join(body), STYLE)

    def _marks(self) -> list[Mark]:
        return [
            Mark(start, end, share.log_odds, self._seeded(share), f"{share.word} {share.log_odds:+.2f}")
            for share in self.words
            for start, end in share.spans
        ]

    def __str__(self) -> str:
        rows = [("term", "log-odds", "weight"), *self._term_rows()]
        words = [("word", "log-odds", "times", "seed of"), *self._word_rows(15)]
        more = len(self.words) - 15
        return "\n".join(
            [
                self.sentence,
                *(["", *_aligned(rows)] if self.words or self.neighbours else []),
                *(["", *_aligned(words)] if self.words else []),
                *([f"and {more} more words"] if more > 0 else []),
                *(["", *self._turn_sentences()] if self.words else []),
            ]
        )

    @property
    def sentence(self) -> str:
        """The label and how clear it is in plain words, then the numbers."""
        if self.given == self.label:
            return self._of_categories()
        return (
            f"{self.given}: it probably belongs to no category (probability {self.none_probability:.3f}). "
            f"The most probable category: {self._of_categories()}"
        )

    def _of_categories(self) -> str:
        if not self.words and not self.neighbours:
            return (
                f"No word of this document is known, so all categories are equally probable "
                f"({self.probability:.3f}); {self.label} is the first of them."
            )
        return (
            f"{self.label}, {self._clearness()} "
            f"({self.probability:.3f} against {self.runner_up_probability:.3f})."
        )

    def _clearness(self) -> str:
        if self.log_odds < CLOSE:
            return f"a close call: {self.runner_up} would have needed little more"
        if self.log_odds < CLEAR:
            return f"fairly clear: {self.runner_up} is less probable"
        return f"a clear case: {self.runner_up} is far less probable"

    def _term_rows(self) -> list[tuple[str, ...]]:
        shown = {
            name: value
            for name, value in self.terms.items()
            if name not in ("limit", "neighbours") or abs(value) > NEGLIGIBLE
        }
        rows = [(name, f"{value:+.2f}", f"{self.shares[name]:.0%}") for name, value in shown.items()]
        return [*rows, ("total", f"{self.log_odds:+.2f}", "")]

    def _word_rows(self, count: int) -> list[tuple[str, ...]]:
        return [
            (
                share.word,
                f"{share.log_odds:+.2f}",
                str(len(share.spans) or ""),
                ", ".join(map(str, share.seed_of)),
            )
            for share in self.words[:count]
        ]

    def _turn_sentences(self) -> list[str]:
        if not self.words:
            return []
        tried = (("Without", self.without, ""), ("With", self.with_, " added"))
        found = [
            f"{how} {_listed(turn.words)}{more} it would be {turn.label}."
            for how, turn, more in tried
            if turn
        ]
        return found or [f"Removing or adding up to {MOST_CHANGED} words would not change the label."]


def explain(
    text: str,
    counts: sp.csr_array,
    classes: Sequence[Label],
    vocabulary: Sequence[str],
    membership: sp.csr_array,
    infer: Infer,
    evidence: Callable[[sp.csr_array, int, int], Evidence],
    spans: Callable[[Sequence[str]], dict[str, list[Span]]],
    fitted: Array | None = None,
) -> Explanation:
    """Make an explanation from the evidence of a model.

    Parameters
    ----------
    text : str
    counts : csr_array, shape (1, n_words)
        The counts of its words.
    classes, vocabulary : sequences
    membership : csr_array, shape (n_categories, n_words)
        Above 0 if a word is a seed of a category.
    infer : callable
        Computes probabilities from counts, without neighbours.
    evidence : callable
        Takes the counts, a label and a rival; returns the evidence for the first against the second.
    spans : callable
        Finds words in the text.
    fitted : ndarray, shape (n_categories,), optional
        The probabilities of the document in the fit, which include its neighbours.
    """
    by_words = logarithm(infer(counts)[0])
    final = by_words if fitted is None else logarithm(fitted)
    label, rival = (int(place) for place in np.argsort(-final, kind="stable")[:2])
    found = evidence(counts, label, rival)
    alone = float(by_words[label] - by_words[rival])
    log_odds = float(final[label] - final[rival])
    from_words = fsum(found.words.tolist())

    known = [vocabulary[column] for column in counts.indices.tolist()]
    places = spans(known)
    seed_of = sp.csc_array(membership)[:, counts.indices].toarray() > 0
    words = [
        WordShare(
            word,
            float(weight),
            tuple(classes[category] for category in np.flatnonzero(seed_of[:, place]).tolist()),
            tuple(places.get(word, ())),
        )
        for place, (word, weight) in enumerate(zip(known, found.words.tolist(), strict=True))
        if weight != 0
    ]
    trial = Trial(counts, infer, final - by_words, classes, vocabulary, label)
    return Explanation(
        text=text,
        label=classes[label],
        probability=float(np.exp(final[label])),
        runner_up=classes[rival],
        runner_up_probability=float(np.exp(final[rival])),
        log_odds=log_odds,
        words=tuple(sorted(words, key=lambda share: -abs(share.log_odds))),
        prior=found.prior,
        neighbours=log_odds - alone,
        limit=alone - from_words - found.prior,
        without=trial.without(found.words),
        with_=trial.with_(found.pull),
    )


def log_odds_of_sums(label: Array, rival: Array) -> Array:
    """Split ln(sum of one / sum of the other) into one term for each part of the sums.

    The logarithm of the ratio of two numbers is their difference divided by their logarithmic mean. Each term
    is the difference of two parts, divided by that mean.

    Examples
    --------
    >>> terms = log_odds_of_sums(np.array([3.0, 1.0]), np.array([1.0, 1.0]))
    >>> terms.round(3).tolist(), bool(np.isclose(terms.sum(), np.log(4 / 2)))
    ([0.693, 0.0], True)
    """
    one, other = (max(float(parts.sum()), 1e-12) for parts in (label, rival))
    mean = one if np.isclose(one, other, rtol=1e-12) else (one - other) / (np.log(one) - np.log(other))
    return np.asarray((label - rival) / mean)


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


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    def cells(row: Sequence[str], tag: str) -> str:
        return "".join(
            f"<{tag}{' class=number' if place in (1, 2) else ''}>{escape(cell)}</{tag}>"
            for place, cell in enumerate(row)
        )

    lines = [f"<tr>{cells(row, 'td')}</tr>" for row in rows]
    return f'<div class="wide"><table><tr>{cells(head, "th")}</tr>{"".join(lines)}</table></div>'
