"""How an E-step is computed: one small interface, several backends.

A kernel is a function of a shard of documents and the current parameters that returns additive
statistics. The numpy kernel is the definition; every other one is tested against it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Literal, cast

from seedtopic.base.errors import InputError

if TYPE_CHECKING:  # `seedtopic --version` names the kernel, and need not wait for numpy
    from seedtopic.learning.topics.kernels.interface import Kernel

__all__ = ["KERNELS", "KernelName", "c_kernel_is_built", "get_kernel", "resolve_kernel"]

KernelName = Literal["auto", "c", "numpy"]

# Imported when used: the C kernel may be missing.
KERNELS = {
    "c": "seedtopic.learning.topics.kernels.c_kernel",
    "numpy": "seedtopic.learning.topics.kernels.numpy_kernel",
}


def get_kernel(name: str) -> Kernel:
    """Return a kernel by its name.

    Parameters
    ----------
    name : "auto", "c" or "numpy"
    """
    return cast("Kernel", import_module(KERNELS[resolve_kernel(name)]).estep)


def resolve_kernel(name: str) -> str:
    """Return the name of a kernel, the fastest there is for "auto"; refuse a name that none has.

    Parameters
    ----------
    name : "auto", "c" or "numpy"
    """
    if name == "auto":
        return "c" if c_kernel_is_built() else "numpy"
    if not isinstance(name, str) or name not in KERNELS:
        raise InputError(f"kernel is {name!r}: use one of {', '.join(map(repr, ('auto', *KERNELS)))}.")
    if name == "c" and not c_kernel_is_built():
        raise InputError(
            "kernel is 'c', which was not built here: install a C compiler and then seedtopic again from "
            "its source, or use 'auto'."
        )
    return name


def c_kernel_is_built() -> bool:
    """Return whether the C extension is there: where it was installed without a compiler, it is not."""
    try:
        import_module("seedtopic.learning.topics.kernels._estep")
    except ImportError:
        return False
    return True
