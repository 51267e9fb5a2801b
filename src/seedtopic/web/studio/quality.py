"""How good the labels are: a blind sample that a person checks, and a column of known labels to compare with.

The workspace keeps which documents were drawn; the answers are in the ledger, as all others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Self

import numpy as np

from seedtopic.answers.sheet import SheetLabels
from seedtopic.base.errors import InputError
from seedtopic.io.rows import Rows
from seedtopic.quality.audit import LEAST_CHECKS, Draw, draw, draws, estimate_population
from seedtopic.quality.scores import CategoryScore
from seedtopic.seeds.names import NONE_OF_THESE, WITHDRAWN, Label
from seedtopic.web.studio.answered import Answered
from seedtopic.web.studio.documents import Collection, Column, Columns
from seedtopic.web.studio.draft import Draft
from seedtopic.web.studio.edits import Request
from seedtopic.web.studio.labels import Labels

MOST_CHECKS = 200


@dataclass(frozen=True)
class Check:
    """A document to check."""

    mark: str  # of its text, see `Answered.mark`
    how: str  # the way in which its answer comes, which says how it was drawn, see `Draw`
    label: str  # what it was labelled when the sample was drawn
    document: int | None = None  # None if no document has its text any more

    @property
    def drawn(self) -> Draw:
        read = Draw.of(self.how)
        if read is None:
            raise ValueError("its sample is damaged")
        return read


@dataclass(frozen=True)
class StudioSample:
    """A blind sample, and what must be known of the other documents."""

    revision: int  # the revision of the draft whose labels are judged
    checks: tuple[Check, ...]
    labelled: Mapping[str, int]  # how many documents had each label
    used: bool = False  # whether the answers count as confirmed labels, which ends the sample

    @classmethod
    def of(
        cls,
        draft: Draft,
        labels: Labels,
        n: int,
        random_state: int,
        documents: Rows,
        mark: Callable[[int], str],
    ) -> Self:
        """Draw a sample of the labels that no person has confirmed."""
        open_to_doubt = labels.known.copy()
        open_to_doubt[list(draft.confirmed)] = False
        rows = np.flatnonzero(open_to_doubt)
        if len(rows) < LEAST_CHECKS:
            raise InputError(
                f"{len(rows)} documents have a label that is not confirmed: an audit needs at least "
                f"{LEAST_CHECKS}."
            )
        names = {category.key: category.name for category in draft.categories}
        name_of = [names[key] for key in labels.key[rows].tolist()]
        probabilities = labels.probability[rows]
        sample = draw(probabilities, n, random_state=random_state)
        sheet = SheetLabels(rows, name_of, probabilities, [None] * len(rows), list(names.values()), None)
        ways = zip(sample.documents.tolist(), draws(sheet, sample, documents), strict=True)
        checks = [Check(mark(int(rows[place])), how, name_of[place], int(rows[place])) for place, how in ways]
        counts = Counter(name_of)
        labelled = {names[key]: counts[names[key]] for key in labels.keys.tolist()}
        return cls(labels.revision, tuple(checks), labelled)

    @property
    def ways(self) -> frozenset[str]:
        """The ways in which answers come that do not count for the model yet."""
        return frozenset() if self.used else frozenset(check.how for check in self.checks)

    def check_of(self, document: Any) -> Check:
        if self.used:
            raise InputError("these answers are confirmed labels now: draw a new sample.")
        for check in self.checks:
            if check.document is not None and check.document == document:
                return check
        raise InputError(f"document {document!r:.60} is not in the sample.")

    def answers(self, answered: Answered) -> dict[str, Label]:
        """Return what a person has said last, by the way in which the answer came."""
        ways = {check.how for check in self.checks}
        last = {answer.how: answer.answer for answer in answered.ledger if answer.how in ways}
        labels = {how: answered.label(answer) for how, answer in last.items()}
        return {how: label for how, label in labels.items() if label is not None and label != WITHDRAWN}

    def result(self, answered: Answered) -> dict[str, Any] | None:
        """Return the estimates with their intervals; None before there are enough answers."""
        answers = self.answers(answered)
        done = [check for check in self.checks if check.how in answers]
        sizes, strata = self.checks[0].drawn.sizes, np.array([check.drawn.stratum for check in done], np.intp)
        if len(done) < min(LEAST_CHECKS, len(self.checks)) or len(np.unique(strata)) < len(sizes):
            return None
        labelled: Counter[str] = Counter()  # by the names of today
        for name, count in self.labelled.items():
            labelled[_today(name, answered)] += count
        place = {name: number for number, name in enumerate(labelled)}
        predicted = np.array([place[_today(check.label, answered)] for check in done], np.intp)
        theirs = [_one(answers[check.how], check.label) for check in done]
        true = np.array([place.get(name, len(place)) for name in theirs], np.intp)
        of_all = np.array(sizes), np.array([*labelled.values(), 0])
        return estimate_population([*labelled, None], *of_all, strata, predicted, true).as_dict()

    def as_dict(
        self, answered: Answered, labels: Labels | None, name_of: Callable[[int], str]
    ) -> dict[str, Any]:
        """Return plain values; the label of a document is told after its answer alone."""
        answers = self.answers(answered)
        documents = []
        for check in self.checks:
            if check.document is None:
                continue
            is_answered, label = check.how in answers, _today(check.label, answered)
            answer = _one(answers[check.how], label) if is_answered else None
            documents.append(
                {
                    "id": check.document,
                    "name": name_of(check.document),
                    "answered": is_answered,
                    "answer": None if answer == NONE_OF_THESE else answer,
                    "label": label if is_answered else None,
                    "right": answer == label if is_answered else None,
                }
            )
        return {
            "documents": documents,
            "answered": len(answers),
            "used": self.used,
            "changed": labels is not None and labels.revision != self.revision,
            "result": self.result(answered),
        }

    def data(self) -> dict[str, Any]:
        """Return what the workspace keeps."""
        return {
            "revision": self.revision,
            "checks": [[check.mark, check.how, check.label] for check in self.checks],
            "labelled": [[name, count] for name, count in self.labelled.items()],
            "used": self.used,
        }

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Self:
        """Read what `data` gave, and refuse what no draw can have given: a workspace may be anybody's."""
        checks = tuple(Check(str(mark), str(how), str(label)) for mark, how, label in data["checks"])
        labelled = {str(name): int(count) for name, count in data["labelled"]}
        drawn = [check.drawn for check in checks]
        per_stratum = Counter(one.stratum for one in drawn)
        if not (
            0 < len({check.how for check in checks}) == len(checks) <= MOST_CHECKS
            and len({(one.labels, one.sizes) for one in drawn}) == 1
            and all(n_drawn <= drawn[0].sizes[stratum - 1] for stratum, n_drawn in per_stratum.items())
            and all(check.label in labelled for check in checks)
            and min(labelled.values()) >= 0
            and sum(labelled.values()) == sum(drawn[0].sizes)
        ):
            raise ValueError("its sample is damaged")
        return cls(int(data["revision"]), checks, labelled, bool(data["used"]))

    def with_answers(self, answered: Answered) -> Self:
        """Find the documents of the checks, which may have other rows than when the sample was drawn."""
        documents = answered.documents_of({check.mark for check in self.checks})
        return replace(
            self, checks=tuple(replace(check, document=documents.get(check.mark)) for check in self.checks)
        )


