"""How many documents of a fit on a cluster have which label, added up where the documents are."""

from __future__ import annotations

from seedtopic.documents.label_columns import Extras, NoneOfThese
from seedtopic.documents.labelable import Labelable
from seedtopic.models.base import checked_distributions
from seedtopic.models.labelling.totals import Totals
from seedtopic.models.seed_topic_classifier import SeedTopicClassifier
from seedtopic.models.stages.block import Block
from seedtopic.models.stages.learning import results_of


def totals_on_cluster(model: SeedTopicClassifier, n_without_text: int = 0) -> Totals:
    """Count the labels that a fit gave to documents that stayed on a cluster.

    Parameters
    ----------
    model : SeedTopicClassifier
        Just fitted to a collection of Dask.
    n_without_text : int
        How many of the documents have no text; they have no label, either.
    """
    _, result = model.on_cluster_
    totals = Totals.nothing(len(model.classes_))
    for part in result.engine.gather(_totals, result.blocks, model.none_label):
        totals.add(part)
    if model.none_label is not None:  # which only a document with a text can have
        totals.sizes[-1] -= n_without_text
        totals.labelable -= n_without_text
    totals.without_text += n_without_text
    totals.without_known_word -= n_without_text
    return totals


def _totals(block: Block, none_label: str | None) -> Totals:
    """Count the documents of a block; runs on a worker."""
    said = results_of(block)
    none = None if none_label is None else NoneOfThese(none_label, said.none_probability)
    extras = Extras(none=none, labelable=Labelable.by_words(said.has_words))
    return Totals.of(checked_distributions(said.posterior), extras)
