"""The steps that several commands take: fit, write the labels, sum them up."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from seedtopic.answers.resolve import NONE_OF_THESE
from seedtopic.base import json as strict_json
from seedtopic.base.checkpoint import CheckpointFolder
from seedtopic.base.errors import ConfirmedWarning, InputError, MissingExtraError
from seedtopic.base.files import atomic_file, check_place
from seedtopic.cli.answers import confirmed_labels
from seedtopic.cli.console import note, progress_bars, warnings_as_notes
from seedtopic.io.predictions import Predictions, Summary
from seedtopic.io.rows import Rows
from seedtopic.io.source import matched_files
from seedtopic.io.write import write_predictions, write_rows
from seedtopic.knowledge.encoders import sentence_encoder
from seedtopic.model import SeedClassifier, SeedTopicClassifier
from seedtopic.model.doubts import SuspectLabel, label_issues_sentence
from seedtopic.model.drift import LEAST, Drift, Fitted, LabelStatistics, drift, drift_sentence
from seedtopic.model.estimates import (
    Estimate,
    accuracy_sentence,
    few_sentence,
    remedy_sentence,
    tells_reliability,
)
from seedtopic.model.stages.documents import WordSpace
from seedtopic.model.stages.meaning import Meaning
from seedtopic.model.vectors import share_with_vectors
from seedtopic.seeds import Seeds


def estimate_values(model: SeedClassifier, found: Estimate | None) -> dict[str, Any]:
    """Return estimates as values for JSON; nothing for a model that has none."""
    if found is None:
        return {}
    names = map(str, model.classes_)
    return {
        "estimated_accuracy": found.accuracy,
        "estimated_precisions": dict(zip(names, found.precisions, strict=True)),
    }


def estimate_sentences(model: SeedClassifier, values: Mapping[str, Any], *, fitted: bool) -> list[str]:
    """Say how many labels are right and, if few, what to do; the doubts of a fit were told as a warning."""
    if "estimated_accuracy" not in values or not tells_reliability(model):
        return []
    accuracy, precisions = values["estimated_accuracy"], values["estimated_precisions"].values()
    doubts = model.doubts_ if fitted else ()
    remedy = remedy_sentence(accuracy, precisions, model.seeds_.categories.items(), doubts)
    return [accuracy_sentence(accuracy), *([] if remedy is None else [remedy])]


def note_few(model: SeedClassifier, n_documents: int, *, quiet: bool) -> None:
    """Say that a fit had few documents to learn from, if so."""
    if sentence := few_sentence(model, n_documents):
        note(sentence.removesuffix("."), quiet=quiet)


OTHER_LANGUAGES = "--vectors encoder knows 16 languages"


def vectors_sentence(model: SeedClassifier) -> str | None:
    """Return which vectors a fit used; None for a model that uses none."""
    if not isinstance(model, SeedTopicClassifier):
        return None
    share = known_words(model)
    if share is None:
        return f"vectors: {model.vectors_ or 'none'}"
    if model.vectors_ is None:
        return f"vectors: none, because the English ones know only {share:.0%} of the words; {_advice()}"
    return f"vectors: {model.vectors_}, which know {share:.0%} of the words"


def vectors_values(model: SeedClassifier) -> dict[str, Any]:
    """Return the same as values for JSON."""
    if not isinstance(model, SeedTopicClassifier):
        return {}
    return {"vectors": model.vectors_, "words_with_vectors": known_words(model)}


def known_words(model: SeedTopicClassifier) -> float | None:
    """Give the share of the words of the fit that have vectors, or would have if the English ones were used.

    None where words were not asked about: with an encoder, or without vectors.
    """
    meaning = model.fitted_.get(Meaning)
    if (model.vectors is None) if meaning is None else bool(meaning.n_encoded):
        return None
    return share_with_vectors(meaning, model.vocabulary_, model.fitted_[WordSpace])


def _advice() -> str:
    try:
        sentence_encoder()
    except MissingExtraError:
        return f"{OTHER_LANGUAGES} (pip install 'seedtopic[encoder]')"
    return OTHER_LANGUAGES


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
    model: SeedClassifier,
    documents: Rows,
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


def _note_suspects(found: Sequence[SuspectLabel], documents: Rows, *, quiet: bool) -> None:
    """Name confirmed labels that look wrong by the ids of their documents, or by their rows."""
    wanted = {suspect.row for suspect in found}
    ids = {row: own for row, own in enumerate(documents.ids or ()) if row in wanted} if wanted else {}
    sentence = label_issues_sentence(
        found, lambda row: f"document {ids[row]}" if row in ids else f"row {row}"
    )
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
    """Yield where the progress was saved if the user interrupts the command."""
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
    documents: Rows,
    predictions: Predictions,
    min_probability: float = 0.0,
    *,
    safe_cells: bool = False,
) -> None:
    """Write every document with its label, in the order of the input."""
    with warnings_as_notes():
        style = replace(documents.style, safe_cells=safe_cells)
        write_predictions(path, documents, predictions, min_probability, style)


def write_like_input(
    path: str,
    rows: Iterable[Mapping[str, Any]],
    columns: Sequence[str],
    documents: Rows,
    *,
    safe_cells: bool,
    choices: Mapping[str, Sequence[str]] | None = None,
) -> None:
    """Write rows in the style of the documents' own file; what could not be kept is said despite --quiet."""
    style = replace(documents.style, safe_cells=safe_cells, choices=choices or {})
    with warnings_as_notes():
        write_rows(path, rows, columns, style)


