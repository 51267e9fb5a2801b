"""What a model says of one document, and the explanation made of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from math import fsum
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.html.escaping import escape
from seedtopic.html.highlight import KEY, STYLE, Mark, highlighted
from seedtopic.html.notebook import notebook
from seedtopic.html.page import page
from seedtopic.html.pieces import Html, bullets, folded, paragraph, table
from seedtopic.learning.topics import em
from seedtopic.text.parts import Span

if TYPE_CHECKING:
    from seedtopic.model.stages.documents import Documents


Array = NDArray[np.float64]
Infer = Callable[[sp.csr_array], Array]
Label = str | int

LEAST_PROBABILITY = float(np.finfo(np.float64).tiny)
MOST_CHANGED = 10  # words removed or added


@dataclass(frozen=True)
class Turn:
    """Words whose removal, or addition, changes the label, and the label it changes to."""

    words: tuple[str, ...]
    label: Label


@dataclass(frozen=True)
class Trial:
    """Labels the document again with some words removed or added; the part of the neighbours stays."""

    counts: sp.csr_array
    infer: Infer
    neighbours: Array
    classes: Sequence[Label]
    vocabulary: Sequence[str]
    label: int

    def without(self, weights: Array) -> Turn | None:
        """Remove the strongest words, one after the other, until the label changes."""
        order = np.argsort(-weights, kind="stable")
        # One word has to stay: a document without words has no label.
        order = order[weights[order] > 0][: min(MOST_CHANGED, np.count_nonzero(weights) - 1)]
        dense = np.repeat(self.counts.data[None, :], len(order), axis=0)
        for taken, row in enumerate(dense, 1):
            row[order[:taken]] = 0
        return self._first(dense, self.counts.indices, self.counts.indices[order])

    def with_(self, pull: Array) -> Turn | None:
        """Add the words that speak most against the label, one after the other, until it changes."""
        absent = np.setdiff1d(np.arange(len(pull)), self.counts.indices)
        added = absent[np.argsort(pull[absent], kind="stable")[:MOST_CHANGED]]
        added = added[pull[added] < 0]
        put_in = np.tril(np.ones((len(added), len(added))))
        own = np.repeat(self.counts.data[None, :], len(added), axis=0)
        return self._first(np.hstack((own, put_in)), np.concatenate((self.counts.indices, added)), added)

    def _first(self, rows: Array, columns: NDArray[Any], changed: NDArray[Any]) -> Turn | None:
        """Find the first row whose label has changed."""
        if not len(rows) or not self.counts.nnz:
            return None
        place = np.arange(rows.shape[1])
        embed = sp.csr_array(
            (np.ones(len(place)), (place, columns)), shape=(len(place), self.counts.shape[1])
        )
        tried = sp.csr_array(sp.csr_array(rows) @ embed)
        tried.sort_indices()
        labels = (logarithm(self.infer(tried)) + self.neighbours).argmax(axis=1)
        turned = np.flatnonzero(labels != self.label)
        if not len(turned):
            return None
        words = tuple(self.vocabulary[column] for column in changed[: turned[0] + 1].tolist())
        return Turn(words, self.classes[int(labels[turned[0]])])


def logarithm(probabilities: Array) -> Array:
    """Compute logarithms that are finite even if a probability is 0."""
    return np.log(np.maximum(probabilities, LEAST_PROBABILITY))


@dataclass(frozen=True)
class Evidence:
    """The evidence of a model for one document, as log-odds of a label against its rival."""

    words: Array  # what each word of the document adds, in the order of its row of counts
    prior: float  # what does not depend on the words
    pull: Array  # (n_vocabulary,)
    sentence: float = 0.0  # what an encoder makes of the text as a whole, which no single word says


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
    """Make an explanation from the evidence of a model."""
    by_words = logarithm(infer(counts)[0])
    final = by_words if fitted is None else logarithm(fitted)
    label, rival = (int(place) for place in np.argsort(-final, kind="stable")[:2])
    found = evidence(counts, label, rival)
    alone = float(by_words[label] - by_words[rival])
    log_odds = float(final[label] - final[rival])
    from_words = fsum(found.words.tolist())

    trial = Trial(counts, infer, final - by_words, classes, vocabulary, label)
    return Explanation(
        text=text,
        label=classes[label],
        probability=float(np.exp(final[label])),
        runner_up=classes[rival],
        runner_up_probability=float(np.exp(final[rival])),
        log_odds=log_odds,
        words=word_shares(counts, found, classes, vocabulary, membership, spans),
        prior=found.prior,
        neighbours=log_odds - alone,
        sentence_meaning=found.sentence,
        limit=alone - from_words - found.prior - found.sentence,
        without=trial.without(found.words),
        with_=trial.with_(found.pull),
    )


def word_shares(
    counts: sp.csr_array,
    evidence: Evidence,
    classes: Sequence[Label],
    vocabulary: Sequence[str],
    membership: sp.csr_array,
    spans: Callable[[Sequence[str]], dict[str, list[Span]]],
) -> tuple[WordShare, ...]:
    """Name the words of the evidence, the strongest first; the parameters are those of `explain`."""
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
        for place, (word, weight) in enumerate(zip(known, evidence.words.tolist(), strict=True))
        if weight != 0
    ]
    return tuple(sorted(words, key=lambda share: -abs(share.log_odds)))


def log_odds_of_sums(label: Array, rival: Array) -> Array:
    """Split ln(sum of one / sum of the other) into one term for each part of the sums.

    The logarithm of the ratio of two numbers is their difference divided by their logarithmic mean. Each term
    is the difference of two parts, divided by that mean.
    """
    one, other = (max(float(parts.sum()), 1e-12) for parts in (label, rival))
    mean = one if np.isclose(one, other, rtol=1e-12) else (one - other) / (np.log(one) - np.log(other))
    return np.asarray((label - rival) / mean)


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
    categories, all other words, the sentence as a whole where an encoder was used, the neighbours, the prior,
    and the limit.
    """

    text: str
    label: Label
    probability: float
    runner_up: Label
    runner_up_probability: float
    log_odds: float
    words: tuple[WordShare, ...]  # every known word of the document, the strongest first
    prior: float = 0.0  # what does not depend on the words
    sentence_meaning: float = 0.0  # what an encoder makes of the text as a whole
    neighbours: float = 0.0  # what the neighbours in the graph add
    limit: float = 0.0  # what is subtracted because no probability may come close to 0
    without: Turn | None = None
    with_: Turn | None = None
    none_label: str | None = None
    none_probability: float = 0.0
    unlabelled: Literal["no text", "no known word"] | None = None  # why the document has no label
    id: str | None = field(default=None, compare=False)  # the id of the document

    @property
    def given(self) -> Label | None:
        """The label the document was given: a category, `none_label`, or None if it cannot be labelled."""
        if self.unlabelled is not None:
            return None
        none = self.none_label is not None and self.none_probability > 0.5
        return self.none_label if none and self.none_label is not None else self.label

    def names_either(self, share: WordShare) -> bool:
        """Whether a word is a seed of the label or of the runner-up."""
        return self.label in share.seed_of or self.runner_up in share.seed_of

    @property
    def terms(self) -> dict[str, float]:
        """The terms whose sum is the log-odds; the first two contain the words of the text."""
        return {
            "seeds": fsum(share.log_odds for share in self.words if self.names_either(share)),
            "learned words": fsum(share.log_odds for share in self.words if not self.names_either(share)),
            **({"sentence": self.sentence_meaning} if self.sentence_meaning else {}),
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
        """Return plain values for JSON; there is no label where the document cannot be labelled."""
        values = asdict(self)
        if self.unlabelled is not None:
            values.update(dict.fromkeys(("label", "probability", "runner_up", "runner_up_probability")))
        values["with"] = values.pop("with_")
        return {**values, "terms": self.terms, "shares": self.shares}

    def to_html(self) -> str:
        """Write a page with the words highlighted; it works offline."""
        return as_page(self)

    def _repr_html_(self) -> str:
        return as_notebook(self)

    def __str__(self) -> str:
        return as_text(self)

    @property
    def sentence(self) -> str:
        """The label and how clear it is in plain words, then the numbers."""
        return sentence(self)


Floats = NDArray[np.floating[Any]]


def linear_evidence(documents: Documents, weights: Floats, bias: Floats, label: int, rival: int) -> Evidence:
    """Part x.W + b, and what the meaning adds to it, of one document, into its words and the rest."""
    difference = np.asarray(weights[label], np.float64) - np.asarray(weights[rival], np.float64)
    words = documents.among_all_words(documents.vectors.data * difference[documents.vectors.indices])
    prior = float(bias[label]) - float(bias[rival]) if documents.has_words[0] else 0.0
    by_word, constant, sentence = documents.meaning_evidence(label, rival)
    return Evidence(
        words=words + by_word,
        prior=prior + constant,
        pull=difference * documents.words.rarity,
        sentence=sentence,
    )


def folded_evidence(folding: em.Folding, label: int, rival: int) -> Evidence:
    """Part ln(theta_label / theta_rival), of one document, into what its words and alpha give to theta."""
    given = em.fold_in_by_word(*folding)
    parts = np.vstack((given, folding.alpha))
    terms = log_odds_of_sums(parts[:, label], parts[:, rival])
    word_topic = folding.word_topic.astype(np.float64)
    return Evidence(
        words=terms[:-1],
        prior=float(terms[-1]),
        pull=np.log(word_topic[:, label]) - np.log(word_topic[:, rival]),
    )


def tempered(evidence: Evidence, temperature: float) -> Evidence:
    """Divide log-odds by a temperature."""
    return replace(
        evidence,
        words=evidence.words / temperature,
        prior=evidence.prior / temperature,
        sentence=evidence.sentence / temperature,
    )


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
