"""What a fit of many documents on many machines takes, by the slopes that smaller fits have shown.

    for n in 250000 500000 1000000; do
        python benchmarks/scale.py ../shared/data/scale --documents $n --first-words 20
    done > lines.jsonl
    python benchmarks/plan.py lines.jsonl --documents 100000000 --machines 50 --cores 8

The slope of a stage is that of a line through the fits of lines.jsonl; its CPU seconds are shared by cores,
a block of 50,000 documents by one of them. What passes over the wire is counted: in each step of the topic
model and of the regression, the weights of all words go to every machine, and sums of the same shape come
back, added up on the way. A fit that was run can be given, to see how well it was planned:

    python benchmarks/plan.py lines.jsonl --documents 5000000 --machines 1 --cores 2 --measured line.json
"""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import Any

import numpy as np

from seedtopic.text.counts import n_blocks_for

TOPIC_STEPS = 30
REGRESSION_STEPS = 110  # evaluations of loss and gradient in all rounds
SENT, RETURNED = 4, 8  # bytes of a weight, and of a part of a sum
MOST_WORDS = 300_000  # in a vocabulary, about: `min_df` grows with the documents
GIGABITS = 10  # a second, between two machines


def slope(lines: list[dict[str, Any]], value: Any) -> tuple[float, float]:
    """Fit a line to a value of the fits; give what a document adds, and where the line starts."""
    added, start = np.polyfit([line["documents"] for line in lines], [value(line) for line in lines], 1)
    return float(added), float(start)


def planned(lines: list[dict[str, Any]], n_documents: int, n_machines: int, n_cores: int) -> dict[str, Any]:
    """Give CPU seconds of each stage, seconds, gigabytes of a machine, and over the wire."""
    stages = {
        stage: sum(part * unit for part, unit in zip(slope(lines, cpu), (n_documents, 1), strict=True))
        for stage in lines[0]["cpu_stages"]
        for cpu in [lambda line, stage=stage: line["cpu_stages"][stage]]
    }
    n_blocks, cores = n_blocks_for(n_documents), n_machines * n_cores
    rounds = math.ceil(n_blocks / cores) * cores / n_blocks  # the last round leaves cores without a block
    memory, _ = slope(lines, lambda line: line["peak_gb"])
    n_words = min(MOST_WORDS, max(line["words"] for line in lines) * n_documents // lines[-1]["documents"])
    columns = lines[0]["categories"] + lines[0]["background"]
    values = n_words * (TOPIC_STEPS * columns + REGRESSION_STEPS * lines[0]["categories"])
    wire = values * (SENT + RETURNED) / 1e9
    cpu = sum(stages.values())
    # A machine receives the weights and sends its sums; sums are added, and weights passed on, by a tree.
    waiting = 8 * wire / GIGABITS * (1 + math.ceil(math.log(n_machines, 8))) if n_machines > 1 else 0.0
    return {
        "documents": n_documents,
        "cores": cores,
        "words": n_words,
        "cpu_seconds": round(cpu),
        "cpu_stages": {stage: round(seconds, 1) for stage, seconds in stages.items()},
        "seconds": round(cpu / cores * rounds + waiting),
        "of_these_waiting_for_the_wire": round(waiting),
        "gb_of_a_machine": round(memory * n_documents / n_machines, 1),
        "gb_over_the_wire_of_a_machine": round(wire, 1),
        "gb_over_the_wire": round(wire * n_machines, 1),
    }


def main() -> None:
    """Print the plan, and how far a fit was from it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("lines", type=Path)
    parser.add_argument("--documents", type=int, default=100_000_000)
    parser.add_argument("--machines", type=int, default=50)
    parser.add_argument("--cores", type=int, default=8)
    parser.add_argument("--measured", type=Path, help="a line of scale.py, to compare the plan with")
    options = parser.parse_args()
    lines = [json.loads(line) for line in options.lines.read_text(encoding="utf-8").splitlines() if line]
    plan = planned(lines, options.documents, options.machines, options.cores)
    if options.measured:
        measured = json.loads(options.measured.read_text(encoding="utf-8"))
        for stage, seconds in plan["cpu_stages"].items():
            plan[f"{stage}: measured / planned"] = round(measured["cpu_stages"][stage] / seconds, 2)
        plan["cpu: measured / planned"] = round(measured["cpu_seconds"] / plan["cpu_seconds"], 2)
        plan["memory: measured / planned"] = round(measured["peak_gb"] / plan["gb_of_a_machine"], 2)
    print(json.dumps(plan, indent=1))


if __name__ == "__main__":
    main()
