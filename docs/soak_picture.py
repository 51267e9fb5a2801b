"""Draw docs/soak.svg: the memory of a server over the minutes of a soak.

``make soak MINUTES=60`` writes soak.csv, and ``python docs/soak_picture.py soak.csv`` the picture, from which
docs/reliability.md takes it. It needs matplotlib (the extra ``experiments``).
"""

from __future__ import annotations

import csv
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path

from matplotlib import rc_context
from matplotlib.figure import Figure  # not pyplot, which has global state

ALLOWED = 0.02  # by which the last quarter may be above the second, as in benchmarks/soak.py


def draw(turns: Sequence[dict[str, str]], path: Path) -> None:
    """Draw the turns of a soak; the same turns give the same file, byte for byte."""
    minutes = [float(turn["minute"]) for turn in turns]
    megabytes = [float(turn["megabytes"]) for turn in turns]
    alone = [float(turn["server_megabytes"]) for turn in turns]
    quarter = max(1, len(turns) // 4)
    level = statistics.median(megabytes[quarter : 2 * quarter] or megabytes)
    with rc_context({"svg.hashsalt": "soak", "font.size": 9}):
        figure = Figure(figsize=(7.2, 3.0), layout="constrained", facecolor="white")
        axes = figure.subplots()
        axes.axhspan(level * (1 - ALLOWED), level * (1 + ALLOWED), color="0.9", label="second quarter ± 2 %")
        axes.plot(minutes, megabytes, color="black", linewidth=1, label="the server and its processes")
        axes.plot(minutes, alone, color="0.5", linewidth=1, linestyle="--", label="its part of the server")
        for first in (len(turns) - quarter, quarter):  # medians of the quarters that are compared
            median = statistics.median(megabytes[first : first + quarter] or megabytes)
            ends = minutes[first], minutes[min(first + quarter, len(turns)) - 1]
            axes.plot(ends, (median, median), color="black", linewidth=2.5)
        axes.set(xlabel="minutes", ylabel="memory in MB", ylim=(0, 1.35 * max(megabytes)), xlim=(0, None))
        axes.legend(loc="upper center", ncols=3, frameon=False)
        figure.savefig(path, format="svg", metadata={"Date": None})


def main() -> None:
    """Read the turns and write the picture next to this file."""
    with open(sys.argv[1], newline="") as file:
        draw(list(csv.DictReader(file)), Path(__file__).with_name("soak.svg"))


if __name__ == "__main__":
    main()
