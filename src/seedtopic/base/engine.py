"""Work on blocks of documents, wherever the blocks are: a few verbs that every engine knows.

A block is any object that stays where it was made. Functions for an engine are functions of modules, so that
they can be sent, and change none of their arguments. What they return is added up in the order of the blocks,
so that a result depends neither on the engine nor on who computed which block.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from functools import reduce
from itertools import islice
from typing import Any, Protocol

from seedtopic.base.threads import thread_limit

FAN_IN = 8  # parts that are added up at once

Function = Callable[..., Any]


class Blocks(Protocol):
    """Blocks of documents in their order, wherever they are; made by an engine, and used by it alone."""

    def __len__(self) -> int: ...


class Engine(Protocol):
    """Computes with blocks; functions take a block, then the values, those from `broadcast` as they were."""

    def keep(self, make: Function, parts: Sequence[Any], *values: Any) -> Blocks:
        """Make a block of each part; the block stays where it was made."""

    def map(
        self, function: Function, blocks: Blocks, *values: Any, each: Sequence[Any] | Blocks | None = None
    ) -> Blocks:
        """Make a new block of each block, in its place; `each` has a first value for every one of them."""

    def step(self, function: Function, blocks: Blocks, *values: Any) -> tuple[Blocks, Any]:
        """Make new blocks, and add up what the function returns beside each: `map` and `tree` in one."""

    def tree(self, function: Function, blocks: Blocks, *values: Any) -> Any:
        """Add up what a function returns for each block: numbers, arrays, or tuples of them; see `summed`."""

    def broadcast(self, value: Any) -> Any:
        """Bring a value to where the blocks are, once, for several calls."""

    def gather(self, function: Function, blocks: Blocks, *values: Any) -> Iterator[Any]:
        """Return what a function returns for each block, one after the other."""


def identity(block: Any) -> Any:
    """Return a block as it is, for `keep` and `gather`."""
    return block


def add(left: Any, right: Any) -> Any:
    """Add numbers or arrays, or tuples of these part by part; None is nothing."""
    if left is None or right is None:
        return left if right is None else right
    if isinstance(left, tuple):
        parts = [add(*pair) for pair in zip(left, right, strict=True)]
        return left._make(parts) if hasattr(left, "_make") else tuple(parts)
    return left + right


def summed(parts: Iterable[Any]) -> Any:
    """Add up parts as every engine does: some neighbours at a time, then their sums in the same way."""
    rest, sums = iter(parts), []
    while some := list(islice(rest, FAN_IN)):
        sums.append(reduce(add, some))
    return summed(sums) if len(sums) > 1 else sums[0]


@dataclass(frozen=True)
class LocalEngine:
    """Blocks in a list; with `n_threads`, several are computed at once, or one by several threads."""

    n_threads: int = 1

    def keep(self, make: Function, parts: Sequence[Any], *values: Any) -> list[Any]:
        return self.map(make, parts, *values)

    def map(self, function: Function, blocks: Any, *values: Any, each: Any = None) -> list[Any]:
        if each is None:
            return list(self.gather(function, blocks, *values))
        pairs = list(zip(blocks, range(len(each)), strict=True))  # a value is asked for when its turn comes
        return list(self.gather(lambda pair: function(pair[0], each[pair[1]], *values), pairs))

    def step(self, function: Function, blocks: Any, *values: Any) -> tuple[list[Any], Any]:
        new: list[Any] = []

        def parts() -> Iterator[Any]:
            for block, part in self.gather(function, blocks, *values):
                new.append(block)
                yield part

        return new, summed(parts())

    def tree(self, function: Function, blocks: Any, *values: Any) -> Any:
        return summed(self.gather(function, blocks, *values))

    def broadcast(self, value: Any) -> Any:
        return value

    def gather(self, function: Function, blocks: Any, *values: Any) -> Iterator[Any]:
        """Yield in the order of the blocks; the next ones are being computed."""
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
