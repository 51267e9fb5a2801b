"""What a check of seeds says: numbers for each category and word, and the problems in plain sentences.

A rule is a function in `RULES`: it looks at seeds that have been checked, and yields problems.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from seedtopic.base.wording import documents_contain, listed, number_of
from seedtopic.quality.repair import Repair
from seedtopic.seeds import Seeds
from seedtopic.seeds.tree import Name
from seedtopic.text.spelling import meant, slips

TOO_FEW = 0.05  # of an even share of the documents: a category with fewer cannot be learned
COMMON, LIKELY = 0.5, 1.5  # of the documents, and of an even share: a word in more of them is too common
FAR_SMALLER = 0.5  # of the documents that its seeds reach: a category that ends with fewer has too few
YOURS = "It is for you to decide: --fix leaves it as it is."
# A seed in so many documents that the others confirm so well is right there, whatever it means elsewhere.
FEW, CONFIRMED = 5, 0.5
OVERLAP = 0.5  # of the documents of a category: if another category shares more, they are hard to distinguish


@dataclass(frozen=True)
class WordCheck:
    """A seed of a category."""

    word: str
    documents: int  # the number of documents that contain it, and their share of all documents
    share: float
    weight: float = 1.0  # the weight that the user gave
    seed_support: float = 1.0  # how well the other seeds of the category confirm it
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


@dataclass(frozen=True)
class CheckedSeeds:
    """What the rules judge: seeds, what their meaning speaks for, and where they occur in documents."""

    seeds: Seeds
    by_meaning: tuple[Problem, ...] = ()  # what the meaning of seeds alone says against them
    n_documents: int = 0
    categories: tuple[CategoryCheck, ...] = ()
    overlaps: tuple[Overlap, ...] = ()
    n_excluded: Sequence[int] = ()  # documents with seeds of each category and a word that it excludes
    frequency: Mapping[str, int] = field(default_factory=dict)  # of words that can be misspelt
    # Similar words of each word that does not occur.
    near: Mapping[str, Sequence[str]] = field(default_factory=dict)
    silent: Sequence[str] = ()  # rules that match no document


def problems(checked: CheckedSeeds) -> tuple[Problem, ...]:
    """Return what the rules find, and what the meaning says that the documents neither say nor contradict."""
    findings = [finding for rule in RULES for finding in rule(checked)]
    settled = {(name, finding.word) for finding in findings for name in finding.categories}
    settled |= {
        (category.name, word.word)
        for category in checked.categories
        for word in category.words
        if word.documents >= FEW and word.seed_support >= CONFIRMED
    }
    for finding in checked.by_meaning:
        about = {(name, finding.word) for name in finding.categories}
        if finding.word is None or not about & settled:
            findings.append(finding)
    return tuple(findings)


def misspelt_words(checked: CheckedSeeds) -> Iterator[Problem]:
    """Yield words that do not occur while similar ones do."""
    entries = checked.seeds.entries
    for word, near in checked.near.items():
        owners = [name for name, entry in entries.items() if word in entry.words]
        owners = owners or [name for name, entry in entries.items() if word in entry.exclude]
        sentence = f"{word!r} ({_names(owners)}) does not occur; did you mean {' or '.join(map(repr, near))}?"
        other = meant(word, checked.frequency)
        # A word of another category, or one that this category excludes, would say something else, and a word
        # that begins otherwise or is two letters off may well be another word.
        elsewhere = any(
            other in entry.exclude or (other in entry.words and name not in owners)
            for name, entry in entries.items()
        )
        if other is None or elsewhere or other[0] != word[0] or slips(other, word, 1) > 1:
            yield Problem(sentence, YOURS, tuple(owners), word)
            continue
        advice = f"--fix replaces it: {documents_contain(checked.frequency[other])} {other!r}."
        repair = Repair(tuple(owners), word, "replace", other)
        yield Problem(sentence, advice, tuple(owners), word, repair=repair)


def silent_rules(checked: CheckedSeeds) -> Iterator[Problem]:
    """Yield rules that match no document."""
    owners_of = checked.seeds.owners()
    for rule in checked.silent:
        sentence = f"{rule!r} ({_names(owners_of[rule])}) matches no document."
        yield Problem(sentence, f"Correct it, or remove it. {YOURS}", tuple(owners_of[rule]), rule)


def misplaced_words(checked: CheckedSeeds) -> Iterator[Problem]:
    """Yield words that belong to another category both by their meaning and by their documents."""
    nearer = {(finding.categories[0], finding.word): finding.rival for finding in checked.by_meaning}
    for category in checked.categories:
        left = sum(word.documents > 0 for word in category.words)
        for word in category.words:
            rival = nearer.get((category.name, word.word))
            if rival is None or word.pulls_to != rival:
                continue
            left -= 1
            own = word.word in checked.seeds.entries[category.name].words
            sentence = (
                f"{word.word!r} ({category.name}) belongs to {rival!r}: it is nearer in meaning, and its "
                f"{documents_contain(word.documents)} seeds of {rival!r} rather than of {category.name!r}."
            )
            yield _unless_last("move", sentence, category, word, rival, is_last=left < 1 or not own)


def common_words(checked: CheckedSeeds) -> Iterator[Problem]:
    """Yield words that are in too many documents to tell categories apart."""
    common = max(COMMON, LIKELY / max(len(checked.categories), 1))
    for category in checked.categories:
        left = sum(word.documents > 0 for word in category.words)
        for word in category.words:
            if word.share > common:
                left -= 1
                many = f"{word.share:.0%} of the documents contain it."
                sentence = f"{word.word!r} ({category.name}) is too common: {many}"
                yield _unless_last("remove", sentence, category, word, None, is_last=left < 1)


def same_words(checked: CheckedSeeds) -> Iterator[Problem]:
    """Yield categories that have the same words."""
    same: dict[frozenset[str], list[Name]] = {}
    for name, words in checked.seeds.categories.items():
        same.setdefault(frozenset(words), []).append(name)
    for names in same.values():
        if len(names) > 1:
            yield Problem(
                f"{listed(list(map(repr, names)))} have the same words and cannot be distinguished.",
                f"Merge them, or give each words of its own. {YOURS}",
                tuple(names),
            )


def weak_categories(checked: CheckedSeeds) -> Iterator[Problem]:
    """Yield categories with too few documents, or with too few that are not another one's as well."""
    shared: dict[Name, list[Overlap]] = {category.name: [] for category in checked.categories}
    for overlap in checked.overlaps:
        shared[overlap.first].append(overlap)
        shared[overlap.second].append(overlap)
    least = max(2.0, TOO_FEW * checked.n_documents / max(len(checked.categories), 1))
    for category, excluded in zip(checked.categories, checked.n_excluded, strict=True):
        name, documents = category.name, category.documents
        where = f"its seeds occur in {documents:,} of {number_of(checked.n_documents, 'document')}"
        worst = max(shared[name], key=lambda overlap: overlap.documents, default=None)
        if documents < least:
            but = f"; {excluded:,} more contain a word that it excludes" if excluded else ""
            sentence = f"{name!r} has too few documents: {where}{but}."
        elif worst is None or worst.documents < OVERLAP * documents:
            continue
        else:
            rival = worst.second if worst.first == name else worst.first
            words = checked.seeds.categories
            both = ", ".join(repr(word) for word in words[name] if word in words[rival])
            because = f" (both have {both})" if both else ""
            sentence = (
                f"{name!r} overlaps with {rival!r}: "
                f"{worst.documents:,} of its {number_of(documents, 'document')} also "
                f"{'contains' if worst.documents == 1 else 'contain'} seeds of {rival!r}{because}."
                if category.alone
                else f"{name!r} has no documents of its own: {where}, which all contain seeds of other "
                f"categories too, most often of {rival!r}{because}."
            )
        yield Problem(sentence, f"Add words that only {name!r} has. {YOURS}", (name,))


