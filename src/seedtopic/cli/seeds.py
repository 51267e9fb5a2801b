"""The commands on the seeds themselves: ``seedtopic seeds check`` and ``seedtopic seeds suggest``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from seedtopic.base.errors import InputError
from seedtopic.base.wording import number_of
from seedtopic.cli import options, steps
from seedtopic.cli.answers import Answered
from seedtopic.cli.console import WRONG_INPUT, Terminal, note
from seedtopic.io.rows import Rows
from seedtopic.knowledge.replies import seeds_of_answer
from seedtopic.quality.prompt import N_DOCUMENTS, seeds_prompt
from seedtopic.seeds import Seeds
from seedtopic.seeds.files import FORMATS, check_ending
from seedtopic.seeds.names import Names
from seedtopic.show.seeds import seed_table, suggestion_table

_Seeds = Annotated[
    str | None,
    options.seeds_file(
        "The seed words, .toml or .json. Without documents, it can be given in the place of DOCS."
    ),
]


@dataclass(frozen=True, kw_only=True)
class OptionalSource(options.Source):
    """Documents that need not be given."""

    docs: options.OptionalDocs = ""


@dataclass(frozen=True, kw_only=True)
class CheckedSource(OptionalSource):
    """Documents to check seeds with."""

    strict: Annotated[
        bool,
        options.reading("--strict", help="Fail if the seeds have problems, or if a document cannot be used."),
    ] = False


def check(
    *,
    seeds: _Seeds = None,
    fix: Annotated[bool, typer.Option("--fix", help="Write repaired seeds to -o.")] = False,
    output: Annotated[str | None, options.output("The repaired seeds file, .toml or .json.")] = None,
    source: CheckedSource,
    counting: options.Counting,
    terminal: Terminal,
) -> int:
    """Show in how many documents each seed occurs, and list all problems of the seeds.

    Without documents, the seeds are checked by what they mean in English.

    Example:  seedtopic seeds check tickets.csv --seeds seeds.toml --fix -o better.toml
    """
    target = _target(output, needed=fix, usage="--fix and -o FILE go together")
    arguments = counting.arguments()
    all_seeds, documents = _read(seeds, source, output, counting.max_memory, terminal)
    if fix and documents is None:
        raise InputError("--fix goes by what documents say of the seeds: give documents.")
    seed_check = all_seeds.check(None if documents is None else documents.texts, **arguments)
    values = seed_check.as_dict()
    if target is not None:
        repaired, changes = seed_check.repaired()
        repaired.write(target)
        values |= {"repaired": changes, "output": str(target)}
    terminal.result(seed_table(seed_check), values=values)
    if target is not None:
        for sentence in changes or ["nothing had to be repaired."]:
            terminal.note(sentence)
        terminal.note(f"repaired seeds written to {target}")
    elif seed_check.problems and documents is not None:
        terminal.note("to write a repaired file, add  --fix -o NEW.toml")
    if source.strict and seed_check.problems:
        number = number_of(len(seed_check.problems), "problem")
        note(f"the seeds have {number}, and --strict allows none.")
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
    output: Annotated[str | None, options.output("The extended seeds file, .toml or .json.")] = None,
    answers: options.AnswersFile = None,
    source: OptionalSource,
    counting: options.Counting,
    seed: options.Seed = 0,
    terminal: Terminal,
) -> int:
    """Suggest further words for each category, and name words and seeds to think about.

    Without documents, English words of like meaning are suggested.

    Example:  seedtopic seeds suggest tickets.csv --seeds seeds.toml --accept 3 -o better.toml
    """
    target = _target(output, needed=accept is not None, usage="--accept N and -o FILE go together")
    arguments = counting.arguments()
    all_seeds, documents = _read(seeds, source, output, counting.max_memory, terminal)
    labels = None
    if documents is not None:
        _, known = Answered(answers=answers).collect(source, documents, Names.of(all_seeds), terminal)
        labels = known.for_fit(len(documents)) if known.labels else None
    with terminal.warnings(), terminal.progress() as progress:
        suggestions = all_seeds.suggest(
            None if documents is None else documents.texts,
            top=max(top, accept or 0),
            labels=labels,
            random_state=seed,
            progress=progress,
            **arguments,
        )
    values = suggestions.as_dict()
    if target is not None and accept is not None:
        suggestions.accepted(accept).write(target)
        values |= {"output": str(target)}
    terminal.result(suggestion_table(suggestions), values=values)
    if target is not None and accept is not None:
        added = [sum(word.safe for word in category.words[:accept]) for category in suggestions.categories]
        terminal.note(f"{sum(added):,} safe words added to {sum(map(bool, added)):,} categories")
        if min(added) < accept:
            few = sum(n < accept for n in added)
            terminal.note(f"in {few:,} of {len(added):,} categories fewer words than that are safe")
        terminal.note(f"the seeds are written to {target}")
    else:
        terminal.note("to add up to N safe words to each category, add  --accept N -o NEW.toml")
    return 0 if documents is None else documents.unusable


def _read(
    seeds: str | None, source: OptionalSource, output: str | None, max_memory: str | None, terminal: Terminal
) -> tuple[Seeds, Rows | None]:
    """Read the seeds and the documents; without documents, the seeds may stand in their place."""
    if seeds is None:
        if not source.docs.lower().endswith(FORMATS):
            raise InputError("the seeds file is missing: give it with --seeds seeds.toml.")
        return Seeds.read(source.docs), None
    if not source.docs:
        return Seeds.read(seeds), None
    steps.refuse_to_overwrite(output, source.docs)
    all_seeds = Seeds.read(seeds)
    return all_seeds, source.read(terminal, all_seeds.columns, max_memory=max_memory)


def _target(output: str | None, *, needed: bool, usage: str) -> Path | None:
    if needed != (output is not None):
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
    seeds: Annotated[str | None, options.seeds_file("The seeds so far, to be improved.")] = None,
    categories: Annotated[
        str | None,
        typer.Option(metavar="A,B,C", help="The names of the categories, if they are known."),
    ] = None,
    n: Annotated[
        int, typer.Option("-n", min=1, metavar="N", help="How many documents to show.")
    ] = N_DOCUMENTS,
    source: options.Source,
    tokenizer: options.TokenizerOption = None,
    stop_words: options.StopWords = "english",
    terminal: Terminal,
) -> int:
    """Print a prompt that makes a language model write a seeds file; nothing is sent anywhere.

    The prompt contains the beginnings of some documents: paste it only where they may be read. Save the
    answer and give it to  seedtopic seeds read.

    Example:  seedtopic seeds prompt tickets.csv --categories sports,money > prompt.txt
    """
    if seeds is not None and categories is not None:
        raise InputError("--seeds names the categories already: leave --categories out.")
    known: Seeds | list[str] | None = None if seeds is None else Seeds.read(seeds)
    if categories is not None:
        known = list(dict.fromkeys(filter(None, map(str.strip, categories.split(",")))))
        if len(known) < 2:
            raise InputError("--categories needs at least two names with a comma between them.")
    documents, left_out = source.read(terminal), None if stop_words == "none" else stop_words
    split = options.named_tokenizer(tokenizer)
    written = seeds_prompt(documents.texts, known, n=n, tokenizer=split, stop_words=left_out)
    replace(terminal, quiet=False).result(written, values={"prompt": written})
    terminal.note("the prompt contains parts of your documents: paste it only where they may be read")
    return documents.unusable


def read(
    *,
    answer: Annotated[
        str, typer.Argument(metavar="ANSWER", help="The answer of the language model, a text file.")
    ],
    output: Annotated[str, options.output("The seeds file to write, .toml or .json.")],
    terminal: Terminal,
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
    terminal.result(sentence, values={"categories": sizes, "output": output})
    terminal.note(f"check them with  seedtopic seeds check DOCS --seeds {output}")
