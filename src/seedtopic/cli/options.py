"""The options of the commands, each written once; `option_groups` puts together those that go together."""

from __future__ import annotations

from typing import Annotated

import typer

from seedtopic.models import MODELS

SEED_MODELS = [model for model in MODELS.values() if model.learns_from != "labels"]

# The boxes of --help; what is in none of them comes first.
READING, MODEL, RESOURCES = "Reading documents", "Model", "Resources"

_DOCS = (
    "Documents: a .csv, .tsv, .jsonl, .parquet or .txt file (one document per line), also with "
    ".gz; an .xlsx spreadsheet; a pattern in quotes, such as 'news/*.csv'; a folder of text or Parquet "
    "files; - for standard input."
)
Docs = Annotated[str, typer.Argument(metavar="DOCS", help=_DOCS)]
OptionalDocs = Annotated[str, typer.Argument(metavar="DOCS", help=_DOCS, show_default=False)]
ModelFolder = Annotated[str, typer.Argument(metavar="MODEL", help="A model folder written by fit.")]

SeedsFile = Annotated[str, typer.Option("--seeds", metavar="FILE", help="The seed words, .toml or .json.")]
LabelsFile = Annotated[
    str,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="The file to write: .csv, .tsv, .jsonl, .xlsx or .parquet; - for CSV on standard output.",
    ),
]
NewModelFolder = Annotated[
    str, typer.Option("--output", "-o", metavar="FOLDER", help="The model folder to write.")
]
UpdatedModelFolder = Annotated[
    str | None,
    typer.Option("--output", "-o", metavar="FOLDER", help="The model folder to write (default: MODEL)."),
]
Confirmed = Annotated[
    list[str] | None,
    typer.Option(
        "--confirmed",
        metavar="COLUMN",
        help="Column of confirmed labels; empty where the label is not known. Or a file with them: one that "
        "label has written, or one with a column `checked`, as of next and audit; may be repeated.",
    ),
]
SafeCells = Annotated[
    bool,
    typer.Option(
        "--safe-cells",
        help="In .csv and .tsv output, write an apostrophe before texts that a spreadsheet program would "
        "take for a formula.",
    ),
]
Multi = Annotated[bool, typer.Option("--multi", help="Add a column with all labels of each document.")]
PerOption = Annotated[
    str | None,
    typer.Option(
        "--per",
        metavar="PART",
        help="Label parts of the documents, sentence or paragraph, each in a row of its own.",
    ),
]
MinProbability = Annotated[
    float, typer.Option(min=0.0, max=1.0, metavar="P", help="Leave labels empty that are less likely right.")
]
LearnOn = Annotated[
    bool,
    typer.Option("--learn-on", help="Keep word counts in the model, so that update can continue training."),
]
LabelField = Annotated[str, typer.Option(metavar="COLUMN", help="Column of the true labels.")]
SheetFile = typer.Option(
    "--output",
    "-o",
    metavar="FILE",
    help="The file to write the documents to check to: .csv, .tsv, .jsonl, .xlsx or .parquet; "
    "- for CSV on standard output.",
)
Fitted = Annotated[
    bool,
    typer.Option("--fitted", help="Use the labels of the fit; DOCS must be the documents of the fit."),
]
By = Annotated[
    list[str] | None,
    typer.Option(
        "--by",
        metavar="COLUMNS",
        help="Columns to group the documents by, such as date,team; may be repeated.",
    ),
]
PeriodOption = Annotated[
    str | None,
    typer.Option(
        "--period",
        metavar="PERIOD",
        help="Period of dates: day, week, month, quarter or year (default: chosen automatically).",
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show only errors.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")]

TextField = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Column of the text (default: text, or the column with the longest texts).",
        rich_help_panel=READING,
    ),
]
IdField = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN", help="Column of the document ids (default: id, if any).", rich_help_panel=READING
    ),
]
Format = Annotated[
    str | None,
    typer.Option(
        metavar="FORMAT",
        help="csv, tsv, jsonl or txt (default: according to the file name).",
        rich_help_panel=READING,
    ),
]
Sheet = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Sheet of a spreadsheet, by its name or number (default: the first one with a table).",
        rich_help_panel=READING,
    ),
]
Encoding = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="Encoding of the documents, such as latin-1; ignored where a file has a byte order mark.",
        rich_help_panel=READING,
    ),
]
Strict = Annotated[
    bool,
    typer.Option(
        "--strict",
        help="Fail if a document cannot be used (default: continue and exit with code 3).",
        rich_help_panel=READING,
    ),
]
StrictWithSeeds = Annotated[
    bool,
    typer.Option(
        "--strict",
        help="Fail if a document cannot be used (default: continue and exit with code 3), "
        "or if no seed of a category occurs.",
        rich_help_panel=READING,
    ),
]
Tokenizer = Annotated[
    str | None,
    typer.Option(
        metavar="MODULE:FUNCTION",
        help="Function that splits a text into words, such as jieba:lcut "
        "(default: words are sequences of letters and digits).",
        rich_help_panel=READING,
    ),
]
StopWords = Annotated[
    str,
    typer.Option(
        metavar="LANGUAGE",
        help="Stop words to ignore: english, none, or another language such as german (extra languages).",
        rich_help_panel=READING,
    ),
]

_HERE, _IN_LAB = (
    ", ".join(model.name for model in SEED_MODELS if model.in_lab == in_lab) for in_lab in (False, True)
)
_MODEL_HELP = f"One of {_HERE}; with lab/ of the repository installed also {_IN_LAB}."
Model = Annotated[
    str,
    typer.Option(metavar="NAME", help=_MODEL_HELP, rich_help_panel=MODEL),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="A parameter of the model, such as rho=0.5; may be repeated.",
        rich_help_panel=MODEL,
    ),
]
NoneLabel = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="Label for documents that belong to no category.", rich_help_panel=MODEL
    ),
]
VECTORS = "auto|none|encoder|PATH"
Vectors = Annotated[
    str | None,
    typer.Option(
        metavar=VECTORS,
        help="What is known of words beforehand: auto (the English word vectors of the package, if they know "
        "the words of the documents), none, encoder (the sentence encoder of the extra encoder), or a file "
        "of word vectors (default: auto).",
        rich_help_panel=MODEL,
    ),
]
Seed = Annotated[
    int,
    typer.Option(min=0, max=2**32 - 1, metavar="N", help="Random seed.", rich_help_panel=MODEL),
]

Threads = Annotated[
    int | None,
    typer.Option(min=1, metavar="N", help="Threads (default: all cores).", rich_help_panel=RESOURCES),
]
MaxMemory = Annotated[
    str | None,
    typer.Option(
        metavar="SIZE",
        help="Memory for counting words, such as 4GB; the rest goes to temporary files (default: no limit).",
        rich_help_panel=RESOURCES,
    ),
]
Scheduler = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Address of a Dask scheduler whose workers do the work, such as tcp://10.0.0.5:8786 (extra "
        "dask).",
        rich_help_panel=RESOURCES,
    ),
]
CheckpointFolder = Annotated[
    str | None,
    typer.Option(
        "--checkpoint",
        metavar="FOLDER",
        help="Save the progress in this folder: if the command is interrupted, the same command continues "
        "from there. The folder is removed at the end.",
        rich_help_panel=RESOURCES,
    ),
]
