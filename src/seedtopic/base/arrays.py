"""Arrays in a zip of .npy files, as numpy writes it, read without trust: first the sizes, then the numbers.

The sizes in the file are compared with the announced ones before memory is allocated, so that a small file
cannot claim much memory, and nothing but numbers is ever read.
"""

from __future__ import annotations

import math
import os
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedtopic.base.errors import InputError
from seedtopic.base.memory import memory

MOST_BYTES = 1 << 40
_MOST_DIRECTORY = 1 << 16  # bytes; a model has a few dozen arrays, each with an entry of about 60
_HARMLESS = 1 << 26  # bytes of arrays that are allowed however small the file is
_MOST_EXPANSION = 100  # times the size of the file, above that
# Bytes of a number of each type, in the byte order of this machine.
_TYPES = {str(np.dtype(code)): np.dtype(code).itemsize for code in "?bhiqBHIQfd"}
# Exceptions of zipfile and numpy for invalid bytes.
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
        """Return the type and shape of an array."""
        return cls(str(array.dtype), array.shape)

    @property
    def n_bytes(self) -> int:
        """The memory it takes; a KeyError for a type that no model has, which numpy is never asked about."""
        return math.prod(self.shape) * _TYPES[self.dtype]


def write_arrays(file: IO[bytes], arrays: Mapping[str, NDArray[Any]], *, compressed: bool = False) -> None:
    """Write arrays of numbers to a file, uncompressed if `read_arrays` would take them for a zip bomb."""
    # As `numpy.savez` does, which before numpy 2.1 cannot refuse objects.
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
    """Return the types and shapes of the arrays in a file; the message of an error follows its name."""
    with _opened(file) as archive:
        return {_name(member): _described(archive, member) for member in archive.infolist()}


def read_arrays(file: IO[bytes]) -> dict[str, NDArray[Any]]:
    """Read the arrays of a file that `describe_arrays` has checked; refuse damaged ones, NaN and infinity."""
    arrays: dict[str, NDArray[Any]] = {}
    with _opened(file) as archive:
        for member in archive.infolist():
            with archive.open(member) as stored:
                array = np.lib.format.read_array(stored, allow_pickle=False)
                if stored.read(1) or not np.isfinite(array).all():
                    raise InputError(f"contains a value that is not a number in {_name(member)}.")
                arrays[_name(member)] = array
    return arrays


@contextmanager
def _opened(file: IO[bytes]) -> Iterator[zipfile.ZipFile]:
    """Open an archive after checking its sizes, and explain the errors inside the block."""
    try:
        size = file.seek(0, os.SEEK_END)
        if _directory_size(file, size) > _MOST_DIRECTORY:
            raise InputError("contains more files than a model has.")
        with zipfile.ZipFile(file) as archive:
            members = archive.infolist()
            if len({member.filename for member in members}) < len(members):
                raise InputError("contains a file twice.")
            n_bytes = sum(member.file_size for member in members)
            if _expands_too_far(n_bytes, size) or n_bytes > memory():
                raise InputError("would take far more memory than a saved model.")
            yield archive
    except InputError:
        raise
    except _SENSELESS as error:
        reason = " ".join(str(error).split())[:100] or type(error).__name__
        raise InputError(f"cannot be read ({reason}).") from None


def _directory_size(file: IO[bytes], size: int) -> int:
    """Read the length of the list of files in a zip, before the list is read."""
    # It is in the last record (ours have no comment after it), or in one before that beyond 32 bits.
    file.seek(max(size - 98, 0))
    tail = file.read(98)
    if tail[-22:-18] != b"PK\x05\x06" or tail[-2:] != b"\0\0":
        raise InputError("is not a complete zip archive.")
    if tail[-42:-38] != b"PK\x06\x07":
        return int.from_bytes(tail[-10:-6], "little")
    if tail[:4] != b"PK\x06\x06":
        raise InputError("is not a complete zip archive.")
    return int.from_bytes(tail[40:48], "little")


def _expands_too_far(n_bytes: int, size: int) -> bool:
    return n_bytes > max(_HARMLESS, _MOST_EXPANSION * size)


def _name(member: zipfile.ZipInfo) -> str:
    name = member.filename.removesuffix(".npy")
    if not name.isidentifier() or member.filename != f"{name}.npy":
        raise InputError(f"contains {member.filename!r:.60}, which is not an array of a model.")
    return name


def _described(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Described:
    with archive.open(member) as stored:
        version = np.lib.format.read_magic(stored)
        readers = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
        shape, _, dtype = readers[version](stored)
        array = Described(str(dtype), shape)
        if array.dtype not in _TYPES or not all(type(n) is int and n >= 0 for n in shape):
            raise InputError(f"contains a value that is not a number in {_name(member)}.")
        if array.n_bytes + stored.tell() != member.file_size:
            raise InputError(f"is cut off in {_name(member)}.")
        return array
