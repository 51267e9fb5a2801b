"""The command that scores a model: ``seedtopic evaluate``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer

from seedtopic.base.errors import InputError
from seedtopic.cli.console import Terminal
from seedtopic.cli.options import SavedModel, Source, rule_columns
from seedtopic.io.predictions import Predictions
from seedtopic.quality.scores import evaluate as score
from seedtopic.seeds.names import NONE_OF_THESE, Names
from seedtopic.show.tables import score_table

if TYPE_CHECKING:
    from seedtopic.model import SeedClassifier


def evaluate(
    *,
    label_field: Annotated[str, typer.Option(metavar="COLUMN", help="Column of the true labels.")] = "label",
    saved: SavedModel,
    source: Source,
    terminal: Terminal,
) -> int:
    """Score a fitted model on documents whose labels are known.

    Example:  seedtopic evaluate model/ test.csv --label-field topic
    """
    model = saved.load()
    documents = source.read(terminal, rule_columns(model), label_field=label_field)
    predictions = model.predict_all(documents.texts).with_texts(documents.has_text)
    pairs = zip(documents.labels or [], predictions.labels.tolist(), strict=True)
    known_as = _known_as(set(documents.labels or ()), model, predictions)
    scored = [(known_as.get(true, true), str(label)) for true, label in pairs if label is not None]
    apart = {"without_text": predictions.without_text, "without_known_word": predictions.without_known_word}
    if len(scored) < len(documents):
        unknown = 0 if predictions.none_label is not None else apart["without_known_word"]
        reasons = f"{apart['without_text']:,} without a text, {unknown:,} without a known word"
        sentence = f"{len(documents) - len(scored):,} of {len(documents):,} documents have no label"
        if not scored:
            raise InputError(f"{sentence} ({reasons}): give documents with words that the model knows.")
        terminal.note(f"{sentence} and are not scored: {reasons}")
    scores = score(
        [true for true, _ in scored], [label for _, label in scored], list(map(str, predictions.names))
    )
    if scores.unknown:
        named = ", ".join(f"{name!r} ({count})" for name, count in list(scores.unknown.items())[:5])
        terminal.note(f"labels that the model does not know count as errors: {named}.")
    values = {"documents": len(scored), **apart, **scores.as_dict()}
    terminal.result(score_table(scores), values=values)
    return documents.unusable


def _known_as(labels: Iterable[str], model: SeedClassifier, predictions: Predictions) -> dict[str, str]:
    """Return what the model calls a category that a label names in another way, or by a former name."""
    none, classes = predictions.none_label, predictions.classes
    names = Names.of(model.seeds_, none) if hasattr(model, "seeds_") else Names.listed(classes, none)
    called = {name: str(name) for name in classes} | ({} if none is None else {NONE_OF_THESE: none})
    return {label: called[meant] for label in labels if (meant := names.label(label)) in called}
