"""The clusters that an encoder sees have another say in the labels, as loud as neighbours agree."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from seedtopic.base.engine import Blocks
from seedtopic.learning.classify.clustering import Agreement, loudest
from seedtopic.learning.signals.words import shares
from seedtopic.model.evidence import Evidence
from seedtopic.model.stages.documents import Documents
from seedtopic.model.stages.meaning import Meaning
from seedtopic.model.stages.stage import Stage, stored, weight

if TYPE_CHECKING:
    from seedtopic.model.run import DocumentBlock, Run

Array = NDArray[np.float64]

SAYS = (0.0, 2.0, 4.0, 8.0, 12.0)  # of the standardised cosine, in log-odds; with the last, words say little


@dataclass(frozen=True)
class ClusteringStage(Stage):
    """How near documents are to the clusters, once more: of many fine categories, words know too little."""

    say: float = stored(weight(""), "clusters_say_")

    optional: ClassVar[bool] = True

    @classmethod
    def learn(cls, run: Run) -> tuple[Self, Blocks] | None:
        """Find out how loud; not taken where neighbours hardly agree more than on what was said before."""
        meaning, engine = run.get(Meaning), run.engine
        if meaning is None or meaning.clusters is None:
            return None
        before = engine.broadcast([stage for stage in run.stages if stage.replaces][-1])
        say = loudest(SAYS, lambda say: engine.tree(_agreement, run.blocks, before, cls(say)))
        return (cls(say), engine.map(_labelled, run.blocks, cls(say))) if say else None

    def apply(self, documents: Documents, posterior: Array) -> Array:
        """Weigh p(category | document) by how near the document is to the clusters."""
        return (
            posterior if documents.scores is None else shares(posterior * np.exp(self.say * documents.scores))
        )

    def evidence(
        self, documents: Documents, posterior: Array, so_far: Evidence, label: int, rival: int
    ) -> Evidence:
        """Add what the clusters say of one document."""
        words, constant, sentence = documents.meaning_evidence(label, rival, self.say)
        return replace(
            so_far,
            words=so_far.words + words,
            prior=so_far.prior + constant,
            sentence=so_far.sentence + sentence,
        )


def _agreement(block: DocumentBlock, before: Stage, stage: ClusteringStage) -> Agreement:
    # By what a document says itself: the mixture has made neighbours agree.
    posterior = stage.apply(block.documents, block.documents.posterior(before))
    return Agreement.of(block.neighbours.similarity, posterior.argmax(axis=1), posterior.shape[1])


def _labelled(block: DocumentBlock, stage: ClusteringStage) -> DocumentBlock:
    posterior = stage.apply(block.documents, block.posterior)
    return replace(block, posterior=block.confirmed.hold(posterior))
