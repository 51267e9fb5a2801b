"""The command that says why a document has its label."""

from __future__ import annotations

import json as json_text
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from seedtopic.cli import options
from seedtopic.cli.console import note, result
from seedtopic.cli.work import load_seed_model, named_tokenizer, read, refuse_to_overwrite
from seedtopic.documents import find_document
from seedtopic.documents.encodings import UTF8
from seedtopic.errors import InputError
from seedtopic.storage.atomic_file import atomic_file, check_place


def explain(
    model: options.ModelFolder,
    docs: options.Docs,
    id: Annotated[str, typer.Option("--id", help="The document: its id, or its row from 0 without ids.")],
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="FILE", help="A .html or .json file to write.")
    ] = None,
    fitted: Annotated[
        bool,
        typer.Option("--fitted", help="DOCS is what the model was fitted to: explain the label of that fit."),
    ] = False,
    text_field: options.TextField = None,
    id_field: options.IdField = None,
    format: options.Format = None,
    encoding: options.Encoding = UTF8,
    tokenizer: options.Tokenizer = None,
    strict: options.Strict = False,
    quiet: options.Quiet = False,
    json: Annotated[bool, typer.Option("--json", help="Print the explanation as one JSON object.")] = False,
) -> int:
    """Say which words made the label of a document, and what the runner-up would have needed.

    Example:  seedtopic explain model/ tickets.csv --id 17 -o why.html
    """
    if output is not None:
        if Path(output).suffix.lower() not in (".html", ".json"):
            raise InputError(f"an explanation cannot be written to {output}: name a .html or .json file.")
        check_place(Path(output), "why.html")
        refuse_to_overwrite(output, docs)
    estimator = load_seed_model(model, named_tokenizer(tokenizer))
    documents = read(
        docs,
        quiet=quiet,
        text_field=text_field,
        id_field=id_field,
        format=format,
        encoding=encoding,
        strict=strict,
    )
    if fitted and len(documents) != len(estimator.label_distributions_):
        raise InputError(
            f"--fitted: {docs} has {len(documents):,} documents, but the model was fitted to "
            f"{len(estimator.label_distributions_):,}: give the documents of the fit, or leave --fitted out."
        )
    position, text, like_it = find_document(documents, id)
    if like_it:
        note(f"{like_it:,} more documents have the id {id!r}; this is the first of them", quiet=quiet)
    found = replace(estimator.explain(text, fitted=position if fitted else None), id=id)
    if output is not None:
        page = Path(output).suffix.lower() == ".html"
        content = found.to_html() if page else json_text.dumps(found.to_dict(), ensure_ascii=False, indent=1)
        with atomic_file(output, "w") as file:
            file.write(content)
        note(f"explanation written to {Path(output).resolve()}", quiet=quiet)
    result(str(found), found.to_dict(), as_json=json, quiet=quiet)
    return documents.unusable
