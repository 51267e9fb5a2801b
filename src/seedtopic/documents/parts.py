"""Labels for the parts of documents: which part of a long document is about what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedtopic.documents.label_columns import DECIMALS, Extras, label_values
from seedtopic.documents.reader import Documents
from seedtopic.text.parts import SPLITTERS, Per
from seedtopic.text.rules import TextWithColumns

COLUMNS = ("document", "part", "start", "end", "text", "predicted", "probability", "share")
TOGETHER = 5_000  # parts that are labelled at a time, and the rest of the document of the last

Label = Callable[[list[str]], tuple[NDArray[np.float64], Extras]]
_Part = tuple[int, int, int, str]  # its number, where it begins and ends, and its text


def part_rows(
    documents: Documents, per: Per, label: Label, classes: Sequence[Any], min_probability: float = 0.0
) -> Iterator[dict[str, Any]]:
    """Yield a row for each part of each document.

    Examples
    --------
    >>> documents = Documents(texts=["A goal! The bank."], rows=[{"text": "A goal! The bank."}])
    >>> label = lambda texts: (np.array([[0.9, 0.1], [0.2, 0.8]]), Extras())
    >>> for row in part_rows(documents, "sentence", label, ["sport", "money"]):
    ...     print(row["part"], row["text"], row["predicted"], row["probability"], row["share"])
    1 A goal! sport 0.9 0.4375
    2 The bank. money 0.8 0.5625
    """
    found: list[tuple[Any, list[_Part]]] = []  # documents with their parts
    texts: list[str] = []
    ids = range(len(documents)) if documents.ids is None else documents.ids
    for name, text in zip(ids, documents.texts, strict=True):
        spans = SPLITTERS[per](text)
        found.append((name, [(n, start, end, text[start:end]) for n, (start, end) in enumerate(spans, 1)]))
        texts += (_with_columns(text[start:end], text) for start, end in spans)
        if len(texts) >= TOGETHER:
            yield from _labelled(found, *label(texts), classes, min_probability)
            found, texts = [], []
    if texts:
        yield from _labelled(found, *label(texts), classes, min_probability)


def _labelled(
    documents: Sequence[tuple[Any, list[_Part]]],
    probabilities: NDArray[np.float64],
    extras: Extras,
    classes: Sequence[Any],
    min_probability: float,
) -> Iterator[dict[str, Any]]:
    values = label_values(classes, probabilities, min_probability, extras)
    for name, parts in documents:
        labels = [found[:2] for found in islice(values, len(parts))]
        lengths: Counter[Any] = Counter()
        for (_, start, end, _), (label, _) in zip(parts, labels, strict=True):
            lengths[label] += end - start
        for part, (label, probability) in zip(parts, labels, strict=True):
            share = None if label is None else round(lengths[label] / lengths.total(), DECIMALS)
            yield dict(zip(COLUMNS, (name, *part, label, probability, share), strict=True))


def _with_columns(part: str, text: str) -> str:
    return TextWithColumns.of(part, text.columns) if isinstance(text, TextWithColumns) else part
