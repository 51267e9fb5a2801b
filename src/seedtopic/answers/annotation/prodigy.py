"""Tasks of Prodigy for its interface ``choice``, one JSON object per line.

https://prodi.gy/docs/api-interfaces describes the format.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from seedtopic.answers.annotation.answers import Answer, Entry, Verdict
from seedtopic.answers.annotation.records import Choices, Record

_VERDICTS: dict[str, Verdict] = {"accept": "chosen", "reject": "rejected", "ignore": "skipped"}


def tasks(records: Iterable[Record], choices: Choices) -> Iterator[dict[str, Any]]:
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
            best = record.suggestions[0].score
            if best is not None:
                meta["score"] = best
        yield {**task, "meta": meta}


def answers(task: Entry) -> Iterator[Answer]:
    """Read the answer to a task that was exported."""
    said = task.name("answer")
    if said and said not in _VERDICTS:
        raise task.refused(f"has {said!r:.40} as 'answer', not accept, reject or ignore")
    verdict: Verdict = _VERDICTS.get(said, "open")
    labels = _labels(task) if verdict == "chosen" else ()
    yield Answer(
        task.text(),
        labels,
        "empty" if verdict == "chosen" and not labels else verdict,
        task.entry("meta", optional=True).document_id(),
        task.name("_annotator_id") or task.name("_session_id"),
        _seconds(task.values.get("_timestamp")),
    )


def _labels(task: Entry) -> tuple[str, ...]:
    if "accept" not in task.values and "options" not in task.values:
        raise task.refused("has no 'accept', since it does not come from the interface choice")
    return task.labels("accept") if "accept" in task.values else ()


def _seconds(when: Any) -> float:
    return float(when) if isinstance(when, int | float) else 0.0
