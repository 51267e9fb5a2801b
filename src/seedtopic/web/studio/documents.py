"""The documents of a studio, read and counted once; the counts do not depend on the seeds.

All words are counted, including rare words and stop words. The counts that a model learns from are then a
selection of columns: the usual words and the seeds. Only phrases must be searched for, in the documents that
contain all their words.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from itertools import repeat
from math import isfinite
from threading import Lock
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.base.errors import InputError
from seedtopic.base.memory import MaxMemory
from seedtopic.base.progress import Progress, silent
from seedtopic.base.threads import resolve_threads
from seedtopic.io.columns import as_string
from seedtopic.io.frames import reported
from seedtopic.io.predictions import Predictions, texts_there
from seedtopic.io.rows import ColumnStrings, Rows
from seedtopic.knowledge.encoders import Encode, encoded
from seedtopic.knowledge.sampled import fair_sample
from seedtopic.model.reading import has_counts
from seedtopic.model.training import TrainingSet
from seedtopic.model.vectors import EncodedSource, VectorsLike, encoded_source, encoder_of
from seedtopic.seeds.category import is_wildcard, matching
from seedtopic.text.counts import Counts, count_known, count_words, resolve_min_df
from seedtopic.text.rules import Rule
from seedtopic.text.tokens import StopWords, Tokenizer, phrase_sequences, stop_word_set, tokenize, words
from seedtopic.web.studio.draft import Draft

LONGEST = 300  # characters of a value that are kept
FEW = 50  # values that a person can choose from
MOST_COLUMNS = 50
MEMORY = 300_000_000  # bytes for the values of all columns; the largest columns are left out
_PER_VALUE = 150  # bytes that a value takes beside its characters

Kind = Literal["number", "date", "text"]


@dataclass(frozen=True, eq=False)
class Column:
    """One column."""

    name: str
    values: list[str]  # the different values; the empty text where a document has none
    codes: NDArray[np.int32]  # (n_documents,), the position of each document's value in `values`

    def __getitem__(self, document: int) -> str:
        return str(self.values[self.codes[document]])

    @cached_property
    def kind(self) -> Kind:
        """What all values look like."""
        written = [value for value in self.values if value]
        if written and all(_number(value) is not None for value in written):
            return "number"
        return "date" if written and all(_date(value) is not None for value in written) else "text"

    @cached_property
    def choices(self) -> list[tuple[str, int]] | None:
        """The values with their numbers of documents, most frequent first; None if there are too many."""
        if len(self.values) - ("" in self.values) > FEW:
            return None
        counts = np.bincount(self.codes, minlength=len(self.values)).tolist()
        pairs = [(value, count) for value, count in zip(self.values, counts, strict=True) if value]
        return sorted(pairs, key=lambda pair: -pair[1])

    def having(self, value: str) -> NDArray[np.bool_]:
        """Tell which documents have a value: exactly this one, or text that contains it if there are many."""
        if self.choices is not None:
            matches = [own == value for own in self.values]
        else:
            folded = value.casefold()
            matches = [folded in own.casefold() for own in self.values]
        return np.array(matches, bool)[self.codes]

    def order(self, documents: NDArray[np.intp], *, descending: bool) -> NDArray[np.intp]:
        """Sort documents by value, those without one last; equal ones stay in their order."""
        rank = self._rank[self.codes[documents]]
        missing = rank < 0
        return documents[np.lexsort((-rank if descending else rank, missing))]

    @cached_property
    def _rank(self) -> NDArray[np.intp]:
        """The place of each value in the order of its kind, equal ones in the same; -1 for no value."""
        there = np.array([value != "" for value in self.values], bool)
        written = [value for value in self.values if value]
        rank = np.full(len(self.values), -1, np.intp)
        if self.kind == "text":
            folded = [value.casefold() for value in written]
            place = {text: number for number, text in enumerate(sorted(set(folded)))}
            rank[there] = [place[text] for text in folded]
        else:
            read = _number if self.kind == "number" else _date
            _, rank[there] = np.unique([read(value) for value in written], return_inverse=True)
        return rank


class Columns:
    """All columns of the documents' file except the text and the ids."""

    def __init__(self, columns: Iterable[Column] = (), left_out: Sequence[str] = ()) -> None:
        self._columns = {column.name: column for column in columns}
        self.left_out = list(left_out)

    @classmethod
    def of(cls, documents: Rows, memory: int = MEMORY) -> Columns:
        """Read the columns."""
        names = [name for name in documents.columns if name != documents.text_field]
        reading = {name: _Reading(len(documents)) for name in names[:MOST_COLUMNS]}
        left_out, taken = names[MOST_COLUMNS:], 0
        differ: set[str] = set()  # from the ids
        ids = repeat(None) if documents.ids is None else documents.ids
        for place, (row, id_) in enumerate(zip(documents.rows, ids, strict=False)):
            for name, column in reading.items():
                value = _text(row.get(name))
                taken += column.add(place, value)
                if value != id_:
                    differ.add(name)
            while taken > memory:
                largest = max(reading, key=lambda name: reading[name].size)
                taken -= reading.pop(largest).size
                left_out.append(largest)
        useful = {name: column for name, column in reading.items() if name in differ}
        return cls((Column(name, [*read.code_of], read.codes) for name, read in useful.items()), left_out)

    def __iter__(self) -> Iterator[Column]:
        return iter(self._columns.values())

    def __getitem__(self, name: str) -> Column:
        if name not in self._columns:
            there = ", ".join(self._columns) or "none"
            raise InputError(f"there is no column {name!r:.60}: the columns are {there:.300}.")
        return self._columns[name]

    def as_list(self) -> list[dict[str, Any]]:
        """Return plain values: what can be filtered and sorted by."""
        return [
            {
                "name": column.name,
                "kind": column.kind,
                "different": len(column.values),
                "values": None
                if column.choices is None
                else [{"value": value, "documents": count} for value, count in column.choices],
            }
            for column in self
        ]


