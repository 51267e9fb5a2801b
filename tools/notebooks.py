"""Run the notebooks of the gallery and store what they show: ``make notebooks``, or some of them by name.

Those of the corpora need SEEDTOPIC_DATA, the German one the package lists of a Debian system.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient

GALLERY = Path(__file__).parents[1] / "docs" / "gallery"
MOST_BYTES = 200_000
SECONDS = 600  # for a cell


def executed(path: Path, replaced: dict[str, str] | None = None) -> nbformat.NotebookNode:
    """Run a notebook from its first cell; some of its text may be replaced, so that it takes less time."""
    source = path.read_text(encoding="utf-8")
    for old, new in (replaced or {}).items():
        if old not in source:
            raise ValueError(f"{path} does not contain {old!r}")
        source = source.replace(old, new)
    notebook = nbformat.reads(source, as_version=4)
    client = NotebookClient(notebook, timeout=SECONDS, kernel_name="python3", resources={})
    client.execute(cwd=str(path.parent))
    return cleaned(notebook)


def cleaned(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Remove what differs from one run to the next, or from one machine to another."""
    notebook.metadata = {"language_info": {"name": "python"}, "kernelspec": notebook.metadata["kernelspec"]}
    for number, cell in enumerate(notebook.cells):
        cell["id"], cell["metadata"] = f"cell-{number}", {}
        for output in cell.get("outputs", ()):
            output.get("metadata", {}).clear()
            output.pop("transient", None)
            if "text" in output:  # a warning names the temporary file of its cell
                output["text"] = re.sub(r"\S*ipykernel_\d+/\d+\.py", "cell", output["text"])
            if "text/html" in output.get("data", {}):
                output["data"].pop("text/plain", None)  # the same once more, and long
    return notebook


def main() -> None:
    """Run notebooks, and replace them by what came out."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "names", nargs="*", help="notebooks of docs/gallery, such as tickets; all if left out"
    )
    names = parser.parse_args().names or [path.stem for path in sorted(GALLERY.glob("*.ipynb"))]
    for name in names:
        path, began = GALLERY / f"{name}.ipynb", time.monotonic()
        written = nbformat.writes(executed(path)) + "\n"
        if len(written.encode()) > MOST_BYTES:
            sys.exit(f"{path} would have {len(written.encode()):,} bytes, more than {MOST_BYTES:,}.")
        path.write_text(written, encoding="utf-8")
        print(f"{name}: {time.monotonic() - began:.0f} s, {len(written.encode()):,} bytes")


if __name__ == "__main__":
    main()
