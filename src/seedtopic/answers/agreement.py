"""How far several people, or people and models, agree about the same texts.

Only texts with answers of at least two count. Kappas and alpha are not known where everybody uses one
category only. docs/howto/codebook.md has the formulas of all measures, and their sources.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from seedtopic.answers.ledger import Answer
from seedtopic.answers.resolved import Documents, newest
from seedtopic.base.errors import InputError
from seedtopic.base.wording import number_of
from seedtopic.seeds.names import SKIPPED, WITHDRAWN, Names, in_any_case, written

N_RESAMPLES = 1_000
COLUMNS = ("of", "first", "second", "measure", "texts", "value", "low", "high")
_AT_ONCE = 1 << 22  # numbers of texts that are drawn
Array = NDArray[np.float64]


@dataclass(frozen=True)
class Measure:
    """A measure of agreement, and its 95 % interval; None where it is not known."""

    value: float | None
    low: float | None = None
    high: float | None = None

    @classmethod
    def of(cls, values: Array) -> Self:
        """Take its value for all texts, and then for each resample."""
        known = values[np.isfinite(values)]
        if not len(known) or not np.isfinite(values[0]):
            return cls(None)
        low, high = np.quantile(known[1:], (0.025, 0.975)).tolist() if len(known) > 1 else (None, None)
        return cls(float(values[0]), low, high)


@dataclass(frozen=True)
class Ratings:
    """Who says what of which text."""

    people: list[str]  # in alphabetical order, as categories are
    categories: list[str]
    chosen: NDArray[np.intp]  # (n_texts, n_people), the category of each answer, -1 where there is none

    @classmethod
    def of(cls, answers: Iterable[Answer]) -> Self:
        """Take the newest answer of each person about each text; several categories are one of their own."""
        answers = list(answers)
        usual: dict[str, str] = {}  # each name as it is written most often
        parts = Counter(part.strip() for answer in answers for part in answer.answer.split(";"))
        for part, _ in parts.most_common():
            if part and Names.listed([]).label(part) is None:
                usual.setdefault(in_any_case(part), part)
        names = Names.listed(usual.values())
        texts_of_id: defaultdict[str, list[str]] = defaultdict(list)
        for id, text in dict.fromkeys((answer.id, answer.text) for answer in answers if answer.text):
            texts_of_id[id].append(text)
        by_text: defaultdict[str, dict[str, str]] = defaultdict(dict)
        for text, answer in newest(answers, Documents({}, texts_of_id)):
            label = names.label(answer.answer)
            if label not in (SKIPPED, WITHDRAWN):
                label = tuple(sorted(map(str, label))) if isinstance(label, tuple) else label
                by_text[text or f"\n{answer.id}"][answer.by] = written(label or answer.answer)
        people = sorted({by for row in by_text.values() for by in row})
        categories = sorted({label for row in by_text.values() for label in row.values()})
        number = {label: place for place, label in enumerate(categories)} | {"": -1}
        chosen = [[number[row.get(by, "")] for by in people] for row in by_text.values()]
        return cls(people, categories, np.array(chosen, dtype=np.intp).reshape(len(by_text), len(people)))


@dataclass(frozen=True)
class PersonAgreement:
    """How often a person agrees with the others, and the alpha of the others alone."""

    person: str
    answers: int  # about texts that others have answered, too
    agreement: Measure
    alpha_without: float | None


@dataclass(frozen=True)
class PairAgreement:
    """How far two people agree on the texts that both have answered."""

    first: str
    second: str
    texts: int
    agreement: Measure
    kappa: Measure  # Cohen's


@dataclass(frozen=True)
class CategoryAgreement:
    """How often others say a category, too, where one says it, and its alpha against all other categories."""

    category: str
    answers: int
    agreement: Measure
    alpha: Measure


@dataclass(frozen=True)
class Confusion:
    """Two categories that people say of the same texts."""

    first: str
    second: str
    texts: int
    share: float  # of the texts of which somebody says one of them


@dataclass(frozen=True)
class Agreement:
    """How far people agree."""

    texts: int  # with answers of at least two people
    answers: int  # about these texts
    percent: Measure  # of all people together, as the next two
    fleiss: Measure
    alpha: Measure
    people: list[PersonAgreement]
    pairs: list[PairAgreement]  # who have answered the same texts
    categories: list[CategoryAgreement]
    confusions: list[Confusion]  # the most frequent first

    def as_dict(self) -> dict[str, Any]:
        """Return all values, for JSON."""
        return asdict(self)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield one row for each measure, with `COLUMNS`."""
        rows: list[tuple[str, str, str, str, int | None, Measure]] = [
            ("all", "", "", name, self.texts, getattr(self, name)) for name in ("percent", "fleiss", "alpha")
        ]
        for person in self.people:
            rows.append(("person", person.person, "", "percent", person.answers, person.agreement))
            rows.append(("person", person.person, "", "alpha_without", None, Measure(person.alpha_without)))
        for pair in self.pairs:
            rows.append(("pair", pair.first, pair.second, "percent", pair.texts, pair.agreement))
            rows.append(("pair", pair.first, pair.second, "cohen", pair.texts, pair.kappa))
        for category in self.categories:
            rows.append(("category", category.category, "", "percent", None, category.agreement))
            rows.append(("category", category.category, "", "alpha", None, category.alpha))
        for one in self.confusions:
            rows.append(("confusion", one.first, one.second, "share", one.texts, Measure(one.share)))
        for *cells, measure in rows:
            yield dict(zip(COLUMNS, (*cells, *asdict(measure).values()), strict=True))


