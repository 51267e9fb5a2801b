"""Checkpoints of a long fit on disk, so that it can continue after an interruption."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedtopic.base.arrays import MOST_BYTES, describe_arrays, read_arrays, write_arrays
from seedtopic.base.errors import InputError
from seedtopic.base.files import LEFT_BEHIND, atomic_file, open_plain, remove_left_behind, sync

Arrays = Mapping[str, NDArray[Any]]
RandomState = int | np.random.RandomState | None  # as in scikit-learn

FORMAT = 2
WRITING_SHARE = 0.05  # of the time that writing may take


class Checkpoint:
    """A checkpoint that stores nothing, for a fit without a checkpoint."""

    def check_place(self) -> None:
        """Raise an error if a checkpoint cannot be written there; called before the work starts."""

    def begin(self, settings: object, data: Iterable[NDArray[Any]]) -> None:
        """Identify the fit by its settings, as JSON values, and its data."""

    def random_state(self, requested: RandomState) -> RandomState:
        """Return the random state to learn with: always the same for one checkpoint."""
        return requested

    def recall(self, step: str) -> dict[str, NDArray[Any]] | None:
        """Return the stored arrays of a step, or None."""
        return None

    def keep(self, step: str, arrays: Arrays, *, last: bool = False) -> None:
        """Store the arrays of a step, replacing its earlier ones."""

    def recall_parts(self, step: str) -> tuple[dict[str, NDArray[Any]], Sequence[Arrays]] | None:
        """Return what `keep_parts` stored; each part is read when it is asked for. None if there is none."""
        return None

    def keep_parts(
        self, step: str, head: Arrays, parts: Callable[[], Iterable[Arrays]], *, done: int, last: bool = False
    ) -> None:
        """Store a step of many parts, one of which at a time is in memory."""


class CheckpointFolder(Checkpoint):
    """A checkpoint in a folder: checkpoint.json identifies the fit, and each step has a file of arrays.

    Every file is replaced as a whole, so that the folder is valid whenever the process ends. Writing takes at
    most a twentieth of the time: large states are written less often than small ones.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._not_before = 0.0

    def begin(self, settings: object, data: Iterable[NDArray[Any]]) -> None:
        """Open the folder for a fit; raise an error if it belongs to another fit."""
        head, fit = self.path / "checkpoint.json", fingerprint(settings, data)
        if head.is_file():
            self._check(head, fit)
            remove_left_behind(self.path)
            return
        self.check_place()
        try:
            self.path.mkdir(exist_ok=True)
            sync(self.path.parent)
        except OSError as error:
            raise InputError(
                f"the checkpoint cannot be written to {self.path} ({error.strerror}): choose another folder."
            ) from None
        with atomic_file(head, "w") as file:
            json.dump({"format": FORMAT, "fit": fit}, file)

    def check_place(self) -> None:
        # A kill while checkpoint.json itself was being written leaves a folder that is still a checkpoint.
        holds = self.path.exists() and (
            not self.path.is_dir() or not all(file.match(LEFT_BEHIND) for file in self.path.iterdir())
        )
        if holds and not (self.path / "checkpoint.json").is_file():
            raise InputError(
                f"{self.path} exists and is not a checkpoint: give the name of a new or empty folder."
            )
        if not self.path.parent.is_dir():
            raise InputError(
                f"the folder {self.path.parent} for the checkpoint does not exist: create it first."
            )

    def random_state(self, requested: RandomState) -> RandomState:
        if requested is not None:
            return requested
        if (stored := self.recall("random")) is None:
            stored = {"seed": np.random.SeedSequence().generate_state(1)}
            self.keep("random", stored, last=True)
        return int(stored["seed"][0])

    def recall(self, step: str) -> dict[str, NDArray[Any]] | None:
        file = self.path / f"{step}.npz"
        if not file.is_file():
            return None
        try:
            with open_plain(file, MOST_BYTES) as stored:
                describe_arrays(stored)
                return read_arrays(stored)
        except (OSError, InputError) as error:
            reason = str(error).removesuffix(".")
            raise InputError(f"the checkpoint {file} is damaged ({reason}): delete {self.path}.") from None

    def keep(self, step: str, arrays: Arrays, *, last: bool = False) -> None:
        began = time.monotonic()
        if began < self._not_before and not last:
            return
        with atomic_file(self.path / f"{step}.npz") as file:
            write_arrays(file, arrays)
        self._wrote_since(began)

    def recall_parts(self, step: str) -> tuple[dict[str, NDArray[Any]], Sequence[Arrays]] | None:
        if (head := self.recall(step)) is None:
            return None
        done, n_parts = int(head.pop("done")), int(head.pop("n_parts"))
        return head, _Parts(self, [f"{step}-{done}-{number}" for number in range(n_parts)])

    def keep_parts(
        self, step: str, head: Arrays, parts: Callable[[], Iterable[Arrays]], *, done: int, last: bool = False
    ) -> None:
        began, n_parts = time.monotonic(), 0
        if began < self._not_before and not last:
            return
        for n_parts, arrays in enumerate(parts(), 1):
            self.keep(f"{step}-{done}-{n_parts - 1}", arrays, last=True)
        self.keep(step, {**head, "done": np.array(done), "n_parts": np.array(n_parts)}, last=True)
        for file in self.path.glob(f"{step}-*.npz"):
            if not file.name.startswith(f"{step}-{done}-"):
                file.unlink(missing_ok=True)
        self._wrote_since(began)

    def clear(self) -> None:
        """Remove the folder, once the result of the fit is saved elsewhere."""
        if not (self.path / "checkpoint.json").is_file():
            return
        # The head goes last: what is left by a kill on the way is still a checkpoint, and can be cleared.
        for file in self.path.glob("*.npz"):
            file.unlink(missing_ok=True)
        remove_left_behind(self.path)
        (self.path / "checkpoint.json").unlink(missing_ok=True)
        if not any(self.path.iterdir()):
            self.path.rmdir()

    def _wrote_since(self, began: float) -> None:
        ended = time.monotonic()
        self._not_before = ended + (ended - began) / WRITING_SHARE

    def _check(self, head: Path, fit: str) -> None:
        try:
            header = json.loads(head.read_text(encoding="utf-8"))
            stored = header["format"], header["fit"]
        except (OSError, ValueError, KeyError, TypeError):
            raise InputError(f"the checkpoint {head} is damaged: delete {self.path}.") from None
        if stored != (FORMAT, fit):
            raise InputError(
                f"{self.path} is the checkpoint of a fit with other documents, seeds, settings or version of "
                "seedtopic: give another folder, or delete it."
            )


@dataclass(frozen=True)
class _Parts(Sequence[Arrays]):
    """The parts of a step, each read when it is asked for."""

    checkpoint: CheckpointFolder
    steps: Sequence[str]

    def __len__(self) -> int:
        return len(self.steps)

    def __getitem__(self, number: Any) -> Any:
        step, path = self.steps[number], self.checkpoint.path
        if (stored := self.checkpoint.recall(step)) is None:
            raise InputError(f"the checkpoint {path} is damaged ({step} is missing): delete it.")
        return stored


NO_CHECKPOINT = Checkpoint()


def fingerprint(settings: object, arrays: Iterable[NDArray[Any]]) -> str:
    """Return a hash of the settings and data."""
    digest = hashlib.blake2b(json.dumps(settings, default=repr).encode(), digest_size=16)
    for array in arrays:
        digest.update(f"{array.dtype.str}{array.shape}".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()
