"""The options that several commands have, each written once, and groups of those that go together."""

from __future__ import annotations

import inspect
import json
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import partial, wraps
from importlib import import_module
from inspect import Parameter, Signature, signature
from typing import Annotated, Any, get_type_hints

import numpy as np
import typer

from seedtopic import model as models
from seedtopic.base.errors import InputError, UnusableDocuments
from seedtopic.base.memory import parse_memory
from seedtopic.cli.console import Terminal, note
from seedtopic.io.rows import Rows, read_documents
from seedtopic.io.source import UTF8
from seedtopic.knowledge.encoders import sentence_encoder
from seedtopic.knowledge.tables import read_word_vectors
from seedtopic.model import MODELS, load, model_class
from seedtopic.model.vectors import VectorsLike
from seedtopic.seeds import Seeds
from seedtopic.text.tokens import Tokenizer, normalize, stop_word_set

SEED_MODELS = [model for model in MODELS.values() if model.learns_from != "labels"]

# The boxes of --help; what is in none of them comes first.
READING, MODEL, RESOURCES = "Reading documents", "Model", "Resources"
reading, _model, _resource = (
    partial(typer.Option, rich_help_panel=box) for box in (READING, MODEL, RESOURCES)
)

_DOCS = (
    "Documents: a .csv, .tsv, .jsonl, .parquet or .txt file (one document per line), also with "
    ".gz; an .xlsx spreadsheet; a pattern in quotes, such as 'news/*.csv'; a folder of text or Parquet "
    "files; - for standard input."
)
Docs = Annotated[str, typer.Argument(metavar="DOCS", help=_DOCS)]
OptionalDocs = Annotated[str, typer.Argument(metavar="DOCS", help=_DOCS, show_default=False)]
ModelFolder = Annotated[str, typer.Argument(metavar="MODEL", help="A model folder written by fit.")]


def output(help: str, metavar: str = "FILE") -> Any:
    """Return the option --output of a command."""
    return typer.Option("--output", "-o", metavar=metavar, help=help)


def seeds_file(help: str) -> Any:
    """Return the option --seeds of a command."""
    return typer.Option("--seeds", metavar="FILE", help=help)


Port = Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 for any free one.")]
SeedsFile = Annotated[str, seeds_file("The seed words, .toml or .json.")]
Confirmed = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FILE|COLUMN",
        help="A file with your answers, which are added to those that are kept: one that label has written "
        "and you have corrected, or one with a column `checked`, as of next and audit. Or a column of the "
        "documents, empty where the label is not known; may be repeated.",
    ),
]
AnswersFile = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="The file in which answers about the documents are kept, or none (default: NAME.answers.csv "
        "beside the documents).",
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
        metavar="PART",
        help="Label parts of the documents, sentence or paragraph, each in a row of its own.",
    ),
]
MinProbability = Annotated[
    float, typer.Option(min=0.0, max=1.0, metavar="P", help="Leave labels empty that are less likely right.")
]
TABLES = ".csv, .tsv, .jsonl, .xlsx or .parquet; - for CSV on standard output"
SheetFile = output(f"The file to write the documents to check to: {TABLES}.")
Fitted = Annotated[
    bool, typer.Option("--fitted", help="Use the labels of the fit; DOCS must be the documents of the fit.")
]
IdField = Annotated[
    str | None, reading(metavar="COLUMN", help="Column of the document ids (default: id, if any).")
]
TokenizerOption = Annotated[
    str | None,
    reading(
        metavar="MODULE:FUNCTION",
        help="Function that splits a text into words, such as jieba:lcut "
        "(default: words are sequences of letters and digits).",
    ),
]
StopWords = Annotated[
    str,
    reading(
        metavar="LANGUAGE",
        help="Stop words to ignore: english, none, or another language such as german (extra languages).",
    ),
]
NoneLabel = Annotated[
    str | None, _model(metavar="NAME", help="Label for documents that belong to no category.")
]
VECTORS = "auto|none|encoder|PATH"
Vectors = Annotated[
    str | None,
    _model(
        metavar=VECTORS,
        help="What is known of words beforehand: auto (the English word vectors of the package, if they know "
        "the words of the documents), none, encoder (the sentence encoder of the extra encoder), a file of "
        "word vectors, or a .npy file with a row for each document (default: auto).",
    ),
]
Seed = Annotated[int, _model(min=0, max=2**32 - 1, metavar="N", help="Random seed.")]
Threads = Annotated[int | None, _resource(min=1, metavar="N", help="Threads (default: all cores).")]
Scheduler = Annotated[
    str | None,
    _resource(
        metavar="ADDRESS",
        help="Address of a Dask scheduler whose workers do the work, such as tcp://10.0.0.5:8786 (extra "
        "dask).",
    ),
]
Checkpoint = Annotated[
    str | None,
    _resource(
        metavar="FOLDER",
        help="Save the progress in this folder: if the command is interrupted, the same command continues "
        "from there. The folder is removed at the end.",
    ),
]


_FAIL = "Fail if a document cannot be used (default: continue and exit with code 3)"


