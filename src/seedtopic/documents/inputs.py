"""The types a user may pass as documents: texts from any source, or a matrix of counts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from seedtopic.base.errors import InputError
from seedtopic.base.progress import Progress
from seedtopic.documents.dask_collections import dask_column, dask_texts, is_dask
from seedtopic.documents.frames import (
    column_names,
    column_values,
    holds_texts,
    how_to_pass,
    is_column,
    is_delayed,
    is_frame,
    text_columns,
    the_text_column,
    without_missing,
)
from seedtopic.text.counting.partitions import Partitions

Texts = Iterable[str] | sp.sparray | sp.spmatrix | ArrayLike


def is_matrix(X: Any) -> bool:
    """Return whether X is a matrix of counts: sparse, two-dimensional, numeric, or a list of rows."""
    if sp.issparse(X):
        return True
    if is_dask(X):
        return False
    if isinstance(X, Sequence):
        return len(X) > 0 and isinstance(X[0], list | tuple | np.ndarray)
    if hasattr(X, "__array__"):
        array = np.asarray(X)
        return array.ndim != 1 or array.dtype.kind in "biufc"
    return False


def without_frame(X: Any) -> Any:
    """Return the one text column of a data frame; return anything else unchanged."""
    if is_dask(X):
        return dask_column(X)
    return the_text_column(X) if is_frame(X) and text_columns(X) else X


def refuse_text_table(X: Any) -> None:
    """Raise an error that says what to pass instead of another kind of table, or a column without texts."""
    if isinstance(X, Sequence) and any(isinstance(value, str) for value in X[0]):
        raise InputError(
            f"document 0 is {type(X[0]).__name__} ({X[0]!r:.40}), not a text: give every document as a str."
        )
    if is_column(X):
        kind = getattr(X, "dtype", None) or X.type
        raise InputError(f"the documents are a column of type {kind}: pass a column of texts.")
    if not sp.issparse(X) and any(holds_texts(kind) for kind in getattr(X, "dtypes", ())):
        raise InputError("the documents are a table: pass its text column, as in frame['text'].")


def refuse_other_columns(X: Any, words: Sequence[str]) -> None:
    """Raise an error if a table of counts names its columns by these words, but in another order."""
    if not is_frame(X):
        return
    place_of = {word: place for place, word in enumerate(words)}
    for place, name in enumerate(column_names(X)):
        if place_of.get(name, place) != place:
            raise InputError(
                f"column {place} of the counts is named {name!r}, which is word {place_of[name]} of the "
                "vocabulary: give the columns in the order of the vocabulary."
            )


def given_texts(X: Any) -> Iterable[str]:
    """Return the texts one after another, from any source."""
    if is_dask(X):
        return dask_texts(X)
    if isinstance(X, str | bytes | Mapping) or is_delayed(X) or not isinstance(X, Iterable):
        how = how_to_pass(X) or ": give an iterable of texts, one per document"
        raise InputError(f"the documents are of type {type(X).__name__}{how}.")
    column: Any = X
    return without_missing(column_values(column)) if is_column(column) else X


def texts_here(X: Any) -> Any:
    """Return the texts of a Dask collection one after another, for what is not computed by partition."""
    return dask_texts(X) if is_dask(X) else X


def reported(texts: Iterable[str], progress: Progress) -> Iterable[str]:
    """Pass texts on, and report how many were read."""
    if isinstance(texts, Partitions):  # these are counted elsewhere
        return replace(texts, progress=progress)
    return _counted_off(texts, progress)


def _counted_off(texts: Iterable[str], progress: Progress) -> Iterator[str]:
    total = len(texts) if isinstance(texts, Sized) else 0
    read = 0
    for read, text in enumerate(texts, 1):
        if read % 1000 == 1:
            progress("reading words", read - 1, total)
        yield text
    progress("reading words", read, read)
