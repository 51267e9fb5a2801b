"""Checks of seeds and suggestions as a notebook shows them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from seedtopic.html.notebook import notebook
from seedtopic.html.pieces import Html, bullets, folded, paragraph, shown, size, table
from seedtopic.quality.wording import harmful_seeds, question, remark

if TYPE_CHECKING:
    from seedtopic.quality.check import SeedCheck
    from seedtopic.quality.findings import CategoryCheck
    from seedtopic.quality.suggestions import CategorySuggestions, SeedSuggestions


MOST_CATEGORIES = 200


def check_as_notebook(found: SeedCheck) -> str:
    """Write the problems, how many documents each category reaches, and each word below it."""
    title = f"{len(found.problems):,} problem{'s' * (len(found.problems) != 1)}"
    problems: list[object] = [bullets(found.problems)] if found.problems else []
    notes = [paragraph(note, "quiet") for note in found.notes]
    if not found.categories:  # no documents were given
        return notebook(f"Seeds checked: {title}", *problems, *notes)
    largest = max(category.documents for category in found.categories)
    rows = [
        (
            category.name,
            size(category.documents, found.documents, largest),
            f"{category.alone:,}",
            Html(", ".join(_counted(category))),
        )
        for category in found.categories[:MOST_CATEGORIES]
    ]
    reached = f"{found.reached:,} of {found.documents:,} documents contain a seed"
    remarks = [
        (word.word, category.name, f"{word.documents:,}", remark(word))
        for category in found.categories
        for word in (*category.words, *category.exclude)
        if remark(word)
    ]
    head = ("seed", "category", "documents", "remark")
    return notebook(
        f"Seeds checked: {title}",
        f"{reached} ({found.reached / max(found.documents, 1):.1%}).",
        *problems,
        table(("category", "documents", "alone", "documents with each seed"), rows, numbers=(2,)),
        *_more(found.categories),
        *([folded(f"{len(remarks):,} remarks", table(head, remarks, numbers=(2,)))] if remarks else []),
        *notes,
    )


def suggestions_as_notebook(found: SeedSuggestions) -> str:
    """Write the words to add to each category, which starve above, and what is to be decided below."""
    starving = [category.starving for category in found.categories if category.starving]
    asked = [question(category) for category in found.categories if category.filled_up_with]
    harmful = [sentence for category in found.categories for sentence in harmful_seeds(category)]
    n_words = sum(len(category.words) for category in found.categories)
    by_meaning = ("category", "word to add", "near in meaning to")
    by_documents = ("category", "word to add", "documents", "without a seed", "in category", "add unread")
    suggested = (
        table(by_documents, _by_documents(found), numbers=(2, 3, 4))
        if found.documents
        else table(by_meaning, _by_meaning(found))
    )
    return notebook(
        f"{n_words:,} words to add",
        *([f"{found.unseeded:,} of {found.documents:,} documents contain no seed."] * bool(found.documents)),
        *_headed("These categories need words most:", starving),
        suggested,
        *_more(found.categories),
        *_headed("Belongs here, elsewhere, or to a new category?", asked),
        *_headed("Seeds that look harmful:", harmful),
    )


def _counted(category: CategoryCheck) -> Iterator[str]:
    """Write each word with its documents."""
    for sign, words in (("", category.words), ("not ", category.exclude)):
        for word in words:
            yield f'{sign}{shown(word.word)} <span class="quiet">{word.documents:,}</span>'


def _by_documents(found: SeedSuggestions) -> Iterator[Sequence[object]]:
    for category in found.categories[:MOST_CATEGORIES]:
        for place, word in enumerate(category.words):
            numbers = (f"{word.documents:,}", f"{word.unseeded:,}", f"{word.share:.0%}")
            yield (_first(category, place), word.word, *numbers, "safe" if word.safe else "read first")
        if not category.words:
            yield (category.name, "(no word is frequent and typical enough)", "", "", "", "")


def _by_meaning(found: SeedSuggestions) -> Iterator[Sequence[object]]:
    for category in found.categories[:MOST_CATEGORIES]:
        for place, word in enumerate(category.words):
            yield (_first(category, place), word.word, ", ".join(word.near))
        if not category.words:
            yield (category.name, "(no word is known to be near)", "")


def _first(category: CategorySuggestions, place: int) -> object:
    """Name a category in the first of its rows."""
    return "" if place else category.name


def _headed(head: str, lines: Sequence[str]) -> list[object]:
    return [paragraph(head), bullets(lines)] if lines else []


def _more(categories: Sequence[object]) -> list[object]:
    more = len(categories) - MOST_CATEGORIES
    return [f"and {more:,} more categories"] if more > 0 else []
