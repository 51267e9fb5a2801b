"""The commands that write labels: ``seedtopic label`` and ``seedtopic predict``."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray

from seedtopic.cli import options
from seedtopic.cli.confirmed import confirmed_column
from seedtopic.cli.console import note, result
from seedtopic.cli.drift import check_drift_output, drift_of, drift_values, report_drift
from seedtopic.cli.estimates import estimate_sentences, note_few
from seedtopic.cli.option_groups import (
    Counting,
    NewModel,
    SavedModel,
    Source,
    TrainingSource,
    require_classifier,
    rule_columns,
)
from seedtopic.cli.parts import checked_part, label_parts
from seedtopic.cli.steps import (
    fit,
    note_unknown,
    opened_checkpoint,
    refuse_to_overwrite,
    summary,
    where,
    write_labels,
)
from seedtopic.cli.tables import size_table
from seedtopic.cli.vectors import vectors_values
from seedtopic.documents import Documents
from seedtopic.documents.label_columns import Extras
from seedtopic.documents.labelable import Labelable
from seedtopic.documents.labelled_files import check_fits, check_output
from seedtopic.errors import InputError
from seedtopic.models import TextClassifier
from seedtopic.models.drift import Drift


def label(
    *,
    seeds: options.SeedsFile,
    output: options.LabelsFile = "-",
    confirmed: options.Confirmed = None,
    multi: options.Multi = False,
    min_probability: options.MinProbability = 0.0,
    safe_cells: options.SafeCells = False,
    per: options.PerOption = None,
    source: TrainingSource,
    id_field: options.IdField = None,
    new: NewModel,
    counting: Counting,
    checkpoint: options.CheckpointFolder = None,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> int:
    """Label documents from seed words in one step.

    Example:  seedtopic label tickets.csv --seeds seeds.toml -o labelled.csv
    """
    _check_labels_output(output, json)
    refuse_to_overwrite(output, source.docs)
    part = checked_part(per, multi=multi)
    progress_folder = opened_checkpoint(checkpoint, output)
    model = new.build(seeds, counting, strict=source.strict)
    classifier = require_classifier(model, "--multi") if multi else None
    documents = source.read(
        quiet=quiet, columns=rule_columns(model), label_field=confirmed_column(confirmed), id_field=id_field
    )
    check_fits(output, documents)
    fit(model, documents, quiet=quiet, confirmed=confirmed, checkpoint=progress_folder)
    several = classifier.named_labels(classifier.multi_transduction_) if classifier else None
    known = Labelable.by_words(model.has_words_)
    extras = Extras(model.paths(), model.none_of_these(), several, known, model.confirmed_)
    probabilities = model.label_distributions_
    note_few(model, int(model.has_words_.sum()), quiet=quiet)
    if part is None:
        write_labels(output, documents, model, probabilities, min_probability, extras, safe_cells=safe_cells)
        _sum_up(output, documents, model, probabilities, min_probability, extras, quiet, json, True)
    else:
        label_parts(
            output, documents, model, part, min_probability, safe_cells=safe_cells, quiet=quiet, as_json=json
        )
    if progress_folder is not None:
        progress_folder.clear()
    return documents.unusable


def predict(
    *,
    output: options.LabelsFile = "-",
    multi: options.Multi = False,
    min_probability: options.MinProbability = 0.0,
    safe_cells: options.SafeCells = False,
    per: options.PerOption = None,
    drift: Annotated[
        str | None,
        typer.Option(
            "--drift",
            metavar="FILE",
            help="The .json file to write a comparison with the documents of the fit to.",
        ),
    ] = None,
    saved: SavedModel,
    source: Source,
    id_field: options.IdField = None,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> int:
    """Label new documents with a fitted model.

    If the documents are not like those of the fit, a message says so.

    Example:  seedtopic predict model/ new.jsonl -o labelled.jsonl
    """
    _check_labels_output(output, json)
    refuse_to_overwrite(output, source.docs)
    part = checked_part(per, multi=multi, drift=drift is not None)
    if drift is not None:
        check_drift_output(drift, source.docs)
    model = saved.load()
    if multi:
        require_classifier(model, "--multi")
    documents = source.read(quiet=quiet, columns=rule_columns(model), id_field=id_field)
    if part is not None:
        label_parts(
            output, documents, model, part, min_probability, safe_cells=safe_cells, quiet=quiet, as_json=json
        )
        return documents.unusable
    check_fits(output, documents)
    probabilities, extras = model.predict_all(documents.texts, several=multi)
    compared = drift_of(model, documents, probabilities, extras)
    write_labels(output, documents, model, probabilities, min_probability, extras, safe_cells=safe_cells)
    _sum_up(output, documents, model, probabilities, min_probability, extras, quiet, json, False, compared)
    report_drift(compared, model, drift, quiet=quiet)
    return documents.unusable


def _check_labels_output(output: str, as_json: bool) -> None:
    if output == "-" and as_json:
        raise InputError(
            "standard output cannot hold both labels and --json: name a file for the labels with -o."
        )
    check_output(output)


def _sum_up(
    output: str,
    documents: Documents,
    model: TextClassifier,
    probabilities: NDArray[np.float64],
    min_probability: float,
    extras: Extras,
    quiet: bool,
    as_json: bool,
    fitted: bool,
    compared: Drift | None = None,
) -> None:
    values = summary(documents, model, probabilities, min_probability, extras)
    none_label = None if extras.none is None else extras.none.label
    note_unknown(values["without_known_word"], none_label, quiet=quiet)
    if min_probability > 0:
        note(
            f"{values['left_empty']:,} of {values['documents']:,} labels left empty, with a probability "
            f"below {min_probability:g}",
            quiet=quiet,
        )
    estimates = estimate_sentences(model, values, fitted=fitted)
    if output == "-":  # the labels themselves are on standard output: nothing may stand among them
        for sentence in estimates:
            note(sentence.removesuffix("."), quiet=quiet)
        return
    result(
        size_table(values),
        *estimates,
        f"labels written to {where(output)}",
        values={**values, **vectors_values(model), **drift_values(compared), "output": output},
        as_json=as_json,
        quiet=quiet,
    )
