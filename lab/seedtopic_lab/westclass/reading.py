"""Texts in, counts out that still know the order of the words."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

from seedtopic.base.errors import InputError, MissingExtraError
from seedtopic.base.progress import Progress
from seedtopic.io.frames import Texts, given_texts, is_matrix, without_frame
from seedtopic.model.reading import CountedTexts, TextReader
from seedtopic.text.counts import Counts, KnownWords
from seedtopic.text.phrases import Phrases
from seedtopic.text.rules import Rule
from seedtopic.text.tokens import tokenize
from seedtopic_lab.westclass.sequences import ordered_counts


@dataclass(frozen=True)
class OrderedReader(TextReader):
    """Reads texts as `TextReader` does, and keeps the order of their words; a matrix has none."""

    def count(self, X: Texts, keep: Collection[str], progress: Progress, **options: Any) -> CountedTexts:
        """Count the words of the documents to learn from."""
        require_packages()
        texts = _listed(X)
        options["rules"] = ()  # which have no place among the words
        read = super().count(texts, keep, progress, **options)
        vocabulary = read.counts.vocabulary
        ordered = ordered_counts(tokenize(texts, self.tokenizer, keep), vocabulary)
        return replace(read, counts=Counts(ordered, vocabulary, read.counts.left_out))

    def count_known(
        self,
        X: Texts,
        vocabulary: KnownWords,
        phrases: Phrases,
        columns: Sequence[str] | None = None,
        rules: Sequence[Rule] = (),
    ) -> Counts:
        """Count the words of new documents that a fitted model knows."""
        return Counts(ordered_counts(tokenize(_listed(X), self.tokenizer, phrases), vocabulary), vocabulary)


def _listed(X: Texts) -> list[str]:
    X = without_frame(X)
    if is_matrix(X):
        raise InputError(
            "WeSTClass needs texts, since it reads words in their order; got a matrix of counts: "
            "give an iterable of texts, one a document."
        )
    return list(given_texts(X))


def require_packages(*packages: str) -> None:
    """Refuse to go on without packages, by default all that the model needs."""
    for package in packages or ("torch", "gensim"):
        try:
            import_module(package)
        except ImportError:
            raise MissingExtraError("WeSTClass", package, "westclass", distribution="./lab") from None
