"""The words of a model as a file with one word per line, read without trust: first counted, then kept."""

from __future__ import annotations

import codecs
import hashlib
from collections.abc import Iterable
from typing import IO

from seedtopic.base.errors import InputError

# A word may contain an unpaired surrogate, which is not a character, but is restored as it was.
ENCODING = ("utf-8", "surrogatepass")
LONGEST = 1 << 24  # bytes of a word
_AT_ONCE = 1 << 18  # bytes


def written_words(words: Iterable[str]) -> bytes:
    r"""Give the content of such a file.

    Examples
    --------
    >>> written_words(["gold", "two\nlines"])
    b'gold\ntwo\\nlines\n'
    """
    return "".join(_escaped(word) + "\n" for word in words).encode(*ENCODING)


def check_words(file: IO[bytes], n_words: int) -> str:
    """Read a file once, keeping nothing of it, and return its checksum.

    Parameters
    ----------
    file
    n_words
        How many words there must be.

    Raises
    ------
    InputError
        When there are more or fewer, or one is longer than `LONGEST`, or not text; the message is meant to
        follow the name of the file.
    """
    found, length = 0, 0
    checksum, decoder = hashlib.sha256(), codecs.getincrementaldecoder(ENCODING[0])(ENCODING[1])
    while chunk := file.read(_AT_ONCE):
        checksum.update(chunk)
        found += chunk.count(b"\n")
        last = chunk.rfind(b"\n")
        length = length + len(chunk) if last < 0 else len(chunk) - last - 1
        if length > LONGEST:
            raise InputError(f"has a word of more than {LONGEST:,} bytes.")
        if n_words is not None and found > n_words:
            break
        try:
            decoder.decode(chunk)
        except UnicodeDecodeError as error:
            raise InputError(f"cannot be read ({error!s:.100}).") from None
    if (found, length) != (found if n_words is None else n_words, 0) or not found:
        more = "more" if n_words is not None and found > n_words else f"{found:,}"
        raise InputError(f"has {more} words instead of {n_words!r:.20}.")
    file.seek(0)
    return checksum.hexdigest()


def read_words(file: IO[bytes]) -> list[str]:
    """Read the words of a file that `check_words` has checked; none may occur twice."""
    # Words may contain any character but a line feed, which is escaped: no other line end counts.
    words = [_unescaped(line) for line in file.read().decode(*ENCODING).split("\n")[:-1]]
    if len(set(words)) < len(words):
        raise InputError("has a word twice.")
    return words


def _escaped(word: str) -> str:
    return word.replace("\\", "\\\\").replace("\n", "\\n")


def _unescaped(line: str) -> str:
    return "\\".join(part.replace("\\n", "\n") for part in line.split("\\\\"))
