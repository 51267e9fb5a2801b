"""The manifold regulariser R(theta) and the inner loop that smooths theta over the graph (Algorithm 1)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.base.products import Design

Array = NDArray[np.float64]
Floats = NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Manifold:
    """A neighbour graph prepared for smoothing."""

    averaging: sp.csr_array  # d^-1 W
    degree: Array  # sum_j W_ij

    @classmethod
    def of(cls, graph: sp.csr_array) -> Manifold:
        """Prepare a symmetric graph W."""
        degree = np.asarray(graph.sum(axis=1), dtype=np.float64)
        isolated = (degree == 0).astype(np.float64)
        scale = sp.diags_array(1.0 / (degree + isolated))
        return cls(sp.csr_array(scale @ graph.astype(np.float64) + sp.diags_array(isolated)), degree)

    def penalty(self, theta: Array, average: Array) -> float:
        """R(theta) = 1/2 sum_k sum_ij W_ij (theta_ik - theta_jk)^2 (Eq. 2), given D^-1 W theta."""
        # Written as sum_i degree_i theta_i . (theta_i - average_i), which is the same for a symmetric W.
        # Not a BLAS product: waking its threads for so short a vector costs more than the sum.
        return float(np.sum(self.degree * np.einsum("ij,ij->i", theta, theta - average)))


@dataclass(frozen=True)
class ManifoldPrior:
    """The paper's prior of theta: Dirichlet (alpha or alpha') and regulariser, for `em.run`."""

    alpha: Array  # (n_documents, n_categories)
    manifold: Manifold
    lam: float  # weight of the regulariser
    kappa: float  # step size
    max_steps: int  # of Algorithm 1

    def update(self, expected: Floats, theta: Floats) -> Array:
        """Return theta by Eqs. 15-16; it depends on the last one through the expected counts alone."""
        return smooth(expected + self.alpha, self.manifold, self.lam, self.kappa, self.max_steps).theta

    def log_density(self, theta: Array) -> float:
        """Compute what theta adds to Eq. 9, up to a constant."""
        value = float(np.sum(self.alpha * np.log(theta)))
        if self.lam:
            value -= self.lam * self.manifold.penalty(theta, self.manifold.averaging @ theta)
        return value


@dataclass(frozen=True)
class SmoothedTheta:
    """An update of theta by a few smoothing steps, without asking the objective."""

    prior: Callable[[Array], Array]  # gives alpha for the label frequencies of the last theta
    averaging: Design  # see `Manifold`; in float32
    n_steps: int  # steps of Eq. 16
    kappa: float = 0.1

    def update(self, expected: Floats, frequency: Array) -> Floats:
        """Return the new theta from the expected counts and the mean of the last theta of all documents."""
        evidence = expected + self.prior(frequency)
        new: Floats = (evidence / evidence.sum(axis=1, keepdims=True)).astype(np.float32)
        stay, move = np.float32(1 - self.kappa), np.float32(self.kappa)
        for _ in range(self.n_steps):
            new = stay * new + move * self.averaging.times(new)
        return new


@dataclass(frozen=True)
class Smoothed:
    """What Algorithm 1 ends with: theta, and the objective at the start and after each accepted step."""

    theta: Array
    objective: list[float]


def smooth(
    evidence: Array, manifold: Manifold, lam: float, kappa: float = 0.1, max_steps: int = 200
) -> Smoothed:
    """Run Algorithm 1: smooth theta along the graph for as long as the objective does not fall.

    The objective is the part of Eq. 9 that theta changes with the responsibilities held fixed,
    sum_dk (m_dk + alpha'_dk) ln theta_dk - lambda R(theta).
    """
    theta = evidence / evidence.sum(axis=1, keepdims=True)  # Eq. 15
    if lam == 0 or not manifold.degree.any():
        return Smoothed(theta, [float(np.sum(evidence * np.log(theta)))])
    average = manifold.averaging @ theta
    trace = [float(np.sum(evidence * np.log(theta))) - lam * manifold.penalty(theta, average)]
    for _ in range(max_steps):
        candidate = (1 - kappa) * theta + kappa * average  # Eq. 16
        average = manifold.averaging @ candidate
        value = float(np.sum(evidence * np.log(candidate))) - lam * manifold.penalty(candidate, average)
        if value < trace[-1]:
            break
        theta = candidate
        trace.append(value)
    return Smoothed(theta, trace)
