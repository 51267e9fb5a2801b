"""The list of documents: searched, filtered and sorted here, so that only one page of it is sent."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.learning.signals.words import sublinear, unit_rows, word_rarity
from seedtopic.model.evidence import Explanation
from seedtopic.quality.next import next_documents
from seedtopic.show.html import Mark, without_overlaps
from seedtopic.web.studio.documents import Collection
from seedtopic.web.studio.draft import Draft
from seedtopic.web.studio.edits import unchecked
from seedtopic.web.studio.labels import NOTHING, Changes, Labels

SNIPPET = 200  # characters of each document in the list
KEPT = 16  # number of searches whose results are cached

Order = Literal["given", "doubtful", "certain"]


@dataclass(frozen=True)
class Query:
    """A query for the list: which documents, in which order, and which page."""

    offset: int = 0
    limit: int = 50
    search: str = ""
    category: str = ""
    least: float = 0.0
    most: float = 1.0
    changed: bool = False
    order: Order = "given"
    column: str = ""  # a column of the documents' file, which has this value
    value: str = ""
    sort: str = ""  # a column that overrides `order`
    descending: bool = False
    queue: bool = False  # the documents to check next, whatever else is asked for


class Search:
    """Finds documents that contain the search words; a longer search starts from a shorter one's results."""

    def __init__(self, texts: list[str]) -> None:
        self._texts = texts
        self._folded: list[str] | None = None
        self._lock = Lock()
        self._known: OrderedDict[str, NDArray[np.intp]] = OrderedDict()

    def __call__(self, query: str) -> NDArray[np.intp]:
        """Return the documents that contain every word of the search, ignoring case."""
        query = " ".join(query.casefold().split())
        with self._lock:
            if query in self._known:
                return self._known[query]
            if self._folded is None:
                self._folded = [text.casefold() for text in self._texts]
            shorter = [known for known in self._known if known and query.startswith(known)]
            among = self._known[max(shorter, key=len)].tolist() if shorter else range(len(self._folded))
            for part in query.split():
                among = [row for row in among if part in self._folded[row]]
            rows = self._known[query] = np.fromiter(among, np.intp)
            if len(self._known) > KEPT:
                self._known.popitem(last=False)
            return rows


def matching_documents(
    query: Query,
    collection: Collection,
    draft: Draft,
    labels: Labels | None,
    changes: Changes | None,
    search: Search,
) -> NDArray[np.intp]:
    """Return all documents that match a query, in its order."""
    matches = np.ones(len(collection), bool)
    if query.search.strip():
        matches[:] = False
        matches[search(query.search)] = True
    if query.category:
        key = next((c.key for c in draft.categories if c.name == query.category), None)
        matches &= labels.key == key if labels is not None and key is not None else False
    if labels is not None and (query.least > 0 or query.most < 1):
        matches &= labels.known & (labels.probability >= query.least) & (labels.probability <= query.most)
    if query.changed:
        matches &= changes.moved if changes is not None else False
    if query.column and query.value:
        matches &= collection.columns[query.column].having(query.value)
    rows = np.flatnonzero(matches)
    if query.sort:
        return collection.columns[query.sort].order(rows, descending=query.descending)
    if labels is None or query.order == "given":
        return rows
    if query.order == "doubtful":  # a document that cannot be labelled is not a doubtful one
        rows = rows[labels.known[rows]]
        return rows[np.argsort(labels.probability[rows], kind="stable")]
    # Documents without a label come last.
    return rows[np.lexsort((-labels.probability[rows], ~labels.known[rows]))]


def list_documents(
    query: Query,
    rows: NDArray[np.intp],
    collection: Collection,
    draft: Draft,
    labels: Labels | None,
    changes: Changes | None,
) -> dict[str, Any]:
    """Return the page of the list that a query asks for; `rows` are all documents of the list."""
    part = rows[query.offset : query.offset + query.limit].tolist()
    left = unchecked(rows, draft)
    return {
        "total": len(rows),
        "checked": len(rows) - len(left),
        "confirmable": 0 if labels is None else int(labels.known[left].sum()),
        "revision": -1 if labels is None else labels.revision,
        "documents": [
            {
                "snippet": snippet(collection.texts[row]),
                **label_of(row, collection, draft, labels, changes),
            }
            for row in part
        ],
    }


def label_of(
    row: int, collection: Collection, draft: Draft, labels: Labels | None, changes: Changes | None
) -> dict[str, Any]:
    """Return the name of a document, its label, and its label before."""
    names: dict[int, str] = {category.key: category.name for category in draft.categories}
    known = labels is not None and int(labels.key[row]) != NOTHING
    moved = changes is not None and bool(changes.moved[row])
    confirmed = draft.confirmed.get(row)
    return {
        "id": row,
        "name": collection.name_of(row),
        "label": names.get(int(labels.key[row])) if labels is not None and known else None,
        "probability": round(float(labels.probability[row]), 4) if labels is not None and known else None,
        "runner_up": names.get(int(labels.runner_up[row])) if labels is not None and known else None,
        "before": names.get(int(changes.before[row])) if changes is not None and moved else None,
        "confirmed": None if confirmed is None else [names[key] for key in confirmed if key in names],
    }


def snippet(text: str) -> str:
    """Return the beginning of a text on one line."""
    line = " ".join(text[: 4 * SNIPPET].split())
    return line if len(line) <= SNIPPET else line[:SNIPPET].rpartition(" ")[0] + " …"


