"""The memory of a server: what was freed is given back, and processes share the model that they are given."""

from __future__ import annotations

import os
import platform
import signal
import sys
import time
from pathlib import Path

import pytest

from seedtopic import SeedTopicClassifier
from seedtopic.web.processes import give_back_memory
from serving import Served, ask, start

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

MEGABYTE = 1_000_000


def anonymous() -> int:
    """Give the bytes of memory, without pages of files, that this process holds."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("RssAnon:"))


def shared_once(pid: int) -> int:
    """Give the bytes of a server and its processes, without pages of files."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    total = 0
    for member in (str(pid), *children):
        for line in Path(f"/proc/{member}/smaps_rollup").read_text().splitlines():
            total += int(line.split()[1]) * 1024 if line.startswith("Pss_Anon:") else 0
    return total


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the C library is another one")
def test_what_was_freed_between_what_is_in_use_is_given_back() -> None:
    give_back_memory()
    before = anonymous()
    blocks = [bytearray(50_000) for _ in range(2000)]  # below the size that the system is asked for each
    kept = blocks[::100]
    del blocks
    held = anonymous()
    give_back_memory()
    assert held - before > 50 * MEGABYTE
    assert anonymous() - before < 20 * MEGABYTE
    assert len(kept) == 20


def reloads(server: Served) -> int:
    return [line["event"] for line in server.lines()].count("reload")


@pytest.mark.slow
def test_processes_share_a_model_that_was_loaded_again(
    toy_texts: list[str], toy_seeds: dict[str, list[str]], tmp_path: Path
) -> None:
    SeedTopicClassifier(toy_seeds, random_state=0).fit(toy_texts).save(tmp_path / "model")
    server = start(tmp_path / "model", tmp_path / "log.jsonl")
    try:
        assert ask(server.port, "/health")[0] == 200
        before = shared_once(server.process.pid)
        for number in (1, 2):
            os.kill(server.process.pid, signal.SIGHUP)
            until = time.monotonic() + 60
            while reloads(server) < number:
                assert time.monotonic() < until
                time.sleep(0.05)
        time.sleep(0.5)
        assert shared_once(server.process.pid) - before < 30 * MEGABYTE
    finally:
        server.process.kill()
        server.process.wait()
