"""Errors that a user can cause; each message is one sentence that says how to fix it."""

from __future__ import annotations

import sys
import warnings
from importlib import import_module
from typing import Any

LONGEST = 2000  # characters of a sentence


class InputError(ValueError):
    """The user's input cannot be used; the message says what, where, what was found and how to fix it.

    A message that quotes too much of the input loses its middle: how to fix it stands at the end.

    Examples
    --------
    >>> str(InputError("the column 'id' is missing: add it."))
    "the column 'id' is missing: add it."
    >>> len(str(InputError("x" * 10_000)))
    2000
    """

    def __init__(self, sentence: object = "") -> None:
        text = str(sentence)
        if len(text) > LONGEST:
            half = LONGEST // 2
            text = f"{text[: half - 2]} … {text[1 - half :]}"
        super().__init__(text)


class ClusterLostError(InputError):
    """The workers or the scheduler of a cluster are gone; what a fit kept in its checkpoint is not lost."""


class SeedWarning(UserWarning):
    """Seed words or confirmed labels cannot be used, or mean something else than one may expect."""


class ConfirmedWarning(SeedWarning):
    """Confirmed labels look wrong; the message names them, and they are kept."""


class UnusableDocuments(UserWarning):
    """Some documents could not be used as they are; the message counts them, and the rest were used."""


def warn_caller(sentence: str, category: type[Warning]) -> None:
    """Warn of the line outside of the package from which it was called."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("seedtopic"):
        level, frame = level + 1, frame.f_back
    warnings.warn(sentence, category, stacklevel=level)


class MissingExtraError(ImportError):
    """An optional dependency is not installed; the message contains the pip command.

    Examples
    --------
    >>> str(MissingExtraError("STM", "seedtopic_lab", distribution="./lab"))
    'STM needs seedtopic_lab, which is not installed: run  pip install ./lab  in a checkout of the repository'
    """

    def __init__(
        self, feature: str, package: str, extra: str = "", *, distribution: str = "seedtopic"
    ) -> None:
        target = f"'{distribution}[{extra}]'" if extra else distribution
        checkout = "  in a checkout of the repository" if distribution.startswith(".") else ""
        super().__init__(
            f"{feature} needs {package}, which is not installed: run  pip install {target}{checkout}"
        )


def import_extra(module: str, feature: str, extra: str, package: str = "") -> Any:
    """Import a module of an extra, or say which one the feature needs."""
    try:
        return import_module(module)
    except ImportError:
        raise MissingExtraError(feature, package or module, extra) from None
