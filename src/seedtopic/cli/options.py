"""The options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

DOCS_HELP = (
    "Documents: .jsonl, .csv, .tsv, .txt (a document a line) or .parquet, each also .gz; "
    "a pattern in quotes, 'news/*.csv'; a folder of text files; or - for standard input."
)

Docs = Annotated[str, typer.Argument(metavar="DOCS", help=DOCS_HELP)]
ModelFolder = Annotated[str, typer.Argument(metavar="MODEL", help="A model folder written by fit.")]
SeedsFile = Annotated[str, typer.Option("--seeds", metavar="FILE", help="Seed words, .toml or .json.")]
Output = Annotated[
    str,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help=".csv, .tsv, .jsonl, .parquet; - for CSV on standard output.",
    ),
]
TextField = Annotated[str | None, typer.Option(help="Column that holds the text (default: found by itself).")]
LabelField = Annotated[str, typer.Option(help="Column that holds the true labels.")]
ConfirmedField = Annotated[
    str | None,
    typer.Option(
        "--confirmed", metavar="FIELD", help="Column of labels to learn from, empty where none is known."
    ),
]
LearnOn = Annotated[
    bool,
    typer.Option("--learn-on", help="Keep word counts of documents in the model, for update to learn on."),
]
NewModel = Annotated[
    str | None,
    typer.Option("--output", "-o", metavar="FOLDER", help="The model folder to write (default: the same)."),
]
IdField = Annotated[str | None, typer.Option(help="Column that identifies a document (default: id, if any).")]
Format = Annotated[
    str | None,
    typer.Option("--format", help="jsonl, csv, tsv or txt (default: by the file's ending)."),
]
Encoding = Annotated[
    str,
    typer.Option(
        "--encoding",
        metavar="NAME",
        help="Encoding of the documents, such as latin-1; a byte order mark tells more.",
    ),
]
Model = Annotated[str, typer.Option("--model", help="The model to fit: a class of seedtopic by its name.")]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="A parameter of the model, such as rho=0.5; may be repeated.",
    ),
]
Tokenizer = Annotated[
    str | None,
    typer.Option(
        "--tokenizer",
        metavar="MODULE:FUNCTION",
        help="What cuts a text into words, such as jieba:lcut (default: letters and digits in a row).",
    ),
]
StopWords = Annotated[
    str | None,
    typer.Option(
        "--stop-words",
        metavar="LANGUAGE",
        help="Words to drop: english, german, ... (others than english need the extra languages), or none.",
    ),
]
Seed = Annotated[int, typer.Option("--seed", min=0, max=2**32 - 1, help="Seed of the random start.")]
Threads = Annotated[int | None, typer.Option(min=1, help="Threads to use (default: all cores).")]
MaxMemory = Annotated[
    str | None,
    typer.Option(
        metavar="SIZE",
        help="Memory for counting words, such as 4GB; what is beyond goes to temporary files "
        "(default: no limit).",
    ),
]
MinProbability = Annotated[
    float,
    typer.Option(min=0.0, max=1.0, metavar="P", help="Leave the label empty where it is less probable."),
]
NoneLabel = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Call documents that belong to no category by this name."),
]
Multi = Annotated[bool, typer.Option("--multi", help="Add a column with all labels of a document.")]
CheckpointFolder = Annotated[
    str | None,
    typer.Option(
        "--checkpoint",
        metavar="FOLDER",
        help="Keep the work done in this folder: after any end, the same command goes on from there. "
        "It is removed when the output is written.",
    ),
]
Strict = Annotated[
    bool,
    typer.Option("--strict", help="Fail when a document cannot be used (otherwise: exit code 3)."),
]
StrictFit = Annotated[
    bool,
    typer.Option(
        "--strict",
        help="Fail when a document cannot be used (otherwise: exit code 3), or no word of a category occurs.",
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show only errors.")]
Json = Annotated[bool, typer.Option("--json", help="Print the summary as one JSON object.")]
