"""Words for the names of categories, from the lexicon that is shipped with the package: a text per field."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import combinations, zip_longest
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from seedtopic.knowledge.categories import mean_direction
from seedtopic.knowledge.tables import english
from seedtopic.seeds.tree import Name

_FIELDS = """news support surveys emotions shopping sports school finance policy law health computers software
research arts food travel home places industries jobs nature society documents knowledge intents"""
_SMALL = "a an and at by for from in is it its my of on or other our the their this to with your"
_VAGUE = "category general information issue problem query question request subject topic type"
FIELDS = tuple(_FIELDS.split())  # the everyday meaning first: it counts where neighbours do not say another
SMALL, VAGUE = frozenset(_SMALL.split()), frozenset(_VAGUE.split())  # the latter only beside other words
MOST_WORDS = 25  # for a name of which the lexicon knows parts
NEAR = 0.6  # cosine between a name and a word of the lexicon that stands for it
_MOST_PARTS = 6  # words of a name of which every combination is tried
_SEPARATORS = str.maketrans(dict.fromkeys("_-/.,;:!?()[]{}'\"|&+\\", " "))
_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")  # of BookRestaurant


def words_for(names: Iterable[Name]) -> dict[Name, tuple[str, ...]]:
    """Return words that documents of categories have, by the names of all of them; none where none is known.

    A name is looked up as it is, then without regard to order, plural and small words, then in parts, and
    last by its meaning. Where several fields know it, that which knows most of the other names counts.
    """
    read = {name: name if isinstance(name, str) else "" for name in names}
    known = Counter(field for name in read.values() for field in _entries(name))
    fields = sorted(FIELDS, key=lambda field: -known[field])
    parts = {name: _parts(text, fields) for name, text in read.items()}
    near = _nearest([text for name, text in read.items() if not parts[name]])
    return {name: _mixed(parts[name] or _parts(near.get(text, ""), fields)) for name, text in read.items()}


def _entries(name: str) -> Mapping[str, str]:
    """Return what the fields know of a name as it is, or else by its words in any order."""
    return _lexicon().get(" ".join(name.lower().split())) or _lexicon().get(_key(_stems(name)), {})


def _parts(name: str, fields: Sequence[str]) -> list[str]:
    """Return the words of a name, or of its longest parts that the lexicon knows."""
    if whole := _entries(name):
        return [next(whole[field] for field in fields if field in whole)]
    stems = list(dict.fromkeys(_stems(name)))
    left = ([stem for stem in stems if stem not in VAGUE] or stems)[:_MOST_PARTS]
    entries_of_parts = []
    for size in range(len(left), 0, -1):
        for part in combinations(left, size):
            if set(part) <= set(left) and (entries := _lexicon().get(_key(part))):
                left = [stem for stem in left if stem not in part]
                entries_of_parts.append(next(entries[field] for field in fields if field in entries))
    return entries_of_parts


def _nearest(names: Sequence[str]) -> dict[str, str]:
    """Return the one-word names of the lexicon that mean most nearly what names do, where they are near."""
    table = english()
    known = {name: stems for name in names if (stems := [stem for stem in _stems(name) if stem in table])}
    if not known:
        return {}
    others, vectors = _meanings()
    own = [mean_direction(table.vectors(stems)[0], np.ones(len(stems))) for stems in known.values()]
    cosines = np.stack(own) @ vectors.T
    best = zip(known, cosines.argmax(axis=1), cosines.max(axis=1), strict=True)
    return {name: others[row] for name, row, cosine in best if cosine >= NEAR}


def _mixed(entries: Sequence[str]) -> tuple[str, ...]:
    """Return the words of entries in turn, so that each has its most frequent ones among the first."""
    turns = zip_longest(*(entry.split(", ") for entry in entries))
    mixed = list(dict.fromkeys(word for turn in turns for word in turn if word))
    return tuple(mixed if len(entries) == 1 else mixed[:MOST_WORDS])


def _stems(name: str) -> list[str]:
    """Return the words of a name without plural, and without small words unless there is no other."""
    read = _CAPITAL.sub(" ", name).translate(_SEPARATORS).lower().split()
    return [_singular(word) for word in read if word not in SMALL] or read


@cache
def _singular(word: str) -> str:
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")) or word == "news":
        return word
    return word[:-3] + "y" if word.endswith("ies") else word[:-1]


def _key(stems: Iterable[str]) -> str:
    return "+".join(sorted(stems)) + "+"  # which no name is


@cache
def _lexicon() -> Mapping[str, Mapping[str, str]]:
    """Read the fields: what they know of each name, as it is and by the key of its stems."""
    lexicon: dict[str, dict[str, str]] = {}
    for field in FIELDS:
        for line in (Path(__file__).with_suffix("") / f"{field}.txt").read_text("ascii").splitlines():
            names, _, words = line.partition(": ")
            for name in names.split(" | ") if words and line[0] != "#" else ():
                lexicon.setdefault(name, {})[field] = words
                lexicon.setdefault(_key(_stems(name)), {}).setdefault(field, words)
    return lexicon


@cache
def _meanings() -> tuple[Sequence[str], NDArray[np.float32]]:
    """Return the names of one word that the vectors know, and their directions."""
    names = [name for name in _lexicon() if name.isalpha() and name in english()]
    return names, english().vectors(names)[0]
