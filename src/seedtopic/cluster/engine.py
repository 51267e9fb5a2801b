"""Blocks on the workers of a Dask cluster; only values for functions and their sums pass through here.

Neighbouring blocks are in a list, a future of Dask, one for each thread of the workers: a call is a task for
each list, computed by the worker that has it. Values are sent within tasks, since Dask computes the lists of
a lost worker again from the tasks that led to them, but not what was scattered.
"""

from __future__ import annotations

import ctypes
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, reduce
from importlib import import_module
from itertools import pairwise
from operator import getitem
from threading import Lock
from typing import Any, NamedTuple

from seedtopic.base.engine import FAN_IN, Engine, LocalEngine, add, identity
from seedtopic.base.errors import InputError
from seedtopic.base.threads import thread_limit
from seedtopic.cluster.client import Cluster, client_of

SMALL = 1 << 14  # bytes that are sent with each task; anything larger is sent once
_MMAP_THRESHOLD, _TRIM_THRESHOLD = -3, -1  # of mallopt, in glibc

Function = Callable[..., Any]
_loading = Lock()


def engine_for(runner: Any, n_threads: int) -> Engine:
    """Return the engine of a runner; "dask" takes the client that is current, or starts one here."""
    check_runner(runner)
    if isinstance(runner, str) and runner == "local":
        return LocalEngine(n_threads)
    return DaskEngine(client_of(runner))


def check_runner(runner: Any) -> None:
    """Refuse what is neither the name of a runner nor a Dask client."""
    # A client is known by what is asked of it, so that distributed is not imported for nothing.
    if runner not in ("local", "dask") and not all(hasattr(runner, name) for name in ("submit", "scatter")):
        raise InputError(f"runner is {runner!r}: use 'local', 'dask' or a distributed.Client.")


class Place(NamedTuple):
    """Where the blocks from `first` up to `behind` are, and how many threads compute them there."""

    first: int
    behind: int
    worker: str
    n_threads: int


@dataclass(frozen=True, eq=False)
class DaskBlocks:
    """Blocks on workers, a list in each place; they stay there for as long as this object lives."""

    places: list[Place]
    futures: list[Any]

    def __len__(self) -> int:
        return self.places[-1].behind


