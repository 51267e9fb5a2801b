"""The commands under one name, ``seedtopic``."""

from __future__ import annotations

from typing import Annotated

import typer

from seedtopic import __version__
from seedtopic.cli.audit import audit
from seedtopic.cli.console import guarded
from seedtopic.cli.demo import demo
from seedtopic.cli.discover import discover
from seedtopic.cli.evaluate import evaluate
from seedtopic.cli.expand import expand_groups
from seedtopic.cli.explain import explain
from seedtopic.cli.fit import fit_command, update
from seedtopic.cli.label import label, predict
from seedtopic.cli.next import next_command
from seedtopic.cli.report import report
from seedtopic.cli.reproduce import reproduce
from seedtopic.cli.seeds import check, suggest
from seedtopic.cli.seeds_prompt import prompt, read
from seedtopic.cli.serve import serve
from seedtopic.cli.studio import studio
from seedtopic.learning.topics.kernels import resolve_kernel

app = typer.Typer(
    name="seedtopic",
    help="Label documents from a few seed words per category: no labels, no GPU, no API key.",
    epilog="Exit codes: 0 success, 2 wrong input, 3 success but some documents could not be used, "
    "1 any other failure.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
seeds_app = typer.Typer(name="seeds", help="Check and improve seed words.", no_args_is_help=True)
for group, name, command in (
    (app, "label", label),
    (app, "fit", fit_command),
    (app, "update", update),
    (app, "predict", predict),
    (app, "evaluate", evaluate),
    (app, "audit", audit),
    (app, "next", next_command),
    (app, "discover", discover),
    (app, "explain", explain),
    (app, "report", report),
    (app, "serve", serve),
    (app, "studio", studio),
    (app, "demo", demo),
    (app, "reproduce", reproduce),
    (seeds_app, "check", check),
    (seeds_app, "suggest", suggest),
    (seeds_app, "prompt", prompt),
    (seeds_app, "read", read),
):
    group.command(name)(guarded(expand_groups(command)))
app.add_typer(seeds_app, name="seeds")


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"seedtopic {__version__} (E-step kernel: {resolve_kernel('auto')})")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show the version and the kernel."
        ),
    ] = False,
) -> None:
    pass
