"""The pages work without a network: a build that would load anything from elsewhere fails."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the tests read this, where Sphinx need not be
    from sphinx.application import Sphinx

ELSEWHERE = r"((?:https?:)?//[^\"')\s]+)"
LOADED = {
    ".html": re.compile(rf"<(?!a\s)\w+\s[^>]*?(?:src|href|srcset|data)=[\"']{ELSEWHERE}"),
    ".css": re.compile(rf"(?:url\(|@import\s)\s*[\"']?{ELSEWHERE}"),
    ".svg": re.compile(rf"(?:url\(|href=|src=)\s*[\"']?{ELSEWHERE}"),
}


def loaded_from_elsewhere(folder: Path) -> Iterator[str]:
    """Give what the files of a folder would load over the network, with the file."""
    for file in sorted(folder.rglob("*")):
        if file.suffix in LOADED:
            for address in LOADED[file.suffix].findall(file.read_text(encoding="utf-8")):
                yield f"{file.relative_to(folder)} loads {address}"


def check(app: Sphinx, exception: Exception | None) -> None:
    """Look at the finished pages."""
    from sphinx.errors import ExtensionError

    found = [] if exception else list(loaded_from_elsewhere(Path(app.outdir)))
    if found:
        raise ExtensionError("; ".join(found[:5]))


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx when to look."""
    app.connect("build-finished", check)
    return {"parallel_read_safe": True}
