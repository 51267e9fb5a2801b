"""What annotation tools are given: documents with the labels of a model, and categories to choose from."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from seedtopic.answers.resolve import CHECKED, NONE_OF_THESE, LabelColumn
from seedtopic.base.errors import InputError
from seedtopic.io.columns import as_string
from seedtopic.io.frames import is_missing
from seedtopic.io.rows import Rows
from seedtopic.io.source import Row

DOCUMENT_ID = "document_id"  # not `id`, which tools give to their own numbers
SEPARATOR = "; "  # between the labels in one cell of a table
_PREDICTED = "predicted"
_NUMBERS = ("probability", "runner_up_probability", "margin", "none_probability")  # texts in a table


@dataclass(frozen=True)
class Suggestion:
    """A label of the model.

    Attributes
    ----------
    label : str
    score : float or None
        Its probability, where that is known.
    """

    label: str
    score: float | None = None


@dataclass(frozen=True)
class Record:
    """A document as annotation tools are given it.

    Attributes
    ----------
    text : str
    id : str or None
    suggestions : tuple of Suggestion
        Labels of the model, which a person has to check; empty where it gave none, or a person has.
    confirmed : str or None
        The label that a person gave.
    metadata : mapping
        Further columns, which tools show beside the text.

    Examples
    --------
    >>> Record("a late goal", suggestions=(Suggestion("sports", 0.9),)).suggestions[0].label
    'sports'
    """

    text: str
    id: str | None = None
    suggestions: tuple[Suggestion, ...] = ()
    confirmed: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def metadata_without(self, reserved: Collection[str]) -> dict[str, Any]:
        """Return the metadata and the id; a name that the tool itself uses gets an underscore.

        Parameters
        ----------
        reserved : collection of str
            The names that the tool uses.

        Examples
        --------
        >>> Record("a goal", "t1", metadata={"label": 7, "stars": 5}).metadata_without({"label"})
        {'document_id': 't1', 'label_': 7, 'stars': 5}
        """
        found: dict[str, Any] = {} if self.id is None else {DOCUMENT_ID: self.id}
        for name, value in self.metadata.items():
            while name in reserved or name in found or name == DOCUMENT_ID:
                name += "_"
            found[name] = value
        return found


@dataclass(frozen=True)
class Choices:
    """The categories that a person chooses from.

    Attributes
    ----------
    names : tuple of str
        The categories, in the order in which they are shown.
    none : str
        What is chosen where a document belongs to none of them.
    several : bool
        Whether a document may have several labels.

    Examples
    --------
    >>> Choices(("sports", "money")).all
    ('sports', 'money', 'none')
    """

    names: tuple[str, ...]
    none: str = NONE_OF_THESE
    several: bool = False

    @classmethod
    def of(
        cls, documents: Rows, names: Iterable[str] | None = None, none: str = NONE_OF_THESE
    ) -> Choices:
        """Return the categories of labelled documents.

        Parameters
        ----------
        documents : Rows
            Several labels may be chosen if labelling has added a column for them.
        names : iterable of str, optional
            The categories; left out, they are all labels that occur, in alphabetical order.
        none : str
            The label of documents that belong to none of them.

        Raises
        ------
        InputError
            When there is no category.
        """
        columns = LabelledColumns.of(documents.columns)
        if names is None:
            found = {label for row in documents.rows for label in columns.labels(row)}
            names = sorted(found - {none, NONE_OF_THESE})
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

    def check(self, label: str, text: str, id: str | None) -> None:
        """Raise an error if a label is not one of the answers.

        Parameters
        ----------
        label : str
        text, id
            The document that has it, for the message.
        """
        if label not in self.all and label != NONE_OF_THESE:
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
    confirmed: LabelColumn | None

    @classmethod
    def of(cls, columns: Collection[str]) -> LabelledColumns:
        """Find them; the labels that were written last count."""
        written = LabelColumn.found_in(set(columns) - {CHECKED})
        predicted = written.name if written else _PREDICTED if _PREDICTED in columns else None
        return cls(predicted, LabelColumn.found_in(columns))

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
            yield from filter(None, [self.confirmed.label(row)])

    def record(self, row: Row, text: str, text_field: str, id: str | None) -> Record:
        """Make a record of a row."""
        confirmed = self.confirmed.label(row) if self.confirmed else ""
        numbers = {self.beside(name) for name in _NUMBERS}
        metadata = {
            name: _score(value) if name in numbers else value
            for name, value in row.items()
            if name not in (text_field, CHECKED)
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
