"""The steps that commands are made of: read, fit, write, each with its progress and notes."""

from __future__ import annotations

import inspect
import json
import os
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedtopic.cli.console import note, printable, progress_bars, warnings_as_notes
from seedtopic.documents import Documents, read_documents
from seedtopic.documents.formats import DELIMITERS, split_ending
from seedtopic.documents.label_columns import NO_EXTRAS, Extras, NoneOfThese, added_columns
from seedtopic.documents.labelled_files import labelled_rows, write_rows
from seedtopic.documents.lines import matched_files
from seedtopic.errors import InputError, UnusableDocuments
from seedtopic.memory import parse_memory
from seedtopic.models import MODELS, SeedModel, SeedTopicClassifier, TextClassifier, load
from seedtopic.seeds import Seeds
from seedtopic.storage.checkpoint import CheckpointFolder
from seedtopic.text.tokens import Tokenizer, normalize, stop_word_set

DEFAULT_MODEL = "SeedTopicClassifier"
# The Bayes E-step labels better than the printed one on every corpus tried; see experiments/.
CLI_DEFAULTS: dict[str, dict[str, Any]] = {"WSPTM": {"estep": "bayes"}, "LapSWTM": {"estep": "bayes"}}

# Parameters that options of their own, or nothing on the command line, can set.
_GIVEN_OTHERWISE = {
    "seeds", "vocabulary", "tokenizer", "strict", "n_threads", "random_state", "max_memory",
}  # fmt: skip


def read(source: str, *, quiet: bool, **fields: Any) -> Documents:
    """Read documents and pass on what the reader noticed."""
    with progress_bars(quiet=quiet) as progress, warnings.catch_warnings():
        warnings.simplefilter("ignore", UnusableDocuments)  # said below
        documents = read_documents(
            source,
            on_row=lambda row: progress("reading documents", row, 0),
            keep_rows=False,  # a file is read once more for its words and once more for writing the labels
            **fields,
        )
    for sentence in documents.notes:
        note(sentence, quiet=quiet)
    for sentence in documents.problems:
        note(sentence)  # even to the quiet, because the exit code needs its reason
    return documents


def refuse_to_overwrite(output: str | None, docs: str) -> None:
    """Refuse an output file that holds the documents."""
    if output is None or output == "-" or not os.path.exists(output):
        return
    for file in matched_files(Path(docs)) or [Path(docs)]:
        if file.exists() and os.path.samefile(file, output):
            raise InputError(f"{output} is read from, and would be overwritten: name another file with -o.")


def build_model(
    name: str,
    seeds: Seeds,
    settings: list[str] | None,
    *,
    seed: int,
    threads: int | None,
    strict: bool,
    max_memory: str | None = None,
    tokenizer: Tokenizer | None = None,
    stop_words: str | None = None,
    none_label: str | None = None,
) -> SeedModel:
    """Make an unfitted model from what the command line says."""
    by_lower_name = {known.lower(): model for known, model in MODELS.items() if issubclass(model, SeedModel)}
    model = by_lower_name.get(name.lower())
    if model is None:
        raise InputError(f"--model is {name!r}: use one of {', '.join(by_lower_name)}.")
    parameters = {
        **CLI_DEFAULTS.get(model.__name__, {}),
        "random_state": seed,
        "n_threads": threads,
        "max_memory": parse_memory(max_memory),
    }
    if stop_words is not None:
        stop_word_set(named_stop_words(stop_words))  # a language that is not there is told before any work
        parameters["stop_words"] = named_stop_words(stop_words)
    known = [name for name in inspect.signature(model).parameters if name not in _GIVEN_OTHERWISE]
    for setting in settings or []:
        key, equals, value = setting.partition("=")
        if not equals or key not in known:
            raise InputError(f"--set {setting!r}: write NAME=VALUE with a name out of {', '.join(known)}.")
        parameters[key] = _value(value)
    built = model(seeds=seeds, strict=strict, tokenizer=tokenizer, **parameters)
    if none_label is not None:
        require_classifier(built, "--none-label").set_params(none_label=none_label)
    return built


def named_stop_words(language: str) -> str | None:
    """Turn the word none into None."""
    return None if language == "none" else language


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
            "and install the module or stand in its folder."
        ) from None
    finally:
        sys.path.pop()
    if not callable(found):
        raise InputError(f"--tokenizer {name!r} is not a function: name one that gives the words of a text.")
    # Whoever has nothing but a name cannot tell such a function to leave out spaces and punctuation.
    return lambda text: [normalize(token) for token in found(text) if any(map(str.isalnum, token))]


