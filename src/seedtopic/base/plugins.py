"""What other distributions add by entry points: looked for when it is asked for, never on import."""

from __future__ import annotations

import sys
from collections.abc import Collection
from contextlib import suppress
from functools import cache
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from seedtopic.base.errors import MissingExtraError

LAB = "seedtopic_lab"  # the package in lab/ of this repository


@cache
def plugins(kind: str) -> dict[str, str]:
    """Return where the installed additions of a kind, "models" or "commands", are, by name."""
    places: dict[str, str] = {}
    for folder in sys.path:  # sooner read than importlib.metadata is imported
        for file in Path(folder).glob("*-info/entry_points.txt"):
            with suppress(OSError):
                after = file.read_text("utf-8", "replace").partition(f"[seedtopic.{kind}]")[2]
                for line in after.partition("\n[")[0].splitlines():
                    name, is_one, place = line.partition("=")
                    if is_one:
                        places.setdefault(name.strip(), place.strip())
    return places


def plugin(kind: str, name: str, of_lab: Collection[str]) -> Any:
    """Import an addition by its name; None if nobody has it."""
    if (place := plugins(kind).get(name)) is not None:
        return resolve_name(place)
    if name in of_lab:
        raise MissingExtraError(name, LAB, distribution="./lab")
    return None
