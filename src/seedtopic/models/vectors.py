"""The parameter `vectors`: what the user may give, and the source of vectors that comes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from seedtopic.base.errors import InputError
from seedtopic.base.progress import Progress
from seedtopic.meaning import (
    WordVectors,
    encoded,
    english,
    fair_sample,
    read_word_vectors,
    sentence_encoder,
)
from seedtopic.meaning.categories import category_vectors, mean_direction, name_vectors
from seedtopic.meaning.encoding import Encode
from seedtopic.models.stages.meaning import Meaning, TableWords, Vectors, known_rows
from seedtopic.models.stages.vector_sources import EncodedSource, TableSource, VectorSource, known_share
from seedtopic.models.stages.word_space import WordSpace
from seedtopic.models.training_set import TrainingSet
from seedtopic.seeds import Seeds
from seedtopic.seeds.category import name_words
from seedtopic.text.tokens import runs

VectorsLike = Literal["auto", "encoder"] | str | Path | WordVectors | Callable[[list[str]], Any] | None

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
    elif vectors is not None and not isinstance(vectors, str | WordVectors) and not callable(vectors):
        raise InputError(
            f"vectors is {type(vectors).__name__}: give 'auto', 'encoder', None, the path of a table of word "
            "vectors, or a function that makes an array from a list of texts."
        )
    if vectors == "encoder":
        sentence_encoder()


def encoder_of(vectors: VectorsLike) -> Encode | None:
    """Give the function that encodes texts; None where words have the vectors."""
    if isinstance(vectors, str) and vectors == "encoder":
        return sentence_encoder()
    return vectors if callable(vectors) else None


def vectors_name(meaning: Meaning | None) -> str | None:
    """Name what a fitted model knows meanings from; a saved model gives the same name.

    Examples
    --------
    >>> vectors_name(None) is None
    True
    """
    if meaning is None:
        return None
    if meaning.n_encoded:
        alone = meaning.n_encoded == len(meaning.centre)
        return "sentence encoder" if alone else "sentence encoder and English word vectors"
    return "English word vectors" if isinstance(meaning.words, TableWords) else "your own word vectors"


def share_with_vectors(meaning: Meaning | None, vocabulary: Sequence[str], space: WordSpace) -> float:
    """Give what `known_share` does, from what a fitted model has kept; of the English table if it used none.

    Parameters
    ----------
    meaning : Meaning, optional
    vocabulary : sequence of str
    space : WordSpace

    Examples
    --------
    >>> space = WordSpace(np.log([1.0, 2.0]), np.ones(2))  # a word of all documents, and one of half of them
    >>> share_with_vectors(None, ["hockey", "hockeyspieler"], space)
    0.6666666666666666
    """
    met = np.exp(-space.rarity)  # the share of documents with each word
    if meaning is None or isinstance(meaning.words, TableWords):
        known = np.fromiter((word in english() for word in vocabulary), bool, len(vocabulary))
    else:
        known = known_rows(meaning.words.vectors(np.arange(len(vocabulary))))
    return float(met[known].sum() / met.sum())


def vector_source(
    vectors: VectorsLike,
    training_set: TrainingSet,
    left_out: frozenset[str],
    texts: Callable[[], Iterable[str]],
    progress: Progress,
) -> VectorSource | None:
    """Find out what the documents of a fit mean.

    Parameters
    ----------
    vectors : see `SeedTopicClassifier`
    training_set : TrainingSet
    left_out : frozenset of str
        Words that are not counted.
    texts : callable
        Gives the texts once more, for an encoder, in the user's order.
    progress : callable
    """
    encode = encoder_of(vectors)
    if encode is None:
        return table_source(vectors, training_set, left_out)
    rows = fair_sample(training_set.totals.n_documents)
    chosen = _texts_at(training_set.order[rows], texts())
    found = encoded(encode, chosen, progress=progress)
    return encoded_source(encode, rows, found, training_set, left_out)


def table_source(
    vectors: VectorsLike, training_set: TrainingSet, left_out: frozenset[str]
) -> TableSource | None:
    """Take the words of a table; None where there is none, or "auto" does not know the words."""
    if vectors is None:
        return None
    seeds = training_set.seeds.seeds
    if isinstance(vectors, WordVectors):
        table = vectors
    elif vectors == "auto":
        table = english()
        if known_share(table, training_set.totals, training_set.vocabulary) < LEAST_KNOWN:
            return None
    else:
        words = chain(training_set.vocabulary, *map(runs, seeds.words))
        table = read_word_vectors(Path(str(vectors)), set(words))
    return TableSource(table, category_vectors(seeds, table).vectors, name_vectors(seeds, table), left_out)


def encoded_source(
    encode: Encode,
    rows: NDArray[np.intp],
    vectors: Vectors,
    training_set: TrainingSet,
    left_out: frozenset[str],
) -> EncodedSource:
    """Take documents that an encoder has read, encode the seeds, and put English word vectors beside."""
    of_seeds, of_names = encoded_categories(encode, training_set.seeds.seeds)
    return EncodedSource(rows, vectors, of_seeds, of_names, table_source("auto", training_set, left_out))


def encoded_categories(encode: Encode, seeds: Seeds) -> tuple[Vectors, Vectors]:
    """Give the mean direction of the seeds of each category, and the direction of its name.

    A wildcard is read as what stands before it; a name, or a category, without words has no direction.
    """
    read_as = {word: word.replace("*", "") for word in seeds.words}
    names = [" ".join(name_words(name)) for name in seeds.names]
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


def _texts_at(positions: NDArray[np.intp], texts: Iterable[str]) -> Sequence[str]:
    """Give the texts at some positions, in their order, without keeping the others."""
    wanted = set(positions.tolist())
    found = {position: text for position, text in enumerate(texts) if position in wanted}
    return [found[position] for position in positions.tolist()]
