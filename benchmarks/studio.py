"""How long the studio takes from an edit to new labels, and how many of them the fit from scratch changes.

SEEDTOPIC_DATA names the folder of the corpora. Prints a line for each edit, and one line of JSON at the end.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
from pathlib import Path
from time import monotonic, process_time, sleep
from typing import Any

from seedtopic.io.rows import read_documents
from seedtopic.seeds import Seeds
from seedtopic.web.studio.documents import Collection
from seedtopic.web.studio.labels import Labels
from seedtopic.web.studio.session import Session

PATIENCE = 600.0  # seconds


def edits(session: Session) -> list[dict[str, Any]]:
    """Give typical edits: a word more, a word less, a word moved, a phrase, a category less and more."""
    first, second, third, *_ = draft = session.draft.categories
    suggested = session.suggestions(first.name)["suggestions"][0]["word"]
    return [
        {"action": "add_words", "category": first.name, "words": [suggested]},
        {"action": "remove_word", "category": second.name, "word": second.words[0].word},
        {"action": "move_word", "word": third.words[-1].word, "from": third.name, "to": second.name},
        {"action": "set_weight", "category": third.name, "word": third.words[0].word, "weight": 3.0},
        {"action": "add_words", "category": draft[-1].name, "words": ["one of"]},
        {"action": "confirm", "document": 7, "label": first.name},
        {"action": "remove_category", "category": third.name},
        {"action": "undo"},
    ]


def next_labels(session: Session, revision: int, *, settled: bool) -> Labels:
    """Wait for the labels of a revision."""
    end = monotonic() + PATIENCE
    while monotonic() < end:
        labels = session.labels
        if labels is not None and labels.revision == revision and (labels.settled or not settled):
            return labels
        sleep(0.01)
    raise SystemExit("no labels came")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", nargs="?", default="newsgroups20")
    corpus = parser.parse_args().corpus
    folder = Path(os.environ["SEEDTOPIC_DATA"])
    began = monotonic()
    collection = Collection(read_documents(folder / f"{corpus}.jsonl.gz", keep_rows=False), corpus)
    print(f"{len(collection):,} documents read and counted in {monotonic() - began:.1f} s")
    session = Session(collection, Seeds.read(folder / f"{corpus}.SD.toml"))
    session.start()
    first = next_labels(session, 0, settled=False).seconds
    before = session.wait_until_settled(PATIENCE)
    print(f"opened: first labels after {first:.2f} s, settled after {before.seconds:.2f} s")
    latencies, differences = [], []
    for edit in edits(session):
        busy = process_time()
        revision = session.edit(edit)["revision"]
        quick = next_labels(session, revision, settled=False)
        busy = process_time() - busy
        settled = session.wait_until_settled(PATIENCE)
        moved, differs = float((settled.key != before.key).mean()), float((quick.key != settled.key).mean())
        latencies.append(quick.seconds)
        differences.append(differs)
        print(
            f"{edit['action']:<16} labels after {quick.seconds:.2f} s ({busy:.1f} s of processor), settled "
            f"after {settled.seconds:.2f} s; the edit moves {moved:.2%} of the documents, "
            f"{differs:.2%} had another label at first",
            flush=True,
        )
        before = settled
    session.close()
    print(
        json.dumps(
            {
                "corpus": corpus,
                "documents": len(collection),
                "edits": len(latencies),
                "median_seconds": round(statistics.median(latencies), 2),
                "max_seconds": round(max(latencies), 2),
                "median_differing": round(statistics.median(differences), 4),
                "max_differing": round(max(differences), 4),
            }
        )
    )


if __name__ == "__main__":
    main()
