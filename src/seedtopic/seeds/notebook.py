"""Seeds as a notebook shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from seedtopic.html.notebook import notebook
from seedtopic.html.pieces import Html, shown, table
from seedtopic.seeds.category import Category
from seedtopic.seeds.tree import Name

if TYPE_CHECKING:
    from seedtopic.seeds.seeds import Seeds

MOST_CATEGORIES, MOST_WORDS = 200, 40  # in a table, and in a cell of it


def as_notebook(seeds: Seeds) -> str:
    """Write a table of the categories; a column that is empty in all of them is left out."""
    columns: dict[str, dict[Name, object]] = {
        "words": {name: _words(seeds, name) for name in seeds.entries},
        "against": {name: listed(entry.exclude) for name, entry in seeds.entries.items()},
        "rules": {name: listed([rule.word for rule in entry.rules]) for name, entry in seeds.entries.items()},
        "examples": {name: len(entry.examples) or "" for name, entry in seeds.entries.items()},
        "part of": {name: seeds.tree.parents.get(name, "") for name in seeds.entries},
    }
    used = {head: cells for head, cells in columns.items() if any(map(str, cells.values()))}
    names = list(seeds.entries)
    rows = [(name, *(cells[name] for cells in used.values())) for name in names[:MOST_CATEGORIES]]
    more = len(names) - MOST_CATEGORIES
    return notebook(
        f"{len(seeds.names):,} categories, {len(seeds.words):,} seed words",
        table(("category", *used), rows),
        *([f"and {more:,} more categories"] if more > 0 else []),
    )


def listed(words: list[str] | tuple[str, ...]) -> Html:
    """Write words in a cell; of very many, the first."""
    more = len(words) - MOST_WORDS
    return Html(", ".join(map(shown, words[:MOST_WORDS])) + (f" and {more:,} more" if more > 0 else ""))


def _words(seeds: Seeds, name: Name) -> Html:
    if name in seeds.named:
        return Html(f'{listed(seeds.named[name])} <span class="quiet">(its name)</span>')
    entry: Category = seeds.entries[name]
    weights = entry.weights
    return listed([f"{word} ×{weights[word]:g}" if word in weights else word for word in entry.words])
