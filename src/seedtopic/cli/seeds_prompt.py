"""Seeds from a language model: ``seedtopic seeds prompt`` and ``seedtopic seeds read``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from seedtopic.advice.prompt import N_DOCUMENTS, seeds_prompt
from seedtopic.base.errors import InputError
from seedtopic.cli import options
from seedtopic.cli.console import note, result
from seedtopic.cli.option_groups import Source, named_tokenizer
from seedtopic.seeds import Seeds
from seedtopic.seeds.answer import seeds_of_answer
from seedtopic.seeds.files import check_ending

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
    tokenizer: options.Tokenizer = None,
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
