"""A notebook as a page of the documentation: with the outputs that are stored in it; nothing is run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # the tests read this, where Sphinx need not be
    from docutils.nodes import document
    from sphinx.application import Sphinx


def as_markdown(notebook: str) -> str:
    """Write the cells of a notebook, and what they have shown, as MyST Markdown."""
    return "\n\n".join(part for cell in json.loads(notebook)["cells"] for part in _cell(cell)) + "\n"


def _cell(cell: dict[str, Any]) -> Iterator[str]:
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        yield source
    elif cell["cell_type"] == "code":
        yield _fenced("python", source)
        for output in cell["outputs"]:
            yield _output(output)


def _output(output: dict[str, Any]) -> str:
    shown = output.get("data", {"text/plain": output.get("text", "")})
    if "text/html" in shown:
        return _fenced("{raw} html", f'<div class="shown">{"".join(shown["text/html"])}</div>')
    return _fenced("text", "".join(shown["text/plain"]))


def _fenced(language: str, content: str) -> str:
    longest = max((len(run) for run in content.split("\n") if set(run) == {"`"}), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{content.rstrip()}\n{fence}"


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx how to read notebooks."""
    from myst_parser.parsers.sphinx_ import MystParser

    class NotebookParser(MystParser):
        """Reads a notebook as Markdown."""

        supported = ("notebook",)

        def parse(self, inputstring: str, document: document) -> None:
            super().parse(as_markdown(inputstring), document)

    app.add_source_suffix(".ipynb", "notebook")
    app.add_source_parser(NotebookParser)
    return {"parallel_read_safe": True}
