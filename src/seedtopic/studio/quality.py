"""How good the labels are: an audit, and a column of known labels to compare with.

Both are kept with the workspace, and neither reaches a model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from seedtopic.audit.sampling import LEAST_CHECKS
from seedtopic.base.errors import InputError
from seedtopic.studio.agreement import agreement, check_comparable
from seedtopic.studio.auditing import MOST_CHECKS, NONE, StudioAudit
from seedtopic.studio.checking import Request, category_to_confirm
from seedtopic.studio.columns import Columns
from seedtopic.studio.draft import Draft
from seedtopic.studio.labels import Labels


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
    if column is not None:
        check_comparable(columns[str(column)])
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
