"""Print, as constraints for pip, the oldest versions that the two files pyproject.toml allow."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
# What they depend on themselves, from about the same time: newer ones warn of what the old ones do.
CONTEMPORARIES = ["anyio==4.13.0", "click==8.1.8", "pyparsing==3.1.4"]


def main() -> None:
    """Read every lower bound, of extras too; PyTorch is tested in one version alone."""
    for folder in (".", "lab"):
        project = tomllib.loads((ROOT / folder / "pyproject.toml").read_text("utf-8"))["project"]
        extras = project["optional-dependencies"]
        for requirement in sum(
            (extras[name] for name in sorted(extras) if name not in ("peers", "test-tools")),
            project["dependencies"],
        ):
            bound = re.fullmatch(r"([\w-]+)(\[\w+\])?>=([\w.]+)", requirement)
            if bound and bound[1] != "torch":
                print(f"{bound[1]}=={bound[3]}")  # noqa: T201
    print("\n".join(CONTEMPORARIES))  # noqa: T201


if __name__ == "__main__":
    main()
