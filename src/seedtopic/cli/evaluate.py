"""The command that scores a model: ``seedtopic evaluate``."""

from __future__ import annotations

from seedtopic.cli import options
from seedtopic.cli.console import note, result
from seedtopic.cli.option_groups import SavedModel, Source
from seedtopic.cli.tables import score_table
from seedtopic.evaluate import evaluate as score


def evaluate(
    *,
    label_field: options.LabelField = "label",
    saved: SavedModel,
    source: Source,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> int:
    """Score a fitted model on documents whose labels are known.

    Example:  seedtopic evaluate model/ test.csv --label-field topic
    """
    model = saved.load()
    documents = source.read(quiet=quiet, label_field=label_field)
    predicted = [str(label) for label in model.predict(documents.texts)]
    none_label = getattr(model, "none_label", None)
    names = [str(name) for name in model.classes_] + ([] if none_label is None else [none_label])
    scores = score(list(documents.labels or []), predicted, names)
    if scores.unknown:
        named = ", ".join(f"{name!r} ({count})" for name, count in list(scores.unknown.items())[:5])
        note(f"labels that the model does not know count as errors: {named}.", quiet=quiet)
    result(score_table(scores), values=scores.as_dict(), as_json=json, quiet=quiet)
    return documents.unusable
