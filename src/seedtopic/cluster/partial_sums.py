"""Sums of some of the blocks, which add up to the sum of all in the order of `summed`, whoever made them.

`summed` adds eight neighbours at a time, then their sums in the same way. Somebody who has only some of the
blocks can make the sums that lie within them, and begin those whose first parts they have.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from seedtopic.base.engine import FAN_IN, add


class PartialSum(NamedTuple):
    """The sum of some neighbours.

    Attributes
    ----------
    level : int
        0 for blocks, 1 for sums of up to eight blocks, 2 for sums of those, ...
    first, behind : int
        The neighbours of that level: from `first` up to, but without `behind`.
    value : number, array or tuple of them
    """

    level: int
    first: int
    behind: int
    value: Any


def joined(parts: Iterable[PartialSum], n_blocks: int) -> list[PartialSum]:
    """Add up parts that follow each other, as far as the order of `summed` allows.

    Parameters
    ----------
    parts : iterable of PartialSum
        In the order of their blocks.
    n_blocks : int
        Of all together; all parts become one.

    Examples
    --------
    >>> blocks = [PartialSum(0, n, n + 1, n) for n in range(10)]
    >>> first, second = joined(blocks[:3], 10), joined(blocks[3:], 10)
    >>> [tuple(part) for part in first]
    [(0, 0, 3, 3)]
    >>> [tuple(part) for part in second]
    [(0, 3, 4, 3), (0, 4, 5, 4), (0, 5, 6, 5), (0, 6, 7, 6), (0, 7, 8, 7), (1, 1, 2, 17)]
    >>> [tuple(part) for part in joined([*first, *second], 10)]
    [(2, 0, 1, 45)]
    """
    done: list[PartialSum] = []
    for part in parts:
        done.append(_completed(part, n_blocks))
        while len(done) > 1 and _continues(*done[-2:]):
            last, before = done.pop(), done.pop()
            both = PartialSum(before.level, before.first, last.behind, add(before.value, last.value))
            done.append(_completed(both, n_blocks))
    return done


def _continues(before: PartialSum, last: PartialSum) -> bool:
    """Tell whether the last part is the next to be added to the one before it."""
    return (
        before.level == last.level
        and before.first % FAN_IN == 0
        and before.behind == last.first
        and last.first % FAN_IN != 0
        and last.behind == last.first + 1
    )


def _completed(part: PartialSum, n_blocks: int) -> PartialSum:
    """Give a part as one of the level above, once all that belongs to it is there."""
    while True:
        n_neighbours = -(-n_blocks // FAN_IN**part.level)
        whole = part.behind % FAN_IN == 0 or part.behind == n_neighbours
        if n_neighbours == 1 or part.first % FAN_IN or not whole:
            return part
        place = part.first // FAN_IN
        part = PartialSum(part.level + 1, place, place + 1, part.value)
