"""The tables that commands print."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from seedtopic.base.wording import percent
from seedtopic.cli.console import printable
from seedtopic.quality.audit import Audit
from seedtopic.quality.check import SeedCheck
from seedtopic.quality.discover import Discovery
from seedtopic.quality.intervals import Estimate
from seedtopic.quality.scores import Scores
from seedtopic.quality.suggestions import SeedSuggestions, Suggestion
from seedtopic.quality.wording import harmful_seeds, question, remark


def table_of(*left: str, numbers: Sequence[str] = (), right: Sequence[str] = (), head: bool = True) -> Table:
    """Begin a table whose columns are named; the numbers in the middle are aligned to the right."""
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, show_header=head, header_style="bold")
    for name in (*left, *numbers, *right):
        is_number = name in numbers
        table.add_column(
            name,
            justify="right" if is_number else "left",
            no_wrap=is_number,
            overflow="fold",
            min_width=cell_len(name) if is_number else None,
        )
    return table


def size_table(summary: Mapping[str, Any]) -> Table:
    """Lay out how many documents have which label.

    Examples
    --------
    >>> from seedtopic.cli.console import laid_out
    >>> counts = {"documents": 4, "categories": {"sports": 2, "money": 1}, "left_empty": 1}
    >>> print(laid_out(size_table(counts)))
    label         documents  share
    sports                2  50.0%
    money                 1  25.0%
    (left empty)          1  25.0%
    >>> print(laid_out(size_table({**counts, "estimated_precisions": {"sports": 0.826, "money": None}})))
    label         documents  share  right, about
    sports                2  50.0%          83 %
    money                 1  25.0%
    (left empty)          1  25.0%
    """
    right = summary.get("estimated_precisions")
    table = table_of("label", numbers=("documents", "share", *(() if right is None else ("right, about",))))
    sizes = summary["categories"]
    for name, size in {**sizes, **({None: summary["left_empty"]} if "left_empty" in summary else {})}.items():
        row = ["(left empty)" if name is None else printable(name), f"{size:,}"]
        row.append(f"{size / max(summary['documents'], 1):.1%}")
        if right is not None:
            row.append("" if right.get(name) is None else percent(right[name]))
        table.add_row(*row)
    return table


def score_table(scores: Scores) -> Group:
    """Lay out the scores of each category and of all together.

    Examples
    --------
    >>> from seedtopic.cli.console import laid_out
    >>> from seedtopic.quality.scores import evaluate
    >>> print(laid_out(score_table(evaluate(["oil", "gold"], ["oil", "oil"], ["oil", "gold"]))))
    category  precision  recall    f1  documents
    oil            .500   1.000  .667          1
    gold           .000    .000  .000          1
    <BLANKLINE>
    micro-F1 .500   macro-F1 .333
    """
    table = table_of("category", numbers=("precision", "recall", "f1", "documents"))
    for row in scores.categories:
        ratios = (_short(value) for value in (row.precision, row.recall, row.f1))
        table.add_row(printable(row.category), *ratios, f"{row.support:,}")
    total = f"micro-F1 {_short(scores.micro_f1)}   macro-F1 {_short(scores.macro_f1)}"
    return Group(table, "", total)


def audit_table(found: Audit) -> Group:
    """Lay out what checked documents say of all.

    Examples
    --------
    >>> from seedtopic.quality.audit import draw, estimate
    >>> from seedtopic.cli.console import laid_out
    >>> labels, probabilities = ["oil"] * 300 + ["gold"] * 100, [0.9] * 200 + [0.6] * 200
    >>> answers = {document: "oil" for document in draw(probabilities, 40).documents.tolist()}
    >>> print(laid_out(audit_table(estimate(labels, probabilities, answers))))
    category         precision     interval  labelled   share     interval
    gold                  0.0%    0.0–19.6%     25.0%    0.0%    0.0–10.2%
    oil                 100.0%  88.1–100.0%     75.0%  100.0%  89.8–100.0%
    (none of these)          -            -      0.0%    0.0%     0.0–8.0%
    <BLANKLINE>
    accuracy 68.2%, interval 58.1–78.3%
    40 of 400 documents checked; the intervals are of 95 %.
    """
    table = table_of("category", numbers=("precision", "interval", "labelled", "share", "interval"))
    for row in found.categories:
        name = "(none of these)" if row.category is None else printable(row.category)
        table.add_row(name, *estimate_cells(row.precision), f"{row.labelled:.1%}", *estimate_cells(row.share))
    accuracy, interval = estimate_cells(found.accuracy)
    counted = f"{found.checked:,} of {found.documents:,} documents checked; the intervals are of 95 %."
    return Group(table, "", f"accuracy {accuracy}, interval {interval}", counted)


def seed_table(found: SeedCheck) -> Group:
    r"""Lay out in how many documents the seeds occur, and the problems below.

    Examples
    --------
    >>> from seedtopic.cli.console import laid_out
    >>> from seedtopic.seeds import Seeds
    >>> seeds = Seeds({"sports": ["game", "gaol"], "money": {"words": ["ba*"], "exclude": ["river"]}})
    >>> texts = ["a game", "goal in the game", "the bank", "bank account", "bank of the river"]
    >>> print(laid_out(seed_table(seeds.check(texts))).partition("\n\n1 problem")[0])
    seeds        documents  share  alone  remark
    sports               2  40.0%      2
      game               2  40.0%
      gaol               0   0.0%         does not occur; similar: goal
    money                2  40.0%      2
      ba*                3  60.0%         matches bank
      not river          1  20.0%
    <BLANKLINE>
    4 of 5 documents contain a seed (80.0%).
    """
    below = [*_problems(found.problems), *(("", _bullets(found.notes, "dim")) if found.notes else ())]
    if not found.categories:  # no documents were given
        return Group(*below)
    table = table_of("seeds", numbers=("documents", "share", "alone"), right=("remark",))
    for category in found.categories:
        numbers = (f"{category.documents:,}", f"{category.share:.1%}", f"{category.alone:,}")
        table.add_row(printable(category.name), *numbers, style="bold")
        for sign, words in (("", category.words), ("not ", category.exclude)):
            for word in words:
                numbers = (f"{word.documents:,}", f"{word.share:.1%}", "")
                table.add_row(f"  {sign}{printable(word.word)}", *numbers, printable(remark(word)))
    share = found.reached / max(found.documents, 1)
    reached = f"{found.reached:,} of {found.documents:,} documents contain a seed ({share:.1%})."
    return Group(table, "", reached, "", *below)


def suggestion_table(found: SeedSuggestions) -> Group:
    """Lay out the words to add by category, the categories with too few documents first, and what to decide.

    Examples
    --------
    >>> from seedtopic.cli.console import laid_out
    >>> from seedtopic.seeds import Seeds
    >>> texts = ["game and goal", "a goal, a game", "my goal", "the bank rate", "rate of a bank", "one rate"]
    >>> suggested = Seeds({"sports": ["game"], "money": ["bank"]}).suggest(texts, top=1)
    >>> print(laid_out(suggestion_table(suggested)))
    words to add  documents  without a seed  in category
    sports
      goal *              3               1          87%
        - near in meaning to game
        - my goal
        - game and goal
        - a goal, a game
    money
      rate *              3               1          87%
        - near in meaning to bank
        - one rate
        - the bank rate
        - rate of a bank
    <BLANKLINE>
    * safe to add unread (--accept N). 2 of 6 documents contain no seed.
    """
    if not found.documents:
        return _words_by_meaning(found)
    numbers = ("documents", "without a seed", "in category")
    words = [word for category in found.categories for word in category.words]
    width = max(cell_len(name) for name in ("words to add", *(_marked(word) for word in words)))

    def row(word: Suggestion | None) -> Table:
        """Lay out one row, or the head; examples come between rows, so all rows need the same widths."""
        table = table_of("words to add", numbers=numbers, head=word is None)
        table.columns[0].min_width = width
        if word is not None:
            shown = (f"{word.documents:,}", f"{word.unseeded:,}", f"{word.share:.0%}")
            table.add_row(_marked(word), *shown)
        return table

    def rows() -> Iterator[RenderableType]:
        starving = [category.starving for category in found.categories if category.starving]
        if starving:
            yield from ("These categories need words most:", _bullets(starving), "")
        yield row(None)
        for category in found.categories:
            yield Text(printable(category.name), "bold")
            if not category.words:
                yield "  (no word is frequent and typical enough)"
            for word in category.words:
                yield row(word)
                lines = [*_nearness(word), *word.examples]
                yield Padding(_bullets(lines, "dim"), (0, 0, 0, 4), expand=False)

    safe = "* safe to add unread (--accept N). " if any(word.safe for word in words) else ""
    unseeded = f"{safe}{found.unseeded:,} of {found.documents:,} documents contain no seed."
    filled = [question(category) for category in found.categories if category.filled_up_with]
    asked = ("", "Belongs here, elsewhere, or to a new category?", _bullets(filled)) if filled else ()
    harmful = [sentence for category in found.categories for sentence in harmful_seeds(category)]
    below = ("", "Seeds that look harmful:", _bullets(harmful)) if harmful else ()
    return Group(*rows(), "", unseeded, *asked, *below)


def _marked(word: Suggestion) -> str:
    return f"  {printable(word.word)}{' *' * word.safe}"


def _words_by_meaning(found: SeedSuggestions) -> Group:
    """Lay out words that were suggested without documents."""
    table = table_of("words to add", "near in meaning to")
    for category in found.categories:
        table.add_row(Text(printable(category.name), "bold"), "")
        for word in category.words:
            table.add_row(f"  {printable(word.word)}", printable(", ".join(word.near)))
        if not category.words:
            table.add_row("  (no word is known to be near)", "")
    return Group(table)


def _nearness(word: Suggestion) -> list[str]:
    return [f"near in meaning to {', '.join(word.near)}"] if word.source == "meaning" else []


def estimate_cells(of: Estimate) -> tuple[str, str]:
    """Write an estimate and its interval."""
    if of.value is None:
        return "-", "-"
    return f"{of.value:.1%}", f"{100 * of.low:.1f}–{100 * of.high:.1f}%"


def _short(value: float) -> str:
    """Three decimals without the leading zero, as scores are printed in papers."""
    return f"{value:.3f}".removeprefix("0") if value < 1 else f"{value:.3f}"


def _problems(problems: Sequence[str]) -> list[RenderableType]:
    if not problems:
        return ["No problems found."]
    return [f"{len(problems)} problem{'s' * (len(problems) > 1)}:", _bullets(problems)]


def _bullets(lines: Sequence[str], style: str = "") -> Table:
    """List lines; where one is too long for the terminal, its rest is indented."""
    table = Table.grid(padding=(0, 1, 0, 0))
    for line in lines:
        table.add_row("-", Text(printable(line), style, overflow="fold"))
    return table


def discovery_table(found: Discovery) -> Table:
    """Lay out the new categories.

    Examples
    --------
    >>> from seedtopic.quality.discover import NewCategory
    >>> from seedtopic.cli.console import laid_out
    >>> from seedtopic.seeds import Seeds
    >>> new = NewCategory("hockey-nhl", ("hockey", "nhl"), 1005, 0.97, {"baseball": 990})
    >>> seeds = Seeds({"baseball": ["ball"], "space": ["orbit"]})
    >>> print(laid_out(discovery_table(Discovery(seeds, 5000, 5000, (new,)))))
    new category  documents  right, about  labelled until now  words
    hockey-nhl        1,005          97 %  baseball            hockey, nhl
    """
    table = table_of(
        "new category", numbers=("documents", "right, about"), right=("labelled until now", "words")
    )
    for new in found.categories:
        most = next((str(name) for name in new.before), "")
        table.add_row(
            printable(str(new.name)),
            f"{new.documents:,}",
            percent(new.right),
            printable(most),
            printable(", ".join(new.words)),
        )
    return table
