"""Labels to annotation tools and back: every tool, odd texts, several people, and files that are broken."""

from __future__ import annotations

import json
import string
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotation_exports import EXPORTS, label_studio_min, read_tasks, write_export
from seedtopic import InputError, cli
from seedtopic.answers.annotation import (
    TOOLS,
    Answer,
    Choices,
    Record,
    Suggestion,
    agreed,
    argilla,
    read_checked,
    records_of,
    write_checked,
    write_settings,
    write_tasks,
)
from seedtopic.answers.ledger import Answers
from seedtopic.answers.readers import answers_of_file
from seedtopic.io.rows import Rows, read_documents
from seedtopic.seeds.names import Names

NAMES = ("sports", 'money & "more"', "Größe <b>")
CHOICES = Choices(NAMES)


def labels_of_file(path: Path, documents: Rows, names: Sequence[str]) -> list[Any]:
    """Return what the answers in a file come to for each document."""
    answers, known = Answers(), Names.listed(names)
    answers.add(answers_of_file(path, documents, known).answers)
    outcome = answers.matching(documents.texts, documents.ids, known)
    return [outcome.labels.get(row, "none" if row in outcome.none else "") for row in range(len(documents))]


every_tool = pytest.mark.parametrize("tool", TOOLS)
odd_text = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20).filter(
    lambda text: text.strip()
)


def schema(name: str) -> jsonschema.Draft202012Validator:
    schemas = json.loads(Path(__file__).with_name("annotation_schemas.json").read_text())
    return jsonschema.Draft202012Validator({**schemas, "$ref": f"#/$defs/{name}"})


def folded(text: str) -> str:
    return " ".join(text.split())


# ------------------------------------------------------------------------------------------------ round trips


@every_tool
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=20)
@given(
    documents=st.lists(
        st.tuples(odd_text, st.sampled_from((*NAMES, "none"))), min_size=1, max_size=6, unique_by=lambda pair: folded(pair[0])
    ),
    with_ids=st.booleans(),
)  # fmt: skip
def test_what_people_choose_comes_back(
    tool: str, documents: list[tuple[str, str]], with_ids: bool, tmp_path: Path
) -> None:
    texts, labels = map(list, zip(*documents, strict=True))
    ids = [f"t{number}" for number in range(len(texts))] if with_ids else None
    suggestion = (Suggestion("sports", 0.75),)
    records = [Record(text, ids[place] if ids else None, suggestion) for place, text in enumerate(texts)]
    tasks, export = (tmp_path / f"{name}{TOOLS[tool].ending}" for name in ("tasks", "export"))
    assert write_tasks(tasks, tool, records, CHOICES) == len(records)
    write_export(export, EXPORTS[tool](read_tasks(tasks), [[label] for label in labels]))
    checked = read_checked(export, tool, NAMES)
    assert [(found.text, found.label) for found in checked] == documents
    write_checked(tmp_path / "checked.csv", checked)
    own = Rows(texts=texts, rows=[{"text": text} for text in texts], ids=ids)
    assert labels_of_file(tmp_path / "checked.csv", own, NAMES) == labels


@every_tool
def test_answers_about_texts_with_one_id_stay_apart(tool: str, tmp_path: Path) -> None:
    texts = [f"text {number}" for number in range(12)]
    ids = [f"t{number % 2}" for number in range(12)]
    labels = [NAMES[number % 3] for number in range(12)]
    tasks, export = (tmp_path / f"{name}{TOOLS[tool].ending}" for name in ("tasks", "export"))
    records = [Record(text, id, (Suggestion("sports", 0.75),)) for text, id in zip(texts, ids, strict=True)]
    write_tasks(tasks, tool, records, CHOICES)
    write_export(export, EXPORTS[tool](read_tasks(tasks), [[label] for label in labels]))
    write_checked(tmp_path / "checked.csv", read_checked(export, tool, NAMES))
    own = Rows(texts=texts, rows=[{"text": text} for text in texts], ids=ids)
    assert labels_of_file(tmp_path / "checked.csv", own, NAMES) == labels


