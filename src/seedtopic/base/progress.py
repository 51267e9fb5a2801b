"""How long-running work reports its progress; the library itself shows nothing unless it is given a bar."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from importlib import import_module
from typing import Any, Protocol

LEAST_SECONDS = 0.1  # between two updates: a notebook keeps up with ten in a second
_ROW = (
    '<tr style="background:none"><td style="text-align:left">{stage}</td>'
    '<td><progress{how_far} style="width:16em"></progress></td>'
    '<td style="text-align:right;font-variant-numeric:tabular-nums">{count}</td></tr>'
)


class Progress(Protocol):
    """Called as ``progress(stage, done, total)``; total is 0 while it is unknown."""

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Receive the progress of one stage."""


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
    ipython = sys.modules.get("IPython")  # which the kernel of a notebook has imported
    shell = None if ipython is None else ipython.get_ipython()
    if getattr(shell, "kernel", None) is not None:
        with notebook_bars() as progress:
            yield progress
    elif in_terminal():
        with terminal_bars() as progress:
            yield progress
    else:
        yield silent


def in_terminal() -> bool:
    """Return whether a person sees standard error; it is None where it was closed."""
    return sys.stderr is not None and sys.stderr.isatty()


@contextmanager
def terminal_bars() -> Iterator[Progress]:
    """Show a bar for each stage on standard error; they disappear when the work is done."""
    # Imported here: it takes longer to import than all the rest of this package.
    rich = import_module("rich.progress")
    columns = (
        rich.TextColumn("{task.description}"),
        rich.BarColumn(),
        rich.TextColumn("{task.fields[count]}"),
        rich.TimeRemainingColumn(),
    )
    console = import_module("rich.console").Console(stderr=True)
    with rich.Progress(*columns, console=console, transient=True) as bars:
        tasks: dict[str, Any] = {}

        def report(stage: str, done: int, total: int) -> None:
            count = _count(done, total)
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=total or None, count=count)
            bars.update(tasks[stage], completed=done, total=total or None, count=count)

        yield report


@contextmanager
def notebook_bars() -> Iterator[Progress]:
    """Show a bar for each stage below the cell, as plain HTML; when all is done, the time that it took."""
    display = import_module("IPython.display").display  # which a notebook has
    stages: dict[str, tuple[int, int]] = {}
    began = last = time.monotonic()
    shown = display(_drawn(stages), raw=True, display_id=True)

    def report(stage: str, done: int, total: int) -> None:
        nonlocal last
        at_an_end = stage not in stages or done == total
        stages[stage] = done, total
        now = time.monotonic()
        if at_an_end or now - last >= LEAST_SECONDS:
            last = now
            shown.update(_drawn(stages), raw=True)

    yield report  # after an error the bars stay, and show where it came
    seconds = f"Done in {time.monotonic() - began:,.1f} s."
    shown.update({"text/plain": seconds, "text/html": f"<small>{seconds}</small>"}, raw=True)


def _drawn(stages: dict[str, tuple[int, int]]) -> dict[str, str]:
    """Draw the bars, and write the same for a notebook that shows text alone."""
    rows, lines = [], []
    for stage, (done, total) in stages.items():
        how_far = f' value="{done}" max="{total}"' if total else ""
        rows.append(_ROW.format(stage=escape(stage), how_far=how_far, count=_count(done, total)))
        lines.append(f"{stage} {_count(done, total)}")
    return {"text/plain": ", ".join(lines), "text/html": f"<table>{''.join(rows)}</table>"}


def _count(done: int, total: int) -> str:
    return f"{done:,}/{total:,}" if total else f"{done:,}"
