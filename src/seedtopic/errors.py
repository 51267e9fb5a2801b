"""What a user can get wrong, as exceptions whose message is one sentence with the remedy."""

from __future__ import annotations


class InputError(ValueError):
    """The user's input cannot be used; the message says what, where, what was got and how to mend it."""


class SeedWarning(UserWarning):
    """Some seed words cannot help (they do not occur, say); the fit goes on without them."""


class UnusableDocuments(UserWarning):
    """Some documents could not be used as they stand; the message counts them, and the rest was used."""


class MissingExtraError(ImportError):
    """An optional dependency is not installed; the message holds the pip command."""

    def __init__(self, feature: str, package: str, extra: str) -> None:
        super().__init__(
            f"{feature} needs {package}, which is not installed: run  pip install 'seedtopic[{extra}]'"
        )
