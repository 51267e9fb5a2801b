"""A mixture in which every document has exactly one category, where it helps."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from operator import methodcaller
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from seedtopic.base.engine import Blocks
from seedtopic.learning.classify.naive_bayes import (
    STRENGTH,
    Mixture,
    edge_weights,
    fit_mixture,
    mixture_helps,
)
from seedtopic.learning.classify.self_training import SoftTargets
from seedtopic.learning.signals.words import shares
from seedtopic.model.evidence import Evidence, linear_evidence
from seedtopic.model.stages.documents import Documents
from seedtopic.model.stages.stage import Form, Stage, stored
from seedtopic.model.stages.topics import Topics

if TYPE_CHECKING:
    from seedtopic.model.run import DocumentBlock, Run

Array = NDArray[np.float64]

# Share of the documents with an answer from which the mixture does not help: it forgets what the regression
# has learned from them. With more, it costs SNIPS up to .019 and brings BBC News .003.
MOST_ANSWERED = 0.05


@dataclass(frozen=True)
class MixtureStage(Stage):
    """Naive Bayes with the sizes of the categories held."""

    word: Array = stored(Form("classes words", most=1e-9), "mixture_word_")  # ln p(word | category)
    bias: Array = stored(Form("classes"), "mixture_bias_")

    replaces: ClassVar[bool] = True
    optional: ClassVar[bool] = True

    @classmethod
    def learn(cls, run: Run) -> tuple[Self, Blocks] | None:
        """Fit the mixture, if it is asked for, or categories are of like sizes and neighbours agree."""
        marginals, engine = run[Topics].label_frequency, run.engine
        if run.options.mixture == "auto":
            if len(run.confirmed) > MOST_ANSWERED * run.training.totals.n_documents:
                return None
            same, total = engine.tree(_edge_weights, run.blocks)
            if not mixture_helps(marginals, float(same / total) if total else 0.0):
                return None
        elif not run.options.mixture:
            return None
        mixture, taught = fit_mixture(engine, engine.map(methodcaller("soft_targets"), run.blocks), marginals)
        return cls(mixture.log_words.T, mixture.bias), engine.map(_mixed, run.blocks, each=taught)

    @cached_property
    def mixture(self) -> Mixture:
        """The logarithms, a word a row."""
        return Mixture(self.word.T, self.bias)

    def apply(self, documents: Documents, posterior: Array) -> Array:
        """Return p(category | document), without any neighbours."""
        return self.mixture.posterior(documents.vectors, documents.by_meaning)

    def evidence(
        self, documents: Documents, posterior: Array, so_far: Evidence, label: int, rival: int
    ) -> Evidence:
        """Split the log-odds of one document into its words and the bias."""
        return linear_evidence(documents, STRENGTH * self.word, self.bias, label, rival)


def _edge_weights(block: DocumentBlock) -> tuple[np.float64, np.float64]:
    return edge_weights(block.neighbours.similarity, block.posterior)


def _mixed(block: DocumentBlock, taught: SoftTargets) -> DocumentBlock:
    return replace(block, posterior=shares(taught.labels * np.exp(block.documents.by_meaning)))
