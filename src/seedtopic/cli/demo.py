"""The command that shows the whole job without any file: ``seedtopic demo``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from seedtopic.base.errors import InputError
from seedtopic.cli import options
from seedtopic.cli.console import note, result
from seedtopic.cli.steps import fit, where, write_labels
from seedtopic.cli.tables import score_table, table_of
from seedtopic.cli.vectors import vectors_values
from seedtopic.datasets import docstring_seeds, load_docstrings
from seedtopic.documents import Documents
from seedtopic.documents.label_columns import Extras
from seedtopic.documents.labelable import Labelable
from seedtopic.documents.labelled_files import check_output
from seedtopic.evaluate import evaluate as score
from seedtopic.models import SeedTopicClassifier
from seedtopic.report import Report

EXAMPLES = 6
ABOUT_VECTORS = (
    "The model knows what English words mean from a table of word vectors that comes",
    "with seedtopic, made from GloVe and all-MiniLM-L6-v2. To do without it, pass",
    "vectors=None to SeedTopicClassifier, or --vectors none to the other commands.",
)


def demo(
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="The labels to write: .csv, .tsv, .jsonl, .xlsx or .parquet.",
        ),
    ] = "seedtopic-demo.csv",
    threads: options.Threads = None,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> None:
    """Try everything on real text, without a download, and write the labels and a report.

    The documents are the docstrings of numpy, scipy and scikit-learn. The right label of each is its
    sub-package; the model is given a few words per sub-package and never sees a label.

    Example:  seedtopic demo
    """
    if output == "-":
        raise InputError("demo prints its scores on standard output: name a file for the labels with -o.")
    check_output(output)
    corpus = load_docstrings()
    note(f"labelling {len(corpus):,} docstrings in {len(corpus.categories)} categories", quiet=quiet)
    rows = [
        {"id": name, "label": answer, "text": text}
        for name, answer, text in zip(corpus.ids, corpus.labels, corpus.texts, strict=True)
    ]
    documents = Documents(texts=corpus.texts, rows=rows)
    model = SeedTopicClassifier(docstring_seeds(), random_state=0, n_threads=threads)
    fit(model, documents, quiet=quiet)
    extras = Extras(labelable=Labelable.by_words(model.has_words_))
    write_labels(output, documents, model, model.label_distributions_, extras=extras)
    page = _report_beside(output)
    Report.of(
        model, corpus.texts, labels=corpus.labels, ids=corpus.ids, fitted=True, title="The docstring demo"
    ).write(page)
    best = model.label_distributions_.max(axis=1)
    examples = table_of("for example", "label", numbers=("probability",))
    for i in range(7, len(best), max(len(best) // EXAMPLES, 1)):
        examples.add_row(corpus.ids[i], str(model.transduction_[i]), f"{best[i]:.2f}")
    scores = score(corpus.labels, model.transduction_.tolist(), model.classes_.tolist())
    result(
        score_table(scores),
        "",
        examples,
        "",
        f"labels written to {where(output)}",
        f"report written to {where(page)}",
        "",
        *ABOUT_VECTORS,
        values={**scores.as_dict(), **vectors_values(model), "output": output, "report": str(page)},
        as_json=json,
        quiet=quiet,
    )


def _report_beside(output: str) -> Path:
    """Name the report of the demo after its labels."""
    path = Path(output)
    return path.with_name(path.name.partition(".")[0] + "-report.html")
