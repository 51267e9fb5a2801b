"""Seeds judged by the documents, before anything is fitted: what they reach, and what is wrong with them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.advice.near_spellings import meant, near_spellings
from seedtopic.documents.frames import is_column, is_frame, the_text_column, without_missing
from seedtopic.errors import InputError
from seedtopic.learning.classify.seed_weights import seed_weights
from seedtopic.learning.signals.seed_matches import heard
from seedtopic.learning.signals.vectors import sublinear, unit_rows, word_rarity
from seedtopic.memory import MaxMemory, require_room
from seedtopic.parallel.threads import resolve_threads
from seedtopic.seeds import BoundSeeds, Seeds
from seedtopic.seeds.category import Category, is_wildcard
from seedtopic.seeds.tree import Name
from seedtopic.text.counts import Counts, MinDf, checked_counts, count_words
from seedtopic.text.tokens import StopWords, Tokenizer, runs, stop_word_set, tokenize

STARVING = 0.05  # of an even share of the documents: a category that reaches fewer will starve
COMMON, LIKELY = 0.5, 1.5  # of the documents, and of an even share: a word in more of them tells little
OVERLAP = 0.5  # of the documents of a category: if another reaches more of them, they are hard to tell apart
DOUBTFUL = 0.25  # weight by corroboration below which a seed is looked at
FEW = 5  # documents, of which nothing is concluded
MOST_SEARCHED = 1_000  # words that do not occur whose near spellings are looked for
MOST_PAIRS = 10_000_000  # of categories that may stand in one document


@dataclass(frozen=True)
class WordCheck:
    """A seed of a category.

    Attributes
    ----------
    word : str
    documents, share : int and float
        The documents it occurs in, and their share of all.
    weight : float
        As the user gave it.
    borne_out : float
        How far the other seeds of the category bear it out; 1 is best. See
        `seedtopic.learning.classify.seed_weights`.
    stands_for : tuple of str
        The words that a wildcard matches.
    also_in : tuple of str or int
        Other categories that have it.
    pulls_to : str, int or None
        The category whose seeds its documents carry, rather than those of its own.
    near : tuple of str
        What may have been meant, if it does not occur.
    """

    word: str
    documents: int
    share: float
    weight: float = 1.0
    borne_out: float = 1.0
    stands_for: tuple[str, ...] = ()
    also_in: tuple[Name, ...] = ()
    pulls_to: Name | None = None
    near: tuple[str, ...] = ()


@dataclass(frozen=True)
class CategoryCheck:
    """A category: the documents its seeds reach, those of them that no other reaches, its seeds."""

    name: Name
    documents: int
    share: float
    alone: int
    words: tuple[WordCheck, ...]
    exclude: tuple[WordCheck, ...]


@dataclass(frozen=True)
class Overlap:
    """Two categories, the documents that both reach, and their share of the smaller one's."""

    first: Name
    second: Name
    documents: int
    share: float


@dataclass(frozen=True)
class Problem:
    """What should be mended, in a sentence; the categories it is about, and the word where there is one."""

    sentence: str
    categories: tuple[Name, ...]
    word: str | None = None


