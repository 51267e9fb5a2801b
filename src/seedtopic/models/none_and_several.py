"""More than one label a document, or none: what the default model says beyond its best category."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from seedtopic.documents.inputs import Texts
from seedtopic.documents.label_columns import Extras, NoneOfThese
from seedtopic.errors import InputError, SeedWarning
from seedtopic.learning.classify.logistic import Regression
from seedtopic.learning.classify.outsiders import LEAST_REACH, Outsiders, find_outsiders
from seedtopic.learning.signals.seed_matches import seed_counts
from seedtopic.learning.signals.shares import shares
from seedtopic.learning.signals.vectors import squared_lengths
from seedtopic.models.seed_model import SeedModel
from seedtopic.seeds import BoundSeeds, Seeds

Array = NDArray[np.float64]

SEVERAL_LEVEL = 0.15


class NoneAndSeveral(SeedModel):
    """A model with a regression on document vectors, whose documents may have no label or several.

    Attributes
    ----------
    none_label : str or None
        The name for documents that belong to no category.
    coef_ : ndarray
        Of the regression; of size 0 where there is none.
    seed_weights_ : ndarray
        How much each seed counts.
    """

    none_label: str | None
    coef_: NDArray[np.floating[Any]]
    seed_weights_: Array
    multi_transduction_: NDArray[np.bool_]

    @abstractmethod
    def _vectors(self, counts: sp.csr_array) -> sp.csr_array:
        """Give documents as the regression sees them."""

    @abstractmethod
    def _from_words(self, counts: sp.csr_array, vectors: sp.csr_array) -> Array:
        """Label documents from their words alone."""

    @abstractmethod
    def _from_regression(self, vectors: sp.csr_array) -> Array:
        """Label documents by the regression."""

    def predict(self, X: Texts, multi_label: bool = False) -> NDArray[Any]:
        """Give the most probable category of other documents, or all that they belong to.

        Parameters
        ----------
        X : iterable of str, or matrix of counts of shape (n_documents, n_words)
        multi_label : bool
            Whether to give all labels of a document: the most probable one, and those to which the regression
            gives a probability of 0.15 or more.

        Returns
        -------
        ndarray of str, or ndarray of bool of shape (n_documents, n_categories)
            One label a document, `none_label` for those that belong to no category where it is set. With
            `multi_label` an indicator matrix, as scikit-learn's are, its columns in the order of `classes_`;
            a row without a label for documents that belong to no category. `predict_labels` gives names.
        """
        check_is_fitted(self)
        counts = self._count_known(X)
        posterior, none = self._distributions(counts), self._none(counts)
        if multi_label:
            return self._several(counts, posterior, none)
        return self._or_none(self.classes_[posterior.argmax(axis=1)], none)

    def predict_labels(self, X: Texts) -> list[tuple[str, ...]]:
        """Give all labels of other documents by name; `none_label` alone where they belong to no category.

        Parameters
        ----------
        X : iterable of str, data frame, or matrix of counts of shape (n_documents, n_words)
            The documents, as of `fit`.
        """
        return self.named_labels(self.predict(X, multi_label=True))

    def named_labels(self, indicators: NDArray[np.bool_]) -> list[tuple[str, ...]]:
        """Name the labels of an indicator matrix, such as `multi_transduction_`.

        Parameters
        ----------
        indicators : ndarray of bool, shape (n_documents, n_categories)
        """
        without = () if self.none_label is None else (self.none_label,)
        return [tuple(self.classes_[row].tolist()) or without for row in indicators]

    def predict_none_proba(self, X: Texts) -> Array:
        """Give how likely other documents are to belong to no category; 0 where `none_label` is left out.

        Parameters
        ----------
        X : iterable of str, data frame, or matrix of counts of shape (n_documents, n_words)
            The documents, as of `fit`.
        """
        check_is_fitted(self)
        return self._none(self._count_known(X))

    def _several(
        self, counts: sp.csr_array, posterior: NDArray[np.floating[Any]], none: Array
    ) -> NDArray[np.bool_]:
        vectors = self._vectors(counts)
        # Not by the mixture, which holds that a document has one label.
        part = self._from_regression(vectors) if self.coef_.size else self._from_words(counts, vectors)
        return with_the_first(part >= SEVERAL_LEVEL, posterior, vectors) & (none <= 0.5)[:, None]

    def _extras(self, counts: sp.csr_array, posterior: NDArray[np.float64], several: bool) -> Extras:
        none = self._none(counts)
        labels = self.named_labels(self._several(counts, posterior, none)) if several else None
        return Extras(
            self.paths(), None if self.none_label is None else NoneOfThese(self.none_label, none), labels
        )

    def _learn_outsiders(
        self,
        counts: sp.csr_array,
        vectors: sp.csr_array,
        seeds: BoundSeeds,
        posterior: Array,
        averaging: sp.csr_array,
        rng: np.random.RandomState,
    ) -> None:
        """Find the documents that belong to no category, where a name is given for them."""
        nothing = np.empty((len(self.classes_) + 1, 0))
        self.none_coef_: NDArray[np.floating[Any]] = nothing
        self.none_intercept_: NDArray[np.floating[Any]] = nothing
        self.none_level_ = 0.0
        self.none_probability_ = np.zeros(len(posterior))
        if self.none_label is None:
            return
        weighed = seed_counts(counts, weighed_seeds(seeds.membership, self.seed_weights_))
        found = shares(weighed) * (weighed.sum(axis=1) > 0)[:, None]
        label = posterior.argmax(axis=1)
        reach = float((found[np.arange(len(label)), label] > 0).mean())
        if reach < LEAST_REACH:
            sentence = (
                f"none_label={self.none_label!r} needs seeds that reach {LEAST_REACH:.0%} of the documents, "
                f"but only {reach:.0%} have a seed of their category: add seed words, or leave out documents "
                "that plainly belong nowhere."
            )
            warnings.warn(sentence, SeedWarning, stacklevel=4)
        unseeded = np.ones(counts.shape[1])
        unseeded[seeds.membership.indices] = 0.0
        masked = sp.csr_array(vectors @ sp.diags_array(unseeded))
        outsiders, self.none_probability_ = find_outsiders(masked, found, label, averaging, rng)
        if outsiders is not None:
            self.none_coef_ = outsiders.regression.weights.T
            self.none_intercept_ = outsiders.regression.intercept
            self.none_level_ = outsiders.level
        self.none_probability_[~told(vectors)] = 1.0

    def _none(self, counts: sp.csr_array) -> Array:
        none = np.zeros(counts.shape[0])
        if self.none_label is None:
            return none
        vectors = self._vectors(counts)
        if self.none_coef_.size:
            regression = Regression(self.none_coef_.T, self.none_intercept_)
            none = Outsiders(regression, float(self.none_level_)).probability(vectors)
        none[~told(vectors)] = 1.0
        return none

    def _all_labels(self, X: Texts | None) -> list[list[Any]]:
        found = self.multi_transduction_ if X is None else self.predict(X, multi_label=True)
        return [list(labels) for labels in self.named_labels(found)]

    def _or_none(self, labels: NDArray[Any], none: Array) -> NDArray[Any]:
        return labels if self.none_label is None else np.where(none > 0.5, self.none_label, labels)

    def none_of_these(self, X: Texts | None = None) -> NoneOfThese | None:
        if self.none_label is None:
            return None
        probability = self.none_probability_ if X is None else self.predict_none_proba(X)
        return NoneOfThese(self.none_label, probability)

    def _label_fitted(self, places: NDArray[np.intp]) -> None:
        super()._label_fitted(places)
        self.none_probability_ = self.none_probability_[places]
        belongs = (self.none_probability_ <= 0.5)[:, None]
        self.multi_transduction_ = self.multi_transduction_[places] & belongs
        self.transduction_ = self._or_none(self.transduction_, self.none_probability_)

    def _sizes(self) -> dict[str, int]:
        return {**super()._sizes(), "classes_and_none": len(self.classes_) + 1}

    def _check_none_label(self) -> None:
        if self.none_label is None:
            return
        if not isinstance(self.none_label, str) or not self.none_label.strip():
            raise InputError(f"none_label is {self.none_label!r}: use a name such as 'other', or None.")
        if self.seeds is not None and self.none_label in map(str, Seeds.of(self.seeds).names):
            raise InputError(
                f"none_label is {self.none_label!r}, which is the name of a category: use another name."
            )


def with_the_first(
    several: NDArray[np.bool_], posterior: NDArray[np.floating[Any]], vectors: sp.csr_array
) -> NDArray[np.bool_]:
    """Add the most probable label to several; a document without a word that tells anything has no other."""
    first: NDArray[np.bool_] = np.arange(posterior.shape[1]) == posterior.argmax(axis=1)[:, None]
    return first | (several & told(vectors)[:, None])


def told(vectors: sp.csr_array) -> NDArray[np.bool_]:
    """Tell which documents have a word that tells anything."""
    return squared_lengths(vectors) > 0


def weighed_seeds(membership: sp.csr_array, weights: Array) -> sp.csr_array:
    """Let each seed count as much as its weight."""
    return sp.csr_array(
        (membership.data * weights, membership.indices, membership.indptr), shape=membership.shape
    )
