"""The commands that write models: ``seedtopic fit`` and ``seedtopic update``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from seedtopic import model as models
from seedtopic.answers.ledger import Answers
from seedtopic.base.errors import InputError
from seedtopic.base.files import held
from seedtopic.cli import options, steps
from seedtopic.cli.answers import Answered
from seedtopic.cli.console import Terminal
from seedtopic.cluster.client import connected
from seedtopic.cluster.engine import DaskEngine
from seedtopic.cluster.files import read_on_cluster
from seedtopic.io.rows import Rows, checked_source
from seedtopic.model.folder import check_model_folder
from seedtopic.model.label_pieces import summary_on_cluster
from seedtopic.quality.audit import measured, names_of
from seedtopic.show.tables import size_table


def fit_command(
    *,
    seeds: options.SeedsFile,
    output: Annotated[str, options.output("The model folder to write.", "FOLDER")],
    answered: Answered,
    learn_on: Annotated[
        bool,
        typer.Option(
            "--learn-on", help="Keep word counts in the model, so that update can continue training."
        ),
    ] = False,
    source: options.TrainingSource,
    new: options.NewModel,
    counting: options.Counting,
    checkpoint: options.Checkpoint = None,
    scheduler: options.Scheduler = None,
    terminal: Terminal,
) -> int:
    """Fit a model to documents and seed words, and save it for predict, evaluate, explain, report and serve.

    With --scheduler, the workers of a Dask cluster read the documents and learn from them. The labels are the
    same; the model then knows nothing of single documents, so that predict labels them.

    Example:  seedtopic fit tickets.csv --seeds seeds.toml -o model/

    Example:  seedtopic fit 'in/part-?.parquet' --seeds seeds.toml -o model/ --scheduler tcp://10.0.0.5:8786
    """
    check_model_folder(Path(output))
    progress_folder = steps.opened_checkpoint(checkpoint, output)
    model = new.build(seeds, counting, strict=source.strict)
    if scheduler is not None:
        classifier = options.require_classifier(model, "--scheduler")
        of_documents = {  # what belongs to single documents, or keeps them
            "--confirmed": bool(answered.confirmed),
            "--learn-on": learn_on,
            "--vectors encoder": isinstance(classifier.vectors, str) and classifier.vectors == "encoder",
            "--vectors FILE.npy": isinstance(classifier.vectors, np.ndarray),
            "a rule about a column": bool(options.rule_columns(classifier)),
        }
        for what, is_there in of_documents.items():
            if is_there:
                raise InputError(
                    f"{what} belongs to single documents, and with --scheduler these stay on the cluster: "
                    "leave one of the two out."
                )
        place = checked_source(source.docs, source.format, source.encoding, source.sheet)
        with (
            connected(scheduler) as client,
            steps.saying_where(progress_folder),
            terminal.warnings(),
            terminal.progress() as progress,
        ):
            there = read_on_cluster(
                DaskEngine(client),
                place,
                text_field=source.text_field,
                strict=source.strict,
                on_part=lambda done, total: progress("reading documents", done, total),
            )
            options.show_report(terminal, there)
            classifier.set_params(runner=client)
            classifier.fit(there.texts, progress=progress, checkpoint=progress_folder)
            summary = summary_on_cluster(classifier, there.n_without_text)
            model = classifier.without_documents()
        if about_vectors := steps.vectors_sentence(model):
            terminal.note(about_vectors)
        steps.note_few(model, summary.labelable, terminal)
        values = steps.summed_up(summary, model, there.unusable)
    else:
        own, most = answered.column, counting.max_memory
        documents = source.read(terminal, options.rule_columns(model), label_field=own, max_memory=most)
        ledger, answers = answered.collect(source, documents, names_of(model), terminal)
        steps.fit(model, documents, terminal, answers=answers, learn_on=learn_on, checkpoint=progress_folder)
        steps.note_few(model, int(model.has_words_.sum()), terminal)
        values = _fitted_values(model, documents, ledger)
    _save_and_sum_up(output, model, values, terminal)
    if progress_folder is not None:
        progress_folder.clear()
    return int(values["unusable"])


def update(
    *,
    output: Annotated[
        str | None, options.output("The model folder to write (default: MODEL).", "FOLDER")
    ] = None,
    answered: Answered,
    seed: options.Seed = 0,
    saved: options.SavedModel,
    source: options.Source,
    terminal: Terminal,
) -> int:
    """Continue training on new documents; the model must have been fitted with --learn-on.

    Example:  seedtopic update model/ new-tickets.csv
    """
    folder = output or saved.model
    check_model_folder(Path(folder))
    with held(Path(folder)):  # from before it is read until it is replaced
        model = saved.load_with_seeds()
        model.set_params(random_state=seed)
        documents = source.read(terminal, options.rule_columns(model), label_field=answered.column)
        ledger, answers = answered.collect(source, documents, names_of(model), terminal)
        steps.fit(model, documents, terminal, answers=answers, learn_on=True)
        _save_and_sum_up(folder, model, _fitted_values(model, documents, ledger), terminal)
        return documents.unusable


def _fitted_values(model: models.SeedClassifier, documents: Rows, ledger: Answers) -> dict[str, Any]:
    predictions = model.fitted_predictions(len(documents)).with_texts(documents.has_text)
    sample = measured(ledger, names_of(model))
    return steps.summed_up(predictions.summary(), model, documents.unusable, measured=sample)


def _save_and_sum_up(
    folder: str, model: models.SeedClassifier, values: dict[str, Any], terminal: Terminal
) -> None:
    model.save(folder)
    steps.note_unknown(values["without_known_word"], model.none_label, terminal)
    terminal.result(
        size_table(values),
        *steps.estimate_sentences(model, values, fitted=len(model.has_words_) > 0),
        f"model written to {steps.where(folder)}",
        values={**values, **steps.vectors_values(model), "model": folder},
    )
