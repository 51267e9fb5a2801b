"""What ``seedtopic predict`` says of documents that are not like those of the fit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from seedtopic.base import json as strict_json
from seedtopic.base.errors import InputError
from seedtopic.base.files import atomic_file, check_place
from seedtopic.cli.console import note
from seedtopic.cli.steps import refuse_to_overwrite, where
from seedtopic.models import TextClassifier
from seedtopic.models.drift import LEAST, Drift, Fitted, Seen, drift, drift_sentence


def check_drift_output(path: str, docs: str) -> None:
    """Refuse a file that cannot be written, before the work starts."""
    if Path(path).suffix.lower() != ".json":
        raise InputError(f"--drift is {path}: name a .json file.")
    refuse_to_overwrite(path, docs)
    check_place(Path(path), "drift.json")


def drift_of(model: TextClassifier, seen: Seen) -> Drift | None:
    """Compare documents with those of the fit; None if the model keeps nothing of its fit."""
    fitted = Fitted.of(model)
    return None if fitted is None else drift(fitted, seen)


def drift_values(found: Drift | None) -> dict[str, Any]:
    """Give the comparison as values for JSON."""
    return {} if found is None else {"drift": found.as_dict()}


def report_drift(found: Drift | None, model: TextClassifier, path: str | None, *, quiet: bool) -> None:
    """Say what has changed since the fit, and write the comparison to a file if one is named."""
    if found is not None and (sentence := drift_sentence(found)) is not None:
        note(sentence, quiet=quiet)
    if path is None:
        return
    if found is None:
        raise InputError(
            f"{type(model).__name__} keeps no labels of its fit to compare with: leave --drift out."
        )
    with atomic_file(path, "w") as file:
        file.write(strict_json.written(found.as_dict(), indent=1) + "\n")
    if not found.enough:
        note(f"fewer than {LEAST} documents are too few to be compared with those of the fit", quiet=quiet)
    if found.unknown_words.fit is None:
        note(
            "the model does not know how many unknown words to expect, because it was saved by an earlier "
            "version or fitted to counts: fit it again to compare them",
            quiet=quiet,
        )
    note(f"comparison with the fit written to {where(path)}", quiet=quiet)
