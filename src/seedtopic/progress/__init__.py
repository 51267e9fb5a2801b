"""How long-running work reports its progress; the library itself shows nothing unless it is given a bar."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol


class Progress(Protocol):
    """Called as ``progress(stage, done, total)``; total is 0 while it is unknown."""

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Receive the progress of one stage."""
        ...


def silent(stage: str, done: int, total: int) -> None:
    """Ignore the progress."""


@contextmanager
def progress_bars() -> Iterator[Progress]:
    """Show bars while something takes long: in a notebook below the cell, in a terminal on standard error.

    Elsewhere, such as in a file of logs, nothing is shown. Notebooks need no further package.

    Examples
    --------
    >>> from seedtopic import SeedTopicClassifier, progress_bars
    >>> texts = ["the team won the game", "a goal in the game", "the bank cut its rate", "rate of the bank"]
    >>> model = SeedTopicClassifier({"sports": ["game", "team"], "money": ["bank"]}, random_state=0)
    >>> with progress_bars() as progress:
    ...     model = model.fit(texts, progress=progress)
    """
    # Imported where they are needed: both take longer to import than all the rest of this package.
    if in_notebook():
        from seedtopic.progress.notebook import notebook_bars

        with notebook_bars() as progress:
            yield progress
    elif in_terminal():
        from seedtopic.progress.terminal import terminal_bars

        with terminal_bars() as progress:
            yield progress
    else:
        yield silent


def in_notebook() -> bool:
    """Tell whether the code runs in the kernel of a notebook."""
    ipython = sys.modules.get("IPython")  # which a kernel has imported
    shell = None if ipython is None else ipython.get_ipython()
    return getattr(shell, "kernel", None) is not None


def in_terminal() -> bool:
    """Tell whether a person sees standard error; it is None where it was closed."""
    return sys.stderr is not None and sys.stderr.isatty()
