"""The parameter `vectors`: what the user may give, and the source of vectors that comes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.base.engine import Blocks
from seedtopic.base.errors import InputError
from seedtopic.base.progress import Progress
from seedtopic.base.wording import number_of
from seedtopic.knowledge.categories import category_vectors, mean_direction, name_vectors
from seedtopic.knowledge.encoders import Encode, encoded, sentence_encoder, unit_rows
from seedtopic.knowledge.sampled import fair_sample, follow, word_directions
from seedtopic.knowledge.tables import WordVectors, english, read_word_vectors
from seedtopic.learning.signals.meaning import CENTRING
from seedtopic.learning.signals.seeds import seed_counts
from seedtopic.learning.signals.words import shares
from seedtopic.model.run import DocumentBlock, Run
from seedtopic.model.stages.documents import WordSpace
from seedtopic.model.stages.meaning import (
    GivenWords,
    Meaning,
    TableWords,
    Vectors,
    added_up,
    joined_vectors,
    known_rows,
)
from seedtopic.model.training import TrainingSet
from seedtopic.seeds import Seeds
from seedtopic.seeds.category import name_phrase
from seedtopic.text.tokens import runs

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TableSource:
    """A document is the sum of the vectors of its words."""

    table: WordVectors
    categories: Vectors  # (n_categories, n_dims), of the seeds; zeros where nothing is known
    names: Vectors  # (n_categories, n_dims), of the names

    def learn(self, run: Run) -> tuple[Meaning, Blocks]:
        """Add up the vectors of the words."""
        words = self.words(run)
        blocks = run.engine.map(_by_words, run.blocks, run.engine.broadcast(words))
        return Meaning(words, _centre(run, blocks), self.categories, 0, self.names), blocks

    def words(self, run: Run) -> TableWords | GivenWords:
        """Return the vectors and weights of the words of a collection."""
        totals = run.training.totals
        words = TableWords.of(self.table, run, totals.document_frequency, totals.n_documents)
        if self.table.checksum == english().checksum:
            return words
        columns = np.arange(len(run.vocabulary))  # only the shipped table need not be saved with a model
        return GivenWords(words.vectors(columns), words.weights(columns))

    def data(self) -> Iterator[NDArray[Any]]:
        """Yield the checksum: the words are known."""
        yield np.frombuffer(self.table.checksum.encode(), np.uint8)


@dataclass(frozen=True, eq=False)
class EncodedSource:
    """An encoder has read the texts of some documents; the others follow by their words."""

    rows: NDArray[np.intp]  # (n_encoded,), the documents that were encoded
    vectors: Vectors  # (n_encoded, n_dims), of length 1
    of_seeds: Vectors  # (n_categories, n_dims), the mean directions of the seeds
    of_names: Vectors  # (n_categories, n_dims)
    beside: TableSource | None = None  # a table that knows the words of the documents, too

    @property
    def categories(self) -> Vectors:
        """The directions of the categories."""
        return self.of_seeds if self.beside is None else joined_vectors(self.of_seeds, self.beside.categories)

    @property
    def names(self) -> Vectors:
        """The directions of the names."""
        return self.of_names if self.beside is None else joined_vectors(self.of_names, self.beside.names)

    def learn(self, run: Run) -> tuple[Meaning, Blocks]:
        """Learn what words say of the vectors, and let them speak for the documents that were not encoded."""
        engine, blocks, rarity = run.engine, run.blocks, run.training.totals.rarity
        given = self._of_blocks(list(engine.gather(len, blocks)))
        read = engine.map(_encoded_words, blocks, each=[rows for rows, _ in given])
        words = sp.csr_array(sp.vstack(list(engine.gather(sp.csr_array, read)), format="csr"))
        directions = word_directions(words, self.vectors)
        blocks = engine.map(_by_encoder, blocks, engine.broadcast(directions), each=given)
        if self.beside is not None:
            of_table = self.beside.words(run)
            blocks = engine.map(_beside_words, blocks, engine.broadcast(of_table))
            columns = np.arange(len(run.vocabulary))
            # Both parts of a word are weighed by its rarity, so the table's are weighed for that beforehand.
            weights = np.divide(
                of_table.weights(columns), rarity, out=np.zeros_like(rarity), where=rarity > 0
            )
            own = weights[:, None].astype(np.float32) * of_table.vectors(columns)
            directions = np.hstack((directions, own))
        centre, n_encoded = _centre(run, blocks), self.of_seeds.shape[1]
        return Meaning(GivenWords(directions, rarity), centre, self.categories, n_encoded, self.names), blocks

    def _of_blocks(self, sizes: Sequence[int]) -> list[tuple[NDArray[np.intp], Vectors]]:
        """Return the encoded rows of each block, counted from its first, and their vectors."""
        starts = np.concatenate(([0], np.cumsum(sizes)))
        places = np.searchsorted(self.rows, starts)
        return [
            (self.rows[first:last] - start, self.vectors[first:last])
            for first, last, start in zip(places[:-1], places[1:], starts[:-1], strict=True)
        ]

    def data(self) -> Iterator[NDArray[Any]]:
        """Yield what the encoder gave."""
        yield from (self.rows, self.vectors, self.categories)


def _by_words(block: DocumentBlock, words: TableWords | GivenWords) -> DocumentBlock:
    return _with_sentences(block, unit_rows(added_up(words, block.documents.counts)))


def _encoded_words(block: DocumentBlock, rows: NDArray[np.intp]) -> sp.csr_array:
    """Return the words of the documents of a block that were encoded."""
    return sp.csr_array(block.documents.vectors[rows])


def _by_encoder(
    block: DocumentBlock, given: tuple[NDArray[np.intp], Vectors], directions: Vectors
) -> DocumentBlock:
    rows, vectors = given
    everything = follow(block.documents.vectors, directions)
    everything[rows] = vectors
    return _with_sentences(block, everything)


def _beside_words(block: DocumentBlock, words: TableWords | GivenWords) -> DocumentBlock:
    encoded, by_words = block.documents.sentences, unit_rows(added_up(words, block.documents.counts))
    return block if encoded is None else _with_sentences(block, joined_vectors(encoded, by_words))


def _with_sentences(block: DocumentBlock, vectors: Vectors) -> DocumentBlock:
    return replace(block, documents=replace(block.documents, sentences=vectors))


def _sum_of_sentences(block: DocumentBlock) -> Array:
    vectors = block.documents.sentences
    return np.zeros(0) if vectors is None else np.asarray(vectors.sum(axis=0, dtype=np.float64))


def _centre(run: Run, blocks: Blocks) -> Vectors:
    mean = run.engine.tree(_sum_of_sentences, blocks) / run.training.totals.n_documents
    return np.asarray(CENTRING * mean, np.float32)


VectorSource = TableSource | EncodedSource
VectorsLike = (
    Literal["auto", "encoder"] | str | Path | WordVectors | Callable[[list[str]], Any] | NDArray[Any] | None
)

# Share of the words of the documents that the English table must know to be used without being asked for:
# of English texts it knows 79 % (titles of programming questions) to 99 %, of French ones half.
LEAST_KNOWN = 0.65


def check_vectors(vectors: VectorsLike) -> None:
    """Refuse what cannot give vectors, before any work is done."""
    if isinstance(vectors, str | Path) and vectors not in ("auto", "encoder"):
        if not Path(vectors).is_file():
            raise InputError(
                f"vectors is {str(vectors)!r}, which is no file: use 'auto', 'encoder', None, or the path of "
                "a table of word vectors."
            )
    elif isinstance(vectors, np.ndarray):
        if vectors.ndim != 2 or vectors.dtype.kind not in "fiu" or not np.isfinite(vectors).all():
            raise InputError(
                f"vectors is an array of {vectors.dtype} of shape {vectors.shape}: give a row of finite "
                "numbers for each document."
            )
    elif vectors is not None and not isinstance(vectors, str | WordVectors) and not callable(vectors):
        raise InputError(
            f"vectors is {type(vectors).__name__}: give 'auto', 'encoder', None, the path of a table of word "
            "vectors, a function that makes an array from a list of texts, or an array with a row for each "
            "document."
        )
    if isinstance(vectors, str) and vectors == "encoder":
        sentence_encoder()


def encoder_of(vectors: VectorsLike) -> Encode | None:
    """Return the function that encodes texts; None where words have the vectors."""
    if isinstance(vectors, str) and vectors == "encoder":
        return sentence_encoder()
    return vectors if callable(vectors) else None


def belong_to_documents(vectors: VectorsLike) -> bool:
    """Return whether vectors are of single documents, not of words."""
    return isinstance(vectors, np.ndarray) or encoder_of(vectors) is not None


def vectors_name(meaning: Meaning | None) -> str | None:
    """Name what a fitted model knows meanings from; a saved model gives the same name."""
    if meaning is None:
        return None
    if meaning.n_encoded:
        alone = meaning.n_encoded == len(meaning.centre)
        return "sentence encoder" if alone else "sentence encoder and English word vectors"
    return "English word vectors" if isinstance(meaning.words, TableWords) else "your own word vectors"


def share_with_vectors(meaning: Meaning | None, vocabulary: Sequence[str], space: WordSpace) -> float:
    """Return the share of words of documents of which a fitted model, or the English table, has vectors."""
    met = np.exp(-space.rarity)  # the share of documents with each word
    if meaning is None or isinstance(meaning.words, TableWords):
        known = np.fromiter((word in english() for word in vocabulary), bool, len(vocabulary))
    else:
        known = known_rows(meaning.words.vectors(np.arange(len(vocabulary))))
    return float(met[known].sum() / met.sum())


def vector_source(
    vectors: VectorsLike, training_set: TrainingSet, texts: Callable[[], Iterable[str]], progress: Progress
) -> VectorSource | None:
    """Find out what the documents of a fit mean."""
    if isinstance(vectors, np.ndarray):
        return given_source(vectors, training_set)
    encode = encoder_of(vectors)
    if encode is None:
        return table_source(vectors, training_set)
    rows = fair_sample(training_set.totals.n_documents)
    places = training_set.order[rows].tolist()
    chosen = set(places)  # the other texts are not kept
    text_at = {place: text for place, text in enumerate(texts()) if place in chosen}
    read = encoded(encode, [text_at[place] for place in places], progress=progress)
    return encoded_source(encode, rows, read, training_set)


def table_source(vectors: VectorsLike, training_set: TrainingSet) -> TableSource | None:
    """Take the words of a table; None where there is none, or "auto" does not know the words."""
    if vectors is None:
        return None
    seeds = training_set.seeds.seeds
    if isinstance(vectors, WordVectors):
        table = vectors
    elif vectors == "auto":
        table, met = english(), training_set.totals.document_frequency
        known = table.vectors(training_set.vocabulary)[1]
        if met[known].sum() / max(int(met.sum()), 1) < LEAST_KNOWN:
            return None
    else:
        words = chain(training_set.vocabulary, *map(runs, seeds.words))
        table = read_word_vectors(Path(str(vectors)), set(words))
    return TableSource(table, category_vectors(seeds, table).vectors, name_vectors(seeds, table))


def given_source(vectors: NDArray[Any], training_set: TrainingSet) -> EncodedSource:
    """Take a row for each document; as nothing reads seeds, a category is where documents with its seeds are.

    Its direction is that in which these differ from all documents. Examples in the seeds follow by words.
    """
    order, seeds = training_set.order, training_set.seeds
    n_documents = len(order) - len(seeds.seeds.examples)
    if len(vectors) != n_documents:
        raise InputError(
            f"vectors is an array of {number_of(len(vectors), 'row')}, but there are "
            f"{number_of(n_documents, 'document')}: give a row for each, in their order."
        )
    rows = np.flatnonzero(order < n_documents)
    read = unit_rows(vectors[order[rows]].astype(np.float64))
    seeded = shares(seed_counts(training_set.counts[rows], seeds.membership, seeds.exclusion))
    total = seeded.sum(axis=0)[:, None]
    means = (seeded.T @ read.astype(np.float64)) / np.maximum(total, 1e-9)
    of_seeds = unit_rows(np.where(total > 0, means - read.mean(axis=0, dtype=np.float64), 0.0))
    return EncodedSource(rows, read, of_seeds, np.zeros_like(of_seeds), table_source("auto", training_set))


def encoded_source(
    encode: Encode, rows: NDArray[np.intp], vectors: Vectors, training_set: TrainingSet
) -> EncodedSource:
    """Take documents that an encoder has read, encode the seeds, and put English word vectors beside."""
    of_seeds, of_names = encoded_categories(encode, training_set.seeds.seeds)
    return EncodedSource(rows, vectors, of_seeds, of_names, table_source("auto", training_set))


def encoded_categories(encode: Encode, seeds: Seeds) -> tuple[Vectors, Vectors]:
    """Return the mean direction of the seeds of each category, and the direction of its name.

    A wildcard is read as what stands before it; a name, or a category, without words has no direction.
    """
    read_as = {word: word.replace("*", "") for word in seeds.words}
    names = [name_phrase(name) for name in seeds.names]
    texts = list(dict.fromkeys([*read_as.values(), *filter(None, names)]))
    vectors = encoded(encode, texts or [""])
    vector_of, nowhere = dict(zip(texts, vectors, strict=False)), np.zeros_like(vectors[0])
    of_seeds = [
        mean_direction(
            [vector_of[read_as[word]] for word in own], [seeds.weights[name].get(word, 1.0) for word in own]
        )
        if own
        else nowhere
        for name, own in seeds.categories.items()
    ]
    return np.array(of_seeds, np.float32), np.array(
        [vector_of.get(name, nowhere) for name in names], np.float32
    )
