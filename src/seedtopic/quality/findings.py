"""What a check of seeds finds: numbers for each category and word, and the problems in plain sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seedtopic.base.wording import number_of
from seedtopic.quality.repair import Repair
from seedtopic.seeds import Seeds
from seedtopic.seeds.tree import Name

TOO_FEW = 0.05  # of an even share of the documents: a category with fewer cannot be learned
COMMON, LIKELY = 0.5, 1.5  # of the documents, and of an even share: a word in more of them is too common
FAR_SMALLER = 0.5  # of the documents that its seeds reach: a category that ends with fewer has too few
YOURS = "It is for you to decide: --fix leaves it as it is."
OVERLAP = 0.5  # of the documents of a category: if another category shares more, they are hard to distinguish


@dataclass(frozen=True)
class WordCheck:
    """A seed of a category."""

    word: str
    documents: int  # the number of documents that contain it, and their share of all documents
    share: float  # the number of documents that contain it, and their share of all documents
    weight: float = 1.0  # the weight that the user gave
    borne_out: float = 1.0  # how well the other seeds of the category confirm it
    stands_for: tuple[str, ...] = ()  # the words that a wildcard matches
    also_in: tuple[Name, ...] = ()  # other categories that have it
    only: int = 0  # the number of documents in which it is the only seed of its category
    pulls_to: Name | None = None
    near: tuple[str, ...] = ()  # similar spellings, if it does not occur


@dataclass(frozen=True)
class CategoryCheck:
    """A category and its seeds."""

    name: Name
    documents: int
    share: float
    alone: int  # the number of those documents that contain no seed of another category
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
    """A problem that is worth a change."""

    sentence: str  # what is wrong
    advice: str  # what to do and what that changes
    categories: tuple[Name, ...]
    word: str | None = None  # the word, if it is about one word
    rival: Name | None = None  # the category that the word belongs to rather
    repair: Repair | None = None  # what `--fix` does about it


def problems(
    seeds: Seeds,
    n_documents: int,
    categories: Sequence[CategoryCheck],
    overlaps: Sequence[Overlap],
    n_excluded: Sequence[int],
) -> Iterator[Problem]:
    """Describe all problems of seeds."""
    for category in categories:
        yield from _common_words(category, len(categories))
    yield from same_words(seeds)
    shared: dict[Name, list[Overlap]] = {category.name: [] for category in categories}
    for overlap in overlaps:
        shared[overlap.first].append(overlap)
        shared[overlap.second].append(overlap)
    least = max(2.0, TOO_FEW * n_documents / len(categories))
    for category, excluded in zip(categories, n_excluded, strict=True):
        found = _problems_of_category(seeds, n_documents, least, category, shared[category.name], excluded)
        for sentence in found:
            yield Problem(sentence, f"Add words that only {category.name!r} has. {YOURS}", (category.name,))


def silent_rule(rule: str, owners: Sequence[Name]) -> Problem:
    """Describe a rule that matches no document."""
    sentence = f"{rule!r} ({', '.join(map(str, owners))}) matches no document."
    return Problem(sentence, f"Correct it, or remove it. {YOURS}", tuple(owners), rule)


def misspelt(word: str, owners: Sequence[Name], near: Sequence[str], meant: str | None, n: int) -> Problem:
    """Describe a word that does not occur while a similar one does, in `n` documents."""
    who = f"{word!r} ({', '.join(map(str, owners))}) does not occur; did you mean {_either(near)}?"
    if meant is None:
        return Problem(who, YOURS, tuple(owners), word)
    return Problem(
        who,
        f"--fix replaces it: {_contain(n)} {meant!r}.",
        tuple(owners),
        word,
        repair=Repair(tuple(owners), word, "replace", meant),
    )


def misplaced(category: Name, word: WordCheck, rival: Name, *, last: bool) -> Problem:
    """Describe a word that belongs to another category by its meaning and by its documents."""
    sentence = (
        f"{word.word!r} ({category}) belongs to {rival!r}: it is nearer in meaning, and its "
        f"{_contain(word.documents)} seeds of {rival!r} rather than of "
        f"{category!r}."
    )
    if last:
        return Problem(sentence, YOURS, (category,), word.word, rival)
    return Problem(
        sentence,
        f"--fix moves it; up to {number_of(word.only, 'document')} change their label.",
        (category,),
        word.word,
        rival,
        Repair((category,), word.word, "move", rival),
    )


def starving(
    name: Name, seeded: NDArray[np.float64], shares: NDArray[np.float64], n_categories: int
) -> str | None:
    """Say why a category has too few documents, if it has."""
    alone, reached, ends = int((seeded == 1).sum()), float(seeded.sum()), float(shares.sum())
    if alone < max(2.0, TOO_FEW * len(seeded) / n_categories):
        contain = "document contains" if alone == 1 else "documents contain"
        return f"{name!r} has too few documents: only {alone:,} {contain} its seeds and no others."
    if ends < FAR_SMALLER * reached:
        look = "looks" if round(ends) == 1 else "look"
        return (
            f"{name!r} has too few documents: its seeds reach {number_of(round(reached), 'document')}; "
            f"{ends:,.0f} {look} like it."
        )
    return None


def _contain(n: int) -> str:
    return number_of(n, "document contains", "documents contain")


def _either(words: Sequence[str]) -> str:
    return " or ".join(map(repr, words))


def _common_words(category: CategoryCheck, n_categories: int) -> Iterator[Problem]:
    common = max(COMMON, LIKELY / n_categories)
    left = sum(word.documents > 0 for word in category.words)
    for word in category.words:
        if word.share <= common:
            continue
        sentence = (
            f"{word.word!r} ({category.name}) is too common: {word.share:.0%} of the documents contain it."
        )
        left -= 1
        if left < 1:
            yield Problem(sentence, YOURS, (category.name,), word.word)
            continue
        yield Problem(
            sentence,
            f"--fix removes it; up to {number_of(word.only, 'document')} change their label.",
            (category.name,),
            word.word,
            repair=Repair((category.name,), word.word, "remove"),
        )


def same_words(seeds: Seeds) -> Iterator[Problem]:
    """Find categories that have the same words."""
    same: dict[frozenset[str], list[Name]] = {}
    for name, words in seeds.categories.items():
        same.setdefault(frozenset(words), []).append(name)
    for names in same.values():
        if len(names) > 1:
            shown = ", ".join(map(repr, names[:-1])) + f" and {names[-1]!r}"
            yield Problem(
                f"{shown} have the same words and cannot be distinguished.",
                f"Merge them, or give each words of its own. {YOURS}",
                tuple(names),
            )


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
