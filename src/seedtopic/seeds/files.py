"""Seeds as the text of a file: TOML and JSON are read, TOML is written."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from typing import Any

from seedtopic.errors import InputError

_BARE = re.compile(r"[A-Za-z0-9_-]+")  # TOML keys that need no quotes


def parsed(content: str, ending: str) -> Any:
    """Read the content of a seeds file, whose name ends so.

    Raises
    ------
    InputError
        When it is not valid; the sentence is to follow the name of the file.

    Examples
    --------
    >>> parsed('oil = ["crude", "opec"]', ".toml")
    {'oil': ['crude', 'opec']}
    """
    try:
        if ending == ".toml":
            return tomllib.loads(content)
        if ending == ".json":
            return json.loads(content, object_pairs_hook=_without_repeats)
    except InputError:
        raise
    except RecursionError:
        raise InputError("it is nested too deep: write one list of words a category.") from None
    except ValueError as error:  # of which both parsers' own errors are
        raise InputError(f"it is not valid: {error}{_hint(str(error))}.") from None
    raise InputError("its name must end in .toml or .json.")


def _hint(error: str) -> str:
    """Say what is behind the commonest errors of TOML."""
    if error.startswith(("Invalid statement", "Expected '='")):
        return "; a name with spaces or letters beyond a to z stands in quotes"
    if error.startswith(("Illegal character '\\n'", "Unterminated string", 'Expected "\'"')):
        return "; a quote is not closed there: write one before and one after each word"
    if error.startswith("Unclosed array"):
        return "; a list begins with [ and ends with ]"
    if error.startswith("Invalid value"):
        return '; each word stands in plain quotes, as in ["game", "team"]'
    return ""


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        repeated = Counter(name for name, _ in pairs).most_common(1)[0][0]
        raise InputError(f"the category {repeated!r} is given twice: keep one of them.")
    return table


def written(table: Mapping[Any, list[str] | dict[str, Any]]) -> str:
    """Write seeds as TOML, plain lists as one line each.

    Examples
    --------
    >>> written({"crude oil": ["opec"], "gold": {"words": ["gold"], "exclude": ["medal"]}}).splitlines()
    ['"crude oil" = ["opec"]', '', '[gold]', 'words = ["gold"]', 'exclude = ["medal"]']
    """
    lines: list[str] = []
    in_tables = False  # whatever follows a table is a table too, or it would belong to that one
    for name, entry in table.items():
        if isinstance(entry, list) and not in_tables:
            lines.append(f"{_key(name)} = {_value(entry)}")
            continue
        in_tables = True
        told = entry if isinstance(entry, dict) else {"words": entry}
        lines += ["", f"[{_key(name)}]", *(f"{key} = {_value(value)}" for key, value in told.items())]
    return "\n".join(lines).lstrip("\n") + "\n"


def _key(name: object) -> str:
    return str(name) if _BARE.fullmatch(str(name)) else _value(str(name))


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(key)} = {_value(number)}" for key, number in value.items()) + " }"
    if isinstance(value, int):  # a parent that is a number, like all names, becomes a text
        value = str(value)
    # A JSON string is a TOML basic string once DEL, which JSON leaves as it is, is escaped.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
