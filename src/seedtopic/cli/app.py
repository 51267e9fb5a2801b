"""The commands under one name, ``seedtopic``; each is imported when it is called: help comes at once."""

from __future__ import annotations

from functools import cached_property
from importlib import import_module
from typing import Annotated, Any

import typer
import typer.core

from seedtopic import __version__
from seedtopic.base.errors import MissingExtraError
from seedtopic.base.plugins import plugin, plugins

# Those of lab/, by the first sentence of their help.
LAB_COMMANDS = {"reproduce": "Reproduce a table or figure of the WSPTM paper, or all of them."}

# The first sentence of the help of each command.
COMMANDS = {
    "label": "Label documents from seed words in one step.",
    "fit": "Fit a model to documents and seed words, and save it for predict, evaluate, explain, "
    "report and serve.",
    "update": "Continue training on new documents; the model must have been fitted with --learn-on.",
    "predict": "Label new documents with a fitted model.",
    "evaluate": "Score a fitted model on documents whose labels are known.",
    "audit": "Estimate how good labels are from about fifty documents that you check.",
    "shares": "Estimate the share of each category, in all documents, over time and by group.",
    "agreement": "Measure how far several people, or people and models, agree about the same texts.",
    "next": "Choose the documents whose labels you should check next, so that all labels improve fastest.",
    "discover": "Find new categories among documents that belong to none of the categories of a model.",
    "convert": "Take labels to an annotation tool, and bring back what people have checked there.",
    "explain": "Show which words decided the label of a document, and how close the runner-up was.",
    "report": "Write a report on labelled documents as one file that works offline.",
    "serve": "Serve a fitted model over HTTP until stopped; GET /docs describes the requests.",
    "studio": "Open a page on this machine to edit seeds and see the labels change while you type.",
    "demo": "Try everything on real text, without a download, and write the labels and a report.",
}
SEEDS_COMMANDS = {
    "check": "Show in how many documents each seed occurs, and list all problems of the seeds.",
    "suggest": "Suggest further words for each category, and name words and seeds to think about.",
    "prompt": "Print a prompt that makes a language model write a seeds file; nothing is sent anywhere.",
    "read": "Find the seeds in the answer of a language model, check them, and write a seeds file.",
    "rename": "Give a category a new name; answers with the old name count for it.",
    "merge": "Make several categories one; answers with any of their names count for it.",
    "split": "Make several categories of one; answers with its name rest until somebody decides.",
    "remove": "Remove a category; answers with its name rest, and are kept.",
}
# Where a command is in `seedtopic.cli`, if not in a module and a function of its name.
PLACES = {
    "fit": "fit:fit_command",
    "update": "fit:update",
    "predict": "label:predict",
    "agreement": "agreement:agreement_command",
    "next": "next:next_command",
    **{name: f"seeds:{name}" for name in ("check", "suggest", "prompt", "read")},
    **{name: f"names:{name}" for name in ("rename", "merge", "split", "remove")},
}


class Deferred(typer.core.TyperCommand):
    """A command as the list of commands shows it: its name and first sentence."""

    @cached_property
    def whole(self) -> Any:
        """The command with its options and all of its help."""
        from seedtopic.cli.console import guarded
        from seedtopic.cli.options import expand_groups

        name = str(self.name)
        if name in COMMANDS or name in SEEDS_COMMANDS:
            module, _, function_name = PLACES.get(name, f"{name}:{name}").partition(":")
            function = getattr(import_module(f"seedtopic.cli.{module}"), function_name)
        else:
            function = plugin("commands", name, LAB_COMMANDS)
        alone = typer.Typer(add_completion=False)
        alone.command(self.name)(guarded(expand_groups(function)))
        return typer.main.get_command(alone)

    def make_context(self, *arguments: Any, **options: Any) -> Any:
        """Call the whole command in its place."""
        try:
            whole = self.whole
        except MissingExtraError as error:
            from seedtopic.cli.console import WRONG_INPUT, note

            note(str(error))
            raise typer.Exit(WRONG_INPUT) from None
        return whole.make_context(*arguments, **options)


class Commands(typer.core.TyperGroup):
    """The commands, and those that other distributions add, which are looked for when they are needed."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Name all commands, as --help lists them."""
        return [*super().list_commands(ctx), *plugins("commands")]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Find a command by its name."""
        if cmd_name in self.commands:
            return self.commands[cmd_name]
        place = plugins("commands").get(cmd_name, "")
        if not place and cmd_name not in LAB_COMMANDS:
            return None
        package = place.partition(":")[0].partition(".")[0]
        return Deferred(cmd_name, help=LAB_COMMANDS.get(cmd_name, f"A command of the package {package}."))


app = typer.Typer(
    name="seedtopic",
    cls=Commands,
    help="Label documents from a few seed words per category: no labels, no GPU, no API key.",
    epilog="Exit codes: 0 success, 2 wrong input, 3 success but something could not be used and is named, "
    "1 any other failure.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
seeds_app = typer.Typer(name="seeds", help="Check and improve seed words.", no_args_is_help=True)
for group, commands in ((app, COMMANDS), (seeds_app, SEEDS_COMMANDS)):
    for name, sentence in commands.items():
        group.command(name, cls=Deferred, help=sentence)(lambda: None)
app.add_typer(seeds_app, name="seeds")


def _show_version(asked: bool) -> None:
    if asked:
        from seedtopic.learning.topics.kernels import resolve_kernel
        from seedtopic.text.tally import c_counter_is_built

        kernel, counter = resolve_kernel("auto"), "c" if c_counter_is_built() else "python"
        typer.echo(f"seedtopic {__version__} (E-step kernel: {kernel}, word counter: {counter})")
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
