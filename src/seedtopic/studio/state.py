"""The state of a studio, as it is sent to the page."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from seedtopic.models.estimates import accuracy_sentence
from seedtopic.studio.advice import Advice
from seedtopic.studio.collection import Collection
from seedtopic.studio.draft import Draft
from seedtopic.studio.history import History
from seedtopic.studio.labels import Changes, Labels
from seedtopic.studio.quality import Quality
from seedtopic.studio.reach import reach


@dataclass(frozen=True)
class FitStatus:
    """The progress of the fit, with a message if it failed or cannot start."""

    status: Literal["idle", "waiting", "running", "failed"] = "idle"
    stage: str = ""
    done: int = 0
    total: int = 0
    message: str | None = None

    def as_dict(self, labels: Labels | None, revision: int) -> dict[str, Any]:
        """Return plain values, including what is known about the labels on screen."""
        return {
            "status": self.status,
            "revision": -1 if labels is None else labels.revision,
            "stage": self.stage,
            "done": self.done,
            "total": self.total,
            "on": "all" if labels is None else labels.on,
            "settled": labels is not None and labels.settled and labels.revision == revision,
            "seconds": 0.0 if labels is None else round(labels.seconds, 2),
            "message": self.message,
        }


@dataclass(frozen=True)
class SessionState:
    """The parts of a session's state, read at the same time."""

    history: History
    labels: Labels | None
    changes: Changes | None
    advice: Advice
    quality: Quality
    fit: FitStatus
    workspace: Path | None
    saved: bool


def state_of(collection: Collection, moment: SessionState) -> dict[str, Any]:
    """Return everything the page shows except the documents."""
    history, labels, changes = moment.history, moment.labels, moment.changes
    draft = history.present
    names = {category.key: category.name for category in draft.categories}
    labelable = collection.labelable if labels is None else labels.labelable
    moved = None
    if changes is not None and labels is not None:
        moved = changes.as_dict(labels.key, names, list(names), collection.name_of)
    return {
        "revision": history.revision,
        "documents": {
            "name": collection.name,
            "total": len(collection),
            "without_text": labelable.without_text,
            "without_known_word": labelable.without_known_word,
        },
        "categories": _categories(collection, draft, labels, moment.advice),
        "estimate": _estimate(labels),
        "quality": moment.quality.as_dict(collection.columns, collection.name_of, draft, labels),
        "warnings": [*moment.advice.general, *([] if labels is None else labels.advice)],
        "undo": history.undo,
        "redo": history.redo,
        "fit": moment.fit.as_dict(labels, history.revision),
        "changes": moved,
        "confirmed": len(draft.confirmed),
        "workspace": None if moment.workspace is None else moment.workspace.name,
        "saved": moment.saved,
    }


def _estimate(labels: Labels | None) -> dict[str, Any] | None:
    """Return how many labels are right, as a number and as a sentence."""
    if labels is None or labels.estimate is None:
        return None
    accuracy = labels.estimate.accuracy
    return {"accuracy": accuracy, "sentence": accuracy_sentence(accuracy)}


def _categories(
    collection: Collection, draft: Draft, labels: Labels | None, advice: Advice
) -> list[dict[str, Any]]:
    reached = reach(collection, draft)
    sizes, right = ({}, {}) if labels is None else (labels.sizes, labels.precisions)
    doubts = {} if labels is None else labels.doubts
    parents = {category.parent for category in draft.categories}
    return [
        {
            "name": category.name,
            "size": sizes.get(category.key, 0),
            "right": right.get(category.key),
            "reached": reached.categories[place],
            "words": [
                {
                    "word": word.word,
                    "weight": word.weight,
                    "excluded": word.excluded,
                    "documents": reached.words[word.word],
                    "warnings": advice.of_word(category, word, reached.words[word.word]),
                }
                for word in category.words
            ],
            "warnings": [
                *advice.of_category(category, is_parent=category.name in parents),
                *([doubts[category.key]] if category.key in doubts else []),
            ],
        }
        for place, category in enumerate(draft.categories)
    ]
