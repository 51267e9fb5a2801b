"""What a model learns from: documents in one fixed order, seeds bound to their words, confirmed labels."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.base.engine import Blocks, Engine, identity
from seedtopic.base.errors import SeedWarning, warn_caller
from seedtopic.io.frames import Texts, given_texts
from seedtopic.learning.graph.blocks import block_order
from seedtopic.learning.graph.neighbours import GivenGraph, GraphSource
from seedtopic.learning.signals.answers import NOTHING_CONFIRMED, Confirmed
from seedtopic.model.reading import has_counts
from seedtopic.model.stages.stage import Form, weight
from seedtopic.seeds import BoundSeeds, Name, Seeds
from seedtopic.text.counts import NO_COUNTS, Counts, KnownWords, WordTotals, count_known, in_order
from seedtopic.text.rules import known_with_rules
from seedtopic.text.tokens import Tokenizer, tokenize

if TYPE_CHECKING:
    from seedtopic.model.placed import PlacedDocuments
    from seedtopic.model.vectors import VectorSource


@dataclass(frozen=True)
class TrainingSet:
    """The documents of one fit."""

    counts: sp.csr_array  # (n_documents, n_words)
    totals: WordTotals  # how often each word occurs in them
    vocabulary: list[str]  # the word of each column
    seeds: BoundSeeds  # the seeds, as columns of `counts`
    confirmed: Confirmed  # the rows whose label the user has confirmed
    order: NDArray[np.intp]  # (n_documents,), the position of each row among the documents that the user gave
    block_sizes: Sequence[int]  # the number of documents in each block, the rows of which follow one another
    graph: GraphSource | None = None
    vectors: VectorSource | None = None  # where it is known from what words mean, for models that ask
    placed: PlacedDocuments | None = None  # the documents, where they are on a cluster

    @classmethod
    def of(cls, counts: Counts, seeds: Seeds, category: NDArray[np.intp]) -> Self:
        """Put counted documents in their order."""
        totals = WordTotals.of(counts.matrix)
        order, block_sizes = block_order(counts.matrix, totals)
        return cls(
            in_order(counts.matrix, order),
            totals,
            counts.vocabulary,
            seeds.bind(counts.vocabulary),
            Confirmed.in_categories(category[order]),
            order,
            block_sizes,
        )

    @cached_property
    def _ends(self) -> NDArray[np.intp]:
        """The first row of each block, and the number of rows."""
        if isinstance(self.graph, GivenGraph):  # which may join any two documents
            return np.array([0, self.totals.n_documents])
        return np.concatenate(([0], np.cumsum(self.block_sizes)))

    @classmethod
    def elsewhere(
        cls, placed: PlacedDocuments, totals: WordTotals, vocabulary: list[str], seeds: Seeds
    ) -> Self:
        """Take documents that stay where they are; nothing of them is here, and none is confirmed."""
        nothing = sp.csr_array(np.empty((0, len(vocabulary)), np.float32))
        nobody = np.empty(0, np.intp)
        bound = seeds.bind(vocabulary)
        return cls(nothing, totals, vocabulary, bound, NOTHING_CONFIRMED, nobody, [], placed=placed)

    def blocks(self, engine: Engine) -> Blocks:
        """Return blocks of counted documents to an engine."""
        if self.placed is not None:
            return self.placed.counts()
        return engine.keep(identity, _Rows(self.counts, self._ends.tolist()))

    def answers_of_blocks(self, confirmed: Confirmed) -> list[tuple[Confirmed, NDArray[np.float64]]]:
        """Return the confirmed documents of each block, and how much they count as examples."""
        if self.placed is not None:
            return [(NOTHING_CONFIRMED, np.empty(0))] * len(self.placed)
        weights = confirmed.example_weights(self.totals.n_documents)
        answers = []
        for first, last in pairwise(self._ends.tolist()):
            here = slice(*np.searchsorted(confirmed.documents, (first, last)))
            rows, categories = confirmed.documents[here] - first, confirmed.categories[here]
            answers.append((Confirmed(rows, categories), weights[here]))
        return answers

    @property
    def places(self) -> NDArray[np.intp]:
        """The row of each document that the user gave, in the user's order."""
        return np.argsort(self.order)

    @property
    def known_meanings(self) -> list[Name] | None:
        """The categories of whose meaning anything is known; None where nothing is known of words."""
        if self.vectors is None:
            return None
        directions = zip(self.seeds.seeds.names, self.vectors.categories, strict=True)
        return [name for name, direction in directions if direction.any()]

    @property
    def taught(self) -> list[Name]:
        """The categories of which documents are confirmed."""
        names = self.seeds.seeds.names
        return [names[column] for column in np.unique(self.confirmed.categories)]

    def data(self) -> Iterator[NDArray[Any]]:
        """Yield the arrays that the result of a fit depends on."""
        if self.placed is not None:
            yield from self.placed.data()
        yield from (self.counts.data, self.counts.indices, self.counts.indptr)
        yield from (self.confirmed.documents, self.confirmed.categories)
        if self.graph is not None:
            yield from self.graph.data()
        if self.vectors is not None:
            yield from self.vectors.data()


