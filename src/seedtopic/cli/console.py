"""What the command line shows: notes, progress and errors on standard error, results on standard output."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, NoReturn, ParamSpec

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from seedtopic import strict_json
from seedtopic.cli import INTERRUPTED
from seedtopic.debug import debugging
from seedtopic.errors import InputError, MissingExtraError
from seedtopic.progress import Progress as Report
from seedtopic.progress import silent

Arguments = ParamSpec("Arguments")

FAILED, WRONG_INPUT, INCOMPLETE = 1, 2, 3


def note(sentence: str, *, quiet: bool = False) -> None:
    """Tell the user something that is no result."""
    if not quiet and sys.stderr is not None:  # which it is where it was closed
        print(f"seedtopic: {sentence}", file=sys.stderr)  # noqa: T201


def printable(name: object) -> str:
    r"""Write a name in one line, whatever it holds.

    Examples
    --------
    >>> printable("news\nof today")
    'news\\nof today'
    """
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in str(name))


def result(text: str, values: dict[str, Any], *, as_json: bool, quiet: bool = False) -> None:
    """Print a result, for a person or as one JSON object."""
    with _written():
        if as_json:
            print(strict_json.written(values))  # noqa: T201
        elif not quiet:
            print(text)  # noqa: T201


@contextmanager
def progress_bars(*, quiet: bool = False) -> Iterator[Report]:
    """Show a bar a stage while a person is watching; nothing when piped."""
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        yield silent
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        tasks: dict[str, TaskID] = {}

        def report(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=total or None)
            bars.update(tasks[stage], completed=done, total=total or None)

        yield report


@contextmanager
def warnings_as_notes(*, quiet: bool = False) -> Iterator[None]:
    """Show the library's warnings as notes, each once."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for sentence in dict.fromkeys(str(warning.message) for warning in caught):
        note(sentence, quiet=quiet)


def guarded(command: Callable[Arguments, int | None]) -> Callable[Arguments, None]:
    """Make a command whose every failure is one sentence and an exit code, never a traceback.

    A command that reads documents gives how many of them could not be used.
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
            _leave("the machine's memory is not enough for these documents.", FAILED)
        except OSError as error:  # a temporary file, or a cache of compiled code
            _leave(f"a file could not be used ({error}): make room, or see to its permissions.", FAILED)
        except typer.Exit:
            raise
        except Exception as error:
            if debugging():
                raise
            sentence = f"unexpected {type(error).__name__}: {error} (set SEEDTOPIC_DEBUG=1 to see where)."
            _leave(sentence, FAILED)

    return run


def flush_results() -> None:
    """Write out what was printed, while there is still somebody to say that it cannot be."""
    with _written():
        if sys.stdout is not None:
            sys.stdout.flush()


@contextmanager
def _written() -> Iterator[None]:
    """Say what is wrong with standard output; that its reader has gone is no fault of anybody's."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise InputError(f"standard output could not be written ({error.strerror}): make room.") from None


def _leave(sentence: str, code: int) -> NoReturn:
    try:
        flush_results()
    except (InputError, BrokenPipeError):
        _drop_output()
    note(sentence)
    raise typer.Exit(code) from None


def _drop_output() -> None:
    """Send what is left in the buffer nowhere, or the interpreter would stumble over it when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
