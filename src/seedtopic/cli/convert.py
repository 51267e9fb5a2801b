"""The command for files of annotation tools: ``seedtopic convert``."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import partial
from typing import Annotated

import typer

from seedtopic.answers import annotation
from seedtopic.answers.annotation.files import CONFIRMED, check_ending, check_settings
from seedtopic.answers.ledger import Answers
from seedtopic.base.errors import InputError
from seedtopic.base.wording import number_of
from seedtopic.cli import options, steps
from seedtopic.cli.console import Terminal
from seedtopic.io.predictions import NONE
from seedtopic.io.source import UTF8
from seedtopic.seeds import Seeds

TOOL = "TOOL"
NAMES = "label-studio, argilla, doccano or prodigy"
# Options that say how documents are read, or what a tool is given.
_ONLY_TO = ("text_field", "id_field", "format", "sheet", "settings", "argilla_user")


def convert(
    *,
    to: Annotated[
        str | None,
        typer.Option("--to", metavar=TOOL, help=f"Write documents with their labels for {NAMES}."),
    ] = None,
    from_: Annotated[
        str | None,
        typer.Option(
            "--from", metavar=TOOL, help=f"Read what people have checked in {NAMES}, for --confirmed."
        ),
    ] = None,
    output: Annotated[
        str | None,
        options.output(
            "The file to write: .json (Label Studio, Argilla) or .jsonl (doccano, Prodigy) with --to; "
            ".csv, .tsv, .jsonl, .xlsx or .parquet, or - for CSV on standard output, with --from."
        ),
    ] = None,
    answers: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="With --from, add what each person has said to this file of answers, NAME.answers.csv "
            "beside the documents.",
        ),
    ] = None,
    settings: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="With --to, also write the categories as the tool is told them: the labelling configuration "
            "of Label Studio (.xml), the settings of Argilla (.json) or the labels of doccano (.json).",
        ),
    ] = None,
    seeds: Annotated[
        str | None,
        options.seeds_file(
            "The categories, in the order of this seeds file (default: all labels in the file)."
        ),
    ] = None,
    none_label: options.NoneLabel = None,
    argilla_user: Annotated[
        str | None,
        typer.Option(
            metavar="ID",
            help="The user of Argilla whose responses confirmed labels become (default: suggestions).",
        ),
    ] = None,
    source: options.NamedSource,
    terminal: Terminal,
) -> int | None:
    """Take labels to an annotation tool, and bring back what people have checked there.

    With --to, DOCS is a file that label, predict or next has written. Labels of the model become predictions
    with their probabilities, and confirmed labels become annotations. With --from, DOCS is a file that the
    tool has exported: what people have said is added to your answers with --answers, and the file that -o
    writes has one row for each document, for --confirmed.

    Example:  seedtopic convert labelled.csv --to label-studio -o tasks.json --settings config.xml
    """
    if (to is None) == (from_ is None):
        raise InputError(f"give --to TOOL or --from TOOL; the tools are {NAMES}.")
    none = none_label or NONE
    for file in filter(None, (output, settings, answers)):
        steps.refuse_to_overwrite(file, source.docs)
    if to is not None:
        if output is None or answers is not None:
            raise InputError("--to writes a file for the tool: name it with -o, and leave --answers out.")
        tool = annotation.tool_named(to)
        return _to(tool, output, settings, _names(seeds), none, argilla_user, source, terminal)
    values = {**vars(source), "settings": settings, "argilla_user": argilla_user}
    for name in _ONLY_TO:
        if values[name] is not None:
            raise InputError(f"--{name.replace('_', '-')} is for --to: leave it out with --from.")
    if (output is None) == (answers is None):
        raise InputError("name the file of your answers with --answers, or a file for --confirmed with -o.")
    if source.encoding != UTF8 or source.strict:
        raise InputError("--encoding and --strict are for --to: leave them out with --from.")
    tool, names = annotation.tool_named(str(from_)), _names(seeds)
    if answers is not None:
        answered = annotation.answers_of_tool(source.docs, tool, names, none)
        if not answered:
            raise InputError(f"nobody has answered anything in {source.docs}: check some documents first.")
        count = Answers.read(answers).add(answered, once=True)
        terminal.result(
            f"{number_of(count, 'new answer')} of {len(answered):,} added to {steps.where(answers)}",
            values={"answers": len(answered), "new": count, "file": answers},
        )
    if output is not None:
        steps.check_table(output, source.docs, "labels", terminal)
        checked = annotation.read_checked(source.docs, tool, names, none)
        statuses = Counter(document.status for document in checked)
        confirmed = statuses.pop(CONFIRMED, 0)
        without = ", ".join(f"{count:,} {status}" for status, count in statuses.most_common())
        if not confirmed:
            raise InputError(
                f"no document in {source.docs} has a checked label ({without}): check some first."
            )
        if tool.name == "doccano":
            terminal.note(
                "doccano does not say which labels were checked: export the approved documents only"
            )
        if without:
            terminal.note(f"documents without a confirmed label: {without}")
        annotation.write_checked(output, checked)
        if output != "-":
            have = f"{confirmed:,} of {len(checked):,} documents have a confirmed label"
            terminal.result(
                f"{have}, written to {steps.where(output)}",
                f"give it to label, fit or next with --confirmed {output}",
                values={"documents": len(checked), "confirmed": confirmed, **statuses, "output": output},
            )
    return None


def _to(
    tool: annotation.Tool,
    output: str,
    settings: str | None,
    names: list[str] | None,
    none: str,
    argilla_user: str | None,
    source: options.NamedSource,
    terminal: Terminal,
) -> int:
    check_ending(output, tool.name, tool.ending)
    if settings is not None:
        check_settings(settings, tool)
        if settings == output:
            raise InputError(f"{output} is both the output and the settings: give the settings another name.")
    if argilla_user is not None:
        if tool.name != "Argilla":
            raise InputError(f"--argilla-user is not for {tool.name}: leave it out.")
        tool = replace(tool, tasks=partial(annotation.argilla.tasks, user=argilla_user))
    documents = source.read(terminal)
    choices = annotation.Choices.of(documents, names, none)
    written = annotation.write_tasks(output, tool, annotation.records_of(documents), choices)
    if settings is not None:
        annotation.write_settings(settings, tool, choices)
    beside = [] if settings is None else [f"categories written to {steps.where(settings)}"]
    terminal.result(
        f"{written:,} documents written for {tool.name} to {steps.where(output)}",
        *beside,
        values={"documents": written, "categories": [*choices.all], "output": output, "settings": settings},
    )
    return documents.unusable


def _names(seeds: str | None) -> list[str] | None:
    if seeds is None:
        return None
    return [str(name) for name in Seeds.read(seeds).names]
