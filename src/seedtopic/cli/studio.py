"""The command that opens the studio."""

from __future__ import annotations

import os
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from seedtopic.cli import options
from seedtopic.cli.console import note, progress_bars
from seedtopic.cli.work import named_stop_words, named_tokenizer, read
from seedtopic.documents.encodings import UTF8
from seedtopic.documents.lines import matched_files
from seedtopic.errors import InputError, MissingExtraError
from seedtopic.memory import parse_memory
from seedtopic.seeds import Seeds


def studio(
    docs: options.Docs,
    seeds: Annotated[
        str | None, typer.Option("--seeds", metavar="FILE", help="Seeds to begin with, .toml or .json.")
    ] = None,
    workspace: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Where everything is kept, and gone on from (default: DOCS with .studio)."
        ),
    ] = None,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FOLDER", help="The folder that files are saved in.")
    ] = ".",
    text_field: options.TextField = None,
    id_field: options.IdField = None,
    format: options.Format = None,
    encoding: options.Encoding = UTF8,
    tokenizer: options.Tokenizer = None,
    stop_words: options.StopWords = "english",
    threads: options.Threads = None,
    max_memory: options.MaxMemory = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on (0: any free one).")] = 0,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Do not open a browser.")] = False,
    strict: options.Strict = False,
    quiet: options.Quiet = False,
) -> None:
    """Open a page on this machine to write seeds and see at once what they do.

    Example:  seedtopic studio tickets.csv --seeds seeds.toml
    """
    try:
        from seedtopic.studio.running import serve
    except ImportError as error:
        if error.name not in ("starlette", "uvicorn"):
            raise
        raise MissingExtraError("seedtopic studio", str(error.name), "studio") from None
    from seedtopic.studio.collection import Collection
    from seedtopic.studio.session import Session

    folder = Path(output)
    if not folder.is_dir():
        raise InputError(f"the folder {output} does not exist: make it first, or name another with -o.")
    given = None if seeds is None else Seeds.read(seeds)
    place = _workspace(docs, workspace)
    documents = read(
        docs,
        quiet=quiet,
        text_field=text_field,
        id_field=id_field,
        format=format,
        encoding=encoding,
        strict=strict,
    )
    with progress_bars(quiet=quiet) as progress:
        collection = Collection(
            documents,
            "standard input" if docs == "-" else _named(docs).name,
            tokenizer=named_tokenizer(tokenizer),
            stop_words=None if stop_words is None else named_stop_words(stop_words),
            n_threads=threads,
            max_memory=parse_memory(max_memory),
            progress=progress,
        )
    session = Session(collection, given, place, place=docs if docs == "-" else str(Path(docs).resolve()))
    if session.reopened and given is not None:
        note(f"going on with {place}; {seeds} is not read again.", quiet=quiet)
    if place is None:
        note("what you do is lost when the studio ends: --workspace FILE keeps it.", quiet=quiet)

    def ready(address: str) -> None:
        typer.echo(f"seedtopic studio: {address}  (Ctrl-C ends it)")
        if not no_browser:
            webbrowser.open(address)

    inputs = matched_files(Path(docs)) or [Path(docs)]
    serve(session, folder, port, ready, kept=inputs if place is None else [*inputs, place])
    if place is None:
        kept = "nothing was kept."
    else:
        kept = (
            f"all is in {place}."
            if session.saved
            else f"{place} could not be written: it lacks the last edits."
        )
    note(f"the studio has ended; {kept}", quiet=quiet)


def _workspace(docs: str, given: str | None) -> Path | None:
    """Choose the workspace file: beside the documents, none for what has no place of its own."""
    if given is None and not Path(docs).exists():  # standard input, or a pattern
        return None
    path = Path(given) if given is not None else _named(docs).with_name(_named(docs).name + ".studio")
    if path.is_dir() or not os.access(path.parent, os.W_OK):  # a missing folder, too
        raise InputError(f"the workspace {path} cannot be written there: name a file with --workspace.")
    return path


def _named(docs: str) -> Path:
    """Give a path that ends in a name, which . and .. do not."""
    return Path(docs) if Path(docs).name not in ("", "..") else Path(docs).resolve()
