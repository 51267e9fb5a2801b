"""Blocks on the workers of a Dask cluster; only values for functions and their sums pass through here.

Each worker has the blocks of a range, in one list, and computes them with its own threads: a call is one task
for each worker, however many blocks there are. How blocks were made is remembered here. The blocks of a
worker that is lost are made again by the others, from the parts they began with; since every step gives the
same result again, nothing shows that it happened.
"""

from __future__ import annotations

import time
import weakref
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple, TypeVar

from seedtopic.base.engine import FAN_IN, LocalEngine
from seedtopic.base.errors import ClusterLostError
from seedtopic.base.threads import thread_limit
from seedtopic.cluster.client import CONTINUE, LOOK, Cluster, WorkerLost, is_usable
from seedtopic.cluster.layout import Place, laid_out, relaid
from seedtopic.cluster.partial_sums import PartialSum, joined
from seedtopic.cluster.sent import Broadcast, Call, Sent, opened

LOSSES = 4  # of the worker of one block during one call: then it is no accident

Result = TypeVar("Result")
Function = Callable[..., Any]
Make = Callable[[Sequence[Place]], list[Any]]


@dataclass(eq=False)
class Family:
    """Blocks that were made of each other: one layout holds for all of them."""

    n_blocks: int
    layout: list[Place]


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
        # Let go of what is lost before it is made again, or Dask may take the new task for the old one.
        for place, future in list(self.futures.items()):
            if place not in there or not is_usable(future):
                del self.futures[place]
        held = dict(self.futures)
        missing = [place for place in places if place not in held]
        if missing:
            held.update(zip(missing, self.make(missing), strict=True))
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
    patience : float, optional
        Seconds; by default ``seedtopic.patience`` of Dask's configuration, or 60. A worker that gives no sign
        of life for half of them is given up, and others do its work; without any worker, or without the
        scheduler, the work ends with an error after this time.

    Examples
    --------
    >>> import distributed
    >>> with distributed.Client(n_workers=1, processes=False, dashboard_address=":0") as client:
    ...     engine = DaskEngine(client)
    ...     blocks = engine.keep(list, ["abc", "de"])
    ...     engine.tree(len, engine.map(sorted, blocks))
    5
    """

    def __init__(self, client: Any, *, patience: float | None = None) -> None:
        self.cluster = Cluster(client, patience)

    def keep(self, make: Function, parts: Sequence[Any], *values: Any) -> DaskBlocks:
        """Make a block of each part, on the workers; the parts stay here, too, in case a worker is lost."""
        call = Call.of(make, values).saved()
        return self.made(len(parts), partial(self._of_parts, parts, call))

    def made(self, n_blocks: int, make: Make) -> DaskBlocks:
        """Have blocks made on the workers by whatever gives the futures of places; see `Step`."""
        return self._blocks(Step(Family(n_blocks, laid_out(n_blocks, self.cluster.some_workers())), make))

    def map(
        self,
        function: Function,
        blocks: Any,
        *values: Any,
        each: Any = None,
    ) -> DaskBlocks:
        """Make a new block of each block, on the worker that has it; nothing waits for it."""
        call = Call.of(function, values).saved()
        make = partial(self.of_blocks, _mapped, blocks.step, call)
        if isinstance(each, DaskBlocks):
            make = partial(self.of_blocks, _mapped, blocks.step, call, beside=each.step)
        elif each is not None:
            beside = Step(blocks.step.family, partial(self._of_parts, each, None), is_used=False)
            make = partial(self.of_blocks, _mapped, blocks.step, call, beside=beside)
        return self._blocks(Step(blocks.step.family, make))

    def step(self, function: Function, blocks: Any, *values: Any) -> tuple[DaskBlocks, Any]:
        """Make new blocks, which stay with the workers, and add up what the function gives beside each."""
        family, call = blocks.step.family, Call.of(function, values).saved()
        both = Step(family, partial(self.of_blocks, _stepped, blocks.step, call))
        new, sums = (Step(family, partial(self._items, both, item)) for item in (0, 1))
        found = DaskBlocks(new)

        def attempt() -> Any:
            new.at(family.layout)
            return self._added_up(sums)

        total = self._lasting(family, attempt)
        both.release()
        return found, total

    def tree(self, function: Function, blocks: Any, *values: Any) -> Any:
        """Add up what a function gives of each block, on the workers; the sum alone comes here."""
        call = Call.of(function, values)
        sums = Step(blocks.step.family, partial(self.of_blocks, _summed, blocks.step, call))
        return self._lasting(sums.family, partial(self._added_up, sums))

    def broadcast(self, value: Any) -> Broadcast:
        """Bring a value to the workers, once; it is taken from them when nobody has what this gives."""
        return Broadcast(value)

    def gather(self, function: Function, blocks: Any, *values: Any) -> Iterator[Any]:
        """Give what a function gives of each block, in their order; the next ones are being computed."""
        family, call = blocks.step.family, Call.of(function, values)
        coming: dict[int, Any] = {}

        def attempt(number: int) -> Any:
            last = min(number + 2 * sum(self.cluster.threads.values()), family.n_blocks)
            wanted = [n for n in range(number, last) if not is_usable(coming.get(n))]
            try:
                coming.update(zip(wanted, self._one_by_one(blocks.step, call, wanted), strict=True))
                return self.cluster.result(coming[number])
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

    def _of_parts(self, parts: Sequence[Any], call: Call | None, places: Sequence[Place]) -> list[Any]:
        """Send parts, and make blocks of them; without a call, the parts are the blocks."""
        lists = []
        for place in places:
            arguments = call.at(self.cluster, place.worker) if call else []
            made = [
                self.cluster.submit(
                    place.worker, _made, Sent(parts[number]).at(self.cluster, place.worker), *arguments
                )
                for number in range(place.first, place.behind)
            ]
            lists.append(self.cluster.submit(place.worker, _listed, *made))
        if call:
            call.let_go()
        return lists

    def of_blocks(
        self, task: Function, parent: Step, call: Call, places: Sequence[Place], beside: Step | None = None
    ) -> list[Any]:
        """Have each worker compute something of its blocks, and of what else it has of each."""
        lists = parent.at(places)
        others = [None] * len(places) if beside is None else beside.at(places)
        made = []
        for place, blocks, other in zip(places, lists, others, strict=True):
            threads = self.cluster.threads.get(place.worker, 1)
            about = About(place.first, parent.family.n_blocks, threads)
            arguments = call.at(self.cluster, place.worker)
            made.append(self.cluster.submit(place.worker, task, about, blocks, other, *arguments))
        if not call.message.is_held:
            # Made again: one step after the other, so that not all values of all steps are sent at once.
            self.cluster.finish(made)
        call.let_go()
        return made

    def _items(self, parent: Step, item: int, places: Sequence[Place]) -> list[Any]:
        """Take one of the things that workers have computed together."""
        pairs = zip(places, parent.at(places), strict=True)
        return [self.cluster.submit(place.worker, _item, both, item) for place, both in pairs]

    def _added_up(self, sums: Step) -> Any:
        """Add up the partial sums of all workers."""
        family = sums.family
        parts, workers = sums.at(family.layout), [place.worker for place in family.layout]
        while len(parts) > 1:
            # On the worker of the last part: the others have begun sums, it may have parts of one.
            firsts = range(0, len(parts), FAN_IN)
            workers = [workers[min(first + FAN_IN, len(parts)) - 1] for first in firsts]
            parts = [
                self.cluster.submit(worker, _joined, family.n_blocks, *parts[first : first + FAN_IN])
                for worker, first in zip(workers, firsts, strict=True)
            ]
        [whole] = self.cluster.result(parts[0])
        return whole.value

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
                        f"the Dask cluster lost the workers of the same documents {LOSSES} times: "
                        f"see their logs, and give them more memory; {CONTINUE}."
                    ) from loss
                if not gone:  # the scheduler has not noticed yet
                    time.sleep(LOOK / 5)


class About(NamedTuple):
    """What a task is told of its blocks: the first of them, how many there are in all; and its threads."""

    first: int
    n_blocks: int
    n_threads: int


def _made(part: bytes, *call: bytes) -> Any:
    """Make a block of a part; this and what follows runs on a worker."""
    from distributed.protocol.pickle import loads

    found = loads(part)
    if not call:
        return found
    function, values = opened(*call)
    with thread_limit(1):
        return function(found, *values)


def _listed(*blocks: Any) -> list[Any]:
    return list(blocks)


def _item(things: Sequence[Any], item: int) -> Any:
    return things[item]


def _mapped(about: About, blocks: list[Any], each: list[Any] | None, *call: bytes) -> list[Any]:
    function, values = opened(*call)
    return LocalEngine(about.n_threads).map(function, blocks, *values, each=each)


def _summed(about: About, blocks: list[Any], _: None, *call: bytes) -> list[PartialSum]:
    function, values = opened(*call)
    return _sums_of(about, LocalEngine(about.n_threads).gather(function, blocks, *values))


def _stepped(about: About, blocks: list[Any], _: None, *call: bytes) -> tuple[list[Any], list[PartialSum]]:
    function, values = opened(*call)
    new: list[Any] = []

    def parts() -> Iterator[Any]:
        for block, part in LocalEngine(about.n_threads).gather(function, blocks, *values):
            new.append(block)
            yield part

    return new, _sums_of(about, parts())


def _sums_of(about: About, parts: Iterable[Any]) -> list[PartialSum]:
    return joined(
        (PartialSum(0, n, n + 1, part) for n, part in enumerate(parts, about.first)), about.n_blocks
    )


def _joined(n_blocks: int, *parts: list[PartialSum]) -> list[PartialSum]:
    return joined((part for some in parts for part in some), n_blocks)


def _one(blocks: list[Any], place: int, *call: bytes) -> Any:
    function, values = opened(*call)
    with thread_limit(1):
        return function(blocks[place], *values)
