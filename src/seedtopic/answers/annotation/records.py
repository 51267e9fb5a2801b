"""What annotation tools are given, labelled documents and categories, and the answers they give."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from seedtopic.answers.readers import EditedTable
from seedtopic.base.errors import InputError
from seedtopic.io.columns import as_string
from seedtopic.io.frames import is_missing
from seedtopic.io.predictions import CHECKED, NONE, WAS_PREDICTED, written_with
from seedtopic.io.rows import Rows
from seedtopic.io.source import Row
from seedtopic.seeds.names import NONE_OF_THESE, SKIPPED, Names

Verdict = Literal["chosen", "empty", "rejected", "skipped", "open"]
DOCUMENT_ID = "document_id"  # not `id`, which tools give to their own numbers
SEPARATOR = "; "  # between the labels in one cell of a table
_PREDICTED = "predicted"
_NUMBERS = ("probability", "runner_up_probability", "margin", "none_probability")  # texts in a table


@dataclass(frozen=True)
class Suggestion:
    """A label of the model, and its probability where that is known.

    Attributes
    ----------
    label, score
    """

    label: str
    score: float | None = None


@dataclass(frozen=True)
class Record:
    """A document as annotation tools are given it.

    Attributes
    ----------
    text, id, suggestions, confirmed, metadata

    Examples
    --------
    >>> Record("a late goal", suggestions=(Suggestion("sports", 0.9),)).suggestions[0].label
    'sports'
    """

    text: str
    id: str | None = None
    suggestions: tuple[Suggestion, ...] = ()  # to be checked; empty where the model or a person gave none
    confirmed: str | None = None  # the label that a person gave
    metadata: Mapping[str, Any] = field(default_factory=dict)  # columns that tools show beside the text

    def metadata_without(self, reserved: Collection[str]) -> dict[str, Any]:
        """Return the metadata and the id; a name that the tool itself uses gets an underscore.

        Parameters
        ----------
        reserved

        Examples
        --------
        >>> Record("a goal", "t1", metadata={"label": 7, "stars": 5}).metadata_without({"label"})
        {'document_id': 't1', 'label_': 7, 'stars': 5}
        """
        values: dict[str, Any] = {} if self.id is None else {DOCUMENT_ID: self.id}
        for name, value in self.metadata.items():
            while name in reserved or name in values or name == DOCUMENT_ID:
                name += "_"
            values[name] = value
        return values


@dataclass(frozen=True)
class Choices:
    """The categories that a person chooses from.

    Attributes
    ----------
    names, none, several

    Examples
    --------
    >>> Choices(("sports", "money")).all
    ('sports', 'money', 'none')
    """

    names: tuple[str, ...]  # the categories, in the order in which they are shown
    none: str = NONE  # what is chosen where a document belongs to none of them
    several: bool = False  # whether a document may have several labels

    @classmethod
    def of(cls, documents: Rows, names: Iterable[str] | None = None, none: str = NONE) -> Choices:
        """Return the categories of labelled documents.

        Parameters
        ----------
        documents : Rows
            Several labels may be chosen if labelling has added a column for them.
        names : iterable of str, optional
            The categories; left out, they are all labels that occur, in alphabetical order.
        none : str
            The label of documents that belong to none of them.
        """
        columns = LabelledColumns.of(documents.columns)
        if names is None:
            labels = {label for row in documents.rows for label in columns.labels(row)}
            names = sorted(labels - {none, NONE, NONE_OF_THESE, SKIPPED})
        choices = cls(tuple(names), none, columns.beside("labels") in documents.columns)
        if not choices.names:
            raise InputError(
                "no document has a label, so that there are no categories to choose from: give a file that "
                "label, predict or next has written, or name the categories with --seeds."
            )
        return choices

    @property
    def all(self) -> tuple[str, ...]:
        """All answers that can be given."""
        return self.names if self.none in self.names else (*self.names, self.none)

    def label(self, answer: str) -> str | None:
        """Return which of the answers somebody has written, in whatever letters; None for none at all.

        Parameters
        ----------
        answer : str

        Examples
        --------
        >>> choices = Choices(("Sports", "Money"), "other")
        >>> choices.label("sports "), choices.label("none")
        ('Sports', 'other')
        """
        label = Names.listed(self.names, self.none).label(answer)
        if label == NONE_OF_THESE:
            return self.none
        return (
            None if label == SKIPPED else answer if label is None or isinstance(label, tuple) else str(label)
        )

    def check(self, label: str, text: str, id: str | None) -> None:
        """Raise an error if a label is not one of the answers.

        Parameters
        ----------
        label, text, id
        """
        if label not in self.all and label != NONE:
            where = f"the document {text if id is None else id!r:.40}"
            shown = ", ".join(map(repr, self.all[:20]))
            raise InputError(
                f"{where} has the label {label!r:.60}, which is not one of {shown}: give the seeds file that "
                "has it, or name it with --none-label if it means none of the categories."
            )


@dataclass(frozen=True)
class LabelledColumns:
    """The columns in which labelling, or a sheet to fill in, has its labels."""

    predicted: str | None
    confirmed: EditedTable | None

    @classmethod
    def of(cls, columns: Collection[str]) -> LabelledColumns:
        """Find them; the labels that were written last count."""
        predicted = (written_with(columns) or "") + _PREDICTED
        return cls(predicted if predicted in columns else None, EditedTable.of(columns))

    def beside(self, name: str) -> str:
        """Name another column that labelling adds."""
        return (self.predicted or _PREDICTED).removesuffix(_PREDICTED) + name

    def labels(self, row: Row) -> Iterator[str]:
        """Yield all labels of a row, the second best and the confirmed one, too."""
        if self.predicted is not None:
            for name in (self.predicted, self.beside("runner_up")):
                yield from filter(None, [as_string(row.get(name)).strip()])
            yield from several_labels(row.get(self.beside("labels")))
        if self.confirmed is not None:
            yield from filter(None, [self.confirmed.answer(row)[0]])

    def record(self, row: Row, text: str, text_field: str, id: str | None) -> Record:
        """Make a record of a row."""
        confirmed = self.confirmed.answer(row)[0] if self.confirmed else ""
        numbers = {self.beside(name) for name in _NUMBERS}
        metadata = {
            name: _score(value) if name in numbers else value
            for name, value in row.items()
            if name not in (text_field, CHECKED, self.beside(WAS_PREDICTED))
            and value != ""
            and not is_missing(value)
            and not (name == "id" and as_string(value) == id)
        }
        return Record(text, id, () if confirmed else self._suggestions(row), confirmed or None, metadata)

    def _suggestions(self, row: Row) -> tuple[Suggestion, ...]:
        if self.predicted is None:
            return ()
        names = (self.predicted, self.beside("probability"))
        others = (self.beside("runner_up"), self.beside("runner_up_probability"))
        scores = {
            as_string(row.get(label)): _score(row.get(score)) for label, score in (others, names)
        }  # the label itself last, since it counts
        best = as_string(row.get(self.predicted)).strip()
        if not best:
            return ()
        labels = [best, *(label for label in several_labels(row.get(self.beside("labels"))) if label != best)]
        return tuple(Suggestion(label, scores.get(label)) for label in labels)


def records_of(documents: Rows) -> Iterator[Record]:
    """Make records of documents that were labelled, or are on a sheet to fill in; without a text, none.

    Parameters
    ----------
    documents : Rows
        As ``seedtopic.io.rows.read_documents`` reads them.

    Examples
    --------
    >>> row = {"text": "a late goal", "predicted": "sports", "probability": 0.9, "source": "labelled"}
    >>> next(records_of(Rows(texts=["a late goal"], rows=[row]))).suggestions
    (Suggestion(label='sports', score=0.9),)
    """
    columns = LabelledColumns.of(documents.columns)
    ids: Iterable[str | None] = documents.ids if documents.ids is not None else [None] * len(documents)
    for place, (text, id, row) in enumerate(zip(documents.texts, ids, documents.rows, strict=True)):
        if place not in documents.without_text:
            yield columns.record(row, text, documents.text_field, id)


def several_labels(cell: Any) -> list[str]:
    """Read all labels of a document, from a list or from one cell of a table."""
    labels: Sequence[Any] = cell if isinstance(cell, list | tuple) else as_string(cell).split(SEPARATOR)
    return [label for label in map(as_string, labels) if label]


def _score(cell: Any) -> float | None:
    try:
        score = float(as_string(cell))
    except ValueError:
        return None
    return score if 0 <= score <= 1 else None


@dataclass(frozen=True)
class Answer:
    """What one person said about one document.

    Attributes
    ----------
    text, labels, verdict, id, annotator, when, final
    """

    text: str
    labels: tuple[str, ...] = ()  # what was chosen
    verdict: Verdict = "chosen"  # or why there is no label; "open" where nobody has looked at the document
    id: str | None = None  # of the document, where it had one
    annotator: str = ""
    when: float = 0.0  # in seconds; of two answers of one person the later counts
    final: bool = False  # whether it decides alone


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
        value: str = self._expected(name, self.values.get(name), str)
        return value

    def name(self, name: str) -> str:
        """Return a name, which may be a number; an empty text where it is missing."""
        value = self.values.get(name)
        return "" if value is None else str(value) if isinstance(value, int) else self.string(name)

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
        value = self.values.get(name)
        return replace(self, values={} if optional and value is None else self._expected(name, value, dict))

    def entries(self, name: str) -> list[Entry]:
        """Return a list of objects inside this one; none where it is missing."""
        value = self.values.get(name)
        values = [] if value is None else self._expected(name, value, list)
        return [replace(self, values=self._expected(name, inside, dict)) for inside in values]

    def refused(self, problem: str) -> InputError:
        """Return the error that this object cannot be read."""
        return InputError(
            f"{self.source}, entry {self.number} {problem}: give the file that {self.tool} exports for text "
            "classification."
        )

    def _expected(self, name: str, value: Any, kind: type) -> Any:
        if name not in self.values:
            raise self.refused(f"has no {name!r}")
        if not isinstance(value, kind):
            raise self.refused(f"has {value!r:.40} as {name!r}, not {_NAMES[kind]}")
        return value
