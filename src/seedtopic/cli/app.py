"""The commands under one name, with the options of the whole."""

from __future__ import annotations

from typing import Annotated

import typer

from seedtopic import __version__
from seedtopic.cli import commands
from seedtopic.cli.console import guarded
from seedtopic.cli.explain import explain
from seedtopic.cli.report import report
from seedtopic.cli.reproduce import reproduce
from seedtopic.cli.seeds import app as seeds_app
from seedtopic.cli.serve import serve
from seedtopic.cli.studio import studio
from seedtopic.cli.update import update
from seedtopic.learning.topics.kernels import resolve_kernel

app = typer.Typer(
    name="seedtopic",
    help="Label documents from a few seed words per category: no labels, no GPU, no API key.",
    epilog="Exit codes: 0 done, 2 wrong input, 3 done but for documents that could not be used, "
    "1 anything else.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
for name, command in (
    ("label", commands.label),
    ("fit", commands.fit_command),
    ("update", update),
    ("predict", commands.predict),
    ("evaluate", commands.evaluate),
    ("explain", explain),
    ("report", report),
    ("serve", serve),
    ("studio", studio),
    ("demo", commands.demo),
    ("reproduce", reproduce),
):
    app.command(name)(guarded(command))
app.add_typer(seeds_app, name="seeds")


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"seedtopic {__version__} (E-step kernel: {resolve_kernel('auto')})")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show version and kernel."),
    ] = False,
) -> None:
    pass
