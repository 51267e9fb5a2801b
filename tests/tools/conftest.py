"""The packages of annotation tools, which have an environment of their own: make test-tools."""

from __future__ import annotations

from pathlib import Path

import pytest

from seedtopic.answers.annotation import Choices, Record, Suggestion

HERE = Path(__file__).parent
ODD = "Größe\u2028 <b>&amp;</b> \"quoted\" 'x' \x0b\t🙂 \u202e日本 $text\r\n{{x}}"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.tools)
            item.add_marker(pytest.mark.filterwarnings("ignore::DeprecationWarning"))  # of these packages


@pytest.fixture
def choices() -> Choices:
    return Choices(("sports", 'money & "more"', "Größe <b>"))


@pytest.fixture
def records() -> list[Record]:
    """A document with a label of the model, one with a confirmed label, and one without any."""
    metadata = {"probability": 0.75, "label": "mine", "id": 5, "created": "2026-01-01"}
    return [
        Record(ODD, "t1", (Suggestion("sports", 0.75),), metadata=metadata),
        Record("the second", "t2", confirmed='money & "more"'),
        Record("the third", None),
    ]
