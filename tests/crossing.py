"""Cross options: few combinations in which every two values, or every three, that go together meet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations, product

Chosen = tuple[str, str]  # an option and its value


def crossed(
    options: Mapping[str, Sequence[str]], clashes: Collection[frozenset[Chosen]] = (), *, together: int = 2
) -> list[dict[str, str]]:
    """Give combinations in which every `together` values of different options occur, without any clash.

    Each combination begins with values that have not met yet, and takes for every other option the value that
    adds most such meetings. Each option needs a value that clashes with none.

    Examples
    --------
    >>> options = {"model": ("own", "other"), "form": ("list", "matrix"), "several": ("no", "yes")}
    >>> clash = frozenset({("model", "other"), ("several", "yes")})
    >>> for row in crossed(options, [clash]):
    ...     print(*row.values())
    own list no
    other list no
    own matrix yes
    other matrix no
    own list yes
    """

    def fits(value: Chosen, row: Collection[Chosen]) -> bool:
        return not any(frozenset({value, other}) in clashes for other in row)

    missing = dict.fromkeys(
        meeting for meeting in _meetings(options, together) if all(fits(value, meeting) for value in meeting)
    )
    used: Counter[Chosen] = Counter()
    rows = []
    while missing:
        row = set(next(iter(missing)))
        for option in sorted(options, key=lambda name: -len(options[name])):
            if option in dict(row):
                continue
            values = [(option, value) for value in options[option] if fits((option, value), row)]
            row.add(max(values, key=lambda value: (_new(row, value, missing, together), -used[value])))
        used.update(row)
        for meeting in combinations(sorted(row), together):
            missing.pop(meeting, None)
        rows.append({option: dict(row)[option] for option in options})
    return rows


def _meetings(options: Mapping[str, Sequence[str]], together: int) -> Iterator[tuple[Chosen, ...]]:
    """Give all that may meet, each meeting sorted."""
    for names in combinations(sorted(options), together):
        yield from product(*([(name, value) for value in options[name]] for name in names))


def _new(
    row: Collection[Chosen], value: Chosen, missing: Collection[tuple[Chosen, ...]], together: int
) -> int:
    """Count the meetings that a value would add to a row."""
    return sum(tuple(sorted((*others, value))) in missing for others in combinations(row, together - 1))
