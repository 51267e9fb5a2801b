"""How long-running work reports its progress; the library itself prints nothing."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Called as ``progress(stage, done, total)``; total is 0 while it is unknown."""

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Receive the progress of one stage."""
        ...


def silent(stage: str, done: int, total: int) -> None:
    """Ignore the progress."""
