"""Seed words of the literature, as they were published."""

from __future__ import annotations

import os
import tomllib
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Literal

from ..errors import InputError


def published_seeds(name: str, which: Literal["SL", "SD"], *, purified: bool = False) -> dict[str, list[str]]:
    """Return the seed words used for a corpus in the literature.

    Those of newsgroups20 and reuters10 come with the package; others, and purified lists, are read from the
    folder that SEEDTOPIC_DATA names, as NAME.SL.toml, NAME.SD.toml, NAME.SL.purified.toml.

    Parameters
    ----------
    name : str
        The corpus, such as "newsgroups20" or "reuters10".
    which : {"SL", "SD"}
        The words of the category's label, or a few words from its description.
    purified : bool, default False
        Whether a word that several categories share is kept in only one of them, drawn once and fixed. Lists
        without shared words need no purified file.

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
    """
    seeds = _read(f"{name}.{which}.toml")
    if purified and _shared_words(seeds):
        seeds = _read(f"{name}.{which}.purified.toml")
    return dict(sorted(seeds.items()))


def _read(filename: str) -> dict[str, list[str]]:
    folders: list[Traversable] = [resources.files(__package__) / "seeds"]
    if os.environ.get("SEEDTOPIC_DATA"):
        folders.append(Path(os.environ["SEEDTOPIC_DATA"]))
    for folder in folders:
        if (folder / filename).is_file():
            return tomllib.loads((folder / filename).read_text(encoding="utf-8"))
    raise InputError(
        f"there is no seed list {filename} in the package or in SEEDTOPIC_DATA: "
        "set SEEDTOPIC_DATA to a folder that contains it."
    )


def _shared_words(seeds: dict[str, list[str]]) -> bool:
    listed = [word for words in seeds.values() for word in words]
    return len(listed) > len(set(listed))
