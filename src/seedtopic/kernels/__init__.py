"""How an E-step is computed: one small interface, several backends.

A kernel is a function of a shard of documents and the current parameters that returns additive
statistics. The numpy kernel is the definition; every other one is tested against it.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import cast

from seedtopic.errors import InputError
from seedtopic.kernels.interface import Kernel, Parameters, Shard, Statistics

__all__ = ["KERNELS", "Kernel", "Parameters", "Shard", "Statistics", "get_kernel"]

# Imported when used: numba takes a second to import and is not needed to read a model.
KERNELS = {"numba": "seedtopic.kernels.cpu", "numpy": "seedtopic.kernels.reference"}


def get_kernel(name: str) -> Kernel:
    """Find a kernel by its name.

    Examples
    --------
    >>> get_kernel("numpy").__module__
    'seedtopic.kernels.reference'
    """
    if not isinstance(name, str) or name not in KERNELS:
        raise InputError(f"kernel is {name!r}: use one of {', '.join(map(repr, KERNELS))}.")
    estep: Callable[..., Statistics] = import_module(KERNELS[name]).estep
    return cast(Kernel, estep)
