"""The classifier: a convolutional network over word vectors that stay as they are.

This module imports PyTorch and is itself imported only when a model is fitted or used.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import RLock
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from seedtopic_lab.westclass.sequences import Tokens
from seedtopic_lab.westclass.windows import winning_words

Tensor = Any  # torch.Tensor: PyTorch is optional, so the type checker does without it.
Weights = dict[str, NDArray[np.float32]]

# Documents that are classified at a time.
_PREDICTION_BATCH = 2048


_ALONE = RLock()


@contextmanager
def one_thread() -> Iterator[None]:
    """Let PyTorch use one thread inside the block: its sums then do not depend on the number of cores.

    The number belongs to the whole process, so that only one of our own threads is in such a block at a time.
    """
    with _ALONE:
        before = torch.get_num_threads()
        torch.set_num_threads(1)
        try:
            yield
        finally:
            torch.set_num_threads(before)


def start_weights(
    embedding_size: int,
    widths: Sequence[int],
    n_maps: int,
    hidden_size: int,
    n_categories: int,
    rng: np.random.Generator,
) -> Weights:
    """Draw the first weights: filters from uniform(-0.01, 0.01), dense layers after Glorot, biases 0."""

    def uniform(limit: float, *shape: int) -> NDArray[np.float32]:
        return rng.uniform(-limit, limit, shape).astype(np.float32)

    def glorot(n_in: int, n_out: int) -> NDArray[np.float32]:
        return uniform(float(np.sqrt(6.0 / (n_in + n_out))), n_in, n_out)

    n_pooled = len(widths) * n_maps
    return {
        # One slice for each place in each window: first those of the first width, then of the second ...
        "filters": uniform(0.01, sum(widths), embedding_size, n_maps),
        "filter_bias": np.zeros((len(widths), n_maps), np.float32),
        "hidden_weight": glorot(n_pooled, hidden_size),
        "hidden_bias": np.zeros(hidden_size, np.float32),
        "output_weight": glorot(hidden_size, n_categories),
        "output_bias": np.zeros(n_categories, np.float32),
    }


class Network:
    """Convolutions of several widths, the maximum of each over the document, a dense layer, softmax.

    Parameters
    ----------
    embedding : ndarray, shape (n_words, size)
        Word vectors; the padding word, a vector of zeros, is added after the last.
    weights : dict of str to ndarray
        See `start_weights`.
    widths : sequence of int
        Words in the windows of the filters.

    Notes
    -----
    A convolution over words is a sum of projected word vectors, so each word of a batch is projected once,
    however often it occurs. The gradient of a maximum reaches the winning window alone, so the windows are
    searched without gradient (`winning_words`) and the winners computed again with it: the same gradient,
    far cheaper.
    """

    def __init__(self, embedding: NDArray[np.float32], weights: Weights, widths: Sequence[int]) -> None:
        padding = np.zeros((1, embedding.shape[1]), np.float32)
        self._embedding = torch.from_numpy(np.concatenate([embedding, padding]))
        self._weights = {
            name: torch.from_numpy(np.array(array)).requires_grad_() for name, array in weights.items()
        }
        self._widths = [int(width) for width in widths]

    @property
    def padding(self) -> int:
        """The index of the padding word."""
        return len(self._embedding) - 1

    @property
    def parameters(self) -> list[Tensor]:
        """What is learned."""
        return list(self._weights.values())

    @property
    def weights(self) -> Weights:
        """What is learned, as arrays."""
        return {name: tensor.detach().numpy().copy() for name, tensor in self._weights.items()}

    def log_probabilities(self, documents: Tokens) -> Tensor:
        """Give the log probability of each category; rows must end in as many paddings as a window is wide.

        The pooled value of a filter is relu(b + max over windows), paddings included.
        """
        lengths = (documents != self.padding).sum(axis=1)
        documents = documents[:, : lengths.max(initial=0) + max(self._widths)]
        words, local = np.unique(documents, return_inverse=True)
        vectors = self._embedding[torch.from_numpy(words)]
        projected = torch.einsum("wd,pdm->wpm", vectors, self._weights["filters"])
        winners = winning_words(
            projected.detach().numpy(), local.reshape(documents.shape), lengths, np.array(self._widths)
        )
        windows = projected.gather(0, torch.from_numpy(winners)).split(self._widths, dim=1)
        pooled = torch.stack([window.sum(dim=1) for window in windows], dim=1) + self._weights["filter_bias"]
        hidden = functional.linear(
            functional.relu(pooled).flatten(1), self._weights["hidden_weight"].T, self._weights["hidden_bias"]
        )
        output = functional.linear(
            functional.relu(hidden), self._weights["output_weight"].T, self._weights["output_bias"]
        )
        return functional.log_softmax(output, dim=1)

    def probabilities(self, documents: Tokens) -> NDArray[np.float64]:
        """Give the probability of each category for any number of documents."""
        result = np.empty((len(documents), self._weights["output_bias"].shape[0]))
        with torch.no_grad():
            for start in range(0, len(documents), _PREDICTION_BATCH):
                batch = slice(start, start + _PREDICTION_BATCH)
                result[batch] = self.log_probabilities(documents[batch]).double().exp().numpy()
        return result
