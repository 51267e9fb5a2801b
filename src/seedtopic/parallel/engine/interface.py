"""What an engine is, and how sums are made."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

FAN_IN = 8  # parts that are added up at once


class Blocks(Protocol):
    """Blocks of documents in their order, wherever they are; made by an engine, and used by it alone."""

    def __len__(self) -> int: ...


class Engine(Protocol):
    """Whoever computes something of blocks.

    Every function is given a block and the values after it. A value that `broadcast` gave is replaced by what
    it stands for.
    """

    def keep(self, make: Callable[..., Any], parts: Sequence[Any], *values: Any) -> Blocks:
        """Make a block of each part; the block stays where it was made."""
        ...

    def map(
        self,
        function: Callable[..., Any],
        blocks: Blocks,
        *values: Any,
        each: Sequence[Any] | Blocks | None = None,
    ) -> Blocks:
        """Make a new block of each block, in its place.

        The first value of a block may be its own: `each` has one for every block, or is other blocks.
        """
        ...

    def step(self, function: Callable[..., Any], blocks: Blocks, *values: Any) -> tuple[Blocks, Any]:
        """Make new blocks, and add up what the function gives beside each: `map` and `tree` in one."""
        ...

    def tree(self, function: Callable[..., Any], blocks: Blocks, *values: Any) -> Any:
        """Add up what a function gives of each block: numbers, arrays, or tuples of them; see `summed`."""
        ...

    def broadcast(self, value: Any) -> Any:
        """Bring a value to where the blocks are, once, for several calls."""
        ...

    def gather(self, function: Callable[..., Any], blocks: Blocks, *values: Any) -> Iterator[Any]:
        """Give what a function gives of each block, one after the other."""
        ...


def add(left: Any, right: Any) -> Any:
    """Add numbers or arrays, or tuples of these part by part; None is nothing.

    Examples
    --------
    >>> add((1, None), (2, None))
    (3, None)
    """
    if left is None or right is None:
        return left if right is None else right
    if isinstance(left, tuple):
        parts = [add(*pair) for pair in zip(left, right, strict=True)]
        return left._make(parts) if hasattr(left, "_make") else tuple(parts)
    return left + right


def added(parts: Sequence[Any]) -> Any:
    """Add up parts from the first to the last.

    Examples
    --------
    >>> added([1, 2, 3])
    6
    """
    total = parts[0]
    for part in parts[1:]:
        total = add(total, part)
    return total


def summed(parts: Sequence[Any]) -> Any:
    """Add up parts as every engine does: some neighbours at a time, then their sums in the same way.

    Examples
    --------
    >>> summed([(n, 1) for n in range(100)])
    (4950, 100)
    """
    while len(parts) > 1:
        parts = [added(parts[first : first + FAN_IN]) for first in range(0, len(parts), FAN_IN)]
    return parts[0]