def agreement(ratings: Ratings) -> Agreement:
    """Measure how far people agree."""
    several = ratings.chosen[(ratings.chosen >= 0).sum(axis=1) > 1]
    if not len(several):
        reason = f"no text has answers of two of {number_of(len(ratings.people), 'person', 'people')}"
        if len(ratings.people) == 1:
            reason = f"all answers are of {ratings.people[0]}"
        raise InputError(f"{reason}: give answers of at least two people about the same texts.")
    random = np.random.default_rng(0)
    # Texts with the same answers are alike: only how often each kind of them is drawn has to be known.
    kinds, n_texts = np.unique(several, axis=0, return_counts=True)
    n_people, n_categories = len(ratings.people), len(ratings.categories)
    counts = _counts(kinds, n_categories)
    answered = kinds >= 0
    own = np.take_along_axis(counts, np.maximum(kinds, 0), axis=1)  # as many say what each person says
    others = np.where(answered, (own - 1) / (counts.sum(axis=1, keepdims=True) - 1), 0.0)
    sums = _resampled(np.hstack([_sums(counts), others, answered]), n_texts, random)
    of_all, agreeing, n_answers = np.split(sums, np.cumsum([3 * n_categories + 2, n_people]), axis=1)
    percent, fleiss, alpha, shares, alphas = _measures(of_all, n_categories)
    with np.errstate(invalid="ignore"):
        by_person = agreeing / n_answers
    without = [
        _alpha_of(np.delete(several, place, axis=1), n_categories) if n_people > 2 else None
        for place in range(n_people)
    ]
    total = _counts(several, n_categories).sum(axis=0).astype(int).tolist()
    return Agreement(
        texts=len(several),
        answers=sum(total),
        percent=Measure.of(percent),
        fleiss=Measure.of(fleiss),
        alpha=Measure.of(alpha),
        people=[
            PersonAgreement(name, int(n_answers[0, k]), Measure.of(by_person[:, k]), without[k])
            for k, name in enumerate(ratings.people)
        ],
        pairs=list(_pairs(ratings.people, several, n_categories, random)),
        categories=[
            CategoryAgreement(name, total[k], Measure.of(shares[:, k]), Measure.of(alphas[:, k]))
            for k, name in enumerate(ratings.categories)
            if total[k]
        ],
        confusions=_confusions(ratings.categories, counts > 0, n_texts),
    )


def _counts(chosen: NDArray[np.intp], n_categories: int) -> Array:
    """Count how many say each category of each text."""
    return np.stack([(chosen == k).sum(axis=1) for k in range(n_categories)], axis=1).astype(np.float64)