# A rule judges all seeds, and yields a problem for each word or category that is worth a change.
RULES: tuple[Callable[[CheckedSeeds], Iterator[Problem]], ...] = (
    misspelt_words,
    silent_rules,
    misplaced_words,
    common_words,
    same_words,
    weak_categories,
)


def starving(
    name: Name, seeded: NDArray[np.float64], shares: NDArray[np.float64], n_categories: int
) -> str | None:
    """Return in a sentence why a category has too few documents, if it has."""
    alone, reached, ends = int((seeded == 1).sum()), float(seeded.sum()), float(shares.sum())
    if alone < max(2.0, TOO_FEW * len(seeded) / n_categories):
        return f"{name!r} has too few documents: only {documents_contain(alone)} its seeds and no others."
    if ends < FAR_SMALLER * reached:
        return (
            f"{name!r} has too few documents: its seeds reach {number_of(round(reached), 'document')}; "
            f"{number_of(round(ends), 'looks', 'look')} like it."
        )
    return None


def _unless_last(
    kind: Literal["move", "remove"],
    sentence: str,
    category: CategoryCheck,
    word: WordCheck,
    rival: Name | None,
    *,
    is_last: bool,
) -> Problem:
    """Return a problem with a word that is repaired, unless it is the last one of its category."""
    if is_last:
        return Problem(sentence, YOURS, (category.name,), word.word, rival)
    changed = number_of(word.only, "document changes its label", "documents change their label")
    advice = f"--fix {kind}s it; up to {changed}."
    repair = Repair((category.name,), word.word, kind, rival)
    return Problem(sentence, advice, (category.name,), word.word, rival, repair)


def _names(names: Sequence[Name]) -> str:
    return ", ".join(map(str, names))
