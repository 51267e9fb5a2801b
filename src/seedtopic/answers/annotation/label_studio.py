"""Tasks of Label Studio: predictions and annotations are choices for the text of a task.

https://labelstud.io/guide/tasks describes what it imports, https://labelstud.io/guide/export what it exports
as JSON and JSON-MIN.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any
from xml.sax.saxutils import quoteattr

from seedtopic.answers.annotation.records import Answer, Choices, Entry, Record

CONTROL = "category"  # the name of the choices in the labelling configuration
MODEL = "seedtopic"
# Names that mean something else in a task, or in an export as JSON-MIN.
_RESERVED = {
    "text", CONTROL, "id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time", "agreement",
}  # fmt: skip


def tasks(records: Iterable[Record], choices: Choices) -> Iterator[dict[str, Any]]:
    """Make tasks to import."""
    for record in records:
        task: dict[str, Any] = {"data": {"text": record.text, **record.metadata_without(_RESERVED)}}
        if record.confirmed is not None:
            task["annotations"] = [{"result": [_chosen([record.confirmed])]}]
        elif record.suggestions:
            prediction: dict[str, Any] = {"model_version": MODEL}
            if (best := record.suggestions[0].score) is not None:
                prediction["score"] = best
            prediction["result"] = [_chosen([suggestion.label for suggestion in record.suggestions])]
            task["predictions"] = [prediction]
        yield task


def settings(choices: Choices) -> str:
    """Write the labelling configuration."""
    how = "multiple" if choices.several else "single"
    return "\n".join(
        [
            "<View>",
            '  <Text name="text" value="$text"/>',
            f'  <Choices name="{CONTROL}" toName="text" choice="{how}" required="true" showInline="true">',
            *(f"    <Choice value={quoteattr(name)}/>" for name in choices.all),
            "  </Choices>",
            "</View>",
        ]
    )


def answers(task: Entry) -> Iterator[Answer]:
    """Read the answers of a task that was exported, as JSON or as JSON-MIN."""
    if "data" not in task.values:
        yield _short_answer(task)
        return
    data = task.entry("data")
    text, id = data.text(), data.document_id()
    annotations = task.entries("annotations")
    for annotation in annotations:
        labels = _labels(annotation)
        skipped = annotation.values.get("was_cancelled") is True
        yield Answer(
            text,
            () if skipped else labels,
            "skipped" if skipped else "chosen" if labels else "empty",
            id,
            _annotator(annotation.values.get("completed_by")),
            _seconds(annotation.values.get("updated_at") or annotation.values.get("created_at")),
            annotation.values.get("ground_truth") is True,
        )
    if not annotations:
        yield Answer(text, verdict="open", id=id)


def _short_answer(task: Entry) -> Answer:
    """Read an entry of JSON-MIN: the data of a task and one annotation, side by side."""
    value = task.values.get(CONTROL)
    if isinstance(value, dict):
        labels = task.entry(CONTROL).labels("choices")
    elif isinstance(value, str) or value is None:
        labels = (value,) if value else ()
    else:
        raise task.refused(f"has {value!r:.40} as {CONTROL!r}, not a label")
    return Answer(
        task.text(),
        labels,
        "chosen" if labels else "empty",
        task.document_id(),
        _annotator(task.values.get("annotator")),
        _seconds(task.values.get("updated_at")),
    )


def _chosen(labels: list[str]) -> dict[str, Any]:
    return {"from_name": CONTROL, "to_name": "text", "type": "choices", "value": {"choices": labels}}


def _labels(annotation: Entry) -> tuple[str, ...]:
    """Return the labels that were chosen: by the control of our own configuration, or by the only one."""
    regions = [region for region in annotation.entries("result") if region.values.get("type") == "choices"]
    controls = {region.string("from_name") for region in regions}
    if len(controls) > 1 and CONTROL not in controls:
        shown = ", ".join(map(repr, sorted(controls)))
        raise annotation.refused(f"has several choices ({shown}), none of which is named {CONTROL!r}")
    control = CONTROL if CONTROL in controls else "".join(controls)
    return tuple(
        label
        for region in regions
        if region.string("from_name") == control
        for label in region.entry("value").labels("choices")
    )


def _annotator(who: Any) -> str:
    """Name who has annotated: a number, or an object in exports with details."""
    if isinstance(who, dict):
        return str(who.get("id", who.get("email", "")))
    return "" if who is None else str(who)


def _seconds(when: Any) -> float:
    try:
        return datetime.fromisoformat(str(when)).timestamp()
    except (ValueError, OverflowError, OSError):
        return 0.0
