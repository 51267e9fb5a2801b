"""The command that measures how far people agree: ``seedtopic agreement``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from seedtopic.answers.agreement import COLUMNS, Ratings, agreement
from seedtopic.answers.ledger import place_beside
from seedtopic.answers.readers import answers_of_people
from seedtopic.cli import options, steps
from seedtopic.cli.console import Terminal, note
from seedtopic.io.write import write_rows
from seedtopic.show.tables import agreement_tables


def agreement_command(
    *,
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILES",
            help="A file of answers, the documents beside which it lies, or filled-in sheets, each of one "
            "person (the name of the file, or the column `by`).",
        ),
    ],
    output: Annotated[
        str | None, options.output(f"The file to write all measures to: {options.TABLES}.")
    ] = None,
    terminal: Terminal,
) -> int:
    """Measure how far several people, or people and models, agree about the same texts.

    It shows percent agreement, Fleiss' kappa and Krippendorff's alpha of all, Cohen's kappa of each two
    people, how far each person agrees with the others, and which categories are confused. The intervals are
    of 95 %.

    Example:  seedtopic agreement anna.csv ben.csv -o agreement.csv
    """
    if output is not None:
        for file in files:
            steps.check_table(output, file, "measures", terminal)
            steps.refuse_to_overwrite(output, str(place_beside(Path(file))))
    brought = answers_of_people(files)
    for problem in brought.problems:
        note(problem)  # despite --quiet, since answers are not used
    of_all = agreement(Ratings.of(brought.answers))
    if output is not None:
        write_rows(output, of_all.rows(), COLUMNS)
    if output != "-":
        lines = [] if output is None else [f"all measures written to {steps.where(output)}"]
        terminal.result(agreement_tables(of_all), *lines, values=of_all.as_dict())
    return 0
