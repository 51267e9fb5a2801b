"""Tables of word vectors: the English one that is shipped with the package, and those of files."""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from seedtopic.base.errors import InputError
from seedtopic.base.wording import number_of

# Zipf's law as Mandelbrot mended it: the r-th word of a language has a share in proportion to 1 / (r + 2.7).
_MANDELBROT = 2.7
_ROWS = 4096  # whose lengths are computed at a time
_GZIP = b"\x1f\x8b"
_CHUNK = 1 << 20  # bytes
_WIDEST = 100_000  # numbers per word; a header that says more is no header
_LONGEST_WORD = 10_000  # bytes
_LONGEST_LINE = 100 * _WIDEST  # bytes
_AROUND = b"\r\n "  # fastText ends its lines with a space


@dataclass(frozen=True, eq=False)
class WordVectors:
    """Words and a direction for each: words of like meaning point to like directions."""

    name: str
    words: Sequence[str]
    numbers: NDArray[Any]
    checksum: str
    by_frequency: bool = False

    @property
    def n_dims(self) -> int:
        """Length of a vector."""
        return int(self.numbers.shape[1])

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self.rows

    @cached_property
    def rows(self) -> Mapping[str, int]:
        """The row of each word; a word in lower case has that of its first spelling if it has none itself."""
        rows = {word: row for row, word in reversed(list(enumerate(self.words)))}
        for row, word in enumerate(self.words):
            rows.setdefault(word.lower(), row)  # ibm, where the table has IBM alone
        return rows

    def vectors(self, vocabulary: Sequence[str]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Look up words."""
        rows = self.rows_of(vocabulary)
        return self.vectors_at(rows), rows >= 0

    def vectors_at(self, rows: NDArray[np.intp]) -> NDArray[np.float32]:
        """Return the vectors of rows that `rows_of` gave."""
        if not len(self):
            return np.zeros((len(rows), self.n_dims), np.float32)
        known = np.maximum(rows, 0)
        vectors = np.asarray(self.numbers[known], np.float32)
        vectors /= self._lengths[known][:, None]
        vectors[rows < 0] = 0.0
        return vectors

    @cached_property
    def _lengths(self) -> NDArray[np.float32]:
        lengths = np.ones(len(self), np.float32)
        for first in range(0, len(self), _ROWS):
            part = np.asarray(self.numbers[first : first + _ROWS], np.float32)
            norms = np.linalg.norm(part, axis=1)
            lengths[first : first + _ROWS] = np.where(norms > 0, norms, 1)
        return lengths

    def frequencies(self, vocabulary: Sequence[str]) -> NDArray[np.float64]:
        """Estimate which share of all running words each word is, from its place in the table."""
        return self.frequencies_at(self.rows_of(vocabulary))

    def frequencies_at(self, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return what `frequencies` does for rows that `rows_of` gave."""
        if not self.by_frequency:
            return np.zeros(len(rows))
        return np.where(rows >= 0, 1 / (np.maximum(rows, 0) + 1 + _MANDELBROT) / self._total, 0.0)

    @cached_property
    def _total(self) -> float:
        return float((1 / (np.arange(len(self)) + 1 + _MANDELBROT)).sum())

    def __reduce__(self) -> tuple[Any, ...]:
        """Let copies and pickles name the shipped table, which every installation has."""
        if self.checksum == english().checksum:
            return english, ()
        return WordVectors, (self.name, self.words, self.numbers, self.checksum, self.by_frequency)

    def __deepcopy__(self, memo: object) -> WordVectors:
        """Return the table itself: it does not change, and may be large."""
        return self

    def rows_of(self, vocabulary: Sequence[str]) -> NDArray[np.intp]:
        """Return the row of each word, -1 where the table does not have it."""
        return np.fromiter((self.rows.get(word, -1) for word in vocabulary), np.intp, len(vocabulary))


@cache
def english() -> WordVectors:
    """Return the table of English words that is shipped with the package.

    Its words are in lower case, the most frequent first. The numbers stay on disk until they are looked up.
    NOTICE.md beside it says where it comes from.
    """
    folder = Path(__file__).parent
    about = json.loads((folder / "english.json").read_text(encoding="utf-8"))
    return WordVectors(
        name=about["name"],
        words=(folder / "english.txt").read_text(encoding="utf-8").splitlines(),
        numbers=np.load(folder / "english.npy", mmap_mode="r", allow_pickle=False),
        checksum=about["checksum"],
        by_frequency=True,
    )


def checksum_of(words: Iterable[str], numbers: NDArray[Any]) -> str:
    """Return the SHA-256 of words and numbers, whatever file they came from."""
    digest = hashlib.sha256("\n".join(words).encode("utf-8", "surrogatepass"))
    digest.update(f"{numbers.dtype.str} {numbers.shape}".encode())
    digest.update(np.ascontiguousarray(numbers).data)
    return digest.hexdigest()


def read_word_vectors(path: str | Path, vocabulary: Collection[str] | None = None) -> WordVectors:
    """Read a table of word vectors from a file.

    The content says what it is, but for two endings: ``.bin`` is word2vec's binary form, ``.npy`` an array
    beside a ``.txt`` of the same name with a word per line. Other files are text, a word and its numbers per
    line, as GloVe writes them, or with word2vec's and fastText's first line "words dimensions". Text and
    binary files may be compressed with gzip.
    """
    path = Path(path)
    try:
        if path.suffix == ".npy":
            return _read_pair(path)
        with path.open("rb") as file:
            packed = file.read(2) == _GZIP
            file.seek(0)
            # A GzipFile reads as any binary file does, though not by its type.
            stream = cast(BinaryIO, gzip.GzipFile(fileobj=file)) if packed else cast(BinaryIO, file)
            binary = ".bin" in path.suffixes[-2:]
            return _collected(path, (_binary if binary else _text)(path, stream), vocabulary)
    except FileNotFoundError as error:
        raise InputError(
            f"{error.filename} is not there: give the path of a table of word vectors."
        ) from None
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise InputError(f"{path} is compressed and damaged or cut short: get it again.") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.") from None


@dataclass(frozen=True)
class _Form:
    """A file as rows: the number and the word of each, and its numbers, not read before they are wanted."""

    n_dims: int
    place: str  # what the rows are counted in
    rows: Iterator[tuple[int, bytes, bytes]]
    numbers: Callable[[bytes], list[float] | NDArray[np.float32]]


def _collected(path: Path, form: _Form, vocabulary: Collection[str] | None) -> WordVectors:
    requested = None if vocabulary is None else set(vocabulary)
    words: list[str] = []
    numbers = bytearray()  # grows in place, where a list of rows would be held twice at the end
    for number, written, content in form.rows:
        word = written.decode("utf-8", "replace")
        if requested is not None and word not in requested and word.lower() not in requested:
            continue
        try:
            with np.errstate(over="ignore"):  # what is too large becomes infinite, and is refused below
                row = np.array(form.numbers(content), np.float32)
        except ValueError as error:  # which says what could not be read as a number
            raise InputError(f"{path}, {form.place} {number}: {error}.") from None
        if not np.isfinite(row).all():
            raise InputError(f"{path}, {form.place} {number}: the vector of {word!r:.40} is not finite.")
        words.append(word)
        numbers += row.tobytes()
    table = np.frombuffer(numbers, np.float32).reshape(len(words), form.n_dims)
    return WordVectors(path.name, words, table, checksum_of(words, table))


def _text(path: Path, stream: BinaryIO) -> _Form:
    line = stream.readline(_LONGEST_LINE).rstrip(_AROUND)
    header = _header(line)
    n_dims = header[1] if header else line.count(b" ")
    if not 0 < n_dims <= _WIDEST:
        raise InputError(
            f"{path} is not a table of word vectors: line 1 should be a word and its numbers, or how many "
            f"words and dimensions there are, and is {line[:40].decode('utf-8', 'replace')!r}."
        )
    lines = enumerate(stream, start=2)
    return _Form(
        n_dims,
        "line",
        _text_rows(path, n_dims, lines if header else chain([(1, line)], lines)),
        lambda content: [float(field) for field in content.decode("utf-8", "replace").split(" ")],
    )


def _text_rows(
    path: Path, n_dims: int, lines: Iterable[tuple[int, bytes]]
) -> Iterator[tuple[int, bytes, bytes]]:
    for number, line in lines:
        line = line.rstrip(_AROUND)
        spaces = line.count(b" ")
        if spaces == n_dims:
            word, _, content = line.partition(b" ")
        elif spaces > n_dims:  # some words of GloVe 840B have spaces in them
            word = line.rsplit(b" ", n_dims)[0]
            content = line[len(word) + 1 :]
        elif line:
            raise InputError(f"{path}, line {number}: {spaces} numbers where {n_dims} should be.")
        else:
            continue
        yield number, word, content


def _binary(path: Path, stream: BinaryIO) -> _Form:
    header = _header(stream.readline(_LONGEST_WORD).rstrip(_AROUND))
    if header is None or not 0 < header[1] <= _WIDEST:
        raise InputError(
            f"{path} is not in word2vec's binary form: its first line should say how many words and "
            "dimensions there are."
        )
    n_words, n_dims = header
    return _Form(
        n_dims,
        "word",
        _binary_rows(path, n_words, 4 * n_dims, stream),
        lambda content: np.frombuffer(content, "<f4"),
    )


def _binary_rows(path: Path, n_words: int, size: int, stream: BinaryIO) -> Iterator[tuple[int, bytes, bytes]]:
    """Cut at the space behind each word; before a word there may be a line feed."""
    buffer, start = b"", 0
    for number in range(1, n_words + 1):
        while (space := buffer.find(b" ", start)) < 0 or len(buffer) < space + 1 + size:
            if space < 0 and len(buffer) - start > _LONGEST_WORD:
                raise InputError(f"{path}, word {number}: no end of the word is found: is it in binary form?")
            more = stream.read(_CHUNK)
            if not more:
                raise InputError(f"{path} ends within word {number} of {n_words}: get the file again.")
            buffer, start = buffer[start:] + more, 0
        yield number, buffer[start:space].lstrip(b"\n"), buffer[space + 1 : space + 1 + size]
        start = space + 1 + size


def _header(line: bytes) -> tuple[int, int] | None:
    fields = line.split(b" ")
    return (int(fields[0]), int(fields[1])) if len(fields) == 2 and all(map(bytes.isdigit, fields)) else None


def _read_pair(path: Path) -> WordVectors:
    try:
        numbers = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError):
        raise InputError(f"{path} is not an array of numbers as numpy.save writes it.") from None
    listed = path.with_suffix(".txt")
    try:
        words = listed.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    except UnicodeDecodeError:
        raise InputError(f"{listed} is not in UTF-8: write it with a word per line, in UTF-8.") from None
    if numbers.ndim != 2 or numbers.dtype.kind not in "fiu" or len(numbers) != len(words):
        raise InputError(
            f"{path} has shape {numbers.shape} of {numbers.dtype}, and {listed.name} has "
            f"{number_of(len(words), 'word')}: the array should have a row of numbers for each word."
        )
    return WordVectors(path.name, words, numbers, checksum_of(words, numbers))
