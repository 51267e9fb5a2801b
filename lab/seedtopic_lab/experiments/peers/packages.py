"""Packages by others, imported when a peer is fitted, so that tables can be made without them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from seedtopic.base.errors import MissingExtraError


def require(module: str, feature: str) -> Any:
    """Import a module of another package, or say how to install it.

    Examples
    --------
    >>> require("no_such_package.models", "NoPeer")
    Traceback (most recent call last):
    ...
    seedtopic.base.errors.MissingExtraError: NoPeer needs no_such_package, which is not installed: run  \
pip install './lab[peers]'  in a checkout of the repository
    """
    try:
        return import_module(module)
    except ImportError:
        raise MissingExtraError(feature, module.partition(".")[0], "peers", distribution="./lab") from None
