"""A model folder changed by somebody who knows how checksums are made."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from seedtopic.model import folder as storage


def header_of(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "model.json").read_text(encoding="utf-8"))


def seal(folder: Path, header: dict[str, Any]) -> None:
    """Write model.json with checksums that fit it and the other files."""
    names = ("arrays.npz", "vocabulary.txt")
    sums = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names}
    header = {**header, "sha256": sums}
    header["sha256"] = {**sums, "model.json": storage._header_sum(header)}
    (folder / "model.json").write_text(json.dumps(header), encoding="utf-8")


def rewrite_header(folder: Path, **changes: Any) -> None:
    seal(folder, {**header_of(folder), **changes})


def arrays_of(folder: Path) -> dict[str, np.ndarray]:
    with np.load(folder / "arrays.npz", allow_pickle=False) as stored:
        return {name: stored[name] for name in stored.files}


def rewrite_arrays(folder: Path, arrays: dict[str, np.ndarray]) -> None:
    """Write other arrays, and announce them as they are."""
    np.savez(folder / "arrays.npz", **arrays)
    described = {name: [str(array.dtype), list(array.shape)] for name, array in arrays.items()}
    rewrite_header(folder, arrays=described)
