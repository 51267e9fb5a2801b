"""How much one request may ask for, and how long it may take."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Limits of a server; each is answered with a sentence that names it.

    Attributes
    ----------
    most_bytes : int
        Of a body.
    most_texts : int
        Of a request.
    most_characters : int
        Of a text.
    body_seconds : float
        Until a body is complete.
    predict_seconds, label_seconds : float
        Until an answer is there.
    waiting : int
        Large predictions that may wait for a thread; small ones are made at once.
    labellings : int
        Fits for `/label` at a time, each of which uses all cores that it may; with 0 there is no `/label`.

    Examples
    --------
    >>> Limits(most_texts=100).most_texts
    100
    """

    most_bytes: int = 8_000_000
    most_texts: int = 10_000
    most_characters: int = 100_000
    body_seconds: float = 10.0
    predict_seconds: float = 30.0
    label_seconds: float = 120.0
    waiting: int = 32
    labellings: int = 1
