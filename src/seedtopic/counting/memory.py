"""Amounts of memory as people write them."""

from __future__ import annotations

import re

from seedtopic.errors import InputError

MaxMemory = int | str | None

LEAST = 10**6
_POWERS = "kmgt"
_AMOUNT = re.compile(rf"(\d+(?:\.\d+)?)\s*(?:([{_POWERS}])(i?)b?|b)?", re.IGNORECASE | re.ASCII)


def parse_memory(amount: MaxMemory) -> int | None:
    """Turn an amount of memory into bytes; None stands for no limit.

    Parameters
    ----------
    amount : int, str or None
        Bytes, or a text such as ``"500MB"``, ``"4GB"`` or ``"1.5GiB"``.

    Examples
    --------
    >>> parse_memory("4GB"), parse_memory("1.5 GiB"), parse_memory(2_000_000), parse_memory(None)
    (4000000000, 1610612736, 2000000, None)
    """
    if amount is None:
        return None
    written = isinstance(amount, int | str) and not isinstance(amount, bool)
    found = _AMOUNT.fullmatch(str(amount).strip()) if written else None
    if found is None:
        raise InputError(
            f"max_memory is {amount!r}: give bytes, or an amount such as '500MB', '4GB' or '1.5GiB'."
        )
    number, power, binary = found.groups()
    base = 1024 if binary else 1000
    size = int(float(number) * base ** (1 + _POWERS.index(power.lower()) if power else 0))
    if size < LEAST:
        raise InputError(f"max_memory is {amount!r}: give at least 1MB.")
    return size
