"""How many documents have which label, added up piece by piece."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seedtopic.io.predictions import Extras
from seedtopic.model.estimates import Estimate

if TYPE_CHECKING:
    from seedtopic.model.estimator import TextClassifier


Array = NDArray[np.float64]


@dataclass
class Totals:
    """Counts of labelled documents, and sums over them: they take the same memory however many there are.

    Attributes
    ----------
    sizes : ndarray of int, shape (n_categories + 1,)
        How many documents have each label, the last that of documents of no category.
    probabilities : ndarray, shape (n_categories + 1,)
        The sums of the probabilities of these labels.
    probability : float
        The sum over all categories.
    labelable : int
        Documents that can be labelled.
    left_empty : int
        Those whose label is less likely than was asked for.
    without_text, without_known_word : int

    Examples
    --------
    >>> totals = Totals.nothing(2)
    >>> totals.add(Totals.of(np.array([[0.75, 0.25], [0.5, 0.5]]), Extras(), 0.6))
    >>> totals.sizes.tolist(), totals.labelable, totals.left_empty
    ([1, 0, 0], 2, 1)
    """

    sizes: NDArray[np.int64]
    probabilities: Array
    probability: float = 0.0
    labelable: int = 0
    left_empty: int = 0
    without_text: int = 0
    without_known_word: int = 0

    @classmethod
    def nothing(cls, n_categories: int) -> Totals:
        """Begin to count."""
        return cls(np.zeros(n_categories + 1, np.int64), np.zeros(n_categories + 1))

    @classmethod
    def of(cls, probabilities: Array, extras: Extras, min_probability: float = 0.0) -> Totals:
        """Count documents.

        Parameters
        ----------
        probabilities, extras
            What a model says of them, see `seedtopic.model.estimator.TextClassifier.predict_all`.
        min_probability : float
            A label that is less likely is left empty.
        """
        n_documents, n_categories = probabilities.shape
        best, label = probabilities.max(axis=1, initial=0.0), probabilities.argmax(axis=1)
        if extras.none is not None:
            outside = extras.none.probability > 0.5
            label = np.where(outside, n_categories, label)
            best = np.where(outside, extras.none.probability, best)
        labelable = extras.labelled(n_documents)
        labelled = (best >= min_probability) & labelable
        label, best, known = label[labelled], best[labelled], extras.labelable
        return cls(
            np.bincount(label, minlength=n_categories + 1),
            np.bincount(label, weights=best, minlength=n_categories + 1).astype(np.float64),
            float(best[label < n_categories].sum()),
            int(labelable.sum()),
            int((labelable & ~labelled).sum()),
            0 if known is None else known.without_text,
            0 if known is None else known.without_known_word,
        )

    def add(self, other: Totals) -> None:
        """Count further documents."""
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)

    def estimate(self, model: TextClassifier) -> Estimate | None:
        """Estimate how many of these labels are right; None if the model cannot tell."""
        n_categories = len(self.sizes) - 1
        sizes, sums = self.sizes[:n_categories], self.probabilities[:n_categories]
        return Estimate.of_sums(model, sizes, sums, self.probability)

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {**vars(self), "sizes": self.sizes.tolist(), "probabilities": self.probabilities.tolist()}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Totals:
        """Take what `as_dict` gave."""
        sizes, sums = np.array(values["sizes"], np.int64), np.array(values["probabilities"])
        return cls(**{**values, "sizes": sizes, "probabilities": sums})
