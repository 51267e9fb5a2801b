"""JSON as its standard has it: without NaN and infinity, and without a name twice in one object."""

from __future__ import annotations

import json
import math
from collections import Counter
from functools import lru_cache
from typing import Any, NoReturn


class RepeatedNameError(ValueError):
    """An object has a name twice, of which Python would keep the last."""

    def __init__(self, name: str) -> None:
        super().__init__("a name occurs twice")
        self.name = name


class NotANumberError(ValueError):
    """NaN or an infinity, which Python reads but JSON does not have."""


def parsed(text: str) -> Any:
    """Return what JSON stands for; invalid JSON, a repeated name and a NaN are ValueErrors."""
    return json.loads(text, object_pairs_hook=_without_repeats, parse_constant=_refused)


def written(value: Any, **options: Any) -> str:
    """Return JSON with the options of `json.dumps`, null where a number is NaN or infinite."""
    encoder = _encoder(tuple({"ensure_ascii": False, **options, "allow_nan": False}.items()))
    try:
        return encoder.encode(value)
    except ValueError:
        return encoder.encode(_with_nulls(value))


@lru_cache(maxsize=16)
def _encoder(options: tuple[tuple[str, Any], ...]) -> json.JSONEncoder:
    """Return an encoder; making one takes longer than writing a row."""
    return json.JSONEncoder(**dict(options))


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        raise RepeatedNameError(Counter(name for name, _ in pairs).most_common(1)[0][0])
    return table


def _refused(constant: str) -> NoReturn:
    raise NotANumberError(f"{constant} is not a number")


def _with_nulls(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {name: _with_nulls(entry) for name, entry in value.items()}
    return [_with_nulls(entry) for entry in value] if isinstance(value, list | tuple) else value
