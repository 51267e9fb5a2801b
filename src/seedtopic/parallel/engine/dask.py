"""Blocks on the workers of a Dask cluster; only values for functions and their sums pass through here.

Each worker has the blocks of a range, in one list, and computes them with its own threads: a call is one task
for each worker, however many blocks there are. How blocks were made is remembered here. The blocks of a
worker that is lost are made again by the others, from the parts they began with; since every step gives the
same result again, nothing shows that it happened.
"""

from __future__ import annotations

import pickle
import time
import weakref
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from seedtopic.errors import ClusterLostError
from seedtopic.parallel.engine.cluster import CONTINUE, LOOK, Cluster, WorkerLost, is_usable
from seedtopic.parallel.engine.interface import FAN_IN
from seedtopic.parallel.engine.layout import Place, laid_out, relaid
from seedtopic.parallel.engine.local import LocalEngine
from seedtopic.parallel.engine.partial_sums import PartialSum, joined
from seedtopic.parallel.engine.sent import Broadcast, Call, Sent, opened
from seedtopic.parallel.threads import thread_limit

LOSSES = 4  # of the worker of one block during one call: then it is no accident

Result = TypeVar("Result")
Function = Callable[..., Any]
Make = Callable[[Sequence[Place]], list[Any]]


@dataclass(eq=False)
class Family:
    """Blocks that were made of each other: one layout holds for all of them."""

    n_blocks: int
    layout: list[Place]

    @property
    def workers(self) -> list[str]:
        return sorted({place.worker for place in self.layout})


@dataclass(eq=False)
class Step:
    """How blocks are made, and those that are there.

    Attributes
    ----------
    family : Family
    make : callable
        Takes places and gives the future of each: the list of its blocks.
    futures : dict of Place to future
        Empty when nobody uses the blocks any more. What is made of them may need them again.
    """

    family: Family
    make: Make
    futures: dict[Place, Any] = field(default_factory=dict)
    is_used: bool = True

    def at(self, places: Sequence[Place]) -> list[Any]:
        """Give the future of each place; those that are lost are made again."""
        there = set(self.family.layout)
        held = {p: future for p, future in self.futures.items() if p in there and is_usable(future)}
        missing = [place for place in places if place not in held]
        if missing:
            held.update(zip(missing, self.make(missing), strict=True))
            self.futures.clear()
            if self.is_used:
                self.futures.update(held)
        return [held[place] for place in places]

    def release(self) -> None:
        """Let go of the blocks, but not of how they are made."""
        self.is_used = False
        self.futures.clear()


class DaskBlocks:
    """Blocks on workers; they stay there for as long as this object lives."""

    def __init__(self, step: Step) -> None:
        self.step = step
        weakref.finalize(self, step.release)

    def __len__(self) -> int:
        return self.step.family.n_blocks


