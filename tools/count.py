"""Count the lines, files and root names of src/seedtopic, and what is left of names that are to go.

python tools/count.py --most-lines 36500 --most-files 215 --most-names 17

exits 1 and says why if there is more. Lines include docstrings and blank ones; a name at the root is a file
or a folder with Python files in it.
"""

from __future__ import annotations

import argparse
import io
import keyword
import tokenize
from collections import Counter
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "seedtopic"
RETIRED = """found counted said told kept wanted heard Extras NoneOfThese Labelable Totals Seen Noticed Read
Labelled Taught _taught Block Fit FitResult DocumentResults NewDocuments DocumentView NOT_YET OnWorkers
instead rivals outsiders suspects borne_out _become _itself"""


def identifiers(path: Path) -> Counter[str]:
    """Return how often each identifier stands in a file, outside comments and strings."""
    tokens = tokenize.generate_tokens(io.StringIO(path.read_text(encoding="utf-8")).readline)
    names = (token.string for token in tokens if token.type == tokenize.NAME)
    return Counter(name for name in names if not keyword.iskeyword(name))


def main() -> None:
    """Print a table of rooms, and of retired names that are left."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    for quantity in ("lines", "files", "names"):
        parser.add_argument(
            f"--most-{quantity}", type=int, metavar="N", help=f"exit 1 if there are more {quantity}"
        )
    limits = parser.parse_args()
    lines: Counter[str] = Counter()
    files: Counter[str] = Counter()
    used: Counter[str] = Counter()
    for path in sorted(SOURCE.rglob("*.py")):
        room = path.relative_to(SOURCE).parts[0]
        lines[room] += len(path.read_text(encoding="utf-8").splitlines())
        files[room] += 1
        used += identifiers(path)
    print(f"{'lines':>7} {'files':>5}  room")
    for room, count in lines.most_common():
        print(f"{count:7,} {files[room]:5}  {room}")
    counts = {"lines": lines.total(), "files": files.total(), "names": len(lines)}
    print(f"{counts['lines']:7,} {counts['files']:5}  in sum, with {counts['names']} names at the root")
    left = [f"{name} {used[name]}" for name in RETIRED.split() if used[name]]
    print("Retired names that are left:", ", ".join(left) or "none")
    beyond = [
        f"{count:,} {quantity}, {count - most:,} more than the {most:,} allowed"
        for quantity, count in counts.items()
        if (most := getattr(limits, f"most_{quantity}")) is not None and count > most
    ]
    if beyond:
        raise SystemExit(f"src/seedtopic is too large: it has {'; '.join(beyond)}.")


if __name__ == "__main__":
    main()
