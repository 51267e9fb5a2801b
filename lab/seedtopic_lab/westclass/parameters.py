"""Which values the parameters of WeSTClass may have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from seedtopic.base.checks import check_number
from seedtopic.base.errors import InputError

_FROM_ONE = (
    *("embedding_size", "window", "embedding_epochs", "n_pseudo_documents", "n_near_words", "max_length"),
    *("n_maps", "hidden_size", "batch_size", "update_interval"),
)
_FROM_ZERO = ("pretrain_epochs", "max_batches")


def check_parameters(values: Mapping[str, Any]) -> None:
    """Raise for the first parameter that cannot be used."""

    def require(name: str, holds: bool, wanted: str) -> None:
        if not holds:
            raise InputError(f"{name} is {values[name]!r}: use {wanted}.")

    for name in _FROM_ONE:
        require(name, _is_whole(values[name], 1), "a whole number from 1 on")
    for name in _FROM_ZERO:
        require(name, _is_whole(values[name], 0), "a whole number from 0 on")
    for name in ("max_kappa", "pretrain_rate", "self_training_rate"):
        check_number(name, values[name], above=0)
    for name in ("subsampling", "delta", "decay"):
        check_number(name, values[name], least=0)
    check_number("alpha", values["alpha"], least=0, most=1)
    check_number("momentum", values["momentum"], least=0, most=1)
    require("momentum", values["momentum"] < 1, "a number from 0 to below 1")
    widths = values["widths"]
    fit = isinstance(widths, Sequence) and len(widths) > 0 and all(_is_whole(width, 1) for width in widths)
    require("widths", fit, "a list of one or more whole numbers from 1 on")


def _is_whole(value: object, least: int) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and bool(value >= least)
