"""Requests a second that `seedtopic serve` answers, beside a bare Starlette application: a JSON line each.

    python benchmarks/serve.py [--model FOLDER] [--seconds 10] [--connections 8]

A process of its own asks, over connections that are kept, one short text a request, the next when the answer
is there: first `/predict` of a fitted model (without --model, of the docstring corpus), then an application
that parses the same body and gives it back, on uvicorn with h11, which is what `seedtopic serve` runs on. The
texts are headlines made of words of the model. Memory is the resident set of the server after a second of
requests and at the end; the CPU time is the server's, and says the same on a busy machine.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from seedtopic import SeedTopicClassifier, load
from seedtopic.cli.demo import docstring_seeds, load_docstrings

ECHO = """
import sys, json, socket, uvicorn
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route
async def echo(request):
    return JSONResponse(await request.json())
app = Starlette(routes=[Route("/predict", echo, methods=["POST"])])
at = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
at.bind(("127.0.0.1", 0))
at.listen(2048)
print(json.dumps({"address": "http://127.0.0.1:%d" % at.getsockname()[1]}), file=sys.stderr, flush=True)
config = uvicorn.Config(app, http='h11', ws="none", loop="asyncio", log_config=None, access_log=False)
uvicorn.Server(config).run(sockets=[at])
"""


@contextmanager
def running(command: list[str]) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Start a server; give its process and its port, which stands in its first line."""
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(command, stderr=log, text=True)
        try:
            while True:
                log.seek(0)
                found = re.search(r"http://127\.0\.0\.1:(\d+)", log.read())
                if found:
                    break
                if process.poll() is not None:
                    log.seek(0)
                    sys.exit(f"the server did not start: {log.read()}")
                time.sleep(0.05)
            yield process, int(found[1])
        finally:
            process.terminate()
            process.wait()


def resident_megabytes(pid: int) -> float:
    """Read how much memory a process holds."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def cpu_seconds(pid: int) -> float:
    """Read how long a process has been at work."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def ask(port: int, bodies: list[bytes], until: float, times: list[float]) -> None:
    """Ask over one connection until the time is over, noting how long each answer took."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    number = random.randrange(len(bodies))
    while time.perf_counter() < until:
        body = bodies[number % len(bodies)]
        number += 1
        started = time.perf_counter()
        writer.write(
            b"POST /predict HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            b"Content-Length: %d\r\n\r\n%b" % (len(body), body)
        )
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(re.search(rb"content-length: (\d+)", head)[1])
        await reader.readexactly(length)
        times.append(time.perf_counter() - started)
        if not head.startswith(b"HTTP/1.1 200"):
            sys.exit(f"the server answered {head.decode()}")
    writer.close()


def load_generator(port: int, seconds: float, connections: int, bodies_at: str) -> None:
    """Ask over several connections, and print the times."""
    bodies = [line.encode() for line in Path(bodies_at).read_text().splitlines()]

    async def all_of_them() -> list[float]:
        times: list[float] = []
        until = time.perf_counter() + seconds
        await asyncio.gather(*(ask(port, bodies, until, times) for _ in range(connections)))
        return times

    print(json.dumps(asyncio.run(all_of_them())))


def measure(
    name: str, command: list[str], bodies_at: str, seconds: float, connections: int
) -> dict[str, float]:
    """Start a server, ask it, and say how it did."""
    with running(command) as (process, port):

        def asked(for_seconds: float) -> list[float]:
            generator = [sys.executable, __file__, "--ask", str(port), "--seconds", str(for_seconds)]
            generator += ["--connections", str(connections), "--bodies", bodies_at]
            times: list[float] = json.loads(subprocess.run(generator, check=True, capture_output=True).stdout)
            return sorted(times)

        asked(1.0)
        before, worked = resident_megabytes(process.pid), cpu_seconds(process.pid)
        times = asked(seconds)
        after, worked = resident_megabytes(process.pid), cpu_seconds(process.pid) - worked
    line = {
        "name": name,
        "requests_per_second": round(len(times) / seconds),
        "p50_ms": round(1000 * times[len(times) // 2], 2),
        "p99_ms": round(1000 * times[int(len(times) * 0.99)], 2),
        "most_ms": round(1000 * times[-1], 2),
        "cpu_ms_per_request": round(1000 * worked / len(times), 3),
        "megabytes_before": round(before, 1),
        "megabytes_after": round(after, 1),
    }
    print(json.dumps(line), flush=True)
    return line


def short_texts(model: str, count: int = 1000) -> list[str]:
    """Make headlines of eight to sixteen words."""
    words = [word for word in load(model).vocabulary_ if word.isalpha()]
    draw = random.Random(0)
    return [" ".join(draw.choices(words, k=draw.randint(8, 16))) for _ in range(count)]


def fitted_model(folder: str) -> str:
    """Fit a model to the docstring corpus."""
    SeedTopicClassifier(docstring_seeds(), random_state=0).fit(load_docstrings().texts).save(
        f"{folder}/model"
    )
    return f"{folder}/model"


def main() -> None:
    """Measure the server and the echo, one after the other, and their ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--model", help="a model folder (default: one is fitted to the docstring corpus)")
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--connections", type=int, default=8)
    parser.add_argument("--ask", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--bodies", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.ask:
        load_generator(options.ask, options.seconds, options.connections, options.bodies)
        return
    with tempfile.TemporaryDirectory() as folder:
        model = options.model
        if model is None:
            model = fitted_model(folder)
        bodies_at = f"{folder}/bodies.jsonl"
        Path(bodies_at).write_text("\n".join(json.dumps({"texts": [text]}) for text in short_texts(model)))
        how = (bodies_at, options.seconds, options.connections)
        serve = [sys.executable, "-m", "seedtopic", "serve", model, "--port", "0"]
        ours = measure("seedtopic serve", serve, *how)
        name = "bare Starlette echo"
        bare = measure(name, [sys.executable, "-c", ECHO], *how)
        ratios = {
            "requests": round(ours["requests_per_second"] / bare["requests_per_second"], 3),
            "cpu": round(bare["cpu_ms_per_request"] / ours["cpu_ms_per_request"], 3),
        }
        print(json.dumps({"seedtopic serve to": name, **ratios}), flush=True)


if __name__ == "__main__":
    main()
