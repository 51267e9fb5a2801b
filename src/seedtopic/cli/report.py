"""The command that writes a report: ``seedtopic report``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from seedtopic.cli import options, steps
from seedtopic.cli.answers import Answered
from seedtopic.cli.console import Terminal
from seedtopic.cli.shares import Grouping
from seedtopic.quality.audit import names_of
from seedtopic.show.pages import estimate_sentences
from seedtopic.show.report import Report, check_report_output


def report(
    *,
    output: Annotated[str, options.output("The .html, .md or .json file to write.")] = "report.html",
    label_field: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Column of the true labels, for scores (default: no scores)."),
    ] = None,
    grouping: Grouping,
    answers: options.AnswersFile = None,
    fitted: options.Fitted = False,
    saved: options.SavedModel,
    source: options.NamedSource,
    terminal: Terminal,
) -> int:
    """Write a report on labelled documents as one file that works offline.

    It shows the categories with their typical words, how certain the labels are, documents worth checking,
    categories that may be confused, the seeds, a map, scores if the true labels are known, and with --by the
    shares of the categories in each group or period.

    Example:  seedtopic report model/ tickets.csv -o report.html
    """
    check_report_output(output)
    steps.refuse_to_overwrite(output, source.docs)
    columns = grouping.columns()
    model = saved.load_with_seeds()
    documents = source.read(terminal, options.rule_columns(model), label_field=label_field)
    ledger, _ = Answered(answers=answers).collect(source, documents, names_of(model), terminal)
    made = Report.of(
        model,
        documents.texts,
        labels=None if label_field is None else documents.labels,
        ids=documents.ids,
        rows=[documents.number_of(place) for place in range(len(documents))],
        by=grouping.of(documents, columns, terminal),
        fitted=fitted,
        answers=ledger,
        title="Labels of " + ("standard input" if source.docs == "-" else Path(source.docs).name),
    )
    made.write(output)
    steps.note_unknown(made.without_known_word, None if made.none is None else made.none.name, terminal)
    values = {
        "output": output,
        "documents": made.documents,
        "without_text": made.without_text,
        "without_known_word": made.without_known_word,
        "mean_probability": made.mean_probability,
        **({} if made.estimated_accuracy is None else {"estimated_accuracy": made.estimated_accuracy}),
        **({} if made.measured is None else {"measured_accuracy": made.measured.as_dict()}),
        "macro_f1": None if made.scores is None else made.scores.macro_f1,
    }
    terminal.result(*estimate_sentences(made)[:1], f"report written to {steps.where(output)}", values=values)
    return documents.unusable
