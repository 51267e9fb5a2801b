"""Blocks in this process; several are computed at the same time, each by a thread."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
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

    def map(self, function: Callable[..., Any], blocks: Any, *values: Any) -> list[Any]:
        """Make a new block of each block."""
        return list(self.gather(function, blocks, *values))

    def tree(self, function: Callable[..., Any], blocks: Any, *values: Any) -> Any:
        """Add up what a function gives of each block, while no more than a few parts are in memory."""
        parts: list[Any] = []
        sums: list[Any] = []
        for part in self.gather(function, blocks, *values):
            parts.append(part)
            if len(parts) == FAN_IN:
                sums.append(added(parts))
                parts = []
        if parts:
            sums.append(added(parts))
        return summed(sums)

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
