"""Tasks, annotations and the labelling configuration, judged by the package of Label Studio."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation_exports import label_studio, read_tasks, write_export
from seedtopic.answers.annotation import (
    Choices,
    Record,
    Suggestion,
    read_checked,
    write_settings,
    write_tasks,
)

NAME = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12)
XML_NAME = NAME.filter(lambda name: name.strip() == name and not set(name) & set("\ufffe\uffff"))


def configuration(choices: Choices) -> str:
    with tempfile.TemporaryDirectory() as folder:
        write_settings(Path(folder, "config.xml"), "label-studio", choices)
        return Path(folder, "config.xml").read_text(encoding="utf-8")


def interface(choices: Choices) -> Any:
    from label_studio_sdk.label_interface import LabelInterface

    found = LabelInterface(configuration(choices))
    found.validate()
    return found


@pytest.mark.parametrize("several", [False, True])
def test_the_configuration_is_valid(choices: Choices, several: bool) -> None:
    choices = Choices(choices.names, several=several)
    control = interface(choices).get_control("category")
    assert tuple(control.labels) == choices.all
    assert control.attr["choice"] == ("multiple" if several else "single")


@settings(max_examples=30, deadline=None)
@given(names=st.lists(XML_NAME, min_size=1, max_size=4, unique=True))
def test_any_name_of_a_category_comes_through_the_configuration(names: list[str]) -> None:
    assert tuple(interface(Choices(tuple(names))).get_control("category").labels)[: len(names)] == tuple(
        names
    )


def test_tasks_predictions_and_annotations_are_valid(
    choices: Choices, records: list[Record], tmp_path: Path
) -> None:
    write_tasks(tmp_path / "tasks.json", "label-studio", records, choices)
    tasks = json.loads((tmp_path / "tasks.json").read_text(encoding="utf-8"))
    judge = interface(choices)
    for task in tasks:
        assert judge.validate_task({"data": task["data"]})
        for prediction in task.get("predictions", []):
            assert judge.validate_prediction(prediction, return_errors=True) == []
        for annotation in task.get("annotations", []):
            assert judge.validate_annotation(annotation)
    assert [len(task.get("predictions", [])) for task in tasks] == [1, 0, 0]
    assert [len(task.get("annotations", [])) for task in tasks] == [0, 1, 0]
    wrong = [{"result": [{**tasks[0]["predictions"][0]["result"][0], "value": {"choices": ["x"]}}]}]
    assert judge.validate_prediction(wrong[0], return_errors=True) != []  # so that it can fail


@pytest.mark.parametrize("form", ["JSON", "JSON_MIN"])
def test_what_the_converter_of_label_studio_exports_comes_back(
    form: str, choices: Choices, records: list[Record], tmp_path: Path
) -> None:
    from label_studio_sdk.converter import Converter

    write_tasks(tmp_path / "tasks.json", "label-studio", records, choices)
    exported = label_studio(read_tasks(tmp_path / "tasks.json"), [["Größe <b>"], ["sports"], ["none"]])
    write_export(tmp_path / "project.json", exported)
    converter = Converter(config=configuration(choices), project_dir=None)
    converter.convert(str(tmp_path / "project.json"), str(tmp_path / "out"), form, is_dir=False)
    (path,) = (tmp_path / "out").glob("*.json")
    found = read_checked(path, "label-studio", choices.names)
    assert [(one.id, one.text, one.label) for one in found] == [
        ("t1", records[0].text, "Größe <b>"),
        ("t2", "the second", "sports"),
        (None, "the third", "none"),
    ]


def test_several_labels_of_the_converter_come_back(tmp_path: Path) -> None:
    from label_studio_sdk.converter import Converter

    choices = Choices(("sports", "money"), several=True)
    records = [Record("a", "t1", (Suggestion("sports", 0.6), Suggestion("money", 0.4)))]
    write_tasks(tmp_path / "tasks.json", "label-studio", records, choices)
    tasks = read_tasks(tmp_path / "tasks.json")
    assert interface(choices).validate_prediction(tasks[0]["predictions"][0], return_errors=True) == []
    write_export(tmp_path / "project.json", label_studio(tasks, [["sports", "money"]]))
    converter = Converter(config=configuration(choices), project_dir=None)
    converter.convert(str(tmp_path / "project.json"), str(tmp_path / "out"), "JSON_MIN", is_dir=False)
    found = read_checked(tmp_path / "out" / "result.json", "label-studio")
    assert [(one.status, one.labels) for one in found] == [("several labels", ("money", "sports"))]
