"""Files of the annotation tools Label Studio, Argilla, doccano and Prodigy.

Examples
--------
>>> from seedtopic.answers.annotation import Choices, Record, Suggestion, tool_named
>>> records = [Record("a late goal", "t1", (Suggestion("sports", 0.9),))]
>>> task = next(tool_named("label-studio").tasks(records, Choices(("sports", "money"))))
>>> task["predictions"][0]["score"]
0.9
"""

from __future__ import annotations

from seedtopic.answers.annotation.files import (
    TOOLS,
    CheckedDocument,
    Tool,
    agreed,
    answers_of_tool,
    read_checked,
    tool_named,
    write_checked,
    write_settings,
    write_tasks,
)
from seedtopic.answers.annotation.records import Answer, Choices, Record, Suggestion, records_of

__all__ = [
    "TOOLS",
    "Answer",
    "CheckedDocument",
    "Choices",
    "Record",
    "Suggestion",
    "Tool",
    "agreed",
    "answers_of_tool",
    "read_checked",
    "records_of",
    "tool_named",
    "write_checked",
    "write_settings",
    "write_tasks",
]
