"""Where the files of a corpus are: the user's folder, the cache, or the address to download them from."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import urllib.request
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from seedtopic.base.errors import InputError
from seedtopic.base.files import atomic_file

Record = dict[str, Any]
Progress = Callable[[int, int], None]

_CHUNK = 1 << 18
_TIMEOUT = 60.0  # seconds without a byte


def data_file(name: str) -> Path | None:
    """Return the file of a corpus in the folder SEEDTOPIC_DATA, or None if it does not exist."""
    folder = os.environ.get("SEEDTOPIC_DATA")
    path = Path(folder, f"{name}.jsonl.gz") if folder else None
    return path if path is not None and path.is_file() else None


def cache_folder(data_home: str | os.PathLike[str] | None = None) -> Path:
    """Return the folder for downloads: `data_home`, else SEEDTOPIC_CACHE, else ~/.cache/seedtopic.

    Examples
    --------
    >>> cache_folder("elsewhere").name
    'elsewhere'
    """
    chosen = data_home or os.environ.get("SEEDTOPIC_CACHE")
    return Path(chosen).expanduser() if chosen else Path.home() / ".cache" / "seedtopic"


def find_records(
    name: str,
    *,
    data_home: str | os.PathLike[str] | None,
    download_if_missing: bool,
    fetch: Callable[[], list[Record]],
) -> list[Record]:
    """Return the records of a corpus from the first place that has them.

    Parameters
    ----------
    name : str
        Name of the corpus; its file is NAME.jsonl.gz.
    data_home : path or None
        The cache folder, see :func:`cache_folder`.
    download_if_missing : bool
        Whether `fetch` may be called.
    fetch : callable
        Downloads the corpus and returns its records; they are then kept in the cache.

    Returns
    -------
    list of dict
        The records as stored.

    Raises
    ------
    InputError
        If no place has the corpus.
    """
    path = data_file(name)
    if path is not None:
        return read_records(path)
    folder = cache_folder(data_home)
    cached = folder / f"{name}.jsonl.gz"
    if cached.is_file():
        return read_records(cached)
    remedy = f"set SEEDTOPIC_DATA to a folder that contains {name}.jsonl.gz, or run once with a network"
    if not download_if_missing:
        raise InputError(f"the corpus {name} is not in {folder}: {remedy}")
    try:
        records = fetch()
    except OSError as error:
        raise InputError(
            f"the corpus {name} is not in {folder} and could not be downloaded ({error}): {remedy}"
        ) from error
    write_records(cached, records)
    return records


def read_records(path: Path) -> list[Record]:
    """Read a gzipped file of one JSON object per line."""
    try:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            return [json.loads(line) for line in lines]
    except (OSError, EOFError, ValueError) as error:
        raise InputError(
            f"{path} is not a gzipped file of JSON lines ({error}): delete it or replace it"
        ) from error


def write_records(path: Path, records: Iterable[Record]) -> None:
    """Write records so that a reader sees the whole file or none, whatever happens on the way."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"{path.parent} cannot be made ({error.strerror}): give another folder as data_home"
        ) from None
    with atomic_file(path) as file, gzip.open(file, "wt", encoding="utf-8") as lines:
        for record in records:
            lines.write(json.dumps(record, ensure_ascii=False) + "\n")


def download(urls: Sequence[str], sha256: str, on_progress: Progress | None = None) -> bytes:
    """Download a file from the first address that has the right one.

    Parameters
    ----------
    urls : sequence of str
        Addresses of the same file.
    sha256 : str
        Its checksum, in hexadecimal.
    on_progress : callable or None
        Called with the bytes so far and the total bytes (0 if the server does not say).

    Returns
    -------
    bytes
        The content.

    Raises
    ------
    OSError
        If no address has a file with this checksum; the message says why.
    """
    reasons = []
    for url in urls:
        try:
            content = _get(url, on_progress)
        except OSError as error:
            reasons.append(str(getattr(error, "reason", error)))
            continue
        if hashlib.sha256(content).hexdigest() == sha256:
            return content
        reasons.append("the file there has another checksum")
    raise OSError("; ".join(dict.fromkeys(reasons)))


def _get(url: str, on_progress: Progress | None) -> bytes:
    with urllib.request.urlopen(url, timeout=_TIMEOUT) as response:
        total = int(response.headers.get("Content-Length") or 0)
        content = bytearray()
        while chunk := response.read(_CHUNK):
            content += chunk
            if on_progress is not None:
                on_progress(len(content), total)
    return bytes(content)
