"""Words and numbers as plain bytes, for pipes between processes and for temporary files.

Unlike pickled objects they cannot contain code. Worker processes read this file, so it needs the standard
library only.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import IO

# A text may contain an unpaired surrogate, which is not a character, but must be counted as well.
_ENCODING = ("utf-8", "surrogatepass")


def write_numbers(file: IO[bytes], numbers: array[int]) -> None:
    """Append whole numbers to a file."""
    content = numbers.tobytes()
    file.write(array("q", [len(content)]).tobytes())
    file.write(content)


def read_numbers(file: IO[bytes], kind: str) -> array[int]:
    """Read an array of numbers of this type code."""
    return array(kind, _read_bytes(file))


def write_strings(file: IO[bytes], strings: Sequence[str]) -> None:
    """Append strings to a file: their lengths in characters, then all of them as one text."""
    write_numbers(file, array("q", map(len, strings)))
    content = "".join(strings).encode(*_ENCODING)
    file.write(array("q", [len(content)]).tobytes())
    file.write(content)


def read_strings(file: IO[bytes]) -> list[str]:
    """Read the next list of strings."""
    lengths = read_numbers(file, "q")
    text = _read_bytes(file).decode(*_ENCODING)
    return [text[start:end] for start, end in pairwise(accumulate(lengths, initial=0))]


def _read_bytes(file: IO[bytes]) -> bytes:
    size = array("q", _exactly(file, 8))[0]
    return _exactly(file, size)


def _exactly(file: IO[bytes], size: int) -> bytes:
    content = file.read(size)
    if len(content) < size:
        raise EOFError("the data ends too early")
    return content
