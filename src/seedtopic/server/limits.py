"""Limits on the size of a request and the time it may take."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Limits of a server; the error response for each limit names it.

    Attributes
    ----------
    most_bytes : int
        Largest body, in bytes.
    most_total_bytes : int
        Bytes of all bodies together, without the first 64 kB of each.
    most_texts : int
        Most texts per request.
    most_characters : int
        Most characters per text.
    body_seconds : float
        Most seconds for reading a body.
    predict_seconds, label_seconds : float
        Most seconds for computing a response.
    waiting : int
        Large predictions that may wait for a thread; small ones are made immediately.
    labellings : int
        Fits for `/label` at a time, each of which may use all cores; with 0 there is no `/label`.

    Examples
    --------
    >>> Limits(most_texts=100).most_texts
    100
    """

    most_bytes: int = 8_000_000
    most_total_bytes: int = 160_000_000
    most_texts: int = 10_000
    most_characters: int = 100_000
    body_seconds: float = 10.0
    predict_seconds: float = 30.0
    label_seconds: float = 120.0
    waiting: int = 32
    labellings: int = 1