@every_tool
def test_confirmed_labels_come_back_without_anyone(tool: str, tmp_path: Path) -> None:
    records = [Record(f"text {name}", f"t{name}", confirmed=name) for name in (*NAMES, "none")]
    how = (
        replace(TOOLS[tool], tasks=lambda r, c: argilla.tasks(r, c, "a-user")) if tool == "argilla" else tool
    )
    path = tmp_path / f"tasks{TOOLS[tool].ending}"
    write_tasks(path, how, records, CHOICES)
    checked = read_checked(path, tool, NAMES)
    assert [(found.id, found.label) for found in checked] == [(f"t{name}", name) for name in (*NAMES, "none")]


def test_confirmed_labels_are_suggestions_for_an_argilla_without_a_user() -> None:
    record = next(argilla.tasks([Record("a", confirmed="sports")], CHOICES))
    assert (record["suggestions"]["label"]["type"], record["responses"]) == ("human", {})


def test_argilla_is_given_an_id_once() -> None:
    found = argilla.tasks([Record("a", "x"), Record("b", "x"), Record("c"), Record("d")], CHOICES)
    assert [record["id"] for record in found] == ["x", None, None, None]


def test_the_short_export_of_label_studio_comes_back(tmp_path: Path) -> None:
    records = [Record(f"text {name}", f"t{name}", metadata={"id": 5, "category": "x"}) for name in NAMES]
    write_tasks(tmp_path / "tasks.json", "label-studio", records, CHOICES)
    tasks = read_tasks(tmp_path / "tasks.json")
    write_export(tmp_path / "min.json", label_studio_min(tasks, [["sports"], ["sports", NAMES[1]], []]))
    found = read_checked(tmp_path / "min.json", "label-studio")
    assert [(one.id, one.label, one.status) for one in found] == [
        ("tsports", "sports", "confirmed"),
        (f"t{NAMES[1]}", "", "several labels"),
        (f"t{NAMES[2]}", "", "empty"),
    ]


# ------------------------------------------------------------------------------------------ what tools are given

LABELLED = "\n".join(
    [
        "id,text,label,stars,predicted,probability,runner_up,runner_up_probability,margin,source",
        "a,the late goal,mine,5,sports,0.9,money,0.1,0.8,labelled",
        "b,the bank,,4,money,1.0,sports,0.0,1.0,confirmed",
        "c,nothing known,,,,,,,,none",
        "d,,,,,,,,,none",
    ]
)


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    path = tmp_path / "labelled.csv"
    path.write_text(LABELLED + "\n")
    return path


@pytest.fixture
def records(labelled: Path) -> list[Record]:
    with pytest.warns(UserWarning, match="no text"):
        return list(records_of(read_documents(labelled)))


def test_records_of_a_labelled_file(records: list[Record]) -> None:
    first, second, third = records
    assert (first.text, first.id, first.suggestions, first.confirmed) == (
        "the late goal", "a", (Suggestion("sports", 0.9),), None,
    )  # fmt: skip
    assert first.metadata == {
        "label": "mine", "stars": "5", "predicted": "sports", "probability": 0.9, "runner_up": "money",
        "runner_up_probability": 0.1, "margin": 0.8, "source": "labelled",
    }  # fmt: skip
    assert (second.suggestions, second.confirmed) == ((), "money")
    assert (third.suggestions, third.confirmed) == ((), None)


def test_records_of_a_sheet_that_next_wrote() -> None:
    rows: list[dict[str, Any]] = [
        {"text": "a", "predicted": "sports", "runner_up": "money", "checked": None, "probability": 0.6},
        {"text": "b", "predicted": "sports", "runner_up": "money", "checked": "money", "probability": 0.6},
    ]
    documents = Rows(texts=["a", "b"], rows=rows)
    first, second = records_of(documents)
    assert (first.suggestions, first.confirmed) == ((Suggestion("sports", 0.6),), None)
    assert (second.suggestions, second.confirmed) == ((), "money")
    assert Choices.of(documents).all == ("money", "sports", "none")


