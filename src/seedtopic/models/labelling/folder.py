"""A folder of labelled files that can be continued: which are finished, and by which command."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from seedtopic.base import json as strict_json
from seedtopic.base.errors import InputError
from seedtopic.base.files import atomic_file
from seedtopic.documents.formats import split_ending
from seedtopic.documents.reread import file_state
from seedtopic.models.base import TextClassifier
from seedtopic.models.labelling.job import Noticed

FINISHED = "_seedtopic.finished"  # programs that read a folder of files leave names with _ out


class LabelledFolder:
    """The finished files of a folder, each with what was noticed of it.

    Parameters
    ----------
    folder
        Where the labelled files are written.
    command
        What the labels depend on, see `command_of`; files of another are never mixed with these.
    """

    def __init__(self, folder: Path, command: str) -> None:
        self._path, self._command = folder / FINISHED, command
        self._finished: dict[str, Any] = {}
        if not self._path.exists():
            return
        begun, *lines = self._path.read_text(encoding="utf-8", errors="replace").split("\n")
        if _parsed(begun) != {"command": command}:
            raise InputError(
                f"{folder} contains files that were labelled by another model or with other options: name "
                f"another folder, or remove {self._path} to label all files again"
            )
        for line in lines:  # of which some may be cut, and some are empty
            entry = _parsed(line)
            if isinstance(entry, dict) and "output" in entry:
                self._finished[entry["output"]] = entry

    def noticed(self, source: Path, output: Path) -> Noticed | None:
        """Give what was noticed when a file was labelled; None if that is still to be done."""
        entry = self._finished.get(str(output))
        if entry is None or not output.is_file() or entry["state"] != _state(source, output):
            return None
        return Noticed.from_dict(entry["noticed"])

    def finish(self, source: Path, output: Path, noticed: Noticed) -> None:
        """Note that a file is finished."""
        entry = {"output": str(output), "state": _state(source, output), "noticed": noticed.as_dict()}
        if not self._path.exists():
            with atomic_file(self._path, "w") as file:
                file.write(strict_json.written({"command": self._command}) + "\n")
        try:
            with self._path.open("a", encoding="utf-8") as file:
                file.write("\n" + strict_json.written(entry) + "\n")  # the line before it may be cut
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise InputError(
                f"{self._path} could not be written ({error.strerror or error}): free some space, then run "
                "the same command to continue"
            ) from error


def command_of(model: TextClassifier, options: Mapping[str, Any]) -> str:
    """Give a checksum of what labels depend on: the model and the options."""
    digest = hashlib.sha256(strict_json.written([dict(options), model.classes_.tolist()]).encode())
    digest.update("\n".join(model.vocabulary_).encode("utf-8", "surrogatepass"))
    for name, array in sorted(model._arrays().items()):
        digest.update(name.encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def output_names(files: list[Path]) -> list[Path]:
    """Name a labelled file for each file, relative to the folder of all of them.

    Examples
    --------
    >>> [path.as_posix() for path in output_names([Path("in/a.csv"), Path("in/b/c.txt")])]
    ['a.csv', 'b/c.csv']
    """
    above = os.path.commonpath([file.absolute().parent for file in files])
    return [_written_as(Path(os.path.relpath(file.absolute(), above))) for file in files]


def _written_as(path: Path) -> Path:
    """Give a file the ending of a format that can be written."""
    ending, gzipped = split_ending(path)
    stem = path.name[: -len(".gz")] if gzipped else path.name
    if ending in ("csv", "tsv", "jsonl"):
        return path
    other = {"parquet": "parquet", "xlsx": "xlsx", "xlsm": "xlsx"}.get(ending, "csv")
    return path.with_name(f"{Path(stem).stem}.{other}")


def _state(source: Path, output: Path) -> list[Any]:
    return [*(file_state(source) or ()), output.stat().st_size]


def _parsed(line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None
