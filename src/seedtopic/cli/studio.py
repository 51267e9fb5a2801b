"""The command that opens the studio: ``seedtopic studio``."""

from __future__ import annotations

import os
import webbrowser
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from seedtopic.base.errors import InputError, MissingExtraError
from seedtopic.cli import options
from seedtopic.cli.console import note, progress_bars
from seedtopic.cli.options import Counting, Source, read_vectors
from seedtopic.io.source import matched_files
from seedtopic.seeds import Seeds


def studio(
    *,
    seeds: Annotated[
        str | None, typer.Option("--seeds", metavar="FILE", help="Seeds to start with, .toml or .json.")
    ] = None,
    workspace: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="File that keeps your work, and from which it is continued (default: DOCS with .studio).",
        ),
    ] = None,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FOLDER", help="The folder to save files in.")
    ] = ".",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 for any free one.")] = 0,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Do not open a browser.")] = False,
    label_field: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="Column of known labels to compare with; the model does not see it."
        ),
    ] = None,
    source: Source,
    id_field: options.IdField = None,
    counting: Counting,
    vectors: options.Vectors = None,
    quiet: options.Quiet = False,
) -> None:
    """Open a page on this machine to edit seeds and see the labels change while you type.

    Example:  seedtopic studio tickets.csv --seeds seeds.toml
    """
    try:
        from seedtopic.web.studio.app import serve
    except ImportError as error:
        if error.name not in ("starlette", "uvicorn"):
            raise
        raise MissingExtraError("seedtopic studio", str(error.name), "studio") from None
    from seedtopic.web.studio.app import redirect_file
    from seedtopic.web.studio.documents import Collection
    from seedtopic.web.studio.session import Session

    folder = Path(output)
    if not folder.is_dir():
        raise InputError(f"the folder {output} does not exist: make it first, or name another with -o.")
    given = None if seeds is None else Seeds.read(seeds)
    docs, arguments = source.docs, {**counting.arguments(), "vectors": read_vectors(vectors)}
    place = _workspace(docs, workspace)
    documents = source.read(
        quiet=quiet, label_field=label_field, id_field=id_field, max_memory=counting.max_memory
    )
    name = "standard input" if docs == "-" else _named(docs).name
    with progress_bars(quiet=quiet) as progress:
        collection = Collection(documents, name, progress=progress, **arguments)
    session = Session(
        collection,
        given,
        place,
        place=docs if docs == "-" else str(Path(docs).resolve()),
        compared=label_field,
    )
    if session.reopened and given is not None:
        note(f"continuing with {place}; {seeds} is not read again.", quiet=quiet)
    if place is None:
        note("your work is lost when the studio ends: keep it with --workspace FILE.", quiet=quiet)

    inputs = matched_files(Path(docs)) or [Path(docs)]
    with ExitStack() as until_the_end:

        def ready(address: str) -> None:
            typer.echo(f"seedtopic studio: {address}  (stop with Ctrl-C)")
            if not no_browser:
                webbrowser.open(until_the_end.enter_context(redirect_file(address)).as_uri())

        serve(session, folder, port, ready, kept=inputs if place is None else [*inputs, place])
    if place is None:
        kept = "your work was not kept."
    elif session.saved:
        kept = f"your work is in {place}."
    else:
        kept = f"{place} could not be written: the last edits are missing from it."
    note(f"the studio has ended; {kept}", quiet=quiet)


def _workspace(docs: str, given: str | None) -> Path | None:
    """Choose the workspace file: beside the documents, or none for standard input and patterns."""
    if given is None and not Path(docs).exists():
        return None
    path = Path(given) if given is not None else _named(docs).with_name(_named(docs).name + ".studio")
    if path.is_dir() or not os.access(path.parent, os.W_OK):  # a missing folder, too
        raise InputError(f"the workspace {path} cannot be written: name a file with --workspace.")
    return path


def _named(docs: str) -> Path:
    """Return a path that ends in a name, which . and .. do not."""
    return Path(docs) if Path(docs).name not in ("", "..") else Path(docs).resolve()
