"""What the C code that counts words has to know of characters, taken from Python's own `str`.

It asks for a block of 256 characters when a text first contains one of them.
"""

from __future__ import annotations

import unicodedata
from array import array

from seedtopic.text.scripts import is_unspaced
from seedtopic.text.tokens import normalize

BLOCK = 256
MUST_NORMALIZE, STAYS, UNSPACED = 1 << 31, 1 << 30, 1 << 29

# Where a letter is folded alike in all texts: Latin, Greek, Cyrillic and Armenian letters, punctuation and
# symbols, Korean syllables, emoji. Others may be joined with the letter before them.
_SIMPLE = (range(0x590), range(0x1E00, 0x2C00), range(0xAC00, 0xD7A4), range(0x1F300, 0x1FB00))
_JOINING = ("Mn", "Mc", "Me", "Cn")  # marks, and code points that a later Unicode may make one


def describe_block(number: int) -> bytes:
    """Return a number for each character of a block, see `fate`."""
    first = number * BLOCK
    return array("I", (fate(chr(code)) for code in range(first, first + BLOCK))).tobytes()


def fate(character: str) -> int:
    """Return what becomes of a character when words are read: a code point, and flags.

    The code point is the letter or digit that it becomes, 0 if it only separates words. `MUST_NORMALIZE` is
    set if that depends on its neighbours, or if it becomes several; `STAYS` if it is a letter or digit as it
    is; `UNSPACED` if it is of a script without spaces.
    """
    flags = (STAYS if character.isalnum() else 0) | (UNSPACED if is_unspaced(character) else 0)
    folded = _folded(character)
    if folded is None:
        return flags | MUST_NORMALIZE
    return flags | (ord(folded) if folded.isalnum() else 0)


def _folded(character: str) -> str | None:
    """Return the letter or digit that a character becomes in any text, or a space; None if that depends."""
    if not any(ord(character) in simple for simple in _SIMPLE) or unicodedata.category(character) in _JOINING:
        return None
    if "Σ" in unicodedata.normalize("NFKC", character):  # which is another letter at the end of a word
        return None
    folded = normalize(character)
    if not any(part.isalnum() or is_unspaced(part) for part in folded):
        return " "
    return folded if len(folded) == 1 and not is_unspaced(folded) else None
