"""What the command line shows: notes, progress and errors on standard error, results on standard output."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from typing import Annotated, Any, NoReturn, ParamSpec

import typer
from rich.console import Console, RenderableType

from seedtopic.base import json as strict_json
from seedtopic.base.checks import debugging
from seedtopic.base.errors import InputError, MissingExtraError
from seedtopic.base.progress import Progress, in_terminal, silent
from seedtopic.cli import INTERRUPTED

Arguments = ParamSpec("Arguments")

FAILED, WRONG_INPUT, INCOMPLETE = 1, 2, 3


def note(sentence: str) -> None:
    """Tell the user something besides the result, despite --quiet."""
    if sys.stderr is not None:  # it is None where it was closed
        print(f"seedtopic: {sentence}", file=sys.stderr)  # noqa: T201


Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show only errors.")]


@dataclass(frozen=True, kw_only=True)
class Terminal:
    """How much a command shows, and in which form; a group of options of almost every command."""

    quiet: Quiet = False
    json: Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")] = False

    def note(self, sentence: str) -> None:
        """Tell the user something besides the result."""
        if not self.quiet:
            note(sentence)

    def result(self, *parts: RenderableType, values: dict[str, Any]) -> None:
        """Print a result: its parts for a person, or its values as one JSON object."""
        with _written():
            if self.json:
                print(strict_json.written(values))  # noqa: T201
            elif not self.quiet:
                print(laid_out(*parts))  # noqa: T201

    @contextmanager
    def progress(self) -> Iterator[Progress]:
        """Show a progress bar for each stage in a terminal, and nothing elsewhere."""
        if self.quiet or not in_terminal():
            yield silent
            return
        from seedtopic.base.progress import terminal_bars  # which takes long to import

        with terminal_bars() as progress:
            yield progress

    @contextmanager
    def warnings(self) -> Iterator[None]:
        """Show the library's warnings as notes, each once."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield
        for sentence in dict.fromkeys(str(warning.message) for warning in caught):
            self.note(sentence)


def laid_out(*parts: RenderableType) -> str:
    """Lay out tables and sentences for a terminal, or for a file: plain, each row on a line of its own."""
    terminal = sys.stdout is not None and sys.stdout.isatty()
    console = Console(
        width=None if terminal else 100_000,  # a file is as wide as it has to be
        force_terminal=terminal,
        force_jupyter=False,
        markup=False,  # names of categories and words are shown as they are
        emoji=False,
        highlight=False,
    )
    with console.capture() as captured:
        for part in parts:
            console.print(part)
    return "\n".join(line.rstrip() for line in captured.get().removesuffix("\n").split("\n"))


def guarded(command: Callable[Arguments, int | None]) -> Callable[Arguments, None]:
    """Turn every failure of a command into one sentence and an exit code, never a traceback.

    A command that reads documents returns how many of them could not be used.
    """

    @wraps(command)
    def run(*args: Arguments.args, **kwargs: Arguments.kwargs) -> None:
        try:
            unusable = command(*args, **kwargs)
            flush_results()
            if unusable:
                raise typer.Exit(INCOMPLETE)
        except (InputError, MissingExtraError) as error:
            _leave(str(error), WRONG_INPUT)
        except BrokenPipeError:  # the reader of our output has gone, as in  seedtopic ... | head
            _drop_output()
            raise typer.Exit(FAILED) from None
        except KeyboardInterrupt as interrupt:
            _leave(str(interrupt) or INTERRUPTED, FAILED)
        except MemoryError:
            _leave("there is not enough memory for these documents.", FAILED)
        except OSError as error:  # a temporary file, or a cache of compiled code
            sentence = f"a file could not be read or written ({error}): check free space and permissions."
            _leave(sentence, FAILED)
        except typer.Exit:
            raise
        except Exception as error:
            if debugging():
                raise
            sentence = f"unexpected {type(error).__name__}: {error} (set SEEDTOPIC_DEBUG=1 to see where)."
            _leave(sentence, FAILED)

    return run


def flush_results() -> None:
    """Write out what was printed, while an error can still be reported."""
    with _written():
        if sys.stdout is not None:
            sys.stdout.flush()


@contextmanager
def _written() -> Iterator[None]:
    """Report that standard output cannot be written; a reader that has gone is not an error."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        sentence = f"standard output could not be written ({error.strerror}): free some disk space."
        raise InputError(sentence) from None


def _leave(sentence: str, code: int) -> NoReturn:
    try:
        flush_results()
    except (InputError, BrokenPipeError):
        _drop_output()
    note(sentence)
    raise typer.Exit(code) from None


def _drop_output() -> None:
    """Discard what is left in the buffer, or the interpreter would fail to write it when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