class Broadcast:
    """A pickled value that all workers have while this lives: one sends it to eight, and those to others."""

    def __init__(self, cluster: Cluster, pickled: bytes) -> None:
        first, *others = sorted(cluster.threads or cluster.some_workers())
        copies = [cluster.submit(first, identity, pickled)]
        for number, worker in enumerate(others):
            copies.append(cluster.submit(worker, identity, copies[number // FAN_IN]))
        self._copies = dict(zip((first, *others), copies, strict=True))

    def at(self, worker: str) -> Any:
        """Return the future of the copy of a worker, or of another's if it is new."""
        return self._copies.get(worker) or next(iter(self._copies.values()))


class Call(NamedTuple):
    """A function and its values, pickled; those that were broadcast are left out."""

    message: bytes | Broadcast
    shared: list[Broadcast]

    def at(self, worker: str) -> tuple[Any, list[Any]]:
        """Return what a task on a worker is given."""
        message = self.message.at(worker) if isinstance(self.message, Broadcast) else self.message
        return message, [value.at(worker) for value in self.shared]


class DaskEngine:
    """The blocks are with the workers of a cluster."""

    def __init__(self, client: Any, *, patience: float | None = None) -> None:
        self.cluster = Cluster(client, patience)

    def keep(self, make: Function, parts: Sequence[Any], *values: Any) -> DaskBlocks:
        """Make a block of each part, on the workers; the scheduler has the parts in case one is lost."""
        call, places = self.call(make, values), self.places(len(parts))
        return DaskBlocks(
            places,
            [self._submit(_mapped, place, len(parts), _sent(parts, place), None, call) for place in places],
        )

    def map(self, function: Function, blocks: Any, *values: Any, each: Any = None) -> DaskBlocks:
        """Make a new block of each block, on the worker that has it; nothing waits for it."""
        if isinstance(each, DaskBlocks):
            each = each.futures
        elif each is not None:
            each = [_sent(each, place) for place in blocks.places]
        return DaskBlocks(blocks.places, self._run(_mapped, blocks, values, function, each))

    def step(self, function: Function, blocks: Any, *values: Any) -> tuple[DaskBlocks, Any]:
        """Make new blocks, which stay with the workers, and add up what the function gives beside each."""
        pairs = self._run(_stepped, blocks, values, function)
        new, parts = (
            [
                self.cluster.submit(place.worker, getitem, pair, item)
                for place, pair in zip(blocks.places, pairs, strict=True)
            ]
            for item in (0, 1)
        )
        return DaskBlocks(blocks.places, new), self._summed(blocks, parts)

    def tree(self, function: Function, blocks: Any, *values: Any) -> Any:
        """Add up what a function gives of each block, on the workers; the sum alone comes here."""
        return self._summed(blocks, self._run(_summed, blocks, values, function))

    def broadcast(self, value: Any) -> Broadcast:
        """Bring a value to the workers, once; it is taken from them when nobody has what this gives."""
        from distributed.protocol.pickle import dumps

        return Broadcast(self.cluster, dumps(value))

    def gather(self, function: Function, blocks: Any, *values: Any) -> Iterator[Any]:
        """Yield what a function gives of each block, in their order; the next ones are being computed."""
        call, coming = self.call(function, values), deque[Any]()
        for place, future in zip(blocks.places, blocks.futures, strict=True):
            for number in range(place.behind - place.first):
                call_at = call.at(place.worker)
                coming.append(self.cluster.submit(place.worker, _one, future, number, *call_at))
                if len(coming) > 2 * sum(self.cluster.threads.values()):
                    yield self.cluster.result(coming.popleft())
        while coming:
            yield self.cluster.result(coming.popleft())

    def call(self, function: Function, values: Sequence[Any]) -> Call:
        """Pickle a function, and the values that were not broadcast."""
        from distributed.protocol.pickle import dumps

        places = [None if isinstance(value, Broadcast) else (value,) for value in values]
        message = dumps((function, places))
        shared = [value for value in values if isinstance(value, Broadcast)]
        return Call(Broadcast(self.cluster, message) if len(message) > SMALL else message, shared)

    def places(self, n_blocks: int) -> list[Place]:
        """Share blocks among the workers, by their numbers of threads; neighbours stay together."""
        threads = self.cluster.some_workers()
        seats = [worker for worker in sorted(threads) for _ in range(threads[worker])]
        bounds = pairwise(number * n_blocks // len(seats) for number in range(len(seats) + 1))
        lists = [(*bound, worker) for bound, worker in zip(bounds, seats, strict=True) if bound[0] < bound[1]]
        lists_of = Counter(worker for *_, worker in lists)
        return [Place(*list_, max(1, threads[list_[2]] // lists_of[list_[2]])) for list_ in lists]

    def computed(self, make: Function, parts: Sequence[Any], *values: Any) -> DaskBlocks:
        """Make a block on a worker of what each part, a Delayed, gives, of its number and of the values."""
        delayed = import_module("dask").delayed
        call, places, futures = self.call(make, values), self.places(len(parts)), []
        for place in places:
            made = [
                delayed(_computed)(parts[number], number, *call.at(place.worker))
                for number in range(place.first, place.behind)
            ]
            blocks = self.cluster.client.compute(made, workers=[place.worker], allow_other_workers=True)
            futures.append(self.cluster.submit(place.worker, list, blocks))
        return DaskBlocks(places, futures)

    def exchanged(
        self, blocks: DaskBlocks, n_blocks: int, sort: Function, build: Function, *values: Any
    ) -> DaskBlocks:
        """Make new blocks of parts of the old ones.

        `sort` takes the blocks of a worker, the number of new blocks, and the values; it gives what belongs
        to each new block. `build` takes what workers gave for a new block, in the order of the old blocks,
        and the values; what it gives must not depend on how the old blocks were shared among the workers.
        """
        sorting, building = self.call(sort, values), self.call(build, values)
        lists = defaultdict(list)
        for place, future in zip(blocks.places, blocks.futures, strict=True):
            lists[place.worker].append(future)
        threads, submit = self.cluster.threads, self.cluster.submit
        sources = {
            worker: submit(worker, _sorted, n_blocks, threads.get(worker, 1), own, *sorting.at(worker))
            for worker, own in lists.items()
        }
        places, futures = self.places(n_blocks), []
        for place in places:
            cuts = [
                submit(worker, _cut, pieces, place.first, place.behind) for worker, pieces in sources.items()
            ]
            call_at = building.at(place.worker)
            futures.append(submit(place.worker, _built, place.n_threads, cuts, *call_at))
        return DaskBlocks(places, futures)

    def _run(
        self, task: Function, blocks: DaskBlocks, values: Sequence[Any], function: Function, each: Any = None
    ) -> list[Any]:
        """Have a task compute something of each list of blocks, where it is."""
        call = self.call(function, values)
        others = each or [None] * len(blocks.places)
        return [
            self._submit(task, place, len(blocks), own, other, call)
            for place, own, other in zip(blocks.places, blocks.futures, others, strict=True)
        ]

    def _submit(self, task: Function, place: Place, n_blocks: int, own: Any, other: Any, call: Call) -> Any:
        return self.cluster.submit(place.worker, task, place, n_blocks, own, other, *call.at(place.worker))

    def _summed(self, blocks: DaskBlocks, parts: list[Any]) -> Any:
        """Add up what is given of the blocks of each list in the order of `summed`."""
        workers = [place.worker for place in blocks.places]
        while len(parts) > 1:
            parts = [
                self.cluster.submit(workers[first], _joined, len(blocks), parts[first : first + FAN_IN])
                for first in range(0, len(parts), FAN_IN)
            ]
            workers = workers[::FAN_IN]
        [whole] = self.cluster.result(parts[0])
        return whole.value


class Sum(NamedTuple):
    """A block's value at level 0, the sum of eight neighbours at level 1, of eight of those at 2, ..."""

    level: int
    number: int
    value: Any


def joined(sums: Iterable[Sum], n_blocks: int) -> list[Sum]:
    """Add up neighbours, given in their order, as far as `summed` does; all together become one."""
    done: list[Sum] = []
    for new in sums:
        done.append(new)
        while True:
            level, number, _ = done[-1]
            n_there, n_before = -(-n_blocks // FAN_IN**level), number % FAN_IN
            some = done[-n_before - 1 :]
            is_last = n_before == FAN_IN - 1 or number == n_there - 1
            if n_there == 1 or not is_last or some[0][:2] != (level, number - n_before):
                break
            done[-n_before - 1 :] = [
                Sum(level + 1, number // FAN_IN, reduce(add, [one.value for one in some]))
            ]
    return done


def _sent(parts: Sequence[Any], place: Place) -> bytes:
    """Pickle the parts of a place; the scheduler need not know what they are made of."""
    from distributed.protocol.pickle import dumps

    pickled: bytes = dumps([parts[number] for number in range(place.first, place.behind)])
    return pickled


def opened(message: bytes, shared: Sequence[bytes]) -> tuple[Function, list[Any]]:
    """Return the function of a call and all its values; this and what follows runs on a worker."""
    keep_freed_memory()
    function, places = _loaded(message)
    values = map(_loaded, shared)
    return function, [next(values) if place is None else place[0] for place in places]


def _loaded(pickled: bytes) -> Any:
    """Unpickle what another process has sent, one thread at a time: two would import modules crosswise."""
    from distributed.protocol.pickle import loads  # as Dask sends functions between its own processes

    with _loading:
        return loads(pickled)


def _mapped(place: Place, n_blocks: int, blocks: Any, each: Any, *call: Any) -> list[Any]:
    blocks, each = (_loaded(part) if isinstance(part, bytes) else part for part in (blocks, each))
    function, values = opened(*call)
    return LocalEngine(place.n_threads).map(function, blocks, *values, each=each)


def _summed(place: Place, n_blocks: int, blocks: list[Any], _: None, *call: Any) -> list[Sum]:
    function, values = opened(*call)
    parts = LocalEngine(place.n_threads).gather(function, blocks, *values)
    return joined((Sum(0, number, part) for number, part in enumerate(parts, place.first)), n_blocks)


def _stepped(
    place: Place, n_blocks: int, blocks: list[Any], _: None, *call: Any
) -> tuple[list[Any], list[Sum]]:
    function, values = opened(*call)
    new: list[Any] = []

    def sums() -> Iterator[Sum]:
        pairs = LocalEngine(place.n_threads).gather(function, blocks, *values)
        for number, (block, part) in enumerate(pairs, place.first):
            new.append(block)
            yield Sum(0, number, part)

    return new, joined(sums(), n_blocks)


def _joined(n_blocks: int, parts: Sequence[list[Sum]]) -> list[Sum]:
    return joined((one for part in parts for one in part), n_blocks)


def _one(blocks: list[Any], number: int, *call: Any) -> Any:
    function, values = opened(*call)
    with thread_limit(1):
        return function(blocks[number], *values)


def _computed(part: Any, number: int, *call: Any) -> Any:
    function, values = opened(*call)
    with thread_limit(1):
        return function(part, number, *values)


def _sorted(n_blocks: int, n_threads: int, lists: list[list[Any]], *call: Any) -> list[Any]:
    function, values = opened(*call)
    with thread_limit(n_threads):
        return list(function([block for blocks in lists for block in blocks], n_blocks, *values))


def _cut(pieces: list[Any], first: int, behind: int) -> list[Any]:
    return pieces[first:behind]


def _built(n_threads: int, cuts: list[list[Any]], *call: Any) -> list[Any]:
    function, values = opened(*call)
    pieces = list(zip(*cuts, strict=True))
    return LocalEngine(n_threads).map(function, pieces, *values)


@cache
def keep_freed_memory() -> None:
    """Let glibc use freed memory again: Dask's nannies have every array given back, which takes long."""
    with suppress(OSError, AttributeError, TypeError):  # another system, or another allocator
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(_MMAP_THRESHOLD, 1 << 25)
        mallopt(_TRIM_THRESHOLD, 1 << 26)
