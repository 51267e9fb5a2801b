"""Seeds judged by the documents, before anything is fitted: what they reach, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.category import Category, is_wildcard
from seedtopic.corpus import Counts, MinDf, checked_counts, count_words
from seedtopic.corroboration import seed_weights
from seedtopic.counting.memory import MaxMemory
from seedtopic.errors import InputError
from seedtopic.exclusion import heard
from seedtopic.kernels.threads import resolve_threads
from seedtopic.near_spellings import meant, near_spellings
from seedtopic.seeds import BoundSeeds, Seeds
from seedtopic.text import StopWords, Tokenizer, runs, stop_word_set, tokenize
from seedtopic.tree import Name
from seedtopic.vectors import sublinear, unit_rows, word_rarity

STARVING = 0.05  # of an even share of the documents: a category that reaches fewer will starve
COMMON, LIKELY = 0.5, 1.5  # of the documents, and of an even share: a word in more of them tells little
OVERLAP = 0.5  # of the documents of a category: if another reaches more of them, they are hard to tell apart
DOUBTFUL = 0.25  # weight by corroboration below which a seed is looked at
FEW = 5  # documents, of which nothing is concluded


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
        How far the other seeds of the category bear it out, see `seedtopic.corroboration`; 1 is best.
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
        table = {name: self._mended(name, category, done) for name, category in self.seeds.entries.items()}
        return Seeds({name: category.entry() for name, category in table.items()}), done

    def _mended(self, name: Name, category: Category, done: list[str]) -> Category:
        elsewhere = {w for other, entry in self.seeds.entries.items() if other != name for w in entry.words}
        lost = [word for word in category.words if word in self.meant]
        instead = {word: self.meant[word] for word in lost}
        for word, near in instead.items():
            if near in elsewhere or near in category.exclude:  # it speaks for, or of, something else
                instead[word] = None
        words = tuple(dict.fromkeys(w for word in category.words if (w := instead.get(word, word))))
        if not words and name in self.seeds.names:
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
    if isinstance(corpus, str) or not isinstance(corpus, Iterable) or sp.issparse(corpus):
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
        self.presence = sp.csc_array(counts.matrix.astype(bool).astype(np.float64))
        self.document_frequency = np.diff(self.presence.indptr)
        # How many different seeds of each category a document has, and which it is heard with.
        self.n_seeds = np.asarray((self.presence @ (self.bound.membership > 0).T).todense())
        allowed = heard(counts.matrix, self.bound.exclusion)
        self.reaches = (self.n_seeds > 0) & (True if allowed is None else allowed)

    def result(self) -> SeedCheck:
        categories = tuple(self._category(k, name) for k, name in enumerate(self.seeds.names))
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
            alone=int((mine & (self.reaches.sum(axis=1) == 1)).sum()),
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
        others = (other for other, words in self.seeds.categories.items() if other != name and word in words)
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
        own_say = self.presence[:, columns] @ (self.bound.membership[:, columns] > 0).T.astype(float)
        others = (self.n_seeds - np.asarray(own_say.todense())) > 0
        # Beyond what chance gives, or the category with the most common words would be the rival of all.
        excess = others[documents].sum(axis=0) - len(documents) * others.mean(axis=0)
        rival = int(np.where(np.arange(len(excess)) == k, -np.inf, excess).argmax())
        return self.seeds.names[rival] if excess[rival] > max(excess[k], 1.0) else None

    def _near(self, word: str) -> list[str]:
        if is_wildcard(word) or " " in word:
            return []
        phrase = self.spaced.get(word, word)
        in_a_row = [phrase] if phrase != word and self._columns(phrase) else []
        return in_a_row or near_spellings(word, self.frequency)

    def _meant(self, word: str) -> str | None:
        near = self._near(word)
        if near and " " in near[0]:
            return near[0]
        return meant(word, self.frequency) if near else None

    def _overlaps(self) -> list[Overlap]:
        reaches = self.reaches.astype(np.float64)
        together = reaches.T @ reaches
        size = np.diag(together)
        found = [
            Overlap(
                self.seeds.names[a],
                self.seeds.names[b],
                int(together[a, b]),
                float(together[a, b] / min(size[a], size[b])),
            )
            for a, b in combinations(range(len(size)), 2)
            if together[a, b]
        ]
        return sorted(found, key=lambda overlap: -overlap.share)

    def _problems(
        self, categories: Sequence[CategoryCheck], overlaps: Sequence[Overlap]
    ) -> Iterable[Problem]:
        for word in self._lost():
            owners = [name for name, words in self.seeds.categories.items() if word in words]
            if owners:
                yield Problem(_missing(word, owners, self._near(word)), tuple(owners), word)
        for category in categories:
            yield from self._of_words(category)
        for a, b in combinations(self.seeds.names, 2):
            if set(self.seeds.categories[a]) == set(self.seeds.categories[b]):
                yield Problem(f"{a!r} and {b!r} have the same words: nothing tells them apart.", (a, b))
        for category in categories:
            for sentence in self._of_reach(category, overlaps):
                yield Problem(sentence, (category.name,))

    def _of_words(self, category: CategoryCheck) -> Iterable[Problem]:
        common = max(COMMON, LIKELY / len(self.seeds.names))
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

    def _of_reach(self, category: CategoryCheck, overlaps: Sequence[Overlap]) -> Iterable[str]:
        reach = f"its seeds reach {category.documents:,} of {self.n_documents:,} documents"
        if category.documents < max(2, STARVING * self.n_documents / len(self.seeds.names)):
            k = self.seeds.names.index(category.name)
            silenced = int(((self.n_seeds > 0) & ~self.reaches)[:, k].sum())
            but = f", {silenced:,} more are excluded" if silenced else ""
            yield f"{category.name!r} will starve: {reach}{but}."
            return
        shared = [overlap for overlap in overlaps if category.name in (overlap.first, overlap.second)]
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
