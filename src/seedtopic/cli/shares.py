"""The command that counts categories by group and over time: ``seedtopic shares``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import typer

from seedtopic.answers.sheet import SheetLabels
from seedtopic.base.errors import InputError
from seedtopic.base.wording import number_of
from seedtopic.cli import options, steps
from seedtopic.cli.answers import Answered, refuse_to_lose
from seedtopic.cli.audit import CheckedSheets, audit_of, predictions_of
from seedtopic.cli.console import Terminal
from seedtopic.io.rows import Rows
from seedtopic.io.write import write_rows
from seedtopic.quality.dates import PERIODS
from seedtopic.quality.shares import COLUMNS, NO_DATE, Groups, estimate_shares, grouped, numbered_labels
from seedtopic.show.tables import share_table


@dataclass(frozen=True, kw_only=True)
class Grouping:
    """How documents are put into groups."""

    by: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMNS", help="Columns to group the documents by, such as date,team; may be repeated."
        ),
    ] = None
    period: Annotated[
        str | None,
        typer.Option(
            metavar="PERIOD",
            help="Period of dates: day, week, month, quarter or year (default: chosen automatically).",
        ),
    ] = None

    def columns(self) -> list[str]:
        """Read the columns of --by, which may be repeated or hold several names."""
        named = ",".join(self.by or ())
        names = [name.strip() for name in named.split(",")] if self.by else []
        if "" in names:
            raise InputError(f"--by is {named!r}: name columns of the documents, such as date,team.")
        if self.period is not None and not names:
            raise InputError("--period is for a column of dates: name it with --by.")
        return list(dict.fromkeys(names))

    def of(self, documents: Rows, columns: Sequence[str], terminal: Terminal) -> list[Groups]:
        """Put documents into groups by each column, and say how dates were read."""
        period = next((known for known in PERIODS if known == self.period), None)
        if period != self.period:
            raise InputError(f"--period is {self.period!r}: use one of {', '.join(PERIODS)}.")
        groups = [grouped(documents.column(column), column, period=period) for column in columns]
        of_dates = [group for group in groups if group.period is not None]
        if period is not None and not of_dates:
            raise InputError(
                f"no column of --by {','.join(columns)} holds dates, such as 2024-03-05: leave --period out."
            )
        for group in of_dates:
            if period is None:
                terminal.note(f"the dates in {group.column!r} are grouped by {group.period} (--period)")
            if group.names[-1] == NO_DATE:
                without = int((group.of == len(group.names) - 1).sum())
                have = number_of(without, "document has", "documents have")
                terminal.note(f"{have} no date in {group.column!r} that can be read: {NO_DATE}")
        return groups


def shares(
    *,
    grouping: Grouping,
    output: Annotated[
        str | None, options.output(f"The file to write the shares to: {options.TABLES}.")
    ] = None,
    checked: CheckedSheets = None,
    answers: options.AnswersFile = None,
    fitted: options.Fitted = False,
    saved: options.SavedModel,
    source: options.NamedSource,
    terminal: Terminal,
) -> int:
    """Estimate the share of each category, in all documents, over time and by group.

    Each share has a 95 % interval, which takes into account that labels may be wrong and that other documents
    could have come. A sample that you have checked (seedtopic audit) corrects the shares; without one,
    documents count as your answers about them say.

    Example:  seedtopic shares model/ tickets.csv --by date,team -o shares.csv
    """
    answered = Answered(confirmed=checked, answers=answers)
    if output is not None:
        steps.check_table(output, source.docs, "shares", terminal)
        refuse_to_lose(output, source, answered)
    columns = grouping.columns()
    model = saved.load()
    documents = source.read(terminal, options.rule_columns(model))
    groups = grouping.of(documents, columns, terminal)
    predictions = predictions_of(model, documents, fitted=fitted)
    audit, known = audit_of(answered, source, documents, model, SheetLabels.of(predictions), terminal)
    if audit is None:
        predictions = predictions.with_answers(known.labels, known.none)
    names = list(map(str, predictions.names))
    estimates = estimate_shares(names, *numbered_labels(predictions), groups, audit)
    if output is not None:
        write_rows(output, estimates.rows(), COLUMNS, replace(documents.style, sheet="shares"))
    written = [] if output is None else [f"shares written to {steps.where(output)}"]
    if output != "-":
        terminal.result(share_table(estimates), *written, values=estimates.as_dict())
    return documents.unusable
