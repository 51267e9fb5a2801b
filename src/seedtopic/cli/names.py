"""The commands on the categories of a seeds file: ``seedtopic seeds rename | merge | split | remove``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from seedtopic.answers.ledger import ledger_of
from seedtopic.answers.moves import Moves
from seedtopic.base.errors import InputError
from seedtopic.base.wording import listed
from seedtopic.cli import options
from seedtopic.cli.console import Terminal
from seedtopic.seeds import Seeds, history
from seedtopic.seeds.files import check_ending
from seedtopic.seeds.names import Names

_Category = Annotated[str, typer.Argument(metavar="NAME", help="The category.")]


@dataclass(frozen=True, kw_only=True)
class Rewriting:
    """The seeds that change, where the new ones go, and where answers are whose categories change."""

    file: Annotated[str, typer.Argument(metavar="FILE", help="The seeds file, .toml or .json.")]
    docs: Annotated[str | None, typer.Option(help="Count the answers about these documents beforehand.")] = (
        None
    )
    answers: Annotated[str | None, typer.Option(help="Count the answers in this file beforehand.")] = None
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would change.")] = False
    output: Annotated[str | None, options.output("The file to write, .toml or .json (default: FILE).")] = None

    def write(
        self, what: str, change: Callable[[Seeds], tuple[Seeds, list[str]]], terminal: Terminal
    ) -> None:
        """Say what becomes of answers, and write the new seeds."""
        target = Path(self.output or self.file)
        check_ending(target)
        before = Seeds.read(self.file)
        after, consequences = change(before)
        moves = None
        if self.docs is not None or self.answers is not None:
            ledger = ledger_of(self.docs or "-", self.answers)
            if ledger is None or ledger.path is None:
                raise InputError("there is no file of answers: name it with --answers FILE.")
            if not ledger.path.exists():
                raise InputError(f"there are no answers in {ledger.path}: check the path.")
            moves = Moves.of(ledger, Names.of(before), Names.of(after))
        for sentence in consequences if moves is None else [*consequences, moves.sentence()]:
            terminal.note(sentence)
        if not self.dry_run:
            after.write(target)
        values = {
            "change": what,
            "consequences": consequences,
            "answers": None if moves is None else moves.as_dict(),
            "categories": list(map(str, after.names)),
            "output": None if self.dry_run else str(target),
        }
        end = "nothing is written, because of --dry-run" if self.dry_run else f"written to {target}"
        terminal.result(f"{what}: {end}", values=values)


def rename(
    *,
    rewriting: Rewriting,
    old: Annotated[str, typer.Argument(metavar="OLD", help="The name of the category.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="Its new name.")],
    terminal: Terminal,
) -> None:
    """Give a category a new name; answers with the old name count for it.

    Example:  seedtopic seeds rename seeds.toml Invoices Billing --docs tickets.csv
    """
    rewriting.write(f"{old!r} becomes {new!r}", lambda seeds: history.renamed(seeds, old, new), terminal)


def merge(
    *,
    rewriting: Rewriting,
    names: Annotated[list[str], typer.Argument(metavar="NAME", help="Two or more categories.")],
    into: Annotated[str, typer.Option(help="The name of the whole: a new one, or one of them.")],
    terminal: Terminal,
) -> None:
    """Make several categories one; answers with any of their names count for it.

    Example:  seedtopic seeds merge seeds.toml Fees Invoices --into Billing --docs tickets.csv
    """
    what = f"{listed(list(map(repr, names)))} become {into!r}"
    rewriting.write(what, lambda seeds: history.merged(seeds, names, into), terminal)


def split(
    *,
    rewriting: Rewriting,
    name: _Category,
    into: Annotated[list[str], typer.Argument(metavar="INTO", help="Two or more new names.")],
    words: Annotated[
        list[str] | None,
        typer.Option(
            metavar="INTO=WORD,WORD",
            help="The words of one of the parts (default: those of the category that no other part is given, "
            "and those of its name); may be repeated.",
        ),
    ] = None,
    terminal: Terminal,
) -> None:
    """Make several categories of one; answers with its name rest until somebody decides.

    Example:  seedtopic seeds split seeds.toml Billing Refunds Invoices --words Refunds=refund,credit
    """
    words_of = {part: own.split(",") for part, _, own in (option.rpartition("=") for option in words or ())}
    if "" in words_of:
        raise InputError(f'write --words with one of the parts and its words, as in "{into[0]}=one,two".')
    what = f"{name!r} becomes {listed(list(map(repr, into)))}"
    rewriting.write(what, lambda seeds: history.split(seeds, name, into, words_of), terminal)


def remove(*, rewriting: Rewriting, name: _Category, terminal: Terminal) -> None:
    """Remove a category; answers with its name rest, and are kept.

    Example:  seedtopic seeds remove seeds.toml Billing --dry-run --docs tickets.csv
    """
    rewriting.write(f"{name!r} is removed", lambda seeds: history.removed(seeds, name), terminal)
