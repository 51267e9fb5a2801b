"""Seeds checked before a model is fitted: where they occur in documents, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.base.errors import InputError
from seedtopic.base.memory import MaxMemory, require_memory
from seedtopic.base.threads import resolve_threads
from seedtopic.io.frames import column_values, is_column, is_frame, the_text_column, without_missing
from seedtopic.knowledge.tables import WordVectors
from seedtopic.learning.classify.trust import seed_weights
from seedtopic.learning.signals.seeds import not_excluded
from seedtopic.learning.signals.words import sublinear, unit_rows, word_rarity
from seedtopic.quality.findings import (
    CategoryCheck,
    Overlap,
    Problem,
    WordCheck,
    misplaced,
    misspelt,
    problems,
    same_words,
    silent_rule,
)
from seedtopic.quality.meaning import MOST_WORDS, MeaningCheck, check_meaning, shown_words, table_for, unsaid
from seedtopic.quality.notebook import check_as_notebook
from seedtopic.quality.repair import repaired_seeds
from seedtopic.seeds import BoundSeeds, Seeds
from seedtopic.seeds.bound import named_sentence
from seedtopic.seeds.category import is_wildcard
from seedtopic.seeds.tree import Name
from seedtopic.text.counts import Counts, MinDf, checked_counts, count_words
from seedtopic.text.rules import counted_with_rules, is_rule
from seedtopic.text.spelling import meant, near_spellings, slips
from seedtopic.text.tokens import StopWords, Tokenizer, is_whole_word, stop_word_set, tokenize


def counted(
    seeds: Seeds,
    texts: Iterable[Any],
    *,
    tokenizer: Tokenizer | None = None,
    stop_words: StopWords = "english",
    min_df: MinDf = "auto",
    n_threads: int | None = None,
    max_memory: MaxMemory = None,
) -> Counts:
    """Count texts as a fit with these seeds would."""
    return counted_with_rules(
        seeds.all_rules,
        texts,
        lambda plain: count_words(
            tokenize(plain, tokenizer, seeds.counted),
            min_df=min_df,
            stop_words=stop_word_set(stop_words),
            keep=seeds.counted,
            n_workers=resolve_threads(n_threads),
            max_memory=max_memory,
        ),
    )


@dataclass(frozen=True)
class SeedCheck:
    """What `Seeds.check` finds."""

    seeds: Seeds
    documents: int  # the number of documents, and of documents that contain a seed
    reached: int  # the number of documents, and of documents that contain a seed
    categories: tuple[CategoryCheck, ...]  # empty if no documents were given
    overlaps: tuple[Overlap, ...]
    findings: tuple[Problem, ...]
    notes: tuple[str, ...] = ()  # what is worth knowing and is not a problem, one sentence each

    @property
    def problems(self) -> tuple[str, ...]:
        """The problems: of each what is wrong, what to do and what that changes."""
        return tuple(f"{finding.sentence} {finding.advice}" for finding in self.findings)

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "documents": self.documents,
            "reached": self.reached,
            "categories": [asdict(category) for category in self.categories],
            "overlaps": [asdict(overlap) for overlap in self.overlaps],
            "problems": list(self.problems),
            "notes": list(self.notes),
        }

    def _repr_html_(self) -> str:
        return check_as_notebook(self)

    def repaired(self) -> tuple[Seeds, list[str]]:
        """Change what the findings say that `--fix` changes, and nothing else."""
        return repaired_seeds(self.seeds, (finding.repair for finding in self.findings if finding.repair))


DOUBTFUL = 0.25  # a seed that the other seeds of its category confirm less is looked at
FEW = 5  # documents: nothing is concluded from fewer
CLEARLY = 1.5  # times as many documents with seeds of another category as with those of its own
MOST_SEARCHED = 1_000  # words that do not occur: similar spellings are looked for only so often
MOST_PAIRS = 10_000_000  # of categories with seeds in the same document


def check_seeds(
    seeds: Seeds,
    corpus: Any = None,
    vocabulary: Sequence[str] | None = None,
    *,
    tokenizer: Tokenizer | None = None,
    stop_words: StopWords = "english",
    min_df: MinDf = "auto",
    n_threads: int | None = None,
    max_memory: MaxMemory = None,
) -> SeedCheck:
    """Check seeds alone, or against documents: texts, or counts with their vocabulary; see `Seeds.check`."""
    table = table_for(stop_words)
    if corpus is None and vocabulary is None:
        meaning = MeaningCheck() if table is None else check_meaning(seeds, table)
        findings = (*same_words(seeds), *meaning.findings)
        return SeedCheck(seeds, 0, 0, (), (), findings, _notes(seeds, meaning))
    if vocabulary is not None:
        return _Check(seeds, checked_counts(corpus, vocabulary), table=table).result()
    if is_frame(corpus):
        corpus = the_text_column(corpus)
    if is_column(corpus):
        corpus = without_missing(column_values(corpus))
    if isinstance(corpus, str | bytes | Mapping) or not isinstance(corpus, Iterable) or sp.issparse(corpus):
        raise InputError(
            "the documents to check seeds with must be a list of texts, or a matrix of counts with "
            f"vocabulary=[...]; got {type(corpus).__name__}."
        )
    counts = counted(
        seeds,
        corpus,
        tokenizer=tokenizer,
        stop_words=stop_words,
        min_df=min_df,
        n_threads=n_threads,
        max_memory=max_memory,
    )
    return _Check(seeds, counts, table).result()


def _notes(seeds: Seeds, meaning: MeaningCheck, lost: Sequence[str] = ()) -> tuple[str, ...]:
    named = named_sentence(seeds.named)
    kept = f"these seeds do not occur and do no harm: {shown_words(lost)}." if lost else ""
    return (*filter(None, (named, kept)), *meaning.notes)


def check_counted(seeds: Seeds, counts: Counts, table: WordVectors | None = None) -> SeedCheck:
    """Check seeds against documents that have been counted."""
    return _Check(seeds, counts, table).result()


class _Check:
    """The parts of a `SeedCheck`, computed once from the counts."""

    def __init__(self, seeds: Seeds, counts: Counts, table: WordVectors | None = None) -> None:
        self.seeds, self.counts, self.table = seeds, counts, table
        self.n_documents = counts.matrix.shape[0]
        self.bound: BoundSeeds = seeds.bind(counts.vocabulary)
        self.column_of = {word: column for column, word in enumerate(counts.vocabulary)}
        self.names, self.owners = seeds.names, seeds.owners()
        self.presence = sp.csc_array(counts.matrix.astype(bool).astype(np.float64))
        self.document_frequency = np.diff(self.presence.indptr)
        require_memory(self.n_documents, len(seeds.names), arrays=3)
        # How many different seeds of each category a document has; none counts if it has an excluded word.
        self.n_seeds = np.asarray((self.presence @ (self.bound.membership > 0).T).todense())
        allowed = not_excluded(counts.matrix, self.bound.exclusion)
        self.reaches = (self.n_seeds > 0) & (True if allowed is None else allowed)
        self.reached_alone = self.reaches.sum(axis=1) == 1
        self.near: dict[str, list[str]] = {}

    def result(self) -> SeedCheck:
        categories = tuple(self._category(k, name) for k, name in enumerate(self.names))
        overlaps = tuple(self._overlaps())
        lost = self._lost()
        misspelt_words = [word for word in lost if self._near(word)]
        silent = [rule.word for rule in self.seeds.all_rules if not self._columns(rule.word)]
        meaning = MeaningCheck() if self.table is None else check_meaning(self.seeds, self.table, lost)
        findings = [
            *map(self._misspelt, misspelt_words),
            *(silent_rule(rule, self.owners[rule]) for rule in silent),
            *self._misplaced(meaning, categories),
            *problems(self.seeds, self.n_documents, categories, overlaps, self._n_excluded()),
        ]
        return SeedCheck(
            seeds=self.seeds,
            documents=self.n_documents,
            reached=int(self.reaches.any(axis=1).sum()),
            categories=categories,
            overlaps=overlaps,
            findings=(*findings, *unsaid(meaning, categories, findings)),
            notes=_notes(
                self.seeds, meaning, [word for word in lost if not (is_rule(word) or self._near(word))]
            ),
        )

    def _misspelt(self, word: str) -> Problem:
        owners = [name for name, entry in self.seeds.entries.items() if word in entry.words]
        owners = owners or [name for name, entry in self.seeds.entries.items() if word in entry.exclude]
        instead = self._meant(word)
        # A word of another category, or one that this category excludes, would say something else, and a word
        # that begins otherwise or is two letters off may well be another word.
        elsewhere = any(
            instead in entry.exclude or (instead in entry.words and name not in owners)
            for name, entry in self.seeds.entries.items()
        )
        if instead is not None and (instead[0] != word[0] or slips(instead, word, 1) > 1):
            instead = None
        n = 0 if instead is None else len(self._documents(self._columns(instead)))
        return misspelt(word, owners, self._near(word), None if elsewhere else instead, n)

    def _misplaced(self, meaning: MeaningCheck, categories: Sequence[CategoryCheck]) -> Iterator[Problem]:
        """Find words that belong to another category both by their meaning and by their documents."""
        nearer = {(finding.categories[0], finding.word): finding.rival for finding in meaning.findings}
        for category in categories:
            left = sum(word.documents > 0 for word in category.words)
            for word in category.words:
                rival = nearer.get((category.name, word.word))
                if rival is not None and word.pulls_to == rival:
                    left -= 1
                    inherited = word.word not in self.seeds.entries[category.name].words
                    yield misplaced(category.name, word, rival, last=left < 1 or inherited)

    def _n_excluded(self) -> list[int]:
        """Count the documents that contain seeds of each category and a word that it excludes."""
        return [int(n) for n in ((self.n_seeds > 0) & ~self.reaches).sum(axis=0)]

    def _lost(self) -> list[str]:
        against = (word for words in self.seeds.exclude.values() for word in words)
        return [word for word in dict.fromkeys([*self.seeds.words, *against]) if not self._columns(word)]

    @cached_property
    def frequency(self) -> dict[str, int]:
        words = zip(self.counts.vocabulary, self.document_frequency.tolist(), strict=True)
        return {word: frequency for word, frequency in words if frequency and _is_spelled(word)}

    @cached_property
    def usual(self) -> frozenset[str]:
        """The usual words of the language: one that does not occur is not misspelt."""
        return frozenset(() if self.table is None else self.table.words[:MOST_WORDS])

    @cached_property
    def borne_out(self) -> sp.csr_array:
        """How well the other seeds confirm each seed, in the shape of the membership."""
        matrix, membership = self.counts.matrix, self.bound.membership
        vectors = unit_rows(sublinear(matrix, word_rarity(matrix)))
        weights = seed_weights(matrix, vectors, membership)
        return sp.csr_array((weights, membership.indices, membership.indptr), shape=membership.shape)

    @cached_property
    def with_seed(self) -> NDArray[np.intp]:
        """The number of documents with a seed of each category, even where it excludes another word."""
        return np.asarray((self.n_seeds > 0).sum(axis=0))

    def _columns(self, word: str) -> list[int]:
        matches = self.bound.expansions.get(word, [word])
        columns = (self.column_of[match] for match in matches if match in self.column_of)
        return [column for column in columns if self.document_frequency[column]]

    def _documents(self, columns: Sequence[int]) -> NDArray[np.intp]:
        return np.unique(self.presence[:, columns].indices) if columns else np.empty(0, np.intp)

    def _share(self, documents: float) -> float:
        return documents / max(self.n_documents, 1)

    def _category(self, k: int, name: Name) -> CategoryCheck:
        mine = self.reaches[:, k]
        documents = int(mine.sum())
        return CategoryCheck(
            name=name,
            documents=documents,
            share=self._share(documents),
            alone=int((mine & self.reached_alone).sum()),
            words=tuple(self._word(k, name, word) for word in self._words(name)),
            exclude=tuple(self._plain(word) for word in self.seeds.exclude[name]),
        )

    def _words(self, name: Name) -> list[str]:
        rules = (rule.word for rule in self.seeds.rules[name])
        return list(dict.fromkeys([*self.seeds.categories[name], *rules]))

    def _plain(self, word: str) -> WordCheck:
        columns = self._columns(word)
        documents = len(self._documents(columns))
        return WordCheck(
            word=word,
            documents=documents,
            share=self._share(documents),
            stands_for=tuple(self.bound.expansions.get(word, ())),
            near=() if columns else tuple(self._near(word)),
        )

    def _word(self, k: int, name: Name, word: str) -> WordCheck:
        columns = [c for c in self._columns(word) if self.bound.membership[k, c]]
        others = (other for other in self.owners[word] if other != name)
        borne_out = max((float(self.borne_out[k, c]) for c in columns), default=1.0)
        return replace(
            self._plain(word),
            weight=self.seeds.weights[name].get(word, 1.0),
            borne_out=borne_out,
            also_in=tuple(others),
            only=self._only(k, columns),
            pulls_to=self._pulled(k, columns) if borne_out < DOUBTFUL else None,
        )

    def _only(self, k: int, columns: Sequence[int]) -> int:
        """Count the documents in which a word is the only seed of its category."""
        own = np.asarray(self.presence[:, columns].sum(axis=1)).ravel()
        return int(((own > 0) & (self.n_seeds[:, k] <= own) & self.reaches[:, k]).sum())

    def _pulled(self, k: int, columns: Sequence[int]) -> Name | None:
        """Return the category whose seeds occur with a word, if the other seeds of its own occur less."""
        documents = self._documents(columns)
        if len(documents) < FEW:
            return None
        of_word = sp.csc_array(self.bound.membership)[:, columns] > 0
        owners = np.unique(of_word.indices)
        own_say = (self.presence[:, columns] @ of_word[owners].T.astype(float)).toarray()
        besides = (self.n_seeds[:, owners] - own_say) > 0
        here, everywhere = (self.n_seeds[documents] > 0).sum(axis=0), self.with_seed.copy()
        here[owners], everywhere[owners] = besides[documents].sum(axis=0), besides.sum(axis=0)
        # Only what exceeds chance counts, or the category with the most common words would win everywhere.
        excess = here - len(documents) * (everywhere / self.n_documents)
        rival = int(np.where(np.arange(len(excess)) == k, -np.inf, excess).argmax())
        return self.names[rival] if excess[rival] > CLEARLY * max(excess[k], 1.0) else None

    def _near(self, word: str) -> list[str]:
        if is_wildcard(word) or is_rule(word) or not _is_spelled(word) or word in self.usual:
            return []
        if word not in self.near:
            # If so many words do not occur, spelling is not the reason.
            searched = len(self.near) < MOST_SEARCHED
            self.near[word] = near_spellings(word, self.frequency) if searched else []
        return self.near[word]

    def _meant(self, word: str) -> str | None:
        return meant(word, self.frequency) if self._near(word) else None

    def _overlaps(self) -> list[Overlap]:
        reached = self.reaches.sum(axis=1, dtype=np.float64)
        n_categories = len(self.names)
        if min(n_categories**2, (reached**2).sum()) > MOST_PAIRS:
            raise InputError(
                f"a document contains seeds of {int(reached.max()):,} of the {n_categories:,} categories, "
                "which makes too many pairs to compare: check fewer categories at a time."
            )
        reaches, size = sp.csr_array(self.reaches.astype(np.float64)), self.reaches.sum(axis=0)
        together = sp.csr_array(sp.triu(reaches.T @ reaches, k=1))
        pairs = zip(*together.nonzero(), together.data, strict=True)
        names = self.names
        found = [Overlap(names[a], names[b], int(n), float(n / min(size[a], size[b]))) for a, b, n in pairs]
        return sorted(found, key=lambda overlap: -overlap.share)


def _is_spelled(word: str) -> bool:
    """Return whether letters can be wrong in a word: not in a phrase, nor in two characters side by side."""
    return " " not in word and not is_rule(word) and is_whole_word(word)