def test_several_labels_of_the_model(tmp_path: Path) -> None:
    row = {
        "text": "a", "predicted": "sports", "probability": 0.6, "runner_up": "money", "source": "labelled",
        "runner_up_probability": 0.4, "labels": "sports; money",
    }  # fmt: skip
    documents = Rows(texts=["a"], rows=[row])
    choices = Choices.of(documents)
    assert choices == Choices(("money", "sports"), several=True)
    records = list(records_of(documents))
    assert records[0].suggestions == (Suggestion("sports", 0.6), Suggestion("money", 0.4))
    suggestion = next(argilla.tasks(records, choices))["suggestions"]["label"]
    assert (suggestion["value"], suggestion["score"]) == (["sports", "money"], [0.6, 0.4])
    for tool, found in {"label-studio": 'choice="multiple"', "argilla": "multi_label_selection"}.items():
        path = tmp_path / f"settings{TOOLS[tool].settings_ending}"
        write_settings(path, tool, choices)
        assert found in path.read_text()


def test_label_studio_has_predictions_with_scores_and_annotations(records: list[Record]) -> None:
    first, second, third = TOOLS["label-studio"].tasks(records, CHOICES)
    assert first["predictions"][0]["score"] == 0.9
    assert first["predictions"][0]["result"][0]["value"] == {"choices": ["sports"]}
    assert first["data"]["label"] == "mine"
    assert second["annotations"][0]["result"][0]["value"] == {"choices": ["money"]}
    assert "annotations" not in first
    assert third.keys() == {"data"}


def test_doccano_by_its_schema(records: list[Record], tmp_path: Path) -> None:
    examples = list(TOOLS["doccano"].tasks(records, CHOICES))
    for example in examples:
        schema("doccano-example").validate(example)
    assert [example["label"] for example in examples] == [["sports"], ["money"], []]
    assert (examples[0]["label_"], examples[0]["probability"]) == ("mine", 0.9)
    for entry in EXPORTS["doccano"](examples, [["sports"]] * 3):
        schema("doccano-exported").validate(entry)
    many = Choices(tuple(string.ascii_uppercase))
    write_settings(tmp_path / "labels.json", "doccano", many)
    labels = json.loads((tmp_path / "labels.json").read_text())
    schema("doccano-labels").validate(labels)
    assert [label["text"] for label in labels] == [*many.names, "none"]
    keys = [label["suffix_key"] for label in labels if "suffix_key" in label]
    assert len(keys) == len(set(keys)) == 9


def test_prodigy_by_its_schema(records: list[Record]) -> None:
    tasks = list(TOOLS["prodigy"].tasks(records, CHOICES))
    for task in tasks:
        schema("prodigy-task").validate(task)
    for entry in EXPORTS["prodigy"](tasks, [["sports"]] * 3):
        schema("prodigy-exported").validate(entry)
    assert [task.get("accept") for task in tasks] == [["sports"], ["money"], None]
    assert [task.get("answer") for task in tasks] == [None, "accept", None]
    assert (tasks[0]["meta"]["score"], tasks[0]["meta"]["document_id"]) == (0.9, "a")


@every_tool
def test_columns_that_are_named_like_parts_of_a_task(tool: str, tmp_path: Path) -> None:
    names = ["id", "text", "label", "category", "data", "Comments", "score", "document_id", "annotator"]
    record = Record("the text", "the id", metadata=dict.fromkeys(names, "mine"))
    path = tmp_path / f"tasks{TOOLS[tool].ending}"
    write_tasks(path, tool, [record], CHOICES)
    write_export(path, EXPORTS[tool](read_tasks(path), [["sports"]]))
    found = read_checked(path, tool)[0]
    assert (found.text, found.id, found.label) == ("the text", "the id", "sports")
    assert path.read_text().count('"mine"') == len(names)


# --------------------------------------------------------------------------------------- what people have said


