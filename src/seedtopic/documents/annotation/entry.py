"""One object of a tool's file, whose parts are checked while they are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from seedtopic.base.errors import InputError
from seedtopic.documents.annotation.records import DOCUMENT_ID

_NAMES: dict[type, str] = {dict: "an object", list: "a list", str: "a text"}


@dataclass(frozen=True)
class Entry:
    """A JSON object, and where it stands."""

    values: Mapping[str, Any]
    source: str  # the file
    number: int  # which object of the file it is, or belongs to, from 1
    tool: str  # the name of the tool that has written the file

    def string(self, name: str) -> str:
        """Give a text."""
        found: str = self._expected(name, self.values.get(name), str)
        return found

    def name(self, name: str) -> str:
        """Give a name, which may be a number; an empty text where it is missing."""
        found = self.values.get(name)
        return "" if found is None else str(found) if isinstance(found, int) else self.string(name)

    def text(self) -> str:
        """Give the text of the document, which must not be blank."""
        text = self.string("text")
        if not text.strip():
            raise self.refused("has an empty text")
        return text

    def document_id(self) -> str | None:
        """Give the id that the document had before it was given to the tool, if any."""
        return self.name(DOCUMENT_ID) or None

    def labels(self, name: str) -> tuple[str, ...]:
        """Give a list of labels."""
        labels = self._expected(name, self.values.get(name), list)
        for label in labels:
            if not isinstance(label, str):
                raise self.refused(f"has {label!r:.40} among {name!r}, not a label")
        return tuple(label for label in labels if label.strip())

    def entry(self, name: str, *, optional: bool = False) -> Entry:
        """Give an object inside this one; an empty one if it is optional and missing."""
        found = self.values.get(name)
        return self._inside({} if optional and found is None else self._expected(name, found, dict))

    def entries(self, name: str) -> list[Entry]:
        """Give a list of objects inside this one; none where it is missing."""
        found = self.values.get(name)
        values = [] if found is None else self._expected(name, found, list)
        for value in values:
            self._expected(name, value, dict)
        return [self._inside(value) for value in values]

    def refused(self, problem: str) -> InputError:
        """Give the error that this object cannot be read."""
        return InputError(
            f"{self.source}, entry {self.number} {problem}: give the file that {self.tool} exports for text "
            "classification."
        )

    def _inside(self, values: Mapping[str, Any]) -> Entry:
        return replace(self, values=values)

    def _expected(self, name: str, value: Any, kind: type) -> Any:
        if name not in self.values:
            raise self.refused(f"has no {name!r}")
        if not isinstance(value, kind):
            raise self.refused(f"has {value!r:.40} as {name!r}, not {_NAMES[kind]}")
        return value
