"""What other distributions add by entry points: looked for when it is asked for, never on import."""

from __future__ import annotations

from collections.abc import Collection
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from seedtopic.base.errors import MissingExtraError

LAB = "seedtopic_lab"  # the package in lab/ of this repository


def plugins(kind: str) -> dict[str, EntryPoint]:
    """Return the installed additions of a kind, "models" or "commands", by name."""
    return {point.name: point for point in entry_points(group=f"seedtopic.{kind}")}


def plugin(kind: str, name: str, of_lab: Collection[str]) -> Any:
    """Import an addition by its name; None if nobody has it."""
    point = plugins(kind).get(name)
    if point is not None:
        return point.load()
    if name in of_lab:
        raise MissingExtraError(name, LAB, distribution="./lab")
    return None
