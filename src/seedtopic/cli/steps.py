"""The steps that several commands take: fit, write the labels, sum them up."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedtopic.base.checkpoint import CheckpointFolder
from seedtopic.base.errors import ConfirmedWarning, InputError
from seedtopic.cli.confirmed import confirmed_labels
from seedtopic.cli.console import note, progress_bars, warnings_as_notes
from seedtopic.cli.estimates import estimate_values
from seedtopic.cli.vectors import vectors_sentence
from seedtopic.documents import Documents
from seedtopic.documents.confirmed_labels import NONE_OF_THESE
from seedtopic.documents.label_columns import NO_EXTRAS, Extras, added_columns
from seedtopic.documents.labelable import Labelable
from seedtopic.documents.labelled_files import labelled_rows, write_rows
from seedtopic.documents.lines import matched_files
from seedtopic.models import SeedModel, SeedTopicClassifier, TextClassifier
from seedtopic.models.labelling.totals import Totals
from seedtopic.models.suspects import SuspectLabel, suspects_sentence
from seedtopic.seeds import Seeds


def refuse_to_overwrite(output: str | None, docs: str) -> None:
    """Refuse an output file that holds the documents."""
    if output is None or output == "-" or not os.path.exists(output):
        return
    for file in matched_files(Path(docs)) or [Path(docs)]:
        if file.exists() and os.path.samefile(file, output):
            raise InputError(
                f"{output} contains the documents and would be overwritten: name another file with -o."
            )


def fit(
    model: SeedModel,
    documents: Documents,
    *,
    quiet: bool,
    confirmed: Sequence[str] | None = None,
    learn_on: bool = False,
    checkpoint: CheckpointFolder | None = None,
) -> None:
    """Fit a model, showing progress and warnings.

    Labels that were read are used only if the user said that they are confirmed.
    """
    labels: list[str] | None = None
    if confirmed:
        said = confirmed_labels(documents, confirmed, Seeds.of(model.seeds or {}).names, quiet=quiet)
        labels = ["" if label == NONE_OF_THESE else label for label in said]
    learn = model.partial_fit if learn_on else model.fit
    with saying_where(checkpoint), warnings_as_notes(quiet=quiet), progress_bars(quiet=quiet) as progress:
        warnings.simplefilter("ignore", ConfirmedWarning)  # said below, by the ids of the documents
        learn(documents.texts, labels, progress=progress, checkpoint=checkpoint)
    if sentence := vectors_sentence(model):
        note(sentence, quiet=quiet)
    if isinstance(model, SeedTopicClassifier):
        _note_suspects(model.suspect_confirmed_, documents, quiet=quiet)


def _note_suspects(found: Sequence[SuspectLabel], documents: Documents, *, quiet: bool) -> None:
    """Name confirmed labels that look wrong by the ids of their documents, or by their rows."""
    wanted = {suspect.row for suspect in found}
    ids = {row: own for row, own in enumerate(documents.ids or ()) if row in wanted} if wanted else {}
    sentence = suspects_sentence(found, lambda row: f"document {ids[row]}" if row in ids else f"row {row}")
    if sentence is not None:
        note(sentence.removesuffix("."), quiet=quiet)


def opened_checkpoint(folder: str | None, output: str) -> CheckpointFolder | None:
    """Open a checkpoint, and refuse a folder where there can be none."""
    if folder is None:
        return None
    if Path(folder).resolve() == Path(output).resolve():
        raise InputError(f"{folder} is both the output and the checkpoint: give the checkpoint another name.")
    checkpoint = CheckpointFolder(folder)
    checkpoint.check_place()
    return checkpoint


@contextmanager
def saying_where(checkpoint: CheckpointFolder | None) -> Iterator[None]:
    """Say where the progress was saved if the user interrupts the command."""
    try:
        yield
    except KeyboardInterrupt:
        if checkpoint is None or not checkpoint.path.exists():
            raise
        raise KeyboardInterrupt(
            f"interrupted; the progress is saved in {checkpoint.path}: run the same command to continue."
        ) from None


def write_labels(
    path: str,
    documents: Documents,
    model: TextClassifier,
    probabilities: NDArray[np.float64],
    min_probability: float = 0.0,
    extras: Extras = NO_EXTRAS,
    *,
    safe_cells: bool = False,
) -> None:
    """Write every document with its label, in the order of the input."""
    columns = [*documents.columns, *added_columns(documents.columns, extras.columns)]
    classes = model.classes_.tolist()
    rows = labelled_rows(documents, classes, probabilities, min_probability, extras.fit_for(path))
    write_like_input(path, rows, columns, documents, safe_cells=safe_cells)


def write_like_input(
    path: str,
    rows: Iterable[Mapping[str, Any]],
    columns: Sequence[str],
    documents: Documents,
    *,
    safe_cells: bool,
    choices: Mapping[str, Sequence[str]] | None = None,
) -> None:
    """Write rows in the style of the documents' own file; what could not be kept is said despite --quiet."""
    style = replace(documents.style, safe_cells=safe_cells, choices=choices or {})
    with warnings_as_notes():
        write_rows(path, rows, columns, style)


def summary(
    documents: Documents,
    model: TextClassifier,
    probabilities: NDArray[np.float64],
    min_probability: float = 0.0,
    extras: Extras = NO_EXTRAS,
) -> dict[str, Any]:
    """Sum up labelled documents, see `summed_up`."""
    totals = Totals.of(probabilities, extras.with_texts(documents.has_text), min_probability)
    return summed_up(totals, model, documents.unusable, min_probability)


def summed_up(
    totals: Totals, model: TextClassifier, unusable: int, min_probability: float = 0.0
) -> dict[str, Any]:
    """Give the documents that can be labelled, in all and in each category, and those that cannot.

    Where the model can tell how many labels are right, that is told, too.
    """
    names, none = [str(name) for name in model.classes_], model.none_of_these()
    names += [] if none is None else [none.label]
    values: dict[str, Any] = {
        "documents": totals.labelable,
        "unusable": unusable,
        "without_text": totals.without_text,
        "without_known_word": totals.without_known_word,
        "categories": dict(zip(names, totals.sizes.tolist(), strict=False)),
        **estimate_values(model, totals.estimate(model)),
    }
    if min_probability > 0:
        values["left_empty"] = totals.left_empty
    return values


def unlabelable(found: Labelable | None) -> dict[str, int]:
    """Count what has no label, by its reason."""
    return {
        "without_text": 0 if found is None else found.without_text,
        "without_known_word": 0 if found is None else found.without_known_word,
    }


def note_unknown(count: int, none_label: str | None, *, quiet: bool) -> None:
    """Say how many documents contain no known word; the reader has named those without a text."""
    if count:
        contain, have = ("document contains", "has") if count == 1 else ("documents contain", "have")
        label = "no label" if none_label is None else f"the label {none_label!r}"
        note(f"{count:,} {contain} no known word and {have} {label}", quiet=quiet)


def where(output: str | Path) -> str:
    """Name the place of a written file or folder in full."""
    return str(Path(output).resolve())
