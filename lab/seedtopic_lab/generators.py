"""States of random number generators, as a checkpoint holds them."""

from __future__ import annotations

import json

import numpy as np
from numpy.typing import NDArray


def generator_state(rng: np.random.Generator) -> NDArray[np.uint8]:
    """Return the state of a random number generator as an array.

    Examples
    --------
    >>> one, other = np.random.default_rng(1), np.random.default_rng(2)
    >>> _ = one.random(5)
    >>> set_generator_state(other, generator_state(one))
    >>> bool(one.random() == other.random())
    True
    """
    return np.frombuffer(json.dumps(rng.bit_generator.state).encode(), np.uint8)


def set_generator_state(rng: np.random.Generator, state: NDArray[np.uint8]) -> None:
    """Set the state of a random number generator."""
    rng.bit_generator.state = json.loads(state.tobytes())