@dataclass(frozen=True)
class SeedCheck:
    """What `Seeds.check` finds.

    Attributes
    ----------
    seeds : Seeds
    documents, reached : int
        All documents, and those with a seed of any category.
    categories : tuple of CategoryCheck
    overlaps : tuple of Overlap
        Every two categories that reach a document together, the largest share first.
    findings : tuple of Problem
        What should be mended.
    problems : tuple of str
        The sentences of the findings.
    meant : dict of str to str or None
        Seeds that do not occur, with the word in the documents that was clearly meant, if any.

    Examples
    --------
    >>> seeds = Seeds({"sports": ["game", "golf", "gaol"], "money": ["bank"]})
    >>> found = seeds.check(["a game of golf", "goal in the game", "the bank", "bank or goal"])
    >>> [(category.name, category.documents) for category in found.categories]
    [('sports', 2), ('money', 2)]
    >>> found.problems
    ("'gaol' (sports) does not occur; near it is 'goal'.",)
    >>> found.repaired()[0].categories["sports"]
    ('game', 'golf', 'goal')
    """

    seeds: Seeds
    documents: int
    reached: int
    categories: tuple[CategoryCheck, ...]
    overlaps: tuple[Overlap, ...]
    findings: tuple[Problem, ...]
    meant: Mapping[str, str | None]

    @property
    def problems(self) -> tuple[str, ...]:
        """What should be mended, a sentence each."""
        return tuple(finding.sentence for finding in self.findings)

    def as_dict(self) -> dict[str, Any]:
        """Give everything as plain data."""
        return {
            "documents": self.documents,
            "reached": self.reached,
            "categories": [asdict(category) for category in self.categories],
            "overlaps": [asdict(overlap) for overlap in self.overlaps],
            "problems": list(self.problems),
        }

    def repaired(self) -> tuple[Seeds, list[str]]:
        """Put what was meant in place of words that do not occur, and drop those where nobody can tell.

        Returns
        -------
        Seeds
            The repaired seeds. A category that documents are labelled with is never left without a word.
        list of str
            What was done, a sentence each.
        """
        done: list[str] = []
        mentioned = Counter(word for entry in self.seeds.entries.values() for word in entry.words)
        table = {
            name: self._mended(name, category, mentioned, done)
            for name, category in self.seeds.entries.items()
        }
        entries = {name: category.entry() for name, category in table.items()}
        return Seeds(entries, source=self.seeds.source), done

    def _mended(
        self, name: Name, category: Category, mentioned: Mapping[str, int], done: list[str]
    ) -> Category:
        lost = [word for word in category.words if word in self.meant]
        instead = {word: self.meant[word] for word in lost}
        for word, near in instead.items():
            elsewhere = mentioned[near] > (near in category.words) if near else False
            if elsewhere or near in category.exclude:  # it speaks for, or of, something else
                instead[word] = None
        words = tuple(dict.fromkeys(w for word in category.words if (w := instead.get(word, word))))
        if not words and name in self.seeds.categories:
            done.append(f"{name}: kept as it is, because none of its words occurs.")
            words, instead, lost = category.words, {}, []
        for word in lost:
            near = instead[word]
            became = near and near not in category.words
            done.append(f"{name}: {word!r} became {near!r}." if became else f"{name}: {word!r} was dropped.")
        weights = {near: w for word, w in category.weights.items() if (near := instead.get(word, word))}
        exclude = tuple(word for word in category.exclude if word not in self.meant)
        silent = (word for word in category.exclude if word in self.meant)
        done += [f"{name}: {word!r} was dropped from what it excludes." for word in silent]
        return replace(category, words=words, weights=weights, exclude=exclude)


def check_seeds(
    seeds: Seeds,
    corpus: Any,
    vocabulary: Sequence[str] | None = None,
    *,
    tokenizer: Tokenizer | None = None,
    stop_words: StopWords = "english",
    min_df: MinDf = "auto",
    n_threads: int | None = None,
    max_memory: MaxMemory = None,
) -> SeedCheck:
    """Judge seeds by documents: texts, or counts with their vocabulary; see `Seeds.check`."""
    if vocabulary is not None:
        return _Check(seeds, checked_counts(corpus, vocabulary)).result()
    if is_frame(corpus):
        corpus = the_text_column(corpus)
    if is_column(corpus):
        corpus = without_missing(corpus.to_list())
    if isinstance(corpus, str | bytes | Mapping) or not isinstance(corpus, Iterable) or sp.issparse(corpus):
        raise InputError(
            "the corpus to check seeds with must be texts, one a document, or a matrix of counts "
            f"with vocabulary=[...]; got {type(corpus).__name__}."
        )
    # A seed such as e-mail is read as two words; whether these stand in a row is worth knowing, too.
    spaced = {word: " ".join(runs(word)) for word in seeds.counted} if tokenizer is None else {}
    sought = [*seeds.counted, *(phrase for phrase in spaced.values() if " " in phrase)]
    counts = count_words(
        tokenize(corpus, tokenizer, sought),
        min_df=min_df,
        stop_words=stop_word_set(stop_words),
        keep=sought,
        n_workers=resolve_threads(n_threads),
        max_memory=max_memory,
    )
    return _Check(seeds, counts, spaced).result()


def check_counted(seeds: Seeds, counts: Counts, spaced: Mapping[str, str] | None = None) -> SeedCheck:
    """Judge seeds by documents that are counted already.

    Parameters
    ----------
    seeds : Seeds
    counts : Counts
    spaced : mapping of str to str, optional
        Seeds that are read as several words, such as e-mail, with the phrase that was counted for each.

    Examples
    --------
    >>> counts = checked_counts(np.array([[1, 0], [1, 0], [0, 1], [0, 0]]), ["game", "bank"])
    >>> check_counted(Seeds({"sports": ["game"], "money": ["bank"]}), counts).findings[0].categories
    ('money',)
    """
    return _Check(seeds, counts, spaced).result()


