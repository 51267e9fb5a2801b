"""Seeds checked before a model is fitted: where they occur in documents, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.base.display import shown
from seedtopic.base.errors import InputError
from seedtopic.base.memory import require_memory
from seedtopic.io.frames import column_values, is_column, is_frame, the_text_column, without_missing
from seedtopic.knowledge.tables import WordVectors
from seedtopic.learning.classify.trust import seed_weights
from seedtopic.learning.signals.seeds import not_excluded
from seedtopic.learning.signals.words import sublinear, unit_rows, word_rarity
from seedtopic.model.reading import Reading
from seedtopic.quality.findings import FEW, CategoryCheck, CheckedSeeds, Overlap, Problem, WordCheck, problems
from seedtopic.quality.meaning import MOST_WORDS, MeaningCheck, check_meaning, shown_words, table_for
from seedtopic.quality.repair import repaired_seeds
from seedtopic.seeds import Seeds
from seedtopic.seeds.bound import named_sentence
from seedtopic.seeds.category import is_wildcard
from seedtopic.seeds.tree import Name
from seedtopic.text.counts import Counts, checked_counts
from seedtopic.text.rules import is_rule
from seedtopic.text.spelling import near_spellings
from seedtopic.text.tokens import is_whole_word

DOUBTFUL = 0.25  # a seed that the other seeds of its category confirm less is looked at
CLEARLY = 1.5  # times as many documents with seeds of another category as with those of its own
MOST_SEARCHED = 1_000  # words that do not occur: similar spellings are looked for only so often
MOST_PAIRS = 10_000_000  # of categories with seeds in the same document


@dataclass(frozen=True)
class SeedCheck:
    """What `Seeds.check` finds."""

    seeds: Seeds
    documents: int
    reached: int  # the number of documents that contain a seed
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
            "categories": [asdict(category, dict_factory=_with_known_keys) for category in self.categories],
            "overlaps": [asdict(overlap) for overlap in self.overlaps],
            "problems": list(self.problems),
            "notes": list(self.notes),
        }

    def _repr_html_(self) -> str:
        return shown(self, "seeds.check_in_notebook")

    def repaired(self) -> tuple[Seeds, list[str]]:
        """Return the seeds with the changes of the findings that `--fix` makes, and a sentence for each."""
        return repaired_seeds(self.seeds, (finding.repair for finding in self.findings if finding.repair))


def check_seeds(
    seeds: Seeds, corpus: Any = None, vocabulary: Sequence[str] | None = None, **settings: Any
) -> SeedCheck:
    """Return what is wrong with seeds alone or in documents: texts, or counts; see `Seeds.check`."""
    reading = Reading(**settings)
    table = table_for(reading.stop_words)
    if corpus is None and vocabulary is None:
        meaning = MeaningCheck() if table is None else check_meaning(seeds, table)
        findings = problems(CheckedSeeds(seeds, meaning.findings))
        return SeedCheck(seeds, 0, 0, (), (), findings, _notes(seeds, meaning))
    if vocabulary is not None:
        return check_counted(seeds, checked_counts(corpus, vocabulary), table)
    if is_frame(corpus):
        corpus = the_text_column(corpus)
    if is_column(corpus):
        corpus = without_missing(column_values(corpus))
    if isinstance(corpus, str | bytes | Mapping) or not isinstance(corpus, Iterable) or sp.issparse(corpus):
        raise InputError(
            "the documents to check seeds with must be a list of texts, or a matrix of counts with "
            f"vocabulary=[...]; got {type(corpus).__name__}."
        )
    return check_counted(seeds, reading.counts(corpus, seeds.counted_words, seeds.all_rules), table)


def check_counted(seeds: Seeds, counts: Counts, table: WordVectors | None = None) -> SeedCheck:
    """Return what is wrong with seeds in documents that have been counted."""
    return _Check(seeds, counts, table).result()


def _notes(seeds: Seeds, meaning: MeaningCheck, harmless: Sequence[str] = ()) -> tuple[str, ...]:
    absent = f"these seeds do not occur and do no harm: {shown_words(harmless)}." if harmless else ""
    return (*filter(None, (named_sentence(seeds.named), absent)), *meaning.notes)


class SeededDocuments:
    """Seeds in documents that have been counted: where each of them occurs."""

    def __init__(self, seeds: Seeds, counts: Counts) -> None:
        self.seeds, self.counts = seeds, counts
        self.n_documents = counts.matrix.shape[0]
        self.bound = seeds.bind(counts.vocabulary)
        self.presence = sp.csr_array(counts.matrix.astype(bool).astype(np.float64))
        self.by_word = sp.csc_array(self.presence)
        self.frequency = np.diff(self.by_word.indptr)
        self._column_of = {word: column for column, word in enumerate(counts.vocabulary)}
        require_memory(self.n_documents, len(seeds.names), arrays=3)
        # How many different seeds of each category a document has; none counts if it has an excluded word.
        self.n_seeds = np.asarray((self.presence @ (self.bound.membership > 0).T).todense())
        allowed = not_excluded(counts.matrix, self.bound.exclusion)
        self.reaches = (self.n_seeds > 0) & (True if allowed is None else allowed)

    def columns(self, word: str) -> list[int]:
        """Return the columns of a seed that have a document: several for a wildcard."""
        matches = self.bound.expansions.get(word, [word])
        columns = (self._column_of[match] for match in matches if match in self._column_of)
        return [column for column in columns if self.frequency[column]]

    def documents(self, columns: Sequence[int]) -> NDArray[np.intp]:
        """Return the documents that contain a word of these columns."""
        starts = self.by_word.indptr
        spans = [self.by_word.indices[starts[column] : starts[column + 1]] for column in columns]
        return np.unique(np.concatenate(spans)).astype(np.intp) if spans else np.empty(0, np.intp)


class _Check(SeededDocuments):
    """The parts of a `SeedCheck`."""

    def __init__(self, seeds: Seeds, counts: Counts, table: WordVectors | None) -> None:
        super().__init__(seeds, counts)
        self.table = table
        self.owners = seeds.owners()
        self.reached_alone = self.reaches.sum(axis=1) == 1
        self.near: dict[str, list[str]] = {}

    def result(self) -> SeedCheck:
        seeds = self.seeds
        categories = tuple(self._category(k, name) for k, name in enumerate(seeds.names))
        overlaps = tuple(self._overlaps())
        excluded = (word for words in seeds.exclude.values() for word in words)
        absent = [word for word in dict.fromkeys([*seeds.words, *excluded]) if not self.columns(word)]
        near = {word: near for word in absent if (near := self._near(word))}
        meaning = MeaningCheck() if self.table is None else check_meaning(seeds, self.table, absent)
        checked = CheckedSeeds(
            seeds,
            meaning.findings,
            self.n_documents,
            categories,
            overlaps,
            n_excluded=((self.n_seeds > 0) & ~self.reaches).sum(axis=0).tolist(),
            frequency=self._spelled if near else {},
            near=near,
            silent=[rule.word for rule in seeds.all_rules if not self.columns(rule.word)],
        )
        harmless = [word for word in absent if not (is_rule(word) or word in near)]
        return SeedCheck(
            seeds=seeds,
            documents=self.n_documents,
            reached=int(self.reaches.any(axis=1).sum()),
            categories=categories,
            overlaps=overlaps,
            findings=problems(checked),
            notes=_notes(seeds, meaning, harmless),
        )

    def _category(self, k: int, name: Name) -> CategoryCheck:
        mine = self.reaches[:, k]
        documents = int(mine.sum())
        words = dict.fromkeys([*self.seeds.categories[name], *(rule.word for rule in self.seeds.rules[name])])
        return CategoryCheck(
            name=name,
            documents=documents,
            share=documents / max(self.n_documents, 1),
            alone=int((mine & self.reached_alone).sum()),
            words=tuple(self._seed(k, name, word) for word in words),
            exclude=tuple(self._word(word) for word in self.seeds.exclude[name]),
        )

    def _word(self, word: str) -> WordCheck:
        columns = self.columns(word)
        documents = len(self.documents(columns))
        return WordCheck(
            word=word,
            documents=documents,
            share=documents / max(self.n_documents, 1),
            stands_for=tuple(self.bound.expansions.get(word, ())),
            near=() if columns else tuple(self._near(word)),
        )

    def _seed(self, k: int, name: Name, word: str) -> WordCheck:
        columns = [c for c in self.columns(word) if self.bound.membership[k, c]]
        seed_support = max((float(self._seed_support[k, c]) for c in columns), default=1.0)
        own = np.asarray(self.by_word[:, columns].sum(axis=1)).ravel()
        return replace(
            self._word(word),
            weight=self.seeds.weights[name].get(word, 1.0),
            seed_support=seed_support,
            also_in=tuple(other for other in self.owners[word] if other != name),
            only=int(((own > 0) & (self.n_seeds[:, k] <= own) & self.reaches[:, k]).sum()),
            pulls_to=self._pulled(k, columns) if seed_support < DOUBTFUL else None,
        )

    @cached_property
    def _seed_support(self) -> sp.csr_array:
        """How well the other seeds confirm each seed, in the shape of the membership."""
        matrix, membership = self.counts.matrix, self.bound.membership
        vectors = unit_rows(sublinear(matrix, word_rarity(matrix)))
        weights = seed_weights(matrix, vectors, membership)
        return sp.csr_array((weights, membership.indices, membership.indptr), shape=membership.shape)

    def _pulled(self, k: int, columns: Sequence[int]) -> Name | None:
        """Return the category whose seeds occur with a word, if the other seeds of its own occur less."""
        documents = self.documents(columns)
        if len(documents) < FEW:
            return None
        of_word = sp.csc_array(self.bound.membership)[:, columns] > 0
        owners = np.unique(of_word.indices)
        own = (self.by_word[:, columns] @ of_word[owners].T.astype(float)).toarray()
        besides = (self.n_seeds[:, owners] - own) > 0
        here, everywhere = (self.n_seeds[documents] > 0).sum(axis=0), self._with_seed.copy()
        here[owners], everywhere[owners] = besides[documents].sum(axis=0), besides.sum(axis=0)
        # Only what exceeds chance counts, or the category with the most common words would win everywhere.
        excess = here - len(documents) * (everywhere / self.n_documents)
        rival = int(np.where(np.arange(len(excess)) == k, -np.inf, excess).argmax())
        return self.seeds.names[rival] if excess[rival] > CLEARLY * max(excess[k], 1.0) else None

    @cached_property
    def _with_seed(self) -> NDArray[np.intp]:
        """The number of documents with a seed of each category, even where it excludes another word."""
        return np.asarray((self.n_seeds > 0).sum(axis=0))

    def _near(self, word: str) -> list[str]:
        """Return the words that somebody may have meant who wrote a word that does not occur."""
        if is_wildcard(word) or not _is_spelled(word) or word in self._usual:
            return []
        if word not in self.near:
            # If so many words do not occur, spelling is not the reason.
            searched = len(self.near) < MOST_SEARCHED
            self.near[word] = near_spellings(word, self._spelled) if searched else []
        return self.near[word]

    @cached_property
    def _usual(self) -> frozenset[str]:
        """The usual words of the language: one that does not occur is not misspelt."""
        return frozenset(() if self.table is None else self.table.words[:MOST_WORDS])

    @cached_property
    def _spelled(self) -> dict[str, int]:
        """The number of documents of each word that occurs and can be misspelt."""
        words = zip(self.counts.vocabulary, self.frequency.tolist(), strict=True)
        return {word: frequency for word, frequency in words if frequency and _is_spelled(word)}

    def _overlaps(self) -> list[Overlap]:
        names, reached = self.seeds.names, self.reaches.sum(axis=1, dtype=np.float64)
        if min(len(names) ** 2, (reached**2).sum()) > MOST_PAIRS:
            raise InputError(
                f"a document contains seeds of {int(reached.max()):,} of the {len(names):,} categories, "
                "which makes too many pairs to compare: check fewer categories at a time."
            )
        reaches, size = sp.csr_array(self.reaches.astype(np.float64)), self.reaches.sum(axis=0)
        together = sp.csr_array(sp.triu(reaches.T @ reaches, k=1))
        pairs = zip(*together.nonzero(), together.data, strict=True)
        overlaps = [
            Overlap(names[a], names[b], int(n), float(n / min(size[a], size[b]))) for a, b, n in pairs
        ]
        return sorted(overlaps, key=lambda overlap: -overlap.share)


def _with_known_keys(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the fields of a check under the keys that programs read."""
    return {"borne_out" if name == "seed_support" else name: value for name, value in fields}


def _is_spelled(word: str) -> bool:
    """Return whether letters can be wrong in a word: not in a phrase, nor in two characters side by side."""
    return " " not in word and not is_rule(word) and is_whole_word(word)
