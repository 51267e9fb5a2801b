"""Checks of a spreadsheet file from a stranger before it is read: a zip archive of XML, not too large."""

from __future__ import annotations

import zlib
from typing import IO
from xml.parsers import expat
from zipfile import BadZipFile, ZipFile, ZipInfo

from seedtopic.base.errors import InputError
from seedtopic.base.memory import memory

ZIP, OLE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
SAVE_AGAIN = "open it in a spreadsheet program and save it as .xlsx"
# An element in memory takes up to twenty times its bytes in the file. What is unpacked is refused if it is
# large and many times the size of the file (a table of one repeated row: 16), or a large part of the memory.
LARGE, TIMES, PART_OF_MEMORY, MOST = 1 << 21, 40, 8, 1 << 32
# A row is in memory as a whole. It ends with this, and has at most 16,384 cells, each of about four tags.
_END_OF_ROW, _MOST_TAGS = b"row>", 300_000
_AT_ONCE = 1 << 18  # bytes
_ENCRYPTED_PACKAGE = "EncryptedPackage".encode("utf-16-le")  # an entry of the directory of an OLE file
_ENCRYPTED = 1  # a flag of an entry of a zip archive


class _Doctype(Exception):
    """A part has a document type."""


class _Begun(Exception):
    """The first element of a part has begun."""


def check_archive(stream: IO[bytes], name: str) -> None:
    """Raise an error that says what a file is if it is not a spreadsheet that can be read safely.

    Examples
    --------
    >>> from io import BytesIO
    >>> check_archive(BytesIO(b"id,text"), "a.xlsx")
    Traceback (most recent call last):
        ...
    seedtopic.base.errors.InputError: a.xlsx is not a spreadsheet: open it in a spreadsheet program and save \
it as .xlsx, or rename it if it is text, such as a.csv
    """
    size = stream.seek(0, 2)
    stream.seek(0)
    head = stream.read(len(OLE))
    if head == OLE:
        raise _old_or_locked(stream, name)
    if not head.startswith(ZIP):
        text = name.rpartition(".")[0] + ".csv"
        raise InputError(
            f"{name} is not a spreadsheet: {SAVE_AGAIN}, or rename it if it is text, such as {text}"
        )
    try:
        with ZipFile(stream) as archive:
            parts = archive.infolist()
            _check_kind({part.filename for part in parts}, name)
            _check_size(parts, size, name)
            for part in parts:
                if _is_xml(part):
                    _refuse_doctype(archive, part, name)
                if part.filename.startswith("xl/worksheets/") and part.file_size > _MOST_TAGS:
                    _refuse_long_rows(archive, part, name)
    except (BadZipFile, EOFError, OSError, NotImplementedError, zlib.error) as error:
        raise damaged(name, str(error)) from None
    stream.seek(0)


def damaged(name: str, reason: str) -> InputError:
    """Make the error that a spreadsheet is damaged."""
    reason = " ".join(reason.split())[:100].rstrip(".") or "it is damaged"
    return InputError(f"{name} is not a complete .xlsx file ({reason}): {SAVE_AGAIN} again")


def _old_or_locked(stream: IO[bytes], name: str) -> InputError:
    while chunk := stream.read(1 << 20):
        if _ENCRYPTED_PACKAGE in chunk:
            return InputError(f"{name} is protected by a password: remove the password, and save it again")
    return InputError(f"{name} is in the format of Excel before 2007: {SAVE_AGAIN}")


def _check_kind(names: set[str], name: str) -> None:
    if "[Content_Types].xml" in names and not names & {"xl/workbook.bin", "word/document.xml"}:
        return
    kinds = {
        "xl/workbook.bin": "a binary spreadsheet (.xlsb)",
        "word/document.xml": "a Word document",
        "content.xml": "an OpenDocument file",
        "Index/Document.iwa": "a spreadsheet of Numbers",
    }
    kind = next((kind for part, kind in kinds.items() if part in names), "another kind of zip archive")
    raise InputError(f"{name} is {kind}, not an .xlsx file: {SAVE_AGAIN}")


def _check_size(parts: list[ZipInfo], size: int, name: str) -> None:
    # No part is unpacked beyond the size that it declares.
    unpacked = sum(part.file_size for part in parts if _is_xml(part))
    if unpacked > LARGE and (unpacked > TIMES * size or unpacked > min(memory() // PART_OF_MEMORY, MOST)):
        raise InputError(
            f"{name} has {size / 1e6:,.1f} MB and unpacks to {unpacked / 1e6:,.0f} MB, which is too much to "
            "be read: save the sheet as .csv"
        )


def _refuse_long_rows(archive: ZipFile, part: ZipInfo, name: str) -> None:
    n_tags = 0
    with archive.open(part) as stream:
        end = b""  # of the last chunk, where a row may end
        while chunk := stream.read(_AT_ONCE):
            first, *others = (end + chunk).split(_END_OF_ROW)
            n_tags = max(n_tags + first.count(b"<"), *(other.count(b"<") for other in others), 0)
            if n_tags > _MOST_TAGS:
                raise damaged(name, f"a row of {part.filename} has more cells than any sheet")
            end = chunk[1 - len(_END_OF_ROW) :]
            n_tags = (n_tags if not others else others[-1].count(b"<")) - end.count(b"<")


def _is_xml(part: ZipInfo) -> bool:
    return part.filename.lower().endswith((".xml", ".rels"))


def _refuse_doctype(archive: ZipFile, part: ZipInfo, name: str) -> None:
    """Refuse a document type, which may define entities; spreadsheets never have one."""
    if part.flag_bits & _ENCRYPTED:
        raise InputError(f"{name} is protected by a password: remove the password, and save it again")
    parser = expat.ParserCreate()

    def doctype(*_: object) -> None:
        raise _Doctype

    def element(*_: object) -> None:
        raise _Begun

    parser.StartDoctypeDeclHandler, parser.StartElementHandler = doctype, element
    try:
        with archive.open(part) as stream:
            while chunk := stream.read(1 << 12):
                parser.Parse(chunk)
    except _Begun:
        return
    except _Doctype:
        raise InputError(
            f"{name} contains a document type in {part.filename}, which no spreadsheet has: do not trust it"
        ) from None
    except (expat.ExpatError, LookupError, ValueError) as error:  # or an encoding that Python does not know
        raise damaged(name, f"{part.filename}: {error}") from None
