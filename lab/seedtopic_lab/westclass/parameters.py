"""The parameters of WeSTClass, and which values they may have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedtopic.base.checks import check_number
from seedtopic.base.errors import InputError
from seedtopic.model.run import ModelOptions
from seedtopic.model.stages.stage import Context
from seedtopic.seeds import BoundSeeds

_FROM_ONE = (
    *("embedding_size", "window", "embedding_epochs", "n_pseudo_documents", "n_near_words", "max_length"),
    *("n_maps", "hidden_size", "batch_size", "update_interval"),
)
_FROM_ZERO = ("pretrain_epochs", "max_batches")


@dataclass(frozen=True)
class WeSTClassOptions(ModelOptions):
    """The parameters of the model; see `WeSTClass` for each."""

    embedding_size: int
    window: int
    subsampling: float
    embedding_epochs: int
    max_kappa: float
    n_pseudo_documents: int
    n_near_words: int
    alpha: float
    max_length: int
    widths: Sequence[int]
    n_maps: int
    hidden_size: int
    batch_size: int
    pretrain_epochs: int
    pretrain_rate: float
    self_training_rate: float
    decay: float
    momentum: float
    update_interval: int
    delta: float
    max_batches: int

    def check(self) -> None:
        """Raise for the first parameter that cannot be used."""
        for least, names in ((1, _FROM_ONE), (0, _FROM_ZERO)):
            for name in names:
                self._require(name, _is_whole(getattr(self, name), least), f"a whole number from {least} on")
        for name in ("max_kappa", "pretrain_rate", "self_training_rate"):
            check_number(name, getattr(self, name), above=0)
        for name in ("subsampling", "delta", "decay"):
            check_number(name, getattr(self, name), least=0)
        check_number("alpha", self.alpha, least=0, most=1)
        check_number("momentum", self.momentum, least=0, most=1)
        self._require("momentum", self.momentum < 1, "a number from 0 to below 1")
        widths: Any = self.widths
        fit = (
            isinstance(widths, Sequence) and len(widths) > 0 and all(_is_whole(width, 1) for width in widths)
        )
        self._require("widths", fit, "a list of one or more whole numbers from 1 on")

    def _require(self, name: str, holds: bool, values: str) -> None:
        if not holds:
            raise InputError(f"{name} is {getattr(self, name)!r}: use {values}.")

    def sizes(self, model: Context) -> dict[str, int]:
        """Return the sizes of the arrays of the network."""
        return {
            "embedding": self.embedding_size,
            "places": sum(self.widths),
            "widths": len(self.widths),
            "maps": self.n_maps,
            "pooled": len(self.widths) * self.n_maps,
            "hidden": self.hidden_size,
            "seeded": len(seeded(model.seeds)),
        }


def seeded(seeds: BoundSeeds) -> NDArray[np.intp]:
    """Return the categories that have a seed word that occurs."""
    return np.flatnonzero(np.diff(seeds.membership.indptr))


def _is_whole(value: object, least: int) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and bool(value >= least)
