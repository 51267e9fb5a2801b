"""Confirmed labels that look wrong: which, what they may be instead, and a sentence that says so."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from seedtopic.base.wording import and_more, number_of
from seedtopic.seeds import Name

SHOWN = 5  # labels in a warning


@dataclass(frozen=True)
class SuspectLabel:
    """A confirmed label that the other documents contradict. It is kept: only a person can tell.

    Attributes
    ----------
    row : int
        The document, by its position among those given to the fit, from 0.
    label : str or int
        What a person said.
    instead : str or int
        What documents like it are labelled.
    probability : float
        Of `instead`, if it is one of the two.
    """

    row: int
    label: Name
    instead: Name
    probability: float


def suspects(
    classes: NDArray[Any], label: NDArray[np.intp], instead: NDArray[np.intp], log_odds: NDArray[np.float64]
) -> list[SuspectLabel]:
    """List the suspect labels, the most suspect first.

    Parameters
    ----------
    classes : ndarray
    label : ndarray of int, shape (n_documents,)
        The category of each document.
    instead : ndarray of int, shape (n_documents,)
        The category that contradicts it, -1 where none does.
    log_odds : ndarray, shape (n_documents,)
        Of that category against the label.

    Examples
    --------
    >>> names = np.array(["sports", "money"])
    >>> suspects(names, np.array([0, 1]), np.array([-1, 0]), np.array([0.0, 3.0]))[0].instead
    'sports'
    """
    rows = np.flatnonzero(instead >= 0)
    rows = rows[np.argsort(-log_odds[rows], kind="stable")]
    names = classes.tolist()
    return [
        SuspectLabel(int(row), names[label[row]], names[instead[row]], float(expit(log_odds[row])))
        for row in rows
    ]


def suspects_sentence(
    found: Sequence[SuspectLabel], name: Callable[[int], str] = lambda row: f"row {row}"
) -> str | None:
    """Name the labels that look wrong; None if there are none.

    Parameters
    ----------
    found : sequence of SuspectLabel
    name : callable
        Gives what a document is called, from its row.

    Examples
    --------
    >>> print(suspects_sentence([SuspectLabel(7, "sports", "money", 0.99)]))
    1 confirmed label looks wrong, and is kept: row 7 is 'sports', but documents like it are 'money' \
(99% sure); look at it again.
    """
    if not found:
        return None
    shown = [
        f"{name(suspect.row)} is {suspect.label!r}, but documents like it are {suspect.instead!r} "
        f"({suspect.probability:.0%} sure)"
        for suspect in found[:SHOWN]
    ]
    many = number_of(
        len(found), "confirmed label looks wrong, and is", "confirmed labels look wrong, and are"
    )
    them = "it" if len(found) == 1 else "them"
    return f"{many} kept: {and_more(shown, len(found), '; ')}; look at {them} again."
