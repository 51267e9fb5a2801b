"""Bringing back a model that `save` wrote."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from seedtopic.base.arrays import Described
from seedtopic.base.errors import InputError
from seedtopic.model import MODELS, model_class
from seedtopic.model.estimator import TextClassifier
from seedtopic.model.folder import ModelFolder, read_model
from seedtopic.text.tokens import Tokenizer


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
    >>> from seedtopic import SeedTopicClassifier
    >>> texts = ["the team won the game", "a goal in the game", "the bank cut its rate", "rate of the bank"]
    >>> model = SeedTopicClassifier({"sports": ["game"], "money": ["bank"]}, random_state=0).fit(texts)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(folder + "/model")
    ...     load(folder + "/model").predict(["a rate"]).tolist()
    ['money']
    """

    def check(content: ModelFolder, described: Mapping[str, Described]) -> None:
        model = _class_of(content, folder)
        if content.custom_tokenizer and tokenizer is None:
            raise InputError(
                f"the model in {folder} was fitted with a tokenizer of its own: "
                "pass it as load(folder, tokenizer=...), on the command line by --tokenizer."
            )
        with _said_of(folder):
            model._check_described(content, described)

    content = read_model(Path(folder), check)
    with _said_of(folder):
        return _class_of(content, folder)._restore(content, tokenizer)


def _class_of(content: ModelFolder, folder: str | Path) -> type[TextClassifier]:
    """Import the class that a folder names."""
    model = model_class(content.model)
    if model is None:
        raise InputError(f"{folder} holds a {content.model!r}; known models are {', '.join(MODELS)}.")
    return model


@contextmanager
def _said_of(folder: str | Path) -> Iterator[None]:
    """Name the folder in whatever is wrong with the model in it."""
    try:
        yield
    except (ValueError, TypeError, KeyError, RecursionError, OverflowError) as error:
        raise InputError(f"the model in {folder} cannot be used: {error}") from None
