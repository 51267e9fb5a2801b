"""One open document: its text with the words behind its label marked, and a short explanation."""

from __future__ import annotations

from typing import Any

from seedtopic.explain import Explanation
from seedtopic.html.highlight import Mark, without_overlaps
from seedtopic.studio.collection import Collection
from seedtopic.studio.draft import Draft
from seedtopic.studio.labels import Changes, Labels
from seedtopic.studio.listing import label_of

MOST_WORDS = 30
NO_LABEL = {  # by whether it has a text
    False: "This document has no text, so it has no label.",
    True: "This document contains no known word, so it has no label.",
}
GONE = "a category that is gone"  # shown until the next labels arrive, a moment later


def open_document(
    row: int, collection: Collection, draft: Draft, labels: Labels | None, changes: Changes | None
) -> dict[str, Any]:
    """Return a document, with an explanation if it has a label."""
    text = collection.texts[row]
    found = {
        **label_of(row, collection, draft, labels, changes),
        "text": text,
        "columns": [{"name": name, "value": value} for name, value in collection.columns.of_document(row)],
    }
    if labels is None:
        plain = [{"text": text, "category": None, "strength": 0.0}]
        return {**found, "prose": "There are no labels yet.", "pieces": plain, "words": [], "flips": None}
    # The fit fixes the label of a confirmed document whatever its words are, so it is explained by its words
    # alone. So is a document that the fit has not seen.
    seen = labels.on == "all" and row not in draft.confirmed
    why = labels.model.explain(text, fitted=row if seen else None)
    shown = {str(name): _current(draft, labels, place) for place, name in enumerate(labels.model.classes_)}
    known = bool(labels.labelable.labelled(none_label=False)[row])
    return {
        **found,
        "prose": _prose(why, found, shown) if known else NO_LABEL[bool(labels.labelable.has_text[row])],
        "pieces": pieces(why, shown),
        "words": [
            {
                "word": share.word,
                "category": shown[str(why.label if share.log_odds > 0 else why.runner_up)],
                "evidence": round(abs(share.log_odds), 3),
            }
            for share in why.words[:MOST_WORDS]
        ],
        "flips": " ".join(_flips(why, shown)) or None,
    }


def _current(draft: Draft, labels: Labels, place: int) -> str | None:
    key = int(labels.keys[place])
    return next((category.name for category in draft.categories if category.key == key), None)


def _prose(why: Explanation, found: dict[str, Any], shown: dict[str, str | None]) -> str:
    best = [f"“{share.word}”" for share in why.words if share.log_odds > 0][:3]
    label, rival = shown[str(why.label)] or GONE, shown[str(why.runner_up)] or GONE
    words = f", mainly because of {', '.join(best)}" if best else ""
    sentence = f"{label} ({why.probability:.0%}) rather than {rival}{words}."
    if why.neighbours > 0 and why.shares["neighbours"] > 0.3:
        sentence += " Similar documents contributed much to this."
    if found["confirmed"] is not None:
        said = " and ".join(found["confirmed"]) or "none of these"
        return f"You said {said}. From its words alone: {sentence}"
    return sentence


def _flips(why: Explanation, shown: dict[str, str | None]) -> list[str]:
    found = []
    for how, turn, more in (("Without", why.without, ""), ("With", why.with_, " as well")):
        if turn is not None:
            words = ", ".join(f"“{word}”" for word in turn.words)
            found.append(f"{how} {words}{more} it would be {shown[str(turn.label)] or GONE}.")
    return found


def pieces(why: Explanation, shown: dict[str, str | None]) -> list[dict[str, Any]]:
    """Split a text into pieces: words that count for the label or the runner-up, and the text between."""
    strongest = max((abs(share.log_odds) for share in why.words), default=0.0)
    marks = [
        Mark(start, end, share.log_odds, seed=False, shown=share.word)
        for share in why.words
        for start, end in share.spans
    ]
    found: list[dict[str, Any]] = []
    behind = 0
    for start, end, weight, *_ in without_overlaps(marks):
        if start > behind:
            found.append({"text": why.text[behind:start], "category": None, "strength": 0.0})
        category = shown[str(why.label if weight > 0 else why.runner_up)]
        strength = round(abs(weight) / strongest, 3) if strongest else 0.0
        found.append({"text": why.text[start:end], "category": category, "strength": strength})
        behind = end
    if behind < len(why.text) or not found:
        found.append({"text": why.text[behind:], "category": None, "strength": 0.0})
    return found
