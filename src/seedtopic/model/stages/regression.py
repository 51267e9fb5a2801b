"""A logistic regression that is fitted to the topic model and then trains itself."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from seedtopic.base.engine import Blocks
from seedtopic.learning.classify.logistic import Regression, softmax
from seedtopic.learning.classify.self_training import SoftTargets, self_train
from seedtopic.learning.signals.words import shares
from seedtopic.model.evidence import Evidence, linear_evidence
from seedtopic.model.stages.documents import Documents
from seedtopic.model.stages.stage import Form, Stage, stored

if TYPE_CHECKING:
    from seedtopic.model.run import DocumentBlock, Run

Array = NDArray[np.float64]

SMALL = 100  # documents: in more, their meaning has less to say once words have been learned
SAY_IN_SMALL = 1.5  # of the standardised cosine, in log-odds


@dataclass(frozen=True)
class RegressionStage(Stage):
    """A logistic regression on TF-IDF vectors."""

    coef: NDArray[np.floating[Any]] = stored(Form("classes words"))
    intercept: NDArray[np.floating[Any]] = stored(Form("classes"))

    replaces: ClassVar[bool] = True
    gives_several: ClassVar[bool] = True
    optional: ClassVar[bool] = True

    @classmethod
    def learn(cls, run: Run) -> tuple[Self, Blocks] | None:
        """Fit the regression; the meaning of documents speaks once more, the less the more there are."""
        if not run.options.refine:
            return None
        say = SAY_IN_SMALL * min(1.0, SMALL / run.training.totals.n_documents)
        taught = run.engine.map(_soft_targets, run.blocks, say)
        on_round = partial(run.progress, "refining")
        fitted = self_train(run.engine, taught, run.options.self_training_rounds, on_round, run.checkpoint)
        del taught
        stage = cls(fitted.weights.T, fitted.intercept)
        return stage, run.engine.map(_labelled, run.blocks, run.engine.broadcast(stage))

    @cached_property
    def regression(self) -> Regression:
        """The weights of words, a word a row."""
        return Regression(self.coef.T, self.intercept)

    def apply(self, documents: Documents, posterior: Array) -> Array:
        """Return p(category | document)."""
        return softmax(self.regression.log_odds(documents.vectors) + documents.by_meaning)

    def evidence(
        self, documents: Documents, posterior: Array, so_far: Evidence, label: int, rival: int
    ) -> Evidence:
        """Split the log-odds of one document into its words and the intercept."""
        return linear_evidence(documents, self.coef, self.intercept, label, rival)


def _soft_targets(block: DocumentBlock, say: float) -> SoftTargets:
    theta, scores = block.posterior, block.documents.scores
    if scores is not None:
        theta = block.confirmed.hold(shares(theta * np.exp(say * scores)))
    return block.soft_targets(theta)


def _labelled(block: DocumentBlock, stage: RegressionStage) -> DocumentBlock:
    return block.labelled(stage.apply(block.documents, block.posterior))
