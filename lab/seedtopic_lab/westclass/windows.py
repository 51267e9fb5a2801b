"""The search for the largest window of each filter: nearly all the work of the network, in numba."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedtopic.base.threads import walk_in_threads
from seedtopic_lab.compiled import jit


def winning_words(
    projected: NDArray[np.float32],
    documents: NDArray[np.int64],
    lengths: NDArray[np.int64],
    widths: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Find the words in the largest window of each filter, the first of equals.

    Parameters
    ----------
    projected : ndarray, shape (n_words, n_places, n_maps)
        What a word adds to a window when it stands in this place; the places of the first width come
        first, then those of the second, and so on.
    documents : ndarray, shape (n_documents, n_tokens)
        Words, followed by as many paddings as the widest window has places.
    lengths : ndarray, shape (n_documents,)
        Words before the padding.
    widths : ndarray
        Places of each width.

    Returns
    -------
    ndarray, shape (n_documents, n_places, n_maps)
    """
    winners = np.empty((len(documents), *projected.shape[1:]), np.int64)
    # Documents do not touch each other: the threads cannot change the result.
    walk_in_threads(
        lambda first, last: _search(first, last, projected, documents, lengths, widths, winners),
        np.arange(len(documents) + 1) * documents.shape[1],
    )
    return winners


@jit()
def _search(  # pragma: no cover - compiled
    begin: int, end: int, projected: Any, documents: Any, lengths: Any, widths: Any, winners: Any
) -> None:
    n_maps = projected.shape[2]
    for document in range(begin, end):
        words = documents[document]
        total, best = np.empty(n_maps, np.float32), np.empty(n_maps, np.float32)
        where = np.empty(n_maps, np.int64)
        first = 0
        for width in widths:
            best[:] = -np.inf
            where[:] = 0
            for start in range(lengths[document] + 1):  # the last window holds paddings alone
                total[:] = 0.0
                for shift in range(width):
                    row = projected[words[start + shift], first + shift]
                    for filter_ in range(n_maps):
                        total[filter_] += row[filter_]
                for filter_ in range(n_maps):
                    if total[filter_] > best[filter_]:
                        best[filter_] = total[filter_]
                        where[filter_] = start
            for shift in range(width):
                for filter_ in range(n_maps):
                    winners[document, first + shift, filter_] = words[where[filter_] + shift]
            first += width
