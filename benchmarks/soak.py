"""A long run of `seedtopic serve` with new models, drifting texts and bad clients: does its memory stay?

    python benchmarks/soak.py [--minutes 60] [--every 0.1] [--output soak.csv]

Eight honest clients send short texts, whose words change in time, one in `--every` seconds each (with 0, the
next when the answer is there, which takes a core); each attack of `attacks.py` takes its turn for ten
seconds, with ten seconds of peace after it; every thirty seconds the model is replaced (SIGHUP). The output
has a line for each turn, among others the memory of the server and its processes after the peace, that of the
server alone, and the load average of the machine, which the times depend on; `docs/soak_picture.py` draws it.

The last line compares the medians of the second and the last quarter; it ends with code 1 if memory has grown
by more than 2 % or an honest request has failed.
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
from collections.abc import Sequence
from itertools import cycle
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from attacks import ATTACKS, EVERY, attack, held, honest_clients, memory
from serve import fitted_model, running, short_texts

CLIENTS = 8
TURN = 10.0  # seconds of an attack, and of the peace after it
RELOAD = 30.0  # seconds between two models
MOST_GROWTH = 0.02


class Turn(NamedTuple):
    """What is written of an attack and the peace after it.

    Attributes
    ----------
    minute : float
        When it began.
    attack : str
    megabytes, server_megabytes : float
        At its end, of the server with its processes, and of the server alone.
    requests, failed : int
        Of the honest clients, without those for /health; of all.
    p50_ms, p99_ms, most_ms : float
        Times of the honest requests.
    load : float
        The load average of the machine.
    """

    minute: float
    attack: str
    megabytes: float
    server_megabytes: float
    requests: int
    failed: int
    p50_ms: float
    p99_ms: float
    most_ms: float
    load: float


def asked_for(port: int, texts: list[str], until: float, every: float) -> dict[str, Any]:
    """Let the honest clients ask, and give their times and failures."""
    ours, theirs = multiprocessing.Pipe()
    asking = multiprocessing.Process(target=honest_clients, args=(port, texts, CLIENTS, until, theirs, every))
    asking.start()
    theirs.close()
    asked: dict[str, Any] = ours.recv()
    asking.join()
    return asked


def main() -> None:
    """Run for some minutes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--every", type=float, default=EVERY, help="seconds between two requests of a client")
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
            turns, times = soak(process.pid, port, served, other, texts, options.minutes, options.every, file)
    said = summary(turns, times)
    print(json.dumps(said))
    sys.exit(int(said["growth"] > MOST_GROWTH or said["failed"] > 0))


def soak(
    pid: int,
    port: int,
    served: Path,
    other: Path,
    texts: list[str],
    minutes: float,
    every: float,
    output: TextIO,
) -> tuple[list[Turn], list[float]]:
    """Give what came of each turn, and the times of all honest requests."""
    begun, reloaded = time.time(), time.time()
    turns: list[Turn] = []
    all_times: list[float] = []
    writer = csv.writer(output)
    writer.writerow(Turn._fields)
    for name in cycle(ATTACKS):
        started = time.time()
        if started > begun + 60 * minutes:
            break
        bad = multiprocessing.Process(target=attack, args=(port, name, started + TURN))
        bad.start()
        first = int((started - begun) / (60 * minutes) * (len(texts) - 500))
        asked = asked_for(port, texts[first : first + 500], started + 2 * TURN, every)
        bad.join()
        megabytes = memory(pid), held(pid)  # before there are two models for a moment
        if time.time() - reloaded > RELOAD:
            reloaded = time.time()
            middle = served.with_name("middle")
            served.rename(middle)
            other.rename(served)
            middle.rename(other)
            os.kill(pid, signal.SIGHUP)
        times = sorted(asked["predict"]["times"])
        failures = [*asked["predict"]["failures"], *asked["health"]["failures"]]
        all_times += times
        turns.append(
            Turn(
                round((started - begun) / 60, 2),
                name,
                *(round(part, 1) for part in megabytes),
                len(times),
                len(failures),
                *(milliseconds(times, share) for share in (0.5, 0.99, 1.0)),
                round(os.getloadavg()[0], 2),
            )
        )
        writer.writerow(turns[-1])
        output.flush()  # to be looked at meanwhile
        print(json.dumps({**turns[-1]._asdict(), "failures": sorted(set(failures))}), flush=True)
    return turns, all_times


def milliseconds(times: Sequence[float], share: float) -> float:
    """Give the time within which a share of the requests was answered, of seconds in order.

    Examples
    --------
    >>> milliseconds([0.001, 0.002, 0.003, 0.004], 0.5), milliseconds([0.001, 0.002], 1.0)
    (3.0, 2.0)
    """
    return round(1000 * times[min(int(len(times) * share), len(times) - 1)], 1)


def summary(turns: Sequence[Turn], times: list[float]) -> dict[str, Any]:
    """Compare the memory of the last quarter with that of the second, when every attack has been seen."""
    megabytes = [turn.megabytes for turn in turns]
    quarter = max(1, len(turns) // 4)
    before = statistics.median(megabytes[quarter : 2 * quarter] or megabytes)
    after = statistics.median(megabytes[-quarter:])
    times = sorted(times)
    return {
        "minutes": round(turns[-1].minute + 2 * TURN / 60, 1),
        "requests": sum(turn.requests for turn in turns),
        "failed": sum(turn.failed for turn in turns),
        "p50_ms": milliseconds(times, 0.5),
        "p99_ms": milliseconds(times, 0.99),
        "most_ms": milliseconds(times, 1.0),
        "load": round(statistics.mean(turn.load for turn in turns), 1),
        "megabytes": [round(before, 1), round(after, 1)],
        "growth": round(after / before - 1, 4),
    }


if __name__ == "__main__":
    main()
