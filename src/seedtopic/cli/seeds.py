"""The commands about seeds themselves: ``seedtopic seeds check`` and ``seedtopic seeds suggest``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from seedtopic.cli import options
from seedtopic.cli.console import WRONG_INPUT, guarded, note, progress_bars, result, warnings_as_notes
from seedtopic.cli.seed_table import seed_table
from seedtopic.cli.suggestion_table import suggestion_table
from seedtopic.cli.work import named_stop_words, named_tokenizer, read, refuse_to_overwrite
from seedtopic.documents.encodings import UTF8
from seedtopic.errors import InputError
from seedtopic.seeds import Seeds
from seedtopic.seeds.files import check_ending

app = typer.Typer(name="seeds", help="Check and improve seed words.", no_args_is_help=True)


def check(
    docs: options.Docs,
    seeds: options.SeedsFile,
    fix: Annotated[bool, typer.Option("--fix", help="Write a repaired seeds file to -o.")] = False,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FILE", help="The repaired seeds, .toml or .json."),
    ] = None,
    text_field: options.TextField = None,
    format: options.Format = None,
    encoding: options.Encoding = UTF8,
    tokenizer: options.Tokenizer = None,
    stop_words: options.StopWords = "english",
    threads: options.Threads = None,
    max_memory: options.MaxMemory = None,
    strict: Annotated[
        bool,
        typer.Option("--strict", help="Leave with code 2 if the seeds, or the documents, have problems."),
    ] = False,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> int:
    """Say what each seed reaches in the documents, and what is wrong with the seeds, all at once.

    Example:  seedtopic seeds check tickets.csv --seeds seeds.toml --fix -o better.toml
    """
    target = _target(output, wanted=fix, what="a repaired file is written by --fix -o FILE")
    refuse_to_overwrite(output, docs)
    given = Seeds.read(seeds)
    documents = read(
        docs, quiet=quiet, text_field=text_field, format=format, encoding=encoding, strict=strict
    )
    found = given.check(
        documents.texts,
        tokenizer=named_tokenizer(tokenizer),
        stop_words=None if stop_words is None else named_stop_words(stop_words),
        n_threads=threads,
        max_memory=max_memory,
    )
    values = found.as_dict()
    if target is not None:
        repaired, done = found.repaired()
        repaired.write(target)
        values |= {"repaired": done, "output": str(target)}
    result(seed_table(found), values, as_json=json, quiet=quiet)
    if target is not None:
        for sentence in done or ["nothing had to be repaired."]:
            note(sentence, quiet=quiet)
        note(f"the repaired seeds are in {target}.", quiet=quiet)
    if strict and found.problems:
        note(f"the seeds have {len(found.problems)} problems, and --strict allows none.")
        raise typer.Exit(WRONG_INPUT)
    return documents.unusable


def suggest(
    docs: options.Docs,
    seeds: options.SeedsFile,
    top: Annotated[int, typer.Option(min=1, help="Words to suggest for each category.")] = 5,
    accept: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Write the seeds with the first N words of each added to -o."),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FILE", help="The seeds with the words, .toml or .json."),
    ] = None,
    text_field: options.TextField = None,
    format: options.Format = None,
    encoding: options.Encoding = UTF8,
    tokenizer: options.Tokenizer = None,
    stop_words: options.StopWords = "english",
    seed: options.Seed = 0,
    threads: options.Threads = None,
    max_memory: options.MaxMemory = None,
    strict: options.Strict = False,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> int:
    """Suggest words for each category, with what they reach, and name seeds that look harmful.

    Example:  seedtopic seeds suggest tickets.csv --seeds seeds.toml --accept 3 -o better.toml
    """
    wanted = accept is not None
    target = _target(output, wanted=wanted, what="accepted words are written by --accept N -o FILE")
    refuse_to_overwrite(output, docs)
    given = Seeds.read(seeds)
    documents = read(
        docs, quiet=quiet, text_field=text_field, format=format, encoding=encoding, strict=strict
    )
    with warnings_as_notes(quiet=quiet), progress_bars(quiet=quiet) as progress:
        found = given.suggest(
            documents.texts,
            top=max(top, accept or 0),
            tokenizer=named_tokenizer(tokenizer),
            stop_words=None if stop_words is None else named_stop_words(stop_words),
            random_state=seed,
            n_threads=threads,
            max_memory=max_memory,
            progress=progress,
        )
    values = found.as_dict()
    if target is not None and accept is not None:
        found.accepted(accept).write(target)
        values |= {"output": str(target)}
    result(suggestion_table(found), values, as_json=json, quiet=quiet)
    if target is not None:
        note(f"the seeds with the first {accept} words of each category added are in {target}.", quiet=quiet)
    return documents.unusable


def _target(output: str | None, *, wanted: bool, what: str) -> Path | None:
    if wanted != (output is not None):
        raise InputError(f"{what}: give both or neither.")
    if output is None:
        return None
    path = Path(output)
    check_ending(path)
    if not path.parent.is_dir():
        raise InputError(f"the folder {path.parent} for {path.name} does not exist: make it first.")
    return path


app.command("check")(guarded(check))
app.command("suggest")(guarded(suggest))