def said(*labels: str, who: str = "Ada", when: float = 0.0, **more: Any) -> Answer:
    return Answer("a text", labels, annotator=who, when=when, **more)


@pytest.mark.parametrize(
    ("answers", "label", "status", "annotators"),
    [
        ([said("sports")], "sports", "confirmed", 1),
        ([said("none")], "none", "confirmed", 1),
        ([said("sports", "money")], "", "several labels", 1),
        ([said("sports"), said("money", who="Ben")], "", "disagreement", 2),
        ([said("sports"), said("money", who="Ben"), said("sports", who="Cem")], "sports", "confirmed", 3),
        ([said("sports", when=2), said("money", when=1)], "sports", "confirmed", 1),
        ([said("sports"), said("money")], "money", "confirmed", 1),
        ([said("sports"), said("money", who="Ben", final=True)], "money", "confirmed", 1),
        ([said(verdict="skipped")], "", "skipped", 0),
        ([said("sports"), said(verdict="skipped", who="Ben")], "sports", "confirmed", 1),
        ([said("sports"), said(verdict="skipped", when=1)], "", "skipped", 0),
        ([said(verdict="rejected")], "", "rejected", 0),
        ([said(verdict="empty")], "", "empty", 0),
        ([said(verdict="open", who="")], "", "not annotated", 0),
        ([said("sports"), said(verdict="open", who="")], "sports", "confirmed", 1),
    ],
)
def test_the_label_that_follows(answers: list[Answer], label: str, status: str, annotators: int) -> None:
    found = agreed(answers)
    assert [(one.label, one.status, one.annotators) for one in found] == [(label, status, annotators)]


def test_documents_with_ids_are_kept_apart() -> None:
    answers = [Answer("same", ("sports",), id="1"), Answer("same", ("money",), id="2")]
    assert [(found.id, found.label) for found in agreed(answers)] == [("1", "sports"), ("2", "money")]


def test_another_name_for_none_of_these() -> None:
    assert [found.label for found in agreed([said("other")], ["sports"], "other")] == ["none"]
    with pytest.raises(InputError, match="the document 'a text' has the label 'sprots', which is not one of"):
        agreed([said("sprots")], ["sports"])


def test_annotations_that_are_no_labels(tmp_path: Path) -> None:
    tasks = list(TOOLS["label-studio"].tasks([Record("a"), Record("b"), Record("c")], CHOICES))
    export = EXPORTS["label-studio"](tasks, [["sports"], [], ["sports"]])
    export[0]["annotations"][0]["was_cancelled"] = True
    export[2]["annotations"] = []
    write_export(tmp_path / "ls.json", export)
    assert [one.status for one in read_checked(tmp_path / "ls.json", "label-studio")] == [
        "skipped", "empty", "not annotated",
    ]  # fmt: skip
    tasks = list(TOOLS["prodigy"].tasks([Record("a"), Record("b"), Record("c"), Record("d")], CHOICES))
    export = EXPORTS["prodigy"](tasks, [["sports"], ["sports"], [], []])
    export[0]["answer"], export[1]["answer"] = "reject", "ignore"
    del export[3]["accept"]
    write_export(tmp_path / "p.jsonl", export)
    statuses = [one.status for one in read_checked(tmp_path / "p.jsonl", "prodigy")]
    assert statuses == ["rejected", "skipped", "empty", "empty"]
    records = list(TOOLS["argilla"].tasks([Record("a"), Record("b"), Record("c"), Record("d")], CHOICES))
    export = EXPORTS["argilla"](records, [[], ["sports"], ["sports"], ["sports"]])
    export[1]["status"] = "pending"  # of which Argilla does not say whether it is a draft
    export[2]["responses"]["label"][0]["status"] = "draft"
    export[3]["responses"]["label"][0]["status"] = "discarded"
    write_export(tmp_path / "a.json", export)
    statuses = [one.status for one in read_checked(tmp_path / "a.json", "argilla")]
    assert statuses == ["skipped", "not annotated", "not annotated", "skipped"]


