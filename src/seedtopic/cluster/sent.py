"""Values on their way to the workers of a cluster: pickled once, and kept in case they are needed again."""

from __future__ import annotations

import tempfile
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import IO, Any

from seedtopic.base.errors import InputError
from seedtopic.cluster.allocator import keep_freed_memory
from seedtopic.cluster.client import Cluster, is_usable

SMALL = 1 << 14  # bytes that are sent with each task; anything larger is sent to every worker once
FAN_OUT = 8  # workers to which one worker sends a value


class Sent:
    """A pickled value; a large one goes to the workers when it is first needed.

    Parameters
    ----------
    value : object

    Attributes
    ----------
    is_held : bool
        Whether further calls will need it. Afterwards it is needed only if a worker is lost.
    """

    def __init__(self, value: Any) -> None:
        from distributed.protocol.pickle import dumps

        self._pickled: bytes = dumps(value)
        self._is_small = len(self._pickled) <= SMALL
        self._file: IO[bytes] | None = None
        self._route: list[str] = []  # the workers in the order in which they pass it on
        self._copies: list[Any] = []  # of the first of them; the others have none of their own
        self.is_held = True

    def at(self, cluster: Cluster, worker: str) -> Any:
        """Give what a task on a worker takes as an argument: a future, or a few bytes."""
        if self._is_small:
            return self._pickled
        lost = set(self._route) - set(cluster.threads)
        if lost or not self._copies or not all(map(is_usable, self._copies)):
            self._route = [worker, *sorted(set(cluster.threads) - {worker})]
            self._copies = [cluster.scatter(self._read(), worker)]
        if worker not in self._route:
            self._route.append(worker)
        source = _source(self._route.index(worker))
        # A worker sends it to a few others, and those to a few others in turn.
        for place in range(len(self._copies), source + 1):
            copy = cluster.submit(self._route[place], _same, self._copies[_source(place)])
            self._copies.append(copy)
        return self._copies[source]

    def save(self) -> None:
        """Keep the value on disk, to send it again when a worker is lost."""
        if self._is_small or self._file is not None:
            return
        try:
            self._file = _unnamed_file()
            weakref.finalize(self, self._file.close)
            self._file.write(self._pickled)
        except OSError as error:
            raise InputError(
                f"temporary files cannot be written to {tempfile.gettempdir()} ({error.strerror or error}): "
                "set TMPDIR to a folder with more space."
            ) from error

    def let_go(self) -> None:
        """Take the value from the workers, as soon as no task needs it there, and from memory."""
        self.is_held = False
        self._route, self._copies = [], []
        if not self._is_small:
            self._pickled = b""

    def _read(self) -> bytes:
        if self.is_held or self._file is None:
            return self._pickled
        self._file.seek(0)
        return self._file.read()


def _unnamed_file() -> IO[bytes]:
    return tempfile.TemporaryFile(prefix="seedtopic-")


def _source(place: int) -> int:
    return max(0, place - 1) // FAN_OUT


def _same(value: bytes) -> bytes:
    return value


class Broadcast:
    """What `DaskEngine.broadcast` gives: a value that workers have for as long as this object lives."""

    def __init__(self, value: Any) -> None:
        self.sent = Sent(value)
        weakref.finalize(self, self.sent.let_go)


@dataclass
class Call:
    """A function and its values, to be sent.

    Attributes
    ----------
    message : Sent
        The function and the values that go with it alone.
    values : list of Sent
        Those that several calls share.
    is_saved : bool
        Whether it can be sent again later.
    """

    message: Sent
    values: list[Sent]
    is_saved: bool = False

    @classmethod
    def of(cls, function: Callable[..., Any], values: Sequence[Any]) -> Call:
        """Separate the values that were broadcast from the others."""
        shared = [value.sent for value in values if isinstance(value, Broadcast)]
        places = [None if isinstance(value, Broadcast) else (value,) for value in values]
        return cls(Sent((function, places)), shared)

    def at(self, cluster: Cluster, worker: str) -> list[Any]:
        """Give the arguments of a task on a worker."""
        return [sent.at(cluster, worker) for sent in (self.message, *self.values)]

    def saved(self) -> Call:
        """Keep everything on disk, to send it again when a worker is lost."""
        for sent in (self.message, *self.values):
            sent.save()
        self.is_saved = True
        return self

    def let_go(self) -> None:
        """Take from the workers what is not needed there when the tasks of the call are done."""
        if not self.is_saved:
            return
        self.message.is_held = False
        for sent in (self.message, *self.values):
            if not sent.is_held:
                sent.let_go()


def opened(message: bytes, *values: bytes) -> tuple[Callable[..., Any], list[Any]]:
    """Give the function of a call and all its values; on a worker.

    Examples
    --------
    >>> from distributed.protocol.pickle import dumps
    >>> message = dumps((max, [(1,), None]))
    >>> opened(message, dumps(2))
    (<built-in function max>, [1, 2])
    """
    from distributed.protocol.pickle import loads  # as Dask sends functions between its own processes

    keep_freed_memory()
    function, places = loads(message)
    shared = map(loads, values)
    return function, [next(shared) if place is None else place[0] for place in places]
