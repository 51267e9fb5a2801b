"""Blocks in this process; several are computed at the same time, each by a thread."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from itertools import islice
from typing import Any

from seedtopic.parallel.engine.interface import FAN_IN, added, summed
from seedtopic.parallel.threads import thread_limit


@dataclass(frozen=True)
class LocalEngine:
    """The blocks are a list.

    Parameters
    ----------
    n_threads : int
        Of all blocks together. Where there are fewer blocks, each is computed by several threads.

    Examples
    --------
    >>> engine = LocalEngine(n_threads=2)
    >>> blocks = engine.keep(list, ["abc", "de"])
    >>> engine.tree(len, engine.map(sorted, blocks))
    5
    """

    n_threads: int = 1

    def keep(self, make: Callable[..., Any], parts: Sequence[Any], *values: Any) -> list[Any]:
        """Make a block of each part."""
        return self.map(make, parts, *values)

    def map(self, function: Callable[..., Any], blocks: Any, *values: Any, each: Any = None) -> list[Any]:
        """Make a new block of each block."""
        if each is None:
            return list(self.gather(function, blocks, *values))
        pairs = list(zip(blocks, range(len(each)), strict=True))  # a value is asked for when its turn comes
        return list(self.gather(lambda pair: function(pair[0], each[pair[1]], *values), pairs))

    def step(self, function: Callable[..., Any], blocks: Any, *values: Any) -> tuple[list[Any], Any]:
        """Make new blocks, and add up what is given beside them."""
        new: list[Any] = []

        def parts() -> Iterator[Any]:
            for block, part in self.gather(function, blocks, *values):
                new.append(block)
                yield part

        total = _summed_up(parts())
        return new, total

    def tree(self, function: Callable[..., Any], blocks: Any, *values: Any) -> Any:
        """Add up what a function gives of each block."""
        return _summed_up(self.gather(function, blocks, *values))

    def broadcast(self, value: Any) -> Any:
        """Give the value: it is here."""
        return value

    def gather(self, function: Callable[..., Any], blocks: Any, *values: Any) -> Iterator[Any]:
        """Give what a function gives of each block, in their order; the next ones are being computed."""
        at_once = max(1, min(self.n_threads, len(blocks)))

        def alone(block: Any) -> Any:
            with thread_limit(max(1, self.n_threads // at_once)):
                return function(block, *values)

        if at_once == 1:
            yield from map(alone, blocks)
            return
        with ThreadPoolExecutor(at_once) as pool:
            waiting = []
            for block in blocks:
                # In the context of this thread: a check that ends long work early holds in the others, too.
                waiting.append(pool.submit(copy_context().run, alone, block))
                if len(waiting) > at_once:
                    yield waiting.pop(0).result()
            for future in waiting:
                yield future.result()


def _summed_up(parts: Iterable[Any]) -> Any:
    """Give what `summed` does, while no more than a few parts are in memory."""
    left, sums = iter(parts), []
    while some := list(islice(left, FAN_IN)):
        sums.append(added(some))
    return summed(sums)
