"""How many documents have which label, added up piece by piece."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seedtopic.io.predictions import Extras
from seedtopic.model.estimates import Estimate

if TYPE_CHECKING:
    from seedtopic.model.estimator import SeedClassifier


Array = NDArray[np.float64]


@dataclass
class Totals:
    """Counts of labelled documents, and sums over them: they take the same memory however many there are."""

    sizes: NDArray[np.int64]  # (n_categories + 1,)
    probabilities: Array  # (n_categories + 1,), the sums of the probabilities of these labels
    probability: float = 0.0  # the sum over all categories
    labelable: int = 0  # documents that can be labelled
    left_empty: int = 0  # those whose label is less likely than was asked for
    without_text: int = 0
    without_known_word: int = 0

    @classmethod
    def nothing(cls, n_categories: int) -> Totals:
        """Begin to count."""
        return cls(np.zeros(n_categories + 1, np.int64), np.zeros(n_categories + 1))

    @classmethod
    def of(cls, probabilities: Array, extras: Extras, min_probability: float = 0.0) -> Totals:
        """Count documents."""
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

    def estimate(self, model: SeedClassifier) -> Estimate | None:
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
