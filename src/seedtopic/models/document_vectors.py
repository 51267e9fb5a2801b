"""Documents as TF-IDF vectors of the words that a model knows, whatever the model."""

from __future__ import annotations

import scipy.sparse as sp

from seedtopic.documents.inputs import Texts
from seedtopic.learning.signals.vectors import sublinear, unit_rows, word_rarity
from seedtopic.models.base import TextClassifier


def document_vectors(model: TextClassifier, X: Texts) -> sp.csr_array:
    """Give documents as rows of length 1; one without a known word is a row of zeros.

    Parameters
    ----------
    model : TextClassifier
        A fitted model.
    X : iterable of str, data frame, or matrix of counts of shape (n_documents, n_words)
        The documents, as of `fit`.

    Examples
    --------
    >>> from seedtopic import SeedTopicClassifier
    >>> model = SeedTopicClassifier({"sports": ["game"], "money": ["bank"]}, random_state=0)
    >>> model = model.fit(["the game", "a bank", "game and goal", "bank and rate"])
    >>> document_vectors(model, ["game", "bank", "xyzzy"]).toarray().sum(axis=1).tolist()
    [1.0, 1.0, 0.0]
    """
    counts = model._count_known(X, model.vocabulary_)
    return unit_rows(sublinear(counts, word_rarity(counts)))