def load_seed_model(folder: str, tokenizer: Tokenizer | None = None) -> SeedModel:
    """Bring back a model that learned from seeds."""
    model = load(folder, tokenizer=tokenizer)
    if not isinstance(model, SeedModel):
        raise InputError(f"{folder} holds a {type(model).__name__}, which has no seeds: use another model.")
    return model


def fit(
    model: SeedModel,
    documents: Documents,
    *,
    quiet: bool,
    confirmed: str | None = None,
    learn_on: bool = False,
    checkpoint: CheckpointFolder | None = None,
) -> None:
    """Fit a model, showing progress and passing on its warnings.

    The labels that were read are looked at only where the user has said that the field is of confirmed ones.
    """
    labels = documents.labels if confirmed else None
    if labels is not None:
        note(f"{sum(map(bool, labels)):,} documents have a label in {confirmed!r}", quiet=quiet)
    learn = model.partial_fit if learn_on else model.fit
    with _saying_where(checkpoint), warnings_as_notes(quiet=quiet), progress_bars(quiet=quiet) as progress:
        learn(documents.texts, labels, progress=progress, checkpoint=checkpoint)


def opened_checkpoint(folder: str | None, output: str) -> CheckpointFolder | None:
    """Make a checkpoint of what the command line says, and refuse a place where there can be none."""
    if folder is None:
        return None
    if Path(folder).resolve() == Path(output).resolve():
        raise InputError(f"{folder} is both the output and the checkpoint: give the checkpoint another name.")
    checkpoint = CheckpointFolder(folder)
    checkpoint.check_place()
    return checkpoint


@contextmanager
def _saying_where(checkpoint: CheckpointFolder | None) -> Iterator[None]:
    """Let an interrupt say where the work done is."""
    try:
        yield
    except KeyboardInterrupt:
        if checkpoint is None or not checkpoint.path.exists():
            raise
        raise KeyboardInterrupt(
            f"interrupted; the work done is in {checkpoint.path}: the same command goes on from there."
        ) from None


def write_labels(
    path: str,
    documents: Documents,
    model: TextClassifier,
    probabilities: NDArray[np.float64],
    min_probability: float = 0.0,
    extras: Extras = NO_EXTRAS,
) -> None:
    """Write every document with its label, in the order of the input."""
    if extras.several is not None and (path == "-" or split_ending(path)[0] in DELIMITERS):
        joined = ["; ".join(map(str, labels)) for labels in extras.several]
        extras = replace(extras, several=joined)  # a table's cell cannot hold a list
    columns = [*documents.columns, *added_columns(documents.columns, extras.columns)]
    rows = labelled_rows(documents, model.classes_.tolist(), probabilities, min_probability, extras)
    write_rows(path, rows, columns)


def summary(
    documents: Documents,
    classes: NDArray[np.str_],
    probabilities: NDArray[np.float64],
    min_probability: float = 0.0,
    none: NoneOfThese | None = None,
) -> tuple[str, dict[str, Any]]:
    """Say how many documents with a text each category was given, as text and as values."""
    names = [str(name) for name in classes]
    best = probabilities.max(axis=1, initial=0.0)
    labels = np.array(names, object)[probabilities.argmax(axis=1)]
    if none is not None:
        names.append(none.label)
        outside = none.probability > 0.5
        labels, best = np.where(outside, none.label, labels), np.where(outside, none.probability, best)
    has_text = with_text(documents)
    labelled = (best >= min_probability) & has_text
    sizes = Counter(labels[labelled].tolist())
    rows = [(name, sizes[name]) for name in names]
    total = int(has_text.sum())
    values: dict[str, Any] = {"documents": total, "unusable": documents.unusable, "categories": dict(rows)}
    if min_probability > 0:
        values["left_empty"] = int((has_text & ~labelled).sum())
        rows.append(("(left empty)", values["left_empty"]))
    rows = [(printable(name), size) for name, size in rows]
    width = max(len(name) for name, _ in rows)
    lines = [f"{name:<{width}}  {size:>8,}  {size / max(total, 1):>6.1%}" for name, size in rows]
    return "\n".join(lines), values


def with_text(documents: Documents) -> NDArray[np.bool_]:
    """Tell which documents have a text."""
    found = np.ones(len(documents), dtype=bool)
    found[list(documents.without_text)] = False
    return found


def require_classifier(model: TextClassifier, option: str) -> SeedTopicClassifier:
    """Refuse an option that only the default model knows."""
    if not isinstance(model, SeedTopicClassifier):
        raise InputError(f"{option} is not known to {type(model).__name__}: use --model {DEFAULT_MODEL}.")
    return model


def _value(text: str) -> Any:
    """Read a setting: JSON where it is JSON (numbers, null, lists), a plain text otherwise."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
