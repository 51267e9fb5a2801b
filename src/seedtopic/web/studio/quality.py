"""How good the labels are: an audit, and a column of known labels to compare with.

Both are kept with the workspace, and neither reaches a model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Self

import numpy as np

from seedtopic.base.errors import InputError
from seedtopic.quality.audit import LEAST_CHECKS, Population, draw, estimate_population, strata_of
from seedtopic.quality.scores import CategoryScore
from seedtopic.web.studio.documents import Column, Columns
from seedtopic.web.studio.draft import Draft
from seedtopic.web.studio.edits import Request, category_to_confirm
from seedtopic.web.studio.labels import Labels

MOST_CHECKS = 200
NONE = 0  # the answer "none of these"; the keys of categories begin at 1


@dataclass(frozen=True)
class Check:
    """A document to check: its stratum, and the key of its label when the sample was drawn."""

    document: int
    stratum: int
    key: int


@dataclass(frozen=True)
class StudioAudit:
    """A sample, what must be known of the other documents, and the answers so far."""

    revision: int  # the revision of the draft whose labels are judged
    checks: tuple[Check, ...]
    sizes: tuple[int, ...]  # how many documents each stratum has
    labelled: Mapping[int, int]  # how many documents have each label, by its key
    names: Mapping[int, str]  # the names of the categories at that moment, by their keys
    answers: Mapping[int, int] = field(default_factory=dict)  # a key or `NONE` by document
    used: bool = False  # whether the answers have become confirmed labels, which ends the audit

    @classmethod
    def of(cls, draft: Draft, labels: Labels, n: int, random_state: int) -> Self:
        """Draw a sample of the labels that no person has confirmed."""
        open_to_doubt = labels.known.copy()
        open_to_doubt[list(draft.confirmed)] = False
        rows = np.flatnonzero(open_to_doubt)
        if len(rows) < LEAST_CHECKS:
            raise InputError(
                f"{len(rows)} documents have a label that is not confirmed: an audit needs at least "
                f"{LEAST_CHECKS}."
            )
        probabilities, keys = labels.probability[rows], labels.key[rows]
        sample = draw(probabilities, n, random_state=random_state)
        checks = tuple(
            Check(int(rows[place]), int(stratum), int(keys[place]))
            for place, stratum in zip(sample.documents.tolist(), sample.strata.tolist(), strict=True)
        )
        sizes = np.bincount(strata_of(probabilities))[1:]
        names = {category.key: category.name for category in draft.categories}
        return cls(
            labels.revision,
            checks,
            tuple(sizes.tolist()),
            {key: int((keys == key).sum()) for key in labels.keys.tolist()},
            {key: names[key] for key in labels.keys.tolist()},
        )

    def answered(self, document: Any, key: int | None) -> Self:
        """Take an answer, or take it back if the key is None."""
        if self.used:
            raise InputError("these answers are confirmed labels now: draw a new sample.")
        if not isinstance(document, int) or document not in {check.document for check in self.checks}:
            raise InputError(f"document {document!r:.60} is not in the sample.")
        left = {place: answer for place, answer in self.answers.items() if place != document}
        return replace(self, answers=left if key is None else {**left, document: key})

    def result(self) -> dict[str, Any] | None:
        """Return the estimates with their intervals; None before there are enough answers."""
        done = [check for check in self.checks if check.document in self.answers]
        if len(done) < min(LEAST_CHECKS, len(self.checks)):
            return None
        place = {key: number for number, key in enumerate(self.names)}
        labelled = np.array([*(self.labelled[key] for key in self.names), 0])
        strata = np.array([check.stratum for check in done], np.intp)
        predicted = np.array([place[check.key] for check in done], np.intp)
        true = np.array([place.get(self.answers[check.document], len(place)) for check in done], np.intp)
        population = Population(np.array(self.sizes), labelled)
        names = [*self.names.values(), None]
        return estimate_population(names, population, strata, predicted, true).as_dict()

    def as_dict(self, draft: Draft, labels: Labels | None, name_of: Callable[[int], str]) -> dict[str, Any]:
        """Return plain values; the label of a document is told after its answer alone."""
        names = {**self.names, **{category.key: category.name for category in draft.categories}, NONE: None}
        documents = []
        for check in self.checks:
            answered = check.document in self.answers
            documents.append(
                {
                    "id": check.document,
                    "name": name_of(check.document),
                    "answered": answered,
                    "answer": names.get(self.answers[check.document]) if answered else None,
                    "label": names.get(check.key) if answered else None,
                    "right": self.answers[check.document] == check.key if answered else None,
                }
            )
        return {
            "documents": documents,
            "answered": len(self.answers),
            "used": self.used,
            "changed": labels is not None and labels.revision != self.revision,
            "result": self.result(),
        }

    def data(self) -> dict[str, Any]:
        """Return what the workspace keeps."""
        return {
            "revision": self.revision,
            "checks": [[check.document, check.stratum, check.key] for check in self.checks],
            "sizes": list(self.sizes),
            "categories": [[key, name, self.labelled[key]] for key, name in self.names.items()],
            "answers": [[document, key] for document, key in self.answers.items()],
            "used": self.used,
        }

    def check(self, total: int | None) -> None:
        """Refuse what no draw from so many documents can have given: a workspace may be anybody's."""
        documents = {check.document for check in self.checks}
        drawn = Counter(check.stratum for check in self.checks)
        sizes = dict(enumerate(self.sizes, start=1))
        counts = [*self.sizes, *self.labelled.values()]
        if not (
            0 < len(documents) == len(self.checks) <= MOST_CHECKS
            and all(document >= 0 and (total is None or document < total) for document in documents)
            and all(n_drawn <= sizes.get(stratum, 0) for stratum, n_drawn in drawn.items())
            and all(check.key in self.names for check in self.checks)
            and documents.issuperset(self.answers)
            and min(counts) >= 0
            and sum(self.labelled.values()) == sum(self.sizes)
            and (total is None or sum(self.sizes) <= total)
        ):
            raise ValueError("its audit is damaged")

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Self:
        """Read what `data` gave."""
        return cls(
            int(data["revision"]),
            tuple(Check(int(document), int(stratum), int(key)) for document, stratum, key in data["checks"]),
            tuple(int(size) for size in data["sizes"]),
            {int(key): int(count) for key, _, count in data["categories"]},
            {int(key): str(name) for key, name, _ in data["categories"]},
            {int(document): int(key) for document, key in data["answers"]},
            bool(data["used"]),
        )


