"""Honest clients beside attackers of `seedtopic serve`: a JSON line for each attack.

    python benchmarks/attacks.py [--model FOLDER] [--seconds 10] [--clients 32] [--attack NAME ...]

One process sends short texts over kept connections, each client ten a second, and asks for /health twice a
second; another attacks. A line has the honest requests, those that failed, their times, and the memory of the
server and its processes, at most. The first line is without an attack.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import random
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from serve import fitted_model, running, short_texts

JSON = b"POST %b HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
EVERY = 0.1  # seconds between two requests of a client


def posted(body: bytes, path: bytes = b"/predict") -> bytes:
    """Write a request."""
    return JSON % path + b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def marks() -> bytes:
    """Row 1: combining marks, which take quadratic time to put in order."""
    return posted(json.dumps({"texts": ["\u0300\u0316" * 49_000] * 3}).encode())


def phrases() -> bytes:
    """Row 2: phrases that almost occur in long texts."""
    seeds = [" ".join(["a"] * (2 + number % 90) + [f"b{number}"]) for number in range(900)]
    texts = ["a " * 49_000] * 10 + ["b0", "c"] * 5
    return posted(json.dumps({"texts": texts, "seeds": {"one": seeds, "two": ["c"]}}).encode(), b"/label")


def chunks() -> bytes:
    """Row 3: a body in chunks of one byte."""
    head = JSON % b"/predict" + b"Transfer-Encoding: chunked\r\n\r\n"
    return head + b"1\r\na\r\n" * 500_000


def unfinished() -> bytes:
    """Row 8: large bodies that never end."""
    return posted(b"x" * 7_900_000)[:-1]


def nested() -> bytes:
    """JSON of many small lists, which takes long to read."""
    return posted(b'{"texts": [' + b"[]," * 2_600_000 + b"[]]}")


def piled() -> bytes:
    """Many requests on one connection, without reading a response."""
    return b"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 20_000


def large() -> bytes:
    """As many texts as are allowed."""
    return posted(json.dumps({"texts": ["a goal in the game of the team"] * 10_000}).encode())


# What is sent, over how many connections at once, and whether these are kept open.
ATTACKS: dict[str, tuple[Callable[[], bytes], int, bool]] = {
    "marks": (marks, 4, False),
    "phrases": (phrases, 4, False),
    "chunks": (chunks, 8, False),
    "unfinished": (unfinished, 300, True),
    "nested": (nested, 8, False),
    "piled": (piled, 16, False),
    "large": (large, 8, False),
}


def attack(port: int, name: str, until: float) -> None:
    """Send one thing over and over; runs in a process of its own."""
    make, n_connections, keep = ATTACKS[name]
    sent = make()

    async def once() -> None:
        with suppress(OSError, asyncio.TimeoutError):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            with suppress(OSError, asyncio.TimeoutError):
                writer.write(sent)
                async with asyncio.timeout(max(0.1, until - time.time()) if keep else 5):
                    await writer.drain()
                    while await reader.read(65536):
                        pass
            writer.transport.abort()
            if keep:  # refused: try again, as the response asks
                await asyncio.sleep(1)

    async def over_and_over() -> None:
        while time.time() < until:
            await once()
            await asyncio.sleep(0.01)

    async def all_of_them() -> None:
        await asyncio.gather(*(over_and_over() for _ in range(n_connections)))

    asyncio.run(all_of_them())


async def honest(port: int, bodies: list[bytes], until: float, every: float, said: dict[str, Any]) -> None:
    """Ask as a good client does, again and again, and note the times and the failures."""
    connection = None
    await asyncio.sleep(random.random() * every)
    while time.time() < until:
        started = time.perf_counter()
        try:
            connection = connection or await asyncio.open_connection("127.0.0.1", port)
            reader, writer = connection
            writer.write(random.choice(bodies))
            head = await reader.readuntil(b"\r\n\r\n")
            length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
            await reader.readexactly(length)
            if not head.startswith(b"HTTP/1.1 200"):
                said["failures"].append(head.split(b"\r\n")[0].decode())
        except (OSError, asyncio.IncompleteReadError) as failure:
            said["failures"].append(type(failure).__name__)
            connection = None
        said["times"].append(time.perf_counter() - started)
        await asyncio.sleep(max(0.0, every - (time.perf_counter() - started)))


def honest_clients(
    port: int, texts: list[str], clients: int, until: float, given: Any, every: float = EVERY
) -> None:
    """Be all honest clients, each of which asks every so many seconds; runs in a process of its own."""
    bodies = [posted(json.dumps({"texts": [text]}).encode()) for text in texts]
    asked: dict[str, dict[str, Any]] = {name: {"times": [], "failures": []} for name in ("predict", "health")}

    async def all_of_them() -> None:
        predicting = (honest(port, bodies, until, every, asked["predict"]) for _ in range(clients))
        look = [b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"]
        await asyncio.gather(*predicting, honest(port, look, until, 0.5, asked["health"]))

    asyncio.run(all_of_them())
    given.send(asked)


def memory(pid: int) -> float:
    """Read how much memory a server and its processes hold, in megabytes, shared pages once.

    Pages of files are left out: the system divides those of libraries by all programs that have them open, so
    that they seem to grow when another program ends.
    """
    return sum(held(member) for member in family(pid))


def held(pid: int) -> float:
    """Read how much memory one process holds, in megabytes, its part of what it shares."""
    try:
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:  # it has ended
        return 0.0
    counted = ("Pss_Anon:", "Pss_Shmem:")
    return sum(int(line.split()[1]) for line in rollup.splitlines() if line.startswith(counted)) * 1024 / 1e6


def family(pid: int) -> Iterator[int]:
    """Give a process and those that it started."""
    yield pid
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            for child in children.read_text().split():
                yield from family(int(child))


def measure(name: str | None, pid: int, port: int, texts: list[str], clients: int, seconds: float) -> None:
    """Let the clients ask beside one attack, and print how they did."""
    until = time.time() + seconds
    ours, theirs = multiprocessing.Pipe()
    asking = multiprocessing.Process(target=honest_clients, args=(port, texts, clients, until, theirs))
    attacking = multiprocessing.Process(target=attack, args=(port, name, until))
    asking.start()
    if name:
        attacking.start()
    most = 0.0
    while not ours.poll(0.2):
        most = max(most, memory(pid))
    asked = ours.recv()
    asking.join()
    if name:
        attacking.join()
    times = sorted(asked["predict"]["times"])
    line = {
        "attack": name or "none",
        "requests": len(times),
        "failed": len(asked["predict"]["failures"]) + len(asked["health"]["failures"]),
        "p50_ms": round(1000 * times[len(times) // 2], 1),
        "p99_ms": round(1000 * times[int(len(times) * 0.99)], 1),
        "most_ms": round(1000 * times[-1], 1),
        "health_most_ms": round(1000 * max(asked["health"]["times"]), 1),
        "megabytes": round(most),
    }
    if line["failed"]:
        line["failures"] = sorted({*asked["predict"]["failures"], *asked["health"]["failures"]})
    print(json.dumps(line), flush=True)


def main() -> None:
    """Start a server, and attack it in each way."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--model", help="a model folder (default: one is fitted to the docstring corpus)")
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--attack", action="append", choices=ATTACKS, help="may be repeated; all by default")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        model = options.model or fitted_model(folder)
        serve = [sys.executable, "-m", "seedtopic", "serve", model, "--port", "0", "--quiet"]
        serve += ["--timeout", "3", "--label-timeout", "3"]
        texts = short_texts(model)
        for name in (None, *(options.attack or ATTACKS)):
            with running(serve) as (process, port):
                with socket.create_connection(("127.0.0.1", port)):
                    pass
                measure(name, process.pid, port, texts, options.clients, options.seconds)


if __name__ == "__main__":
    main()
