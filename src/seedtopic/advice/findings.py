"""What a check of seeds finds: numbers for each category and word, and the problems in plain sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from seedtopic.seeds import Seeds
from seedtopic.seeds.tree import Name
from seedtopic.text.rules import is_rule

TOO_FEW = 0.05  # of an even share of the documents: a category with fewer cannot be learned
COMMON, LIKELY = 0.5, 1.5  # of the documents, and of an even share: a word in more of them is too common
OVERLAP = 0.5  # of the documents of a category: if another category shares more, they are hard to distinguish


@dataclass(frozen=True)
class WordCheck:
    """A seed of a category.

    Attributes
    ----------
    word : str
    documents, share : int and float
        The number of documents that contain it, and their share of all documents.
    weight : float
        The weight that the user gave.
    borne_out : float
        How well the other seeds of the category confirm it; 1 is best. See
        `seedtopic.learning.classify.seed_weights`.
    stands_for : tuple of str
        The words that a wildcard matches.
    also_in : tuple of str or int
        Other categories that have it.
    pulls_to : str, int or None
        The category whose seeds occur with it, where the other seeds of its own category do not.
    near : tuple of str
        Similar spellings, if it does not occur.
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
    """A category and its seeds.

    Attributes
    ----------
    name : str or int
    documents, share : int and float
        The number of documents that contain its seeds and no word that it excludes, and their share of all.
    alone : int
        The number of those documents that contain no seed of another category.
    words, exclude : tuple of WordCheck
    """

    name: Name
    documents: int
    share: float
    alone: int
    words: tuple[WordCheck, ...]
    exclude: tuple[WordCheck, ...]


@dataclass(frozen=True)
class Overlap:
    """Two categories, the number of documents with seeds of both, and their share of the smaller category."""

    first: Name
    second: Name
    documents: int
    share: float


@dataclass(frozen=True)
class Problem:
    """A problem in one sentence, the categories that have it, and the word if it is about one word."""

    sentence: str
    categories: tuple[Name, ...]
    word: str | None = None


def problems(
    seeds: Seeds,
    n_documents: int,
    categories: Sequence[CategoryCheck],
    overlaps: Sequence[Overlap],
    n_excluded: Sequence[int],
) -> Iterator[Problem]:
    """Describe all problems of seeds.

    Parameters
    ----------
    seeds : Seeds
    n_documents : int
    categories : sequence of CategoryCheck
    overlaps : sequence of Overlap
    n_excluded : sequence of int
        For each category, the number of documents that contain its seeds and a word that it excludes.

    Examples
    --------
    >>> seeds = Seeds({"sports": ["game"], "money": ["bank"]})
    >>> checks = [
    ...     CategoryCheck("sports", 7, 0.7, 7, (WordCheck("game", 7, 0.7),), ()),
    ...     CategoryCheck("money", 3, 0.3, 3, (WordCheck("bank", 3, 0.3),), ()),
    ... ]
    >>> list(problems(seeds, 10, checks, [], [0, 0]))
    []
    """
    yield from _missing_words(seeds, categories)
    for category in categories:
        yield from _problems_of_words(category, len(categories))
    yield from same_words(seeds)
    shared: dict[Name, list[Overlap]] = {category.name: [] for category in categories}
    for overlap in overlaps:
        shared[overlap.first].append(overlap)
        shared[overlap.second].append(overlap)
    least = max(2.0, TOO_FEW * n_documents / len(categories))
    for category, excluded in zip(categories, n_excluded, strict=True):
        found = _problems_of_category(seeds, n_documents, least, category, shared[category.name], excluded)
        for sentence in found:
            yield Problem(sentence, (category.name,))


def _missing_words(seeds: Seeds, categories: Sequence[CategoryCheck]) -> Iterator[Problem]:
    near = {word.word: word.near for category in categories for word in category.words if not word.documents}
    owners = seeds.owners()
    for word, similar in near.items():
        hint = f"; did you mean {' or '.join(map(repr, similar))}?" if similar else "."
        occurs = "matches no document" if is_rule(word) else "does not occur"
        sentence = f"{word!r} ({', '.join(map(str, owners[word]))}) {occurs}{hint}"
        yield Problem(sentence, tuple(owners[word]), word)


def _problems_of_words(category: CategoryCheck, n_categories: int) -> Iterator[Problem]:
    common = max(COMMON, LIKELY / n_categories)
    for word in category.words:
        named = f"{word.word!r} ({category.name})"
        if word.share > common:
            sentence = f"{named} is too common: {word.share:.0%} of the documents contain it."
            yield Problem(sentence, (category.name,), word.word)
        elif word.pulls_to is not None:
            sentence = (
                f"{named} is ambiguous: {word.documents:,} documents contain it; they contain seeds of "
                f"{word.pulls_to!r} rather than other seeds of {category.name!r}."
            )
            yield Problem(sentence, (category.name,), word.word)
    for word in category.exclude:
        if not word.documents:
            sentence = f"{word.word!r}, which {category.name!r} excludes, does not occur."
            yield Problem(sentence, (category.name,), word.word)


def same_words(seeds: Seeds) -> Iterator[Problem]:
    """Find categories that have the same words.

    Examples
    --------
    >>> [finding.sentence for finding in same_words(Seeds({"cars": ["car"], "autos": ["car"]}))]
    ["'cars' and 'autos' have the same words and cannot be distinguished."]
    """
    same: dict[frozenset[str], list[Name]] = {}
    for name, words in seeds.categories.items():
        same.setdefault(frozenset(words), []).append(name)
    for names in same.values():
        if len(names) > 1:
            shown = ", ".join(map(repr, names[:-1])) + f" and {names[-1]!r}"
            yield Problem(f"{shown} have the same words and cannot be distinguished.", tuple(names))


def _problems_of_category(
    seeds: Seeds,
    n_documents: int,
    least: float,
    category: CategoryCheck,
    shared: Sequence[Overlap],
    n_excluded: int,
) -> Iterator[str]:
    name = category.name
    where = f"its seeds occur in {category.documents:,} of {n_documents:,} documents"
    if category.documents < least:
        but = f"; {n_excluded:,} more contain a word that it excludes" if n_excluded else ""
        yield f"{name!r} has too few documents: {where}{but}."
        return
    worst = max(shared, key=lambda overlap: overlap.documents, default=None)
    if worst is None or worst.documents < OVERLAP * category.documents:
        return
    rival = worst.second if worst.first == name else worst.first
    both = [word for word in seeds.categories[name] if word in seeds.categories[rival]]
    because = f" (both have {', '.join(map(repr, both))})" if both else ""
    if category.alone:
        yield (
            f"{name!r} overlaps with {rival!r}: {worst.documents:,} of its {category.documents:,} documents "
            f"also contain seeds of {rival!r}{because}."
        )
    else:
        yield (
            f"{name!r} has no documents of its own: {where}, which all contain seeds of other categories "
            f"too, most often of {rival!r}{because}."
        )
