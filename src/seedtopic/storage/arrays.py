"""Arrays in a zip of .npy files, as numpy writes it, read without trust: sizes first, numbers last.

What a file says of itself is compared with what was announced before any room is made for it, so that a small
file cannot ask for much memory, and nothing but numbers is ever read.
"""

from __future__ import annotations

import math
import os
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Mapping
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedtopic.errors import InputError

MOST_BYTES = 1 << 40
_MOST_DIRECTORY = 1 << 16  # bytes; a model has a few dozen arrays, each of which takes about 60
_HARMLESS = 1 << 26  # bytes of arrays, however small the file
_MOST_EXPANSION = 100  # times the size of the file beyond that
_TYPES = frozenset(str(np.dtype(code)) for code in "?bhiqBHIQfd")  # in the byte order of this machine
# What zipfile and numpy raise at bytes that make no sense.
_SENSELESS = (
    ValueError, TypeError, KeyError, IndexError, OverflowError, EOFError, MemoryError, RecursionError,
    NotImplementedError, SyntaxError, tokenize.TokenError, struct.error, zlib.error, zipfile.BadZipFile,
    RuntimeError, OSError,
)  # fmt: skip


class Described(NamedTuple):
    """The type and shape of an array."""

    dtype: str
    shape: tuple[int, ...]

    @classmethod
    def of(cls, array: NDArray[Any]) -> Described:
        """Describe an array.

        Examples
        --------
        >>> Described.of(np.zeros((2, 3), np.float32))
        Described(dtype='float32', shape=(2, 3))
        """
        return cls(str(array.dtype), array.shape)

    @property
    def n_bytes(self) -> int:
        """Room that it takes."""
        return math.prod(self.shape) * np.dtype(self.dtype).itemsize


def write_arrays(file: IO[bytes], arrays: Mapping[str, NDArray[Any]], *, compressed: bool = False) -> None:
    """Write arrays of numbers to a file, uncompressed where that would look like a bomb to `read_arrays`.

    As `numpy.savez` does, which before numpy 2.1 cannot be told to refuse objects.
    """
    begin, n_bytes = file.tell(), sum(array.nbytes for array in arrays.values())
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asanyarray(array), allow_pickle=False)
    if compressed and _expands_too_far(n_bytes, file.tell() - begin):
        file.seek(begin)
        file.truncate()
        write_arrays(file, arrays)


def describe_arrays(file: IO[bytes]) -> dict[str, Described]:
    """Give the types and shapes of the arrays in a file, without making room for them.

    Raises
    ------
    InputError
        When the file is no such archive, or asks for far more room than it takes; the sentence is to follow
        the name of the file.
    """
    try:
        with _opened(file) as archive:
            return {_name(member): _described(archive, member) for member in archive.infolist()}
    except InputError:
        raise
    except _SENSELESS as error:
        raise InputError(f"cannot be read ({_in_short(error)}).") from None


def read_arrays(file: IO[bytes]) -> dict[str, NDArray[Any]]:
    """Read the arrays of a file that `describe_arrays` has seen.

    Raises
    ------
    InputError
        When they are damaged, or hold NaN or infinity.
    """
    arrays: dict[str, NDArray[Any]] = {}
    try:
        with _opened(file) as archive:
            for member in archive.infolist():
                with archive.open(member) as stored:
                    array = np.lib.format.read_array(stored, allow_pickle=False)
                    if stored.read(1) or not np.isfinite(array).all():
                        raise InputError(f"holds what is no number in {_name(member)}.")
                    arrays[_name(member)] = array
    except InputError:
        raise
    except _SENSELESS as error:
        raise InputError(f"cannot be read ({_in_short(error)}).") from None
    return arrays


def _in_short(error: BaseException) -> str:
    return " ".join(str(error).split())[:100] or type(error).__name__


def _opened(file: IO[bytes]) -> zipfile.ZipFile:
    size = file.seek(0, os.SEEK_END)
    if _directory_size(file, size) > _MOST_DIRECTORY:
        raise InputError("lists more files than a model has.")
    archive = zipfile.ZipFile(file)
    members = archive.infolist()
    if len({member.filename for member in members}) < len(members):
        raise InputError("holds a file twice.")
    if _expands_too_far(sum(member.file_size for member in members), size):
        raise InputError("would take far more memory than a model that was saved.")
    return archive


def _directory_size(file: IO[bytes], size: int) -> int:
    """Read how long the list of files in a zip says it is, before it is read.

    The record of it is the last in the file (no comment follows, in ours), and a larger one stands before
    it where numbers beyond 32 bits are needed.
    """
    file.seek(max(size - 98, 0))
    tail = file.read(98)
    if tail[-22:-18] != b"PK\x05\x06" or tail[-2:] != b"\0\0":
        raise InputError("is no complete zip archive.")
    if tail[-42:-38] != b"PK\x06\x07":
        return int.from_bytes(tail[-10:-6], "little")
    if tail[:4] != b"PK\x06\x06":
        raise InputError("is no complete zip archive.")
    return int.from_bytes(tail[40:48], "little")


def _expands_too_far(n_bytes: int, size: int) -> bool:
    return n_bytes > max(_HARMLESS, _MOST_EXPANSION * size)


def _name(member: zipfile.ZipInfo) -> str:
    name = member.filename.removesuffix(".npy")
    if not name.isidentifier() or member.filename != f"{name}.npy":
        raise InputError(f"holds {member.filename!r:.60}, which is no array of a model.")
    return name


def _described(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Described:
    with archive.open(member) as stored:
        version = np.lib.format.read_magic(stored)
        readers = {
            (1, 0): np.lib.format.read_array_header_1_0,
            (2, 0): np.lib.format.read_array_header_2_0,
        }
        shape, _, dtype = readers[version](stored)
        found = Described(str(dtype), shape)
        if found.dtype not in _TYPES or not all(type(n) is int and n >= 0 for n in shape):
            raise InputError(f"holds what is no number in {_name(member)}.")
        if found.n_bytes + stored.tell() != member.file_size:
            raise InputError(f"is cut off in {_name(member)}.")
        return found
