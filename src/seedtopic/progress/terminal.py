"""Progress bars in a terminal, which disappear when the work is done."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, ProgressColumn, Task, TaskID, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bars
from rich.text import Text

from seedtopic.progress import Progress


class _Count(ProgressColumn):
    """How much is done, out of how much where that is known."""

    def render(self, task: Task) -> Text:
        """Write the numbers."""
        return Text(f"{task.completed:,.0f}" + (f"/{task.total:,.0f}" if task.total else ""))


@contextmanager
def terminal_bars() -> Iterator[Progress]:
    """Show a bar for each stage on standard error."""
    columns = (TextColumn("{task.description}"), BarColumn(), _Count(), TimeRemainingColumn())
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        tasks: dict[str, TaskID] = {}

        def report(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=total or None)
            bars.update(tasks[stage], completed=done, total=total or None)

        yield report