class DaskEngine:
    """The blocks are with the workers of a cluster.

    Parameters
    ----------
    client : distributed.Client
    patience : float
        Seconds. A worker that gives no sign of life for half of them is given up, and others do its work;
        without any worker, or without the scheduler, the work ends with an error after this time.

    Examples
    --------
    >>> import distributed
    >>> with distributed.Client(n_workers=1, processes=False, dashboard_address=None) as client:
    ...     engine = DaskEngine(client)
    ...     blocks = engine.keep(list, ["abc", "de"])
    ...     engine.tree(len, engine.map(sorted, blocks))
    5
    """

    def __init__(self, client: Any, *, patience: float = 60.0) -> None:
        self.cluster = Cluster(client, patience)

    def keep(self, make: Function, parts: Sequence[Any], *values: Any) -> DaskBlocks:
        """Make a block of each part, on the workers; the parts stay here, too, in case a worker is lost."""
        call = Call.of(make, values).saved()
        return self.made(len(parts), partial(self._of_parts, parts, call))

    def made(self, n_blocks: int, make: Make) -> DaskBlocks:
        """Have blocks made on the workers by whatever gives the futures of places; see `Step`."""
        family = Family(n_blocks, laid_out(n_blocks, self.cluster.some_workers()))
        return self._blocks(Step(family, make))

    def map(self, function: Function, blocks: DaskBlocks, *values: Any) -> DaskBlocks:
        """Make a new block of each block, on the worker that has it; nothing waits for it."""
        call = Call.of(function, values).saved()
        return self._blocks(Step(blocks.step.family, partial(self._of_blocks, _mapped, blocks.step, call)))

    def tree(self, function: Function, blocks: DaskBlocks, *values: Any) -> Any:
        """Add up what a function gives of each block, on the workers; the sum alone comes here."""
        family = blocks.step.family
        call = Call.of(function, values)
        sums = Step(family, partial(self._of_blocks, _summed, blocks.step, call))

        def attempt() -> Any:
            parts, workers = sums.at(family.layout), [place.worker for place in family.layout]
            while len(parts) > 1:
                # On the worker of the last part: the others have begun sums, it may have parts of one.
                firsts = range(0, len(parts), FAN_IN)
                workers = [workers[min(first + FAN_IN, len(parts)) - 1] for first in firsts]
                parts = [
                    self.cluster.submit(worker, _joined, family.n_blocks, *parts[first : first + FAN_IN])
                    for worker, first in zip(workers, firsts, strict=True)
                ]
            [whole] = self.cluster.result(parts[0], family.workers)
            return whole.value

        return self._lasting(family, attempt)

    def broadcast(self, value: Any) -> Broadcast:
        """Bring a value to the workers, once; it is taken from them when nobody has what this gives."""
        return Broadcast(value)

    def gather(self, function: Function, blocks: DaskBlocks, *values: Any) -> Iterator[Any]:
        """Give what a function gives of each block, in their order; the next ones are being computed."""
        family, call = blocks.step.family, Call.of(function, values)
        coming: dict[int, Any] = {}

        def attempt(number: int) -> Any:
            last = min(number + 2 * sum(self.cluster.threads.values()), family.n_blocks)
            wanted = [n for n in range(number, last) if not is_usable(coming.get(n))]
            try:
                coming.update(zip(wanted, self._one_by_one(blocks.step, call, wanted), strict=True))
                return self.cluster.result(coming[number], family.workers)
            except WorkerLost:
                coming.clear()
                raise

        for number in range(family.n_blocks):
            yield self._lasting(family, partial(attempt, number))
            del coming[number]

    def _one_by_one(self, step: Step, call: Call, numbers: Sequence[int]) -> Iterator[Any]:
        layout = step.family.layout
        lists = dict(zip(layout, step.at(layout), strict=True))
        for number in numbers:
            place = next(place for place in layout if place.first <= number < place.behind)
            arguments = call.at(self.cluster, place.worker)
            yield self.cluster.submit(place.worker, _one, lists[place], number - place.first, *arguments)

    def _blocks(self, step: Step) -> DaskBlocks:
        blocks = DaskBlocks(step)
        self._lasting(step.family, lambda: step.at(step.family.layout))
        return blocks

    def _of_parts(self, parts: Sequence[Any], call: Call, places: Sequence[Place]) -> list[Any]:
        """Send parts, and make their blocks."""
        lists = []
        for place in places:
            made = [
                self.cluster.submit(
                    place.worker,
                    _made,
                    Sent(parts[number]).at(self.cluster, place.worker),
                    *call.at(self.cluster, place.worker),
                )
                for number in range(place.first, place.behind)
            ]
            lists.append(self.cluster.submit(place.worker, _listed, *made))
        call.let_go()
        return lists

    def _of_blocks(self, task: Function, parent: Step, call: Call, places: Sequence[Place]) -> list[Any]:
        """Have each worker compute something of its blocks."""
        lists = parent.at(places)
        made = []
        for place, blocks in zip(places, lists, strict=True):
            about = place.first, parent.family.n_blocks, self.cluster.threads.get(place.worker, 1)
            made.append(
                self.cluster.submit(place.worker, task, blocks, about, *call.at(self.cluster, place.worker))
            )
        if not call.message.is_held:
            # Made again: one step after the other, so that not all values of all steps are sent at once.
            self.cluster.finish(made, {place.worker for place in places})
        call.let_go()
        return made

    def _lasting(self, family: Family, attempt: Callable[[], Result]) -> Result:
        """Call `attempt` again after each loss of a worker, when the layout does without it."""
        losses: Counter[int] = Counter()
        since: float | None = None
        family.layout = relaid(family.layout, self.cluster.threads or self.cluster.some_workers())
        while True:
            try:
                return attempt()
            except WorkerLost as loss:
                before, family.layout = family.layout, relaid(family.layout, self.cluster.some_workers())
                gone = set(before) - set(family.layout)
                losses.update(number for place in gone for number in range(place.first, place.behind))
                now = time.monotonic()
                since = None if gone else since or now
                if max(losses.values(), default=0) >= LOSSES or now - (since or now) > self.cluster.patience:
                    raise ClusterLostError(
                        f"the Dask cluster lost the workers of the same documents {LOSSES} times ({loss}): "
                        f"see their logs, and give them more memory; {CONTINUE}."
                    ) from loss
                if not gone:  # the scheduler has not noticed yet
                    time.sleep(LOOK / 5)


def _made(part: bytes, *call: bytes) -> Any:
    """Make a block of a part; this and what follows runs on a worker."""
    function, values = opened(*call)
    with thread_limit(1):
        return function(pickle.loads(part), *values)


def _listed(*blocks: Any) -> list[Any]:
    return list(blocks)


def _mapped(blocks: list[Any], about: tuple[int, int, int], *call: bytes) -> list[Any]:
    function, values = opened(*call)
    return LocalEngine(about[2]).map(function, blocks, *values)


def _summed(blocks: list[Any], about: tuple[int, int, int], *call: bytes) -> list[PartialSum]:
    first, n_blocks, n_threads = about
    function, values = opened(*call)
    found = enumerate(LocalEngine(n_threads).gather(function, blocks, *values), first)
    return joined((PartialSum(0, number, number + 1, value) for number, value in found), n_blocks)


def _joined(n_blocks: int, *parts: list[PartialSum]) -> list[PartialSum]:
    return joined((part for some in parts for part in some), n_blocks)


def _one(blocks: list[Any], place: int, *call: bytes) -> Any:
    function, values = opened(*call)
    with thread_limit(1):
        return function(blocks[place], *values)
