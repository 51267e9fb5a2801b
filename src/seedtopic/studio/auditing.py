"""An audit in the studio: a random sample that a person checks without seeing the labels.

The answers are kept apart from the confirmed labels: a model that had learned from them would be right about
these documents, and the estimate would be too high. The labels that are judged are those at the time of the
draw.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from seedtopic.audit.estimates import Population, estimate_population
from seedtopic.audit.sampling import LEAST_CHECKS, draw, strata_of
from seedtopic.base.errors import InputError
from seedtopic.studio.draft import Draft
from seedtopic.studio.labels import Labels

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
        strata, given, true = (
            np.array(values, np.intp)
            for values in zip(
                *(
                    (check.stratum, place[check.key], place.get(self.answers[check.document], len(place)))
                    for check in done
                ),
                strict=True,
            )
        )
        population = Population(np.array(self.sizes), labelled)
        return estimate_population([*self.names.values(), None], population, strata, given, true).as_dict()

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
