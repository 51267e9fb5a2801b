"""Draw docs/demo.svg: what ``seedtopic demo`` prints, as a picture of a terminal."""

from __future__ import annotations

import re
import subprocess
import sys
from html import unescape
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.text import Text

PICTURE = Path(__file__).with_name("demo.svg")


def main() -> None:
    """Run the demo and write the picture next to this file."""
    console = Console(record=True, width=84, file=open("/dev/null", "w"))  # noqa: SIM115 - lives as long as we
    console.print(Text("$ seedtopic demo", style="bold"))
    console.print(Text(printed()))
    picture = console.export_svg(title=title())
    # The page must not fetch fonts from anywhere.
    picture = re.sub(r"@font-face\s*\{.*?\}", "", picture, flags=re.S)
    PICTURE.write_text(picture, encoding="utf-8")


def printed() -> str:
    """Return what the demo prints."""
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "seedtopic", "demo", "-o", "labels.csv"]
        output = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout
    return re.sub(r"(written to ).*/", r"\1", output).rstrip()


def title() -> str:
    """Return the title of the picture, which names what the figures depend on."""
    packages = ("numpy", "scipy", "scikit-learn")
    return "seedtopic demo, " + ", ".join(f"{name} {version(name)}" for name in packages)


def shown() -> list[str]:
    """Return the lines of the picture, and its title among them."""
    texts = re.findall(r"<text[^>]*>(.*?)</text>", PICTURE.read_text(encoding="utf-8"))
    return [" ".join(unescape(text).split()) for text in texts]


if __name__ == "__main__":
    main()
