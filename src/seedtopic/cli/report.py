"""The command that writes a report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from seedtopic.cli import options
from seedtopic.cli.console import result
from seedtopic.cli.work import load_seed_model, named_tokenizer, read, refuse_to_overwrite
from seedtopic.documents.encodings import UTF8
from seedtopic.report import Report, check_report_output


def report(
    model: options.ModelFolder,
    docs: options.Docs,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="The .html, .md or .json file to write.")
    ] = "report.html",
    label_field: Annotated[
        str | None, typer.Option(help="Column of the true labels, for scores (default: no scores).")
    ] = None,
    fitted: Annotated[
        bool,
        typer.Option("--fitted", help="DOCS is what the model was fitted to: show the labels of that fit."),
    ] = False,
    text_field: options.TextField = None,
    id_field: options.IdField = None,
    format: options.Format = None,
    encoding: options.Encoding = UTF8,
    tokenizer: options.Tokenizer = None,
    threads: options.Threads = None,
    strict: options.Strict = False,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> int:
    """Write a report on labelled documents that can be opened anywhere.

    It has the categories with their words, how sure the labels are, documents to look at, confusions, the
    seeds, a map, and scores where true labels are given.

    Example:  seedtopic report model/ tickets.csv -o report.html
    """
    check_report_output(output)
    refuse_to_overwrite(output, docs)
    estimator = load_seed_model(model, named_tokenizer(tokenizer)).set_params(n_threads=threads)
    documents = read(
        docs,
        quiet=quiet,
        text_field=text_field,
        label_field=label_field,
        id_field=id_field,
        format=format,
        encoding=encoding,
        strict=strict,
    )
    made = Report.of(
        estimator,
        documents.texts,
        labels=None if label_field is None else documents.labels,
        ids=documents.ids,
        fitted=fitted,
        title="Labels of " + ("standard input" if docs == "-" else Path(docs).name),
    )
    made.write(output)
    told = {
        "output": output,
        "documents": made.documents,
        "mean_probability": made.mean_probability,
        "macro_f1": None if made.scores is None else made.scores.macro_f1,
    }
    result(f"report written to {Path(output).resolve()}", told, as_json=json, quiet=quiet)
    return documents.unusable
