"""The default model: its stages in their order, and the parameters that decide how they learn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from seedtopic.base.checks import check_choice, check_number
from seedtopic.learning.topics.kernels import KernelName, resolve_kernel
from seedtopic.model.run import ModelOptions
from seedtopic.model.stages.clustering import ClusteringStage
from seedtopic.model.stages.documents import WordSpace
from seedtopic.model.stages.first_guess import FirstGuess
from seedtopic.model.stages.meaning import Meaning
from seedtopic.model.stages.mixture import MixtureStage
from seedtopic.model.stages.out_of_scope import OutOfScope
from seedtopic.model.stages.regression import RegressionStage
from seedtopic.model.stages.reliability import ReliabilityStage, Uncalibrated
from seedtopic.model.stages.stacking import Stacking
from seedtopic.model.stages.stage import Context, Stage
from seedtopic.model.stages.topics import Topics

PIPELINE: tuple[type[Stage], ...] = (
    WordSpace,
    Meaning,
    FirstGuess,
    Topics,
    Stacking,
    RegressionStage,
    MixtureStage,
    ClusteringStage,
    ReliabilityStage,
    Uncalibrated,
    OutOfScope,
)


@dataclass(frozen=True)
class Options(ModelOptions):
    """The parameters of `SeedTopicClassifier` that decide how it learns; see there for each."""

    weigh_seeds: bool = True
    weigh_examples: bool = True
    naive_bayes_start: bool = True
    rho: float = 0.2
    n_neighbors: int = 10
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

    def check(self) -> None:
        """Refuse settings out of range."""
        for name in ("n_background", "max_iter"):
            check_number(name, getattr(self, name), least=1, whole=True)
        for name in ("n_neighbors", "refresh_relevance", "smoothing_steps", "self_training_rounds"):
            check_number(name, getattr(self, name), least=0, whole=True)
        check_number("rho", self.rho, least=0, most=1)
        for name in ("weigh_seeds", "weigh_examples", "naive_bayes_start", "refine", "calibrate"):
            check_choice(name, getattr(self, name), (True, False))
        check_choice("mixture", self.mixture, ("auto", True, False))
        resolve_kernel(self.kernel)

    def sizes(self, model: Context) -> dict[str, int]:
        """Return the sizes of arrays that these settings decide, by the names in their forms."""
        return {"classes_and_none": len(model.classes) + 1}
