"""Files into documents: open bytes, decode lines, parse rows, pick the text column."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from seedtopic.documents.columns import Table
from seedtopic.documents.formats import TEXT_FORMATS
from seedtopic.documents.lines import Problems, is_folder
from seedtopic.documents.rows import Row, huge_cells, source_rows
from seedtopic.errors import InputError


@dataclass(frozen=True)
class Documents:
    """Documents with the rows they came from.

    Parameters
    ----------
    texts
        One text per document.
    rows
        The input's own columns, in order, one dict per document; the text column is among them.
    text_field
        The column the texts were read from.
    labels
        One label per document (empty where the input has none), or None when none were asked for.
    ids
        One id per document, or None when the input has no column for them.
    notes
        What the user should know about the reading, one sentence each.

    Examples
    --------
    >>> documents = Documents(texts=["a goal"], rows=[{"text": "a goal", "stars": 5}])
    >>> len(documents), documents.columns
    (1, ['text', 'stars'])
    """

    texts: list[str]
    rows: list[Row]
    text_field: str = "text"
    labels: list[str] | None = None
    ids: list[str] | None = None
    notes: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def columns(self) -> list[str]:
        """Every column that occurs in a row, in the order of first appearance."""
        return list(dict.fromkeys(chain.from_iterable(self.rows)))


def read_documents(
    source: str | Path,
    *,
    text_field: str | None = None,
    label_field: str | None = None,
    id_field: str | None = None,
    format: str | None = None,
    on_row: Callable[[int], None] | None = None,
) -> Documents:
    """Read documents from a file, a folder of text files or standard input.

    Parameters
    ----------
    source
        A ``.jsonl``, ``.csv``, ``.tsv``, ``.txt`` (a document a line) or ``.parquet`` file, each also with
        ``.gz`` appended; a folder, whose files are a document each and whose sub-folders name the labels;
        or ``"-"`` for standard input, read as JSON lines when it begins with ``{`` and as a document a
        line otherwise.
    text_field
        Column of the texts. By default ``text``, or else the one column that clearly holds the longest
        strings.
    label_field
        Column of the true labels. By default none are read, except from the sub-folders of a folder.
    id_field
        Column of the ids. By default ``id``, where there is one.
    format
        ``"jsonl"``, ``"csv"``, ``"tsv"`` or ``"txt"``, whatever the file's ending says.
    on_row
        Called after each row with the number of rows read so far.

    Returns
    -------
    Documents

    Raises
    ------
    InputError
        When the source cannot be read; the message says where and how to mend it.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "news.csv")
    ...     _ = path.write_text("id,text\\n7,A late goal\\n8,Rates rise\\n", encoding="utf-8")
    ...     documents = read_documents(path)
    >>> documents.texts, documents.ids
    (['A late goal', 'Rates rise'], ['7', '8'])
    """
    if not str(source):
        raise InputError("the path of the documents is empty: name a file, a folder, or - for standard input")
    path, name = Path(source), "standard input" if str(source) == "-" else str(source)
    if format is not None and format not in TEXT_FORMATS:
        raise InputError(f"the format {format!r} is not known: use one of {', '.join(TEXT_FORMATS)}")
    problems = Problems()
    numbers: list[int] = []
    rows: list[Row] = []
    with huge_cells():
        for number, row in source_rows(path, name, format, problems):
            numbers.append(number)
            rows.append(row)
            if on_row is not None:
                on_row(len(rows))
    if not rows:
        raise InputError(f"{name} holds no documents: give a source with at least one")

    if label_field is None and is_folder(path) and "label" in rows[0]:
        label_field = "label"
    table = Table(name, numbers, rows, notes=problems.notes(name))
    text_field = table.text_column(text_field, {"label", "id", label_field, id_field})
    if id_field is None and "id" in table.columns and table.is_plain("id"):
        id_field = "id"
    return Documents(
        texts=table.strings(text_field),
        rows=rows,
        text_field=text_field,
        labels=None if label_field is None else table.strings(label_field),
        ids=None if id_field is None else table.strings(id_field),
        notes=table.notes,
    )
