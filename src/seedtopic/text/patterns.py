"""Regular expressions that are searched for in time linear in the text, whatever the expression.

Python's own engine tries the ways to match one after the other, which takes forever for some expressions and
texts, and a model folder may come from a stranger. Here all ways are followed at once: Python parses an
expression and tells which characters each part of it accepts, and this module walks over the text once.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from re import _compiler, _constants, _parser  # type: ignore[attr-defined]  # the parser has no public name
from typing import Any

from seedtopic.base.errors import InputError

FLAGS = re.IGNORECASE | re.MULTILINE
MOST_STATES = 500
MOST_REMEMBERED = 100_000  # of about 60 bytes each; a place takes ten, and one for each of its states
TOO_LONG = f"is too long: it has more than {MOST_STATES} parts when repetitions are written out"
_START, _NEWLINE, _WORD, _OTHER = range(4)  # what is before a place in the text
_TURKISH = "İı"  # which match i, but do not fold to it
_REPEATS = (_constants.MAX_REPEAT, _constants.MIN_REPEAT)
_CHARACTERS = (_constants.LITERAL, _constants.NOT_LITERAL, _constants.ANY, _constants.IN)


@dataclass(eq=False)
class _Place:
    """The states in which a walk can be before the next character, and where each character leads."""

    states: frozenset[int]
    before: int
    then: dict[str, _Place | None] = field(default_factory=dict)  # None: matched


class Pattern:
    """A regular expression without look-around and back-references; capitals do not matter."""

    def __init__(self, expression: str) -> None:
        self.expression = expression
        self._tests: list[Callable[[str], Any]] = []
        self._states: list[tuple[Any, Any]] = [("end", None)]
        self._known: dict[tuple[frozenset[int], int], _Place] = {}
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", FutureWarning)  # of [[ and the like, which are read as today
                parsed = _parser.parse(expression, FLAGS)
            flags = parsed.state.flags
            self._start = self._sequence(parsed, 0, flags)
        except re.error as error:
            at = "" if error.pos is None else f" at position {error.pos}"
            raise InputError(f"is not a regular expression{at}: {error.msg}") from None
        except (OverflowError, RecursionError):
            raise InputError("is too long, or nested too deeply") from None
        self._literal = _longest_literal(parsed) if flags & re.IGNORECASE else ""
        self._forget()
        if self.search(""):
            raise InputError("matches an empty text")

    def search(self, text: str) -> bool:
        """Return whether a part of the text matches."""
        if self._literal and self._literal not in text.casefold() and not any(c in text for c in _TURKISH):
            return False
        place = self._first
        for character in text:
            try:
                found = place.then[character]
            except KeyError:
                found = self._step(place, character)
            if found is None:
                return True
            place = found
        return 0 in self._reached(place, "")

    def _forget(self) -> None:
        for place in list(self._known.values()):
            place.then.clear()  # they lead to one another, so that they would stay for a while
        self._n_remembered = 0
        self._known = {}
        self._first = _Place(frozenset(), _START)

    def _step(self, place: _Place, character: str) -> _Place | None:
        if self._n_remembered > MOST_REMEMBERED:
            self._forget()  # walks that are under way go on from the place where they are
        reached = self._reached(place, character)
        found = None
        if 0 not in reached:
            chars = (self._states[state] for state in reached)
            then = frozenset(
                then for kind, then in chars if kind.__class__ is int and self._tests[kind](character)
            )
            key = then, _kind(character)
            found = self._known.get(key)
            if found is None:
                found = self._known[key] = _Place(*key)
                self._n_remembered += 10 + len(then)
        place.then[character] = found
        self._n_remembered += 2
        return found

    def _reached(self, place: _Place, character: str) -> set[int]:
        """Return the states that are reached without reading a character; a match may begin anywhere."""
        reached: set[int] = set()
        waiting = [self._start, *place.states]
        while waiting:
            state = waiting.pop()
            if state in reached:
                continue
            reached.add(state)
            kind, then = self._states[state]
            if kind == "either":
                waiting.extend(then)
            elif kind == "at" and _holds(then[0], place.before, character):
                waiting.append(then[1])
        return reached

    def _add(self, kind: Any, then: Any) -> int:
        if len(self._states) >= MOST_STATES:
            raise InputError(TOO_LONG)
        self._states.append((kind, then))
        return len(self._states) - 1

    def _sequence(self, parts: Any, then: int, flags: int) -> int:
        """Add states for parts, one after the other, that lead to a state; give the first."""
        for operation, argument in reversed(list(parts)):
            then = self._part(operation, argument, then, flags)
        return then

    def _part(self, operation: Any, argument: Any, then: int, flags: int) -> int:
        if operation in _CHARACTERS:
            self._tests.append(_accepts(operation, argument, flags))
            return self._add(len(self._tests) - 1, then)
        if operation is _constants.BRANCH:
            return self._add("either", [self._sequence(branch, then, flags) for branch in argument[1]])
        if operation is _constants.SUBPATTERN:
            _, more, fewer, parts = argument
            return self._sequence(parts, then, (flags | more) & ~fewer)
        if operation is _constants.AT:
            return self._add("at", (argument, then))
        if operation in _REPEATS:
            least, most, parts = argument
            return self._repeat(least, most, parts, then, flags)
        what = str(operation).lower().replace("_", " ")
        raise InputError(
            f"contains {what}, which is not supported: use neither look-around nor back-references"
        )

    def _repeat(self, least: int, most: Any, parts: Any, then: int, flags: int) -> int:
        if least > MOST_STATES or (most is not _constants.MAXREPEAT and most > MOST_STATES):
            raise InputError(TOO_LONG)
        if most is _constants.MAXREPEAT:
            loop = self._add("either", [then])
            self._states[loop][1].append(self._sequence(parts, loop, flags))
            then = loop
        else:
            end = then
            for _ in range(most - least):
                then = self._add("either", [end, self._sequence(parts, then, flags)])
        for _ in range(least):
            first = self._sequence(parts, then, flags)
            if first == then:  # there is nothing to repeat
                break
            then = first
        return then


def _accepts(operation: Any, argument: Any, flags: int) -> Callable[[str], Any]:
    """Have Python tell whether a part accepts a character."""
    state = _parser.State()
    state.flags = flags
    compiled: re.Pattern[str] = _compiler.compile(_parser.SubPattern(state, [(operation, argument)]), flags)
    return compiled.fullmatch


def _kind(character: str) -> int:
    if character == "\n":
        return _NEWLINE
    return _WORD if character.isalnum() or character == "_" else _OTHER


def _holds(at: Any, before: int, character: str) -> bool:
    """Return whether an anchor holds before a character, which is empty at the end of the text."""
    if at in (_constants.AT_BOUNDARY, _constants.AT_NON_BOUNDARY):
        is_word = bool(character) and _kind(character) == _WORD
        return ((before == _WORD) != is_word) == (at is _constants.AT_BOUNDARY)
    if at is _constants.AT_BEGINNING:
        return before in (_START, _NEWLINE)
    if at is _constants.AT_BEGINNING_STRING:
        return before == _START
    return character == "" or (at is _constants.AT_END and character == "\n")


def _longest_literal(parts: Any) -> str:
    """Return the longest run of letters that each match contains, folded."""
    return max(_literals(parts), key=len)


def _literals(parts: Any) -> Iterator[str]:
    run = ""
    for operation, argument in parts:
        if operation is _constants.LITERAL:
            run += chr(argument)
        else:
            yield run.casefold()
            run = ""
    yield run.casefold()
