"""A cluster that breaks: work goes on with the same result, or ends with one sentence in a bounded time."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import dask
import distributed
import numpy as np
import pytest
from numpy.typing import NDArray

from seedtopic import SeedTopicClassifier
from seedtopic.base.engine import Engine, LocalEngine
from seedtopic.base.errors import ClusterLostError
from seedtopic.cluster.engine import DaskEngine

pytestmark = pytest.mark.slow

BLOCKS, SIZE, STEPS = 9, 5000, 6
PATIENCE = 6.0


@contextmanager
def cluster(n_workers: int = 2, **options: Any) -> Iterator[Any]:
    with (
        # Otherwise it gives up a worker for good that is lost again 15 seconds after an earlier loss.
        dask.config.set({"distributed.deploy.lost-worker-timeout": "10 minutes"}),
        distributed.LocalCluster(
            n_workers=n_workers, threads_per_worker=1, processes=True, dashboard_address=":0", **options
        ) as workers,
        distributed.Client(workers) as client,
    ):
        yield client


def made(seed: int) -> NDArray[np.float64]:
    return np.random.default_rng(seed).random(SIZE)


def step(block: NDArray[np.float64], weights: NDArray[np.float64], shift: float) -> NDArray[np.float64]:
    return np.sqrt(block * weights) + shift


def total(block: NDArray[np.float64]) -> tuple[NDArray[np.float64], int]:
    return block, len(block)


def iterated(engine: Engine, disturb: Callable[[int], None] = lambda n: None) -> list[Any]:
    """Compute something in steps, each of which depends on the sum of the one before."""
    weights = np.ones(SIZE)
    blocks = first = engine.keep(made, range(BLOCKS))
    for n in range(STEPS):
        disturb(n)
        blocks = engine.map(step, blocks, engine.broadcast(weights), n / 10)
        weights = engine.tree(total, blocks)[0] / BLOCKS
    return [weights, *engine.gather(total, blocks), *engine.gather(total, first)]


def same(found: list[Any], wanted: list[Any]) -> bool:
    return all(np.array_equal(ours[0], theirs[0]) for ours, theirs in zip(found, wanted, strict=True))


def pids(client: Any) -> dict[str, int]:
    return client.run(os.getpid)


def test_workers_killed_one_after_the_other_change_nothing() -> None:
    with cluster() as client:

        def kill(n: int) -> None:
            if n:
                running = sorted(pids(client).items())
                os.kill(running[n % len(running)][1], signal.SIGKILL)

        assert same(iterated(DaskEngine(client), kill), iterated(LocalEngine()))


def test_all_workers_killed_at_once_change_nothing() -> None:
    with cluster(3) as client:

        def kill(n: int) -> None:
            if n == 3:
                for pid in pids(client).values():
                    os.kill(pid, signal.SIGKILL)

        assert same(iterated(DaskEngine(client), kill), iterated(LocalEngine()))


def test_a_worker_that_hangs_is_done_without() -> None:
    with cluster(3) as client:
        stopped: list[int] = []

        def stop(n: int) -> None:
            if n == 2:
                stopped.append(min(pids(client).values()))
                os.kill(stopped[0], signal.SIGSTOP)

        try:
            assert same(iterated(DaskEngine(client, patience=PATIENCE), stop), iterated(LocalEngine()))
        finally:
            os.kill(stopped[0], signal.SIGKILL)


def test_a_cluster_without_workers_is_given_up() -> None:
    with cluster() as client:

        def scale_down(n: int) -> None:
            if n == 2:
                client.cluster.scale(0)

        started = time.monotonic()
        with pytest.raises(ClusterLostError, match="has had no worker for 6 seconds"):
            iterated(DaskEngine(client, patience=PATIENCE), scale_down)
        assert time.monotonic() - started < 5 * PATIENCE


def greedy(block: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.concatenate([np.ones(50_000_000) for _ in range(100)])


def test_blocks_that_do_not_fit_are_blamed() -> None:
    with cluster(memory_limit="500MB") as client:
        engine = DaskEngine(client, patience=PATIENCE)
        blocks = engine.keep(made, range(2))
        with pytest.raises(ClusterLostError, match="memory"):
            engine.tree(total, engine.map(greedy, blocks))


@contextmanager
def started(*command: str) -> Iterator[subprocess.Popen[bytes]]:
    paths = os.pathsep.join([str(Path(__file__).parent), *sys.path])  # workers import functions of this file
    process = subprocess.Popen(
        [sys.executable, "-m", "distributed.cli." + command[0], *command[1:]],
        env={**os.environ, "PYTHONPATH": paths},
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def test_a_scheduler_that_is_killed_ends_the_work(tmp_path: Path) -> None:
    contact = tmp_path / "scheduler.json"
    with (
        started(
            "dask_scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", str(contact)
        ) as scheduler,
        started("dask_worker", "--scheduler-file", str(contact), "--nthreads", "1", "--no-dashboard"),
        distributed.Client(scheduler_file=str(contact), timeout="30s") as client,
    ):

        def kill(n: int) -> None:
            if n == 2:
                scheduler.kill()

        started_at = time.monotonic()
        with pytest.raises(ClusterLostError, match="scheduler"):
            iterated(DaskEngine(client, patience=PATIENCE), kill)
        assert time.monotonic() - started_at < 5 * PATIENCE


SEEDS = {"sports": ["goal", "league"], "money": ["bank", "stock"], "weather": ["storm", "snow"]}


@pytest.fixture
def texts(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Documents enough for several blocks, which are small here."""
    monkeypatch.setattr("seedtopic.text.counts.MOST_IN_ONE_BLOCK", 500)
    monkeypatch.setattr("seedtopic.text.counts.BLOCK_DOCUMENTS", 300)
    rng = np.random.default_rng(0)
    themes = [
        "team game goal league player coach final score",
        "bank rate loan stock market share price investor",
        "rain storm wind snow cold sun warm sky cloud",
    ]
    common = [f"word{n}" for n in range(300)]
    drawn = rng.integers(0, 3, 2000)
    return [
        " ".join([*rng.choice(themes[theme].split(), 4), *rng.choice(common, rng.integers(1, 9))])
        for theme in drawn
    ]


