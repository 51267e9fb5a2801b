"""The documents that the browser tests open."""

from __future__ import annotations

import gzip
import json
import os
from dataclasses import dataclass, replace
from pathlib import Path

from seedtopic.cli.demo import load_docstrings


@dataclass(frozen=True)
class Corpus:
    """Documents with the words a person would write; the labels, where known, are for judging alone.

    `columns` are the other columns of each document's row.
    """

    name: str
    texts: list[str]
    seeds: dict[str, list[str]]
    labels: list[str] | None = None
    columns: list[dict[str, object]] | None = None

    def write(self, folder: Path) -> Path:
        path = folder / f"{self.name}.jsonl"
        columns = self.columns or [{}] * len(self.texts)
        rows = [{**row, "text": text} for row, text in zip(columns, self.texts, strict=True)]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return path


SUBJECTS = {
    "football": ["match", "goal", "striker", "referee", "stadium", "penalty", "league", "keeper"],
    "cooking": ["oven", "butter", "recipe", "onion", "simmer", "flour", "garlic", "dough"],
    "weather": ["rain", "snow", "storm", "wind", "cloud", "frost", "sunny", "thunder"],
    "music": ["guitar", "concert", "singer", "album", "drums", "melody", "violin", "chorus"],
    "travel": ["train", "hotel", "luggage", "passport", "ticket", "harbour", "museum", "island"],
}
SENTENCES = [
    "Yesterday the {0} came before the {1}, and nobody spoke of anything else.",
    "A {0} is better than no {1}, as my aunt used to say about the {2}.",
    "We waited an hour for the {0}; in the end there was a {1} and a {2}.",
    "First the {0}, then the {1}: that was all we wanted from the {2}.",
    "Without a {0} there would have been no {1} on that day.",
    "They wrote about the {0} again, and about the {1} beside the {2}.",
    "It was the {0} that made the difference, not the {1}.",
]


def invented(hostile: tuple[str, ...] = ()) -> Corpus:
    """Notes about five subjects, each from three words of its subject."""
    texts = []
    for number in range(60):
        for place, words in enumerate(SUBJECTS.values()):
            chosen = [words[(number * 3 + place + step * (1 + number // 8)) % 8] for step in (0, 1, 2)]
            texts.append(SENTENCES[(number + place) % len(SENTENCES)].format(*chosen))
    seeds = {subject: words[:2] for subject, words in SUBJECTS.items()}
    labels = [*SUBJECTS] * 60
    return Corpus("notes", [*hostile, *texts], seeds, None if hostile else labels)


def with_columns() -> Corpus:
    """The same notes with an id, a number, a date, the true subject, a name and many markup signs."""
    notes = invented()
    assert notes.labels is not None
    columns: list[dict[str, object]] = [
        {
            "id": f"note-{number}",
            "pages": number * 7 % 300,
            "written": f"2024-{1 + number % 12:02d}-{1 + number % 28:02d}",
            "subject": label,
            "author": f"author {number % 97}",
            "<b>shop</b>": "<img src=x onerror='window.taken = true'>" if number % 2 else "north & south",
        }
        for number, label in enumerate(notes.labels)
    ]
    return replace(notes, name="columns", columns=columns)


def news_or_docstrings() -> Corpus:
    """BBC News where SEEDTOPIC_DATA has it; else the docstrings, which need no download."""
    folder = os.environ.get("SEEDTOPIC_DATA")
    if folder and (path := Path(folder) / "bbc_news.jsonl.gz").exists():
        with gzip.open(path, "rt", encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
        seeds = {
            "business": ["company", "market", "shares", "profit"],
            "entertainment": ["film", "music", "actor", "band"],
            "politics": ["government", "minister", "election", "party"],
            "sport": ["match", "player", "coach", "cup"],
            "tech": ["software", "computer", "internet", "users"],
        }
        return in_halves(Corpus("bbc", [row["text"] for row in rows], seeds, [row["label"] for row in rows]))
    seeds = {
        "statistics": ["probability", "distribution", "variance"],
        "images": ["image", "pixel", "erosion"],
        "clustering": ["clusters", "centroids", "clustering"],
        "optimization": ["minimize", "constraints", "jacobian"],
        "signals": ["signal", "frequency", "sampling"],
    }
    return in_halves(Corpus("docstrings", load_docstrings().texts, seeds))


def in_halves(corpus: Corpus) -> Corpus:
    """Add a column that says which half a document is in, and the known labels, where there are any."""
    halves = [
        {"half": "first" if 2 * place < len(corpus.texts) else "second"} for place in range(len(corpus.texts))
    ]
    known = [{"known": label} for label in corpus.labels or []] or [{}] * len(halves)
    return replace(corpus, columns=[{**half, **label} for half, label in zip(halves, known, strict=True)])
