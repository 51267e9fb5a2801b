"""What the arrays of a fitted model look like, so that those of a stranger's folder can be checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedtopic.base.arrays import Described
from seedtopic.base.errors import InputError

LARGEST = 1e30  # far beyond anything learned, and its products are still numbers in float64


@dataclass(frozen=True)
class Learned:
    """The form of one array.

    Attributes
    ----------
    shape : str
        The names of its sizes, such as ``"classes words"``; a name stands for the same size in all arrays of
        a model, and a number for itself. None is 0 but in arrays of one size, and that of documents, of which
        a model need not know any.
    kind : str
        The kinds of its numbers as numpy calls them: f, i, b.
    least, most : float
        The range of its numbers.
    """

    shape: str = ""
    kind: str = "f"
    least: float = -LARGEST
    most: float = LARGEST

    def fits(self, described: Described, sizes: dict[str, int]) -> bool:
        """Tell whether an array has this form; sizes whose names are new are noted.

        Examples
        --------
        >>> sizes = {"classes": 2}
        >>> Learned("classes words").fits(Described("float64", (2, 5)), sizes), sizes
        (True, {'classes': 2, 'words': 5})
        >>> Learned("words").fits(Described("float64", (4,)), sizes)
        False
        """
        names, found = self.shape.split(), described.shape
        if np.dtype(described.dtype).kind not in self.kind or len(names) != len(found):
            return False
        for name, size in zip(names, found, strict=True):
            may_be_none = len(names) == 1 or name == "documents"
            if name.isdigit():
                if size != int(name):
                    return False
            elif sizes.setdefault(name, size) != size or (size == 0 and not may_be_none):
                return False
        return True

    def holds(self, array: NDArray[Any]) -> bool:
        """Tell whether the numbers are in their range."""
        return not array.size or bool(array.min() >= self.least and array.max() <= self.most)


WHOLE = Learned(kind="iu", least=0)


def probability(shape: str) -> Learned:
    """Give the form of probabilities."""
    return Learned(shape, least=0.0, most=1.0 + 1e-5)


def likely(shape: str) -> Learned:
    """Give the form of probabilities whose logarithms are taken."""
    return Learned(shape, least=1e-36, most=1.0 + 1e-5)


def weight(shape: str) -> Learned:
    """Give the form of numbers from 0 on."""
    return Learned(shape, least=0.0)


def check_forms(
    learned: Mapping[str, Learned], found: Mapping[str, Described], sizes: dict[str, int]
) -> None:
    """Refuse arrays that are not those of a model, or do not fit one another."""
    missing = [name for name in learned if name not in found]
    unknown = [name for name in found if name not in learned]
    if missing or unknown:
        which = f"{missing[0]} is missing" if missing else f"{unknown[0]} is in no such model"
        raise InputError(f"it is damaged: {which}.")
    for name, form in learned.items():
        if not form.fits(found[name], sizes):
            shape = " x ".join(map(str, found[name].shape)) or "1"
            raise InputError(
                f"it is damaged: {name} has the form {shape} of {found[name].dtype}, which does not fit."
            )
