"""``seedtopic fit --scheduler``: the documents are read, counted and learned from on a Dask cluster."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from seedtopic.base.checkpoint import CheckpointFolder
from seedtopic.base.errors import InputError
from seedtopic.cli.console import note, progress_bars, warnings_as_notes
from seedtopic.cli.estimates import note_few
from seedtopic.cli.option_groups import TrainingSource, require_classifier, rule_columns
from seedtopic.cli.steps import saying_where, summed_up
from seedtopic.cli.vectors import vectors_sentence
from seedtopic.cluster.client import connected
from seedtopic.cluster.engine import DaskEngine
from seedtopic.cluster.files import read_on_cluster
from seedtopic.documents.reader import checked_source
from seedtopic.models import SeedModel, SeedTopicClassifier
from seedtopic.models.cluster_totals import totals_on_cluster


def fitted_on_cluster(
    model: SeedModel,
    source: TrainingSource,
    scheduler: str,
    *,
    confirmed: Sequence[str] | None,
    learn_on: bool,
    checkpoint: CheckpointFolder | None,
    quiet: bool,
) -> tuple[SeedTopicClassifier, dict[str, Any]]:
    """Fit a model where the documents are; give what is to be saved of it, and how many have which label."""
    classifier = require_classifier(model, "--scheduler")
    _check_options(classifier, confirmed, learn_on)
    place = checked_source(source.docs, source.format, source.encoding, source.sheet)
    with (
        connected(scheduler) as client,
        saying_where(checkpoint),
        warnings_as_notes(quiet=quiet),
        progress_bars(quiet=quiet) as progress,
    ):
        documents = read_on_cluster(
            DaskEngine(client),
            place,
            text_field=source.text_field,
            strict=source.strict,
            on_part=lambda done, total: progress("reading documents", done, total),
        )
        for sentence in documents.notes:
            note(sentence, quiet=quiet)
        for sentence in documents.problems:
            note(sentence)  # despite --quiet, because the exit code needs its reason
        classifier.set_params(runner=client)
        classifier.fit(documents.texts, progress=progress, checkpoint=checkpoint)
        totals = totals_on_cluster(classifier, documents.n_without_text)
        fitted = classifier.without_documents()
    if about_vectors := vectors_sentence(fitted):
        note(about_vectors, quiet=quiet)
    note_few(fitted, totals.labelable, quiet=quiet)
    return fitted, summed_up(totals, fitted, documents.unusable)


def _check_options(model: SeedTopicClassifier, confirmed: Sequence[str] | None, learn_on: bool) -> None:
    """Refuse what belongs to single documents, or keeps them, before any work."""
    given = {
        "--confirmed": bool(confirmed),
        "--learn-on": learn_on,
        "--vectors encoder": model.vectors == "encoder",
        "a rule about a column": bool(rule_columns(model)),
    }
    for what, there in given.items():
        if there:
            raise InputError(
                f"{what} belongs to single documents, and with --scheduler these stay on the cluster: leave "
                "one of the two out."
            )
