"""The time of a fit grows with the number of categories, and no faster."""

from __future__ import annotations

import random
import time
import warnings

import numpy as np
import pytest

from seedtopic import SeedTopicClassifier


def documents(n_documents: int, n_categories: int) -> list[str]:
    """Make documents of common words, in each some of one category."""
    rng = random.Random(0)
    return [
        " ".join(
            [f"common{rng.randrange(1500)}" for _ in range(20)]
            + [f"seed{d % n_categories}{letter}" for letter in "ab"]
            + [f"theme{d % n_categories}"] * 2
        )
        for d in range(n_documents)
    ]


@pytest.mark.slow
def test_a_fit_is_linear_in_categories() -> None:
    taken = {}
    for n_categories in (10, 150, 1200):  # the first one imports what is imported when it is used
        seeds = {f"c{k}": [f"seed{k}a", f"seed{k}b"] for k in range(n_categories)}
        texts = documents(600, 150)
        started = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = SeedTopicClassifier(seeds, random_state=0, n_threads=1).fit(texts)
        taken[n_categories] = time.process_time() - started
        if n_categories >= 150:
            assert np.mean(model.transduction_ == [f"c{d % 150}" for d in range(600)]) > 0.95
    assert taken[1200] < 8 * 2 * taken[150] + 1
