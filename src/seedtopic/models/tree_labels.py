"""Labels along a category tree, for models that learn from seeds."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedtopic.documents.inputs import Texts
from seedtopic.models.base import TextClassifier
from seedtopic.seeds import Seeds
from seedtopic.seeds.tree import Name, Tree


class TreeLabels(TextClassifier):
    """A classifier whose categories may have parents."""

    seeds_: Seeds

    @property
    def tree_(self) -> Tree:
        """The category tree of the seeds; false where no category has a parent."""
        tree: Tree = self.seeds_.tree
        return tree

    def predict_path(self, X: Texts) -> list[tuple[Name, ...]]:
        """Give the categories of other documents from the root of the tree down to the label.

        Parameters
        ----------
        X : iterable of str, data frame, or matrix of counts of shape (n_documents, n_words)
            The documents, as of `fit`.

        Examples
        --------
        >>> from seedtopic import SeedTopicClassifier
        >>> seeds = {name: {"words": [name], "parent": "oils"} for name in ("olive", "crude")}
        >>> texts = ["olive salad", "fine olive", "crude price", "crude rose", "gold mine", "old mine"]
        >>> model = SeedTopicClassifier({**seeds, "gold": ["mine"]}, random_state=0).fit(texts)
        >>> model.predict_path(["crude", "mine"])
        [('oils', 'crude'), ('gold',)]
        """
        return [self.tree_.path(label) for label in self.predict(X).tolist()]

    def node_probabilities(self, X: Texts) -> NDArray[np.float64]:
        """Give the probability of every category of the tree for other documents.

        That of a parent is the sum of its children's; for the fitted documents see
        ``tree_.node_sums(label_distributions_)``.

        Parameters
        ----------
        X : iterable of str, data frame, or matrix of counts of shape (n_documents, n_words)
            The documents, as of `fit`.

        Returns
        -------
        ndarray, shape (n_documents, n_nodes)
            In the order of ``tree_.nodes``.
        """
        return self.tree_.node_sums(self.predict_proba(X))

    def paths(self) -> dict[Any, str] | None:
        if not self.tree_:
            return None
        return {leaf: " > ".join(map(str, self.tree_.path(leaf))) for leaf in self.tree_.leaves}
