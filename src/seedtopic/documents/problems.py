"""Problems of an input: counted by kind, the first few listed; in strict mode the first is an error."""

from __future__ import annotations

from typing import Any, NamedTuple

from seedtopic.base.errors import InputError
from seedtopic.base.wording import and_more, number_of
from seedtopic.documents.limits import Limits

SHOWN = 3  # places listed in a message; the others are only counted
NAME_ENCODING = "if the file is in another encoding, name it (for example --encoding latin-1)"


class Place(NamedTuple):
    """A line of a source, or the whole source."""

    source: str
    line: int | None = None

    def within(self, name: str) -> str:
        """Return the place as a text, in a sentence about `name`."""
        if self.line is None:
            return self.source
        return f"line {self.line}" if self.source == name else f"{self.source} line {self.line}"


class Problems:
    """Collects what was noticed of an input: lines and rows that cannot be used as they are, remarks, style.

    Examples
    --------
    >>> problems = Problems()
    >>> problems.leave_out(Place("a.jsonl", 3), "is not a JSON object", "put one object on each line")
    >>> problems.count, problems.sentences("a.jsonl")
    (1, ['1 row of a.jsonl could not be used and was left out: line 3 is not a JSON object'])
    """

    def __init__(self, *, strict: bool = False, limits: Limits | None = None) -> None:
        self.strict = strict
        self.limits = limits or Limits.given()
        self.remarks: list[str] = []
        self.style: dict[str, Any] = {}  # of the first table, see TableStyle
        self.n_left_out = 0
        self._left_out: list[tuple[Place, str]] = []
        self._remedy = ""
        self._damaged: dict[str, tuple[int, list[Place]]] = {}

    @property
    def count(self) -> int:
        """The number of rows and lines with a problem."""
        return self.n_left_out + sum(count for count, _ in self._damaged.values())

    def leave_out(self, place: Place, reason: str, remedy: str) -> None:
        """Add something that cannot be used."""
        self._refuse_if_strict(place, reason, remedy)
        self.n_left_out += 1
        self._remedy = self._remedy or remedy
        if len(self._left_out) < SHOWN:
            self._left_out.append((place, reason))

    def damaged(self, place: Place, encoding: str) -> None:
        """Add a line that was read with replacement characters."""
        self._refuse_if_strict(place, f"is not valid {encoding}", NAME_ENCODING)
        count, first = self._damaged.get(encoding, (0, []))
        if len(first) < SHOWN:
            first.append(place)
        self._damaged[encoding] = count + 1, first

    def add(self, other: Problems) -> None:
        """Add what was noticed further on in the same input."""
        self.remarks += [remark for remark in other.remarks if remark not in self.remarks]
        self.n_left_out += other.n_left_out
        self._left_out = (self._left_out + other._left_out)[:SHOWN]
        self._remedy = self._remedy or other._remedy
        for encoding, (count, first) in other._damaged.items():
            before, earlier = self._damaged.get(encoding, (0, []))
            self._damaged[encoding] = before + count, (earlier + first)[:SHOWN]

    def taken(self) -> Problems:
        """Return what was noticed since this was last called; the style stays."""
        noticed = Problems(strict=self.strict, limits=self.limits)
        noticed.add(self)
        self.remarks, self.n_left_out, self._left_out, self._remedy, self._damaged = [], 0, [], "", {}
        return noticed

    def nothing_left(self, name: str) -> InputError:
        """Return the error that no usable row is left."""
        return InputError(f"{name} contains no usable document: {self._listed(name)}: {self._remedy}")

    def sentences(self, name: str) -> list[str]:
        """Return one sentence per kind of problem; remarks are not included."""
        sentences = []
        for encoding, (count, first) in self._damaged.items():
            were = "was" if count == 1 else "were"
            sentences.append(
                f"{number_of(count, 'line')} of {name} {were} not valid {encoding} and {were} read with "
                f"replacement characters (first: {first_places(first, name)}); {NAME_ENCODING}"
            )
        if self.n_left_out:
            thing = "row" if any(place.line is not None for place, _ in self._left_out) else "part"
            were = "was" if self.n_left_out == 1 else "were"
            sentences.append(
                f"{number_of(self.n_left_out, thing)} of {name} could not be used and {were} left out: "
                f"{self._listed(name)}"
            )
        return sentences

    def _listed(self, name: str) -> str:
        shown = [f"{place.within(name)} {reason}" for place, reason in self._left_out]
        return and_more(shown, self.n_left_out, "; ")

    def _refuse_if_strict(self, place: Place, reason: str, remedy: str) -> None:
        if self.strict:
            where = place.source if place.line is None else f"{place.source}:{place.line}"
            raise InputError(f"{where} {reason}: {remedy}")


def first_places(first: list[Place], name: str) -> str:
    """List some places; if all are lines of one source, the word line appears once.

    Examples
    --------
    >>> first_places([Place("a.csv", 3), Place("a.csv", 7)], "a.csv")
    'line 3, 7'
    """
    if all(place.source == name and place.line is not None for place in first):
        return "line " + ", ".join(str(place.line) for place in first)
    return ", ".join(place.within(name) for place in first)
