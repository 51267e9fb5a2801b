"""Seeds files: TOML and JSON are read and written here, and nowhere else."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seedtopic.base import json as strict_json
from seedtopic.base.errors import InputError
from seedtopic.base.files import atomic_file, read_regular

if TYPE_CHECKING:
    from seedtopic.seeds.seeds import Seeds

FORMATS = (".toml", ".json")
MOST_BYTES = 1 << 24  # of a file


def read_file(path: Path) -> tuple[Any, str | None]:
    """Read a seeds file."""
    try:
        text = _text(path)
        is_toml = path.suffix.lower() == ".toml"
        return parsed(text, path.suffix.lower()), text if is_toml else None
    except FileNotFoundError:
        raise InputError(f"the seeds file {path} does not exist: check its path.") from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise InputError(
            f"the seeds file {path} is not UTF-8 at line {line}: save it with the encoding UTF-8."
        ) from None
    except OSError as error:
        raise InputError(f"the seeds file {path} cannot be read: {error.strerror}.") from None
    except InputError as error:
        raise InputError(f"in the seeds file {path}: {error}") from None


def _text(path: Path) -> str:
    try:
        content = read_regular(path, MOST_BYTES)
    except InputError as error:
        raise InputError(f"it {error}") from None
    return content.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")


def parsed(text: str, ending: str) -> Any:
    """Parse the text of a seeds file."""
    try:
        if ending == ".toml":
            return tomllib.loads(text)
        if ending == ".json":
            return strict_json.parsed(text)
    except strict_json.RepeatedNameError as error:
        raise InputError(f"the category {error.name!r} is given twice: keep one of them.") from None
    except RecursionError:
        raise InputError("it is nested too deeply: write one list of words for each category.") from None
    except ValueError as error:  # the base class of both parsers' own errors
        raise InputError(f"it is not valid: {error}{_hint(str(error))}.") from None
    raise InputError("its name must end in .toml or .json.")


def check_ending(path: Path) -> None:
    """Refuse a name that seeds cannot be written to."""
    if path.suffix.lower() not in FORMATS:
        raise InputError(f"the seeds file {path} must end in .toml or .json.")


def write_file(path: Path, seeds: Seeds, toml: Callable[[], str]) -> None:
    """Write a seeds file, completely or not at all, with this text where it is TOML; see `Seeds.write`."""
    check_ending(path)
    is_json = path.suffix.lower() == ".json"
    text = strict_json.written(seeds.table(), indent=2) + "\n" if is_json else toml()
    with atomic_file(path, "w") as file:
        file.write(text)


def _hint(error: str) -> str:
    """Explain the most common errors of TOML."""
    if error.startswith(("Invalid statement", "Expected '='")):
        return "; put a name in quotes if it has spaces, or letters other than a to z"
    if error.startswith(("Illegal character '\\n'", "Unterminated string", 'Expected "\'"')):
        return "; a quote is not closed there: put one before and one after each word"
    if error.startswith("Unclosed array"):
        return "; a list begins with [ and ends with ]"
    if error.startswith("Invalid value"):
        return '; put each word in plain quotes, as in ["game", "team"]'
    return ""
