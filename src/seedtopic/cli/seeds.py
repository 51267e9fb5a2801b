"""The commands on the seeds themselves: ``seedtopic seeds check`` and ``seedtopic seeds suggest``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from seedtopic.base.errors import InputError
from seedtopic.cli import options
from seedtopic.cli.console import WRONG_INPUT, note, progress_bars, result, warnings_as_notes
from seedtopic.cli.options import Counting, Source, named_tokenizer
from seedtopic.cli.steps import refuse_to_overwrite
from seedtopic.io.rows import Rows
from seedtopic.knowledge.replies import seeds_of_answer
from seedtopic.quality.prompt import N_DOCUMENTS, seeds_prompt
from seedtopic.seeds import Seeds
from seedtopic.seeds.files import FORMATS, check_ending
from seedtopic.show.seeds import seed_table, suggestion_table

_Seeds = Annotated[
    str | None,
    typer.Option(
        "--seeds",
        metavar="FILE",
        help="The seed words, .toml or .json. Without documents, it can be given in the place of DOCS.",
    ),
]


@dataclass(frozen=True, kw_only=True)
class OptionalSource(Source):
    """Documents that need not be given."""

    docs: options.OptionalDocs = ""


@dataclass(frozen=True, kw_only=True)
class CheckedSource(OptionalSource):
    """Documents to check seeds with."""

    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="Fail if the seeds have problems, or if a document cannot be used.",
            rich_help_panel=options.READING,
        ),
    ] = False


def check(
    *,
    seeds: _Seeds = None,
    fix: Annotated[bool, typer.Option("--fix", help="Write repaired seeds to -o.")] = False,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FILE", help="The repaired seeds file, .toml or .json."),
    ] = None,
    source: CheckedSource,
    counting: Counting,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> int:
    """Show in how many documents each seed occurs, and list all problems of the seeds.

    Without documents, the seeds are checked by what they mean in English.

    Example:  seedtopic seeds check tickets.csv --seeds seeds.toml --fix -o better.toml
    """
    target = _target(output, wanted=fix, usage="--fix and -o FILE go together")
    arguments = counting.arguments()
    given, documents = _read(seeds, source, output, counting.max_memory, quiet=quiet)
    if fix and documents is None:
        raise InputError("--fix goes by what documents say of the seeds: give documents.")
    found = given.check(None if documents is None else documents.texts, **arguments)
    values = found.as_dict()
    if target is not None:
        repaired, changes = found.repaired()
        repaired.write(target)
        values |= {"repaired": changes, "output": str(target)}
    result(seed_table(found), values=values, as_json=json, quiet=quiet)
    if target is not None:
        for sentence in changes or ["nothing had to be repaired."]:
            note(sentence, quiet=quiet)
        note(f"repaired seeds written to {target}", quiet=quiet)
    elif found.problems and documents is not None:
        note("to write a repaired file, add  --fix -o NEW.toml", quiet=quiet)
    if source.strict and found.problems:
        number = len(found.problems)
        note(f"the seeds have {number} problem{'s' * (number > 1)}, and --strict allows none.")
        raise typer.Exit(WRONG_INPUT)
    return 0 if documents is None else documents.unusable


def suggest(
    *,
    seeds: _Seeds = None,
    top: Annotated[int, typer.Option(min=1, metavar="N", help="Words to suggest for each category.")] = 5,
    accept: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Add up to N safe words to each category and write them to -o."
        ),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FILE", help="The extended seeds file, .toml or .json."),
    ] = None,
    source: OptionalSource,
    counting: Counting,
    seed: options.Seed = 0,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> int:
    """Suggest further words for each category, and name words and seeds to think about.

    Without documents, English words of like meaning are suggested.

    Example:  seedtopic seeds suggest tickets.csv --seeds seeds.toml --accept 3 -o better.toml
    """
    target = _target(output, wanted=accept is not None, usage="--accept N and -o FILE go together")
    arguments = counting.arguments()
    given, documents = _read(seeds, source, output, counting.max_memory, quiet=quiet)
    with warnings_as_notes(quiet=quiet), progress_bars(quiet=quiet) as progress:
        found = given.suggest(
            None if documents is None else documents.texts,
            top=max(top, accept or 0),
            random_state=seed,
            progress=progress,
            **arguments,
        )
    values = found.as_dict()
    if target is not None and accept is not None:
        found.accepted(accept).write(target)
        values |= {"output": str(target)}
    result(suggestion_table(found), values=values, as_json=json, quiet=quiet)
    if target is not None and accept is not None:
        added = [sum(word.safe for word in category.words[:accept]) for category in found.categories]
        note(f"{sum(added):,} safe words added to {sum(map(bool, added)):,} categories", quiet=quiet)
        if min(added) < accept:
            few = sum(n < accept for n in added)
            note(f"in {few:,} of {len(added):,} categories fewer words than that are safe", quiet=quiet)
        note(f"the seeds are written to {target}", quiet=quiet)
    else:
        note("to add up to N safe words to each category, add  --accept N -o NEW.toml", quiet=quiet)
    return 0 if documents is None else documents.unusable


def _read(
    seeds: str | None, source: OptionalSource, output: str | None, max_memory: str | None, *, quiet: bool
) -> tuple[Seeds, Rows | None]:
    """Read the seeds and the documents; without documents, the seeds may stand in their place."""
    if seeds is None:
        if not source.docs.lower().endswith(FORMATS):
            raise InputError("the seeds file is missing: give it with --seeds seeds.toml.")
        return Seeds.read(source.docs), None
    if not source.docs:
        return Seeds.read(seeds), None
    refuse_to_overwrite(output, source.docs)
    given = Seeds.read(seeds)
    return given, source.read(quiet=quiet, columns=given.columns, max_memory=max_memory)


def _target(output: str | None, *, wanted: bool, usage: str) -> Path | None:
    if wanted != (output is not None):
        raise InputError(f"{usage}: give both or neither.")
    if output is None:
        return None
    path = Path(output)
    check_ending(path)
    if not path.parent.is_dir():
        raise InputError(f"the folder {path.parent} for {path.name} does not exist: make it first.")
    return path


LARGEST = 10_000_000  # bytes of an answer


def prompt(
    *,
    seeds: Annotated[
        str | None, typer.Option("--seeds", metavar="FILE", help="The seeds so far, to be improved.")
    ] = None,
    categories: Annotated[
        str | None,
        typer.Option("--categories", metavar="A,B,C", help="The names of the categories, if they are known."),
    ] = None,
    n: Annotated[
        int, typer.Option("-n", min=1, metavar="N", help="How many documents to show.")
    ] = N_DOCUMENTS,
    source: Source,
    tokenizer: options.TokenizerOption = None,
    stop_words: options.StopWords = "english",
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> int:
    """Print a prompt that makes a language model write a seeds file; nothing is sent anywhere.

    The prompt contains the beginnings of some documents: paste it only where they may be read. Save the
    answer and give it to  seedtopic seeds read.

    Example:  seedtopic seeds prompt tickets.csv --categories sports,money > prompt.txt
    """
    if seeds is not None and categories is not None:
        raise InputError("--seeds names the categories already: leave --categories out.")
    wanted: Seeds | list[str] | None = None if seeds is None else Seeds.read(seeds)
    if categories is not None:
        wanted = list(dict.fromkeys(filter(None, map(str.strip, categories.split(",")))))
        if len(wanted) < 2:
            raise InputError("--categories needs at least two names with a comma between them.")
    documents = source.read(quiet=quiet)
    written = seeds_prompt(
        documents.texts,
        wanted,
        n=n,
        tokenizer=named_tokenizer(tokenizer),
        stop_words=None if stop_words == "none" else stop_words,
    )
    result(written, values={"prompt": written}, as_json=json, quiet=False)
    note("the prompt contains parts of your documents: paste it only where they may be read", quiet=quiet)
    return documents.unusable


def read(
    *,
    answer: Annotated[
        str, typer.Argument(metavar="ANSWER", help="The answer of the language model, a text file.")
    ],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="The seeds file to write, .toml or .json.")
    ],
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> None:
    """Find the seeds in the answer of a language model, check them, and write a seeds file.

    Example:  seedtopic seeds read answer.txt -o seeds.toml
    """
    check_ending(Path(output))
    try:
        with open(answer, "rb") as file:
            text = file.read(LARGEST + 1)
    except OSError as error:
        raise InputError(f"the answer {answer} cannot be read: {error.strerror}.") from None
    if len(text) > LARGEST:
        raise InputError(f"the answer {answer} has more than {LARGEST:,} bytes: give the answer alone.")
    try:
        seeds = seeds_of_answer(text.decode("utf-8", "replace"))
    except InputError as error:
        raise InputError(f"in the answer {answer}: {error}") from None
    seeds.write(output)
    sizes = {str(name): len(words) for name, words in seeds.categories.items()}
    sentence = f"{len(sizes)} categories with {sum(sizes.values())} seed words written to {output}"
    result(sentence, values={"categories": sizes, "output": output}, as_json=json, quiet=quiet)
    note(f"check them with  seedtopic seeds check DOCS --seeds {output}", quiet=quiet)
