"""Print, as constraints for pip, the oldest versions that pyproject.toml allows."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

# What they depend on themselves, from about the same time: newer ones warn of what the old ones do.
CONTEMPORARIES = ["anyio==4.13.0", "click==8.1.8", "pyparsing==3.1.4"]


def main() -> None:
    """Read every lower bound, of extras too; PyTorch is tested in one version alone."""
    with open(Path(__file__).parents[1] / "pyproject.toml", "rb") as file:
        project = tomllib.load(file)["project"]
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
