"""The labels on screen: the result of a fit, and what changed since the fit before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from seedtopic.io.predictions import Predictions
from seedtopic.model import SeedTopicClassifier
from seedtopic.model.estimates import Estimate, Measured, few_sentence, remedy_sentence
from seedtopic.seeds import Seeds

SHOWN = 5  # documents named for each change
NOTHING = -1  # the key of documents without a category


@dataclass(frozen=True)
class Labels:
    """The result of a fit."""

    revision: int  # the revision of the draft that was fitted
    seeds: Seeds
    keys: NDArray[np.intp]  # (n_categories,), the key of each category, see `seedtopic.web.studio.draft`
    predictions: Predictions  # without what a person has said
    model: SeedTopicClassifier
    on: Literal["all", "sample"]  # the documents that the model was fitted to; the others were predicted
    settled: bool  # whether these labels come from a fit from scratch, so that they are final
    seconds: float  # time from the edit to the labels
    # Documents that a person has said to be none of the categories: they have no label.
    none: NDArray[np.bool_] | None = None

    @property
    def probabilities(self) -> NDArray[np.float64]:
        """The label distributions, shape (n_documents, n_categories)."""
        return self.predictions.probabilities

    @cached_property
    def best(self) -> NDArray[np.intp]:
        """The column of each document's label."""
        return np.asarray(self.probabilities.argmax(axis=1))

    @cached_property
    def known(self) -> NDArray[np.bool_]:
        """Whether each document has a label."""
        can_have = self.predictions.labelled
        return can_have if self.none is None else can_have & ~self.none

    @cached_property
    def probability(self) -> NDArray[np.float64]:
        """The probability of each label; 0 if there is none."""
        return np.where(self.known, self.probabilities.max(axis=1), 0.0)

    @cached_property
    def key(self) -> NDArray[np.intp]:
        """The key of each document's category; `NOTHING` if it has no text or no known word."""
        return np.where(self.known, self.keys[self.best], NOTHING)

    @cached_property
    def runner_up(self) -> NDArray[np.intp]:
        """The key of the second best category of each document."""
        others = self.probabilities.copy()
        others[np.arange(len(others)), self.best] = -1.0
        return np.asarray(self.keys[others.argmax(axis=1)])

    @cached_property
    def sizes(self) -> Counter[int]:
        """The number of documents of each key."""
        return Counter(self.key.tolist())

    @cached_property
    def estimate(self) -> Estimate | None:
        """The share of labels that are right; None if there are no labels."""
        return Estimate.of(self.model, self.predictions[self.known].summary())

    @cached_property
    def precisions(self) -> dict[int, float | None]:
        """The share of labels that are right, by the key of their category."""
        if self.estimate is None:
            return {}
        return dict(zip(self.keys.tolist(), self.estimate.precisions, strict=True))

    @cached_property
    def doubts(self) -> dict[int, str]:
        """Why the labels of some categories are in doubt, by the key of the category."""
        key_of = dict(zip(self.seeds.names, self.keys.tolist(), strict=True))
        return {key_of[one.category]: one.remark for one in self.model.doubts_ if one.category is not None}

    def advice(self, measured: Measured | None = None) -> list[str]:
        """Return what to do where few labels are right, as far as known, or documents are few."""
        if self.estimate is None:
            return []
        accuracy = self.estimate.accuracy if measured is None else measured.accuracy
        seeds = self.seeds.categories.items()
        remedy = None
        if not self.doubts:  # which are told with the categories
            remedy = remedy_sentence(accuracy, self.estimate.precisions, seeds)
        outside = [doubt.remark for doubt in self.model.doubts_ if doubt.category is None]
        sentences = (*outside, remedy, few_sentence(self.model, int(self.known.sum())))
        return [sentence for sentence in sentences if sentence is not None]


@dataclass(frozen=True)
class Flow:
    """Documents that moved from one category to another."""

    before: int  # the key of a category
    after: int  # the key of a category
    count: int  # how many documents moved
    first: list[int]  # the first few of them


@dataclass(frozen=True)
class Changes:
    """The differences from earlier labels."""

    before: NDArray[np.intp]  # (n_documents,), the key of each document before
    moved: NDArray[np.bool_]  # (n_documents,)
    flows: list[Flow]  # largest first

    @classmethod
    def between(cls, before: NDArray[np.intp], after: NDArray[np.intp]) -> Changes:
        """Compare the keys of all documents before and after."""
        moved = before != after
        rows = np.flatnonzero(moved)
        n_keys = 1 + int(max(before.max(initial=0), after.max(initial=0))) - NOTHING
        pair_of = (before[rows] - NOTHING) * n_keys + after[rows] - NOTHING
        pairs, counts = np.unique(pair_of, return_counts=True)
        grouped = rows[np.argsort(pair_of, kind="stable")]
        starts = np.cumsum(counts) - counts
        flows = []
        for pair, count, start in zip(pairs.tolist(), counts.tolist(), starts.tolist(), strict=True):
            here, there = divmod(pair, n_keys)
            first = grouped[start : start + min(count, SHOWN)].tolist()
            flows.append(Flow(here + NOTHING, there + NOTHING, count, first))
        return cls(before, moved, sorted(flows, key=lambda flow: (-flow.count, flow.first)))

    def as_dict(
        self,
        after: NDArray[np.intp],
        names: dict[int, str],
        order: Sequence[int],
        name_of: Callable[[int], str],
    ) -> dict[str, Any]:
        was, now = Counter(self.before.tolist()), Counter(after.tolist())
        return {
            "moved": int(self.moved.sum()),
            "total": len(self.before),
            "flows": [
                {
                    "from": names.get(flow.before),
                    "to": names.get(flow.after),
                    "count": flow.count,
                    "documents": [{"id": row, "name": name_of(row)} for row in flow.first],
                }
                for flow in self.flows
            ],
            "sizes": [{"category": names[key], "before": was[key], "after": now[key]} for key in order],
        }