class _Reading:
    """A column while it is read."""

    def __init__(self, n_documents: int) -> None:
        self.code_of: dict[str, int] = {}
        self.codes = np.zeros(n_documents, np.int32)
        self.size = 0

    def add(self, place: int, value: str) -> int:
        """Take a value, and return the memory that it takes."""
        fresh = len(self.code_of)
        self.codes[place] = self.code_of.setdefault(value, fresh)
        added = len(value) + _PER_VALUE if len(self.code_of) > fresh else 0
        self.size += added
        return added


def _text(value: Any) -> str:
    text = as_string(value).strip()
    if not text and isinstance(value, list | dict) and value:
        text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= LONGEST else text[:LONGEST] + "…"


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if isfinite(value) else None


def _date(text: str) -> float | None:
    """Read a date as ISO 8601 writes it, with or without a time."""
    try:
        read = datetime.fromisoformat(text)
    except ValueError:
        return None
    return (read if read.tzinfo is not None else read.replace(tzinfo=UTC)).timestamp()


@dataclass(frozen=True, eq=False)
class EncodedDocuments:
    """The vectors of all documents, or of a fair sample of very many."""

    encode: Encode  # the encoder, which also reads the seeds of each fit
    documents: NDArray[np.intp]  # (n_encoded,), the documents that were encoded, ascending
    vectors: NDArray[np.float32]  # (n_encoded, n_dims)

    @classmethod
    def of(
        cls, encode: Encode | None, texts: Sequence[str], progress: Progress = silent
    ) -> EncodedDocuments | None:
        """Encode documents; None without an encoder."""
        if encode is None:
            return None
        chosen = fair_sample(len(texts))
        return cls(encode, chosen, encoded(encode, [texts[row] for row in chosen], progress=progress))

    def source(self, documents: NDArray[np.intp], fitted: TrainingSet) -> EncodedSource:
        """Return what a fit knows from the encoder."""
        place = np.minimum(np.searchsorted(self.documents, documents), len(self.documents) - 1)
        rows = np.flatnonzero(self.documents[place] == documents)
        return encoded_source(self.encode, rows, self.vectors[place[rows]], fitted)


Places = NDArray[np.int32]


