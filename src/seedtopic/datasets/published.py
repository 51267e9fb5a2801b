"""Seed words of the literature, as they were published."""

from __future__ import annotations

import tomllib
from collections import Counter
from importlib import resources
from typing import Literal

from ..errors import InputError

_NAMES = ("ag_news", "bbc_news", "newsgroups20", "reuters10", "stackoverflow")


def published_seeds(name: str, which: Literal["SL", "SD"], *, purified: bool = False) -> dict[str, list[str]]:
    """Return the seed words used for a corpus in the literature.

    Parameters
    ----------
    name : str
        "ag_news", "bbc_news", "newsgroups20", "reuters10" or "stackoverflow". The lists of newsgroups20,
        reuters10 and ag_news are published ones; those of bbc_news and stackoverflow were written from the
        class names without looking at the data.
    which : {"SL", "SD"}
        The words of the category's label, or a few words from its description.
    purified : bool, default False
        Whether a word that several categories share is kept in only one of them, drawn once and fixed.

    Returns
    -------
    dict of str to list of str
        Words per category, the categories in alphabetical order.

    Raises
    ------
    InputError
        If there is no such list.

    Examples
    --------
    >>> published_seeds("reuters10", "SD")["coffee"]
    ['coffee', 'export', 'ico', 'quota']
    >>> published_seeds("newsgroups20", "SL", purified=True)["comp.windows.x"]
    ['computer', 'windowsx']
    """
    if name not in _NAMES or which not in ("SL", "SD"):
        raise InputError(
            f"there are no seed words {which!r} for {name!r}: choose 'SL' or 'SD' of {', '.join(_NAMES)}"
        )
    seeds = _read(f"{name}.{which}.toml")
    if seeds is not None and purified:
        counts = Counter(word for words in seeds.values() for word in words)
        if max(counts.values()) > 1:  # else there is nothing to purify
            seeds = _read(f"{name}.{which}.purified.toml")
    if seeds is None:
        raise InputError(f"there is no purified list {which} for {name}: use purified=False")
    return dict(sorted(seeds.items()))


def _read(filename: str) -> dict[str, list[str]] | None:
    file = resources.files(__package__) / "seeds" / filename
    return tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else None