MOST_LABELS = 500  # different values of a column that can be known labels
SHOWN = 5  # values named that are not categories


@dataclass(frozen=True)
class Agreement:
    """How far labels agree with a column."""

    column: str
    documents: int  # how many documents are compared
    accuracy: float | None  # None if there is nothing to compare
    macro_f1: float | None  # None if there is nothing to compare
    categories: list[CategoryScore]
    others: int  # how many of the compared documents have a value that is not a category
    other_values: list[str]  # the most frequent of these values

    def as_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return asdict(self)


def agreement(column: Column, draft: Draft, labels: Labels) -> Agreement:
    """Compare labels with a column; a value means the category of that name, in whatever case of letters."""
    now = {category.key: category.name for category in draft.categories}
    names = [
        now.get(key, str(name)) for key, name in zip(labels.keys.tolist(), labels.seeds.names, strict=True)
    ]
    number = {name.strip().casefold(): place for place, name in enumerate(names)}
    n_names = len(names)
    meaning = [number.get(value.casefold(), n_names) if value else -1 for value in column.values]
    true = np.array(meaning, np.intp)[column.codes]
    compared = true >= 0
    compared[list(draft.confirmed)] = False
    # A document without a label is wrong.
    predicted, true = np.where(labels.known, labels.best, n_names + 1)[compared], true[compared]
    right = true[true == predicted]
    n_true, n_given, n_right = (
        np.bincount(of, minlength=n_names + 2)[:n_names] for of in (true, predicted, right)
    )
    with np.errstate(invalid="ignore"):
        precision, recall, f1 = (
            np.nan_to_num(n_right / of) for of in (n_given, n_true, (n_given + n_true) / 2.0)
        )
    scores = [
        CategoryScore(name, float(p), float(r), float(f), int(n))
        for name, p, r, f, n in zip(names, precision, recall, f1, n_true, strict=True)
    ]
    others = true == n_names
    counts = np.bincount(column.codes[compared][others], minlength=len(column.values))
    most = np.argsort(-counts, kind="stable")[:SHOWN]
    return Agreement(
        column.name,
        len(true),
        len(right) / len(true) if len(true) else None,
        float(f1.mean()) if len(true) else None,
        scores,
        int(others.sum()),
        [column.values[place] for place in most.tolist() if counts[place]],
    )


