"""How long work tells its caller how far it is; the library itself prints nothing."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Called as ``progress(stage, done, total)``; total is 0 while it is not known."""

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Take note of the progress of one stage."""
        ...


def silent(stage: str, done: int, total: int) -> None:
    """Take no note."""