def fitted(texts: list[str], runner: Any, **options: Any) -> SeedTopicClassifier:
    return SeedTopicClassifier(SEEDS, max_iter=5, random_state=0, runner=runner).fit(texts, **options)


def test_a_fit_survives_the_loss_of_its_workers(texts: list[str]) -> None:
    here = fitted(texts, "local")
    with cluster() as client:
        killed: list[tuple[str, int]] = []

        def kill(stage: str, done: int, total: int) -> None:
            if (stage, done) in {("learning", 4), ("refining", 1)}:
                running = sorted(pids(client).items())
                os.kill(running[len(killed) % len(running)][1], signal.SIGKILL)
                killed.append((stage, done))

        there = fitted(texts, client, progress=kill)
    assert len(killed) == 2
    assert np.array_equal(here.label_distributions_, there.label_distributions_)
    assert np.array_equal(here.topic_word_, there.topic_word_)


def test_a_fit_goes_on_from_its_checkpoint_when_the_cluster_is_gone(texts: list[str], tmp_path: Path) -> None:
    here = fitted(texts, "local")
    with cluster() as client, dask.config.set({"seedtopic.patience": PATIENCE}):

        def leave(stage: str, done: int, total: int) -> None:
            if (stage, done) == ("refining", 1):
                client.cluster.scale(0)

        with pytest.raises(ClusterLostError, match="checkpoint"):
            fitted(texts, client, progress=leave, checkpoint=tmp_path / "kept")
    with cluster() as client:
        stages: list[tuple[str, int]] = []
        there = fitted(
            texts, client, progress=lambda *where: stages.append(where[:2]), checkpoint=tmp_path / "kept"
        )
    assert ("learning", 1) not in stages
    assert np.array_equal(here.label_distributions_, there.label_distributions_)
