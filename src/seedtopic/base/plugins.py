"""What other distributions add by entry points: looked for when it is asked for, never on import."""

from __future__ import annotations

import sys
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seedtopic.base.errors import MissingExtraError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

LAB = "seedtopic_lab"  # the package in lab/ of this repository


def plugins(kind: str) -> dict[str, EntryPoint]:
    """Return the installed additions of a kind, "models" or "commands", by name."""
    group = f"seedtopic.{kind}"
    if not _is_named(group):
        return {}
    from importlib.metadata import entry_points

    return {point.name: point for point in entry_points(group=group)}


def _is_named(group: str) -> bool:
    """Return whether a distribution names a group: sooner read than importlib.metadata is imported."""
    for folder in sys.path:
        for file in Path(folder).glob("*-info/entry_points.txt"):
            with suppress(OSError):
                if f"[{group}]" in file.read_text("utf-8", "replace"):
                    return True
    return False


def plugin(kind: str, name: str, of_lab: Collection[str]) -> Any:
    """Import an addition by its name; None if nobody has it."""
    if (point := plugins(kind).get(name)) is not None:
        return point.load()
    if name in of_lab:
        raise MissingExtraError(name, LAB, distribution="./lab")
    return None
