"""What may stand beside the words of a category, as the user writes it: patterns, columns and examples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from seedtopic.base.errors import InputError
from seedtopic.seeds.tree import Name
from seedtopic.text.rules import compiled, is_expression


def read_texts(name: Name, what: str, given: Any) -> tuple[str, ...]:
    """Check a list of texts of a category.

    Examples
    --------
    >>> read_texts("money", "examples", ["a loan", "a loan"])
    ('a loan',)
    """
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise InputError(
            f"the {what} of {name!r} must be a list of texts; got {given!r:.60}: put it into [ ]."
        )
    for text in given:
        if not isinstance(text, str) or not text.strip():
            raise InputError(f"the {what} of {name!r} contain {text!r:.60}: every one must be a text.")
        refuse_half_characters(f"the {what} of {name!r} contain", text)
    return tuple(dict.fromkeys(given))


def read_patterns(name: Name, given: Any) -> tuple[str, ...]:
    """Check the regular expressions of a category.

    Examples
    --------
    >>> read_patterns("money", ["[0-9]+ euros?"])
    ('[0-9]+ euros?',)
    """
    patterns = read_texts(name, "patterns", given)
    for pattern in patterns:
        _check_expression(f"the category {name!r} has the pattern", pattern)
    return patterns


def read_columns(name: Name, given: Any) -> dict[str, tuple[str, ...]]:
    """Check the values of other columns that a category wants; each is a list afterwards.

    Examples
    --------
    >>> read_columns("money", {"subject": "invoice"})
    {'subject': ('invoice',)}
    """
    if not isinstance(given, Mapping):
        raise InputError(
            f"the columns of {name!r} are {given!r:.60}: give a value for each column, "
            'as in columns = { subject = "invoice" }.'
        )
    columns = {}
    for column, values in given.items():
        if not isinstance(column, str) or not column.strip() or not column.isprintable():
            raise InputError(
                f"the category {name!r} has a rule for the column {column!r:.60}: give its name."
            )
        listed = [values] if isinstance(values, str) else values
        columns[column] = read_texts(name, f"values of the column {column!r}", listed)
        for value in columns[column]:
            where = f"the category {name!r} wants in the column {column!r} the value"
            if is_expression(value):
                _check_expression(where, value[1:-1])
            elif not value.isprintable():
                raise InputError(f"{where} {value!r:.60}: write it without line breaks.")
    return {column: values for column, values in columns.items() if values}


def _check_expression(what: str, expression: str) -> None:
    if not expression.isprintable():
        raise InputError(f"{what} {expression!r:.60}: write it in one line, and a line break as \\n.")
    try:
        compiled(expression)
    except InputError as error:
        raise InputError(f"{what} {expression!r}, which {error}: correct it.") from None


def refuse_half_characters(what: str, text: str) -> None:
    """Refuse half of a surrogate pair, which no file can contain."""
    if not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text):
        raise InputError(f"{what} {text!r:.60} contains half a character: type it again.")
