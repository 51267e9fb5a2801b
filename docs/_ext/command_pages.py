"""The reference of the command line, generated from the commands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from generated import write_pages

from seedtopic.cli import console
from seedtopic.cli.app import app as commands

if TYPE_CHECKING:  # the tests read this, where Sphinx need not be
    from sphinx.application import Sphinx

# What an exit code means, by its constant in `seedtopic.cli.console`.
EXIT_CODES = {
    "DONE": "success",
    "FAILED": "failure: an interruption, a full disk, not enough memory, or a bug in seedtopic",
    "WRONG_INPUT": "wrong input; one sentence on standard error says what, where, and how to correct it",
    "INCOMPLETE": "success, but some documents could not be used, or some results of an experiment "
    "are missing; they are counted on standard error",
}

HEAD = """# Commands

This page is generated from the commands; `seedtopic COMMAND --help` shows the same. Results go to standard
output, notes and errors to standard error.

"""


def exit_codes() -> dict[int, str]:
    """Give every exit code of the command line with its meaning."""
    named = {name: value for name, value in vars(console).items() if name.isupper() and type(value) is int}
    return {
        value: EXIT_CODES[name] for name, value in sorted({"DONE": 0, **named}.items(), key=lambda x: x[1])
    }


def walk(group: Any = None, name: str = "seedtopic") -> Iterator[tuple[str, Any]]:
    """Give every command with its whole name, the groups before what they hold."""
    group = typer.main.get_command(commands) if group is None else group
    yield name, group
    if hasattr(group, "commands"):
        context = typer.Context(group)
        for part in group.list_commands(context):
            command = group.get_command(context, part)
            yield from walk(getattr(command, "whole", command), f"{name} {part}")


def records(name: str, command: Any) -> tuple[str, list[tuple[str, str, str]], list[tuple[str, str, str]]]:
    """Give the usage of a command, its arguments and its options, each as written, told and left out."""
    context = typer.Context(command, info_name=name)
    arguments, options = [], []
    for parameter in command.params:
        record = parameter.get_help_record(context)
        if record is None:  # hidden
            continue
        written, told = record
        text, _, bracket = told.partition("  [")
        kind = arguments if parameter.param_type_name == "argument" else options
        kind.append((written, text.strip(), bracket.rstrip("]")))
    return " ".join(command.get_usage(context).split()).removeprefix("Usage: "), arguments, options


def _table(head: str, rows: list[tuple[str, str, str]]) -> Iterator[str]:
    if not rows:
        return
    yield f"| {head} | |"
    yield "|---|---|"
    for written, text, bracket in rows:
        told = f"{_prose(text)} *({_prose(bracket)})*" if bracket else _prose(text)
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in (f"`{written}`", told)) + " |"
    yield ""


def _prose(text: str) -> str:
    """Keep what looks like Markdown, such as the star of a pattern, as it is."""
    return re.sub(r"([*_<>`])", r"\\\1", text)


def _section(name: str, command: Any) -> Iterator[str]:
    usage, arguments, options = records(name, command)
    yield f"## {name}\n"
    paragraphs = [" ".join(part.split()) for part in (command.help or "").split("\n\n")]
    for paragraph in paragraphs:
        example = paragraph.removeprefix("Example: ")
        if example == paragraph:
            yield f"{_prose(paragraph)}\n"
    yield f"```text\n{usage}\n```\n"
    yield from _table("argument", arguments)
    yield from _table("option", options)
    for paragraph in paragraphs:
        example = paragraph.removeprefix("Example: ")
        if example != paragraph:
            yield f"Example:\n\n```bash\n{example}\n```\n"


def page() -> str:
    """Write the whole page."""
    lines = [HEAD, "| exit code | |", "|---|---|"]
    lines += [f"| {code} | {told} |" for code, told in exit_codes().items()]
    lines.append("")
    for name, command in walk():
        lines += _section(name, command)
    return "\n".join(lines)


def generate(app: Sphinx) -> None:
    """Write the page where Sphinx finds it."""
    write_pages(Path(app.srcdir) / "reference" / "generated" / "commands", {"index.md": page()})


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx when to write."""
    app.connect("builder-inited", generate)
    return {"parallel_read_safe": True}
