"""The data of the measurements, read once: corpora, seeds, counts."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedtopic.base.errors import InputError
from seedtopic.knowledge.encoders import sentence_encoder
from seedtopic.seeds import Seeds
from seedtopic.text.counts import Counts, count_words
from seedtopic.text.tokens import stop_word_set, tokenize, words
from seedtopic_lab.corpora import MAIN_GROUPS, Dataset, fetch_corpus, published_seeds
from seedtopic_lab.experiments.plan import Setting
from seedtopic_lab.experiments.remembered_encoder import RememberedEncoder

# How the words of a corpus are read, if not by default: these were cleaned by their authors.
READING: dict[str, dict[str, Any]] = {
    "reuters10_tokens": {"tokenizer": str.split, "stop_words": None, "min_df": 1}
}
# The corpus whose published seeds are used, if it is not the corpus itself.
_SEEDS_OF = {"reuters10_tokens": "reuters10"}


class Unavailable(Exception):
    """A corpus is not on this machine and cannot be fetched."""


class NoSeeds(Exception):
    """A seed list is not on this machine."""


class Material:
    """Corpora, seeds, counts and vectors of texts, made on first use and kept."""

    def __init__(self) -> None:
        self._counts = lru_cache(maxsize=8)(self._count)
        self.dataset = lru_cache(maxsize=None)(_dataset)
        self.encoder = RememberedEncoder(sentence_encoder)

    def seeds(self, setting: Setting, draw: int | None = None) -> Seeds:
        """Return the published seeds of a setting, purified by a draw or by that of all experiments."""
        name = _SEEDS_OF.get(setting.corpus, setting.corpus)
        try:
            return Seeds(
                published_seeds(name, setting.seeds, purified=bool(setting.purified), draw=draw)  # type: ignore[arg-type]
            )
        except InputError as error:
            raise NoSeeds(str(error)) from error

    def counts(self, setting: Setting) -> Counts:
        """Count the words of all documents of a corpus; the seeds of the setting are always kept."""
        always = self.seeds(setting).words if setting.seeds else []
        return self._counts(setting.corpus, frozenset(always))

    def part(self, corpus: str, split: str) -> NDArray[np.intp]:
        """Return the positions of the documents of one part, "train" or "test"."""
        return np.flatnonzero(np.array(self.dataset(corpus).split) == split)

    def label_frequency(self, corpus: str) -> list[float]:
        """Return the true share of each category: only for oracles, which are named as such."""
        labels = np.array(self.dataset(corpus).labels)
        return [float((labels == name).mean()) for name in self.dataset(corpus).categories]

    def main_group_of(self, corpus: str) -> dict[str, str]:
        """Return the main group of each category, if the corpus has main groups."""
        if corpus != "newsgroups20":
            raise InputError(f"the categories of {corpus} have no main groups: use newsgroups20.")
        return {name: group for group, names in MAIN_GROUPS.items() for name in names}

    def _count(self, corpus: str, keep: frozenset[str]) -> Counts:
        return count(self.dataset(corpus).texts, corpus, keep)


def count(texts: list[str], corpus: str, keep: frozenset[str]) -> Counts:
    """Count words as a model does when it gets the texts."""
    reading = {"tokenizer": words, "stop_words": "english", "min_df": "auto", **READING.get(corpus, {})}
    return count_words(
        tokenize(texts, reading["tokenizer"]),
        min_df=reading["min_df"],
        stop_words=stop_word_set(reading["stop_words"]),
        keep=keep,
    )


def _dataset(corpus: str) -> Dataset:
    try:
        return fetch_corpus(corpus)
    except InputError as error:
        raise Unavailable(str(error)) from error
