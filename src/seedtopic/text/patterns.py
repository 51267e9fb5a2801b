"""Regular expressions that are searched for in time linear in the text, following all ways to match at once.

An expression that Python has accepted is split into parts, Python tells which characters each part accepts,
and this module walks over the text once.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from seedtopic.base.errors import InputError

FLAGS = re.IGNORECASE | re.MULTILINE
MOST_STATES = 500
MOST_REMEMBERED = 100_000  # of about 60 bytes each; a place takes ten, and one for each of its states
TOO_LONG = f"is too long: it has more than {MOST_STATES} parts when repetitions are written out"
_START, _NEWLINE, _WORD, _OTHER = range(4)  # what is before a place in the text
_TURKISH = "İı"  # which match i, but do not fold to it
_TOKEN = re.compile(
    r"""
      (?P<anchor> [\^$] | \\[AbBZz] )
    | (?P<repeat> (?: [*+?] | \{ (?=[0-9,]) (?P<least>[0-9]*) (?P<comma>,?) (?P<most>[0-9]*) \} )
                  (?P<more>[?+]?) )
    | (?P<skipped> \(\? (?: \#[^)]* | [a-zA-Z]+ ) \) )
    | (?P<reference> \(\?P=\w+\) | \\(?! 0 | [0-7]{3} )[0-9]{1,2} )
    | (?P<group> \( (?: \? (?: P<\w+> | (?P<refused> <?[=!] | > | \(\w+\) )
                             | (?P<on>[a-zA-Z]*) (?: -(?P<off>[a-zA-Z]+) )? : ) )? )
    | (?P<character> \[\^?\]? (?: \\. | [^\]\\] )* \]
                     | \\ (?: x.{2} | u.{4} | U.{8} | N\{[^}]*\} | [0-7]{1,3} | . ) | . )
    """,
    re.VERBOSE | re.DOTALL,
)
_BLANK = re.compile(r"(?:[ \t\n\r\v\f]|#[^\n]*)+")  # without a meaning under the flag x
_REFUSED = {"=": "assert", "<=": "assert", "!": "assert not", "<!": "assert not", ">": "atomic group"}
_FIXED = {"*": (0, None), "+": (1, None), "?": (0, 1)}


class Part(NamedTuple):
    """A part of an expression; a kind that a walk cannot follow is refused by its name."""

    kind: str
    # "character": an expression and its flags; "anchor": an expression; "group" and "inline": parts;
    # "either": lists of parts; "repeat": how often at least, how often at most (None: any number), and parts.
    value: Any = None


class Reader:
    """Splits an expression that Python has accepted into parts, the same as Python's own parser makes."""

    def __init__(self, expression: str) -> None:
        self._expression, self._place = expression, 0

    def branches(self, flags: int) -> list[Part]:
        """Read alternatives; what they all begin with comes once, and single characters become a set."""
        branches = [self._sequence(flags)]
        while self._expression.startswith("|", self._place):
            self._place += 1
            branches.append(self._sequence(flags))
        if len(branches) == 1:
            return branches[0]
        parts: list[Part] = []
        while all(branches) and branches[0][0].kind in ("character", "anchor"):
            if any(branch[0] != branches[0][0] for branch in branches):
                break
            parts.append(branches[0][0])
            branches = [branch[1:] for branch in branches]
        if all(len(branch) == 1 and _fits_a_set(branch[0]) for branch in branches):
            return [*parts, Part("character", ("|".join(branch[0].value[0] for branch in branches), flags))]
        return [*parts, Part("either", branches)]

    def _sequence(self, flags: int) -> list[Part]:
        parts: list[Part] = []
        while self._place < len(self._expression) and self._expression[self._place] not in "|)":
            blank = _BLANK.match(self._expression, self._place) if flags & re.VERBOSE else None
            token: Any = blank or _TOKEN.match(self._expression, self._place)
            self._place, kind = token.end(), token.lastgroup
            if kind == "character":
                parts.append(Part(kind, (token[0], flags)))
            elif kind == "anchor":
                parts.append(Part(kind, token[0]))
            elif kind == "repeat":
                parts.append(_repeated(parts.pop(), token))
            elif kind == "reference":
                parts.append(Part("groupref"))
            elif kind == "group":
                parts.append(self._group(token, flags))
        return [part for item in parts for part in (item.value if item.kind == "inline" else [item])]

    def _group(self, token: re.Match[str], flags: int) -> Part:
        on, off = token["on"] or "", token["off"] or ""
        if not {"a", "u"}.isdisjoint(on):  # of which only one can hold
            flags &= ~(re.ASCII | re.UNICODE)
        for letter in on:
            flags |= re.RegexFlag[letter.upper()]
        for letter in off:
            flags &= ~re.RegexFlag[letter.upper()]
        parts = self.branches(flags)
        self._place += 1  # behind the bracket
        if token["refused"]:
            return Part(_REFUSED.get(token["refused"], "groupref exists"))
        return Part("inline" if token[0] == "(?:" else "group", parts)


def _repeated(part: Part, token: re.Match[str]) -> Part:
    if token["more"] == "+":
        return Part("possessive repeat")
    if token[0][0] in _FIXED:
        least, most = _FIXED[token[0][0]]
    else:
        least = int(token["least"] or 0)
        most = int(token["most"]) if token["most"] else None if token["comma"] else least
    return Part("repeat", (least, most, part.value if part.kind == "inline" else [part]))


def _fits_a_set(part: Part) -> bool:
    return part.kind == "character" and part.value[0] != "." and not part.value[0].startswith("[^")


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
                flags = re.compile(expression, FLAGS).flags
                parts = Reader(expression).branches(flags)
                self._start = self._sequence(parts, 0)
        except re.error as error:
            at = "" if error.pos is None else f" at position {error.pos}"
            raise InputError(f"is not a regular expression{at}: {error.msg}") from None
        except (OverflowError, RecursionError):
            raise InputError("is too long, or nested too deeply") from None
        self._literal = _longest_literal(parts) if flags & re.IGNORECASE else ""
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
                following = place.then[character]
            except KeyError:
                following = self._step(place, character)
            if following is None:
                return True
            place = following
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
        following = None
        if 0 not in reached:
            chars = (self._states[state] for state in reached)
            then = frozenset(
                then for kind, then in chars if kind.__class__ is int and self._tests[kind](character)
            )
            key = then, _kind(character)
            following = self._known.get(key)
            if following is None:
                following = self._known[key] = _Place(*key)
                self._n_remembered += 10 + len(then)
        place.then[character] = following
        self._n_remembered += 2
        return following

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

    def _sequence(self, parts: list[Part], then: int) -> int:
        """Add states for parts, one after the other, that lead to a state; return the first."""
        for kind, value in reversed(parts):
            if kind == "character":
                self._tests.append(re.compile(*value).fullmatch)
                then = self._add(len(self._tests) - 1, then)
            elif kind == "either":
                then = self._add(kind, [self._sequence(branch, then) for branch in value])
            elif kind == "group":
                then = self._sequence(value, then)
            elif kind == "anchor":
                then = self._add("at", (value, then))
            elif kind == "repeat":
                then = self._repeat(value, then)
            else:
                raise InputError(
                    f"contains {kind}, which is not supported: use neither look-around nor back-references"
                )
        return then

    def _repeat(self, repeat: tuple[int, int | None, list[Part]], then: int) -> int:
        least, most, parts = repeat
        if max(least, most or 0) > MOST_STATES:
            raise InputError(TOO_LONG)
        if most is None:
            loop = self._add("either", [then])
            self._states[loop][1].append(self._sequence(parts, loop))
            then = loop
        else:
            end = then
            for _ in range(most - least):
                then = self._add("either", [end, self._sequence(parts, then)])
        for _ in range(least):
            first = self._sequence(parts, then)
            if first == then:  # there is nothing to repeat
                break
            then = first
        return then


def _kind(character: str) -> int:
    if character == "\n":
        return _NEWLINE
    return _WORD if character.isalnum() or character == "_" else _OTHER


def _holds(anchor: str, before: int, character: str) -> bool:
    """Return whether an anchor holds before a character, which is empty at the end of the text."""
    if anchor in (r"\b", r"\B"):
        is_word = bool(character) and _kind(character) == _WORD
        return ((before == _WORD) != is_word) == (anchor == r"\b")
    if anchor == "^":
        return before in (_START, _NEWLINE)
    if anchor == r"\A":
        return before == _START
    return character == "" or (anchor == "$" and character == "\n")


def _longest_literal(parts: list[Part]) -> str:
    """Return the longest run of letters that each match contains, folded."""
    runs = [""]
    for kind, value in parts:
        written = value[0] if kind == "character" else ""
        letter = written.removeprefix("\\")
        is_literal = not letter.isalnum() if letter != written else letter not in f".{_TURKISH}"
        if len(letter) == 1 and is_literal:
            runs[-1] += letter
        else:
            runs.append("")
    return max(runs, key=len).casefold()
