"""A bounded sample of all documents seen, from which a model learns on when new ones come."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.text.counts import NO_COUNTS, Counts

MOST_KEPT = 20_000  # documents, unless the user says otherwise
UNKNOWN = -1
_ARRAYS = ("data", "indices", "indptr", "priority", "category", "words")


@dataclass(frozen=True)
class Sample:
    """Documents as counts of all their words, each with the priority that decides who stays.

    Attributes
    ----------
    counts : Counts
        With every word of the documents, also those too rare to learn from as yet.
    priority : ndarray, shape (n_documents,)
        Drawn once for each document; those with the smallest stay, which makes the kept ones a fair sample of
        all that were ever seen. A document with a confirmed label has -1 and always stays.
    category : ndarray of int, shape (n_documents,)
        Confirmed categories, `UNKNOWN` where there is none.
    n_seen : int
        Documents seen so far.
    """

    counts: Counts
    priority: NDArray[np.float64]
    category: NDArray[np.intp]
    n_seen: int

    @classmethod
    def empty(cls) -> Self:
        """Give the sample of nothing."""
        return cls(NO_COUNTS, np.empty(0), np.empty(0, np.intp), 0)

    @classmethod
    def of(cls, counts: Counts, category: NDArray[np.intp], seed: int, most: int) -> Self:
        """Give the sample of a first collection, which may be large: what does not stay is not copied."""
        priority = _priorities(category, seed, 0)
        stays = _least(priority, most)
        kept = Counts(sp.csr_array(counts.matrix[stays]), counts.vocabulary)
        return cls(kept, priority[stays], category[stays], len(priority))

    def joined(
        self, new: Counts, category: NDArray[np.intp], seed: int, columns: Sequence[str] | None = None
    ) -> Sample:
        """Add documents behind those that are there.

        Words are in alphabetical order, or in that of `columns` where these are all the words there are.

        Examples
        --------
        >>> one = Counts(sp.csr_array([[1.0]]), ["ore"])
        >>> two = Counts(sp.csr_array([[2.0, 3.0]]), ["mine", "ore"])
        >>> nothing = np.array([UNKNOWN])
        >>> both = Sample.empty().joined(one, nothing, 0).joined(two, nothing, 0)
        >>> both.counts.vocabulary, both.counts.matrix.toarray().tolist()
        (['mine', 'ore'], [[0.0, 1.0], [2.0, 3.0]])
        """
        words = sorted({*self.counts.vocabulary, *new.vocabulary})
        if columns is not None and len(columns) == len(words):
            words = list(columns)
        parts = [part.in_columns(words) for part in (self.counts, new)]
        return Sample(
            Counts(sp.csr_array(sp.vstack(parts, format="csr")), words),
            np.concatenate((self.priority, _priorities(category, seed, self.n_seen))),
            np.concatenate((self.category, category)),
            self.n_seen + new.matrix.shape[0],
        )

    def trimmed(self, most: int) -> Sample:
        """Keep the documents of least priority, and the words they use."""
        stays = _least(self.priority, most)
        matrix = sp.csr_array(self.counts.matrix[stays])
        used = np.flatnonzero(np.bincount(matrix.indices, minlength=matrix.shape[1]))
        words = [self.counts.vocabulary[column] for column in used.tolist()]
        kept = Counts(sp.csr_array(matrix[:, used]), words)
        return Sample(kept, self.priority[stays], self.category[stays], self.n_seen)

    def learnable(self, least: int, keep: Collection[str]) -> Counts:
        """Give the counts of words in at least so many documents, and of those to keep."""
        matrix, words = self.counts.matrix, self.counts.vocabulary
        often = np.bincount(matrix.indices, minlength=matrix.shape[1]) >= least
        kept = set(keep)
        wanted = often | np.array([word in kept for word in words], bool)
        chosen, left_out = np.flatnonzero(wanted), (matrix @ (~wanted).astype(np.float32))
        return Counts(
            sp.csr_array(matrix[:, chosen]), [words[column] for column in chosen.tolist()], left_out
        )

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Give all as arrays of numbers; words as the bytes of a JSON list."""
        matrix = self.counts.matrix
        words = np.frombuffer(json.dumps([self.n_seen, self.counts.vocabulary]).encode(), np.uint8)
        values = (matrix.data, matrix.indices, matrix.indptr, self.priority, self.category, words)
        return {f"sample_{name}": np.asarray(value) for name, value in zip(_ARRAYS, values, strict=True)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], n_categories: int) -> Self | None:
        """Take what `to_arrays` gave; None where it is not there, ValueError where it cannot be."""
        if "sample_words" not in arrays:
            return None
        data, indices, indptr, priority, category, words = (arrays[f"sample_{name}"] for name in _ARRAYS)
        n_seen, vocabulary = json.loads(words.tobytes())
        different = set(vocabulary) if isinstance(vocabulary, list) else set()
        if type(n_seen) is not int or n_seen < len(priority) or {type(word) for word in different} - {str}:
            raise ValueError("the kept documents are damaged.")
        if len(different) < len(vocabulary) or np.any((category < UNKNOWN) | (category >= n_categories)):
            raise ValueError("the kept documents are damaged.")
        shape = (len(priority), len(vocabulary))
        matrix = sp.csr_array((data, indices, indptr), shape=shape)
        matrix.check_format(full_check=True)
        return cls(Counts(matrix, vocabulary), priority, category.astype(np.intp), n_seen)


def _priorities(category: NDArray[np.intp], seed: int, n_seen: int) -> NDArray[np.float64]:
    """Draw priorities: others for each batch, the same whenever the same batches come again."""
    drawn = np.random.default_rng([seed, n_seen]).random(len(category))
    return np.where(category == UNKNOWN, drawn, -1.0)


def _least(priority: NDArray[np.float64], most: int) -> NDArray[np.intp]:
    """Give the places of the smallest, in the order of the documents."""
    return np.sort(np.argsort(priority, kind="stable")[:most])
