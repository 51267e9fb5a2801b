"""The command that checks labels by a sample: ``seedtopic audit``."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Annotated

import numpy as np
import typer

from seedtopic import model as models
from seedtopic.answers.resolved import Resolved
from seedtopic.answers.sheet import HOW, Sheet, SheetLabels
from seedtopic.base.errors import InputError
from seedtopic.base.wording import number_of
from seedtopic.cli import options, steps
from seedtopic.cli.answers import Answered
from seedtopic.cli.console import Terminal
from seedtopic.io.predictions import CHECKED, Predictions
from seedtopic.io.rows import Rows
from seedtopic.io.write import for_people, write_rows
from seedtopic.quality.audit import LEAST_CHECKS, Audit, BlindSample, draw, draws, names_of
from seedtopic.show.tables import audit_table

N_CHECKS = 50
CheckedSheets = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FILE",
        help="A file of audit with its column `checked` filled in; may be repeated for several people.",
    ),
]


def audit(
    *,
    n: Annotated[
        int | None,
        typer.Option(
            "-n", min=LEAST_CHECKS, metavar="N", help=f"How many documents to check (default: {N_CHECKS})."
        ),
    ] = None,
    output: Annotated[str | None, options.SheetFile] = None,
    checked: CheckedSheets = None,
    answers: options.AnswersFile = None,
    safe_cells: options.SafeCells = False,
    fitted: options.Fitted = False,
    seed: options.Seed = 0,
    saved: options.SavedModel,
    source: options.NamedSource,
    terminal: Terminal,
) -> int:
    """Estimate how good labels are from about fifty documents that you check.

    First write a sample with -o and fill its column `checked`: the right category of each document, or `none`
    if it belongs to none of them. Then give the file with --checked: the command adds your answers to those
    that are kept, and shows the accuracy, the precision of each category and the true shares of the
    categories, with 95 % intervals. Without either, it goes by the answers that are kept.

    Example:  seedtopic audit model/ tickets.csv -n 50 -o to-check.csv
    """
    answered = Answered(confirmed=checked, answers=answers)
    if output is not None and checked:
        raise InputError("write the documents to check with -o FILE, or read them with --checked FILE.")
    if output is None and n is not None:
        raise InputError("-n is for a new sample: write one with -o FILE.")
    if output is not None:
        check_sheet(output, source.docs, terminal)
    model = saved.load()
    documents = source.read(terminal, options.rule_columns(model))
    predictions = predictions_of(model, documents, fitted=fitted)
    if confirmed := int(predictions.confirmed.sum()):  # what a person has said needs no check
        have = number_of(confirmed, "document has", "documents have")
        terminal.note(f"{have} a label that a person gave, and no part in the audit")
    theirs = np.flatnonzero(~predictions.confirmed)
    labelled = labelled_documents(predictions[theirs], terminal)
    labelled = replace(labelled, rows=theirs[labelled.rows])
    if output is None:
        estimates, _ = audit_of(answered, source, documents, model, labelled, terminal)
        if estimates is None:
            raise InputError(
                "nobody has checked a sample of these labels: write the documents to check with -o FILE, and "
                "give the file that you have filled in with --checked FILE."
            )
        if estimates.checked == estimates.documents:
            terminal.note("all documents are checked: the shares are exact, not estimated")
        terminal.result(audit_table(estimates), values=estimates.as_dict())
    else:
        sample = draw(labelled.probabilities, N_CHECKS if n is None else n, random_state=seed)
        how = draws(labelled, sample, documents)
        sheet = Sheet.of(documents, labelled, sample.documents, **{HOW: how})
        if len(sample) == len(labelled.labels):
            terminal.note(f"the file contains all {len(sample):,} documents: nothing has to be estimated")
        then = f"run the same command with --checked {output} instead of -o"
        write_sheet(output, sheet, documents, labelled, then, terminal, safe_cells=safe_cells)
    return documents.unusable


def check_sheet(output: str, docs: str, terminal: Terminal) -> None:
    """Refuse a file for checks that cannot be written, or may be filled in already."""
    steps.check_table(output, docs, "documents", terminal)
    if output != "-" and os.path.isfile(output):
        raise InputError(f"{output} is there already and may be filled in: name another file with -o.")


def write_sheet(
    output: str,
    sheet: Sheet,
    documents: Rows,
    labelled: SheetLabels,
    then: str,
    terminal: Terminal,
    *,
    safe_cells: bool,
) -> None:
    """Write documents to check, and say what to do then; a spreadsheet offers the possible answers."""
    style, none = replace(documents.style, safe_cells=safe_cells), labelled.none_label is None
    style = for_people(style, sheet.columns, labelled.classes, none=none)
    with Terminal().warnings():
        write_rows(output, sheet.rows, sheet.columns, style)
    if output != "-":
        n_checks, n_documents = len(sheet.rows), len(labelled.labels)
        terminal.result(
            f"{n_checks:,} of {n_documents:,} documents written to {steps.where(output)}",
            f"fill the column {CHECKED!r}, then {then}",
            values={"documents": n_documents, "to_check": n_checks, "output": output},
        )


def labelled_documents(predictions: Predictions, terminal: Terminal) -> SheetLabels:
    """Return the documents that have a label."""
    labelled = SheetLabels.of(predictions)
    if without := len(predictions) - len(labelled.labels):
        left_out = f"{without:,} of {len(predictions):,} documents have no label and are left out"
        terminal.note(f"{left_out}: they have no text, or no known word")
    return labelled


def predictions_of(model: models.SeedClassifier, documents: Rows, *, fitted: bool) -> Predictions:
    """Return what is said of documents: by the fit, or by the model as of new ones."""
    predictions = model.fitted_predictions(documents.texts) if fitted else model.predict_all(documents.texts)
    return predictions.with_texts(documents.has_text)


def audit_of(
    answered: Answered,
    source: options.Source,
    documents: Rows,
    model: models.SeedClassifier,
    labelled: SheetLabels,
    terminal: Terminal,
) -> tuple[Audit | None, Resolved]:
    """Take in sheets that were filled in; tell how good labels are, None without checks, and all answers."""
    names = names_of(model)
    ledger, answers = answered.collect(source, documents, names, terminal)
    sample = BlindSample.newest(ledger, names)
    if sample is None:
        if answered.files:
            raise InputError(
                f"{answered.files[0]} is no sheet of audit, or no row of it can be used: give the file that "
                "audit has written, with all columns."
            )
        return None, answers
    estimates = sample.audit(labelled, documents)
    if estimates is None:
        sentence = f"the sample that was checked on {sample.at[:10]} is of other labels"
        if answered.files:
            raise InputError(
                f"{sentence}: give the model, the documents and the options with which it was written."
            )
        terminal.note(f"{sentence}, and not used here; seedtopic audit -o FILE draws a new one")
    return estimates, answers
