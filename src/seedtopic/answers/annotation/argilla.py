"""Records of Argilla: predictions are suggestions, and confirmed labels are responses of a user.

The files are those that the Python package of Argilla (2.0 and later) reads and writes:
``dataset.records.from_json``, ``dataset.records.to_json`` and ``Settings.from_json``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from seedtopic.answers.annotation.records import Answer, Choices, Entry, Record
from seedtopic.base import json as strict_json

QUESTION = "label"
AGENT = "seedtopic"


def tasks(records: Iterable[Record], choices: Choices, user: str | None = None) -> Iterator[dict[str, Any]]:
    """Make records to import."""
    seen: set[str] = set()
    for record in records:
        id = None if record.id in seen else record.id  # Argilla would replace the first by the second
        seen.add(record.id or "")
        labels = [suggestion.label for suggestion in record.suggestions]
        scores = [suggestion.score for suggestion in record.suggestions]
        response: dict[str, Any] | None = None
        suggestion: dict[str, Any] | None = None
        if record.confirmed is not None:
            value = [record.confirmed] if choices.several else record.confirmed
            if user is None:
                suggestion = {"value": value, "score": None, "agent": AGENT, "type": "human"}
            else:
                response = {"value": value, "user_id": user, "status": "submitted"}
        elif labels and choices.several:
            known = None if None in scores else scores
            suggestion = {"value": labels, "score": known, "agent": AGENT, "type": "model"}
        elif labels:
            suggestion = {"value": labels[0], "score": scores[0], "agent": AGENT, "type": "model"}
        yield {
            "id": id,
            "fields": {"text": record.text},
            "metadata": record.metadata_without(()),
            "suggestions": {} if suggestion is None else {QUESTION: suggestion},
            "responses": {} if response is None else {QUESTION: [response]},
            "vectors": {},
            "status": "pending" if response is None else "completed",
        }


def settings(choices: Choices) -> str:
    """Write the settings of a dataset: one field, one question."""
    kind = "multi_label_selection" if choices.several else "label_selection"
    question: dict[str, Any] = {
        "type": kind,
        "options": [{"text": name, "value": name} for name in choices.all],
    }
    if len(choices.all) >= 3:  # Argilla takes no smaller number
        question["visible_options"] = len(choices.all)
    return strict_json.written(
        {
            "guidelines": None,
            "fields": [
                {"name": "text", "title": "Text", "settings": {"type": "text", "use_markdown": False}}
            ],
            "questions": [{"name": QUESTION, "title": "Category", "required": True, "settings": question}],
            "vectors": [],
            "metadata": [],
            "allow_extra_metadata": True,
        },
        indent=2,
    )


def answers(record: Entry) -> Iterator[Answer]:
    """Read the responses of a record that was exported.

    The file does not say whether a response is a draft. A record whose status is pending may have drafts, so
    its responses do not count.
    """
    text, id = record.entry("fields").text(), record.entry("metadata", optional=True).document_id()
    responses: list[Entry] = []
    if record.values.get("status") != "pending":
        questions = record.entry("responses", optional=True)
        names = list(questions.values)
        if QUESTION not in names and len(names) > 1:
            shown = ", ".join(map(repr, names))
            raise record.refused(
                f"has responses to several questions ({shown}), none of which is {QUESTION!r}"
            )
        if names:  # to our own question, or to the only one
            responses = questions.entries(QUESTION if QUESTION in names else names[0])
    for response in responses:
        labels = _labels(response)
        status = response.values.get("status")
        if status == "discarded" or response.values.get("value") is None:
            yield Answer(text, verdict="skipped", id=id, annotator=response.name("user_id"))
        elif status != "draft":
            verdict: Any = "chosen" if labels else "empty"
            yield Answer(text, labels, verdict, id, response.name("user_id"))
    if not any(response.values.get("status") != "draft" for response in responses):
        yield Answer(text, verdict="open", id=id)


def _labels(response: Entry) -> tuple[str, ...]:
    value = response.values.get("value")
    if value is None or value == "":
        return ()
    return (value,) if isinstance(value, str) else response.labels("value")
