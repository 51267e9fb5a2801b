"""The command line: `seedtopic --help` lists its commands."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line and leave with its exit code."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command and return its exit code: 0 done, 2 wrong input, 1 anything else."""
    try:
        # Here, not above: importing takes a second, and an interrupt must be answered in that second too.
        from seedtopic.cli.app import app

        app(arguments, prog_name="seedtopic")
    except SystemExit as leaving:  # click always leaves so
        return leaving.code if isinstance(leaving.code, int) else 1
    except KeyboardInterrupt:
        print("seedtopic: interrupted; nothing unfinished was left behind.", file=sys.stderr)  # noqa: T201
        return 1
    return 0
