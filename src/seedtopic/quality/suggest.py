"""Words to add to seeds, found without labels; words to ask about, and seeds that look harmful."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.base.checks import check_number
from seedtopic.base.errors import InputError
from seedtopic.base.memory import MaxMemory
from seedtopic.base.progress import Progress, silent
from seedtopic.io.frames import given_texts, is_matrix, refuse_text_table, reported, without_frame
from seedtopic.knowledge.tables import WordVectors
from seedtopic.learning.signals.seeds import not_excluded
from seedtopic.learning.signals.words import shares as shares_of
from seedtopic.model.classifier import SeedTopicClassifier
from seedtopic.quality.check import counted
from seedtopic.quality.findings import starving
from seedtopic.quality.meaning import Meanings, comparable, not_to_suggest, table_for, whole_categories
from seedtopic.quality.suggestions import (
    HALF,
    CategorySuggestions,
    Coverage,
    FilledUp,
    HarmfulSeed,
    SeedSuggestions,
    Suggestion,
    Views,
    line_around,
    suggest_by_meaning,
)
from seedtopic.seeds import Seeds
from seedtopic.seeds.tree import Name
from seedtopic.text.counts import Counts, MinDf, checked_counts
from seedtopic.text.rules import is_rule
from seedtopic.text.tokens import StopWords, Tokenizer

Array = NDArray[np.float64]

FEW = 5  # documents: no seed is called harmful because of fewer
CLEARLY = 1.5  # times as many documents assigned to another category as to the seed's own
BY_MEANING = 3  # documents: so many count as much as a meaning that is certain
EXAMPLES = 3
# A word is added unread if so many documents contain it, and if the model assigns so much of them to the
# category: less where many contain it and the seeds agree. All were chosen with the train labels of five
# corpora.
SAFE_DOCUMENTS, LEAST_SAFE = 0.005, 3
SAFE_SHARE, SAFE_IN_MANY, MANY = 0.7, 0.3, 50
FILLED_UP = 3  # words that are asked about in each category


def suggest_seeds(
    seeds: Seeds,
    corpus: Any = None,
    vocabulary: Sequence[str] | None = None,
    *,
    top: int = 5,
    label_distributions: NDArray[np.floating[Any]] | None = None,
    tokenizer: Tokenizer | None = None,
    stop_words: StopWords = "english",
    min_df: MinDf = "auto",
    n_threads: int | None = None,
    random_state: int = 0,
    max_memory: MaxMemory = None,
    progress: Progress = silent,
) -> SeedSuggestions:
    """Suggest words for each category; see `Seeds.suggest`."""
    check_number("top", top, least=1, whole=True)
    table = table_for(stop_words)
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
        counts = counted(
            seeds,
            reported(texts, progress),
            tokenizer=tokenizer,
            stop_words=stop_words,
            min_df=min_df,
            n_threads=n_threads,
            max_memory=max_memory,
        )
    if counts.matrix.nnz == 0:
        raise InputError("no document contains a usable word: give documents with words in them.")
    if label_distributions is None:
        model = SeedTopicClassifier(
            seeds, vocabulary=counts.vocabulary, n_threads=n_threads, random_state=random_state
        )
        label_distributions = model.fit(counts.matrix, progress=progress).label_distributions_
    expected = counts.matrix.shape[0], len(seeds.names)
    if np.shape(label_distributions) != expected:
        raise InputError(
            f"label_distributions has the shape {np.shape(label_distributions)}: give a row for each of the "
            f"{expected[0]} documents and a column for each of the {expected[1]} categories."
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
    """Suggest words for documents that have been counted and labelled, with examples from the texts."""
    return _Search(seeds, counts, np.asarray(label_distributions, dtype=np.float64), top, table).result(texts)


class _Pick(NamedTuple):
    """A word that was chosen: its column, its gain, the part of its meaning in that, and if it is safe."""

    column: int
    gain: float
    by_meaning: float
    safe: bool


class _Search:
    """The parts of `SeedSuggestions`, computed once from counts and label distributions."""

    def __init__(
        self,
        seeds: Seeds,
        counts: Counts,
        shares: Array,
        top: int,
        table: WordVectors | None = None,
    ) -> None:
        self.meanings: Meanings | None = None
        if table is not None and comparable(len(seeds.names), len(counts.vocabulary)):
            meanings = Meanings(whole_categories(seeds), counts.vocabulary, table)
            self.meanings = meanings if meanings.known.any() else None
        self.seeds, self.vocabulary, self.shares, self.top = seeds, counts.vocabulary, shares, top
        self.presence = sp.csr_array(counts.matrix.astype(bool).astype(np.float64))
        self.by_word = sp.csc_array(self.presence)
        self.frequency = np.diff(self.by_word.indptr)
        self.column_of = {word: column for column, word in enumerate(counts.vocabulary)}
        self.bound = seeds.bind(counts.vocabulary)
        n_seeds = np.asarray((self.presence @ (self.bound.membership > 0).astype(float).T).todense())
        allowed = not_excluded(counts.matrix, self.bound.exclusion)
        reaches = n_seeds > 0 if allowed is None else (n_seeds > 0) & allowed
        self.unseeded: NDArray[np.bool_] = np.logical_not(reaches.any(axis=1))
        self.views = Views(self.by_word, shares_of(reaches.astype(np.float64)), self.meanings)
        padded = np.pad(shares, ((0, 0), (1, 0)))  # a single category has no second
        self.two_best = tuple(np.partition(padded, -2, axis=1)[:, :-3:-1].T)
        self.barred = not_to_suggest(seeds.words, counts.vocabulary)
        self.barred[[is_rule(word) for word in counts.vocabulary]] = True

    def result(self, texts: Iterable[str] | None) -> SeedSuggestions:
        names = self.seeds.names
        every = range(len(names))
        picked = [self._picks(k) for k in every]
        filled = [self._filling(k) for k in every]
        rows = {
            column: self._typical(k, column)
            for k in every
            for column in [*(pick.column for pick in picked[k]), *filled[k]]
        }
        lines = {} if texts is None else self._lines(texts, rows)
        return SeedSuggestions(
            seeds=self.seeds,
            documents=self.presence.shape[0],
            unseeded=int(self.unseeded.sum()),
            categories=tuple(
                CategorySuggestions(
                    name,
                    tuple(self._suggestion(k, pick, lines.get(pick.column, ())) for pick in picked[k]),
                    tuple(self._harmful(k, name)),
                    tuple(self._filled_up(k, column, lines.get(column, ())) for column in filled[k]),
                    starving(name, self.views.seeded[:, k], self.shares[:, k], len(names)),
                )
                for k, name in enumerate(names)
            ),
        )

    def _documents(self, columns: Sequence[int]) -> NDArray[np.intp]:
        starts, stops = self.by_word.indptr[columns], self.by_word.indptr[np.asarray(columns) + 1]
        spans = [self.by_word.indices[a:b] for a, b in zip(starts, stops, strict=True)]
        return np.unique(np.concatenate(spans)).astype(np.intp)

    def _share(self, k: int) -> Array:
        """Return the share of the documents of each word that the model assigns to a category."""
        return np.asarray(self.by_word.T @ self.shares[:, k]) / np.maximum(self.frequency, 1)

    def _picks(self, k: int) -> list[_Pick]:
        """Choose words one by one, each by the documents that it adds to the seeds and the earlier words.

        A document is expected to be right with the probability of the category. A word is considered only if
        more than half of all its documents are expected to be right. Documents with a seed do not count: the
        model knows about them already. What a word means counts as much as a few documents: in few documents
        it decides, in many it hardly matters. Safe words come first.
        """
        by_meaning, allowed = self._by_meaning(k), self._allowed(k)
        value = 2.0 * self.shares[:, k] - 1.0  # right minus wrong
        cover = Coverage(self.presence, self.by_word, value, self.unseeded, by_meaning)
        picks = [
            _Pick(column, float(cover.gain[column]), float(by_meaning[column]), safe=True)
            for column in self._safe(k, by_meaning, allowed)
        ]
        allowed &= np.asarray(self.by_word.T @ value) + by_meaning > 0
        for pick in picks:
            cover.take(pick.column)
            allowed[pick.column] = False
        while len(picks) < self.top and (best := cover.best(allowed)) is not None:
            picks.append(_Pick(best, float(cover.gain[best]), float(by_meaning[best]), safe=False))
            cover.take(best)
            allowed[best] = False
        return picks

    def _safe(self, k: int, by_meaning: Array, allowed: NDArray[np.bool_]) -> list[int]:
        """Choose safe words one by one, by how far the category leads in the documents that they add."""
        share = self._share(k)
        if share.max(initial=0.0) < SAFE_IN_MANY:
            return []
        often = (self.frequency >= MANY) & (share >= SAFE_IN_MANY) & (self.views.with_seeds(k) > 0)
        least = max(LEAST_SAFE, SAFE_DOCUMENTS * self.presence.shape[0])
        safe = allowed & (self.frequency >= least) & ((share >= SAFE_SHARE) | often)
        candidates = np.flatnonzero(safe)
        if not len(candidates):
            return []
        leads = (self.by_word[:, candidates].T @ self.shares).argmax(axis=1) == k
        safe[candidates[~leads]] = False
        best, second = self.two_best
        lead = np.where(self.shares[:, k] == best, best - second, self.shares[:, k] - best)
        cover = Coverage(self.presence, self.by_word, lead, np.ones(len(lead), dtype=bool), by_meaning)
        chosen: list[int] = []
        while len(chosen) < self.top and (column := cover.best(safe)) is not None:
            chosen.append(column)
            cover.take(column)
            safe[column] = False
        return chosen

    def _allowed(self, k: int) -> NDArray[np.bool_]:
        """Tell which words may be suggested: no seeds, and none that only the model sees in the category."""
        allowed = ~self.barred & ((self.frequency < FEW) | ~self.views.strangers(k))
        starts = self.bound.exclusion.indptr
        allowed[self.bound.exclusion.indices[starts[k] : starts[k + 1]]] = False
        return allowed

    def _filling(self, k: int) -> list[int]:
        """Find words in most documents of which the model sees a category that nothing else sees in them."""
        share = self._share(k)
        if share.max(initial=0.0) <= HALF:
            return []
        filling = self.views.strangers(k) & (share > HALF) & (self.frequency >= FEW) & ~self.barred
        documents = np.where(filling, share * self.frequency, 0.0)
        most = np.argsort(-documents, kind="stable")[:FILLED_UP]
        return [int(column) for column in most if filling[column]]

    def _filled_up(self, k: int, column: int, examples: Sequence[str]) -> FilledUp:
        elsewhere = self.views.elsewhere(column, but=k, categories=range(len(self.seeds.names)))
        return FilledUp(
            word=self.vocabulary[column],
            documents=int(self.frequency[column]),
            share=float(self.shares[self._documents([column]), k].mean()),
            elsewhere=None if elsewhere is None else self.seeds.names[elsewhere],
            examples=tuple(examples),
        )

    def _by_meaning(self, k: int) -> Array:
        """Return the documents that the meaning of each word is worth, for or against a category."""
        no_worth = np.zeros(len(self.vocabulary))
        return no_worth if self.meanings is None else BY_MEANING * self.meanings.worth(k)

    def _suggestion(self, k: int, pick: _Pick, examples: Sequence[str]) -> Suggestion:
        column, by_meaning = pick.column, pick.by_meaning
        documents = self._documents([column])
        share = float(self.shares[documents, k].mean())
        return Suggestion(
            word=self.vocabulary[column],
            documents=len(documents),
            unseeded=int(self.unseeded[documents].sum()),
            share=share,
            gain=pick.gain,
            examples=tuple(examples),
            source="meaning" if by_meaning > pick.gain - by_meaning else "documents",
            near=self.meanings.nearest(k, column) if self.meanings is not None and by_meaning > 0 else (),
            views=self.views.for_category(k, column, share),
            safe=pick.safe,
        )

    def _harmful(self, k: int, name: Name) -> Iterator[HarmfulSeed]:
        """Find the seeds whose documents the model assigns to another category all the same."""
        for word in self.seeds.categories[name]:
            matches = self.bound.expansions.get(word, [word])
            columns = [self.column_of[match] for match in matches if match in self.column_of]
            documents = self._documents(columns) if columns else np.empty(0, np.intp)
            if len(documents) < FEW:
                continue
            share = self.shares[documents].mean(axis=0)
            rival = int(share.argmax())
            if rival != k and share[rival] >= CLEARLY * share[k]:
                rival_name = self.seeds.names[rival]
                yield HarmfulSeed(word, len(documents), float(share[k]), rival_name, float(share[rival]))

    def _typical(self, k: int, column: int) -> list[int]:
        """Return some documents that contain a word: first those without a seed, then the most probable."""
        documents = self._documents([column])
        order = np.lexsort((-self.shares[documents, k], ~self.unseeded[documents]))
        # Twice as many, because some are the same.
        return [int(row) for row in documents[order][: 2 * EXAMPLES]]

    def _lines(self, texts: Iterable[str], rows: Mapping[int, list[int]]) -> dict[int, list[str]]:
        wanted = {row for some in rows.values() for row in some}
        text_of = {row: text for row, text in enumerate(texts) if row in wanted}
        found = {}
        for word, some in rows.items():
            different = dict.fromkeys(line_around(text_of[row], self.vocabulary[word]) for row in some)
            found[word] = list(different)[:EXAMPLES]
        return found
