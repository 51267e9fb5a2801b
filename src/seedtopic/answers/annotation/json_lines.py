"""Objects on lines, as doccano and Prodigy read and write them.

doccano has no predictions: labels of a model are imported as labels, and their probabilities as metadata.
https://doccano.github.io/doccano/tutorial describes its formats, https://prodi.gy/docs/api-interfaces the
tasks of Prodigy for its interface ``choice``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from seedtopic.answers.annotation.records import Answer, Choices, Entry, Record, Verdict
from seedtopic.base import json as strict_json

# Names that mean something else in an example that is imported or exported.
_RESERVED = {"text", "label", "id", "data", "Comments", "categories", "filename", "uuid"}
_COLORS = ("#1f6fb4", "#b4421f", "#2e7d32", "#6a3fa0", "#8a6d00", "#00747c", "#a8326e", "#5b5b5b")
_KEYS = "123456789"
_VERDICTS: dict[str, Verdict] = {"accept": "chosen", "reject": "rejected", "ignore": "skipped"}


def doccano_tasks(records: Iterable[Record], choices: Choices) -> Iterator[dict[str, Any]]:
    """Make examples to import."""
    for record in records:
        labels = [suggestion.label for suggestion in record.suggestions]
        if record.confirmed is not None:
            labels = [record.confirmed]
        yield {"text": record.text, "label": labels, **record.metadata_without(_RESERVED)}


def doccano_settings(choices: Choices) -> str:
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


def doccano_answers(example: Entry) -> Iterator[Answer]:
    """Read the labels of an example that was exported; the name of the file is that of the annotator."""
    labels = example.labels("label")
    verdict: Any = "chosen" if labels else "open"  # which of the two, the file does not say
    yield Answer(example.text(), labels, verdict, example.document_id(), Path(example.source).stem)


def prodigy_tasks(records: Iterable[Record], choices: Choices) -> Iterator[dict[str, Any]]:
    """Make tasks; a label of the model is selected beforehand, and a confirmed one has an answer."""
    options = [{"id": name, "text": name} for name in choices.all]
    style = "multiple" if choices.several else "single"
    for record in records:
        task: dict[str, Any] = {"text": record.text, "options": options, "config": {"choice_style": style}}
        meta = record.metadata_without({"score"})
        if record.confirmed is not None:
            task |= {"accept": [record.confirmed], "answer": "accept"}
        elif record.suggestions:
            task["accept"] = [suggestion.label for suggestion in record.suggestions]
            if (best := record.suggestions[0].score) is not None:
                meta["score"] = best
        yield {**task, "meta": meta}


def prodigy_answers(task: Entry) -> Iterator[Answer]:
    """Read the answer to a task that was exported."""
    answer = task.name("answer")
    if answer and answer not in _VERDICTS:
        raise task.refused(f"has {answer!r:.40} as 'answer', not accept, reject or ignore")
    verdict: Verdict = _VERDICTS.get(answer, "open")
    if verdict == "chosen" and "accept" not in task.values and "options" not in task.values:
        raise task.refused("has no 'accept', since it does not come from the interface choice")
    labels = task.labels("accept") if verdict == "chosen" and "accept" in task.values else ()
    when = task.values.get("_timestamp")
    yield Answer(
        task.text(),
        labels,
        "empty" if verdict == "chosen" and not labels else verdict,
        task.entry("meta", optional=True).document_id(),
        task.name("_annotator_id") or task.name("_session_id"),
        float(when) if isinstance(when, int | float) else 0.0,
    )
