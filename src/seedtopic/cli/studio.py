"""The command that opens the studio: ``seedtopic studio``."""

from __future__ import annotations

import os
import webbrowser
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from seedtopic.answers.ledger import ledger_of
from seedtopic.base.errors import InputError, MissingExtraError
from seedtopic.cli import options
from seedtopic.cli.console import Quiet, Terminal
from seedtopic.io.source import matched_files
from seedtopic.seeds import Seeds


def studio(
    *,
    seeds: Annotated[str | None, options.seeds_file("Seeds to start with, .toml or .json.")] = None,
    workspace: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="File that keeps your seeds and their history, and from which they are continued (default: "
            "DOCS with .studio).",
        ),
    ] = None,
    output: Annotated[str, options.output("The folder to save files in.", "FOLDER")] = ".",
    port: options.Port = 0,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Do not open a browser.")] = False,
    label_field: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="Column of known labels to compare with; the model does not see it."
        ),
    ] = None,
    answers: options.AnswersFile = None,
    source: options.NamedSource,
    counting: options.Counting,
    vectors: options.Vectors = None,
    quiet: Quiet = False,
) -> None:
    """Open a page on this machine to edit seeds and see the labels change while you type.

    Example:  seedtopic studio tickets.csv --seeds seeds.toml
    """
    try:
        from seedtopic.web.studio.app import redirect_file, serve
    except ModuleNotFoundError as error:
        raise MissingExtraError("seedtopic studio", str(error.name), "studio") from None
    from seedtopic.web.studio.documents import Collection
    from seedtopic.web.studio.session import Session

    folder = Path(output)
    if not folder.is_dir():
        raise InputError(f"the folder {output} does not exist: make it first, or name another with -o.")
    first_seeds = None if seeds is None else Seeds.read(seeds)
    docs, arguments = source.docs, {**counting.arguments(), "vectors": options.read_vectors(vectors)}
    place = None  # for standard input and patterns, beside which there is no place
    if workspace is not None or Path(docs).exists():
        beside = _named(docs).with_name(_named(docs).name + ".studio")
        place = beside if workspace is None else Path(workspace)
        if place.is_dir() or not os.access(place.parent, os.W_OK):  # a missing folder, too
            raise InputError(f"the workspace {place} cannot be written: name a file with --workspace.")
    terminal = Terminal(quiet=quiet)
    documents = source.read(terminal, label_field=label_field, max_memory=counting.max_memory)
    name = "standard input" if docs == "-" else _named(docs).name
    with terminal.progress() as progress:
        collection = Collection(documents, name, progress=progress, **arguments)
    ledger = ledger_of(docs, answers)
    session = Session(collection, first_seeds, place, answers=ledger, compared=label_field)
    for problem in session.answer_problems:
        terminal.note(problem)
    if session.reopened and first_seeds is not None:
        terminal.note(f"continuing with {place}; {seeds} is not read again.")
    if place is None:
        terminal.note("your seeds are lost when the studio ends: keep them with --workspace FILE.")
    if ledger is None:
        terminal.note("your answers are lost when the studio ends: keep them with --answers FILE.")

    inputs = matched_files(Path(docs)) or [Path(docs)]
    with ExitStack() as until_the_end:

        def ready(address: str) -> None:
            typer.echo(f"seedtopic studio: {address}  (stop with Ctrl-C)")
            if not no_browser:
                webbrowser.open(until_the_end.enter_context(redirect_file(address)).as_uri())

        serve(session, folder, port, ready, protected=inputs if place is None else [*inputs, place])
    if place is None:
        outcome = "your seeds were not kept."
    elif session.saved:
        outcome = f"your seeds are in {place}."
    else:
        outcome = f"{place} could not be written: the last edits are missing from it."
    if len(session.answers) and session.answers.path is not None:
        outcome = f"your answers are in {session.answers.path}; {outcome}"
    terminal.note(f"the studio has ended; {outcome}")


def _named(docs: str) -> Path:
    """Return a path that ends in a name, which . and .. do not."""
    return Path(docs) if Path(docs).name not in ("", "..") else Path(docs).resolve()
