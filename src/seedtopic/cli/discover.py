"""The command that finds new categories: ``seedtopic discover``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from seedtopic.base.errors import InputError
from seedtopic.base.files import check_place
from seedtopic.base.wording import number_of
from seedtopic.cli import options, steps
from seedtopic.cli.answers import Answered
from seedtopic.cli.console import Terminal
from seedtopic.quality.audit import names_of
from seedtopic.quality.discover import discover as find_categories
from seedtopic.seeds import Seeds
from seedtopic.seeds.files import check_ending
from seedtopic.show.tables import discovery_table


def discover(
    *,
    output: Annotated[str, options.output("The seeds file to write and edit, .toml or .json.")],
    top: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Propose at most N categories (default: all).")
    ] = None,
    seeds: Annotated[
        str | None,
        options.seeds_file(
            "The seeds file that the model was fitted with: its comments and layout are kept."
        ),
    ] = None,
    answers: options.AnswersFile = None,
    seed: options.Seed = 0,
    saved: options.SavedModel,
    source: options.Source,
    terminal: Terminal,
) -> int:
    """Find new categories among documents that belong to none of the categories of a model.

    The file holds the categories of the model as they are, and the new ones with a comment on each: how many
    documents it has, what they were labelled until now, and examples. Rename or delete new categories, then
    fit a model with the file. If nothing is found, no file is written.

    Example:  seedtopic discover model/ tickets.csv -o new-seeds.toml
    """
    check_ending(Path(output))
    check_place(Path(output), "new-seeds.toml")
    steps.refuse_to_overwrite(output, source.docs)
    before = None if seeds is None else Seeds.read(seeds)
    model = saved.load_with_seeds()
    if before is not None and before != model.seeds_:
        raise InputError(
            f"{seeds} has other categories or words than the model: give the file that it was fitted with."
        )
    documents = source.read(terminal, options.rule_columns(model))
    _, known = Answered(answers=answers).collect(source, documents, names_of(model), terminal)
    texts = documents.texts
    if known.labels:  # what has a category, as people say, is no part of a new one
        texts = [text for place, text in enumerate(documents.texts) if place not in known.labels]
        have = number_of(len(known.labels), "document has", "documents have")
        terminal.note(f"{have} a category by answers of people, and no part in the search")
    with terminal.warnings(), terminal.progress() as progress:
        discovery = find_categories(model, texts, top=top, seeds=before, random_state=seed, progress=progress)
    if discovery.categories:
        discovery.write(output)
    values = {**discovery.as_dict(), "output": output if discovery.categories else None}
    table = [discovery_table(discovery)] if discovery.categories else []
    terminal.result(*table, discovery.sentence(), values=values)
    if discovery.searched < discovery.documents:
        sample = f"a random sample of {discovery.searched:,} documents was searched"
        terminal.note(f"{sample}; the numbers are scaled up to all")
    if discovery.categories:
        terminal.note(f"seeds with the new categories written to {steps.where(output)}")
    return documents.unusable
