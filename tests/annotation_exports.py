"""What annotation tools make of the files they are given, once people have answered.

Written after the documentation of the tools; the tests in `tools/` ask the packages of the tools themselves.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

Answers = Sequence[Sequence[str]]  # the labels that one person chose, task after task
Exported = list[dict[str, Any]]


def read_tasks(path: Path) -> Exported:
    text = path.read_text(encoding="utf-8")
    return (
        json.loads(text) if path.suffix == ".json" else [json.loads(line) for line in text.split("\n")[:-1]]
    )


def label_studio(tasks: Exported, answers: Answers, person: int = 1) -> Exported:
    exported = []
    for number, (task, labels) in enumerate(zip(tasks, answers, strict=True), 1):
        value = {"from_name": "category", "to_name": "text", "type": "choices", "origin": "manual"}
        result = [{**value, "id": f"r{number}", "value": {"choices": list(labels)}}] if labels else []
        annotation = {
            "id": number,
            "completed_by": person,
            "result": result,
            "was_cancelled": False,
            "ground_truth": False,
            "created_at": "2026-03-01T10:00:00.000000Z",
            "updated_at": "2026-03-01T10:05:00.000000Z",
            "lead_time": 4.2,
        }
        exported.append({"id": 1000 + number, **task, "annotations": [annotation]})
    return exported


def label_studio_min(tasks: Exported, answers: Answers, person: int = 1) -> Exported:
    exported = []
    for number, (task, labels) in enumerate(zip(tasks, answers, strict=True), 1):
        chosen = (
            {} if not labels else {"category": labels[0] if len(labels) == 1 else {"choices": list(labels)}}
        )
        about = {"annotator": person, "annotation_id": number, "updated_at": "2026-03-01T10:05:00Z"}
        exported.append({**task["data"], "id": 1000 + number, **chosen, **about})
    return exported


def argilla(tasks: Exported, answers: Answers, person: int = 1) -> Exported:
    exported = []
    for number, (record, labels) in enumerate(zip(tasks, answers, strict=True), 1):
        value = None if not labels else labels[0] if len(labels) == 1 else list(labels)
        response = {"value": value, "user_id": f"00000000-0000-0000-0000-{person:012}"}
        own = {"id": record["id"] or f"generated-{number}", "responses": {"label": [response]}}
        exported.append({**record, **own, "status": "completed", "_server_id": f"server-{number}"})
    return exported


def doccano(tasks: Exported, answers: Answers, person: int = 1) -> Exported:
    exported = []
    for number, (example, labels) in enumerate(zip(tasks, answers, strict=True), 1):
        meta = {name: value for name, value in example.items() if name not in ("text", "label")}
        own = {"id": number, "text": example["text"], **meta}
        exported.append({**own, "label": sorted(labels), "Comments": []})
    return exported


def prodigy(tasks: Exported, answers: Answers, person: int = 1) -> Exported:
    session = {
        "_annotator_id": f"db-person{person}",
        "_session_id": f"db-person{person}",
        "_view_id": "choice",
    }
    return [
        {**task, "_input_hash": 7, "_task_hash": 8, **session, "accept": list(labels), "answer": "accept",
         "_timestamp": 1772359200 + number}
        for number, (task, labels) in enumerate(zip(tasks, answers, strict=True), 1)
    ]  # fmt: skip


EXPORTS: dict[str, Callable[..., Exported]] = {
    "label-studio": label_studio,
    "argilla": argilla,
    "doccano": doccano,
    "prodigy": prodigy,
}


def write_export(path: Path, exported: Exported) -> None:
    if path.suffix == ".json":
        path.write_text(json.dumps(exported, ensure_ascii=False), encoding="utf-8")
    else:
        lines = "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in exported)
        path.write_text(lines, encoding="utf-8", newline="")
