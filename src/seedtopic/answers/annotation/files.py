"""Files of annotation tools: written as they import them, and read as they export them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from seedtopic.answers import ledger
from seedtopic.answers.annotation import argilla, label_studio
from seedtopic.answers.annotation.json_lines import (
    doccano_answers,
    doccano_settings,
    doccano_tasks,
    prodigy_answers,
    prodigy_tasks,
)
from seedtopic.answers.annotation.records import SEPARATOR, Answer, Choices, Entry, Record
from seedtopic.base import json as strict_json
from seedtopic.base.errors import InputError
from seedtopic.base.files import atomic_file, check_place
from seedtopic.io.predictions import CHECKED, NONE
from seedtopic.io.source import Problems, matched_files, opened
from seedtopic.io.write import write_rows
from seedtopic.seeds.names import NONE_OF_THESE, SKIPPED
from seedtopic.text.identity import identity

MOST_BYTES = 1 << 31  # of one file, which takes several times as much memory
COLUMNS = ("id", "text", CHECKED, "status", "labels", "annotators", "by")
# Why a document has no confirmed label, as the column `status` and the command say it.
CONFIRMED, SEVERAL, DISAGREEMENT = "confirmed", "several labels", "disagreement"
_WITHOUT = {"empty": "empty", "rejected": "rejected", "skipped": "skipped", "open": "not annotated"}


@dataclass(frozen=True)
class Tool:
    """How the files of a tool are made and read.

    Attributes
    ----------
    name, tasks, answers, ending, settings, settings_ending
    """

    name: str
    tasks: Callable[[Iterable[Record], Choices], Iterator[dict[str, Any]]]  # what the tool imports
    answers: Callable[[Entry], Iterator[Answer]]  # in one object of what it exports
    ending: str  # of the file to import: ``.json`` for one list, ``.jsonl`` for one object per line
    settings: Callable[[Choices], str] | None = None  # writes the categories, where the tasks do not
    settings_ending: str = ""


TOOLS = {
    "label-studio": Tool(
        "Label Studio", label_studio.tasks, label_studio.answers, ".json", label_studio.settings, ".xml"
    ),
    "argilla": Tool("Argilla", argilla.tasks, argilla.answers, ".json", argilla.settings, ".json"),
    "doccano": Tool("doccano", doccano_tasks, doccano_answers, ".jsonl", doccano_settings, ".json"),
    "prodigy": Tool("Prodigy", prodigy_tasks, prodigy_answers, ".jsonl"),
}


def tool_named(name: str) -> Tool:
    """Find a tool.

    Parameters
    ----------
    name : str
        ``"label-studio"``, ``"argilla"``, ``"doccano"`` or ``"prodigy"``.

    Examples
    --------
    >>> tool_named("label-studio").ending
    '.json'
    """
    tool = TOOLS.get(name.casefold().replace("_", "-").replace(" ", "-"))
    if tool is None:
        raise InputError(f"the annotation tool is {name!r}: use one of {', '.join(TOOLS)}.")
    return tool


@dataclass(frozen=True)
class CheckedDocument:
    """A document with the label that people gave it, or the reason why it has none.

    Attributes
    ----------
    text, id, label, status, labels, annotators, by
    """

    text: str
    id: str | None
    label: str  # the confirmed one, "none" for none of the categories, or an empty text
    status: str  # "confirmed", or why it is not: see the how-to "Annotation tools"
    labels: tuple[str, ...]  # all that was chosen
    annotators: int  # how many people chose a label
    by: str = ""  # who gave the confirmed one, where the tool says so

    def row(self) -> dict[str, Any]:
        """Return it as a row of the file that ``--confirmed`` reads."""
        labels = SEPARATOR.join(self.labels)
        values = (self.id, self.text, self.label, self.status, labels, self.annotators, self.by)
        return dict(zip(COLUMNS, values, strict=True))


def agreed(
    answers: Iterable[Answer], names: Sequence[str] | None = None, none_label: str = NONE
) -> list[CheckedDocument]:
    """Find the label of each document.

    Of each person the latest answer counts, and of all people the answer that most of them gave. If two
    answers were given equally often, the document has no label.

    Parameters
    ----------
    answers : iterable of Answer
        They belong to one document if they have the same text, and the same id where there are ids.
    names : sequence of str, optional
        The categories; left out, every label is taken.
    none_label : str
        What was chosen for documents that belong to none of them.

    Examples
    --------
    >>> answers = [Answer("a goal", ("sports",), annotator=name) for name in ("Ada", "Ben")]
    >>> agreed([*answers, Answer("a goal", ("money",), annotator="Cem")])[0].label
    'sports'
    """
    documents: dict[tuple[str | None, str], list[Answer]] = {}
    for answer in answers:
        key = answer.id, identity(answer.text)  # several documents may have one id
        documents.setdefault(key, []).append(answer)
    choices = None if names is None else Choices(tuple(names), none_label)
    checked = []
    for own in documents.values():
        latest = _latest(own)
        votes = Counter(tuple(sorted(set(answer.labels))) for answer in latest if answer.verdict == "chosen")
        ranked = votes.most_common(2)
        labels: tuple[str, ...] = ()
        if not ranked:
            status = _WITHOUT[latest[-1].verdict]
        elif len(ranked) == 2 and ranked[0][1] == ranked[1][1]:
            status, labels = DISAGREEMENT, tuple(sorted({label for chosen in votes for label in chosen}))
        else:
            labels = ranked[0][0]
            status = CONFIRMED if len(labels) == 1 else SEVERAL
        text, id = own[0].text, own[0].id
        if choices is not None:
            for label in labels:
                choices.check(label, text, id)
        label = labels[0] if status == CONFIRMED else ""
        by = ", ".join(sorted({answer.annotator for answer in latest if label and answer.labels == labels}))
        label = NONE if label == none_label else label
        checked.append(CheckedDocument(text, id, label, status, labels, votes.total(), by))
    return checked


def _latest(answers: Sequence[Answer]) -> list[Answer]:
    """Return the latest answer of each person, or those that decide alone, about one document."""
    # What nobody has looked at is an answer only if it is alone.
    looked_at = [answer for answer in answers if answer.verdict != "open"] or answers
    by_person = {answer.annotator: answer for answer in sorted(looked_at, key=lambda answer: answer.when)}
    latest = list(by_person.values())
    return [answer for answer in latest if answer.final] or latest


def write_tasks(path: str | Path, tool: str | Tool, records: Iterable[Record], choices: Choices) -> int:
    """Write what a tool imports; the file is never left half written.

    Parameters
    ----------
    path : path
        With the ending ``.json`` for Label Studio and Argilla, and ``.jsonl`` for doccano and Prodigy.
    tool : str or Tool
        ``"label-studio"``, ``"argilla"``, ``"doccano"`` or ``"prodigy"``.
    records : iterable of Record
    choices : Choices

    Returns
    -------
    int
        How many documents were written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "tasks.jsonl")
    ...     write_tasks(path, "doccano", [Record("a goal", confirmed="sports")], Choices(("sports",)))
    ...     path.read_text()
    1
    '{"text": "a goal", "label": ["sports"]}\\n'
    """
    tool = tool_named(tool) if isinstance(tool, str) else tool
    check_ending(path, tool.name, tool.ending)
    begin, between, end = ("[\n", ",\n", "\n]\n") if tool.ending == ".json" else ("", "\n", "\n")
    count = 0

    def parts() -> Iterator[str]:
        nonlocal count
        for count, task in enumerate(tool.tasks(_checked(records, choices), choices), 1):
            yield (begin if count == 1 else between) + strict_json.written(task, default=str)
        if not count:
            raise InputError(f"there is no document with a text to write to {path}.")
        yield end

    _write(path, parts())
    return count


def write_settings(path: str | Path, tool: str | Tool, choices: Choices) -> None:
    """Write what a tool has to know about the categories.

    Parameters
    ----------
    path : path
        With the ending ``.xml`` for Label Studio, and ``.json`` for Argilla and doccano.
    tool : str or Tool
    choices : Choices

    Examples
    --------
    >>> write_settings("settings.json", "prodigy", Choices(("sports",)))
    Traceback (most recent call last):
        ...
    seedtopic.base.errors.InputError: Prodigy needs no file of settings, because every task names its \