def test_the_files_of_several_people_of_doccano(tmp_path: Path) -> None:
    examples = list(TOOLS["doccano"].tasks([Record("a"), Record("b")], CHOICES))
    for person, second in {"ada": "sports", "ben": "sports", "cem": "none"}.items():
        write_export(tmp_path / f"{person}.jsonl", EXPORTS["doccano"](examples, [["sports"], [second]]))
    found = read_checked(tmp_path / "*.jsonl", "doccano")
    assert [(one.label, one.annotators) for one in found] == [("sports", 3), ("sports", 3)]


# ------------------------------------------------------------------------------------------------ broken files

LS_TASK = {"data": {"text": "a"}, "annotations": []}
BROKEN: list[tuple[str, str, str]] = [
    *((tool, "", "is empty") for tool in TOOLS),
    *((tool, "[]", "is an empty list") for tool in TOOLS),
    *((tool, "no JSON", "line 1 is not JSON") for tool in TOOLS),
    *((tool, '[{"text": "a"', "is not JSON") for tool in TOOLS),
    *((tool, "[" * 100_000, "is nested too deeply") for tool in TOOLS),
    *((tool, "[7]", "entry 1 is 7, not an object") for tool in TOOLS),
    *((tool, "7", "entry 1 is 7, not an object") for tool in TOOLS),
    *((tool, '[{"text": ' + "9" * 5000 + "}]", "is not JSON") for tool in TOOLS),
    ("label-studio", "[{}]", "entry 1 has no 'text'"),
    ("label-studio", '[{"data": 7}]', "has 7 as 'data', not an object"),
    ("label-studio", '[{"data": {"image": "a.png"}}]', "entry 1 has no 'text'"),
    ("label-studio", '[{"data": {"text": ["a"]}}]', r"has \['a'\] as 'text', not a text"),
    ("label-studio", '[{"data": {"text": " "}}]', "has an empty text"),
    ("label-studio", '[{"data": {"text": "a"}, "annotations": {}}]', "has {} as 'annotations', not a list"),
    ("label-studio", '[{"data": {"text": "a"}, "annotations": [1]}]', "has 1 as 'annotations', not an object"),
    ("label-studio", '[{"text": "a", "category": [7]}]', r"has \[7\] as 'category', not a label"),
    ("label-studio", '[{"text": "a", "category": {"choices": [7]}}]', "has 7 among 'choices', not a label"),
    ("argilla", '[{"text": "a"}]', "has no 'fields'"),
    ("argilla", '[{"fields": {"prompt": "a"}}]', "has no 'text'"),
    ("argilla", '[{"fields": {"text": "a"}, "responses": {"label": 7}}]', "has 7 as 'label', not a list"),
    ("argilla", '[{"fields": {"text": "a"}, "responses": {"x": [], "y": []}}]', "several questions"),
    ("argilla", '[{"fields": {"text": "a"}, "responses": {"label": [{"value": 7}]}}]', "has 7 as 'value'"),
    ("doccano", '{"label": ["sports"]}', "has no 'text'"),
    ("doccano", '{"text": "a"}', "has no 'label'"),
    ("doccano", '{"text": "a", "label": "sports"}', "has 'sports' as 'label', not a list"),
    ("doccano", '{"text": "a", "label": [[0, 1, "ORG"]]}', r"has \[0, 1, 'ORG'\] among 'label'"),
    ("doccano", '{"text": "a", "label": [], "document_id": []}', r"has \[\] as 'document_id', not a text"),
    ("prodigy", '{"text": "a", "answer": "maybe"}', "has 'maybe' as 'answer', not accept, reject or ignore"),
    ("prodigy", '{"text": "a", "label": "x", "answer": "accept"}', "does not come from the interface choice"),
    ("prodigy", '{"text": "a", "accept": 7, "answer": "accept"}', "has 7 as 'accept', not a list"),
    ("prodigy", '{"text": "a", "meta": 7}', "has 7 as 'meta', not an object"),
]  # fmt: skip


