"""How likely a label is right, judged without labels by views that can disagree.

The model repeats itself surely even where its seeds mislead it, so its own confidence is one view among
others: what naive Bayes learned near the seeds, what words mean, the seeds and names that a document
contains, and whether the name of a category says what its seeds say. How much each view counts is a logistic
regression of "is the label right", fitted by `tools/reliability.py` to labels of many collections, large and
small, with good seeds and with bad ones; the labels of test parts were not among them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from seedtopic.base.products import rounded_product
from seedtopic.learning.classify.logistic import log_sum_exp, softmax

Array = NDArray[np.float64]
Labels = NDArray[np.intp]

# Where meanings are known (True), and where they are not; `tools/reliability.py` writes this table.
COEFFICIENTS: Mapping[bool, Mapping[str, float]] = {
    True: {
        "constant": -1.302,
        "learned": 0.2077,
        "taught": 0.02759,
        "meaning": -0.5534,
        "name": 0.8014,
        "own_seed": 0.2061,
        "other_seed": -0.5254,
        "own_name": 0.7574,
        "other_name": -0.6545,
        "bare": -0.7707,
        "taught_bare": 0.01232,
        "name_bare": 2.067,
        "guessed": 0.05474,
        "recalled": 0.4734,
        "guess": 0.2101,
        "kappa": 2.083,
        "named": 0.3546,
        "seeded": 0.1306,
        "size": 1.191,
        "size*kappa": -0.9377,
        "size*seeded": -0.1494,
        "meaning*kappa": 1.259,
        "own_seed*seeded": 0.3598,
    },
    False: {
        "constant": -0.4866,
        "learned": 0.3416,
        "taught": 0.02294,
        "own_seed": 0.1031,
        "other_seed": -0.5938,
        "own_name": 0.4802,
        "other_name": -0.5702,
        "bare": -0.991,
        "taught_bare": 0.02028,
        "guessed": -0.03973,
        "guess": 0.419,
        "named": -0.003764,
        "seeded": 0.2466,
        "size": 1.002,
        "size*seeded": -0.319,
        "own_seed*seeded": 0.3232,
    },
}


class Agreements(NamedTuple):
    """How many documents of each category agree with their label in a view; those of blocks are added up."""

    sizes: Array  # (n_categories,), the documents with the label
    guessed: Array  # (n_categories,), those whose first guess was the label
    nearest: Array | None  # (n_categories,), the documents nearest to the category in meaning
    recalled: Array | None  # (n_categories,), those of them that have its label
    own_seed: Array  # (n_categories,), those that contain a seed of their label

    @classmethod
    def of(
        cls,
        label: Labels,
        guess: Labels,
        meaning: Array | None,
        has_own_seed: NDArray[np.bool_],
        n_categories: int,
    ) -> Self:
        """Count documents."""

        def counts(labels: Labels) -> Array:
            return np.bincount(labels, minlength=n_categories).astype(np.float64)

        near = None if meaning is None else meaning.argmax(axis=1)
        return cls(
            counts(label),
            counts(label[guess == label]),
            None if near is None else counts(near),
            None if near is None else counts(label[near == label]),
            counts(label[has_own_seed]),
        )


LEAST_PROBABILITY = 1e-30
FEWEST, MOST = 30, 20_000  # documents between which it counts how many there are
# How much nearer the name of a category is to another's seeds than to its own where a mistake becomes more
# likely than not, how sharply it does, and what trust is left. Of 298 categories with good seeds none is that
# far off, of those with swapped seeds three quarters are.
MISTAKEN, SHARPNESS, LEAST_TRUST = -0.27, 0.03, 0.1
ROWS, MOST_COMPARED = 512, 20_000  # names that are compared with all seeds at a time, and in all
PRIOR_DOCUMENTS = 5.0  # as if a category had so many more documents, of which the same is true as of all

LEAST_TEMPERED = np.finfo(np.float64).tiny  # probability
COLDEST, HOTTEST = 1e-4, 1e4  # temperatures tried
N_STEPS = 40

MOST_SHIFT = 4.0  # by answers, of log-odds

# What is measured of a document and its label.
VIEWS = (
    "learned",  # log-odds of the label by the regression
    "taught",  # log-odds by naive Bayes, taught by the documents near seeds
    "meaning",  # how much nearer the document is to the label's seeds than to any other's, by their meaning
    "name",  # the same for the categories' names
    "own_seed",  # whether it contains a seed of the label
    "other_seed",  # whether it contains a seed of another category
    "own_name",  # whether it contains a word of the label's name
    "other_name",
    "bare",  # whether it contains no seed and no name
    "taught_bare",  # "taught" where it does not
    "name_bare",
)


@dataclass(frozen=True)
class CategoryViews:
    """What is measured of each category of a fit, and of all its documents together."""

    guessed: Array  # (n_categories,), log-odds of the first guess beyond chance
    recalled: Array  # (n_categories,), the same for documents that are nearest to the category in meaning
    trust: Array  # (n_categories,), how likely the seeds mean what the name says
    seeded: Array  # (n_categories,), the share of its documents that contain one of its seeds
    collection: Mapping[str, float]  # of all documents, see `category_views`


@dataclass(frozen=True)
class Reliability:
    """How likely a label is right: log-odds with an offset for each category and a slope for each view."""

    trust: Array  # (n_categories,), how likely the seeds mean what the name says
    offsets: Array  # (n_categories,)
    slopes: Array  # (n_views,), in the order of `VIEWS`

    @classmethod
    def of(cls, categories: CategoryViews, *, with_meaning: bool) -> Reliability:
        """Weigh the views as this collection asks."""
        weight = COEFFICIENTS[with_meaning]
        slopes = {view: weight.get(view, 0.0) for view in VIEWS}
        collection = categories.collection
        slopes["meaning"] += weight.get("meaning*kappa", 0.0) * collection["kappa"]
        slopes["own_seed"] += weight.get("own_seed*seeded", 0.0) * collection["seeded"]
        offsets = np.full(len(categories.guessed), weight.get("constant", 0.0))
        for name, measured in measures(categories).items():
            offsets = offsets + weight.get(name, 0.0) * measured
        return cls(categories.trust, offsets, np.array([slopes[view] for view in VIEWS]))

    def corrected(self, views: Array, label: Labels, right: NDArray[np.bool_]) -> Reliability:
        """Move all offsets alike, to where labels that answers were compared with are as often right."""
        shifts = np.linspace(-MOST_SHIFT, MOST_SHIFT, 161)[:, None]
        sure = self.trust[label] * expit(self.offsets[label] + views @ self.slopes + shifts)
        fit = np.log(np.where(right, sure, 1.0 - sure)).sum(axis=1) - 0.5 * np.square(shifts[:, 0])
        return replace(self, offsets=self.offsets + shifts[fit.astype(np.float32).argmax(), 0])

    def probability(self, views: Array, label: Labels) -> Array:
        """Return the probability that each label is right."""
        return np.asarray(self.trust[label] * expit(self.offsets[label] + views @ self.slopes))


def measures(categories: CategoryViews) -> dict[str, Array | float]:
    """Name what is measured of categories and of the collection, and their products that count."""
    of_all = categories.collection
    return {
        "guessed": categories.guessed,
        "recalled": categories.recalled,
        **of_all,
        "size*kappa": of_all["size"] * of_all["kappa"],
        "size*seeded": of_all["size"] * of_all["seeded"],
    }


def document_views(
    label: Labels,
    learned: Array,
    taught: Array,
    meaning: Array | None,
    names: Array | None,
    seeds: NDArray[np.bool_],
    name_words: NDArray[np.bool_],
) -> Array:
    """Measure documents and their labels, in the order of `VIEWS`."""
    taught_odds = log_odds_of(taught, label)
    no_view = np.zeros(len(label))
    near_name = no_view if names is None else margins(names, label)
    own_seed, other_seed = _own_and_other(seeds, label)
    own_name, other_name = _own_and_other(name_words, label)
    bare = (~seeds.any(axis=1) & ~name_words.any(axis=1)).astype(np.float64)
    return np.column_stack(
        (
            log_odds_of(np.log(np.maximum(learned, LEAST_PROBABILITY)), label),
            taught_odds,
            no_view if meaning is None else margins(meaning, label),
            near_name,
            own_seed,
            other_seed,
            own_name,
            other_name,
            bare,
            taught_odds * bare,
            near_name * bare,
        )
    )


def category_views(
    agreements: Agreements,
    name_vectors: NDArray[np.floating[Any]] | None,
    seed_vectors: NDArray[np.floating[Any]] | None,
    named: NDArray[np.bool_],
    misnamed: NDArray[np.bool_],
) -> CategoryViews:
    """Measure the categories of a fit and all its documents."""
    n_categories, sizes = len(named), agreements.sizes
    n_documents = max(int(sizes.sum()), 1)
    agreed = float(agreements.guessed.sum() / n_documents)
    recalled, kappa = np.zeros(n_categories), 0.0
    if agreements.nearest is not None and agreements.recalled is not None:
        near, both = agreements.nearest, agreements.recalled
        share = float(both.sum() / n_documents)
        chance = float((sizes / n_documents) @ (near / n_documents))
        kappa = (share - chance) / max(1.0 - chance, 1e-9)
        recalled = _above(both, near, share)
    # Few documents prove little: as if one more, unseen, had a wrong label (Laplace).
    trust = trust_in_seeds(name_margins(name_vectors, seed_vectors, n_categories), misnamed)
    return CategoryViews(
        guessed=_above(agreements.guessed, sizes, agreed),
        recalled=recalled,
        trust=trust * (n_documents + 1) / (n_documents + 2),
        seeded=agreements.own_seed / np.maximum(sizes, 1.0),
        collection={
            "guess": float(log_odds(agreed, 0.01)),
            "kappa": kappa,
            "named": float(named.mean()),
            "seeded": float(log_odds(agreements.own_seed.sum() / n_documents, 0.01)),
            "size": float(np.log10(np.clip(n_documents, FEWEST, MOST)) - 3.0),
        },
    )


def trust_in_seeds(name_margin: Array, misnamed: NDArray[np.bool_]) -> Array:
    """Return how likely the seeds of each category mean what its name says."""
    meant = np.where(misnamed, 0.0, expit((name_margin - MISTAKEN) / SHARPNESS))
    return np.asarray(LEAST_TRUST + (1.0 - LEAST_TRUST) * meant)


def name_margins(
    name_vectors: NDArray[np.floating[Any]] | None,
    seed_vectors: NDArray[np.floating[Any]] | None,
    n_categories: int,
) -> Array:
    """Return how much nearer each name is to its own seeds than to any other's; 0 where that is not known."""
    if name_vectors is None or seed_vectors is None or n_categories > MOST_COMPARED:
        return np.zeros(n_categories)
    has_name, has_seeds = (np.abs(vectors).max(axis=1) > 0 for vectors in (name_vectors, seed_vectors))
    own = np.einsum("kd,kd->k", name_vectors, seed_vectors)
    nearest = np.empty(n_categories)
    for rows in np.array_split(np.arange(n_categories), n_categories // ROWS + 1):
        cosines = np.where(has_seeds, rounded_product(name_vectors[rows], seed_vectors.T), -1.0)
        cosines[np.arange(len(rows)), rows] = -1.0
        nearest[rows] = cosines.max(axis=1)
    return np.asarray(np.where(has_name & has_seeds, own - nearest, 0.0), np.float64)


def log_odds(share: Any, least: float) -> Any:
    """Return the log-odds of a share, which is taken to be no nearer to 0 and 1 than this."""
    bounded = np.clip(share, least, 1.0 - least)
    return np.log(bounded / (1.0 - bounded))


def log_odds_of(log_scores: Array, label: Labels) -> Array:
    """Return the log-odds of a label against all others together, from scores up to a constant."""
    return np.asarray(_at(log_scores, label) - log_sum_exp(_without(log_scores, label)))


def margins(scores: Array, label: Labels) -> Array:
    """Return by how much the score of a label is above the best of the others."""
    return np.asarray(_at(scores, label) - _without(scores, label).max(axis=1))


def _at(values: NDArray[Any], label: Labels) -> NDArray[Any]:
    return np.asarray(values[np.arange(len(label)), label])


def _without(scores: Array, label: Labels) -> Array:
    others = scores.astype(np.float64)
    others[np.arange(len(label)), label] = -np.inf
    return others


def _own_and_other(contains: NDArray[np.bool_], label: Labels) -> tuple[Array, Array]:
    others = contains.copy()
    others[np.arange(len(label)), label] = False
    return _at(contains, label).astype(np.float64), np.asarray(others.any(axis=1), np.float64)


def _above(counts: Array, totals: Array, overall: float) -> Array:
    """Return by how much the shares of categories are above the overall one, in log-odds."""
    shares = (counts + overall * PRIOR_DOCUMENTS) / (totals + PRIOR_DOCUMENTS)
    return np.asarray(log_odds(shares, 0.02) - log_odds(overall, 0.02))


def temper(posterior: Array, temperature: float | Array) -> Array:
    """Raise probabilities to the power 1 / temperature; the order of the classes stays."""
    logs = np.log(np.maximum(posterior, LEAST_TEMPERED))
    return softmax(logs / np.reshape(temperature, (-1, 1)))


def temperatures_for(posterior: Array, confidence: Array) -> Array:
    """Find the temperature at which the label of each document has its confidence as probability."""
    # How far every class is ahead of the best one, so at most 0: 1 / confidence is the sum of
    # exp(ahead / temperature).
    logs = np.log(np.maximum(posterior, LEAST_TEMPERED))
    ahead, requested = logs - logs.max(axis=1, keepdims=True), 1.0 / confidence
    low, high = np.full(len(posterior), np.log(COLDEST)), np.full(len(posterior), np.log(HOTTEST))
    # Written in place: for a few documents, new arrays take longer than the rest.
    terms, middle, heat = np.empty_like(ahead), np.empty_like(low), np.empty((len(low), 1))
    total, too_sure = np.empty_like(low), np.empty(len(low), bool)
    for _ in range(N_STEPS):
        np.add(low, high, out=middle)
        np.divide(middle, 2, out=middle)
        np.exp(middle, out=heat[:, 0])
        np.divide(ahead, heat, out=terms)
        np.add.reduce(np.exp(terms, out=terms), axis=1, out=total)
        np.less(total, requested, out=too_sure)
        np.copyto(low, middle, where=too_sure)
        np.copyto(high, middle, where=np.logical_not(too_sure, out=too_sure))
    return np.asarray(np.exp((low + high) / 2))
