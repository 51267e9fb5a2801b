"""The settings of the pipeline, apart from the data it learns from."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Literal, Self

from seedtopic.learning.topics.kernels import KernelName


@dataclass(frozen=True)
class Options:
    """The parameters of `SeedTopicClassifier` that decide how it learns; see there for each."""

    weigh_seeds: bool = True
    weigh_examples: bool = True
    naive_bayes_start: bool = True
    rho: float = 0.2
    n_background: int = 40
    max_iter: int = 30
    refresh_relevance: int = 5
    smoothing_steps: int = 3
    refine: bool = True
    self_training_rounds: int = 3
    mixture: Literal["auto"] | bool = "auto"
    calibrate: bool = True
    none_label: str | None = None
    kernel: KernelName = "auto"

    @classmethod
    def of(cls, estimator: Any) -> Self:
        """Take the settings from an estimator with parameters of the same names."""
        return cls(**{field.name: getattr(estimator, field.name) for field in fields(cls)})