def summed_up(
    summary: Summary, model: SeedClassifier, unusable: int, min_probability: float = 0.0
) -> dict[str, Any]:
    """Return the documents that can be labelled, in all and in each category, and those that cannot.

    Where the model can tell how many labels are right, that is told, too.
    """
    names = map(str, model.fitted_.labels)
    values: dict[str, Any] = {
        "documents": summary.labelable,
        "unusable": unusable,
        "without_text": summary.without_text,
        "without_known_word": summary.without_known_word,
        "categories": dict(zip(names, summary.sizes.tolist(), strict=False)),
        **estimate_values(model, Estimate.of(model, summary)),
    }
    if min_probability > 0:
        values["left_empty"] = summary.left_empty
    return values


def note_unknown(count: int, none_label: str | None, *, quiet: bool) -> None:
    """Return how many documents contain no known word; the reader has named those without a text."""
    if count:
        contain, have = ("document contains", "has") if count == 1 else ("documents contain", "have")
        label = "no label" if none_label is None else f"the label {none_label!r}"
        note(f"{count:,} {contain} no known word and {have} {label}", quiet=quiet)


def where(output: str | Path) -> str:
    """Name the place of a written file or folder in full."""
    return str(Path(output).resolve())


def check_drift_output(path: str, docs: str) -> None:
    """Refuse a file that cannot be written, before the work starts."""
    if Path(path).suffix.lower() != ".json":
        raise InputError(f"--drift is {path}: name a .json file.")
    refuse_to_overwrite(path, docs)
    check_place(Path(path), "drift.json")


def drift_of(model: SeedClassifier, seen: LabelStatistics) -> Drift | None:
    """Compare documents with those of the fit; None if the model keeps nothing of its fit."""
    fitted = Fitted.of(model)
    return None if fitted is None else drift(fitted, seen)


def drift_values(found: Drift | None) -> dict[str, Any]:
    """Return the comparison as values for JSON."""
    return {} if found is None else {"drift": found.as_dict()}


def report_drift(found: Drift | None, model: SeedClassifier, path: str | None, *, quiet: bool) -> None:
    """Say what has changed since the fit, and write the comparison to a file if one is named."""
    if found is not None and (sentence := drift_sentence(found)) is not None:
        note(sentence, quiet=quiet)
    if path is None:
        return
    if found is None:
        raise InputError(
            f"{type(model).__name__} keeps no labels of its fit to compare with: leave --drift out."
        )
    with atomic_file(path, "w") as file:
        file.write(strict_json.written(found.as_dict(), indent=1) + "\n")
    if not found.enough:
        note(f"fewer than {LEAST} documents are too few to be compared with those of the fit", quiet=quiet)
    if found.unknown_words.fit is None:
        note(
            "the model does not know how many unknown words to expect, because it was saved by an earlier "
            "version or fitted to counts: fit it again to compare them",
            quiet=quiet,
        )
    note(f"comparison with the fit written to {where(path)}", quiet=quiet)
