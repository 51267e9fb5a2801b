"""Pages made from the code, in reference/generated: written before the build reads its sources."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


def write_pages(folder: Path, pages: Mapping[str, str]) -> None:
    """Write pages into a folder that holds nothing else; those that have not changed are left alone."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        if old.name not in pages:
            old.unlink()
    for name, content in pages.items():
        page = folder / name
        if not page.is_file() or page.read_text(encoding="utf-8") != content:
            page.write_text(content, encoding="utf-8")
