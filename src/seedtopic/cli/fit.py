"""The commands that write models: ``seedtopic fit`` and ``seedtopic update``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from seedtopic.base.checkpoint import CheckpointFolder
from seedtopic.base.errors import InputError
from seedtopic.cli import options
from seedtopic.cli.answers import Answered, names_of
from seedtopic.cli.console import note, progress_bars, result, warnings_as_notes
from seedtopic.cli.options import (
    Counting,
    NewModel,
    SavedModel,
    Source,
    TrainingSource,
    require_classifier,
    rule_columns,
)
from seedtopic.cli.steps import (
    estimate_sentences,
    fit,
    note_few,
    note_unknown,
    opened_checkpoint,
    saying_where,
    summed_up,
    vectors_sentence,
    vectors_values,
    where,
)
from seedtopic.cluster.client import connected
from seedtopic.cluster.engine import DaskEngine
from seedtopic.cluster.files import read_on_cluster
from seedtopic.io.rows import Rows, checked_source
from seedtopic.model import SeedClassifier, SeedTopicClassifier
from seedtopic.model.folder import check_model_folder
from seedtopic.model.label_pieces import summary_on_cluster
from seedtopic.show.tables import size_table


def fit_command(
    *,
    seeds: options.SeedsFile,
    output: options.NewModelFolder,
    answered: Answered,
    learn_on: options.LearnOn = False,
    source: TrainingSource,
    new: NewModel,
    counting: Counting,
    checkpoint: options.CheckpointFolder = None,
    scheduler: options.Scheduler = None,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> int:
    """Fit a model to documents and seed words, and save it for predict, evaluate, explain, report and serve.

    With --scheduler, the workers of a Dask cluster read the documents and learn from them. The labels are the
    same; the model then knows nothing of single documents, so that predict labels them.

    Example:  seedtopic fit tickets.csv --seeds seeds.toml -o model/

    Example:  seedtopic fit 'in/part-?.parquet' --seeds seeds.toml -o model/ --scheduler tcp://10.0.0.5:8786
    """
    check_model_folder(Path(output))
    progress_folder = opened_checkpoint(checkpoint, output)
    model = new.build(seeds, counting, strict=source.strict)
    if scheduler is not None:
        classifier, values = fitted_on_cluster(
            model,
            source,
            scheduler,
            confirmed=answered.confirmed,
            learn_on=learn_on,
            checkpoint=progress_folder,
            quiet=quiet,
        )
        _save_and_sum_up(output, classifier, values, quiet=quiet, as_json=json)
        _clear(progress_folder)
        return int(values["unusable"])
    documents = source.read(
        quiet=quiet,
        columns=rule_columns(model),
        label_field=answered.column,
        max_memory=counting.max_memory,
    )
    answers = answered.collect(source, documents, names_of(model), quiet=quiet)
    fit(model, documents, quiet=quiet, answers=answers, learn_on=learn_on, checkpoint=progress_folder)
    note_few(model, int(model.has_words_.sum()), quiet=quiet)
    _save_and_sum_up(output, model, _fitted_values(model, documents), quiet=quiet, as_json=json)
    _clear(progress_folder)
    return documents.unusable


def update(
    *,
    output: options.UpdatedModelFolder = None,
    answered: Answered,
    seed: options.Seed = 0,
    saved: SavedModel,
    source: Source,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> int:
    """Continue training on new documents; the model must have been fitted with --learn-on.

    Example:  seedtopic update model/ new-tickets.csv
    """
    folder = output or saved.model
    check_model_folder(Path(folder))
    model = saved.load_with_seeds()
    model.set_params(random_state=seed)
    documents = source.read(quiet=quiet, columns=rule_columns(model), label_field=answered.column)
    answers = answered.collect(source, documents, names_of(model), quiet=quiet)
    fit(model, documents, quiet=quiet, answers=answers, learn_on=True)
    _save_and_sum_up(folder, model, _fitted_values(model, documents), quiet=quiet, as_json=json)
    return documents.unusable


def _fitted_values(model: SeedClassifier, documents: Rows) -> dict[str, Any]:
    predictions = model.fitted_predictions(len(documents)).with_texts(documents.has_text)
    return summed_up(predictions.summary(), model, documents.unusable)


def _save_and_sum_up(
    folder: str, model: SeedClassifier, values: dict[str, Any], *, quiet: bool, as_json: bool
) -> None:
    model.save(folder)
    note_unknown(values["without_known_word"], model.none_label, quiet=quiet)
    result(
        size_table(values),
        *estimate_sentences(model, values, fitted=len(model.has_words_) > 0),
        f"model written to {where(folder)}",
        values={**values, **vectors_values(model), "model": folder},
        as_json=as_json,
        quiet=quiet,
    )


def _clear(progress_folder: CheckpointFolder | None) -> None:
    """Remove a checkpoint once the model is saved."""
    if progress_folder is not None:
        progress_folder.clear()


def fitted_on_cluster(
    model: SeedClassifier,
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
        summary = summary_on_cluster(classifier, documents.n_without_text)
        fitted = classifier.without_documents()
    if about_vectors := vectors_sentence(fitted):
        note(about_vectors, quiet=quiet)
    note_few(fitted, summary.labelable, quiet=quiet)
    return fitted, summed_up(summary, fitted, documents.unusable)


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
