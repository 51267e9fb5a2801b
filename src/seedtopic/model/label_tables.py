"""A table in, the same table with labels out: for tables at hand, and for the parts of larger ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from seedtopic.base.errors import InputError
from seedtopic.io.frames import (
    added_kinds,
    column_names,
    dask_column,
    is_dask_array,
    is_dask_column,
    is_dask_frame,
    partition_texts,
    texts_of,
    with_columns,
)
from seedtopic.io.predictions import added_columns, texts_there

if TYPE_CHECKING:
    from seedtopic.model.estimator import SeedClassifier


@dataclass(frozen=True)
class TableLabeller:
    """Labels tables of one form, one after the other: what `SeedClassifier.labeller` gives; it is small."""

    model: SeedClassifier
    text: Any  # the column of the texts
    min_probability: float  # see `SeedClassifier.label_frame`
    multi: bool  # see `SeedClassifier.label_frame`

    def __call__(self, frame: Any) -> Any:
        """Label a table, or a part of one: the types of the columns do not depend on its rows."""
        return with_labels(
            self.model, frame, self.text, min_probability=self.min_probability, multi=self.multi, warn=False
        )


def with_labels(
    model: SeedClassifier,
    frame: Any,
    text: Any,
    *,
    fitted: bool = False,
    min_probability: float,
    multi: bool,
    warn: bool = True,
) -> Any:
    """Return a table with labels; see `SeedClassifier.label_frame`."""
    columns = [rule.column for rule in model.fitted_.rules if rule.column is not None]
    texts = texts_of(frame, text, columns, warn=warn)
    if fitted:
        predictions = model.fitted_predictions(texts, several=multi)
    else:
        predictions = model.predict_all(texts, several=multi)
    rows = list(predictions.with_texts(texts_there(texts)).rows(min_probability))
    names = added_columns(column_names(frame), predictions.columns)
    kinds = added_kinds(predictions.names, predictions.columns)
    values = {name: [row[place] for row in rows] for place, name in enumerate(names)}
    return with_columns(frame, values, dict(zip(names, kinds, strict=True)))


def labelled_later(labeller: TableLabeller, frame: Any, *, fitted: bool) -> Any:
    """Return a lazy frame with labels, of Dask or polars; see `SeedClassifier.label_frame`."""
    if fitted:
        raise InputError(
            "a lazy frame is labelled part by part, where the order of the fit is not known: leave "
            f"fitted=True out, or label frame.{'compute' if is_dask_frame(frame) else 'collect'}()."
        )
    if is_dask_frame(frame):
        return frame.map_partitions(_called, _sent_once(labeller), meta=labeller(frame._meta))
    without_rows = import_module("polars").DataFrame(schema=frame.collect_schema())
    return frame.map_batches(
        labeller,
        schema=labeller(without_rows).schema,
        streamable=True,  # a row is labelled the same with other rows and without
        predicate_pushdown=False,  # the text, or the label, may be asked for
        projection_pushdown=False,
        slice_pushdown=True,
    )


def predicted_later(model: SeedClassifier, X: Any, method: str, **options: Any) -> Any:
    """Return what a method of the model gives for texts, as a collection of the kind and partitions of X."""
    X = dask_column(X)
    predictor = Predictor(model.slim().set_params(n_threads=1), method, options)
    if is_dask_column(X):
        return X.map_partitions(_called, _sent_once(predictor.of_column), meta=predictor.of_column(X._meta))
    if is_dask_array(X):
        none = predictor.values([])
        added = {"new_axis": 1, "chunks": (*X.chunks, none.shape[1:])} if none.ndim == 2 else {}
        return X.map_blocks(_called, _sent_once(predictor.values), dtype=none.dtype, meta=none, **added)
    return X.map_partitions(_called, _sent_once(predictor.listed))


@dataclass(frozen=True)
class Predictor:
    """One method of a model, for the texts of a partition."""

    model: SeedClassifier
    method: str
    options: Mapping[str, Any] = field(default_factory=dict)

    def values(self, part: Iterable[Any]) -> NDArray[Any]:
        """Return what the method does."""
        values: NDArray[Any] = getattr(self.model, self.method)(partition_texts(part), **self.options)
        # An array of texts is as wide as the longest label in it, and so differs between partitions.
        return values.astype(object) if values.dtype.kind == "U" else values

    def of_column(self, column: Any) -> Any:
        """Return them with the index of the column."""
        pandas: Any = import_module("pandas")
        values = self.values(column)
        if values.ndim == 2:
            return pandas.DataFrame(values, column.index, self.model.classes_.tolist())
        dtype = pandas.Series(self.model.fitted_.labels).dtype  # the same for every partition
        return pandas.Series(values, column.index, dtype, "predicted")

    def listed(self, part: Iterable[Any]) -> list[Any]:
        """Return them as a list."""
        values = self.values(part)
        return list(values) if values.ndim == 2 else values.tolist()


def _sent_once(value: Any) -> Any:
    """Make one task of a value that all partitions need."""
    return import_module("dask").delayed(value, traverse=False)


def _called(part: Any, function: Callable[[Any], Any]) -> Any:
    """Call what was sent; runs on a worker."""
    return function(part)
