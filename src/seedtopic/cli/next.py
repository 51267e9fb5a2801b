"""The command that says which documents to check next: ``seedtopic next``."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import typer

from seedtopic.answers.sheet import Sheet, SheetLabels
from seedtopic.base.wording import listed, number_of
from seedtopic.cli import options
from seedtopic.cli.answers import Answered
from seedtopic.cli.audit import check_sheet, labelled_documents, predictions_of, write_sheet
from seedtopic.cli.console import Terminal
from seedtopic.model.drift import document_vectors
from seedtopic.quality.audit import names_of
from seedtopic.quality.next import queue
from seedtopic.seeds.names import written

WHY = "why"


def next_command(
    *,
    n: Annotated[int, typer.Option("-n", min=1, metavar="N", help="How many documents to check.")] = 50,
    disputed: Annotated[
        bool,
        typer.Option(
            "--disputed",
            help="Choose the documents on which people disagree, the most disputed first; `why` tells who "
            "says what.",
        ),
    ] = False,
    output: Annotated[str, options.SheetFile] = "-",
    answered: Answered,
    safe_cells: options.SafeCells = False,
    fitted: options.Fitted = False,
    saved: options.SavedModel,
    source: options.NamedSource,
    terminal: Terminal,
) -> int:
    """Choose the documents whose labels you should check next, so that all labels improve fastest.

    They are uncertain, typical of many others, and unlike each other. Fill the column `checked` with the
    right category of each, or `none` if it belongs to none of them, and give the file to label or fit with
    --confirmed. Then run this command again with the new model and the same --confirmed.

    With --disputed it chooses those about which several people have said different things.

    Example:  seedtopic next model/ tickets.csv -n 50 -o next.csv
    """
    check_sheet(output, source.docs, terminal)
    model = saved.load()
    documents = source.read(terminal, options.rule_columns(model), label_field=answered.column)
    predictions = predictions_of(model, documents, fitted=fitted)
    labelled, probabilities = labelled_documents(predictions, terminal), predictions.probabilities
    checked = predictions.confirmed.copy()  # which documents a person has looked at
    _, answers = answered.collect(source, documents, names_of(model), terminal)
    checked[[*answers.answered, *answers.skipped]] = True
    if disputed:
        place_of = {row: place for place, row in enumerate(labelled.rows.tolist())}
        disputes = {row: says for row, says in answers.disputes.items() if row in place_of}
        places = [place_of[row] for row in disputes][:n]
        why = [
            "; ".join(f"{listed(people)}: {written(label)}" for label, people in says.items())
            for says in disputes.values()
        ]
        if not places:
            terminal.note("people agree on all documents")
    else:
        vectors = document_vectors(model, documents.texts)[labelled.rows]
        known = np.flatnonzero(checked[labelled.rows])
        chosen = queue(probabilities[labelled.rows], vectors, n, known=known)
        places = chosen.rows.tolist()
        why = [_why(labelled, *choice) for choice in zip(places, chosen.stands_for.tolist(), strict=True)]
    sheet = Sheet.of(documents, labelled, np.array(places, dtype=np.intp), **{WHY: why})
    if len(places) < n and not disputed:
        left = f"{number_of(len(places), 'document is', 'documents are')} left"
        terminal.note(f"only {left} to check: of the others the model is certain")
    then = f"fit the model again with --confirmed {output}"
    write_sheet(output, sheet, documents, labelled, then, terminal, safe_cells=safe_cells)
    return documents.unusable


def _why(labelled: SheetLabels, place: int, stands_for: int) -> str:
    """Say in plain words why a document was chosen."""
    label, second = labelled.labels[place], labelled.runners_up[place]
    sure = f"{label} ({labelled.probabilities[place]:.0%} sure)" + (f" or {second}" if second else "")
    if stands_for == 1:
        return f"{sure}; unlike other uncertain documents"
    return f"{sure}; typical of about {number_of(stands_for - 1, 'other uncertain document')}"
