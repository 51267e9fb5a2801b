"""The edits that say what documents are: one category, several or none; one document or many."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from seedtopic.base.errors import InputError
from seedtopic.studio.draft import Draft, DraftCategory

Request = Mapping[str, Any]
Edit = tuple[Draft, str]

MOST_LABELS = 20  # of one document


def confirm(draft: Draft, request: Request, n_documents: int) -> Edit:
    """Confirm what a document is."""
    document = whole_number("document", request.get("document"), n_documents - 1)
    labels = request["labels"] if "labels" in request else _one(request.get("label"))
    left = {place: keys for place, keys in draft.confirmed.items() if place != document}
    if labels is None:
        if document not in draft.confirmed:
            raise InputError(f"document {document} has no confirmed label.")
        return replace(draft, confirmed=left), f"remove the confirmed label of document {document}"
    if not isinstance(labels, list) or len(labels) > MOST_LABELS:
        raise InputError(f"labels is {labels!r:.60}: give a list of at most {MOST_LABELS} categories.")
    chosen = list(dict.fromkeys(category_to_confirm(draft, label).key for label in labels))
    named = " and ".join(map(str, labels)) or "none of these"
    confirmed = {**left, document: tuple(chosen)}
    return replace(draft, confirmed=confirmed), f"confirm document {document} as {named}"


def confirm_many(draft: Draft, answers: Mapping[int, int]) -> Edit:
    """Confirm many documents in one step; `answers` gives the key of the category of each."""
    keys = {category.key: (category.key,) for category in draft.categories}
    fresh = {
        document: keys[key]
        for document, key in answers.items()
        if document not in draft.confirmed and key in keys
    }
    if not fresh:
        raise InputError("there is no document left to confirm: all have a confirmed label, or none at all.")
    documents = "1 document" if len(fresh) == 1 else f"{len(fresh):,} documents"
    return replace(draft, confirmed={**draft.confirmed, **fresh}), f"confirm {documents}"


def category_to_confirm(draft: Draft, name: Any) -> DraftCategory:
    """Find a category that documents can be confirmed as: one without children."""
    category = draft.category(name)
    if any(other.parent == category.name for other in draft.categories):
        raise InputError(f"{category.name!r} is the parent of other categories: choose one of those.")
    return category


def kept_confirmed(draft: Draft, keys: set[int]) -> dict[int, tuple[int, ...]]:
    """Return what stays confirmed if only some categories stay."""
    kept = {
        document: tuple(key for key in confirmed if key in keys)
        for document, confirmed in draft.confirmed.items()
    }
    return {document: left for document, left in kept.items() if left or not draft.confirmed[document]}


def whole_number(name: str, given: Any, most: int) -> int:
    """Check a whole number from 0 to `most`."""
    if isinstance(given, bool) or not isinstance(given, int) or not 0 <= given <= most:
        raise InputError(f"{name} is {given!r:.60}: give a whole number from 0 to {most}.")
    return given


def _one(label: Any) -> list[Any] | None:
    return None if label is None else [label]
