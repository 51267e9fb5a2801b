"""The estimators, one file each, and `load`, which brings a saved one back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from seedtopic.base.arrays import Described
from seedtopic.base.errors import InputError
from seedtopic.models.base import TextClassifier
from seedtopic.models.published.lapswtm import LapSWTM
from seedtopic.models.published.medlda import MedLDA
from seedtopic.models.published.pl_dnb import PLDNB
from seedtopic.models.published.stm import STM
from seedtopic.models.published.westclass import WeSTClass
from seedtopic.models.published.wsptm import WSPTM
from seedtopic.models.seed_model import SeedModel
from seedtopic.models.seed_topic_classifier import SeedTopicClassifier
from seedtopic.storage.model_folder import ModelFolder, read_model
from seedtopic.text.tokens import Tokenizer

__all__ = [
    "MODELS",
    "PLDNB",
    "STM",
    "WSPTM",
    "LapSWTM",
    "MedLDA",
    "SeedModel",
    "SeedTopicClassifier",
    "TextClassifier",
    "WeSTClass",
    "load",
]

MODELS: dict[str, type[TextClassifier]] = {
    model.__name__: model for model in (SeedTopicClassifier, WSPTM, LapSWTM, STM, PLDNB, WeSTClass, MedLDA)
}


def load(folder: str | Path, *, tokenizer: Tokenizer | None = None) -> TextClassifier:
    """Read a model that `save` wrote.

    Parameters
    ----------
    folder : path
    tokenizer : callable, optional
        The model's own tokenizer, if it was fitted with one: a folder holds data, never code.

    Examples
    --------
    >>> import tempfile
    >>> texts = ["the team won the game", "a goal in the game", "the bank cut its rate", "rate of the bank"]
    >>> model = SeedTopicClassifier({"sports": ["game"], "money": ["bank"]}, random_state=0).fit(texts)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(folder + "/model")
    ...     load(folder + "/model").predict(["a rate"]).tolist()
    ['money']
    """

    def check(content: ModelFolder, described: Mapping[str, Described]) -> None:
        if content.model not in MODELS:
            raise InputError(f"{folder} holds a {content.model!r}; known models are {', '.join(MODELS)}.")
        if content.custom_tokenizer and tokenizer is None:
            raise InputError(
                f"the model in {folder} was fitted with a tokenizer of its own: "
                "pass it as load(folder, tokenizer=...), on the command line by --tokenizer."
            )
        with _said_of(folder):
            MODELS[content.model]._check_described(content, described)

    content = read_model(Path(folder), check)
    with _said_of(folder):
        return MODELS[content.model]._restore(content, tokenizer)


@contextmanager
def _said_of(folder: str | Path) -> Iterator[None]:
    """Name the folder in whatever is wrong with the model in it."""
    try:
        yield
    except (ValueError, TypeError, KeyError, RecursionError, OverflowError) as error:
        raise InputError(f"the model in {folder} cannot be used: {error}") from None
