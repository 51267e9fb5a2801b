"""The documents of a studio, read and counted once; the counts do not depend on the seeds.

All words are counted, including rare words and stop words. The counts that a model learns from are then a
selection of columns: the usual words and the seeds. Only phrases must be searched for, in the documents that
contain all their words.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection as Some
from collections.abc import Iterable
from functools import cached_property
from threading import Lock

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.base.errors import InputError
from seedtopic.base.memory import MaxMemory
from seedtopic.base.progress import Progress, silent
from seedtopic.base.threads import resolve_threads
from seedtopic.documents import Documents
from seedtopic.documents.inputs import reported
from seedtopic.documents.labelable import Labelable
from seedtopic.documents.reread import ColumnStrings
from seedtopic.models.known_words import counted
from seedtopic.models.vectors import VectorsLike, encoder_of
from seedtopic.seeds.wildcards import is_wildcard, matching
from seedtopic.studio.columns import Columns
from seedtopic.studio.encoded import EncodedDocuments
from seedtopic.text.counts import Counts, count_known, count_words, resolve_min_df
from seedtopic.text.rules import Rule
from seedtopic.text.tokens import StopWords, Tokenizer, phrase_sequences, stop_word_set, tokenize, words

Rows = NDArray[np.int32]


class Collection:
    """Documents with the counts of all their words."""

    def __init__(
        self,
        documents: Documents,
        name: str = "documents",
        *,
        tokenizer: Tokenizer | None = None,
        stop_words: StopWords = "english",
        n_threads: int | None = None,
        max_memory: MaxMemory = None,
        vectors: VectorsLike = "auto",
        progress: Progress = silent,
    ) -> None:
        self.documents, self.name = documents, name
        self.tokenizer, self.stop_words, self.n_threads = tokenizer, stop_words, n_threads
        self.texts: list[str] = list(documents.texts)
        self.ids: list[str] | None = None if documents.ids is None else list(documents.ids)
        if len(self.texts) < 2:
            raise InputError(f"{name} contains {len(self.texts)} document(s): a studio needs at least 2.")
        self.fingerprint = fingerprint(self.texts)
        found = count_words(
            tokenize(reported(self.texts, progress), tokenizer),
            min_df=1,
            n_workers=resolve_threads(n_threads),
            max_memory=max_memory,
        )
        self._words = found.vocabulary
        self._column_of = {word: column for column, word in enumerate(found.vocabulary)}
        self._by_word = sp.csc_array(found.matrix)
        frequency = np.diff(self._by_word.indptr)
        dropped = stop_word_set(stop_words)
        often = frequency >= resolve_min_df("auto", len(self.texts))
        self._usual = [
            column for column in np.flatnonzero(often).tolist() if found.vocabulary[column] not in dropped
        ]
        if not self._usual:
            raise InputError(f"no document of {name} contains a usable word: they are empty, or too few.")
        self.vectors = vectors
        self.encoded = EncodedDocuments.of(encoder_of(vectors), self.texts, progress)
        self.columns = Columns.of(documents)
        self._phrases: dict[str, sp.csc_array] = {}
        self._wildcards: dict[str, Rows] = {}
        self._rules: dict[str, sp.csc_array] = {}
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self.texts)

    def name_of(self, document: int) -> str:
        """Return the id of a document, or its number if the documents have no ids."""
        return str(document) if self.ids is None else self.ids[document]

    @cached_property
    def labelable(self) -> Labelable:
        """Which documents have a text and a usable word, before any seeds and vectors are known."""
        return Labelable.of(self.texts, counted(self.usual.matrix))

    @cached_property
    def usual(self) -> Counts:
        """The counts of the words that `min_df` and the stop words leave, without any seeds."""
        return Counts(self._columns(self._usual), [self._words[column] for column in self._usual])

    def counts(self, seeds: Iterable[str], rules: Iterable[Rule] = ()) -> Counts:
        """Return the counts that a model learns from with these seeds, as `count_words` would make them."""
        usual = set(self._usual)
        single = {word: self._column(word) for word in seeds}
        more = [column for column in single.values() if column is not None and column not in usual]
        phrases = {word: self._phrase(word) for word, column in single.items() if column is None}
        phrases |= {rule.word: self._rule(rule) for rule in rules}
        phrases = {word: column for word, column in phrases.items() if column.nnz}
        if not more and not phrases:
            return self.usual
        columns = sorted(c for c in [*self._usual, *more] if self._words[c] not in phrases)
        words = [self._words[column] for column in columns] + list(phrases)
        joined = sp.hstack([self._by_word[:, columns], *phrases.values()], format="csc")
        order = sorted(range(len(words)), key=words.__getitem__)
        return Counts(sp.csr_array(joined[:, order]), [words[place] for place in order])

    def documents_of(self, word: str) -> Rows:
        """Return the documents that contain a word, a phrase, or any word that matches a wildcard."""
        column = self._column(word)
        if column is not None:
            return self._by_word.indices[self._by_word.indptr[column] : self._by_word.indptr[column + 1]]
        return self._wildcard(word) if is_wildcard(word) else np.sort(self._phrase(word).indices)

    def _column(self, word: str) -> int | None:
        """Return the column of a word; None for a phrase, even where some documents have it as a word."""
        column = self._column_of.get(word)
        is_phrase = column is not None and self.tokenizer is None and phrase_sequences([word])
        return None if is_phrase else column

    def _wildcard(self, word: str) -> Rows:
        if word not in self._wildcards:
            columns = [self._column_of[match] for match in matching(word, self.usual.vocabulary)]
            found = np.unique(self._by_word[:, columns].indices) if columns else np.empty(0, np.int32)
            self._wildcards[word] = found
        return self._wildcards[word]

    def _columns(self, columns: list[int]) -> sp.csr_array:
        return sp.csr_array(self._by_word[:, columns])

    def _phrase(self, phrase: str) -> sp.csc_array:
        """Count a phrase in the documents that contain all its words; empty if it is not a phrase."""
        if phrase not in self._phrases:
            with self._lock:  # so that no phrase is counted twice
                if phrase not in self._phrases:
                    self._phrases[phrase] = self._counted_phrase(phrase)
        return self._phrases[phrase]

    def _counted_phrase(self, phrase: str) -> sp.csc_array:
        nothing = sp.csc_array((len(self.texts), 1), dtype=np.float32)
        tokens = phrase_sequences([phrase], self.tokenizer).get(phrase)
        if not tokens:
            return nothing
        # Single letters are not counted as words, but may be part of a phrase.
        parts = [token for token in dict.fromkeys(tokens) if self.tokenizer or words(token)]
        if any(part not in self._column_of for part in parts):
            return nothing
        rows = self._common(parts)
        texts = (self.texts[row] for row in rows.tolist())
        n_workers = resolve_threads(self.n_threads)
        counted = count_known(tokenize(texts, self.tokenizer, [phrase]), [phrase], n_workers=n_workers).matrix
        held = sp.coo_array(counted)
        return sp.csc_array((held.data, (rows[held.row], held.col)), shape=nothing.shape, dtype=np.float32)

    def _rule(self, rule: Rule) -> sp.csc_array:
        """Look for the documents that a rule matches."""
        if rule.word not in self._rules:
            if rule.column is not None and rule.column not in self.documents.columns:
                raise InputError(
                    f"the documents have no column {rule.column!r}, which a rule of the seeds asks for."
                )
            others = [] if rule.column is None else [rule.column]
            texts = ColumnStrings(self.documents.rows, self.documents.text_field, others)
            rows = [row for row, text in enumerate(texts) if rule.matches(text)]
            places = (rows, np.zeros(len(rows), np.intp))
            shape = len(self.texts), 1
            self._rules[rule.word] = sp.csc_array((np.ones(len(rows), np.float32), places), shape=shape)
        return self._rules[rule.word]

    def _common(self, words: Some[str]) -> NDArray[np.intp]:
        """Return the documents that contain all of the words."""
        n_words = np.zeros(len(self.texts), np.intp)
        for word in words:
            n_words[self.documents_of(word)] += 1
        return np.flatnonzero(n_words == len(words))


def fingerprint(texts: Iterable[str]) -> str:
    """Return a hash of the texts and their order.

    Examples
    --------
    >>> fingerprint(["a", "b"]) == fingerprint(["a", "b"]), fingerprint(["ab"]) == fingerprint(["a", "b"])
    (True, False)
    """
    digest = hashlib.blake2b(digest_size=16)
    for text in texts:
        encoded = text.encode("utf-8", "surrogatepass")
        digest.update(len(encoded).to_bytes(8, "little"))
        digest.update(encoded)
    return digest.hexdigest()
