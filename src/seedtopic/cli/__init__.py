"""The command line: `seedtopic --help` lists its commands."""

from __future__ import annotations

import io
import signal
import sys

_INTERRUPTED_WHILE_PARSING = 130  # what typer makes of it outside a command
INTERRUPTED = "interrupted; nothing unfinished was left behind."


def main() -> None:
    """Run the command line and leave with its exit code."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal may not know every letter of a name
    code = run(sys.argv[1:])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # all is done and said: only the interpreter has to end
    sys.exit(code)


def run(arguments: list[str]) -> int:
    """Run one command and return its exit code.

    0 done, 2 wrong input, 3 done but for documents that could not be used, 1 anything else.
    """
    try:
        # Here, not above: importing takes a second, and an interrupt must be answered in that second too.
        from seedtopic.cli.app import app

        app(arguments, prog_name="seedtopic")
    except SystemExit as leaving:  # click always leaves so
        code = leaving.code if isinstance(leaving.code, int) else 1
        return code if code != _INTERRUPTED_WHILE_PARSING else _interrupted()
    except KeyboardInterrupt:
        return _interrupted()
    return 0


def _interrupted() -> int:
    print(f"seedtopic: {INTERRUPTED}", file=sys.stderr)  # noqa: T201
    return 1