categories: leave it out.
    """
    tool = tool_named(tool) if isinstance(tool, str) else tool
    check_settings(path, tool)
    assert tool.settings is not None
    _write(path, [tool.settings(choices) + "\n"])


def read_checked(
    path: str | Path,
    tool: str | Tool,
    names: Sequence[str] | None = None,
    none_label: str = NONE,
) -> list[CheckedDocument]:
    """Read what people have said in a tool, and find the label of each document; see `agreed`.

    Parameters
    ----------
    path : path
        A file that the tool has exported, also with ``.gz``; or a pattern such as ``export/*.jsonl``.
    tool : str or Tool
    names, none_label
        The categories, see `agreed`.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "all.jsonl")
    ...     _ = path.write_text('{"id": 1, "text": "a goal", "label": ["sports"]}')
    ...     [(document.label, document.status) for document in read_checked(path, "doccano")]
    [('sports', 'confirmed')]
    """
    tool = tool_named(tool) if isinstance(tool, str) else tool
    return agreed(_answers(Path(path), tool), names, none_label)


def answers_of_tool(
    path: str | Path,
    tool: str | Tool,
    names: Sequence[str] | None = None,
    none_label: str = NONE,
) -> list[ledger.Answer]:
    """Read what each person has said in a tool, as the ledger of answers keeps it.

    Parameters
    ----------
    path, tool, names, none_label
        See `read_checked`.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "all.jsonl")
    ...     _ = path.write_text('{"id": 1, "text": "a goal", "label": ["sports"]}')
    ...     [(answer.text, answer.answer, answer.by) for answer in answers_of_tool(path, "doccano")]
    [('a goal', 'sports', 'all')]
    """
    tool = tool_named(tool) if isinstance(tool, str) else tool
    choices = None if names is None else Choices(tuple(names), none_label)
    documents: dict[tuple[str | None, str], list[Answer]] = {}
    for answer in _answers(Path(path), tool):
        documents.setdefault((answer.id, identity(answer.text)), []).append(answer)
    latest = [answer for about in documents.values() for answer in _latest(about)]
    rows = []
    for answer in latest:
        if answer.verdict != "skipped" and not (answer.verdict == "chosen" and answer.labels):
            continue
        if choices is not None:
            for label in answer.labels:
                choices.check(label, answer.text, answer.id)
        labels = [NONE_OF_THESE if label == none_label else label for label in answer.labels]
        chosen = SKIPPED if answer.verdict == "skipped" else SEPARATOR.join(labels)
        at = datetime.fromtimestamp(answer.when, UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if answer.when else ""
        by, how = answer.annotator or tool.name, Path(path).name
        rows.append(ledger.Answer(answer.text, answer.id or "", chosen, by, at, how))
    return rows


def write_checked(path: str | Path, checked: Iterable[CheckedDocument]) -> None:
    """Write the file that ``--confirmed`` reads, one row per document.

    Parameters
    ----------
    path : path
        As for `seedtopic.io.write.write_rows`.
    checked : iterable of CheckedDocument
    """
    documents = list(checked)
    ids = any(document.id is not None for document in documents)
    write_rows(path, (document.row() for document in documents), COLUMNS if ids else COLUMNS[1:])


def check_ending(path: str | Path, whose: str, ending: str) -> None:
    """Raise an error unless a file can be written and has the ending that a tool expects."""
    if Path(path).suffix.lower() != ending and not Path(path).is_dir():
        raise InputError(f"{path} is for {whose}, whose file ends in {ending}: name it so.")
    check_place(Path(path), "tasks" + ending)


def check_settings(path: str | Path, tool: Tool) -> None:
    """Raise an error unless a file of settings can be written, and the tool needs one."""
    if tool.settings is None:
        raise InputError(
            f"{tool.name} needs no file of settings, because every task names its categories: leave it out."
        )
    check_ending(path, f"the settings of {tool.name}", tool.settings_ending)


def _checked(records: Iterable[Record], choices: Choices) -> Iterator[Record]:
    for record in records:
        if record.confirmed is not None:
            record = replace(record, confirmed=choices.label(record.confirmed))
        if record.confirmed is not None:
            choices.check(record.confirmed, record.text, record.id)
        for suggestion in record.suggestions:
            choices.check(suggestion.label, record.text, record.id)
        yield record


def _answers(path: Path, tool: Tool) -> Iterator[Answer]:
    for file in matched_files(path) or [path]:
        for number, values in enumerate(_objects(file, tool), 1):
            entry = Entry(values if isinstance(values, dict) else {}, str(file), number, tool.name)
            if not isinstance(values, dict):
                raise entry.refused(f"is {values!r:.40}, not an object")
            yield from tool.answers(entry)


def _objects(path: Path, tool: Tool) -> Iterator[Any]:
    """Yield the values of a JSON list, or of one JSON object per line."""
    with opened(path, str(path), Problems(strict=True)) as stream:
        content = stream.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise InputError(f"{path} has more than {MOST_BYTES >> 30} GiB: export the documents in parts.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise _not_exported(str(path), "is not UTF-8 text", tool) from None
    if text.lstrip().startswith("["):
        if not (values := _parsed(text, str(path), tool)):
            raise _not_exported(str(path), "is an empty list", tool)
        yield from values
        return
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not lines:
        raise _not_exported(str(path), "is empty", tool)
    for number, line in lines:  # not those of splitlines, which are allowed inside texts
        yield _parsed(line, f"{path}, line {number}", tool)


def _parsed(text: str, where: str, tool: Tool) -> Any:
    try:
        return json.loads(text)
    except RecursionError:
        raise _not_exported(where, "is nested too deeply", tool) from None
    except ValueError as error:
        raise _not_exported(where, f"is not JSON ({error})", tool) from None


def _not_exported(where: str, problem: str, tool: Tool) -> InputError:
    return InputError(f"{where} {problem}: give the file that {tool.name} exports.")


def _write(path: str | Path, parts: Iterable[str]) -> None:
    with atomic_file(path, "w") as file:
        try:
            file.writelines(parts)
            file.flush()
        except UnicodeEncodeError as error:
            raise InputError(
                f"{path} could not be written as UTF-8 because of {error.object[error.start : error.end]!r}: "
                "replace such invalid characters in the texts and category names."
            ) from None