@pytest.mark.parametrize(("tool", "content", "message"), BROKEN, ids=range(len(BROKEN)))
def test_broken_files(tool: str, content: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    path.write_text(content)
    with pytest.raises(InputError, match=message) as error:
        read_checked(path, tool)
    assert "\n" not in str(error.value)
    assert str(error.value).startswith(str(path))


def test_annotations_by_several_controls_of_label_studio(tmp_path: Path) -> None:
    regions = [
        {"type": "choices", "from_name": name, "to_name": "text", "value": {"choices": [name]}}
        for name in ("tone", "topic")
    ]
    task = {"data": {"text": "a"}, "annotations": [{"result": regions}]}
    path = tmp_path / "export.json"
    path.write_text(json.dumps([task]))
    with pytest.raises(InputError, match=r"has several choices \('tone', 'topic'\)"):
        read_checked(path, "label-studio")
    regions[1]["from_name"] = "category"
    path.write_text(json.dumps([task]))
    assert read_checked(path, "label-studio")[0].label == "topic"


def test_other_bytes_and_other_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "export.json"
    path.write_bytes(b'\xef\xbb\xbf[{"data": {"text": "a"}}]')
    assert len(read_checked(path, "label-studio")) == 1
    path.write_bytes(b"\xff\xfe[\x00")
    with pytest.raises(InputError, match="is not UTF-8 text: give the file that Label Studio exports"):
        read_checked(path, "label-studio")
    with pytest.raises(InputError, match=r"none.json was not found"):
        read_checked(tmp_path / "none.json", "label-studio")
    monkeypatch.setattr("seedtopic.answers.annotation.files.MOST_BYTES", 2)
    with pytest.raises(InputError, match="export the documents in parts"):
        read_checked(path, "label-studio")


@every_tool
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(
    entry=st.recursive(
        st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=3),
        lambda inner: st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(["text", "data", "fields", "annotations", "result", "value", "choices", "label", "responses", "accept", "answer", "meta", "options", "metadata", "document_id", "type", "from_name", "status", "user_id", "category"]),
            inner,
            max_size=5,
        ),
        max_leaves=12,
    )
)  # fmt: skip
def test_whatever_stands_in_a_file_is_read_or_refused(tool: str, entry: Any, tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    path.write_text(json.dumps([entry]))
    with suppress(InputError):
        for found in read_checked(path, tool):
            assert isinstance(found.text, str)
            assert isinstance(found.label, str)


# ------------------------------------------------------------------------------------------------ what is refused


@every_tool
def test_tasks_that_cannot_be_written(tool: str, tmp_path: Path) -> None:
    path = tmp_path / f"tasks{TOOLS[tool].ending}"
    path.write_text("old")
    for records, message in [
        ([], "no document with a text"),
        ([Record("a", suggestions=(Suggestion("sprots"),))], "has the label 'sprots', which is not one of"),
        ([Record("a", confirmed="sprots")], "has the label 'sprots'"),
        ([Record("a \ud800")], "could not be written as UTF-8"),
    ]:
        with pytest.raises(InputError, match=message):
            write_tasks(path, tool, records, CHOICES)
    with pytest.raises(InputError, match=f"ends in {TOOLS[tool].ending}: name it so"):
        write_tasks(tmp_path / "tasks.xls", tool, [Record("a")], CHOICES)
    assert [found.name for found in tmp_path.iterdir()] == [path.name]
    assert path.read_text() == "old"


def test_unknown_tools_and_settings(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the annotation tool is 'brat': use one of label-studio, argilla"):
        write_tasks(tmp_path / "tasks.json", "brat", [Record("a")], CHOICES)
    with pytest.raises(InputError, match="Prodigy needs no file of settings"):
        write_settings(tmp_path / "settings.json", "prodigy", CHOICES)
    with pytest.raises(InputError, match="no document has a label"):
        Choices.of(Rows(texts=["a"], rows=[{"text": "a"}]))


# ------------------------------------------------------------------------------------------------ command line


def test_the_command(
    labelled: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("seeds.toml").write_text('sports = ["goal"]\nmoney = ["bank"]\n')
    for tool, how in TOOLS.items():
        tasks, export = f"{tool}{how.ending}", f"{tool}-export{how.ending}"
        setting = ["--settings", f"{tool}-settings{how.settings_ending}"] if how.settings else []
        assert cli.run(["convert", "labelled.csv", "--to", tool, "-o", tasks, *setting, "--json"]) == 3
        found = json.loads(capsys.readouterr().out)
        assert (found["documents"], found["categories"]) == (3, ["money", "sports", "none"])
        write_export(Path(export), EXPORTS[tool](read_tasks(Path(tasks)), [["money"], ["money"], ["none"]]))
        from_ = ["convert", export, "--from", tool, "-o", "checked.csv", "--seeds", "seeds.toml"]
        assert cli.run([*from_, "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["confirmed"] == 3
        with pytest.warns(UserWarning, match="no text"):
            documents = read_documents("labelled.csv")
        confirmed = labels_of_file(Path("checked.csv"), documents, ["sports", "money"])
        assert confirmed == ["money", "money", "none", ""]
        add = ["convert", export, "--from", tool, "--answers", f"{tool}.answers.csv"]
        assert cli.run([*add, "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["new"] == 3
        assert cli.run([*add, "--json"]) == 0  # a second time
        assert json.loads(capsys.readouterr().out)["new"] == 0
        answers = Answers.read(f"{tool}.answers.csv").matching(documents.texts)
        assert (answers.labels, answers.none) == ({0: "money", 1: "money"}, {2})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("-o tasks.json", "give --to TOOL or --from TOOL"),
        ("--to argilla --from argilla -o tasks.json", "give --to TOOL or --from TOOL"),
        ("--to brat -o tasks.json", "use one of label-studio, argilla, doccano, prodigy"),
        ("--to label-studio -o tasks.csv", "tasks.csv is for Label Studio, whose file ends in .json"),
        ("--to label-studio -o labelled.csv", "contains the documents and would be overwritten"),
        ("--to label-studio -o nowhere/tasks.json", "the folder nowhere for tasks.json does not exist"),
        ("--to argilla -o tasks.json --settings tasks.json", "is both the output and the settings"),
        ("--to prodigy -o tasks.jsonl --settings x.json", "Prodigy needs no file of settings"),
        ("--to doccano -o tasks.jsonl --argilla-user x", "--argilla-user is not for doccano"),
        ("--to doccano -o tasks.jsonl --seeds other.toml", "has the label 'sports', which is not one of"),
        ("--from doccano -o checked.csv --text-field body", "--text-field is for --to"),
        ("--from doccano", "name the file of your answers with --answers, or a file for --confirmed with -o"),
        ("--to doccano", "--to writes a file for the tool: name it with -o"),
        ("--from doccano -o checked.csv --strict", "--encoding and --strict are for --to"),
        ("--from doccano -o checked.txt", "checked.txt has the ending '.txt'"),
        ("--from doccano -o checked.csv", "line 1 is not JSON"),
        ("--from doccano -o - --json", "standard output cannot hold both"),
    ],
)
def test_wrong_commands(
    arguments: str, message: str, labelled: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    monkeypatch.chdir(labelled.parent)
    Path("other.toml").write_text('one = ["x"]\ntwo = ["y"]\n')
    before = sorted(path.name for path in labelled.parent.iterdir())
    assert cli.run(["convert", "labelled.csv", *arguments.split()]) == 2
    assert message in capsys.readouterr().err.splitlines()[-1]
    assert sorted(path.name for path in labelled.parent.iterdir()) == before


def test_nothing_that_was_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_export(Path("export.json"), [LS_TASK, {**LS_TASK, "data": {"text": "b"}}])
    assert cli.run(["convert", "export.json", "--from", "label-studio", "-o", "checked.csv"]) == 2
    assert "no document in export.json has a checked label (2 not annotated)" in capsys.readouterr().err
    assert not Path("checked.csv").exists()