def _resampled(features: Array, n_texts: NDArray[np.intp], random: np.random.Generator) -> Array:
    """Return the sums of features over all texts, and then over each resample of them."""
    total = n_texts.sum()
    parts = [n_texts[None] @ features]
    step = max(1, _AT_ONCE // len(n_texts))
    for begin in range(0, N_RESAMPLES, step):
        size = min(step, N_RESAMPLES - begin)
        parts.append(random.multinomial(total, n_texts / total, size=size) @ features)
    return np.vstack(parts)


def _sums(counts: Array) -> Array:
    """Return what texts add to the sums of which `_measures` are made."""
    m = counts.sum(axis=1, keepdims=True)
    agreeing = counts * (counts - 1) / (m - 1)
    return np.hstack([np.ones_like(m), agreeing.sum(axis=1, keepdims=True) / m, counts / m, counts, agreeing])


def _measures(sums: Array, n_categories: int) -> tuple[Array, Array, Array, Array, Array]:
    """Return percent agreement, Fleiss' kappa, alpha, and the agreement and alpha of each category."""
    edges = np.cumsum([1, 1, n_categories, n_categories])
    n_texts, pairs, shares, n_c, agreeing = np.split(sums, edges, axis=1)
    n = n_c.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        percent = (pairs / n_texts)[:, 0]
        by_chance = ((shares / n_texts) ** 2).sum(axis=1)
        expected = 1 - (n_c * (n_c - 1)).sum(axis=1) / (n * (n - 1))
        alpha = _above_chance(agreeing.sum(axis=1) / n, 1 - expected)
        rest = n[:, None] - n_c
        alphas = 1 - (n_c - agreeing) * (n[:, None] - 1) / (n_c * rest)
        return percent, _above_chance(percent, by_chance), alpha, agreeing / n_c, alphas


def _above_chance(agreeing: Array, by_chance: Array) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(by_chance < 1 - 1e-12, (agreeing - by_chance) / (1 - by_chance), np.nan)


def _alpha_of(chosen: NDArray[np.intp], n_categories: int) -> float | None:
    counts = _counts(chosen, n_categories)
    sums = _sums(counts[counts.sum(axis=1) > 1]).sum(axis=0, keepdims=True)
    return Measure.of(_measures(sums, n_categories)[2]).value


def _pairs(
    people: Sequence[str], chosen: NDArray[np.intp], n_categories: int, random: np.random.Generator
) -> Iterator[PairAgreement]:
    for first, second in combinations(range(len(people)), 2):
        both = chosen[(chosen[:, first] >= 0) & (chosen[:, second] >= 0)][:, [first, second]]
        if not len(both):
            continue
        kinds, n_texts = np.unique(both, axis=0, return_counts=True)
        one, other = np.eye(n_categories)[kinds.T]
        features = np.hstack([(kinds[:, :1] == kinds[:, 1:]), one, other])
        shares = _resampled(features, n_texts, random) / len(both)
        agreeing, (by_one, by_other) = shares[:, 0], np.split(shares[:, 1:], 2, axis=1)
        kappa = _above_chance(agreeing, (by_one * by_other).sum(axis=1))
        yield PairAgreement(people[first], people[second], len(both), Measure.of(agreeing), Measure.of(kappa))


def _confusions(
    categories: Sequence[str], present: NDArray[np.bool_], n_texts: NDArray[np.intp]
) -> list[Confusion]:
    together: Counter[tuple[int, int]] = Counter()
    for kind, count in zip(present, n_texts.tolist(), strict=True):
        together.update(dict.fromkeys(combinations(np.flatnonzero(kind).tolist(), 2), count))
    alone = (n_texts @ present).tolist()
    of_pairs = [
        Confusion(categories[one], categories[other], both, both / (alone[one] + alone[other] - both))
        for (one, other), both in together.items()
    ]
    return sorted(of_pairs, key=lambda pair: (-pair.texts, -pair.share, pair.first, pair.second))
