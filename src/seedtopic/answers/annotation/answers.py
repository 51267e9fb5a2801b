"""What people said in an annotation tool, and the one label of each document that follows from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from seedtopic.answers.annotation.records import DOCUMENT_ID, SEPARATOR, Choices
from seedtopic.answers.resolve import CHECKED, NONE_OF_THESE
from seedtopic.base.errors import InputError

Verdict = Literal["chosen", "empty", "rejected", "skipped", "open"]
COLUMNS = ("id", "text", CHECKED, "status", "labels", "annotators")
# Why a document has no confirmed label, as the column `status` and the command say it.
CONFIRMED, SEVERAL, DISAGREEMENT = "confirmed", "several labels", "disagreement"
_WITHOUT = {"empty": "empty", "rejected": "rejected", "skipped": "skipped", "open": "not annotated"}


@dataclass(frozen=True)
class Answer:
    """What one person said about one document.

    Attributes
    ----------
    text : str
    labels : tuple of str
        What was chosen.
    verdict : str
        ``"chosen"``; or ``"empty"``, ``"rejected"`` or ``"skipped"``, which are not labels; or ``"open"``
        where nobody has looked at the document.
    id : str or None
        The id of the document, where it had one.
    annotator : str
    when : float
        In seconds; of two answers of one person the later counts.
    final : bool
        Whether it decides alone.
    """

    text: str
    labels: tuple[str, ...] = ()
    verdict: Verdict = "chosen"
    id: str | None = None
    annotator: str = ""
    when: float = 0.0
    final: bool = False


@dataclass(frozen=True)
class CheckedDocument:
    """A document with the label that people gave it, or the reason why it has none.

    Attributes
    ----------
    text : str
    id : str or None
    label : str
        The confirmed label, ``"none"`` for none of the categories, or an empty text.
    status : str
        ``"confirmed"``, ``"several labels"``, ``"disagreement"``, ``"empty"``, ``"rejected"``, ``"skipped"``
        or ``"not annotated"``.
    labels : tuple of str
        All that was chosen.
    annotators : int
        How many people chose a label.
    """

    text: str
    id: str | None
    label: str
    status: str
    labels: tuple[str, ...]
    annotators: int

    def row(self) -> dict[str, Any]:
        """Return it as a row of the file that ``--confirmed`` reads."""
        values = (self.id, self.text, self.label, self.status, SEPARATOR.join(self.labels), self.annotators)
        return dict(zip(COLUMNS, values, strict=True))


def agreed(
    answers: Iterable[Answer], names: Sequence[str] | None = None, none_label: str = NONE_OF_THESE
) -> list[CheckedDocument]:
    """Find the label of each document.

    Of each person the latest answer counts, and of all people the answer that most of them gave. If two
    answers were given equally often, the document has no label.

    Parameters
    ----------
    answers : iterable of Answer
        They belong to one document if they have the same id, or the same text where there are no ids.
    names : sequence of str, optional
        The categories; left out, every label is taken.
    none_label : str
        What was chosen for documents that belong to none of them.

    Raises
    ------
    InputError
        When a label is neither.

    Examples
    --------
    >>> said = [Answer("a goal", ("sports",), annotator=name) for name in ("Ada", "Ben")]
    >>> agreed([*said, Answer("a goal", ("money",), annotator="Cem")])[0].label
    'sports'
    """
    documents: dict[tuple[bool, str], list[Answer]] = {}
    for answer in answers:
        key = (True, answer.id) if answer.id is not None else (False, answer.text)
        documents.setdefault(key, []).append(answer)
    choices = None if names is None else Choices(tuple(names), none_label)
    return [_checked(own, choices, none_label) for own in documents.values()]


def _checked(answers: list[Answer], choices: Choices | None, none_label: str) -> CheckedDocument:
    first, latest = answers[0], list(_latest(answers))
    if any(answer.final for answer in latest):
        latest = [answer for answer in latest if answer.final]
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
    if choices is not None:
        for label in labels:
            choices.check(label, first.text, first.id)
    label = labels[0] if status == CONFIRMED else ""
    if label == none_label:
        label = NONE_OF_THESE
    return CheckedDocument(first.text, first.id, label, status, labels, votes.total())


def _latest(answers: list[Answer]) -> Iterator[Answer]:
    """Yield the latest answer of each person; what nobody has looked at is an answer only if it is alone."""
    given = [answer for answer in answers if answer.verdict != "open"] or answers
    by_person = {answer.annotator: answer for answer in sorted(given, key=lambda answer: answer.when)}
    yield from by_person.values()


_NAMES: dict[type, str] = {dict: "an object", list: "a list", str: "a text"}


@dataclass(frozen=True)
class Entry:
    """A JSON object, and where it stands."""

    values: Mapping[str, Any]
    source: str  # the file
    number: int  # which object of the file it is, or belongs to, from 1
    tool: str  # the name of the tool that has written the file

    def string(self, name: str) -> str:
        """Return a text."""
        found: str = self._expected(name, self.values.get(name), str)
        return found

    def name(self, name: str) -> str:
        """Return a name, which may be a number; an empty text where it is missing."""
        found = self.values.get(name)
        return "" if found is None else str(found) if isinstance(found, int) else self.string(name)

    def text(self) -> str:
        """Return the text of the document, which must not be blank."""
        text = self.string("text")
        if not text.strip():
            raise self.refused("has an empty text")
        return text

    def document_id(self) -> str | None:
        """Return the id that the document had before it was given to the tool, if any."""
        return self.name(DOCUMENT_ID) or None

    def labels(self, name: str) -> tuple[str, ...]:
        """Return a list of labels."""
        labels = self._expected(name, self.values.get(name), list)
        for label in labels:
            if not isinstance(label, str):
                raise self.refused(f"has {label!r:.40} among {name!r}, not a label")
        return tuple(label for label in labels if label.strip())

    def entry(self, name: str, *, optional: bool = False) -> Entry:
        """Return an object inside this one; an empty one if it is optional and missing."""
        found = self.values.get(name)
        return self._inside({} if optional and found is None else self._expected(name, found, dict))

    def entries(self, name: str) -> list[Entry]:
        """Return a list of objects inside this one; none where it is missing."""
        found = self.values.get(name)
        values = [] if found is None else self._expected(name, found, list)
        for value in values:
            self._expected(name, value, dict)
        return [self._inside(value) for value in values]

    def refused(self, problem: str) -> InputError:
        """Return the error that this object cannot be read."""
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
