"""New blocks made of parts from all workers: each sorts what it has, and each new block takes its parts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from seedtopic.base.engine import LocalEngine
from seedtopic.base.threads import thread_limit
from seedtopic.cluster.engine import DaskBlocks, DaskEngine, Function, opened


def computed(engine: DaskEngine, make: Function, parts: Sequence[Any], *values: Any) -> DaskBlocks:
    """Make a block on a worker of what each part, a Delayed, gives, of its number and of the values."""
    delayed = import_module("dask").delayed
    call, places = engine.call(make, values), engine.places(len(parts))
    futures = []
    for place in places:
        made = [
            delayed(_computed)(parts[number], number, *call.at(place.worker))
            for number in range(place.first, place.behind)
        ]
        blocks = engine.cluster.client.compute(made, workers=[place.worker], allow_other_workers=True)
        futures.append(engine.cluster.submit(place.worker, list, blocks))
    return DaskBlocks(places, futures)


def exchanged(
    engine: DaskEngine, blocks: DaskBlocks, n_blocks: int, sort: Function, build: Function, *values: Any
) -> DaskBlocks:
    """Make new blocks of parts of the old ones.

    `sort` takes the blocks of a worker, the number of new blocks, and the values; it gives what belongs to
    each new block. `build` takes what workers gave for a new block, in the order of the old blocks, and the
    values; it gives the new block, which must not depend on how the old ones were shared among the workers.
    """
    sorting, building = engine.call(sort, values), engine.call(build, values)
    lists = defaultdict(list)
    for place, future in zip(blocks.places, blocks.futures, strict=True):
        lists[place.worker].append(future)
    sources = {
        worker: engine.cluster.submit(
            worker, _sorted, n_blocks, engine.cluster.threads.get(worker, 1), own, *sorting.at(worker)
        )
        for worker, own in lists.items()
    }
    places, futures = engine.places(n_blocks), []
    for place in places:
        cuts = [
            engine.cluster.submit(worker, _cut, pieces, place.first, place.behind)
            for worker, pieces in sources.items()
        ]
        futures.append(
            engine.cluster.submit(place.worker, _built, place.n_threads, cuts, *building.at(place.worker))
        )
    return DaskBlocks(places, futures)


def _computed(part: Any, number: int, message: bytes, shared: Sequence[Any]) -> Any:
    """Make a block; this and what follows runs on a worker."""
    function, values = opened(message, shared)
    with thread_limit(1):
        return function(part, number, *values)


def _sorted(
    n_blocks: int, n_threads: int, lists: list[list[Any]], message: bytes, shared: Sequence[Any]
) -> list[Any]:
    function, values = opened(message, shared)
    with thread_limit(n_threads):
        return list(function([block for blocks in lists for block in blocks], n_blocks, *values))


def _cut(pieces: list[Any], first: int, behind: int) -> list[Any]:
    return pieces[first:behind]


def _built(n_threads: int, cuts: list[list[Any]], message: bytes, shared: Sequence[Any]) -> list[Any]:
    function, values = opened(message, shared)
    pieces = list(zip(*cuts, strict=True))
    return LocalEngine(n_threads).map(function, pieces, *values)
