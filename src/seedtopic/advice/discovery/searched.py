"""The documents that are searched for new categories: all of them, or a sample of very many."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from seedtopic.advice.discovery.unexplained import Categories
from seedtopic.advice.examples import line_around
from seedtopic.base.progress import Progress
from seedtopic.base.threads import resolve_threads
from seedtopic.documents.inputs import given_texts, is_matrix, reported, without_frame
from seedtopic.models.seed_model import SeedModel
from seedtopic.seeds import Seeds
from seedtopic.text.counts import Counts, checked_counts, count_words
from seedtopic.text.rules import counted_with_rules
from seedtopic.text.tokens import stop_word_set, tokenize
from seedtopic.text.tokens import words as words_of

Mask = NDArray[np.bool_]

MOST_SEARCHED = 20_000  # documents; of more, a sample
EXAMPLES = 3


@dataclass(frozen=True)
class SearchedDocuments:
    """Documents as they were counted and labelled."""

    counts: Counts  # all words, not only those that the model knows
    probabilities: NDArray[np.float64]  # (n_documents, n_categories)
    total: int  # the number of documents that these are a sample of
    texts: list[str] | None = None

    @classmethod
    def of(cls, model: SeedModel, seeds: Seeds, X: Any, random_state: int, progress: Progress) -> Self:
        """Count and label documents, or counts in the columns that the model was fitted with."""
        X = without_frame(X)
        if is_matrix(X):
            words = model.columns_ or model.vocabulary_
            matrix = checked_counts(X, words).matrix
            sampled = matrix[_rows(matrix.shape[0], random_state)]
            return cls(checked_counts(sampled, words), model.predict_proba(sampled), matrix.shape[0])
        texts, total = _sample(given_texts(X), random_state)
        counts = counted_with_rules(
            seeds.all_rules,
            reported(texts, progress),
            lambda texts: count_words(
                tokenize(texts, model.tokenizer, seeds.counted),
                min_df=model.min_df,
                stop_words=stop_word_set(model.stop_words),
                keep=seeds.counted,
                n_workers=resolve_threads(model.n_threads),
                max_memory=model.max_memory,
            ),
        )
        return cls(counts, model.predict_proba(texts), total, texts)

    def __len__(self) -> int:
        return int(self.counts.matrix.shape[0])

    def examples(self, members: Mask, words: Sequence[str], categories: Categories) -> tuple[str, ...]:
        """Give lines of the most typical documents, each around the first of the words that it contains."""
        if self.texts is None:
            return ()
        rows = np.flatnonzero(members)
        nearest = rows[np.argsort(-(categories.space.points[rows] @ categories.centre(members)))]
        nearest = nearest[: max(len(nearest) // 2, EXAMPLES)]
        lines = []
        # Spread over the nearer half, and more than are shown: the very nearest are often nearly the same.
        for row in nearest[:: max(len(nearest) // (2 * EXAMPLES), 1)]:
            there = set(words_of(self.texts[row]))
            lines.append(line_around(self.texts[row], next((w for w in words if w in there), words[0])))
        return tuple(dict.fromkeys(lines))[:EXAMPLES]


def _rows(total: int, random_state: int) -> NDArray[np.intp]:
    if total <= MOST_SEARCHED:
        return np.arange(total)
    drawn = np.random.default_rng(random_state).choice(total, MOST_SEARCHED, replace=False)
    return np.sort(drawn).astype(np.intp)


def _sample(texts: Iterable[str], random_state: int) -> tuple[list[str], int]:
    """Read texts once and keep a random sample of them, in their order, with their number."""
    rng = np.random.default_rng(random_state)
    kept: list[tuple[int, str]] = []
    total = 0
    for place, text in enumerate(texts):
        total += 1
        if len(kept) < MOST_SEARCHED:
            kept.append((place, text))
        elif (at := int(rng.integers(total))) < MOST_SEARCHED:
            kept[at] = (place, text)
    return [text for _, text in sorted(kept)], total
