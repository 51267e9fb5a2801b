"""Pseudo documents: each category is a von Mises-Fisher distribution of directions that write documents."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import vonmises_fisher

from seedtopic_lab.westclass.sequences import Tokens

Array = NDArray[np.float64]


def fit_vmf(vectors: Array, max_kappa: float) -> tuple[Array, float]:
    """Estimate mean direction mu and concentration kappa of unit vectors (Banerjee et al. 2005).

    mu is the direction of the sum, and kappa ~ rbar (p - rbar^2) / (1 - rbar^2), where rbar is the length
    of the mean and p the dimension. One vector alone has rbar = 1 and no finite kappa: hence `max_kappa`.

    Examples
    --------
    >>> mu, kappa = fit_vmf(np.array([[1.0, 0.0], [0.0, 1.0]]), max_kappa=1000.0)
    >>> mu.round(3).tolist(), round(kappa, 3)
    ([0.707, 0.707], 2.121)
    """
    total = vectors.sum(axis=0)
    length = np.linalg.norm(total)
    rbar = length / len(vectors)
    spread = 1.0 - rbar**2
    kappa = rbar * (vectors.shape[1] - rbar**2) / spread if spread > 0 else np.inf
    return total / length, float(min(kappa, max_kappa))


@dataclass(frozen=True)
class Writer:
    """Writes pseudo documents for directions in the space of words.

    Attributes
    ----------
    embedding : ndarray, shape (n_words, size)
        Vectors of length one.
    background : ndarray, shape (n_words,)
        p_B, the share of each word in the collection.
    n_near : int
        gamma, the words near to its direction that a document is written with.
    alpha : float
        The share of background words.
    length : int
        Words in a document.
    """

    embedding: NDArray[np.float32]
    background: Array
    n_near: int
    alpha: float
    length: int

    def near_words(self, direction: Array) -> tuple[NDArray[np.intp], Array]:
        """Give the gamma words nearest to a direction and the softmax of their inner products."""
        closeness = (self.embedding @ direction.astype(np.float32)).astype(np.float64)
        n_near = min(self.n_near, len(closeness))
        nearest = np.sort(np.argpartition(-closeness, n_near - 1)[:n_near])
        odds = np.exp(closeness[nearest] - closeness[nearest].max())
        return nearest, odds / odds.sum()

    def write(self, directions: Array, rng: np.random.Generator) -> Tokens:
        """Write one document for each direction, shape (n_directions, length)."""
        documents = rng.choice(len(self.background), size=(len(directions), self.length), p=self.background)
        from_near = rng.random(documents.shape) >= self.alpha
        for document, near, direction in zip(documents, from_near, directions, strict=True):
            words, probabilities = self.near_words(direction)
            document[near] = rng.choice(words, size=int(near.sum()), p=probabilities)
        return documents


def draw_directions(mu: Array, kappa: float, count: int, rng: np.random.Generator) -> Array:
    """Draw directions from a von Mises-Fisher distribution (SciPy's sampler is that of Wood 1994)."""
    distribution = vonmises_fisher(mu, kappa)  # type: ignore[arg-type]  # scipy-stubs wants a whole kappa
    return np.asarray(distribution.rvs(count, random_state=rng)).reshape(count, len(mu))


def soft_labels(categories: NDArray[np.intp], n_categories: int, alpha: float) -> Array:
    """Give a pseudo document its category by 1 - alpha, and alpha to all categories alike.

    Examples
    --------
    >>> soft_labels(np.array([1]), 2, alpha=0.2).tolist()
    [[0.1, 0.9]]
    """
    labels = np.full((len(categories), n_categories), alpha / n_categories)
    labels[np.arange(len(categories)), categories] += 1.0 - alpha
    return labels
