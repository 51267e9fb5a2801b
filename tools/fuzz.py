"""Look for inputs that are neither read nor refused in one sentence, led by the lines of code they reach.

``python tools/fuzz.py --minutes 10`` shares the time among all targets of ``tests/fuzz_targets.py``. Inputs
that reach new lines are kept from one search to the next; an input that breaks something is written to
``build/fuzz/found`` and ends the search in its target. ``--shrink`` writes the smallest inputs that reach
all known lines to the corpus of the tests.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
KEPT, FOUND = ROOT / "build/fuzz/corpus", ROOT / "build/fuzz/found"
CORPUS = ROOT / "tests/fuzz_corpus"
LONGEST = 4096  # bytes of an input
MOST, LARGEST = 30, 1500  # inputs of a target in the repository, and bytes of one of them
VALUES: tuple[Any, ...] = (
    None, True, 0, -1, 2**31, 2**63, 1e308, 0.5, "", "a", "\0", "\ud800", "a b",
    [], {}, [[]], {"a": []}, ["a", "b"],
)  # fmt: skip
SECONDS, MEGABYTES = 20, 2500  # that one input may take


def main() -> None:
    """Search in all targets, or in those that are named."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--minutes", type=float, default=5.0)
    options.add_argument("--shrink", action="store_true", help="write a small corpus for the tests, and stop")
    options.add_argument("--inside", metavar="TARGET", help=argparse.SUPPRESS)
    options.add_argument("targets", nargs="*")
    asked, rest = options.parse_known_args()
    if asked.inside:
        search(asked.inside, rest + asked.targets)
        return
    names = asked.targets or target_names()
    broken = [name for name in names if not run(name, asked.minutes * 60 / len(names), asked.shrink)]
    if broken:
        sys.exit(f"found something in {', '.join(broken)}: see {FOUND}")


def target_names() -> list[str]:
    """Read the names of the targets without importing the package."""
    source = (ROOT / "tests/fuzz_targets.py").read_text(encoding="utf-8")
    listed = re.search(r"for target in \((.*?)\)", source, re.S)
    assert listed is not None
    return re.findall(r"\w+", listed[1])


def run(name: str, seconds: float, shrink: bool) -> bool:
    """Search in one target, in a process of its own; tell whether all inputs were read or refused."""
    kept, found = KEPT / name, FOUND / name
    for folder in (kept, found, CORPUS / name):
        folder.mkdir(parents=True, exist_ok=True)
    limits = [f"-max_len={LONGEST}", f"-timeout={SECONDS}", f"-rss_limit_mb={MEGABYTES}"]
    inside = [sys.executable, __file__, "--inside", name, f"-artifact_prefix={found}/", *limits]
    if shrink:
        small = KEPT / f"{name}.small"
        shutil.rmtree(small, ignore_errors=True)
        small.mkdir()
        inside += ["-merge=1", str(small), str(CORPUS / name), str(kept)]
    else:
        inside += [
            f"-max_total_time={max(int(seconds), 1)}",
            "-print_final_stats=1",
            str(kept),
            str(CORPUS / name),
        ]
    done = subprocess.run(inside, cwd=ROOT, capture_output=True, text=True, errors="replace", check=False)
    said = done.stdout + done.stderr
    if shrink:
        keep_few(small, CORPUS / name)
    runs = re.search(r"number_of_executed_units: (\d+)", said)
    lines = re.findall(r"cov: (\d+)", said)
    print(f"{name:14} {runs[1] if runs else '-':>9} runs {lines[-1] if lines else '-':>6} edges", flush=True)
    if done.returncode:
        print(said[-3000:], flush=True)
    return done.returncode == 0


def keep_few(small: Path, corpus: Path) -> None:
    """Replace a corpus by some inputs of another, of all lengths up to a limit; what was broken stays."""
    for path in corpus.iterdir():
        if not path.name.startswith("found-"):
            path.unlink()
    contents = sorted((path.read_bytes() for path in small.iterdir()), key=lambda found: (len(found), found))
    short = [content for content in contents if len(content) <= LARGEST] or contents[:1]
    for content in short[:: -(-len(short) // MOST)]:
        (corpus / hashlib.sha256(content).hexdigest()[:12]).write_bytes(content)


def search(name: str, flags: list[str]) -> None:
    """Have atheris try inputs, until its time is over."""
    import atheris

    sys.path.insert(0, str(ROOT / "tests"))
    with atheris.instrument_imports(["seedtopic", "tomlkit"]):
        import fuzz_targets
    for number, content in enumerate(fuzz_targets.examples(name)):
        (KEPT / name / f"example-{number}").write_bytes(content)
    atheris.Setup([sys.argv[0], *flags], fuzz_targets.TARGETS[name], custom_mutator=mutated)
    atheris.Fuzz()


def mutated(data: bytes, most: int, seed: int) -> bytes:
    """Change the values of JSON, half of the time where the bytes are JSON, or else the bytes."""
    import atheris

    rng = random.Random(seed)
    start = data[:1] if data[:1] < b" " else b""  # which says what the rest is
    try:
        values = json.loads(data[len(start) :]) if rng.random() < 0.5 else None
        places = list(places_in([values]))
        for _ in range(rng.choice((1, 1, 2, 4))):
            holder, key = rng.choice(places)
            other, there = rng.choice(places)
            holder[key] = rng.choice((other[there], *VALUES))
        changed = start + json.dumps(values, ensure_ascii=rng.random() < 0.5).encode("utf-8", "surrogatepass")
    except (ValueError, LookupError, TypeError, RecursionError):
        changed = b""
    return changed if 4 < len(changed) <= most else bytes(atheris.Mutate(data, most))


def places_in(value: Any) -> Iterator[tuple[Any, Any]]:
    """Give all places of values: the list or table, and the number or name in it."""
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield value, key
            yield from places_in(inner)


if __name__ == "__main__":
    main()
