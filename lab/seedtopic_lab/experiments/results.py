"""Results as a CSV: one row per measurement, with its settings and the code that made it."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from seedtopic.base.errors import InputError
from seedtopic.base.files import atomic_file
from seedtopic_lab.experiments.freshness import code_of
from seedtopic_lab.experiments.plan import Task

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
        self.columns = ("system", *KEY, *columns, "seconds", "code")
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
        row |= {"seconds": f"{seconds:.2f}", "code": code_of(task.system.model)}
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

    def seconds(self, key: Key) -> float:
        """Return how long a computation took."""
        return float(self._rows[key]["seconds"])

    def has(self, key: Key, scores: Mapping[str, Any]) -> bool:
        """Return whether a row has these scores, all digits of them; times may differ."""
        row = self._rows[key]
        return all(
            row[name] == _written(value) for name, value in scores.items() if not name.endswith("seconds")
        )

    def is_stale(self, key: Key) -> bool:
        """Return whether a row was made by code that has changed since."""
        row = self._rows[key]
        return row["code"] != code_of(row["model"])

    def confirm(self, keys: Iterable[Key]) -> None:
        """Write down that today's code makes the same rows."""
        for key in keys:
            self._rows[key]["code"] = code_of(self._rows[key]["model"])
        self._write()

    def remove(self, keys: Iterable[Key]) -> None:
        """Forget rows, so that they are made again."""
        for key in keys:
            del self._rows[key]
        self._write()

    def _write(self) -> None:
        with atomic_file(self.path, "w") as file:
            writer = csv.DictWriter(file, self.columns, lineterminator="\n")
            writer.writeheader()
            writer.writerows(self._rows.values())

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
