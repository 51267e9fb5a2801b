"""What the names of categories say of their seeds."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from seedtopic.seeds.category import folded, name_words
from seedtopic.seeds.seeds import Seeds
from seedtopic.seeds.tree import Name


def names_among_seeds(seeds: Seeds) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Tell which categories have a word of their name among their seeds, and which one of another's alone."""
    owners: defaultdict[str, set[Name]] = defaultdict(set)
    for name in seeds.names:
        for word in name_words(name):
            owners[word].add(name)
    parts = {name: {part for seed in own for part in seed.split()} for name, own in seeds.categories.items()}
    own = [any(name in owners[part] for part in parts[name] if part in owners) for name in seeds.names]
    others = [any(name not in owners[part] for part in parts[name] if part in owners) for name in seeds.names]
    whole = [folded(str(name)) in seeds.categories[name] for name in seeds.names]  # such as a stop word
    has_words = [bool(name_words(name)) for name in seeds.names]
    named = np.array(own) | np.array(whole)
    return named, np.array(others) & np.array(has_words) & ~named
