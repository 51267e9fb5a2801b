"""The command that says which documents to check next: ``seedtopic next``."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import typer

from seedtopic.answers.resolve import CHECKED
from seedtopic.answers.sheet import Labelled, sheet_columns, sheet_rows
from seedtopic.base.wording import number_of
from seedtopic.cli import options
from seedtopic.cli.answers import Answered, names_of, refuse_to_lose
from seedtopic.cli.audit import check_sheet, labelled_documents
from seedtopic.cli.console import note, result
from seedtopic.cli.options import SavedModel, Source, rule_columns
from seedtopic.cli.steps import where, write_like_input
from seedtopic.model.drift import document_vectors
from seedtopic.quality.next import queue

N_NEXT = 50
WHY = "why"


def next_command(
    *,
    n: Annotated[int, typer.Option("-n", min=1, metavar="N", help="How many documents to check.")] = N_NEXT,
    output: Annotated[
        str,
        options.SheetFile,
    ] = "-",
    answered: Answered,
    safe_cells: options.SafeCells = False,
    fitted: options.Fitted = False,
    saved: SavedModel,
    source: Source,
    id_field: options.IdField = None,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> int:
    """Choose the documents whose labels you should check next, so that all labels improve fastest.

    They are uncertain, typical of many others, and unlike each other. Fill the column `checked` with the
    right category of each, or `none` if it belongs to none of them, and give the file to label or fit with
    --confirmed. Then run this command again with the new model and the same --confirmed.

    Example:  seedtopic next model/ tickets.csv -n 50 -o next.csv
    """
    check_sheet(output, source.docs, json)
    refuse_to_lose(output, source, answered)
    model = saved.load()
    documents = source.read(
        quiet=quiet, columns=rule_columns(model), label_field=answered.column, id_field=id_field
    )
    labelled, probabilities = labelled_documents(model, documents, fitted, quiet)
    answers = answered.collect(source, documents, names_of(model), quiet=quiet)
    checked = model.fitted_predictions().confirmed.copy() if fitted else np.zeros(len(documents), bool)
    checked[[*answers.answered, *answers.skipped]] = True
    known = checked[labelled.rows]
    vectors = document_vectors(model, documents.texts)[labelled.rows]
    found = queue(probabilities[labelled.rows], vectors, n, known=np.flatnonzero(known))
    why = [
        _why(labelled, *choice) for choice in zip(found.rows.tolist(), found.stands_for.tolist(), strict=True)
    ]
    rows = sheet_rows(documents, labelled, found.rows, **{WHY: why})
    columns, choices = sheet_columns(documents, WHY), {CHECKED: labelled.answers}
    write_like_input(output, rows, columns, documents, safe_cells=safe_cells, choices=choices)
    if len(found.rows) < n:
        left = f"{number_of(len(found.rows), 'document is', 'documents are')} left"
        note(f"only {left} to check: of the others the model is certain", quiet=quiet)
    if output != "-":
        result(
            f"{len(found.rows):,} of {len(labelled.labels):,} documents written to {where(output)}",
            f"fill the column {CHECKED!r}, then fit the model again with --confirmed {output}",
            values={"documents": len(labelled.labels), "to_check": len(found.rows), "output": output},
            as_json=json,
            quiet=quiet,
        )
    return documents.unusable


def _why(labelled: Labelled, place: int, stands_for: int) -> str:
    """Say in plain words why a document was chosen."""
    label, second = labelled.labels[place], labelled.runners_up[place]
    sure = f"{label} ({labelled.probabilities[place]:.0%} sure)" + (f" or {second}" if second else "")
    others = stands_for - 1
    if not others:
        return f"{sure}; unlike other uncertain documents"
    return f"{sure}; typical of about {number_of(others, 'other uncertain document')}"