def _today(name: str, answered: Answered) -> str:
    """Return what a category is called today."""
    label = answered.label(name)
    return name if label is None else str(label)


def _one(answer: Label, label: str) -> str:
    """Return the category that an answer names; of several the one that was predicted, or the first."""
    if not isinstance(answer, tuple):
        return str(answer)
    return label if label in answer else str(answer[0])


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


def agreement(column: Column, draft: Draft, labels: Labels) -> Agreement:
    """Compare labels with a column; a value means the category of that name, in whatever case of letters."""
    now = {category.key: category.name for category in draft.categories}
    fitted = zip(labels.keys.tolist(), labels.seeds.names, strict=True)
    names = [now.get(key, str(name)) for key, name in fitted]
    number = {name.strip().casefold(): place for place, name in enumerate(names)}
    n_names = len(names)
    meaning = [number.get(value.casefold(), n_names) if value else -1 for value in column.values]
    true = np.array(meaning, np.intp)[column.codes]
    compared = true >= 0
    compared[list(draft.confirmed)] = False
    # A document without a label is wrong.
    predicted, true = np.where(labels.known, labels.best, n_names + 1)[compared], true[compared]
    right = true[true == predicted]
    counts = (np.bincount(of, minlength=n_names + 2)[:n_names] for of in (true, predicted, right))
    n_true, n_given, n_right = counts
    with np.errstate(invalid="ignore"):
        shares = [np.nan_to_num(n_right / of) for of in (n_given, n_true, (n_given + n_true) / 2.0)]
    columns = (names, *(share.tolist() for share in shares), n_true.tolist())
    scores = [CategoryScore(*row) for row in zip(*columns, strict=True)]
    others = true == n_names
    meant = np.bincount(column.codes[compared][others], minlength=len(column.values))
    most = np.argsort(-meant, kind="stable")[:SHOWN]
    return Agreement(
        column.name,
        len(true),
        len(right) / len(true) if len(true) else None,
        float(shares[2].mean()) if len(true) else None,
        scores,
        int(others.sum()),
        [column.values[place] for place in most.tolist() if meant[place]],
    )


