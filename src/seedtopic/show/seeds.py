"""Seeds, their weights, checks and suggestions, as commands print them and as a notebook shows them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table as TerminalTable
from rich.text import Text

from seedtopic.base.wording import and_more, documents_contain, number_of, part_of
from seedtopic.show.html import Html, as_html, notebook
from seedtopic.show.table import Table, bullets, columns, folded, more, printable, size

if TYPE_CHECKING:  # seeds alone are shown without importing the models
    from seedtopic.model.seed_table import SeedTable
    from seedtopic.quality.check import SeedCheck
    from seedtopic.quality.findings import CategoryCheck, WordCheck
    from seedtopic.quality.suggest import CategorySuggestions, SeedSuggestions, Suggestion
    from seedtopic.seeds import Name, Seeds

MOST_CATEGORIES, MOST_ROWS, MOST_WORDS = 200, 500, 40  # in a notebook; words in a cell
MATCHES_SHOWN = 6  # of the words that a wildcard matches


def seeds_in_notebook(seeds: Seeds) -> str:
    """Return a table of the categories; a column that is empty in all of them is left out."""
    cells: dict[str, dict[Name, object]] = {
        "words": {name: _words(seeds, name) for name in seeds.entries},
        "against": {name: _listed(entry.exclude) for name, entry in seeds.entries.items()},
        "rules": {
            name: _listed([rule.word for rule in entry.rules]) for name, entry in seeds.entries.items()
        },
        "examples": {name: len(entry.examples) or "" for name, entry in seeds.entries.items()},
        "part of": {name: seeds.tree.parents.get(name, "") for name in seeds.entries},
    }
    used = {head: column for head, column in cells.items() if any(map(str, column.values()))}
    names = list(seeds.entries)
    rows = [(name, *(column[name] for column in used.values())) for name in names[:MOST_CATEGORIES]]
    return notebook(
        f"{number_of(len(seeds.names), 'category')}, {number_of(len(seeds.words), 'seed word')}",
        Table(columns("category", *used), rows).notebook(),
        *more(len(names), MOST_CATEGORIES, "category"),
    )


def _listed(words: Sequence[str]) -> Html:
    """Return words in a cell; of very many, the first."""
    return Html(and_more([as_html(word) for word in words[:MOST_WORDS]], len(words)))


def _words(seeds: Seeds, name: Name) -> Html:
    if name in seeds.named:
        return Html(f'{_listed(seeds.named[name])} <span class="quiet">(its name)</span>')
    entry = seeds.entries[name]
    weights = entry.weights
    return _listed([f"{word} ×{weights[word]:g}" if word in weights else word for word in entry.words])


def weights_in_text(table: SeedTable) -> str:
    """Return the seeds with their weights, given and learned, one a line."""
    return _weights(table).text()


def weights_in_notebook(table: SeedTable) -> str:
    """Return the same for a notebook."""
    shown = _weights(table[:MOST_ROWS]).notebook()
    return notebook(number_of(len(table), "seed"), shown, *more(len(table), MOST_ROWS, "seed"))


def _weights(table: SeedTable) -> Table:
    rows = [
        (row.category, row.word, f"{row.given:g}", "-" if row.learned is None else f"{row.learned:.2f}")
        for row in table
    ]
    return Table(columns("category", "word", numbers=("given", "learned")), rows)


def seed_table(check: SeedCheck) -> Group:
    """Return in how many documents the seeds occur, and the problems below."""
    problems = check.problems
    below: list[RenderableType] = ["No problems found."]
    if problems:
        below = [f"{number_of(len(problems), 'problem')}:", _terminal_bullets(problems)]
    if check.notes:
        below += ["", _terminal_bullets(check.notes, "dim")]
    if not check.categories:  # no documents were given
        return Group(*below)
    rows: list[Sequence[object]] = []
    bold = []
    for category in check.categories:
        bold.append(len(rows))
        numbers = (f"{category.documents:,}", f"{category.share:.1%}", f"{category.alone:,}")
        rows.append((category.name, *numbers, ""))
        for sign, word in _signed(category):
            numbers = (f"{word.documents:,}", f"{word.share:.1%}", "")
            rows.append((f"  {sign}{word.word}", *numbers, _remark(word)))
    head = columns("seeds", numbers=("documents", "share", "alone"), right=("remark",))
    return Group(Table(head, rows, bold=bold), "", f"{_reached(check)}.", "", *below)


def check_in_notebook(check: SeedCheck) -> str:
    """Return the problems, how many documents each category reaches, and each word below it."""
    title = f"Seeds checked: {number_of(len(check.problems), 'problem')}"
    problems = [bullets(check.problems)] if check.problems else []
    notes = [Html(f'<p class="quiet">{as_html(note)}</p>') for note in check.notes]
    if not check.categories:  # no documents were given
        return notebook(title, *problems, *notes)
    largest = max(category.documents for category in check.categories)
    rows = []
    for category in check.categories[:MOST_CATEGORIES]:
        seeds = [
            f'{sign}{as_html(word.word)} <span class="quiet">{word.documents:,}</span>'
            for sign, word in _signed(category)
        ]
        documents = size(category.documents, check.documents, largest)
        rows.append((category.name, documents, f"{category.alone:,}", Html(", ".join(seeds))))
    remarks = [
        (word.word, category.name, f"{word.documents:,}", _remark(word))
        for category in check.categories
        for _, word in _signed(category)
        if _remark(word)
    ]
    head = columns("category", "documents", numbers=("alone",), right=("documents with each seed",))
    table = Table(columns("seed", "category", numbers=("documents",), right=("remark",)), remarks).notebook()
    return notebook(
        title,
        f"{_reached(check)}.",
        *problems,
        Table(head, rows).notebook(),
        *more(len(check.categories), MOST_CATEGORIES, "category"),
        *([folded(number_of(len(remarks), "remark"), table)] if remarks else []),
        *notes,
    )


def _signed(category: CategoryCheck) -> Iterator[tuple[str, WordCheck]]:
    """Return the words of a category, and then those that it excludes."""
    yield from (("", word) for word in category.words)
    yield from (("not ", word) for word in category.exclude)


def _reached(check: SeedCheck) -> str:
    reached = part_of(check.reached, check.documents, "document", "contains", "contain")
    return f"{reached} a seed ({check.reached / max(check.documents, 1):.1%})"


def _remark(word: WordCheck) -> str:
    """Return what is worth knowing about a seed beside its numbers."""
    parts = []
    if word.stands_for:
        parts.append(f"matches {and_more(word.stands_for[:MATCHES_SHOWN], len(word.stands_for))}")
    if not word.documents:
        parts.append("does not occur" + (f"; similar: {', '.join(word.near)}" if word.near else ""))
    if word.weight != 1:
        parts.append(f"weight {word.weight:g}")
    if word.also_in:
        parts.append(f"also in {', '.join(map(str, word.also_in))}")
    if word.pulls_to is not None:
        parts.append(f"mostly beside seeds of {word.pulls_to}")
    return "; ".join(parts)


def suggestion_table(suggestions: SeedSuggestions) -> Group:
    """Return the words to add, category by category, what starves above, and what is to be decided below."""
    if not suggestions.documents:
        return Group(_words_by_meaning(suggestions))
    words = [word for category in suggestions.categories for word in category.words]
    width = max(cell_len(printable(name)) for name in ("words to add", *map(_marked, words)))

    def row(word: Suggestion | None) -> TerminalTable:
        """Lay out one row, or the head; examples come between rows, so all rows need the same widths."""
        cells = [] if word is None else [(_marked(word), *_suggestion_numbers(word))]
        head = columns("words to add", numbers=("documents", "without a seed", "in category"))
        table = Table(head, cells).terminal(head=word is None)
        table.columns[0].min_width = width
        return table

    starving, *decisions = _decisions(suggestions)
    parts: list[RenderableType] = [starving[0], _terminal_bullets(starving[1]), ""] if starving[1] else []
    parts.append(row(None))
    for category in suggestions.categories:
        parts.append(Text(printable(category.name), "bold"))
        if not category.words:
            parts.append("  (no word is frequent and typical enough)")
        for word in category.words:
            near = [f"near in meaning to {', '.join(word.near)}"] if word.source == "meaning" else []
            lines = _terminal_bullets([*near, *word.examples], "dim")
            parts += [row(word), Padding(lines, (0, 0, 0, 4), expand=False)]
    safe = "* safe to add unread (--accept N). " if any(word.safe for word in words) else ""
    parts += ["", f"{safe}{_unseeded(suggestions)}"]
    for question, answers in decisions:
        parts += ["", question, _terminal_bullets(answers)] if answers else []
    return Group(*parts)


def suggestions_in_notebook(suggestions: SeedSuggestions) -> str:
    """Return the words to add to each category, which starve above, and what is to be decided below."""
    by_documents = suggestions.documents > 0
    none = "(no word is frequent and typical enough)" if by_documents else "(no word is known to be near)"
    rows: list[Sequence[object]] = []
    for category in suggestions.categories[:MOST_CATEGORIES]:
        for place, word in enumerate(category.words):
            unread = "safe" if word.safe else "read first"
            cells = (*_suggestion_numbers(word), unread) if by_documents else (", ".join(word.near),)
            rows.append(("" if place else category.name, word.word, *cells))
        if not category.words:
            rows.append((category.name, none, *[""] * (4 if by_documents else 1)))
    numbers = ("documents", "without a seed", "in category") if by_documents else ()
    right = "add unread" if by_documents else "near in meaning to"
    starving, *decisions = (
        [f"<p>{as_html(head)}</p>{bullets(lines)}"] if lines else []
        for head, lines in _decisions(suggestions)
    )
    n_words = sum(len(category.words) for category in suggestions.categories)
    return notebook(
        number_of(n_words, "word to add", "words to add"),
        *([_unseeded(suggestions)] if by_documents else []),
        *map(Html, starving),
        Table(columns("category", "word to add", numbers=numbers, right=[right]), rows).notebook(),
        *more(len(suggestions.categories), MOST_CATEGORIES, "category"),
        *(Html(part) for parts in decisions for part in parts),
    )


def _decisions(suggestions: SeedSuggestions) -> list[tuple[str, list[str]]]:
    """Return what starves, what to ask, and which seeds look harmful, each below a heading."""
    every = suggestions.categories
    starving = [category.starving for category in every if category.starving]
    questions = [_question(category) for category in every if category.filled_up_with]
    harmful = [
        f"{seed.word!r} ({category.name}): {documents_contain(seed.documents)} it; {seed.share:.0%} of them "
        f"look like {category.name!r}, {seed.rival_share:.0%} like {seed.rival!r}."
        for category in every
        for seed in category.harmful
    ]
    return [
        ("These categories need words most:", starving),
        ("Belongs here, elsewhere, or to a new category?", questions),
        ("Seeds that look harmful:", harmful),
    ]


def _question(category: CategorySuggestions) -> str:
    """Ask about the words that a category has filled up with."""
    words = (
        f"{word.word!r} ({number_of(word.documents, 'document')}"
        + (f"; rather {word.elsewhere!r}?)" if word.elsewhere is not None else ")")
        for word in category.filled_up_with
    )
    return f"{category.name!r} has filled up with {', '.join(words)}."


def _unseeded(suggestions: SeedSuggestions) -> str:
    few = part_of(suggestions.unseeded, suggestions.documents, "document", "contains", "contain")
    return f"{few} no seed."


def _suggestion_numbers(word: Suggestion) -> tuple[str, str, str]:
    return f"{word.documents:,}", f"{word.unseeded:,}", f"{word.share:.0%}"


def _marked(word: Suggestion) -> str:
    return f"  {word.word}{' *' * word.safe}"


def _words_by_meaning(suggestions: SeedSuggestions) -> Table:
    """Return words that were suggested without documents."""
    rows: list[Sequence[object]] = []
    for category in suggestions.categories:
        rows.append((Text(printable(category.name), "bold"), ""))
        rows += [(f"  {word.word}", ", ".join(word.near)) for word in category.words]
        rows += [] if category.words else [("  (no word is known to be near)", "")]
    return Table(columns("words to add", "near in meaning to"), rows)


def _terminal_bullets(lines: Sequence[str], style: str = "") -> TerminalTable:
    """Return a list of lines; where one is too long for the terminal, its rest is indented."""
    table = TerminalTable.grid(padding=(0, 1, 0, 0))
    for line in lines:
        table.add_row("-", Text(printable(line), style, overflow="fold"))
    return table
