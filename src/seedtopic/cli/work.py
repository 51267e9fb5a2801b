"""The steps that commands are made of: read, fit, write, each with its progress and notes."""

from __future__ import annotations

import inspect
import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedtopic.cli.console import note, progress_bars, warnings_as_notes
from seedtopic.counting.memory import parse_memory
from seedtopic.documents import Documents, read_documents
from seedtopic.documents.formats import DELIMITERS, split_ending
from seedtopic.errors import InputError
from seedtopic.models import MODELS, SeedModel, SeedTopicClassifier, TextClassifier
from seedtopic.output import NoneOfThese, added_columns, extra_columns, labelled_rows, write_rows
from seedtopic.seeds import Seeds

DEFAULT_MODEL = "SeedTopicClassifier"
# The Bayes E-step labels better than the printed one on every corpus tried; see experiments/.
CLI_DEFAULTS: dict[str, dict[str, Any]] = {"WSPTM": {"estep": "bayes"}, "LapSWTM": {"estep": "bayes"}}

# Parameters that options of their own, or nothing on the command line, can set.
_GIVEN_OTHERWISE = {
    "seeds", "vocabulary", "tokenizer", "strict", "n_threads", "random_state", "max_memory",
}  # fmt: skip


def read(source: str, *, quiet: bool, **fields: Any) -> Documents:
    """Read documents and pass on what the reader noticed."""
    with progress_bars(quiet=quiet) as progress:
        documents = read_documents(
            source,
            on_row=lambda row: progress("reading documents", row, 0),
            keep_rows=False,  # a file is read once more for its words and once more for writing the labels
            **fields,
        )
    for sentence in documents.notes:
        note(sentence, quiet=quiet)
    return documents


def build_model(
    name: str,
    seeds: Seeds,
    settings: list[str] | None,
    *,
    seed: int,
    threads: int | None,
    strict: bool,
    max_memory: str | None = None,
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
    known = [
        name
        for name in inspect.signature(model).parameters
        if name
        not in ("seeds", "vocabulary", "tokenizer", "strict", "n_threads", "random_state", "max_memory")
    ]
    for setting in settings or []:
        key, equals, value = setting.partition("=")
        if not equals or key not in known:
            raise InputError(f"--set {setting!r}: write NAME=VALUE with a name out of {', '.join(known)}.")
        parameters[key] = _value(value)
    built = model(seeds=seeds, strict=strict, **parameters)
    if none_label is not None:
        require_classifier(built, "--none-label").set_params(none_label=none_label)
    return built


def fit(model: SeedModel, documents: Documents, *, quiet: bool) -> None:
    """Fit a model, showing progress and passing on its warnings."""
    with warnings_as_notes(quiet=quiet), progress_bars(quiet=quiet) as progress:
        model.fit(documents.texts, progress=progress)


def write_labels(
    path: str,
    documents: Documents,
    classes: NDArray[np.str_],
    probabilities: NDArray[np.float64],
    none: NoneOfThese | None = None,
    several: Sequence[tuple[str, ...]] | None = None,
) -> None:
    """Write every document with its label, in the order of the input."""
    extra = extra_columns(none is not None, several is not None)
    columns = [*documents.columns, *added_columns(documents.columns, extra)]
    table = path == "-" or split_ending(path)[0] in DELIMITERS  # a table's cell cannot hold a list
    labels = None if several is None else ["; ".join(row) if table else list(row) for row in several]
    rows = labelled_rows(documents, classes.tolist(), probabilities, none=none, several=labels)
    write_rows(path, rows, columns)


def summary(
    classes: NDArray[np.str_], probabilities: NDArray[np.float64], none: NoneOfThese | None = None
) -> tuple[str, dict[str, Any]]:
    """Say how many documents each category was given, as text and as values."""
    labels = classes[probabilities.argmax(axis=1)].tolist()
    names = [str(name) for name in classes]
    if none is not None:
        labels = np.where(none.probability > 0.5, none.label, labels).tolist()
        names.append(none.label)
    sizes = Counter(map(str, labels))
    width = max(map(len, names))
    total = len(probabilities)
    lines = [f"{name:<{width}}  {sizes[name]:>8,}  {sizes[name] / max(total, 1):>6.1%}" for name in names]
    return "\n".join(lines), {"documents": total, "categories": {name: sizes[name] for name in names}}


def require_classifier(model: TextClassifier, option: str) -> SeedTopicClassifier:
    """Refuse an option that only the default model knows."""
    if not isinstance(model, SeedTopicClassifier):
        raise InputError(f"{option} is not known to {type(model).__name__}: use --model {DEFAULT_MODEL}.")
    return model


def none_of_these(model: TextClassifier, probability: NDArray[np.float64] | None) -> NoneOfThese | None:
    """Give what a model says of documents that belong to no category, None where it was not asked to."""
    label = getattr(model, "none_label", None)
    return None if label is None or probability is None else NoneOfThese(label, probability)


def _value(text: str) -> Any:
    """Read a setting: JSON where it is JSON (numbers, null, lists), a plain text otherwise."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text
