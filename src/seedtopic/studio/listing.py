"""The list of documents: searched, filtered and sorted here, so that only one page of it is sent."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from seedtopic.studio.collection import Collection
from seedtopic.studio.confirm_all import unchecked
from seedtopic.studio.draft import Draft
from seedtopic.studio.labels import NOTHING, Changes, Labels

SNIPPET = 200  # characters of each document in the list
KEPT = 16  # number of searches whose results are cached

Order = Literal["given", "doubtful", "certain"]


@dataclass(frozen=True)
class Query:
    """A query for the list: which documents, in which order, and which page.

    `column` and `value` filter by a column of the documents' file, `sort` is a column that overrides `order`.
    `queue` asks for the documents to check next, whatever else is asked for.
    """

    offset: int = 0
    limit: int = 50
    search: str = ""
    category: str = ""
    least: float = 0.0
    most: float = 1.0
    changed: bool = False
    order: Order = "given"
    column: str = ""
    value: str = ""
    sort: str = ""
    descending: bool = False
    queue: bool = False


class Search:
    """Finds documents that contain the search words; a longer search starts from a shorter one's results."""

    def __init__(self, texts: list[str]) -> None:
        self._texts = texts
        self._folded: list[str] | None = None
        self._lock = Lock()
        self._known: OrderedDict[str, NDArray[np.intp]] = OrderedDict()

    def __call__(self, wanted: str) -> NDArray[np.intp]:
        """Return the documents that contain every word of the search, ignoring case."""
        wanted = " ".join(wanted.casefold().split())
        with self._lock:
            found = self._known.get(wanted)
            if found is None:
                found = self._find(wanted)
                self._known[wanted] = found
                if len(self._known) > KEPT:
                    self._known.popitem(last=False)
            return found

    def _find(self, wanted: str) -> NDArray[np.intp]:
        if self._folded is None:
            self._folded = [text.casefold() for text in self._texts]
        shorter = [known for known in self._known if known and wanted.startswith(known)]
        rows = range(len(self._folded))
        among = self._known[max(shorter, key=len)].tolist() if shorter else rows
        for part in wanted.split():
            among = [row for row in among if part in self._folded[row]]
        return np.fromiter(among, np.intp)


def matching_documents(
    query: Query,
    collection: Collection,
    draft: Draft,
    labels: Labels | None,
    changes: Changes | None,
    search: Search,
) -> NDArray[np.intp]:
    """Return all documents that match a query, in its order."""
    kept = np.ones(len(collection), bool)
    if query.search.strip():
        kept[:] = False
        kept[search(query.search)] = True
    if query.category:
        wanted = next((c.key for c in draft.categories if c.name == query.category), None)
        kept &= labels.key == wanted if labels is not None and wanted is not None else False
    if labels is not None and (query.least > 0 or query.most < 1):
        kept &= labels.known & (labels.probability >= query.least) & (labels.probability <= query.most)
    if query.changed:
        kept &= changes.moved if changes is not None else False
    if query.column and query.value:
        kept &= collection.columns[query.column].having(query.value)
    rows = np.flatnonzero(kept)
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
