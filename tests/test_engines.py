"""Engines: the same numbers, bit for bit, from blocks in this process and from blocks on workers."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from typing import Any

import distributed
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seedtopic import InputError
from seedtopic.base.engine import Engine, LocalEngine, summed
from seedtopic.cluster.engine import DaskEngine, Sum, joined

LARGE = 5000  # numbers that are too many to be sent with a task


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with (
        distributed.LocalCluster(
            n_workers=3, threads_per_worker=2, processes=False, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def numbers(seed: int, size: int) -> Any:
    return np.random.default_rng(seed).random(size)


def grown(block: Any, weights: Any, *, power: float) -> Any:
    return block**power * weights[: len(block)]


def stepped(block: Any, weights: Any) -> tuple[Any, Any]:
    return block * weights[:5], block * weights[5:10]


def shifted(block: Any, own: Any, by: float) -> Any:
    return block + own * by


def statistics(block: Any, weights: Any = None) -> Any:
    return block[: min(map(len, (block, [0] * 5)))].copy(), block.sum(), None


def computed(engine: Engine, n_blocks: int) -> list[Any]:
    blocks = first = engine.keep(numbers, range(n_blocks), 5)
    found = []
    for power in (0.3, 0.7, 1.9):
        weights = engine.broadcast(numbers(int(power * 10), LARGE))
        blocks = engine.map(partial(grown, power=power), blocks, weights)
        found.append(engine.tree(statistics, blocks, weights))
        found.append(engine.tree(statistics, first, np.ones(LARGE)))
        blocks, total = engine.step(stepped, blocks, weights)
        found.append((total, 0.0))
        blocks = engine.map(shifted, blocks, 0.1, each=[np.float64(n) for n in range(n_blocks)])
        blocks = engine.map(shifted, blocks, 0.2, each=first)
    return [*found, *engine.gather(statistics, blocks), *engine.gather(statistics, first)]


@pytest.mark.parametrize("n_blocks", [1, 3, 8, 17, 100])
def test_engines_give_the_same_numbers(n_blocks: int, client: Any) -> None:
    here, there = computed(LocalEngine(n_threads=2), n_blocks), computed(DaskEngine(client), n_blocks)
    for ours, theirs in zip(here, there, strict=True):
        assert np.array_equal(ours[0], theirs[0])
        assert ours[1:] == theirs[1:]


def refuse(block: Any) -> Any:
    raise InputError("document 3 is empty: remove it.")


def test_an_error_of_a_function_is_the_error_of_the_call(client: Any) -> None:
    engine = DaskEngine(client)
    blocks = engine.map(refuse, engine.keep(numbers, range(3), 5))
    with pytest.raises(InputError, match="document 3 is empty"):
        engine.tree(statistics, blocks)


def test_what_nobody_uses_is_taken_from_the_workers(client: Any) -> None:
    engine = DaskEngine(client)
    blocks = engine.keep(numbers, range(5), 5)
    kept = {future.key for future in blocks.futures}
    for _ in range(3):
        blocks = engine.map(grown_by_one, blocks, np.ones(LARGE))
        engine.tree(statistics, blocks)
    until = time.monotonic() + 10
    while kept & client.run_on_scheduler(known) and time.monotonic() < until:
        pass
    assert kept.isdisjoint(client.run_on_scheduler(known))
    assert {future.key for future in blocks.futures} <= client.run_on_scheduler(known)


def known(dask_scheduler: Any) -> set[str]:
    return {key for key, task in dask_scheduler.tasks.items() if task.state != "released"}


def grown_by_one(block: Any, weights: Any) -> Any:
    return block + weights[:5]


@pytest.mark.parametrize("n_blocks", [1, 2, 6, 50, 95, 96, 97, 1000])
def test_neighbours_stay_together_and_every_worker_has_some(n_blocks: int, client: Any) -> None:
    places = DaskEngine(client).places(n_blocks)
    assert [n for place in places for n in range(place.first, place.behind)] == list(range(n_blocks))
    workers = [place.worker for place in places]
    assert workers == sorted(workers)
    assert len(set(workers)) == min(n_blocks, 3)
    sizes = [place.behind - place.first for place in places]
    assert max(sizes) - min(sizes) <= 1


def test_a_large_value_is_sent_without_a_warning(client: Any) -> None:
    engine = DaskEngine(client)
    large = engine.broadcast(np.ones(2_000_000))
    assert engine.tree(grown_by_one, engine.keep(numbers, range(3), 5), large).shape == (5,)


@settings(deadline=None, max_examples=100)
@given(st.integers(1, 600), st.lists(st.integers(0, 600), max_size=6), st.integers(0, 1000))
def test_parts_of_sums_make_the_sum_of_one_engine(n_blocks: int, cuts: list[int], seed: int) -> None:
    values = np.random.default_rng(seed).standard_normal(n_blocks) * 10.0 ** np.arange(n_blocks % 7 + 1)[-1]
    bounds = [0, *sorted(min(cut, n_blocks) for cut in cuts), n_blocks]
    parts = [
        joined((Sum(0, n, values[n]) for n in range(first, behind)), n_blocks)
        for first, behind in pairwise(bounds)
    ]
    [whole] = joined((one for some in parts for one in some), n_blocks)
    assert whole.value == summed(list(values))