@dataclass(frozen=True, kw_only=True)
class Source:
    """Where the documents are and how to read them."""

    docs: Docs
    text_field: Annotated[
        str | None,
        reading(
            metavar="COLUMN", help="Column of the text (default: text, or the column with the longest texts)."
        ),
    ] = None
    format: Annotated[
        str | None,
        reading(metavar="FORMAT", help="csv, tsv, jsonl or txt (default: according to the file name)."),
    ] = None
    sheet: Annotated[
        str | None,
        reading(
            metavar="NAME",
            help="Sheet of a spreadsheet, by its name or number (default: the first one with a table).",
        ),
    ] = None
    encoding: Annotated[
        str,
        reading(
            metavar="NAME",
            help="Encoding of the documents, such as latin-1; ignored where a file has a byte order mark.",
        ),
    ] = UTF8
    strict: Annotated[bool, reading("--strict", help=f"{_FAIL}.")] = False

    def how(self) -> dict[str, Any]:
        """Return how to read them, as the library takes it."""
        return {name: value for name, value in vars(self).items() if name != "docs"}

    def read(
        self,
        terminal: Terminal,
        columns: Sequence[str] = (),
        *,
        label_field: str | None = None,
        max_memory: str | None = None,
    ) -> Rows:
        """Read the documents and show what the reader noticed."""
        with terminal.progress() as progress, warnings.catch_warnings():
            warnings.simplefilter("ignore", UnusableDocuments)  # shown below
            documents = read_documents(
                self.docs,
                **self.how(),
                label_field=label_field,
                columns=columns,
                max_memory=max_memory,
                on_row=lambda row: progress("reading documents", row, 0),
                keep_rows=False,  # a file is read again for its words, and again to write the labels
            )
        show_report(terminal, documents)
        return documents


def show_report(terminal: Terminal, report: Any) -> None:
    """Show the notes and problems of what was read."""
    for sentence in report.notes:
        terminal.note(sentence)
    for sentence in report.problems:
        note(sentence)  # despite --quiet, because the exit code needs its reason


@dataclass(frozen=True, kw_only=True)
class NamedSource(Source):
    """Documents that may have ids."""

    id_field: IdField = None


@dataclass(frozen=True, kw_only=True)
class TrainingSource(Source):
    """Documents to fit a model to, with its seeds."""

    strict: Annotated[bool, reading("--strict", help=f"{_FAIL}, or if no seed of a category occurs.")] = False


_HERE, _IN_LAB = (
    ", ".join(model.name for model in SEED_MODELS if model.in_lab == in_lab) for in_lab in (False, True)
)
DEFAULT_MODEL = "SeedTopicClassifier"
# The Bayes E-step labels better than the printed one on every corpus tried; see experiments/.
CLI_DEFAULTS: dict[str, dict[str, Any]] = {"WSPTM": {"estep": "bayes"}, "LapSWTM": {"estep": "bayes"}}

