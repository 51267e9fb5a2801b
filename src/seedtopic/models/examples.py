"""Seeds by example: texts that belong to a category teach a fit, and are not among its documents."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from itertools import chain

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.base.errors import SeedWarning
from seedtopic.documents.inputs import Texts, given_texts
from seedtopic.models.known_words import counted
from seedtopic.seeds import Seeds
from seedtopic.text.counts import Counts, KnownWords, count_known
from seedtopic.text.rules import known_with_rules
from seedtopic.text.tokens import Tokenizer, tokenize

SHOWN = 40  # characters of an example in a warning


def with_examples(
    counts: Counts, category: NDArray[np.intp], seeds: Seeds, tokenizer: Tokenizer | None
) -> tuple[Counts, NDArray[np.intp]]:
    """Add the examples of the seeds to the documents, as further documents with a confirmed label.

    Parameters
    ----------
    counts : Counts
        Of the documents; an example is read by the words that these have.
    category : ndarray of int, shape (n_documents,)
        The confirmed category of each document; negative where there is none.
    seeds : Seeds
    tokenizer : callable, optional

    Returns
    -------
    Counts, ndarray of int
        Of the documents and, after them, the examples.

    Warns
    -----
    SeedWarning
        When no word of an example is known.

    Examples
    --------
    >>> seeds = Seeds({"sports": {"examples": ["a goal"]}, "money": ["bank"]})
    >>> counts = Counts(sp.csr_array(np.eye(2, dtype=np.float32)), ["bank", "goal"])
    >>> both, category = with_examples(counts, np.array([-1, -1]), seeds, None)
    >>> both.matrix.toarray().tolist(), category.tolist()
    ([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]], [-1, -1, 0])
    """
    names, texts = [name for name, _ in seeds.examples], [text for _, text in seeds.examples]
    if not texts:
        return counts, category
    vocabulary, phrases = KnownWords(counts.vocabulary), seeds.phrases(tokenizer)
    rules = [rule for rule in seeds.all_rules if rule.column is None]
    read = known_with_rules(
        rules, texts, vocabulary, lambda texts: count_known(tokenize(texts, tokenizer, phrases), vocabulary)
    ).matrix
    for place in np.flatnonzero(~counted(read)).tolist():
        shown = texts[place] if len(texts[place]) <= SHOWN else texts[place][:SHOWN] + "…"
        warnings.warn(
            f"the example {shown!r} of {names[place]!r} contains no word of the documents, so it teaches "
            "nothing.",
            SeedWarning,
            stacklevel=3,
        )
    column_of = {name: column for column, name in enumerate(seeds.names)}
    more = np.array([column_of[name] for name in names], np.intp)
    joined = sp.csr_array(sp.vstack([counts.matrix, read], format="csr"), dtype=np.float32)
    return Counts(joined, counts.vocabulary), np.concatenate((category, more))


def texts_with_examples(X: Texts, seeds: Seeds) -> Iterable[str]:
    """Give the texts of the documents and, after them, those of the examples."""
    return chain(given_texts(X), (text for _, text in seeds.examples))
