"""What a reader could not use as it stands: counted by kind, the first few named, or refused at once."""

from __future__ import annotations

from typing import NamedTuple

from seedtopic.errors import InputError

SHOWN = 3  # places named in a note; the others are only counted
NAME_ENCODING = "if all of it is in another encoding, name that (--encoding latin-1, say)"


class Place(NamedTuple):
    """A line of a source, or the whole of it."""

    source: str
    line: int | None = None

    def within(self, name: str) -> str:
        """Name the place for whoever knows that the talk is of `name`."""
        if self.line is None:
            return self.source
        return f"line {self.line}" if self.source == name else f"{self.source} line {self.line}"


class Problems:
    """What a reader notices: lines and rows that are not as they should be, and remarks.

    Parameters
    ----------
    strict
        Whether the first problem is an error.

    Examples
    --------
    >>> problems = Problems()
    >>> problems.leave_out(Place("a.jsonl", 3), "is no JSON object", "put one object on each line")
    >>> problems.count, problems.sentences("a.jsonl")
    (1, ['1 row of a.jsonl could not be used and was left out: line 3 is no JSON object'])
    """

    def __init__(self, *, strict: bool = False) -> None:
        self.strict = strict
        self.remarks: list[str] = []
        self.n_left_out = 0
        self._left_out: list[tuple[Place, str]] = []
        self._remedy = ""
        self._damaged: dict[str, tuple[int, list[Place]]] = {}

    @property
    def count(self) -> int:
        """The number of rows and lines that are not as they should be."""
        return self.n_left_out + sum(count for count, _ in self._damaged.values())

    def leave_out(self, place: Place, reason: str, remedy: str) -> None:
        """Note something that cannot be used."""
        self._refuse_if_strict(place, reason, remedy)
        self.n_left_out += 1
        self._remedy = self._remedy or remedy
        if len(self._left_out) < SHOWN:
            self._left_out.append((place, reason))

    def damaged(self, place: Place, encoding: str) -> None:
        """Note a line that was read with replacement characters."""
        self._refuse_if_strict(place, f"is not valid {encoding}", NAME_ENCODING)
        count, first = self._damaged.get(encoding, (0, []))
        if len(first) < SHOWN:
            first.append(place)
        self._damaged[encoding] = count + 1, first

    def nothing_left(self, name: str) -> InputError:
        """Say that no row was left to use."""
        return InputError(f"{name} holds no document that can be used: {self._listed(name)}: {self._remedy}")

    def sentences(self, name: str) -> list[str]:
        """Say what is not as it should be, a sentence each kind; remarks are not among them."""
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
        more = self.n_left_out - len(self._left_out)
        shown = "; ".join(f"{place.within(name)} {reason}" for place, reason in self._left_out)
        return f"{shown}; and {more:,} more" if more else shown

    def _refuse_if_strict(self, place: Place, reason: str, remedy: str) -> None:
        if self.strict:
            where = place.source if place.line is None else f"{place.source}:{place.line}"
            raise InputError(f"{where} {reason}: {remedy}")


def number_of(count: int, thing: str) -> str:
    """Write a number of things.

    Examples
    --------
    >>> number_of(1, "row"), number_of(2000, "row")
    ('1 row', '2,000 rows')
    """
    return f"{count:,} {thing}{'s' * (count != 1)}"


def first_places(first: list[Place], name: str) -> str:
    """Name some places; where all are lines of one source, the word line is said once.

    Examples
    --------
    >>> first_places([Place("a.csv", 3), Place("a.csv", 7)], "a.csv")
    'line 3, 7'
    """
    if all(place.source == name and place.line is not None for place in first):
        return "line " + ", ".join(str(place.line) for place in first)
    return ", ".join(place.within(name) for place in first)
