"""How much memory there is, and how much may be used."""

from __future__ import annotations

import os
import re
from pathlib import Path

from seedtopic.base.errors import InputError

MaxMemory = int | str | None

LEAST = 10**6  # bytes
HARMLESS = 1 << 26  # bytes that are not checked, since a server would check at every request
_POWERS = "kmgt"
_AMOUNT = re.compile(rf"(\d+(?:\.\d+)?)\s*(?:([{_POWERS}])(i?)b?|b)?", re.IGNORECASE | re.ASCII)
_NUMBER = 8  # bytes
# The files with the memory limit of a container, in the two versions of the Linux interface.
_LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))


def parse_memory(amount: MaxMemory, what: str = "max_memory") -> int | None:
    """Return an amount of memory in bytes, which messages call `what`; None means no limit."""
    if amount is None:
        return None
    valid = isinstance(amount, int | str) and not isinstance(amount, bool)
    match = _AMOUNT.fullmatch(str(amount).strip()) if valid else None
    if match is None:
        raise InputError(
            f"{what} is {amount!r}: give bytes, or an amount such as '500MB', '4GB' or '1.5GiB'."
        )
    number, power, binary = match.groups()
    base = 1024 if binary else 1000
    size = int(float(number) * base ** (1 + _POWERS.index(power.lower()) if power else 0))
    if size < LEAST:
        raise InputError(f"{what} is {amount!r}: give at least 1MB.")
    return size


def require_memory(n_documents: int, n_categories: int, *, n_words: int = 0, arrays: int = 1) -> None:
    """Raise an error if arrays with a row a document or word, and a column a category, do not fit here."""
    need = _NUMBER * arrays * (n_documents + n_words) * n_categories
    if need > HARMLESS and need > memory():
        of_words = f" with {n_words:,} different words" if n_words > n_documents else ""
        raise InputError(
            f"{n_documents:,} documents{of_words} and {n_categories:,} categories need at least "
            f"{need / 1e9:,.0f} GB of memory, which is more than this machine has: give fewer documents at a "
            "time, or fewer categories."
        )


def memory() -> int:
    """Return the most bytes of memory that this process may use."""
    try:
        size = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):  # not available on every system
        return 2**63 - 1
    for path in _LIMITS:
        try:
            with open(path, "rb") as file:
                size = min(size, int(file.read(100)))
        except (OSError, ValueError):  # the file does not exist, or contains the word max
            continue
    return size
