"""The command that explains a label: ``seedtopic explain``."""

from __future__ import annotations

import json as json_text
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from seedtopic.base.errors import InputError
from seedtopic.base.files import atomic_file, check_place
from seedtopic.cli import options
from seedtopic.cli.console import note, result
from seedtopic.cli.options import SavedModel, Source, rule_columns
from seedtopic.cli.steps import refuse_to_overwrite, where
from seedtopic.io.rows import find_document


def explain(
    *,
    id: Annotated[
        str,
        typer.Option(
            "--id", help="The id of the document, or its row number (the first is 0) if there are no ids."
        ),
    ],
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="FILE", help="A .html or .json file to write.")
    ] = None,
    fitted: options.Fitted = False,
    saved: SavedModel,
    source: Source,
    id_field: options.IdField = None,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> int:
    """Show which words decided the label of a document, and how close the runner-up was.

    Example:  seedtopic explain model/ tickets.csv --id 17 -o why.html
    """
    if output is not None:
        if Path(output).suffix.lower() not in (".html", ".json"):
            raise InputError(f"an explanation cannot be written to {output}: name a .html or .json file.")
        check_place(Path(output), "why.html")
        refuse_to_overwrite(output, source.docs)
    model = saved.load_with_seeds()
    documents = source.read(quiet=quiet, columns=rule_columns(model), id_field=id_field)
    if fitted:
        model.fitted_predictions(len(documents))
    position, text, like_it = find_document(documents, id)
    if like_it:
        note(f"{like_it:,} more documents have the id {id!r}; this is the first of them", quiet=quiet)
    found = replace(model.explain(text, fitted=position if fitted else None), id=id)
    if output is not None:
        page = Path(output).suffix.lower() == ".html"
        content = found.to_html() if page else json_text.dumps(found.to_dict(), ensure_ascii=False, indent=1)
        with atomic_file(output, "w") as file:
            file.write(content)
        note(f"explanation written to {where(output)}", quiet=quiet)
    result(str(found), values=found.to_dict(), as_json=json, quiet=quiet)
    return documents.unusable
