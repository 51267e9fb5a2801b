"""Words that speak against a category: where one stands, the category's seeds are not heard."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray


def heard(counts: sp.csr_array, exclusion: sp.csr_array | None) -> NDArray[np.bool_] | None:
    """Tell for which categories a document's seeds count: none of its words speaks against them.

    Parameters
    ----------
    counts : csr_array, shape (n_documents, n_words)
    exclusion : csr_array, shape (n_categories, n_words), or None
        1 where the word speaks against the category.

    Returns
    -------
    ndarray of bool, shape (n_documents, n_categories), or None
        None where no word speaks against anything, so that nothing need be done.

    Examples
    --------
    >>> heard(sp.csr_array([[1.0, 0.0], [1.0, 2.0]]), sp.csr_array([[0.0, 1.0], [0.0, 0.0]])).tolist()
    [[True, True], [False, True]]
    """
    if exclusion is None or exclusion.nnz == 0:
        return None
    presence = counts.astype(bool).astype(np.float64)
    return np.asarray((presence @ exclusion.T).todense() == 0, dtype=bool)
