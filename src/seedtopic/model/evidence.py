"""What a model says of one document, and the explanation made of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from math import fsum
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.base.display import shown
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


def word_shares(
    counts: sp.csr_array,
    evidence: Evidence,
    classes: Sequence[Label],
    vocabulary: Sequence[str],
    membership: sp.csr_array,
    spans: Callable[[Sequence[str]], dict[str, list[Span]]],
) -> tuple[WordShare, ...]:
    """Name the words of the evidence, the strongest first."""
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
        return shown(self, "explanation.as_page")

    def _repr_html_(self) -> str:
        return shown(self, "explanation.as_notebook")

    def __str__(self) -> str:
        return shown(self, "explanation.as_text")

    @property
    def sentence(self) -> str:
        """The label and how clear it is in plain words, then the numbers."""
        return shown(self, "explanation.sentence")


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
    given = em.fold_in_by_word(folding)
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