# Parameters that --set cannot set: they have options of their own, or none on the command line.
_NOT_BY_SET = {
    "seeds", "vectors", "vocabulary", "tokenizer", "strict", "n_threads", "random_state", "max_memory",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Counting:
    """How the words of the documents are found and counted."""

    tokenizer: TokenizerOption = None
    stop_words: StopWords = "english"
    threads: Threads = None
    max_memory: Annotated[
        str | None,
        _resource(
            metavar="SIZE",
            help="Memory for counting words, such as 4GB; the rest goes to temporary files "
            "(default: no limit).",
        ),
    ] = None

    def arguments(self) -> dict[str, Any]:
        """Return them as the library takes them; what is wrong with them is said now, before any work."""
        stop_words = None if self.stop_words == "none" else self.stop_words
        stop_word_set(stop_words)
        return {
            "tokenizer": named_tokenizer(self.tokenizer),
            "stop_words": stop_words,
            "n_threads": self.threads,
            "max_memory": parse_memory(self.max_memory),
        }


@dataclass(frozen=True, kw_only=True)
class NewModel:
    """A model to be fitted."""

    model: Annotated[
        str,
        _model(
            metavar="NAME",
            help=f"One of {_HERE}; with lab/ of the repository installed also {_IN_LAB}.",
        ),
    ] = DEFAULT_MODEL
    settings: Annotated[
        list[str] | None,
        _model(
            "--set", metavar="NAME=VALUE", help="A parameter of the model, such as rho=0.5; may be repeated."
        ),
    ] = None
    none_label: NoneLabel = None
    vectors: Vectors = None
    seed: Seed = 0

    def build(self, seeds: str, counting: Counting, *, strict: bool) -> models.SeedClassifier:
        """Make the model from a seeds file, not yet fitted."""
        names = [model.name for model in SEED_MODELS]
        model = model_class({name.lower(): name for name in names}.get(self.model.lower(), self.model))
        if model is None or "seeds" not in inspect.signature(model).parameters:
            raise InputError(f"--model is {self.model!r}: use one of {', '.join(names)}.")
        built = model(
            seeds=Seeds.read(seeds),
            strict=strict,
            random_state=self.seed,
            **{**CLI_DEFAULTS.get(model.__name__, {}), **counting.arguments(), **self._settings_of(model)},
        )
        if self.none_label is not None:
            require_classifier(built, "--none-label").set_params(none_label=self.none_label)
        if self.vectors is not None:
            require_classifier(built, "--vectors").set_params(vectors=named_vectors(self.vectors))
        return built

    def _settings_of(self, model: type[models.SeedClassifier]) -> dict[str, Any]:
        known = [name for name in inspect.signature(model).parameters if name not in _NOT_BY_SET]
        values = {}
        for setting in self.settings or []:
            name, equals, value = setting.partition("=")
            if not equals or name not in known:
                raise InputError(f"--set {setting!r}: write NAME=VALUE; the names are {', '.join(known)}.")
            values[name] = _value(value)
        return values


@dataclass(frozen=True, kw_only=True)
class SavedModel:
    """A model folder written by fit."""

    model: ModelFolder
    tokenizer: TokenizerOption = None
    threads: Threads = None

    def load(self) -> models.SeedClassifier:
        model = load(self.model, tokenizer=named_tokenizer(self.tokenizer))
        model.set_params(n_threads=self.threads)
        return model

    def load_with_seeds(self) -> models.SeedClassifier:
        """Load it where only a model with seeds will do."""
        model = self.load()
        if not hasattr(model, "seeds_"):
            raise InputError(
                f"{self.model} is a {type(model).__name__}, which has no seeds: use another model."
            )
        return model


def rule_columns(model: models.SeedClassifier) -> list[str]:
    """Name the columns that documents must have, because rules of the seeds ask for them."""
    seeds = getattr(model, "seeds", None)
    return seeds.columns if isinstance(seeds, Seeds) else []


def require_classifier(model: models.SeedClassifier, option: str) -> models.SeedTopicClassifier:
    """Refuse an option that only the default model has."""
    if not isinstance(model, models.SeedTopicClassifier):
        raise InputError(f"{type(model).__name__} does not support {option}: use --model {DEFAULT_MODEL}.")
    return model


def named_tokenizer(name: str | None) -> Tokenizer | None:
    """Import a tokenizer by its name, such as jieba:lcut; modules in the current folder are found too."""
    if name is None:
        return None
    module, _, function = name.partition(":")
    sys.path.append(os.getcwd())
    try:
        split = getattr(import_module(module), function)
    except (ImportError, ValueError, AttributeError) as error:
        raise InputError(
            f"--tokenizer {name!r} was not found ({error}): write MODULE:FUNCTION, such as jieba:lcut, "
            "and install the module or run the command in its folder."
        ) from None
    finally:
        sys.path.pop()
    if not callable(split):
        raise InputError(f"--tokenizer {name!r} is not a function: name one that splits a text into words.")
    # Such a function often returns spaces and punctuation as well, and an option cannot tell it not to.
    return lambda text: [normalize(token) for token in split(text) if any(map(str.isalnum, token))]


def named_vectors(name: str | None) -> VectorsLike:
    """Return what --vectors names; what is wrong with it is said now, before any work."""
    if name is None or name == "auto":
        return "auto"
    if name == "none":
        return None
    if name == "encoder":
        sentence_encoder()  # or it says how to install it
        return name
    if not os.path.isfile(name):
        raise InputError(
            f"--vectors is {name!r}, which is not a file: use auto, none, encoder, or the path of a table of "
            "word vectors."
        )
    if not name.endswith(".npy"):
        return name
    try:
        return np.asarray(np.load(name, allow_pickle=False))
    except (OSError, ValueError, EOFError):
        raise InputError(
            f"--vectors is {name!r}, which is no array of numbers: write it with numpy.save."
        ) from None


def read_vectors(name: str | None) -> VectorsLike:
    """Return what --vectors names, for many fits: a table is read once."""
    vectors = named_vectors(name)
    if isinstance(vectors, np.ndarray):
        raise InputError(
            f"--vectors is {name!r}, an array for the documents of one fit: use it with label or fit."
        )
    return vectors if vectors in (None, "auto", "encoder") else read_word_vectors(str(vectors))


def _value(text: str) -> Any:
    """Read a setting: JSON where it is JSON (numbers, null, lists), a string otherwise."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def expand_groups(command: Callable[..., int | None]) -> Callable[..., int | None]:
    """Replace each parameter that is a dataclass by the fields of that dataclass."""
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {name: hint for name, hint in hints.items() if is_dataclass(hint)}
    parameters: list[Parameter] = []
    for name, parameter in signature(command).parameters.items():
        group = groups.get(name)
        own = [parameter] if group is None else signature(group).parameters.values()
        types = hints if group is None else get_type_hints(group, include_extras=True)
        parameters += [one.replace(kind=Parameter.KEYWORD_ONLY, annotation=types[one.name]) for one in own]

    @wraps(command)
    def run(**values: Any) -> int | None:
        for name, group in groups.items():
            values[name] = group(**{field.name: values.pop(field.name) for field in fields(group)})
        return command(**values)

    run.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run
