"""Check the lexicon of category names, src/seedtopic/knowledge/lexicon, and count what it holds.

python tools/lexicon.py --most-entries 35

exits 1 and says why if a line has not the form "name | name: word, word", if names or words are repeated or
out of order, if an entry has too few or too many words, if a word stands in more entries than allowed, or if
the files are too large. A name may stand in several files, for it has a meaning in each of their fields.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from seedtopic.knowledge.tables import english

FOLDER = Path(__file__).parents[1] / "src" / "seedtopic" / "knowledge" / "lexicon"
FEWEST, MOST = 12, 32  # words of an entry
MOST_BYTES = 600_000
SHOWN = 50
_ENTRY = re.compile(r"(?P<names>[^:|]+(?: \| [^:|]+)*): (?P<words>[^:|,]+(?:, [^:|,]+)*)")
_TERM = re.compile(r"[a-z0-9.](?:[a-z0-9 .&'+#/-]*[a-z0-9+#])?")

Entry = tuple[list[str], list[str]]


def flaws(names: list[str], words: list[str]) -> Iterator[str]:
    """Find what is wrong with one entry."""
    for term in names + words:
        if not _TERM.fullmatch(term) or "  " in term:
            yield f"{term!r} is not in plain lower case with single blanks"
    yield from (f"the word {word!r} stands there {count} times" for word, count in repeated(words))
    if not FEWEST <= len(words) <= MOST:
        yield f"{len(words)} words instead of {FEWEST} to {MOST}"
    if sorted(words, key=lambda word: " " in word) != words:
        yield "a single word stands after a phrase"


def repeated(terms: list[str]) -> list[tuple[str, int]]:
    """Return the terms that stand more than once in a list."""
    return [(term, count) for term, count in Counter(terms).items() if count > 1]


def read(path: Path, problems: list[str]) -> list[Entry]:
    """Return the entries of a file, and append what is wrong with it."""
    entries: list[Entry] = []
    section: list[str] = []
    for number, line in enumerate(path.read_text(encoding="ascii").splitlines(), 1):
        if line.startswith("# ") or not line:
            section = []
        elif match := _ENTRY.fullmatch(line):
            names, words = match["names"].split(" | "), match["words"].split(", ")
            entries.append((names, words))
            section.append(names[0])
            problems += [f"{path.name}:{number} ({names[0]}): {flaw}." for flaw in flaws(names, words)]
        else:
            problems.append(f"{path.name}:{number}: this is not 'name | name: word, word': {line[:60]}")
        problems += [
            f"{path.name}:{number}: {name!r} stands after {before!r}."
            for before, name in pairwise(section[-2:])
            if before > name
        ]
    several = repeated([name for names, _ in entries for name in names])
    problems += [f"{path.name}: the name {name!r} stands there {count} times." for name, count in several]
    return entries


def main() -> None:
    """Print a table of files, the words that most entries have, and what is wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--most-entries", type=int, default=35, metavar="N", help="exit 1 if a word stands in more"
    )
    limit = parser.parse_args().most_entries
    problems: list[str] = []
    names: Counter[str] = Counter()
    words: Counter[str] = Counter()
    n_entries = size = 0
    print(f"{'entries':>7} {'names':>6} {'bytes':>8}  file")
    for path in sorted(FOLDER.glob("*.txt")):
        entries = read(path, problems)
        own = [name for group, _ in entries for name in group]
        names.update(own)
        words.update(word for _, group in entries for word in group)
        n_entries += len(entries)
        size += path.stat().st_size
        print(f"{len(entries):7,} {len(own):6,} {path.stat().st_size:8,}  {path.name}")
    print(f"{n_entries:7,} {len(names):6,} {size:8,}  in sum")
    print(f"{words.total() / n_entries:.1f} words an entry, {names.total() / n_entries:.1f} names")
    print(f"In several files: {', '.join(name for name, count in names.items() if count > 1)}")
    single = [word for word in words if " " not in word]
    unknown = [word for word in single if word not in english()]
    print(f"{len(words):,} different words, of which {len(words) - len(single):,} are phrases")
    print(f"Not in the vectors: {len(unknown) / len(single):.1%} of the single words")
    print("In most entries:", ", ".join(f"{word} {count}" for word, count in words.most_common(SHOWN)))
    problems += [f"{word!r} stands in {count} entries." for word, count in words.items() if count > limit]
    if size > MOST_BYTES:
        problems.append(f"The files have {size:,} bytes, more than {MOST_BYTES:,}.")
    if problems:
        raise SystemExit("\n".join(problems))


if __name__ == "__main__":
    main()
