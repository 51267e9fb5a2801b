"""The result of every loader."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Dataset:
    """A corpus with its true labels.

    Parameters
    ----------
    name : str
        Short name of the corpus.
    texts : list of str
        The documents.
    labels : list of str
        The true label of every document: for scoring only, never shown to a model.
    split : list of str
        "train" or "test", for every document.
    categories : list of str
        The distinct labels in alphabetical order, the order used everywhere.
    ids : list of str
        A unique id for every document.

    Examples
    --------
    >>> Dataset("tiny", ["a cup", "a hat"], ["tea", "wear"], ["train", "test"], ["tea", "wear"], ["0", "1"])
    Dataset(name='tiny', 2 documents, 2 categories)
    """

    name: str
    texts: list[str]
    labels: list[str]
    split: list[str]
    categories: list[str]
    ids: list[str]

    def __len__(self) -> int:
        return len(self.texts)

    def __repr__(self) -> str:
        # The generated repr would print every text.
        return f"Dataset(name={self.name!r}, {len(self.texts)} documents, {len(self.categories)} categories)"
