"""Validates a body against a schema; the same schemas are in the API description.

Supports the part of JSON Schema that the API needs, with error messages that say what to fix.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from seedtopic.server.refusal import Refusal

Schema = Mapping[str, Any]

_KINDS: dict[type, str] = {
    str: "string", list: "array", dict: "object", bool: "boolean", int: "number", float: "number",
    type(None): "null",
}  # fmt: skip
_NAMES = {
    "string": "a text", "array": "a list", "object": "an object", "boolean": "true or false",
    "number": "a number", "null": "null",
}  # fmt: skip


def check_shape(value: Any, schema: Schema, where: str = "the body") -> None:
    """Refuse a value that does not match a schema, with status 422.

    Parameters
    ----------
    value
        As returned by `parse_json`.
    schema : mapping
        A JSON Schema made of type, oneOf (of different types), items, minItems, maxItems, minLength,
        maxLength, properties, required, additionalProperties, propertyNames, minProperties, maxProperties,
        exclusiveMinimum and maximum.
    where : str
        The name of the value in the error message.

    Examples
    --------
    >>> texts = {"type": "array", "items": {"type": "string"}, "maxItems": 2}
    >>> check_shape(["rain", 7], texts, "texts")
    Traceback (most recent call last):
        ...
    seedtopic.server.refusal.Refusal: texts[1] is a number, not a text.
    """
    kind = _KINDS[type(value)]
    choices = schema.get("oneOf", (schema,))
    fitting = next((choice for choice in choices if choice["type"] == kind), None)
    if fitting is None:
        wanted = " or ".join(_NAMES[choice["type"]] for choice in choices)
        raise Refusal(422, f"{where} is {_NAMES[kind]}, not {wanted}.")
    if kind == "string":
        _check_size(len(value), fitting, "Length", "characters", where)
    elif kind == "number" and not value > fitting.get("exclusiveMinimum", float("-inf")):
        raise Refusal(422, f"{where} is not above {fitting['exclusiveMinimum']}.")
    elif kind == "number" and value > fitting.get("maximum", float("inf")):
        raise Refusal(422, f"{where} is above {fitting['maximum']:,.0f}.")
    elif kind == "array":
        _check_size(len(value), fitting, "Items", "entries", where)
        for place, item in enumerate(value):
            check_shape(item, fitting["items"], f"{where}[{place}]")
    elif kind == "object":
        _check_object(value, fitting, where)


def _check_object(value: dict[str, Any], schema: Schema, where: str) -> None:
    properties: Mapping[str, Schema] = schema.get("properties", {})
    others: Schema | bool = schema.get("additionalProperties", False)
    missing = next((key for key in schema.get("required", ()) if key not in value), None)
    if missing is not None:
        raise Refusal(422, f"{where} has no {missing!r}.")
    _check_size(len(value), schema, "Properties", "entries", where)
    for key, item in value.items():
        check_shape(key, schema.get("propertyNames", {"type": "string"}), f"a key of {where}")
        known = properties.get(key, others)
        if isinstance(known, bool):
            raise Refusal(422, f"{where} has the unknown key {key!r:.40}: use {', '.join(properties)}.")
        check_shape(item, known, key if where == "the body" else f"{where}[{key!r:.40}]")


def _check_size(size: int, schema: Schema, what: str, of: str, where: str) -> None:
    least, most = schema.get(f"min{what}", 0), schema.get(f"max{what}", size)
    if size < least:
        raise Refusal(422, f"{where} has {size:,} {of}, fewer than {least:,}.")
    if size > most:
        raise Refusal(422, f"{where} has {size:,} {of}, more than {most:,}.")
