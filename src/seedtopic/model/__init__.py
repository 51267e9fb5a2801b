"""The models by name, each imported when it is first used; `load` brings a saved one back."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from seedtopic.base.plugins import LAB, plugin

if TYPE_CHECKING:
    from seedtopic.model.classifier import SeedTopicClassifier
    from seedtopic.model.estimator import SeedClassifier
    from seedtopic.model.folder import load
    from seedtopic.model.lapswtm import LapSWTM
    from seedtopic.model.wsptm import WSPTM


@dataclass(frozen=True)
class Model:
    """A model: where its class is, what it learns from, and whether its random state changes labels."""

    name: str  # of the class, of `--model` and of a saved folder
    module: str  # where the class is
    learns_from: Literal["counts", "texts", "labels"] = "counts"
    is_random: bool = True

    @property
    def in_lab(self) -> bool:
        """Whether the model comes with lab/."""
        return self.module == LAB


MODELS = {
    model.name: model
    for model in (
        Model("SeedTopicClassifier", "seedtopic.model.classifier"),
        Model("WSPTM", "seedtopic.model.wsptm"),
        Model("LapSWTM", "seedtopic.model.lapswtm"),
        Model("STM", LAB),
        Model("PLDNB", LAB, is_random=False),
        Model("WeSTClass", LAB, "texts"),
        Model("MedLDA", LAB, "labels"),
    )
}
_OTHERS = {"SeedClassifier": "seedtopic.model.estimator", "load": "seedtopic.model.folder"}


def model_class(name: str) -> type[SeedClassifier] | None:
    """Import the class of a model, from whichever distribution has it; None if none does."""
    model = MODELS.get(name)
    if model is None or model.in_lab:
        return plugin("models", name, [model.name for model in MODELS.values() if model.in_lab])  # type: ignore[no-any-return]
    return getattr(import_module(model.module), name)  # type: ignore[no-any-return]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name in _OTHERS:
        value = getattr(import_module(_OTHERS[name]), name)
    elif name in MODELS:
        value = model_class(name)
    else:
        raise AttributeError(f"module 'seedtopic.model' has no attribute {name!r}")
    globals()[name] = value
    return value


__all__ = [
    "MODELS",
    "WSPTM",
    "LapSWTM",
    "Model",
    "SeedClassifier",
    "SeedTopicClassifier",
    "load",
    "model_class",
]
