"""Records and settings, loaded and written again by the package of Argilla, without a server."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pytest

from seedtopic.answers.annotation import (
    TOOLS,
    Choices,
    Record,
    Suggestion,
    argilla,
    read_checked,
    write_settings,
    write_tasks,
)

USER = "12345678-1234-5678-1234-567812345678"
OTHER = "87654321-1234-5678-1234-567812345678"


@pytest.fixture
def rg(monkeypatch: pytest.MonkeyPatch) -> Any:
    import argilla

    # Settings ask for a client, though none is needed before a dataset is created.
    monkeypatch.setattr(argilla.Argilla, "_default_client", MagicMock())
    return argilla


def loaded(rg: Any, path: Path) -> list[Any]:
    return [rg.Record.from_dict(entry) for entry in json.loads(path.read_text(encoding="utf-8"))]


def exported(rg: Any, records: list[Any], path: Path) -> None:
    from argilla.records._io import JsonIO  # noqa: PLC2701 - a dataset exports from a server alone

    JsonIO.to_json(records, path)


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("number", [1, 5])
def test_the_settings_are_valid(rg: Any, several: bool, number: int, tmp_path: Path) -> None:
    choices = Choices(tuple(f'"{place}" & <b>' for place in range(number)), several=several)
    write_settings(tmp_path / "settings.json", "argilla", choices)
    settings = rg.Settings.from_json(tmp_path / "settings.json")
    settings.validate()
    question = settings.questions["label"]
    assert type(question) is (rg.MultiLabelQuestion if several else rg.LabelQuestion)
    assert tuple(question.labels) == choices.all
    assert settings.fields["text"].name == "text"
    assert settings.allow_extra_metadata is True
    assert rg.Settings._from_dict(settings.serialize()) == settings


def test_records_have_suggestions_with_scores_and_responses(
    rg: Any, choices: Choices, records: list[Record], tmp_path: Path
) -> None:
    tool = replace(TOOLS["argilla"], tasks=lambda given, choices: argilla.tasks(given, choices, USER))
    write_tasks(tmp_path / "records.json", tool, records, choices)
    write_settings(tmp_path / "settings.json", "argilla", choices)
    dataset = SimpleNamespace(settings=rg.Settings.from_json(tmp_path / "settings.json"))
    entries = json.loads((tmp_path / "records.json").read_text(encoding="utf-8"))
    first, second, third = (rg.Record.from_dict(entry, dataset) for entry in entries)
    assert (first.id, first.fields["text"]) == ("t1", records[0].text)
    assert (first.suggestions["label"].value, first.suggestions["label"].score) == ("sports", 0.75)
    assert (len(first.responses), len(third.suggestions)) == (0, 0)
    (response,) = second.responses["label"]
    assert (response.value, str(response.user_id), response.status) == ('money & "more"', USER, "submitted")
    sent = [record.api_model() for record in (first, second, third)]  # what would be sent to a server
    assert sent[1].responses[0].values == {"label": {"value": 'money & "more"'}}
    assert {one.name: one.value for one in sent[0].metadata}["document_id"] == "t1"


def test_what_people_answer_comes_back(
    rg: Any, choices: Choices, records: list[Record], tmp_path: Path
) -> None:
    write_tasks(tmp_path / "records.json", "argilla", records, choices)
    found = loaded(rg, tmp_path / "records.json")
    for record, label in zip(found, ["Größe <b>", "sports", "none"], strict=True):
        record.responses.add(rg.Response("label", label, user_id=USER, status="submitted"))
        record._model.status = "completed"
    found[0].responses.add(rg.Response("label", "Größe <b>", user_id=OTHER, status="submitted"))
    exported(rg, found, tmp_path / "export.json")
    checked = read_checked(tmp_path / "export.json", "argilla", choices.names)
    assert [(one.id, one.text, one.label, one.annotators) for one in checked] == [
        ("t1", records[0].text, "Größe <b>", 2),
        ("t2", "the second", "sports", 1),
        (None, "the third", "none", 1),
    ]


def test_several_labels_and_pending_records(rg: Any, tmp_path: Path) -> None:
    choices = Choices(("sports", "money"), several=True)
    suggestions = (Suggestion("sports", 0.6), Suggestion("money", 0.4))
    write_tasks(
        tmp_path / "records.json", "argilla", [Record("a", "1", suggestions), Record("b", "2")], choices
    )
    first, second = loaded(rg, tmp_path / "records.json")
    assert (first.suggestions["label"].value, first.suggestions["label"].score) == (
        ["sports", "money"], [0.6, 0.4],
    )  # fmt: skip
    first.responses.add(rg.Response("label", ["sports", "money"], user_id=USER, status="submitted"))
    first._model.status = "completed"
    second.responses.add(rg.Response("label", ["sports"], user_id=USER, status="draft"))
    exported(rg, [first, second], tmp_path / "export.json")
    found = read_checked(tmp_path / "export.json", "argilla")
    assert [one.status for one in found] == ["several labels", "not annotated"]
