"""The command that checks labels by a sample: ``seedtopic audit``."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

from seedtopic.answers.resolve import CHECKED
from seedtopic.answers.sheet import SheetLabels, sheet_columns, sheet_rows
from seedtopic.base.errors import InputError
from seedtopic.cli import options
from seedtopic.cli.console import Terminal
from seedtopic.cli.options import NamedSource, SavedModel, rule_columns
from seedtopic.cli.steps import check_table, where, write_like_input
from seedtopic.io.predictions import Predictions
from seedtopic.io.rows import Rows
from seedtopic.quality.audit import LEAST_CHECKS, STRATUM, Audit, draw, estimate, read_checked
from seedtopic.show.tables import audit_table

if TYPE_CHECKING:  # scikit-learn takes long to import
    from seedtopic.model import SeedClassifier

N_CHECKS = 50


def audit(
    *,
    n: Annotated[
        int | None,
        typer.Option(
            "-n", min=LEAST_CHECKS, metavar="N", help=f"How many documents to check (default: {N_CHECKS})."
        ),
    ] = None,
    output: Annotated[str | None, options.SheetFile] = None,
    checked: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="The file with its column `checked` filled in: show the estimates."
        ),
    ] = None,
    safe_cells: options.SafeCells = False,
    fitted: options.Fitted = False,
    seed: options.Seed = 0,
    saved: SavedModel,
    source: NamedSource,
    terminal: Terminal,
) -> int:
    """Estimate how good labels are from about fifty documents that you check.

    First write a sample with -o and fill its column `checked`: the right category of each document, or `none`
    if it belongs to none of them. Then give the file with --checked: the command shows the accuracy, the
    precision of each category and the true shares of the categories, with 95 % intervals.

    Example:  seedtopic audit model/ tickets.csv -n 50 -o to-check.csv
    """
    if (output is None) == (checked is None):
        raise InputError("write the documents to check with -o FILE, or read them with --checked FILE.")
    if checked is not None and n is not None:
        raise InputError("-n is for a new sample: leave it out with --checked.")
    if output is not None:
        check_sheet(output, source.docs, terminal)
    model = saved.load()
    documents = source.read(terminal, rule_columns(model))
    labelled, _ = labelled_documents(model, documents, terminal, fitted=fitted)
    if checked is not None:
        estimates = audit_of(checked, labelled, terminal)
        if estimates.checked == estimates.documents:
            terminal.note("all documents are checked: the shares are exact, not estimated")
        terminal.result(audit_table(estimates), values=estimates.as_dict())
    elif output is not None:
        sample = draw(labelled.probabilities, N_CHECKS if n is None else n, random_state=seed)
        rows = sheet_rows(documents, labelled, sample.documents, **{STRATUM: sample.strata.tolist()})
        columns = sheet_columns(documents, STRATUM)
        write_sheet(output, rows, columns, documents, labelled, safe_cells=safe_cells)
        n_checks, n_documents = len(sample), len(labelled.labels)
        if n_checks == n_documents:
            terminal.note(f"the file contains all {n_checks:,} documents: nothing has to be estimated")
        if output != "-":
            then = f"then run the same command with --checked {output} instead of -o"
            terminal.result(
                f"{n_checks:,} of {n_documents:,} documents written to {where(output)}",
                f"fill the column {CHECKED!r}, {then}",
                values={"documents": n_documents, "to_check": n_checks, "output": output},
            )
    return documents.unusable


def check_sheet(output: str, docs: str, terminal: Terminal) -> None:
    """Refuse a file for checks that cannot be written, or may be filled in already."""
    check_table(output, docs, "documents", terminal)
    if output != "-" and os.path.isfile(output):
        raise InputError(f"{output} is there already and may be filled in: name another file with -o.")


def write_sheet(
    output: str,
    rows: Iterable[Mapping[str, Any]],
    columns: Sequence[str],
    documents: Rows,
    labelled: SheetLabels,
    *,
    safe_cells: bool,
) -> None:
    """Write documents to check; a spreadsheet offers the possible answers."""
    choices = {CHECKED: labelled.answers}
    write_like_input(output, rows, columns, documents, safe_cells=safe_cells, choices=choices)


def labelled_documents(
    model: SeedClassifier, documents: Rows, terminal: Terminal, *, fitted: bool
) -> tuple[SheetLabels, NDArray[np.float64]]:
    """Return the documents that have a label, and the label distributions of all."""
    predictions = predictions_of(model, documents, fitted=fitted)
    labelled = SheetLabels.of(predictions)
    if without := len(documents) - len(labelled.labels):
        left_out = f"{without:,} of {len(documents):,} documents have no label and are left out"
        terminal.note(f"{left_out}: they have no text, or no known word")
    return labelled, predictions.probabilities


def predictions_of(model: SeedClassifier, documents: Rows, *, fitted: bool) -> Predictions:
    """Return what is said of documents: by the fit, or by the model as of new ones."""
    predictions = model.fitted_predictions(len(documents)) if fitted else model.predict_all(documents.texts)
    return predictions.with_texts(documents.has_text)


def audit_of(path: str, labelled: SheetLabels, terminal: Terminal) -> Audit:
    """Read a file that was filled in, and estimate from it how good labels are."""
    checked, left_empty = read_checked(path, labelled)
    if left_empty:
        rows = left_empty + len(checked)
        terminal.note(
            f"{left_empty:,} of {rows:,} documents are not checked: the others are taken for a random part "
            "of the sample; without the difficult ones, the estimates are too high"
        )
    return estimate(labelled.labels, labelled.probabilities, checked, labelled.classes, labelled.none_label)
