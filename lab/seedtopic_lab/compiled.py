"""Functions compiled by numba, once for all processes where there is a place to keep them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from numba import njit

Function = TypeVar("Function", bound=Callable[..., Any])


def jit(**options: Any) -> Callable[[Function], Function]:
    """Compile a function that lets other threads run, and keep the result on disk.

    numba keeps it beside the source or in the user's cache, and refuses where neither may be written to, as
    in a container without a home. There the function is compiled anew in each process.

    Parameters
    ----------
    **options
        Further options of `numba.njit`.

    Examples
    --------
    >>> @jit(error_model="numpy")
    ... def doubled(number):
    ...     return 2 * number
    >>> doubled(21)
    42
    """

    def compiled(function: Function) -> Function:
        try:
            return njit(nogil=True, cache=True, **options)(function)  # type: ignore[no-any-return]
        except RuntimeError:  # no place to keep it
            return njit(nogil=True, **options)(function)  # type: ignore[no-any-return]

    return compiled
