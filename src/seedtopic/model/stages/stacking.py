"""What the answers of people change in the labels that seeds give, before a regression learns from these."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Self

from seedtopic.base.engine import Blocks
from seedtopic.learning.classify.stacking import Witnessed, stacked
from seedtopic.model.stages.stage import Stage

if TYPE_CHECKING:
    from seedtopic.model.run import DocumentBlock, Run


@dataclass(frozen=True)
class Stacking(Stage):
    """Labels of documents by seeds and answers together; what it learns of words, the regression takes over.

    The first guess and the topics have not seen answers that seeds could give as well, so that these can tell
    what seeds are worth.
    """

    optional: ClassVar[bool] = True

    @classmethod
    def learn(cls, run: Run) -> tuple[Self | None, Blocks] | None:
        """Label the documents again, where there are answers."""
        if not (run.options.refine and len(run.confirmed) and len(run.classes) > 1):
            return None
        run.progress("weighing answers", 0, 1)
        pooled = stacked(run.engine, run.engine.map(_witnessed, run.blocks))
        blocks = run.engine.map(_labelled, run.blocks, each=pooled)
        run.progress("weighing answers", 1, 1)
        return None, blocks


def _witnessed(block: DocumentBlock) -> Witnessed:
    documents = block.documents
    read = documents.all_counts, documents.sentences  # not from where it would be kept
    return Witnessed.of(
        documents.vectors,
        block.neighbours.averaging,
        documents.directions if documents.meaning is None else documents.meaning.documents(*read),
        block.posterior,
        documents.scores,
        block.confirmed,
    )


def _labelled(block: DocumentBlock, pooled: Witnessed) -> DocumentBlock:
    return replace(block.labelled(pooled.labels), unheard=pooled.unheard)