@dataclass(frozen=True)
class Quality:
    """What a person has asked about the quality of the labels."""

    compared: str | None = None  # the column of known labels
    audit: StudioSample | None = None
    draws: int = 0  # how many samples were drawn, so that each is another one

    def as_dict(
        self, collection: Collection, answered: Answered, draft: Draft, labels: Labels | None
    ) -> dict[str, Any]:
        compared = None
        if self.compared is not None and labels is not None:
            compared = asdict(agreement(collection.columns[self.compared], draft, labels))
        audit = None if self.audit is None else self.audit.as_dict(answered, labels, collection.name_of)
        return {"compared": self.compared, "agreement": compared, "audit": audit}

    @property
    def ways(self) -> frozenset[str]:
        """The ways in which answers come that do not count for the model yet."""
        return frozenset() if self.audit is None else self.audit.ways

    def data(self) -> dict[str, Any]:
        """Return what the workspace keeps."""
        audit = None if self.audit is None else self.audit.data()
        return {"compared": self.compared, "audit": audit, "draws": self.draws}

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Self:
        compared, audit, draws = data["compared"], data["audit"], int(data["draws"])
        if draws < 0:
            raise ValueError(f"{draws} samples were drawn")
        return cls(
            None if compared is None else str(compared),
            None if audit is None else StudioSample.from_data(audit),
            draws,
        )

    def known(self, columns: Columns, answered: Answered) -> Self:
        """Forget a column that the file no longer has, and find the documents of the sample."""
        there = self.compared in {column.name for column in columns}
        audit = None if self.audit is None else self.audit.with_answers(answered)
        return replace(self, compared=self.compared if there else None, audit=audit)


def judged(
    quality: Quality,
    request: Request,
    collection: Collection,
    answered: Answered,
    draft: Draft,
    labels: Labels | None,
) -> Quality:
    """Do what a person asks: compare with a column, draw a sample, use its answers, or end it."""
    action, audit = request.get("action"), quality.audit
    if action == "compare":
        return compared_with(quality, request.get("column"), collection.columns)
    if action == "draw":
        n = request.get("n")
        if isinstance(n, bool) or not isinstance(n, int) or not LEAST_CHECKS <= n <= MOST_CHECKS:
            raise InputError(f"n is {n!r:.60}: give a whole number from {LEAST_CHECKS} to {MOST_CHECKS}.")
        if labels is None or not labels.settled:
            raise InputError("the labels are not ready yet: draw the sample when the fit is done.")
        audit = StudioSample.of(draft, labels, n, quality.draws, collection.documents, answered.mark)
        return replace(quality, audit=audit, draws=quality.draws + 1)
    if action == "use":  # the answers count as confirmed labels: the documents of the sample are known now
        if audit is None or audit.used or not audit.answers(answered):
            raise InputError("there are no answers to use: draw a sample and check it first.")
        return replace(quality, audit=replace(audit, used=True))
    if action == "end":
        return replace(quality, audit=None)
    raise InputError(
        f"the action {action!r:.60} is unknown: use one of compare, draw, use, end, answer, forget."
    )


def compared_with(quality: Quality, column: Any, columns: Columns) -> Quality:
    """Compare the labels with a column of known labels, or no longer with any."""
    if column is not None and len(values := columns[str(column)].values) > MOST_LABELS + 1:
        raise InputError(
            f"the column {column!r} has {len(values):,} different values: labels are compared with a column "
            f"of at most {MOST_LABELS}."
        )
    return replace(quality, compared=column)
