"""Words to add to seeds, chosen without labels; words to ask about, and seeds that look harmful."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic import model as models
from seedtopic.base.checks import check_number
from seedtopic.base.display import shown
from seedtopic.base.errors import InputError
from seedtopic.base.progress import Progress, silent
from seedtopic.base.wording import number_of
from seedtopic.io.frames import given_texts, is_matrix, refuse_text_table, reported, without_frame
from seedtopic.knowledge.tables import WordVectors
from seedtopic.learning.signals.words import shares as shares_of
from seedtopic.model.reading import Reading
from seedtopic.quality.check import CLEARLY, SeededDocuments
from seedtopic.quality.findings import FEW, starving
from seedtopic.quality.meaning import (
    NEAR_WORD,
    Meanings,
    NearWord,
    comparable,
    near_in_english,
    not_to_suggest,
    table_for,
    whole_categories,
)
from seedtopic.seeds import Seeds
from seedtopic.seeds.tree import Name
from seedtopic.text.counts import Counts, checked_counts
from seedtopic.text.rules import is_rule
from seedtopic.text.tokens import normalize

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
View = Literal["model", "seeds", "meaning"]

BY_MEANING = 3  # documents: so many count as much as a meaning that is certain
EXAMPLES = 3
# A word is added unread if so many documents contain it, and if the model assigns so much of them to the
# category: less where many contain it and the seeds agree. All were chosen with the train labels of five
# corpora.
SAFE_DOCUMENTS, LEAST_SAFE = 0.005, 3
SAFE_SHARE, SAFE_IN_MANY, MANY = 0.7, 0.3, 50
FILLED_UP = 3  # words that are asked about in each category
LEAST_GAIN = 0.1  # documents; less is a rounding error
UNLIKE = 0.05  # probability by meaning: a word with less does not mean anything like the category
HALF = 0.5  # of the documents of a word: with more, the model says that it belongs to a category
AROUND = 40  # characters on either side of a word that are shown with it
WEIGHT = 0.5  # of a word that is added unread: with more, large collections gain less


@dataclass(frozen=True)
class Suggestion:
    """A word to add."""

    word: str
    documents: int  # that contain it
    unseeded: int  # that contain it but no seed
    share: float  # of its documents that the model assigns to the category
    # Documents expected to be right minus those to be wrong, without a seed or an earlier suggestion,
    # by which suggestions are ordered; the meaning of the word counts as much as three of them. Without
    # documents, how near and frequent the word is in English.
    gain: float
    examples: tuple[str, ...] = ()  # lines that contain the word; none if counts were given
    source: Literal["documents", "meaning"] = "documents"  # what speaks for the word most
    near: tuple[str, ...] = ()  # the nearest seeds of the category, if it is near in meaning
    views: tuple[View, ...] = ()  # what puts it there: labels, seeds around it, meaning in English
    safe: bool = False  # whether `accepted` may add it unread


@dataclass(frozen=True)
class FilledUp:
    """A word that fills a category although neither its seeds nor its meaning put it there."""

    word: str
    documents: int
    share: float  # the share of its documents that the model assigns to the category
    elsewhere: Name | None
    examples: tuple[str, ...] = ()


@dataclass(frozen=True)
class HarmfulSeed:
    """A seed whose documents look like another category: their number, and the shares of both categories."""

    word: str
    documents: int
    share: float
    rival: Name
    rival_share: float


@dataclass(frozen=True)
class CategorySuggestions:
    """What is suggested for one category."""

    name: Name
    words: tuple[Suggestion, ...]  # words to add
    harmful: tuple[HarmfulSeed, ...]
    filled_up_with: tuple[FilledUp, ...] = ()
    starving: str | None = None  # in one sentence, why the category has too few documents


@dataclass(frozen=True)
class SeedSuggestions:
    """What `Seeds.suggest` finds."""

    seeds: Seeds
    documents: int
    unseeded: int  # the number of documents without a seed
    categories: tuple[CategorySuggestions, ...]

    def accepted(self, n: int) -> Seeds:
        """Return the seeds with up to `n` safe suggestions added to each category, each with weight 0.5.

        A category without a safe suggestion stays as it is, and seeds that look harmful are kept, because
        only the user knows what they mean. A category of which the name was used keeps the words of its name.
        """
        check_number("n", n, least=0, whole=True)
        table = dict(self.seeds.table())
        for category in self.categories:
            if more := [word.word for word in category.words if word.safe][:n]:
                entry = self.seeds.entries[category.name].or_named(category.name)
                weights = {**entry.weights, **dict.fromkeys(more, WEIGHT)}
                table[category.name] = replace(entry, words=(*entry.words, *more), weights=weights).entry()
        return Seeds(table, source=self.seeds.source)

    def _repr_html_(self) -> str:
        return shown(self, "seeds.suggestions_in_notebook")

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "documents": self.documents,
            "unseeded": self.unseeded,
            "categories": [asdict(category) for category in self.categories],
        }


def suggest_seeds(
    seeds: Seeds,
    corpus: Any = None,
    vocabulary: Sequence[str] | None = None,
    *,
    top: int = 5,
    label_distributions: NDArray[np.floating[Any]] | None = None,
    labels: Sequence[Any] | None = None,
    random_state: int = 0,
    progress: Progress = silent,
    **settings: Any,
) -> SeedSuggestions:
    """Return words for each category; see `Seeds.suggest`."""
    check_number("top", top, least=1, whole=True)
    reading = Reading(**settings)
    table = table_for(reading.stop_words)
    if corpus is None and vocabulary is None:
        return suggest_by_meaning(seeds, table, top)
    corpus = without_frame(corpus)
    if isinstance(corpus, Iterator):  # read a second time for the examples
        corpus = list(corpus)
    if vocabulary is not None or is_matrix(corpus):
        refuse_text_table(corpus)
        if vocabulary is None:
            raise InputError("a matrix of counts needs vocabulary=[...], the word of each column.")
        texts, counts = None, checked_counts(corpus, vocabulary)
    else:
        texts = given_texts(corpus)
        counts = reading.counts(reported(texts, progress), seeds.counted_words, seeds.all_rules)
    if counts.matrix.nnz == 0:
        raise InputError("no document contains a usable word: give documents with words in them.")
    if label_distributions is None:
        model = models.SeedTopicClassifier(
            seeds, vocabulary=counts.vocabulary, n_threads=reading.n_threads, random_state=random_state
        )
        label_distributions = model.fit(counts.matrix, labels, progress=progress).label_distributions_
    expected = counts.matrix.shape[0], len(seeds.names)
    if np.shape(label_distributions) != expected:
        raise InputError(
            f"label_distributions has the shape {np.shape(label_distributions)}: give a row for each of the "
            f"{number_of(expected[0], 'document')} and a column for each of the "
            f"{number_of(expected[1], 'category')}."
        )
    return suggest_from_labels(seeds, counts, label_distributions, top, texts, table)


def suggest_from_labels(
    seeds: Seeds,
    counts: Counts,
    label_distributions: NDArray[np.floating[Any]],
    top: int,
    texts: Iterable[str] | None = None,
    table: WordVectors | None = None,
) -> SeedSuggestions:
    """Return words for documents that have been counted and labelled, with examples from the texts."""
    return _Search(seeds, counts, np.asarray(label_distributions, dtype=np.float64), top, table).result(texts)


class Coverage:
    """What each word adds to the words taken before it: the value of its documents, and a bonus."""

    def __init__(
        self,
        presence: sp.csr_array,
        by_word: sp.csc_array,
        value: Array,
        bonus: Array | float = 0.0,
        *,
        left: float = 0.0,  # of the value of a document when a word that it contains has been taken
    ) -> None:
        self._presence, self._by_word, self._value, self._left = presence, by_word, value.copy(), left
        self.gain: Array = np.asarray(by_word.T @ value) + bonus

    def chosen(self, allowed: Mask, n: int, least: float) -> Iterator[tuple[int, float]]:
        """Yield up to n allowed words, each the one that adds the most, with what it adds."""
        for _ in range(n):
            best = int(np.where(allowed, self.gain, -np.inf).argmax()) if allowed.any() else -1
            if best < 0 or self.gain[best] < least:
                return
            yield best, float(self.gain[best])
            self.take(best)
            allowed[best] = False

    def take(self, column: int) -> None:
        """Take a word: its documents are worth less to others."""
        rows = self._by_word.indices[self._by_word.indptr[column] : self._by_word.indptr[column + 1]]
        rows = rows[self._value[rows] != 0]
        self.gain -= (1 - self._left) * np.asarray(self._presence[rows].T @ self._value[rows])
        self._value[rows] *= self._left


class _Search(SeededDocuments):
    """The parts of `SeedSuggestions`; seeds and meaning do not depend on what the model has learned."""

    def __init__(
        self, seeds: Seeds, counts: Counts, shares: Array, top: int, table: WordVectors | None
    ) -> None:
        super().__init__(seeds, counts)
        self.vocabulary, self.shares, self.top = counts.vocabulary, shares, top
        self.meanings: Meanings | None = None
        if table is not None and comparable(len(seeds.names), len(counts.vocabulary)):
            meanings = Meanings(whole_categories(seeds), counts.vocabulary, table)
            self.meanings = meanings if meanings.known.any() else None
        self.unseeded: Mask = np.logical_not(self.reaches.any(axis=1))
        # The share of each category in the seeds of a document.
        self.seeded = shares_of(self.reaches.astype(np.float64))
        padded = np.pad(shares, ((0, 0), (1, 0)))  # a single category has no second
        self.best, self.second = np.partition(padded, -2, axis=1)[:, :-3:-1].T
        self.barred = not_to_suggest(seeds.words, counts.vocabulary)
        self.barred[[is_rule(word) for word in counts.vocabulary]] = True

    def result(self, texts: Iterable[str] | None) -> SeedSuggestions:
        names = self.seeds.names
        suggested = [list(self._suggested(k)) for k in range(len(names))]
        filled = [list(self._filled_up(k)) for k in range(len(names))]
        lines: Mapping[str, Sequence[str]] = {}
        if texts is not None:
            rows = {
                word: self._typical(k, word)
                for k in range(len(names))
                for word in [*(word.word for word in suggested[k]), *(word.word for word in filled[k])]
            }
            lines = _lines(texts, rows)
        return SeedSuggestions(
            seeds=self.seeds,
            documents=self.n_documents,
            unseeded=int(self.unseeded.sum()),
            categories=tuple(
                CategorySuggestions(
                    name,
                    tuple(replace(word, examples=tuple(lines.get(word.word, ()))) for word in suggested[k]),
                    tuple(self._harmful(k)),
                    tuple(replace(word, examples=tuple(lines.get(word.word, ()))) for word in filled[k]),
                    starving(name, self.seeded[:, k], self.shares[:, k], len(names)),
                )
                for k, name in enumerate(names)
            ),
        )

    def _suggested(self, k: int) -> Iterator[Suggestion]:
        """Yield words, each chosen by the documents that it adds to the seeds and the earlier words."""
        # What a word means counts as much as a few documents: in few it decides, in many it hardly matters.
        by_meaning = np.zeros(len(self.vocabulary))
        if self.meanings is not None:
            by_meaning = BY_MEANING * self.meanings.worth(k)
        # No seeds, and no words that only the model sees in the category.
        allowed = ~self.barred & ((self.frequency < FEW) | ~self._strangers(k))
        starts = self.bound.exclusion.indptr
        allowed[self.bound.exclusion.indices[starts[k] : starts[k + 1]]] = False
        safe = self._safe(k, by_meaning, allowed)
        # Right minus wrong: a document is expected to be right with the probability of the category. All that
        # contain a word must be right rather than wrong; the model knows about those with a seed already.
        value = 2.0 * self.shares[:, k] - 1.0
        new = np.where(self.unseeded, value, 0.0)
        coverage = Coverage(self.presence, self.by_word, new, by_meaning)
        chosen = [(column, float(coverage.gain[column])) for column in safe]
        allowed &= np.asarray(self.by_word.T @ value) + by_meaning > 0
        for column in safe:
            coverage.take(column)
            allowed[column] = False
        chosen += coverage.chosen(allowed, self.top - len(safe), LEAST_GAIN)
        for column, gain in chosen:
            documents = self.documents([column])
            share = float(self.shares[documents, k].mean())
            near = self.meanings is not None and by_meaning[column] > 0
            yield Suggestion(
                word=self.vocabulary[column],
                documents=len(documents),
                unseeded=int(self.unseeded[documents].sum()),
                share=share,
                gain=gain,
                source="meaning" if by_meaning[column] > gain - by_meaning[column] else "documents",
                near=self.meanings.nearest(k, column) if self.meanings is not None and near else (),
                views=tuple(self._views(k, column, share)),
                safe=column in safe,
            )

    def _safe(self, k: int, by_meaning: Array, allowed: Mask) -> list[int]:
        """Return words that can be added unread, by how far the category leads in their documents."""
        share = self._share(k)
        often = (self.frequency >= MANY) & (share >= SAFE_IN_MANY) & (self._with_seeds(k) > 0)
        least = max(LEAST_SAFE, SAFE_DOCUMENTS * self.n_documents)
        safe = allowed & (self.frequency >= least) & ((share >= SAFE_SHARE) | often)
        candidates = np.flatnonzero(safe)
        if not len(candidates):
            return []
        leads = (self.by_word[:, candidates].T @ self.shares).argmax(axis=1) == k
        safe[candidates[~leads]] = False
        mine = self.shares[:, k]
        lead = np.where(mine == self.best, self.best - self.second, mine - self.best)
        coverage = Coverage(self.presence, self.by_word, lead, by_meaning)
        return [column for column, _ in coverage.chosen(safe, self.top, LEAST_GAIN)]

    def _filled_up(self, k: int) -> Iterator[FilledUp]:
        """Yield words in most documents of which the model sees a category that nothing else sees in them."""
        share = self._share(k)
        filling = self._strangers(k) & (share > HALF) & (self.frequency >= FEW) & ~self.barred
        documents = np.where(filling, share * self.frequency, 0.0)
        for column in np.argsort(-documents, kind="stable")[:FILLED_UP].tolist():
            if filling[column]:
                elsewhere = self._elsewhere(k, column)
                yield FilledUp(
                    word=self.vocabulary[column],
                    documents=int(self.frequency[column]),
                    share=float(self.shares[self.documents([column]), k].mean()),
                    elsewhere=None if elsewhere is None else self.seeds.names[elsewhere],
                )

    def _harmful(self, k: int) -> Iterator[HarmfulSeed]:
        """Yield the seeds whose documents the model assigns to another category all the same."""
        for word in self.seeds.categories[self.seeds.names[k]]:
            documents = self.documents(self.columns(word))
            if len(documents) < FEW:
                continue
            share = self.shares[documents].mean(axis=0)
            rival = int(share.argmax())
            if rival != k and share[rival] >= CLEARLY * share[k]:
                name = self.seeds.names[rival]
                yield HarmfulSeed(word, len(documents), float(share[k]), name, float(share[rival]))

    def _share(self, k: int) -> Array:
        """Return the share of the documents of each word that the model assigns to a category."""
        return np.asarray(self.by_word.T @ self.shares[:, k]) / np.maximum(self.frequency, 1)

    def _strangers(self, k: int) -> Mask:
        """Return which words neither occur with the seeds of a category nor mean anything like it."""
        by_meaning = 0.0 if self.meanings is None else self.meanings.of(k)
        return np.asarray((self._with_seeds(k) <= 0) & (by_meaning < UNLIKE))

    def _with_seeds(self, k: int | slice, columns: Sequence[int] | None = None) -> Array:
        """Return in how many documents of each word seeds of categories are, beyond those by chance."""
        words = self.by_word if columns is None else self.by_word[:, columns]
        seeded = self.seeded[:, k]
        by_chance = np.multiply.outer(np.diff(words.indptr), seeded.mean(axis=0))
        return np.asarray(np.asarray(words.T @ seeded) - by_chance)

    def _views(self, k: int, column: int, share: float) -> Iterator[View]:
        """Yield the views that put a word into a category, where the model puts a share of its documents."""
        if share > HALF:
            yield "model"
        if self._with_seeds(k, [column])[0] > 0:
            yield "seeds"
        if self.meanings is not None and self.meanings.of(k)[column] >= NEAR_WORD:
            yield "meaning"

    def _elsewhere(self, k: int, column: int) -> int | None:
        """Return the other category that a word belongs to, by its meaning or else by the seeds around it."""
        others = [other for other in range(len(self.seeds.names)) if other != k]
        if self.meanings is not None:
            near = {other: self.meanings.of(other)[column] for other in others}
            best = max(near, key=lambda other: near[other])
            if near[best] >= NEAR_WORD:
                return best
        beyond = self._with_seeds(slice(None), [column])[0]
        best = max(others, key=lambda other: float(beyond[other]))
        return best if beyond[best] > 1 else None

    def _typical(self, k: int, word: str) -> list[int]:
        """Return some documents that contain a word: first those without a seed, then the most probable."""
        documents = self.documents(self.columns(word))
        order = np.lexsort((-self.shares[documents, k], ~self.unseeded[documents]))
        # Twice as many as are shown, because some are the same.
        return [int(row) for row in documents[order][: 2 * EXAMPLES]]


def _lines(texts: Iterable[str], rows: Mapping[str, Sequence[int]]) -> dict[str, list[str]]:
    """Return some different lines around each word, from the rows of texts that contain it."""
    shown = {row for some in rows.values() for row in some}
    text_of = {row: text for row, text in enumerate(texts) if row in shown}
    return {
        word: list(dict.fromkeys(line_around(text_of[row], word) for row in some))[:EXAMPLES]
        for word, some in rows.items()
    }


def as_suggestion(word: NearWord, documents: int = 0) -> Suggestion:
    """Return a word that is near in meaning as a suggestion."""
    return Suggestion(
        word.word,
        documents,
        0,
        word.probability,
        word.score,
        source="meaning",
        near=word.near,
        views=("meaning",),
        safe=not documents,
    )


def suggest_by_meaning(seeds: Seeds, table: WordVectors | None, top: int) -> SeedSuggestions:
    """Return frequent words of the table; without a table, there is nothing to suggest."""
    near = {} if table is None else near_in_english(whole_categories(seeds), table, top)
    categories = (
        CategorySuggestions(name, tuple(map(as_suggestion, near.get(name, ()))), ()) for name in seeds.names
    )
    return SeedSuggestions(seeds, 0, 0, tuple(categories))


def line_around(text: str, word: str) -> str:
    """Return the text around the first occurrence of a word in one line, shortened at spaces."""
    line = " ".join(text.split())
    folded = normalize(line)
    line = line if len(line) == len(folded) else folded  # otherwise the positions differ
    alone = re.search(rf"(?<![^\W_]){re.escape(word)}(?![^\W_])", folded)
    start = alone.start() if alone else max(folded.find(word), 0)
    first, last = max(start - AROUND, 0), start + len(word) + AROUND
    before, after = line[first:start], line[start + len(word) : last]
    if first > 0:
        before = "... " + (before.partition(" ")[2] or before)  # some scripts have no spaces
    if last < len(line):
        after = (after.rpartition(" ")[0] or after) + " ..."
    return before + line[start : start + len(word)] + after
