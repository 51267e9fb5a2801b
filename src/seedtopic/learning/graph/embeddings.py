"""Documents as vectors from elsewhere: an array the user has, or a function that makes one from texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedtopic.errors import InputError

Array = NDArray[np.float64]


def document_embeddings(source: Callable[[list[str]], Any] | Any, documents: Any, n_documents: int) -> Array:
    """Get the embeddings of documents and check them.

    Parameters
    ----------
    source : array of shape (n_documents, n_dimensions), or callable that makes one from a list of texts
    documents : iterable of str
        What a callable is given; any matrix of counts has no texts to give.
    n_documents : int

    Examples
    --------
    >>> document_embeddings(lambda texts: [[len(text), 1] for text in texts], ["a", "bcd"], 2).tolist()
    [[1.0, 1.0], [3.0, 1.0]]
    """
    made = source(_texts(documents)) if callable(source) else source
    try:
        vectors = np.asarray(made, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(
            f"the embeddings are {type(made).__name__}: give a row of numbers for every document."
        ) from None
    if vectors.ndim != 2 or len(vectors) != n_documents:
        raise InputError(
            f"the embeddings have the shape {vectors.shape}: "
            f"give a row for each of the {n_documents} documents."
        )
    if not np.isfinite(vectors).all():
        row = int(np.flatnonzero(~np.isfinite(vectors).all(axis=1))[0])
        raise InputError(f"row {row} of the embeddings is not finite: give numbers only.")
    return vectors


def _texts(documents: Iterable[Any]) -> list[str]:
    texts = list(documents)
    if any(not isinstance(text, str) for text in texts):
        raise InputError(
            "a function that makes embeddings needs texts: fit on texts, or give embeddings as an array."
        )
    return texts
