"""Waiting until what was written is on the disk, so that it outlives a loss of power."""

from __future__ import annotations

import os
from pathlib import Path


def sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk.

    A folder that may not be read cannot be synced, and some systems cannot open folders: then nothing is
    done.

    Examples
    --------
    >>> sync(Path("."))
    """
    is_folder = path.is_dir()
    if is_folder and not hasattr(os, "O_DIRECTORY"):
        return
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except PermissionError:
        if is_folder:
            return
        raise
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
