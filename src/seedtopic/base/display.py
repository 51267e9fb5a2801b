"""The one way up: an object of any room is shown by the room `show`, which is imported when it is asked."""

from __future__ import annotations

from importlib import import_module


def shown(thing: object, written_by: str) -> str:
    """Return what a function of the room `show`, such as ``seeds.seeds_in_notebook``, writes of a thing."""
    module, function = written_by.split(".")
    return str(getattr(import_module(f"seedtopic.show.{module}"), function)(thing))
