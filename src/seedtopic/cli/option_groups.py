"""Options that go together, with what is made of them: documents, a new model, a fitted model."""

from __future__ import annotations

import inspect
import json
import os
import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from seedtopic.base.errors import InputError, UnusableDocuments
from seedtopic.base.memory import parse_memory
from seedtopic.cli import options
from seedtopic.cli.console import note, progress_bars
from seedtopic.documents import Documents, read_documents
from seedtopic.documents.encodings import UTF8
from seedtopic.meaning import read_word_vectors, sentence_encoder
from seedtopic.models import SeedModel, SeedTopicClassifier, TextClassifier, load, model_class
from seedtopic.models.vectors import VectorsLike
from seedtopic.seeds import Seeds
from seedtopic.text.tokens import Tokenizer, normalize, stop_word_set

DEFAULT_MODEL = "SeedTopicClassifier"
# The Bayes E-step labels better than the printed one on every corpus tried; see experiments/.
CLI_DEFAULTS: dict[str, dict[str, Any]] = {"WSPTM": {"estep": "bayes"}, "LapSWTM": {"estep": "bayes"}}

# Parameters that --set cannot set: they have options of their own, or none on the command line.
_NOT_BY_SET = {
    "seeds", "vectors", "vocabulary", "tokenizer", "strict", "n_threads", "random_state", "max_memory",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Source:
    """Where the documents are and how to read them."""

    docs: options.Docs
    text_field: options.TextField = None
    format: options.Format = None
    sheet: options.Sheet = None
    encoding: options.Encoding = UTF8
    strict: options.Strict = False

    def how(self) -> dict[str, Any]:
        """Give how to read them, as the library takes it."""
        return {
            "text_field": self.text_field,
            "format": self.format,
            "sheet": self.sheet,
            "encoding": self.encoding,
            "strict": self.strict,
        }

    def read(
        self,
        *,
        quiet: bool,
        label_field: str | None = None,
        id_field: str | None = None,
        columns: Sequence[str] = (),
        max_memory: str | None = None,
    ) -> Documents:
        """Read the documents and show what the reader noticed."""
        with progress_bars(quiet=quiet) as progress, warnings.catch_warnings():
            warnings.simplefilter("ignore", UnusableDocuments)  # shown below
            documents = read_documents(
                self.docs,
                **self.how(),
                label_field=label_field,
                id_field=id_field,
                columns=columns,
                max_memory=max_memory,
                on_row=lambda row: progress("reading documents", row, 0),
                keep_rows=False,  # a file is read again for its words, and again to write the labels
            )
        for sentence in documents.notes:
            note(sentence, quiet=quiet)
        for sentence in documents.problems:
            note(sentence)  # despite --quiet, because the exit code needs its reason
        return documents


@dataclass(frozen=True, kw_only=True)
class TrainingSource(Source):
    """Documents to fit a model to, with its seeds."""

    strict: options.StrictWithSeeds = False


@dataclass(frozen=True, kw_only=True)
class Counting:
    """How the words of the documents are found and counted."""

    tokenizer: options.Tokenizer = None
    stop_words: options.StopWords = "english"
    threads: options.Threads = None
    max_memory: options.MaxMemory = None

    def arguments(self) -> dict[str, Any]:
        """Give them as the library takes them; what is wrong with them is said now, before any work."""
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

    model: options.Model = DEFAULT_MODEL
    settings: options.Settings = None
    none_label: options.NoneLabel = None
    vectors: options.Vectors = None
    seed: options.Seed = 0

    def build(self, seeds: str, counting: Counting, *, strict: bool) -> SeedModel:
        """Make the model from a seeds file, not yet fitted."""
        names = [model.name for model in options.SEED_MODELS]
        model = model_class({name.lower(): name for name in names}.get(self.model.lower(), self.model))
        if model is None or not issubclass(model, SeedModel):
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

    def _settings_of(self, model: type[SeedModel]) -> dict[str, Any]:
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

    model: options.ModelFolder
    tokenizer: options.Tokenizer = None
    threads: options.Threads = None

    def load(self) -> TextClassifier:
        """Load it."""
        model = load(self.model, tokenizer=named_tokenizer(self.tokenizer))
        model.set_params(n_threads=self.threads)
        return model

    def load_with_seeds(self) -> SeedModel:
        """Load it where only a model with seeds will do."""
        model = self.load()
        if not isinstance(model, SeedModel):
            raise InputError(
                f"{self.model} is a {type(model).__name__}, which has no seeds: use another model."
            )
        return model


def rule_columns(model: TextClassifier) -> list[str]:
    """Name the columns that documents must have, because rules of the seeds ask for them."""
    seeds = getattr(model, "seeds", None)
    return seeds.columns if isinstance(seeds, Seeds) else []


def require_classifier(model: TextClassifier, option: str) -> SeedTopicClassifier:
    """Refuse an option that only the default model has."""
    if not isinstance(model, SeedTopicClassifier):
        raise InputError(f"{type(model).__name__} does not support {option}: use --model {DEFAULT_MODEL}.")
    return model


def named_tokenizer(name: str | None) -> Tokenizer | None:
    """Import a tokenizer by its name, such as jieba:lcut; modules in the current folder are found too.

    Its tokens are folded like seeds, and those without a letter or digit are left out.
    """
    if name is None:
        return None
    module, _, function = name.partition(":")
    sys.path.append(os.getcwd())
    try:
        found = getattr(import_module(module), function)
    except (ImportError, ValueError, AttributeError) as error:
        raise InputError(
            f"--tokenizer {name!r} was not found ({error}): write MODULE:FUNCTION, such as jieba:lcut, "
            "and install the module or run the command in its folder."
        ) from None
    finally:
        sys.path.pop()
    if not callable(found):
        raise InputError(f"--tokenizer {name!r} is not a function: name one that splits a text into words.")
    # Such a function often returns spaces and punctuation as well, and an option cannot tell it not to.
    return lambda text: [normalize(token) for token in found(text) if any(map(str.isalnum, token))]


def named_vectors(name: str | None) -> VectorsLike:
    """Give what --vectors names; what is wrong with it is said now, before any work."""
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
    return name


def read_vectors(name: str | None) -> VectorsLike:
    """Give what --vectors names, for many fits: a table is read once."""
    vectors = named_vectors(name)
    return vectors if vectors in (None, "auto", "encoder") else read_word_vectors(str(vectors))


def _value(text: str) -> Any:
    """Read a setting: JSON where it is JSON (numbers, null, lists), a string otherwise."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