class Collection:
    """Documents with the counts of all their words."""

    def __init__(
        self,
        documents: Rows,
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
        tokens, n_workers = tokenize(reported(self.texts, progress), tokenizer), resolve_threads(n_threads)
        counts = count_words(tokens, min_df=1, n_workers=n_workers, max_memory=max_memory)
        self._words = counts.vocabulary
        self._column_of = {word: column for column, word in enumerate(counts.vocabulary)}
        self._by_word = sp.csc_array(counts.matrix)
        frequency = np.diff(self._by_word.indptr)
        dropped = stop_word_set(stop_words)
        often = np.flatnonzero(frequency >= resolve_min_df("auto", len(self.texts))).tolist()
        self._usual = [column for column in often if self._words[column] not in dropped]
        if not self._usual:
            raise InputError(f"no document of {name} contains a usable word: they are empty, or too few.")
        self.vectors = vectors
        self.encoded = EncodedDocuments.of(encoder_of(vectors), self.texts, progress)
        self.columns = Columns.of(documents)
        self._phrases: dict[str, sp.csc_array] = {}
        self._wildcards: dict[str, Places] = {}
        self._rules: dict[str, sp.csc_array] = {}
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self.texts)

    def name_of(self, document: int) -> str:
        """Return the id of a document, or its number if the documents have no ids."""
        return str(document) if self.ids is None else self.ids[document]

    @cached_property
    def without_labels(self) -> Predictions:
        """Which documents have a text and a usable word, before any seeds and vectors are known."""
        has_text, has_words = texts_there(self.texts), has_counts(self.usual.matrix)
        return Predictions.of((), np.zeros((len(self), 0)), has_text=has_text, has_words=has_words)

    @cached_property
    def usual(self) -> Counts:
        """The counts of the words that `min_df` and the stop words leave, without any seeds."""
        words = [self._words[column] for column in self._usual]
        return Counts(sp.csr_array(self._by_word[:, self._usual]), words)

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

    def documents_of(self, word: str) -> Places:
        """Return the documents that contain a word, a phrase, or any word that matches a wildcard."""
        column = self._column(word)
        if column is not None:
            return self._by_word.indices[self._by_word.indptr[column] : self._by_word.indptr[column + 1]]
        if not is_wildcard(word):
            return np.sort(self._phrase(word).indices)
        if word not in self._wildcards:
            columns = [self._column_of[match] for match in matching(word, self.usual.vocabulary)]
            documents = np.unique(self._by_word[:, columns].indices) if columns else np.empty(0, np.int32)
            self._wildcards[word] = documents
        return self._wildcards[word]

    def _column(self, word: str) -> int | None:
        """Return the column of a word; None for a phrase, even where some documents have it as a word."""
        column = self._column_of.get(word)
        is_phrase = column is not None and self.tokenizer is None and phrase_sequences([word])
        return None if is_phrase else column

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
        n_words = np.zeros(len(self.texts), np.intp)
        for part in parts:
            n_words[self.documents_of(part)] += 1
        rows = np.flatnonzero(n_words == len(parts))  # documents that contain all parts
        texts = (self.texts[row] for row in rows.tolist())
        n_workers = resolve_threads(self.n_threads)
        counts = count_known(tokenize(texts, self.tokenizer, [phrase]), [phrase], n_workers=n_workers).matrix
        held = sp.coo_array(counts)
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


def reach(collection: Collection, draft: Draft) -> tuple[dict[str, int], list[int]]:
    """Count the documents with each word, and with a word of each category but none that it excludes."""
    whole = draft.with_parents()
    written = [word.word for category in draft.categories for word in category.words]
    used = [word for category in whole for word in category.words]  # some are words of names
    rows = {word: collection.documents_of(word) for word in dict.fromkeys([*written, *used])}
    sizes = []
    for category in whole:
        reached = np.zeros(len(collection), bool)
        for word in category.words:
            reached[rows[word]] = True
        for word in category.exclude:
            own = matching(word, category.words) if is_wildcard(word) else []
            if own:  # a wildcard does not exclude the words that the category itself spells out
                matches = matching(word, collection.usual.vocabulary)
                for other in (match for match in matches if match not in own):
                    reached[collection.documents_of(other)] = False
            else:
                reached[rows[word]] = False
        sizes.append(int(reached.sum()))
    return {word: len(places) for word, places in rows.items()}, sizes
