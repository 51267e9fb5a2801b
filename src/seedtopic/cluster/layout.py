"""Which worker has which blocks: neighbours together, and as few moved as possible when a worker is lost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from seedtopic.base.engine import FAN_IN


class Place(NamedTuple):
    """Blocks from `first` up to, but without `behind`, on a worker."""

    first: int
    behind: int
    worker: str


def laid_out(n_blocks: int, threads: Mapping[str, int]) -> list[Place]:
    """Share blocks among workers, by their numbers of threads.

    Parameters
    ----------
    n_blocks : int
    threads : mapping of str to int
        The threads of each worker.

    Examples
    --------
    >>> laid_out(3, {"a": 1, "b": 1})
    [Place(first=0, behind=2, worker='a'), Place(first=2, behind=3, worker='b')]
    >>> [place.behind for place in laid_out(60, {"a": 1, "b": 1})]  # sums of eight stay with one worker
    [32, 60]
    """
    # Blocks that are added up first stay together, where that leaves work for all.
    together = FAN_IN if n_blocks >= 2 * FAN_IN * sum(threads.values()) else 1
    return _shared(0, n_blocks, sorted(threads), threads, together)


def relaid(layout: Sequence[Place], threads: Mapping[str, int]) -> list[Place]:
    """Give the blocks of lost workers to those that are left; the others stay where they are.

    Examples
    --------
    >>> relaid([Place(0, 2, "a"), Place(2, 4, "b")], {"a": 1, "c": 2})[1:]
    [Place(first=2, behind=4, worker='c')]
    """
    held = dict.fromkeys(threads, 0)
    for place in layout:
        if place.worker in held:
            held[place.worker] += place.behind - place.first
    found: list[Place] = []
    for place in layout:
        if place.worker in threads:
            found.append(place)
            continue
        idle_first = sorted(threads, key=lambda worker: (held[worker] / threads[worker], worker))
        new = _shared(place.first, place.behind, idle_first, threads, together=1)
        for part in new:
            held[part.worker] += part.behind - part.first
        found += new
    return found


def _shared(
    first: int, behind: int, workers: Iterable[str], threads: Mapping[str, int], together: int
) -> list[Place]:
    """Share neighbours among workers, in the order of the workers."""
    found, left = [], sum(threads.values())
    for worker in workers:
        wanted = (behind - first) * threads[worker] / left
        size = min(behind - first, -(-int(-(-wanted // 1)) // together) * together)
        if size:
            found.append(Place(first, first + size, worker))
        first, left = first + size, left - threads[worker]
    return found
