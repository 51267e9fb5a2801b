"""Draw docs/demo.svg: what ``seedtopic demo`` prints, as a picture of a terminal."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.text import Text


def main() -> None:
    """Run the demo and write the picture next to this file."""
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "seedtopic", "demo", "-o", "labels.csv"]
        printed = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout
    shown = re.sub(r"(written to ).*/", r"\1", printed)
    console = Console(record=True, width=84, file=open("/dev/null", "w"))  # noqa: SIM115 - lives as long as we
    console.print(Text("$ seedtopic demo", style="bold"))
    console.print(Text(shown.rstrip()))
    picture = console.export_svg(title="seedtopic demo")
    # The page must not fetch fonts from anywhere.
    picture = re.sub(r"@font-face\s*\{.*?\}", "", picture, flags=re.S)
    Path(__file__).with_name("demo.svg").write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
