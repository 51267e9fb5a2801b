"""Examples of doccano for text classification, one JSON object per line.

doccano has no predictions: labels of a model are imported as labels, and their probabilities as metadata.
https://doccano.github.io/doccano/tutorial describes the formats.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from seedtopic.answers.annotation.answers import Answer, Entry
from seedtopic.answers.annotation.records import Choices, Record
from seedtopic.base import json as strict_json

# Names that mean something else in an example that is imported or exported.
_RESERVED = {"text", "label", "id", "data", "Comments", "categories", "filename", "uuid"}
_COLORS = ("#1f6fb4", "#b4421f", "#2e7d32", "#6a3fa0", "#8a6d00", "#00747c", "#a8326e", "#5b5b5b")
_KEYS = "123456789"


def tasks(records: Iterable[Record], choices: Choices) -> Iterator[dict[str, Any]]:
    """Make examples to import."""
    for record in records:
        labels = [suggestion.label for suggestion in record.suggestions]
        if record.confirmed is not None:
            labels = [record.confirmed]
        yield {"text": record.text, "label": labels, **record.metadata_without(_RESERVED)}


def settings(choices: Choices) -> str:
    """Write the list of labels, with a key for each of the first nine."""
    labels = []
    for place, name in enumerate(choices.all):
        label = {
            "text": name,
            "background_color": _COLORS[place % len(_COLORS)],
            "text_color": "#ffffff",
        }
        labels.append(label | ({"suffix_key": _KEYS[place]} if place < len(_KEYS) else {}))
    return strict_json.written(labels, indent=2)


def answers(example: Entry) -> Iterator[Answer]:
    """Read the labels of an example that was exported; the name of the file is that of the annotator."""
    labels = example.labels("label")
    verdict: Any = "chosen" if labels else "open"  # which of the two, the file does not say
    yield Answer(example.text(), labels, verdict, example.document_id(), Path(example.source).stem)
