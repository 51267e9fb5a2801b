"""Progress bars in a notebook: plain HTML that is replaced as the work goes on, without widgets."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from importlib import import_module

from seedtopic.progress import Progress

LEAST_SECONDS = 0.1  # between two updates: a notebook keeps up with ten in a second
_ROW = (
    '<tr style="background:none"><td style="text-align:left">{stage}</td>'
    '<td><progress{how_far} style="width:16em"></progress></td>'
    '<td style="text-align:right;font-variant-numeric:tabular-nums">{count}</td></tr>'
)


@contextmanager
def notebook_bars() -> Iterator[Progress]:
    """Show a bar for each stage below the cell; when all is done, the time that it took."""
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
        count = f"{done:,}/{total:,}" if total else f"{done:,}"
        how_far = f' value="{done}" max="{total}"' if total else ""
        rows.append(_ROW.format(stage=escape(stage), how_far=how_far, count=count))
        lines.append(f"{stage} {count}")
    return {"text/plain": ", ".join(lines), "text/html": f"<table>{''.join(rows)}</table>"}