ROUND = 50  # documents to check before the page says that it is enough for now
AHEAD = ROUND  # are chosen ahead: at a quick pace, no new labels may come before the round is over


class Queue:
    """Documents to check next, chosen again with all new labels."""

    def __init__(self, collection: Collection) -> None:
        self._collection = collection
        self._lock = Lock()
        self._before: set[int] | None = None  # confirmed before the first round
        self._goal = ROUND
        self._chosen_for: Labels | None = None
        self._chosen: NDArray[np.intp] = np.empty(0, np.intp)

    def documents(self, draft: Draft, labels: Labels | None) -> NDArray[np.intp]:
        """Return the documents to check next, the best first; none without labels, or after a whole round."""
        with self._lock:
            left = max(0, self._goal - self._checked(draft))
            if labels is None:
                return np.empty(0, np.intp)
            if self._chosen_for is not labels:
                known = np.fromiter({*draft.confirmed, *draft.skipped}, np.intp)
                self._chosen = next_documents(labels.probabilities, self._vectors, AHEAD, known=known)
                self._chosen_for = labels
            out = {*draft.confirmed, *draft.skipped}
            return np.array([row for row in self._chosen.tolist() if row not in out], np.intp)[:left]

    def progress(self, draft: Draft) -> dict[str, Any]:
        """Return how many documents of how many were checked."""
        with self._lock:
            return {"checked": self._checked(draft), "goal": self._goal, "skipped": len(draft.skipped)}

    def more(self) -> None:
        """Begin another round."""
        with self._lock:
            self._goal += ROUND

    def _checked(self, draft: Draft) -> int:
        """Count what was confirmed since the first round began."""
        if self._before is None:
            self._before = set(draft.confirmed)
        return len(draft.confirmed.keys() - self._before)

    @cached_property
    def _vectors(self) -> sp.csr_array:
        counts = self._collection.usual.matrix
        return unit_rows(sublinear(counts, word_rarity(counts)))


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
    document = {
        **label_of(row, collection, draft, labels, changes),
        "text": text,
        "columns": [
            {"name": column.name, "value": column[row]} for column in collection.columns if column[row]
        ],
    }
    if labels is None:
        plain = [{"text": text, "category": None, "strength": 0.0}]
        return {**document, "prose": "There are no labels yet.", "pieces": plain, "words": [], "flips": None}
    # The fit fixes the label of a confirmed document whatever its words are, so it is explained by its words
    # alone. So is a document that the fit has not seen.
    seen = labels.on == "all" and row not in draft.confirmed
    why = labels.model.explain(text, fitted=row if seen else None)
    now = {category.key: category.name for category in draft.categories}
    shown = dict(zip(map(str, labels.model.classes_), map(now.get, labels.keys.tolist()), strict=True))
    predictions, flips = labels.predictions, []
    for how, turn, more in (("Without", why.without, ""), ("With", why.with_, " as well")):
        if turn is not None:
            words = ", ".join(f"“{word}”" for word in turn.words)
            flips.append(f"{how} {words}{more} it would be {shown[str(turn.label)] or GONE}.")
    return {
        **document,
        "prose": _prose(why, document, shown)
        if predictions.labelled[row]
        else NO_LABEL[bool(predictions.has_text[row])],
        "pieces": pieces(why, shown),
        "words": [
            {
                "word": share.word,
                "category": shown[str(why.label if share.log_odds > 0 else why.runner_up)],
                "evidence": round(abs(share.log_odds), 3),
            }
            for share in why.words[:MOST_WORDS]
        ],
        "flips": " ".join(flips) or None,
    }


def _prose(why: Explanation, document: dict[str, Any], shown: dict[str, str | None]) -> str:
    best = [f"“{share.word}”" for share in why.words if share.log_odds > 0][:3]
    label, rival = shown[str(why.label)] or GONE, shown[str(why.runner_up)] or GONE
    words = f", mainly because of {', '.join(best)}" if best else ""
    sentence = f"{label} ({why.probability:.0%}) rather than {rival}{words}."
    if why.neighbours > 0 and why.shares["neighbours"] > 0.3:
        sentence += " Similar documents contributed much to this."
    if document["confirmed"] is not None:
        answer = " and ".join(document["confirmed"]) or "none of these"
        return f"You said {answer}. From its words alone: {sentence}"
    return sentence


def pieces(why: Explanation, shown: dict[str, str | None]) -> list[dict[str, Any]]:
    """Split a text into pieces: words that count for the label or the runner-up, and the text between."""
    strongest = max((abs(share.log_odds) for share in why.words), default=0.0)
    marks = [Mark(*span, share.log_odds, False, share.word) for share in why.words for span in share.spans]
    parts: list[dict[str, Any]] = []
    behind = 0
    for start, end, weight, *_ in without_overlaps(marks):
        if start > behind:
            parts.append({"text": why.text[behind:start], "category": None, "strength": 0.0})
        category = shown[str(why.label if weight > 0 else why.runner_up)]
        strength = round(abs(weight) / strongest, 3) if strongest else 0.0
        parts.append({"text": why.text[start:end], "category": category, "strength": strength})
        behind = end
    if behind < len(why.text) or not parts:
        parts.append({"text": why.text[behind:], "category": None, "strength": 0.0})
    return parts
