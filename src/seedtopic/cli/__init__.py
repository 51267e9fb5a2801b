"""The command line: `seedtopic --help` lists its commands."""

from __future__ import annotations

import io
import signal
import sys

_INTERRUPTED_WHILE_PARSING = 130  # what typer makes of it outside a command
INTERRUPTED = "interrupted; no unfinished file was left behind."


def main() -> None:
    """Run the command line and leave with its exit code."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal may not be able to show every letter
    code = run(sys.argv[1:])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # all is done: only the interpreter has to end
    sys.exit(code)


def run(arguments: list[str]) -> int:
    """Run one command and return its exit code.

    0 success, 2 wrong input, 3 success but something could not be used, 1 any other failure.
    """
    try:
        # Here, not above: importing takes a second, and an interrupt must be answered in that second too.
        from seedtopic.cli.app import app

        app(arguments, prog_name="seedtopic")
    except SystemExit as leaving:  # click always ends like this
        code = leaving.code if isinstance(leaving.code, int) else 1
        return code if code != _INTERRUPTED_WHILE_PARSING else _interrupted()
    except KeyboardInterrupt:
        return _interrupted()
    return 0


def _interrupted() -> int:
    print(f"seedtopic: {INTERRUPTED}", file=sys.stderr)  # noqa: T201
    return 1
