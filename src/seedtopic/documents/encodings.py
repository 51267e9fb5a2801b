"""The encoding of a file: the one given by the user, unless the first bytes say otherwise."""

from __future__ import annotations

import codecs

from seedtopic.base.errors import InputError

UTF8, UTF8_MARKED = "utf-8", "utf-8-sig"

# A byte order mark overrides the given encoding, and is not part of the text. The longest come first.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (codecs.BOM_UTF8, UTF8_MARKED),
)
_SHOWN = {UTF8: "UTF-8", UTF8_MARKED: "UTF-8", "utf-16": "UTF-16", "utf-32": "UTF-32"}
_WIDE = 0.25  # share of zero bytes in Latin text encoded with two bytes per letter


def check_encoding(name: str) -> None:
    """Raise an error if a name is not a text encoding.

    Examples
    --------
    >>> check_encoding("latin-1")
    >>> check_encoding("utf-9")
    Traceback (most recent call last):
        ...
    seedtopic.base.errors.InputError: the encoding 'utf-9' is not known: use utf-8, utf-16, latin-1, cp1252 \
or another that Python knows
    """
    try:
        if not codecs.lookup(name)._is_text_encoding:  # others convert bytes to bytes
            raise LookupError
        codecs.getincrementaldecoder(name)("replace").decode("text".encode(name), True)
    except (LookupError, UnicodeError, ValueError, TypeError, AttributeError):
        raise InputError(
            f"the encoding {name!r} is not known: use utf-8, utf-16, latin-1, cp1252 or another that Python "
            "knows"
        ) from None


def codec_of(head: bytes, named: str, source: str) -> tuple[str, str]:
    """Return the codec for a file that starts with `head`, and its name for messages.

    Examples
    --------
    >>> codec_of(b"goal", "utf-8", "a.txt"), codec_of(codecs.BOM_UTF8 + b"goal", "latin-1", "a.txt")
    (('utf-8', 'UTF-8'), ('utf-8-sig', 'UTF-8'))
    """
    marked = next((codec for mark, codec in _MARKS if head.startswith(mark)), None)
    codec = marked or codecs.lookup(named).name
    if codec == UTF8 and (wide := _looks_wide(head)):
        raise InputError(
            f"{source} looks like UTF-16 without a byte order mark: name its encoding (--encoding {wide})"
        )
    return codec, _SHOWN.get(codec, named)


def ends_by_returns(head: bytes, codec: str) -> bool:
    r"""Return whether lines end with a carriage return only, as on very old machines.

    Examples
    --------
    >>> ends_by_returns(b"one\rtwo\r", "utf-8"), ends_by_returns(b"one\r\ntwo", "utf-8")
    (True, False)
    """
    text = head.decode(codec, errors="ignore")
    return "\n" not in text and "\r" in text[:-1]  # the last one may be half of a line end


def _looks_wide(head: bytes) -> str | None:
    zeros = head.count(0)
    if zeros < max(2, _WIDE * len(head)):
        return None
    odd = head[1::2].count(0)
    if odd == zeros:
        return "utf-16-le"
    return "utf-16-be" if odd == 0 else None