class _Check:
    """The parts of a `SeedCheck`, each computed once from the counts."""

    def __init__(self, seeds: Seeds, counts: Counts, spaced: Mapping[str, str] | None = None) -> None:
        self.seeds, self.counts, self.spaced = seeds, counts, spaced or {}
        self.n_documents = counts.matrix.shape[0]
        self.bound: BoundSeeds = seeds.bind(counts.vocabulary)
        self.column_of = {word: column for column, word in enumerate(counts.vocabulary)}
        self.names, self.owners = seeds.names, seeds.owners()
        self.presence = sp.csc_array(counts.matrix.astype(bool).astype(np.float64))
        self.document_frequency = np.diff(self.presence.indptr)
        require_room(self.n_documents, len(seeds.names), arrays=3)
        # How many different seeds of each category a document has, and which it is heard with.
        self.n_seeds = np.asarray((self.presence @ (self.bound.membership > 0).T).todense())
        allowed = heard(counts.matrix, self.bound.exclusion)
        self.reaches = (self.n_seeds > 0) & (True if allowed is None else allowed)
        self.reached_alone = self.reaches.sum(axis=1) == 1
        self.near: dict[str, list[str]] = {}

    def result(self) -> SeedCheck:
        categories = tuple(self._category(k, name) for k, name in enumerate(self.names))
        overlaps = tuple(self._overlaps())
        return SeedCheck(
            seeds=self.seeds,
            documents=self.n_documents,
            reached=int(self.reaches.any(axis=1).sum()),
            categories=categories,
            overlaps=overlaps,
            findings=tuple(self._problems(categories, overlaps)),
            meant={word: self._meant(word) for word in self._lost()},
        )

    def _lost(self) -> list[str]:
        against = (word for words in self.seeds.exclude.values() for word in words)
        return [word for word in dict.fromkeys([*self.seeds.words, *against]) if not self._columns(word)]

    @cached_property
    def frequency(self) -> dict[str, int]:
        words = zip(self.counts.vocabulary, self.document_frequency.tolist(), strict=True)
        return {word: frequency for word, frequency in words if " " not in word and frequency}

    @cached_property
    def borne_out(self) -> sp.csr_array:
        """Weights by corroboration, in the shape of the membership."""
        matrix, membership = self.counts.matrix, self.bound.membership
        vectors = unit_rows(sublinear(matrix, word_rarity(matrix)))
        weights = seed_weights(matrix, vectors, membership)
        return sp.csr_array((weights, membership.indices, membership.indptr), shape=membership.shape)

    @cached_property
    def with_seed(self) -> NDArray[np.intp]:
        """The documents with a seed of each category, heard or not."""
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
            words=tuple(self._word(k, name, word) for word in self.seeds.categories[name]),
            exclude=tuple(self._plain(word) for word in self.seeds.exclude[name]),
        )

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
            pulls_to=self._pulled(k, columns) if borne_out < DOUBTFUL else None,
        )

    def _pulled(self, k: int, columns: Sequence[int]) -> Name | None:
        """Name the category whose other seeds stand in more of the documents than those of its own."""
        documents = self._documents(columns)
        if len(documents) < FEW:
            return None
        of_word = sp.csc_array(self.bound.membership)[:, columns] > 0
        owners = np.unique(of_word.indices)
        own_say = (self.presence[:, columns] @ of_word[owners].T.astype(float)).toarray()
        besides = (self.n_seeds[:, owners] - own_say) > 0
        here, everywhere = (self.n_seeds[documents] > 0).sum(axis=0), self.with_seed.copy()
        here[owners], everywhere[owners] = besides[documents].sum(axis=0), besides.sum(axis=0)
        # Beyond what chance gives, or the category with the most common words would be the rival of all.
        excess = here - len(documents) * (everywhere / self.n_documents)
        rival = int(np.where(np.arange(len(excess)) == k, -np.inf, excess).argmax())
        return self.names[rival] if excess[rival] > max(excess[k], 1.0) else None

    def _near(self, word: str) -> list[str]:
        if is_wildcard(word) or " " in word:
            return []
        if word not in self.near:
            phrase = self.spaced.get(word, word)
            in_a_row = [phrase] if phrase != word and self._columns(phrase) else []
            # Where so many words do not occur, slips are not what is wrong with them.
            searched = in_a_row or len(self.near) >= MOST_SEARCHED
            self.near[word] = in_a_row if searched else near_spellings(word, self.frequency)
        return self.near[word]

    def _meant(self, word: str) -> str | None:
        near = self._near(word)
        if near and " " in near[0]:
            return near[0]
        return meant(word, self.frequency) if near else None

    def _overlaps(self) -> list[Overlap]:
        reached = self.reaches.sum(axis=1, dtype=np.float64)
        n_categories = len(self.names)
        if min(n_categories**2, (reached**2).sum()) > MOST_PAIRS:
            raise InputError(
                f"the seeds of {int(reached.max()):,} of the {n_categories:,} categories stand in one "
                "document, so that there are too many pairs to compare: check fewer categories at a time."
            )
        reaches, size = sp.csr_array(self.reaches.astype(np.float64)), self.reaches.sum(axis=0)
        together = sp.csr_array(sp.triu(reaches.T @ reaches, k=1))
        pairs = zip(*together.nonzero(), together.data, strict=True)
        names = self.names
        found = [Overlap(names[a], names[b], int(n), float(n / min(size[a], size[b]))) for a, b, n in pairs]
        return sorted(found, key=lambda overlap: -overlap.share)

    def _problems(
        self, categories: Sequence[CategoryCheck], overlaps: Sequence[Overlap]
    ) -> Iterable[Problem]:
        for word in self._lost():
            if word in self.owners:
                owners = self.owners[word]
                yield Problem(_missing(word, owners, self._near(word)), tuple(owners), word)
        for category in categories:
            yield from self._of_words(category)
        alike: dict[frozenset[str], list[Name]] = {}
        for name, words in self.seeds.categories.items():
            alike.setdefault(frozenset(words), []).append(name)
        for names in alike.values():
            if len(names) > 1:
                shown = ", ".join(map(repr, names[:-1])) + f" and {names[-1]!r}"
                yield Problem(f"{shown} have the same words: nothing tells them apart.", tuple(names))
        shared: dict[Name, list[Overlap]] = {}
        for overlap in overlaps:
            shared.setdefault(overlap.first, []).append(overlap)
            shared.setdefault(overlap.second, []).append(overlap)
        for k, category in enumerate(categories):
            for sentence in self._of_reach(k, category, shared.get(category.name, [])):
                yield Problem(sentence, (category.name,))

    def _of_words(self, category: CategoryCheck) -> Iterable[Problem]:
        common = max(COMMON, LIKELY / len(self.names))
        for word in category.words:
            named = f"{word.word!r} ({category.name})"
            if word.share > common:
                sentence = f"{named} tells little: it is in {word.share:.0%} of the documents."
                yield Problem(sentence, (category.name,), word.word)
            elif word.pulls_to is not None:
                sentence = (
                    f"{named} pulls in two directions: in its {word.documents:,} documents stand seeds of "
                    f"{word.pulls_to!r} rather than others of its own."
                )
                yield Problem(sentence, (category.name,), word.word)
        for word in category.exclude:
            if not word.documents:
                sentence = f"{word.word!r}, which {category.name!r} excludes, does not occur."
                yield Problem(sentence, (category.name,), word.word)

    def _of_reach(self, k: int, category: CategoryCheck, shared: Sequence[Overlap]) -> Iterable[str]:
        reach = f"its seeds reach {category.documents:,} of {self.n_documents:,} documents"
        if category.documents < max(2, STARVING * self.n_documents / len(self.names)):
            silenced = int(((self.n_seeds[:, k] > 0) & ~self.reaches[:, k]).sum())
            but = f", {silenced:,} more are excluded" if silenced else ""
            yield f"{category.name!r} will starve: {reach}{but}."
            return
        worst = max(shared, key=lambda overlap: overlap.documents, default=None)
        if worst is None or worst.documents < OVERLAP * category.documents:
            return
        rival = worst.second if worst.first == category.name else worst.first
        common = [w for w in self.seeds.categories[category.name] if w in self.seeds.categories[rival]]
        because = f" (both have {', '.join(map(repr, common))})" if common else ""
        if category.alone:
            yield (
                f"{category.name!r} overlaps with {rival!r}: of its {category.documents:,} documents the "
                f"seeds of that reach {worst.documents:,}, too{because}."
            )
        else:
            yield f"{category.name!r} will starve: {reach}, none of them alone; {rival!r} does, too{because}."


def _missing(word: str, owners: Sequence[Name], near: Sequence[str]) -> str:
    hint = f"; near it is {', '.join(map(repr, near))}" if near else ""
    return f"{word!r} ({', '.join(map(str, owners))}) does not occur{hint}."
