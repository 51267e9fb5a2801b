"""The command that explains a label: ``seedtopic explain``."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from seedtopic.base.errors import InputError
from seedtopic.base.files import atomic_file, check_place
from seedtopic.cli import options, steps
from seedtopic.cli.answers import Answered
from seedtopic.cli.console import Terminal
from seedtopic.io.rows import find_document
from seedtopic.quality.audit import names_of
from seedtopic.seeds.names import written


def explain(
    *,
    id: Annotated[
        str,
        typer.Option(
            help="The id of the document or, if there are no ids, its row as a spreadsheet program or an "
            "editor shows it."
        ),
    ],
    output: Annotated[str | None, options.output("A .html or .json file to write.")] = None,
    answers: options.AnswersFile = None,
    fitted: options.Fitted = False,
    saved: options.SavedModel,
    source: options.NamedSource,
    terminal: Terminal,
) -> int:
    """Show which words decided the label of a document, and how close the runner-up was.

    Example:  seedtopic explain model/ tickets.csv --id 17 -o why.html
    """
    if output is not None:
        if Path(output).suffix.lower() not in (".html", ".json"):
            raise InputError(f"an explanation cannot be written to {output}: name a .html or .json file.")
        check_place(Path(output), "why.html")
        steps.refuse_to_overwrite(output, source.docs)
    model = saved.load_with_seeds()
    documents = source.read(terminal, options.rule_columns(model))
    if fitted:
        model.fitted_predictions(documents.texts)
    position, text, like_it = find_document(documents, id)
    if like_it:
        terminal.note(f"{like_it:,} more documents have the id {id!r}; this is the first of them")
    outcome = Answered(answers=answers).ledger(source.docs).matching([text], [id], names_of(model))
    for label in (*outcome.labels.values(), *("none of the categories" for _ in outcome.none)):
        terminal.note(f"people say that it belongs to {written(label)}; this explains what the model says")
    explanation = replace(model.explain(text, fitted=position if fitted else None), id=id)
    values = explanation.to_dict()
    if output is not None:
        page = Path(output).suffix.lower() == ".html"
        with atomic_file(output, "w") as file:
            file.write(explanation.to_html() if page else json.dumps(values, ensure_ascii=False, indent=1))
        terminal.note(f"explanation written to {steps.where(output)}")
    terminal.result(str(explanation), values=values)
    return documents.unusable
