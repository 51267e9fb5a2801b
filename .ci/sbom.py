"""Complete and check the software bill of materials of a release: ``python .ci/sbom.py FILE``.

cyclonedx-py lists the packages of an environment. Here the word vectors are added, which are shipped with the
package, and the list is compared with what ``pyproject.toml`` requires.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
VECTORS = ROOT / "src/seedtopic/knowledge/english.npy"


def main(file: Path) -> None:
    """Stop with a sentence where the list is not complete."""
    listed = json.loads(file.read_text(encoding="utf-8"))
    known = {part["name"].lower().replace("_", "-"): part for part in listed["components"]}
    root = listed["metadata"]["component"]
    if (root["name"], root["version"]) != (PROJECT["name"], PROJECT["version"]):
        sys.exit(f"{file} describes {root['name']} {root['version']}")
    missing = required() - set(known)
    if missing:
        sys.exit(f"{file} lacks {', '.join(sorted(missing))}")
    unversioned = [name for name, part in known.items() if not part.get("version")]
    if unversioned:
        sys.exit(f"{file} has no version of {', '.join(unversioned)}")
    if not any(part["bom-ref"] == VECTORS.name for part in listed["components"]):
        listed["components"].append(word_vectors())
    file.write_text(json.dumps(listed, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    print(f"{file} lists {len(listed['components'])} components")  # noqa: T201


def required() -> set[str]:
    """Name the packages that the package and all of its extras for users require."""
    extras = PROJECT["optional-dependencies"]
    wanted = re.findall(r"[a-z]+", extras["all"][0].partition("[")[2])
    texts = PROJECT["dependencies"] + [text for extra in wanted for text in extras[extra]]
    return {re.match(r"[A-Za-z0-9_-]+", text)[0].lower() for text in texts}  # type: ignore[index]


def word_vectors() -> dict[str, Any]:
    """Describe the table of word vectors, which is not a package."""
    return {
        "bom-ref": VECTORS.name,
        "type": "data",
        "name": "English word vectors",
        "description": "shipped as seedtopic/knowledge/english.npy; NOTICE.md beside it names the sources",
        "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(VECTORS.read_bytes()).hexdigest()}],
        "licenses": [{"license": {"id": "Apache-2.0"}}, {"license": {"id": "PDDL-1.0"}}],
    }


if __name__ == "__main__":
    main(Path(sys.argv[1]))
