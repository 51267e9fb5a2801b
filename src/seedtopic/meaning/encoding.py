"""Texts as vectors, from any function that makes them: the encoder of the extra, or the user's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedtopic.base.errors import InputError
from seedtopic.base.progress import Progress, silent

Encode = Callable[[list[str]], Any]

_CHUNK = 1024  # texts: enough for an encoder to sort them into batches, few enough to show the progress


def encoded(encode: Encode, texts: Sequence[str], *, progress: Progress = silent) -> NDArray[np.float32]:
    """Encode texts in chunks, and check what comes back.

    Parameters
    ----------
    encode : callable
        Makes a row of numbers for each text of a list, as an array or what numpy can turn into one; for
        example `sentence_encoder`'s, or the method `encode` of sentence-transformers or model2vec. What it
        raises is not caught.
    texts : sequence of str
    progress : Progress
        Called after each chunk as ``progress("encoding", done, total)``.

    Returns
    -------
    array of shape (n_texts, n_dims)
        Rows of length 1; a row of zeros stays. Of shape (0, 0) if there are no texts.

    Raises
    ------
    InputError
        If what comes back is not a row of finite numbers for each text, the same number in each.

    Examples
    --------
    >>> encoded(lambda texts: [[3 * len(text), 4 * len(text)] for text in texts], ["a", "", "abc"]).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 0.0], [0.6000000238418579, 0.800000011920929]]
    """
    vectors = np.zeros((len(texts), 0), np.float32)
    for start in range(0, len(texts), _CHUNK):
        chunk = list(texts[start : start + _CHUNK])
        rows = unit_rows(_checked(encode, encode(chunk), start, len(chunk)))
        if not start:
            vectors = np.empty((len(texts), rows.shape[1]), np.float32)
        elif rows.shape[1] != vectors.shape[1]:
            raise InputError(
                f"{_name(encode)} returned {vectors.shape[1]} numbers for each of the first {start} texts "
                f"and {rows.shape[1]} for each of the next {len(chunk)}: return vectors of one length."
            )
        vectors[start : start + len(chunk)] = rows
        progress("encoding", start + len(chunk), len(texts))
    return vectors


def unit_rows(rows: NDArray[Any]) -> NDArray[np.float32]:
    """Scale rows to length 1; rows of zeros stay.

    Examples
    --------
    >>> unit_rows(np.array([[0.0, 2.0], [0.0, 0.0]])).tolist()
    [[0.0, 1.0], [0.0, 0.0]]
    """
    # The largest entry first: the squares of very large or very small numbers are infinite or zero.
    largest = np.abs(rows).max(axis=1, keepdims=True, initial=0.0)
    scaled = rows / np.where(largest > 0, largest, 1)
    lengths = np.sqrt(np.einsum("ij,ij->i", scaled, scaled))[:, None]
    return np.asarray(scaled / np.where(lengths > 0, lengths, 1), np.float32)


def _checked(encode: Encode, made: Any, start: int, n_texts: int) -> NDArray[np.float64]:
    try:
        rows = np.asarray(made)
        if rows.dtype.kind not in "fiu":  # a text such as "1" would become a number otherwise
            raise TypeError
        rows = rows.astype(np.float64)
    except (TypeError, ValueError, RuntimeError):  # PyTorch raises the last where it cannot convert
        raise InputError(
            f"{_name(encode)} returned {type(made).__name__}, not an array of numbers: return a row of "
            "numbers for each text, in the memory of the CPU."
        ) from None
    if rows.ndim != 2 or len(rows) != n_texts or not rows.shape[1]:
        raise InputError(
            f"{_name(encode)} returned an array of shape {rows.shape} for {n_texts} texts: "
            "return a row of numbers for each text."
        )
    if not np.isfinite(rows).all():
        row = start + int(np.flatnonzero(~np.isfinite(rows).all(axis=1))[0])
        raise InputError(
            f"{_name(encode)} returned a vector for text {row} that is not finite: return finite numbers."
        )
    return rows


def _name(encode: Encode) -> str:
    return getattr(encode, "__qualname__", None) or type(encode).__qualname__
