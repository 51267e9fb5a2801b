"""Check the lexicon of category names, src/seedtopic/knowledge/lexicon, and count what it holds.

python tools/lexicon.py --most-entries 40

exits 1 and says why if a line has not the form "name | name: word, word", if names or words are repeated or
out of order, if an entry has too few or too many words, or if a word stands in more entries than allowed. A
name may stand in several files, one for each of its senses.
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
MOST_KILOBYTES = 600
SHOWN = 50
_ENTRY = re.compile(r"(?P<names>[^:|]+(?: \| [^:|]+)*): (?P<words>[^:|,]+(?:, [^:|,]+)*)")
_TERM = re.compile(r"[a-z0-9.](?:[a-z0-9 .&'+#/-]*[a-z0-9+#])?")


def repeated(terms: list[str]) -> list[str]:
    """Return the terms that stand more than once in a list."""
    return [term for term, count in Counter(terms).items() if count > 1]


def flaws(names: list[str], words: list[str]) -> Iterator[str]:
    """Find what is wrong with one entry."""
    for term in names + words:
        if not _TERM.fullmatch(term) or "  " in term:
            yield f"{term!r} is not plain: lower-case ASCII, one blank between words"
    yield from (f"the word {word!r} stands there twice" for word in repeated(words))
    if not FEWEST <= len(words) <= MOST:
        yield f"{len(words)} words instead of {FEWEST} to {MOST}"
    if sorted(words, key=lambda word: " " in word) != words:
        yield "a single word stands after a phrase"


def read(path: Path, problems: list[str]) -> list[tuple[list[str], list[str]]]:
    """Return the names and words of the entries of a file, and append what is wrong with it."""
    entries: list[tuple[list[str], list[str]]] = []
    section: list[str] = []
    text = path.read_bytes().decode("ascii")
    if not text.startswith("# ") or not text.endswith("\n"):
        problems.append(f"{path.name}: it does not begin with a heading or does not end with its line")
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("# ") or not line:
            section = []
            continue
        place = f"{path.name}:{number}"
        entry = _ENTRY.fullmatch(line)
        if entry is None:
            problems.append(f"{place}: not of the form 'name | name: word, word': {line[:60]}")
            continue
        names, words = entry["names"].split(" | "), entry["words"].split(", ")
        entries.append((names, words))
        section.append(names[0])
        problems += [f"{place} ({names[0]}): {flaw}" for flaw in flaws(names, words)]
        problems += [f"{place}: {b!r} stands after {a!r}" for a, b in pairwise(section[-2:]) if a > b]
    twice = repeated([name for names, _ in entries for name in names])
    return entries if not problems.extend(f"{path.name}: the name {name!r} stands there twice" for name in twice) else []


def main() -> None:
    """Print a table of files, the words of most entries, and what is wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--most-entries", type=int, default=40, metavar="N", help="a word may stand in N entries")
    most = parser.parse_args().most_entries
    problems: list[str] = []
    known = english()
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
    print(f"{n_entries:7,} {len(names):6,} {size:8,}  in sum; {sum(count > 1 for count in names.values()):,} "
          f"names stand in several files; {words.total() / max(n_entries, 1):.1f} words an entry")
    single = [word for word in words if " " not in word]
    unknown = [word for word in single if word not in known]
    print(f"{len(words):,} different words and phrases; the vectors do not know {len(unknown) / max(len(single), 1):.1%} "
          f"of the {len(single):,} single words: {', '.join(unknown[:SHOWN])}")
    print("In most entries:", ", ".join(f"{word} {count}" for word, count in words.most_common(SHOWN)))
    problems += [f"{word!r} stands in {count} entries, more than {most}" for word, count in words.items() if count > most]
    if size > MOST_KILOBYTES * 1000:
        problems.append(f"{size:,} bytes, more than {MOST_KILOBYTES} kB")
    if problems:
        raise SystemExit("\n".join(problems))


if __name__ == "__main__":
    main()
