"""The partitions of a Dask collection, whose words are counted where the partitions are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from seedtopic.base.errors import InputError
from seedtopic.base.progress import Progress, silent
from seedtopic.text.counting.compiled import tally_texts
from seedtopic.text.counting.tally import Tally
from seedtopic.text.phrases import Phrases

AT_ONCE = 32  # partitions that are counted together, before the next ones start


@dataclass(frozen=True)
class Partitions(Iterable[str]):
    """Texts in delayed lists; if the texts themselves are needed, they are read one list at a time."""

    delayed: Sequence[Any]  # as returned by `to_delayed` of a bag or of a data frame's column
    progress: Progress = silent  # called with the number of partitions counted

    def __iter__(self) -> Iterator[str]:
        for part in self.delayed:
            yield from part.compute()

    def tallies(self, phrases: Phrases) -> Iterator[Tally]:
        """Count the words of each partition on the worker that has it; yield the tallies in order."""
        dask: Any = import_module("dask")
        total = len(self.delayed)
        for start in range(0, total, AT_ONCE):
            self.progress("reading words", start, total)
            wanted = [
                dask.delayed(_tally_partition)(part, number, phrases)
                for number, part in enumerate(self.delayed[start : start + AT_ONCE], start)
            ]
            yield from dask.compute(*wanted)
        self.progress("reading words", total, total)


def _tally_partition(texts: Iterable[Any], number: int, phrases: Phrases) -> Tally:
    """Count the words of a partition; runs on a worker."""
    listed = list(texts)
    for position, text in enumerate(listed):
        if not isinstance(text, str):
            raise InputError(
                f"document {position} of partition {number} is {type(text).__name__} ({text!r:.40}), not a "
                "text: give every document as a str, an empty one as ''."
            )
    return tally_texts(listed, phrases)