@dataclass(frozen=True)
class Quality:
    """What a person has asked about the quality of the labels."""

    compared: str | None = None  # the column of known labels
    audit: StudioAudit | None = None
    draws: int = 0  # how many samples were drawn, so that each is another one

    def as_dict(
        self, columns: Columns, name_of: Callable[[int], str], draft: Draft, labels: Labels | None
    ) -> dict[str, Any]:
        """Return plain values for the page."""
        compared = None
        if self.compared is not None and labels is not None:
            compared = agreement(columns[self.compared], draft, labels).as_dict()
        audit = None if self.audit is None else self.audit.as_dict(draft, labels, name_of)
        return {"compared": self.compared, "agreement": compared, "audit": audit}

    def data(self) -> dict[str, Any]:
        """Return what the workspace keeps."""
        audit = None if self.audit is None else self.audit.data()
        return {"compared": self.compared, "audit": audit, "draws": self.draws}

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Self:
        """Read what `data` gave."""
        compared, audit, draws = data["compared"], data["audit"], int(data["draws"])
        if draws < 0:
            raise ValueError(f"{draws} samples were drawn")
        return cls(
            None if compared is None else str(compared),
            None if audit is None else StudioAudit.from_data(audit),
            draws,
        )

    def known(self, columns: Columns) -> Self:
        """Forget a column that the file no longer has."""
        there = self.compared in {column.name for column in columns}
        return self if there else replace(self, compared=None)


def judged(
    quality: Quality, request: Request, columns: Columns, draft: Draft, labels: Labels | None
) -> Quality:
    """Do what a person asks: compare with a column, draw a sample, answer, or end the audit."""
    actions: dict[str, Callable[[], Quality]] = {
        "compare": lambda: compared_with(quality, request.get("column"), columns),
        "draw": lambda: _drawn(quality, request.get("n"), draft, labels),
        "answer": lambda: _answered(quality, request, _key(draft, request.get("category"))),
        "forget": lambda: _answered(quality, request, None),
        "end": lambda: replace(quality, audit=None),
    }
    action = request.get("action")
    if not isinstance(action, str) or action not in actions:
        raise InputError(f"the action {action!r:.60} is unknown: use one of {', '.join(actions)}, use.")
    return actions[action]()


def used(quality: Quality, draft: Draft) -> tuple[Quality, Draft]:
    """Make the answers of the audit confirmed labels, which ends the audit: its documents are known now."""
    audit = quality.audit
    if audit is None or audit.used or not audit.answers:
        raise InputError("there are no answers to use: draw a sample and check it first.")
    there = {category.key for category in draft.categories}
    answers = {
        document: () if key == NONE else (key,)
        for document, key in audit.answers.items()
        if key == NONE or key in there
    }
    ended = replace(quality, audit=replace(audit, used=True))
    return ended, replace(draft, confirmed={**draft.confirmed, **answers})


def compared_with(quality: Quality, column: Any, columns: Columns) -> Quality:
    """Compare the labels with a column of known labels, or no longer with any."""
    if column is not None and len(values := columns[str(column)].values) > MOST_LABELS + 1:
        raise InputError(
            f"the column {column!r} has {len(values):,} different values: labels are compared with a column "
            f"of at most {MOST_LABELS}."
        )
    return replace(quality, compared=column)


def _drawn(quality: Quality, n: Any, draft: Draft, labels: Labels | None) -> Quality:
    if isinstance(n, bool) or not isinstance(n, int) or not LEAST_CHECKS <= n <= MOST_CHECKS:
        raise InputError(f"n is {n!r:.60}: give a whole number from {LEAST_CHECKS} to {MOST_CHECKS}.")
    if labels is None or not labels.settled:
        raise InputError("the labels are not ready yet: draw the sample when the fit is done.")
    audit = StudioAudit.of(draft, labels, n, quality.draws)
    return replace(quality, audit=audit, draws=quality.draws + 1)


def _answered(quality: Quality, request: Request, key: int | None) -> Quality:
    if quality.audit is None:
        raise InputError("there is no audit: draw a sample first.")
    return replace(quality, audit=quality.audit.answered(request.get("document"), key))


def _key(draft: Draft, category: Any) -> int:
    return NONE if category is None else category_to_confirm(draft, category).key
