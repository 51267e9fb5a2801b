"""Results as a CSV that only grows: one row per measurement, with its settings and package version."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import seedtopic
from seedtopic.errors import InputError
from seedtopic.experiments.plan import Task

KEY = ("model", "parameters", "corpus", "seeds", "purified", "run")
Key = tuple[str, ...]
Row = dict[str, str]


def task_key(task: Task, parameters: Mapping[str, Any]) -> Key:
    """Return the key of a computation, as in the CSV: systems with the same key are the same computation."""
    setting = task.setting
    purified = str(setting.purified).lower() if setting.seeds else ""
    plain = json.dumps(parameters, sort_keys=True)
    return (task.system.model, plain, setting.corpus, setting.seeds, purified, str(task.run))


class Results:
    """The rows of one CSV.

    Parameters
    ----------
    path : Path
        The file; it is created with the first row.
    columns : sequence of str
        The columns of the scores.
    """

    def __init__(self, path: Path, columns: Sequence[str]) -> None:
        self.path = path
        self.columns = ("system", *KEY, *columns, "seconds", "version")
        self._rows = {tuple(row[name] for name in KEY): row for row in self._read()}

    def __len__(self) -> int:
        return len(self._rows)

    def find(self, key: Key) -> Row | None:
        """Return the row of a computation, or None."""
        return self._rows.get(key)

    def append(self, task: Task, key: Key, scores: Mapping[str, Any], seconds: float) -> None:
        """Write a row so that it is on disk when this returns."""
        about = dict(zip(KEY, key, strict=True))
        row = {"system": task.system.name, **about, **{name: _written(scores[name]) for name in scores}}
        row |= {"seconds": f"{seconds:.2f}", "version": seedtopic.__version__}
        self._repair()
        lines = io.StringIO()
        writer = csv.DictWriter(lines, self.columns, lineterminator="\n")
        if not self.path.exists() or self.path.stat().st_size == 0:
            writer.writeheader()
        writer.writerow(row)
        with self.path.open("a", encoding="utf-8", newline="") as file:
            file.write(lines.getvalue())
            file.flush()
            os.fsync(file.fileno())
        self._rows[key] = row

    def _read(self) -> list[Row]:
        if not self.path.exists():
            return []
        content = self.path.read_bytes()
        whole = content[: content.rfind(b"\n") + 1].decode("utf-8")  # a half-written last line is not a row
        reader = csv.DictReader(io.StringIO(whole, newline=""))
        if whole and tuple(reader.fieldnames or ()) != self.columns:
            raise InputError(
                f"{self.path} has the columns {', '.join(reader.fieldnames or ())} where "
                f"{', '.join(self.columns)} were expected: move it away to start again."
            )
        return [row for row in reader if None not in row and None not in row.values()]

    def _repair(self) -> None:
        """Cut off a line that an interrupted run left half-written."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if self.path.exists():
            content = self.path.read_bytes()
            if content and not content.endswith(b"\n"):
                os.truncate(self.path, content.rfind(b"\n") + 1)


def _written(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    return value if isinstance(value, str) else json.dumps(value)
