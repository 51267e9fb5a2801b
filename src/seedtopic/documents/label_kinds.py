"""The types of the columns that labelling adds: they depend on the labels there can be, not on the rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import GenericAlias
from typing import Any


def added_kinds(labels: Iterable[Any], names: Sequence[str]) -> list[Any]:
    """Return the type of each added column.

    Examples
    --------
    >>> added_kinds(["sport", "money"], ["predicted", "margin", "labels"])
    [<class 'str'>, <class 'float'>, list[str]]
    >>> added_kinds([3, 7, "other"], ["predicted"])
    [<class 'object'>]
    """
    found = {type(label) for label in labels}
    kind = found.pop() if found in ({str}, {int}, {float}) else object
    kinds = {"predicted": kind, "runner_up": kind, "source": str, "path": str, "labels": list_of(kind)}
    return [kinds.get(name, float) for name in names]


def list_of(kind: type) -> Any:
    """Return the type of lists of one type of values.

    Examples
    --------
    >>> list_of(str)
    list[str]
    """
    return GenericAlias(list, kind)
