"""An encoder that encodes each text once, however many fits need its vector."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


class RememberedEncoder:
    """Vectors of texts, kept in memory, and the seconds that they took.

    Parameters
    ----------
    find : callable
        Finds the encoder when the first text comes; it must accept an empty list.

    Examples
    --------
    >>> encoder = RememberedEncoder(lambda: lambda texts: np.array([[len(text)] for text in texts]))
    >>> encoder(["gold", "ore", "gold"]).tolist()
    [[4], [3], [4]]
    >>> encoder.seconds(["gold"]) > 0
    True
    """

    def __init__(self, find: Callable[[], Callable[[Sequence[str]], Vectors]]) -> None:
        self._find = find
        self._vectors: dict[str, Vectors] = {}
        self._seconds: dict[str, float] = {}

    def __call__(self, texts: Sequence[str]) -> Vectors:
        """Give the vectors of texts, and encode those that are new."""
        new = list(dict.fromkeys(text for text in texts if text not in self._vectors))
        if new:
            encode = self._find()
            encode([])  # reads its files before the clock starts
            started = time.perf_counter()
            self._vectors |= zip(new, encode(new), strict=True)
            # Texts that came together are taken to have needed the same time.
            self._seconds |= dict.fromkeys(new, (time.perf_counter() - started) / len(new))
        return np.array([self._vectors[text] for text in texts])

    def seconds(self, texts: Sequence[str]) -> float:
        """Return how long it took to encode texts when they were new."""
        return sum(self._seconds[text] for text in texts)
