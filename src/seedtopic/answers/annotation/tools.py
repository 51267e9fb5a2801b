"""The annotation tools by their names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from seedtopic.answers.annotation import argilla, doccano, label_studio, prodigy
from seedtopic.answers.annotation.answers import Answer, Entry
from seedtopic.answers.annotation.records import Choices, Record
from seedtopic.base.errors import InputError


@dataclass(frozen=True)
class Tool:
    """How the files of a tool are made and read.

    Attributes
    ----------
    name : str
    tasks : callable
        Makes what the tool imports, one object for each record.
    answers : callable
        Reads one object of what the tool exports.
    ending : str
        The ending of the file to import: ``.json`` for one list, ``.jsonl`` for one object per line.
    settings : callable or None
        Writes what the tool has to know about the categories; None where the tasks say it.
    settings_ending : str
        The ending of that file.
    """

    name: str
    tasks: Callable[[Iterable[Record], Choices], Iterator[dict[str, Any]]]
    answers: Callable[[Entry], Iterator[Answer]]
    ending: str
    settings: Callable[[Choices], str] | None = None
    settings_ending: str = ""


TOOLS = {
    "label-studio": Tool(
        "Label Studio", label_studio.tasks, label_studio.answers, ".json", label_studio.settings, ".xml"
    ),
    "argilla": Tool("Argilla", argilla.tasks, argilla.answers, ".json", argilla.settings, ".json"),
    "doccano": Tool("doccano", doccano.tasks, doccano.answers, ".jsonl", doccano.settings, ".json"),
    "prodigy": Tool("Prodigy", prodigy.tasks, prodigy.answers, ".jsonl"),
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
