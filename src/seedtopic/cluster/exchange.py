"""New blocks made of parts from all workers: each sorts what it has, and each new block takes its parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import Any

from seedtopic.base.engine import LocalEngine
from seedtopic.base.threads import thread_limit
from seedtopic.cluster.engine import About, DaskBlocks, DaskEngine, Step
from seedtopic.cluster.layout import Place, relaid
from seedtopic.cluster.sent import Call, opened

Function = Callable[..., Any]


def computed(engine: DaskEngine, make: Function, parts: Sequence[Any], *values: Any) -> DaskBlocks:
    """Make a block of each part of a Dask collection, which is computed on a worker and stays there.

    Parameters
    ----------
    engine : DaskEngine
    make : callable
        Takes what a part gives, its number, and the values.
    parts : sequence of dask Delayed
        Computed again when a worker is lost.
    *values
        What else `make` takes.
    """
    delayed = import_module("dask").delayed
    call = Call.of(make, values).saved()

    def lists(places: Sequence[Place]) -> list[Any]:
        found = []
        for place in places:
            arguments = call.at(engine.cluster, place.worker)
            wanted = [
                delayed(_computed)(parts[number], number, *arguments)
                for number in range(place.first, place.behind)
            ]
            made = engine.cluster.compute(place.worker, wanted)
            found.append(engine.cluster.submit(place.worker, _listed, *made))
        return found

    return engine.made(len(parts), lists)


def exchanged(
    engine: DaskEngine, blocks: DaskBlocks, n_blocks: int, sort: Function, build: Function, *values: Any
) -> DaskBlocks:
    """Make new blocks of parts of the old ones.

    Parameters
    ----------
    engine : DaskEngine
    blocks : DaskBlocks
    n_blocks : int
        The number of new blocks.
    sort : callable
        Takes the blocks of a worker, `n_blocks` and the values; gives what of them belongs to each new block.
    build : callable
        Takes what workers gave for a new block, in the order of the old blocks, and the values; gives the new
        block. The result must not depend on how the old blocks were shared among the workers.
    *values
        What else both take.
    """
    old = blocks.step.family
    sorting, building = (Call.of(function, values).saved() for function in (sort, build))
    sorts = Step(
        old, partial(engine.of_blocks, partial(_sorted, n_blocks), blocks.step, sorting), is_used=False
    )

    def lists(places: Sequence[Place]) -> list[Any]:
        old.layout = relaid(old.layout, engine.cluster.threads)
        sources = list(zip(old.layout, sorts.at(old.layout), strict=True))
        found = []
        for place in places:
            cuts = [
                engine.cluster.submit(source.worker, _cut, pieces, place.first, place.behind)
                for source, pieces in sources
            ]
            about = About(place.first, n_blocks, engine.cluster.threads.get(place.worker, 1))
            arguments = building.at(engine.cluster, place.worker)
            found.append(
                engine.cluster.submit(place.worker, _built, about, len(arguments), *arguments, *cuts)
            )
        building.let_go()
        return found

    return engine.made(n_blocks, lists)


def _computed(part: Any, number: int, *call: bytes) -> Any:
    """Make a block; this and what follows runs on a worker."""
    function, values = opened(*call)
    with thread_limit(1):
        return function(part, number, *values)


def _listed(*blocks: Any) -> list[Any]:
    return list(blocks)


def _sorted(n_blocks: int, about: About, blocks: list[Any], _: None, *call: bytes) -> list[Any]:
    function, values = opened(*call)
    with thread_limit(about.n_threads):
        return list(function(blocks, n_blocks, *values))


def _cut(pieces: list[Any], first: int, behind: int) -> list[Any]:
    return pieces[first:behind]


def _built(about: About, n_arguments: int, *arguments: Any) -> list[Any]:
    function, values = opened(*arguments[:n_arguments])
    pieces = list(zip(*arguments[n_arguments:], strict=True))
    return LocalEngine(about.n_threads).map(function, pieces, *values)
