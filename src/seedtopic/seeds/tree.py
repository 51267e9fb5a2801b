"""A category tree: documents are labelled with leaves; the probability of a parent is the sum of theirs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seedtopic.base.errors import InputError

Name = str | int
MOST_LEVELS = 64


@dataclass(frozen=True)
class Tree:
    """Categories, some of which have parents."""

    leaves: tuple[Name, ...]  # the categories without children, in the user's order
    parents: Mapping[Name, Name]  # the parent of each category that has one

    @classmethod
    def of(cls, names: Sequence[Name], parents: Mapping[Name, Name]) -> Tree:
        """Make a tree of categories; a category that is its own ancestor is refused."""
        for name in names:
            line = [name]
            while line[-1] in parents:
                line.append(parents[line[-1]])
                if line[-1] in line[:-1]:
                    circle = " under ".join(repr(node) for node in line)
                    raise InputError(f"the parents form a circle, {circle}: remove one parent.")
                if len(line) > MOST_LEVELS:
                    raise InputError(
                        f"{name!r} has more than {MOST_LEVELS} levels of parents above it: remove some."
                    )
        above = set(parents.values())
        return cls(tuple(name for name in names if name not in above), dict(parents))

    def __bool__(self) -> bool:
        return bool(self.parents)

    @property
    def nodes(self) -> tuple[Name, ...]:
        """All categories, each parent before its children."""
        return tuple(dict.fromkeys(node for leaf in self.leaves for node in self.path(leaf)))

    def path(self, node: Name) -> tuple[Name, ...]:
        """Return the categories from the root down to this one."""
        line = [node]
        while line[-1] in self.parents:
            line.append(self.parents[line[-1]])
        return tuple(reversed(line))

    def node_sums(self, probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum the probabilities of the leaves; shape (n_documents, n_nodes), in the order of `nodes`."""
        nodes = self.nodes
        column_of = {node: column for column, node in enumerate(nodes)}
        sums = np.zeros((len(probabilities), len(nodes)))
        sums[:, [column_of[leaf] for leaf in self.leaves]] = probabilities
        for node in reversed(nodes):  # children before parents
            if node in self.parents:
                sums[:, column_of[self.parents[node]]] += sums[:, column_of[node]]
        return sums