@dataclass(frozen=True)
class _Rows(Sequence[sp.csr_array]):
    """The rows of a matrix, block by block; a block is cut out when its turn comes, and nothing is copied."""

    counts: sp.csr_array
    ends: list[int]

    def __len__(self) -> int:
        return len(self.ends) - 1

    def __getitem__(self, number: Any) -> Any:
        first, last = self.ends[number], self.ends[number + 1]
        if (first, last) == (0, self.counts.shape[0]):
            return self.counts
        indptr = self.counts.indptr[first : last + 1]
        here = slice(indptr[0], indptr[-1])
        parts = self.counts.data[here], self.counts.indices[here], indptr - indptr[0]
        return sp.csr_array(parts, shape=(last - first, self.counts.shape[1]))


SHOWN = 40  # characters of an example in a warning


def with_examples(
    counts: Counts, category: NDArray[np.intp], seeds: Seeds, tokenizer: Tokenizer | None
) -> tuple[Counts, NDArray[np.intp]]:
    """Add the examples of the seeds to the documents, as further documents with a confirmed label."""
    names, texts = [name for name, _ in seeds.examples], [text for _, text in seeds.examples]
    if not texts:
        return counts, category
    vocabulary, phrases = KnownWords(counts.vocabulary), seeds.phrases(tokenizer)
    rules = [rule for rule in seeds.all_rules if rule.column is None]
    read = known_with_rules(
        rules, texts, vocabulary, lambda texts: count_known(tokenize(texts, tokenizer, phrases), vocabulary)
    ).matrix
    for place in np.flatnonzero(~has_counts(read)).tolist():
        shown = texts[place] if len(texts[place]) <= SHOWN else texts[place][:SHOWN] + "…"
        warn_caller(
            f"the example {shown!r} of {names[place]!r} contains no word of the documents, so it teaches "
            "nothing.",
            SeedWarning,
        )
    column_of = {name: column for column, name in enumerate(seeds.names)}
    more = np.array([column_of[name] for name in names], np.intp)
    joined = sp.csr_array(sp.vstack([counts.matrix, read], format="csr"), dtype=np.float32)
    return Counts(joined, counts.vocabulary), np.concatenate((category, more))


def texts_with_examples(X: Texts, seeds: Seeds) -> Iterable[str]:
    """Return the texts of the documents and, after them, those of the examples."""
    return chain(given_texts(X), (text for _, text in seeds.examples))


MOST_KEPT = 20_000  # documents, unless the user says otherwise
UNKNOWN = -1
_ARRAYS = ("data", "indices", "indptr", "priority", "category", "words")


@dataclass(frozen=True)
class Sample:
    """Documents as counts of all their words, each with the priority that decides who stays."""

    counts: Counts  # with every word of the documents, also those too rare to learn from as yet
    # (n_documents,), drawn once for each document; those with the smallest stay, a fair sample of all that
    # were ever seen. A document with a confirmed label has -1 and always stays.
    priority: NDArray[np.float64]
    category: NDArray[np.intp]  # (n_documents,), confirmed categories, `UNKNOWN` where there is none
    n_seen: int  # documents seen so far

    FORMS: ClassVar[Mapping[str, Form]] = {
        "sample_data": weight("entries"),
        "sample_indices": Form("entries", "i", least=0),
        "sample_indptr": Form("ends", "i", least=0),
        "sample_priority": Form("kept", least=-1.0, most=1.0),
        "sample_category": Form("kept", "i", least=-1),
        "sample_words": Form("letters", "u", least=0),
    }

    @classmethod
    def empty(cls) -> Self:
        """Return the sample of nothing."""
        return cls(NO_COUNTS, np.empty(0), np.empty(0, np.intp), 0)

    @classmethod
    def of(cls, counts: Counts, category: NDArray[np.intp], seed: int, most: int) -> Self:
        """Return the sample of a first collection, which may be large: what does not stay is not copied."""
        priority = _priorities(category, seed, 0)
        stays = _least(priority, most)
        sampled = Counts(sp.csr_array(counts.matrix[stays]), counts.vocabulary)
        return cls(sampled, priority[stays], category[stays], len(priority))

    def joined(
        self, new: Counts, category: NDArray[np.intp], seed: int, columns: Sequence[str] | None = None
    ) -> Sample:
        """Add documents; words are in alphabetical order, or in that of `columns` where these are all."""
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
        sampled = Counts(sp.csr_array(matrix[:, used]), words)
        return Sample(sampled, self.priority[stays], self.category[stays], self.n_seen)

    def learnable(self, least: int, keep: Collection[str]) -> Counts:
        """Return the counts of words in at least so many documents, and of those to keep."""
        matrix, words = self.counts.matrix, self.counts.vocabulary
        often = np.bincount(matrix.indices, minlength=matrix.shape[1]) >= least
        always = set(keep)
        learned = often | np.array([word in always for word in words], bool)
        chosen, left_out = np.flatnonzero(learned), (matrix @ (~learned).astype(np.float32))
        return Counts(
            sp.csr_array(matrix[:, chosen]), [words[column] for column in chosen.tolist()], left_out
        )

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return all as arrays of numbers; words as the bytes of a JSON list."""
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
    """Return the places of the smallest, in the order of the documents."""
    return np.sort(np.argsort(priority, kind="stable")[:most])
