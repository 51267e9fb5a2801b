"""The command that counts categories by group and over time: ``seedtopic shares``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from seedtopic.base.errors import InputError
from seedtopic.base.wording import number_of
from seedtopic.cli import options
from seedtopic.cli.console import note, result
from seedtopic.cli.options import SavedModel, Source, rule_columns
from seedtopic.cli.steps import refuse_to_overwrite, where

if TYPE_CHECKING:
    from seedtopic.io.rows import Rows
    from seedtopic.quality.shares import Groups

Checked = Annotated[
    str | None,
    typer.Option(
        "--checked",
        metavar="FILE",
        help="A file of audit with its column `checked` filled in: the shares are corrected by it.",
    ),
]


def shares(
    *,
    by: options.By = None,
    period: options.PeriodOption = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="The file to write the shares to: .csv, .tsv, .jsonl, .xlsx or .parquet; "
            "- for CSV on standard output.",
        ),
    ] = None,
    checked: Checked = None,
    fitted: options.Fitted = False,
    saved: SavedModel,
    source: Source,
    id_field: options.IdField = None,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> int:
    """Estimate the share of each category, in all documents, over time and by group.

    Each share has a 95 % interval, which takes into account that labels may be wrong and that other documents
    could have come. A sample that you have checked (seedtopic audit) corrects the shares.

    Example:  seedtopic shares model/ tickets.csv --by date,team -o shares.csv
    """
    from seedtopic.answers.sheet import Labelled
    from seedtopic.cli.audit import audit_of, predictions_of
    from seedtopic.io.write import check_output, write_rows
    from seedtopic.quality.shares import COLUMNS, estimate_shares, numbered_labels
    from seedtopic.show.tables import share_table

    if output is not None:
        if output == "-" and json:
            raise InputError(
                "standard output cannot hold both shares and --json: name a file for the shares with -o."
            )
        refuse_to_overwrite(output, source.docs)
        check_output(output)
    columns = column_names(by, period)
    model = saved.load()
    documents = source.read(quiet=quiet, columns=rule_columns(model), id_field=id_field)
    groups = groups_of(documents, columns, period, quiet=quiet)
    predictions = predictions_of(model, documents, fitted)
    audit = None
    if checked is not None:
        audit = audit_of(checked, Labelled.of(predictions), quiet=quiet)
    found = estimate_shares(list(map(str, predictions.names)), *numbered_labels(predictions), groups, audit)
    if output is not None:
        write_rows(output, found.rows(), COLUMNS, replace(documents.style, sheet="shares"))
    written = [] if output is None else [f"shares written to {where(output)}"]
    if output != "-":
        result(share_table(found), *written, values=found.as_dict(), as_json=json, quiet=quiet)
    return documents.unusable


def column_names(by: Sequence[str] | None, period: str | None) -> list[str]:
    """Read the columns of --by, which may be repeated or hold several names."""
    names = [name.strip() for given in by or () for name in given.split(",")]
    if "" in names:
        raise InputError(f"--by is {','.join(by or ())!r}: name columns of the documents, such as date,team.")
    if period is not None and not names:
        raise InputError("--period is for a column of dates: name it with --by.")
    return list(dict.fromkeys(names))


def groups_of(documents: Rows, columns: Sequence[str], period: str | None, *, quiet: bool) -> list[Groups]:
    """Put documents into groups by each column, and say how dates were read."""
    from seedtopic.quality.dates import PERIODS
    from seedtopic.quality.shares import NO_DATE, grouped

    chosen = next((known for known in PERIODS if known == period), None)
    if period is not None and chosen is None:
        raise InputError(f"--period is {period!r}: use one of {', '.join(PERIODS)}.")
    groups = [grouped(documents.column(column), column, period=chosen) for column in columns]
    of_dates = [group for group in groups if group.period is not None]
    if period is not None and not of_dates:
        raise InputError(
            f"no column of --by {','.join(columns)} holds dates, such as 2024-03-05: leave --period out."
        )
    for group in of_dates:
        if period is None:
            note(f"the dates in {group.column!r} are grouped by {group.period} (--period)", quiet=quiet)
        if group.names[-1] == NO_DATE:
            without = int((group.of == len(group.names) - 1).sum())
            have = number_of(without, "document has", "documents have")
            note(f"{have} no date in {group.column!r} that can be read: {NO_DATE}", quiet=quiet)
    return groups
