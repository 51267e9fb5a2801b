"""A long run of `seedtopic serve` with new models, drifting texts and bad clients: does its memory stay?

    python benchmarks/soak.py [--minutes 60] [--output soak.csv]

Eight honest clients send short texts, whose words change in time; each attack of `attacks.py` takes its turn
for ten seconds, with ten seconds of peace after it; every thirty seconds the model is replaced (SIGHUP). The
output has the memory of the server and its processes after each peace. The last line compares the medians of
the second and the last quarter; it ends with code 1 if memory has grown by more than 2 % or an honest request
has failed.
"""

from __future__ import annotations

import argparse
import csv
import json
import multiprocessing
import os
import shutil
import signal
import statistics
import sys
import tempfile
import time
from itertools import cycle
from pathlib import Path
from typing import Any

from attacks import ATTACKS, attack, honest_clients, memory
from serve import fitted_model, running, short_texts

TURN = 10.0  # seconds of an attack, and of the peace after it
RELOAD = 30.0  # seconds between two models
MOST_GROWTH = 0.02


def asked_for(port: int, texts: list[str], until: float) -> dict[str, Any]:
    """Let the honest clients ask, and give their times and failures."""
    ours, theirs = multiprocessing.Pipe()
    asking = multiprocessing.Process(target=honest_clients, args=(port, texts, 8, until, theirs))
    asking.start()
    theirs.close()
    asked: dict[str, Any] = ours.recv()
    asking.join()
    return asked


def main() -> None:
    """Run for some minutes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--output", default="soak.csv")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        served = Path(fitted_model(folder))
        other = Path(folder) / "other"
        shutil.copytree(served, other)
        texts = short_texts(str(served), 4000)
        command = [sys.executable, "-m", "seedtopic", "serve", str(served), "--port", "0", "--quiet"]
        command += ["--timeout", "3", "--label-timeout", "3"]
        with running(command) as (process, port), open(options.output, "w", newline="") as file:
            rows = soak(process.pid, port, served, other, texts, options.minutes, csv.writer(file))
    megabytes, failures = [row[1] for row in rows], sum(row[3] for row in rows)
    quarter = max(1, len(rows) // 4)
    before = statistics.median(megabytes[quarter : 2 * quarter] or megabytes)
    after = statistics.median(megabytes[-quarter:])
    growth = after / before - 1
    said = {"minutes": options.minutes, "requests": sum(row[2] for row in rows), "failed": failures}
    print(json.dumps({**said, "megabytes": [round(before, 1), round(after, 1)], "growth": round(growth, 4)}))
    sys.exit(int(growth > MOST_GROWTH or failures > 0))


def soak(
    pid: int, port: int, served: Path, other: Path, texts: list[str], minutes: float, output: Any
) -> list[tuple[float, float, int, int, float]]:
    """Give the minute, the memory, the honest requests, the failures and the 99th percentile of each turn."""
    begun, reloaded = time.time(), time.time()
    rows = []
    output.writerow(["minute", "attack", "megabytes", "requests", "failed", "p99_ms"])
    for name in cycle(ATTACKS):
        started = time.time()
        if started > begun + 60 * minutes:
            return rows
        bad = multiprocessing.Process(target=attack, args=(port, name, started + TURN))
        bad.start()
        first = int((started - begun) / (60 * minutes) * (len(texts) - 500))
        asked = asked_for(port, texts[first : first + 500], started + 2 * TURN)
        bad.join()
        megabytes = memory(pid)  # before there are two models for a moment
        if time.time() - reloaded > RELOAD:
            reloaded = time.time()
            middle = served.with_name("middle")
            served.rename(middle)
            other.rename(served)
            middle.rename(other)
            os.kill(pid, signal.SIGHUP)
        times = sorted(asked["predict"]["times"])
        failures = [*asked["predict"]["failures"], *asked["health"]["failures"]]
        p99 = round(1000 * times[int(len(times) * 0.99)], 1)
        rows.append(((started - begun) / 60, megabytes, len(times), len(failures), p99))
        minute, _, *others = rows[-1]
        output.writerow([f"{minute:.2f}", name, f"{megabytes:.1f}", *others])
        print(f"{minute:.1f} minutes, {name}: {megabytes:.1f} MB, {others}", flush=True)
    return rows


if __name__ == "__main__":
    main()
