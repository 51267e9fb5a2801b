"""One thread for each call of BLAS, where threads of our own make the calls."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from threading import RLock

_turn = RLock()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Keep BLAS to one thread inside the block; other threads that want this wait until it ends.

    The threads of BLAS wait for each other by spinning: on two busy cores, two of them take several times as
    long as one. Their number is one for the whole process, and threadpoolctl lets only the thread that
    changed it change it back: hence one block at a time.

    Examples
    --------
    >>> import numpy as np
    >>> with one_blas_thread():
    ...     int((np.ones((2, 3)) @ np.ones((3, 2))).sum())
    12
    """
    # scikit-learn needs threadpoolctl, so it is there; it is imported late, because few need this.
    with _turn, import_module("threadpoolctl").threadpool_limits(1, user_api="blas"):
        yield
