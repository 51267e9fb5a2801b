"""Words counted by the workers of a cluster, where the texts are; the vocabulary alone comes here.

Each partition of texts becomes a tally on a worker. Words are exchanged, so that each of a few parts of them
is added up by one worker, and then the rows of the matrix, into the blocks that a model learns from. The
result is that of `count_words`, bit for bit.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.base.engine import identity
from seedtopic.cluster.engine import DaskBlocks, DaskEngine
from seedtopic.io.frames import is_missing
from seedtopic.text.counts import KnownWords, MinDf, WordTotals, fingerprints, known_rows, resolve_min_df
from seedtopic.text.phrases import Phrases
from seedtopic.text.runs import new_numbers
from seedtopic.text.tally import Tally, tally, tally_texts
from seedtopic.text.tokens import Tokenizer, Tokens, checked_texts


class Rows(NamedTuple):
    """Counted documents."""

    counts: sp.csr_array  # (n_documents, n_words)
    positions: NDArray[np.int64]  # among all documents, in the order of the partitions
    left_out: NDArray[np.float32]  # tokens of each document that have no column, beside stop words
    fingerprint: NDArray[np.float64]  # see `fingerprints`

    def at(self, chosen: NDArray[Any]) -> Rows:
        """Return some of the documents."""
        columns = (column[chosen] for column in (self.positions, self.left_out, self.fingerprint))
        return Rows(sp.csr_array(self.counts[chosen]), *columns)

    @classmethod
    def joined(cls, parts: Iterable[Rows]) -> Rows:
        """Join documents, in the order in which they come."""
        counts, *columns = zip(*parts, strict=True)
        together = sp.csr_array(sp.vstack(counts, format="csr"))
        return cls(together, *(np.concatenate(column) for column in columns))

    def in_order(self) -> Rows:
        """Return documents in their canonical order: by their fingerprints, equal ones by their positions."""
        return self.at(np.lexsort((self.positions, self.fingerprint)))


@dataclass(frozen=True, eq=False)
class ClusterCounts:
    """Word counts of a collection, on the workers of a cluster."""

    engine: DaskEngine
    vocabulary: list[str]  # the word of each column
    totals: WordTotals
    partitions: DaskBlocks  # of Rows

    def sample(self, choose: Callable[..., NDArray[np.bool_]], *values: Any) -> Rows:
        """Bring those documents here whose fingerprints a function chooses; in the canonical order."""
        return Rows.joined(self.engine.gather(_chosen, self.partitions, choose, *values)).in_order()

    def blocks(self, n_blocks: int, block_of: Callable[..., NDArray[np.intp]], *values: Any) -> DaskBlocks:
        """Give the documents to blocks: a function of their counts says to which; each a `Rows`, in order."""
        sent = self.engine.broadcast((block_of, values))
        return self.engine.exchanged(self.partitions, n_blocks, _by_block, _block, sent)


def count_on_workers(
    engine: DaskEngine,
    partitions: Sequence[Any],
    *,
    phrases: Phrases,
    tokenizer: Tokenizer | None = None,
    min_df: MinDf = "auto",
    stop_words: Collection[str] = frozenset(),
    keep: Collection[str] = frozenset(),
) -> ClusterCounts:
    """Count the words of texts, and phrases, where they are; each partition is a Delayed that gives texts."""
    tallies = engine.computed(_tallied, partitions, Tokens((), tokenizer, phrases))
    sizes = list(engine.gather(_size, tallies))
    least = resolve_min_df(min_df, sum(sizes))
    rules = engine.broadcast((least, frozenset(stop_words), frozenset(keep)))
    n_parts = len(engine.cluster.threads)
    parts = engine.exchanged(tallies, n_parts, _by_word, _frequent, rules)
    counts = _WordCounts.added_up(engine.gather(identity, parts))  # no word is in two parts
    counts = counts.at(sorted(range(len(counts.words)), key=counts.words.__getitem__))
    totals = WordTotals(sum(sizes), counts.document_frequency, counts.occurrences)
    known = engine.broadcast((KnownWords(counts.words), frozenset(stop_words)))
    starts = list(accumulate(sizes, initial=0))[:-1]
    return ClusterCounts(engine, counts.words, totals, engine.map(_placed, tallies, known, each=starts))


def _tallied(texts: Iterable[Any], number: int, tokens: Tokens) -> Tally:
    """Count the words of a partition; this and what follows runs on a worker."""
    there = ("" if is_missing(text) else text for text in texts)
    listed = list(checked_texts(there, f" of partition {number}"))
    if tokens.tokenizer is None:
        return tally_texts(listed, tokens.phrases)
    return tally(listed, tokens.counts)


def _size(tally: Tally) -> int:
    return len(tally.lengths)


class _WordCounts(NamedTuple):
    """Words, in how many documents each occurs, and how often."""

    words: list[str]
    document_frequency: NDArray[np.int64]
    occurrences: NDArray[np.float64]

    @classmethod
    def of(cls, tally: Tally) -> _WordCounts:
        """Count the words of a tally."""
        columns, n_words = np.array(tally.columns, np.int32), len(tally.words)
        return cls(
            tally.words,
            np.bincount(columns, minlength=n_words).astype(np.int64),
            np.bincount(columns, np.array(tally.counts, np.float64), n_words).astype(np.float64),
        )

    @classmethod
    def added_up(cls, parts: Iterable[_WordCounts]) -> _WordCounts:
        """Add up the counts of equal words."""
        numbers = new_numbers()
        frequency, occurrences = np.zeros(0, np.int64), np.zeros(0)
        for part in parts:
            number = numbers.add(part.words)
            more = int(number.max(initial=-1)) + 1 - len(frequency)
            if more > 0:
                frequency, occurrences = np.pad(frequency, (0, more)), np.pad(occurrences, (0, more))
            frequency[number] += part.document_frequency
            occurrences[number] += part.occurrences
        return cls(numbers.words(), frequency, occurrences)

    def at(self, places: Sequence[int]) -> _WordCounts:
        """Return some of the words."""
        words = [self.words[place] for place in places]
        return _WordCounts(words, self.document_frequency[places], self.occurrences[places])


def _by_word(tallies: Sequence[Tally], n_parts: int, rules: Any) -> Iterator[_WordCounts]:
    """Add up the words of tallies, and share them among parts."""
    counts = _WordCounts.added_up(map(_WordCounts.of, tallies))
    parts: list[list[int]] = [[] for _ in range(n_parts)]
    for number, word in enumerate(counts.words):  # not by hash(), which differs between processes
        parts[crc32(word.encode("utf-8", "surrogatepass")) % n_parts].append(number)
    return map(counts.at, parts)


def _frequent(parts: Sequence[_WordCounts], rules: tuple[int, frozenset[str], frozenset[str]]) -> _WordCounts:
    """Add up what all workers counted of some words, and drop words as `Vocabulary` does."""
    least, stop_words, keep = rules
    counts = _WordCounts.added_up(parts)
    frequent = (counts.document_frequency >= least).tolist()
    return counts.at(
        [
            number
            for number, word in enumerate(counts.words)
            if word in keep or (frequent[number] and word not in stop_words)
        ]
    )


def _placed(tally: Tally, start: int, known: tuple[KnownWords, frozenset[str]]) -> Rows:
    """Return the rows of a partition whose first document is the one at `start`."""
    rows = known_rows(tally, *known)
    counts = rows.matrix(len(known[0]))
    positions = np.arange(start, start + counts.shape[0], dtype=np.int64)
    return Rows(counts, positions, rows.left_out, fingerprints(counts))


def _chosen(rows: Rows, choose: Callable[..., NDArray[np.bool_]], *values: Any) -> Rows:
    return rows.at(np.flatnonzero(choose(rows.fingerprint, *values)))


def _by_block(
    partitions: Sequence[Rows], n_blocks: int, sent: tuple[Callable[..., NDArray[np.intp]], Sequence[Any]]
) -> Iterator[Rows]:
    """Sort documents by the blocks that they belong to."""
    block_of, values = sent
    block = np.concatenate([block_of(part.counts, *values) for part in partitions])
    order = np.argsort(block, kind="stable")
    rows = Rows.joined(partitions)
    for here in np.split(order, np.searchsorted(block[order], np.arange(1, n_blocks))):
        yield rows.at(here)


def _block(parts: Sequence[Rows], sent: Any) -> Rows:
    return Rows.joined(parts).in_order()
