"""Words and numbers as plain bytes: what passes between our processes and through temporary files.

Nothing here can hold code, as pickled objects can. Worker processes read this file, so that it needs the
standard library alone.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import IO

# A text may hold half of a surrogate pair, which is no character, and is to be counted all the same.
_ENCODING = ("utf-8", "surrogatepass")


def write_numbers(file: IO[bytes], numbers: array[int]) -> None:
    """Write whole numbers behind what is there."""
    content = numbers.tobytes()
    file.write(array("q", [len(content)]).tobytes())
    file.write(content)


def read_numbers(file: IO[bytes], kind: str) -> array[int]:
    """Read numbers that were written as an array of this type code.

    Raises
    ------
    EOFError
        When the file ends before they do.

    Examples
    --------
    >>> from io import BytesIO
    >>> file = BytesIO()
    >>> write_numbers(file, array("i", [3, 1]))
    >>> _ = file.seek(0)
    >>> read_numbers(file, "i").tolist()
    [3, 1]
    """
    return array(kind, _read_bytes(file))


def write_strings(file: IO[bytes], strings: Sequence[str]) -> None:
    """Write strings behind what is there: their lengths in characters, then all of them as one text."""
    write_numbers(file, array("q", map(len, strings)))
    content = "".join(strings).encode(*_ENCODING)
    file.write(array("q", [len(content)]).tobytes())
    file.write(content)


def read_strings(file: IO[bytes]) -> list[str]:
    """Read strings that were written.

    Examples
    --------
    >>> from io import BytesIO
    >>> file = BytesIO()
    >>> write_strings(file, ["gold", "", "naïve"])
    >>> _ = file.seek(0)
    >>> read_strings(file)
    ['gold', '', 'naïve']
    """
    lengths = read_numbers(file, "q")
    text = _read_bytes(file).decode(*_ENCODING)
    return [text[start:end] for start, end in pairwise(accumulate(lengths, initial=0))]


def _read_bytes(file: IO[bytes]) -> bytes:
    size = array("q", _exactly(file, 8))[0]
    return _exactly(file, size)


def _exactly(file: IO[bytes], size: int) -> bytes:
    content = file.read(size)
    if len(content) < size:
        raise EOFError("what was to be read ends too early")
    return content
