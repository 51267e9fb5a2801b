"""Seed words of the literature, as they were published."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Literal

import numpy as np

from seedtopic.base.errors import InputError

# The random states that draw the purified lists of the recorded experiments.
_DRAWS = {("newsgroups20", "SL"): 2919, ("newsgroups20", "SD"): 36, ("reuters10", "SD"): 36}


def published_seeds(
    name: str, which: Literal["SL", "SD"], *, purified: bool = False, draw: int | None = None
) -> dict[str, list[str]]:
    """Return the seed words used for a corpus in the literature.

    Those of newsgroups20 and reuters10 come with the package; others are read from the folder that
    SEEDTOPIC_DATA names, as NAME.SL.toml and NAME.SD.toml.

    Parameters
    ----------
    name : str
        The corpus, such as "newsgroups20" or "reuters10".
    which : {"SL", "SD"}
        The words of the category's label, or a few words from its description.
    purified : bool, default False
        Whether a word that several categories share is kept in only one of them, see `purify`.
    draw : int, optional
        The random state that draws these categories; when left out, that of the recorded experiments.

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
    >>> published_seeds("reuters10", "SD", purified=True, draw=1)["coffee"]
    ['coffee', 'ico', 'quota']
    """
    seeds = dict(sorted(_read(f"{name}.{which}.toml").items()))
    if not purified:
        return seeds
    return purify(seeds, random_state=_DRAWS.get((name, which), 0) if draw is None else draw)


def purify(seeds: Mapping[str, Sequence[str]], *, random_state: int) -> dict[str, list[str]]:
    """Keep a word that several categories share in one of them, drawn at random.

    Parameters
    ----------
    seeds : mapping of str to sequence of str
        Words per category.
    random_state : int
        The same number draws the same categories.

    Examples
    --------
    >>> purify({"interest": ["rate", "bank"], "money-fx": ["bank", "dollar"]}, random_state=0)
    {'interest': ['rate'], 'money-fx': ['bank', 'dollar']}
    """
    owners: dict[str, list[str]] = {}
    for category, words in seeds.items():
        for word in words:
            owners.setdefault(word, []).append(category)
    rng = np.random.default_rng(random_state)
    # In alphabetical order, so that the order of the categories does not matter.
    kept = {
        word: sorted(owners[word])[rng.integers(len(owners[word]))]
        for word in sorted(owners)
        if len(owners[word]) > 1
    }
    return {
        category: [word for word in words if kept.get(word, category) == category]
        for category, words in seeds.items()
    }


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
