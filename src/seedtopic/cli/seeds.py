"""The commands about seeds themselves: ``seedtopic seeds check``."""

from __future__ import annotations

import json as jsonlib
from pathlib import Path
from typing import Annotated

import typer

from seedtopic.atomic import atomic_file
from seedtopic.cli import options
from seedtopic.cli.console import WRONG_INPUT, guarded, note, result
from seedtopic.cli.seed_table import seed_table
from seedtopic.cli.work import named_stop_words, named_tokenizer, read
from seedtopic.errors import InputError
from seedtopic.seeds import Seeds

app = typer.Typer(name="seeds", help="Check seed words before anything is fitted.", no_args_is_help=True)


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
    tokenizer: options.Tokenizer = None,
    stop_words: options.StopWords = "english",
    threads: options.Threads = None,
    max_memory: options.MaxMemory = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Leave with code 2 if there are problems.")
    ] = False,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> None:
    """Say what each seed reaches in the documents, and what is wrong with the seeds, all at once.

    Example:  seedtopic seeds check tickets.csv --seeds seeds.toml --fix -o better.toml
    """
    target = _target(fix, output)
    found = Seeds.read(seeds).check(
        read(docs, quiet=quiet, text_field=text_field, format=format).texts,
        tokenizer=named_tokenizer(tokenizer),
        stop_words=None if stop_words is None else named_stop_words(stop_words),
        n_threads=threads,
        max_memory=max_memory,
    )
    values = found.as_dict()
    if target is not None:
        repaired, done = found.repaired()
        with atomic_file(target, "w") as file:
            file.write(_written(repaired, target))
        values |= {"repaired": done, "output": str(target)}
    result(seed_table(found), values, as_json=json, quiet=quiet)
    if target is not None:
        for sentence in done or ["nothing had to be repaired."]:
            note(sentence, quiet=quiet)
        note(f"the repaired seeds are in {target}.", quiet=quiet)
    if strict and found.problems:
        note(f"the seeds have {len(found.problems)} problems, and --strict allows none.")
        raise typer.Exit(WRONG_INPUT)


def _target(fix: bool, output: str | None) -> Path | None:
    if fix != (output is not None):
        raise InputError("a repaired file is written by --fix -o FILE: give both or neither.")
    if output is None:
        return None
    path = Path(output)
    if path.suffix.lower() not in (".toml", ".json"):
        raise InputError(f"the repaired seeds {output} must end in .toml or .json.")
    if not path.parent.is_dir():
        raise InputError(f"the folder {path.parent} for {path.name} does not exist: make it first.")
    return path


def _written(seeds: Seeds, path: Path) -> str:
    if path.suffix.lower() == ".toml":
        return seeds.to_toml()
    return jsonlib.dumps(seeds.table(), ensure_ascii=False, indent=2) + "\n"


app.command("check")(guarded(check))


@app.callback()
def _several() -> None:
    """Check seed words before anything is fitted."""
