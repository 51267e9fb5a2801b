"""Scores as a table for the terminal."""

from __future__ import annotations

from seedtopic.cli.console import printable
from seedtopic.evaluate import Scores


def score_table(scores: Scores) -> str:
    """Lay out the scores of each category and of all together.

    Examples
    --------
    >>> from seedtopic.evaluate import evaluate
    >>> print(score_table(evaluate(["oil", "gold"], ["oil", "oil"], ["oil", "gold"])))
    category  precision  recall     f1  documents
    oil            .500   1.000   .667          1
    gold           .000    .000   .000          1
    <BLANKLINE>
    micro-F1 .500   macro-F1 .333
    """
    names = [printable(row.category) for row in scores.categories]
    width = max(len("category"), *map(len, names))
    lines = [f"{'category':<{width}}  precision  recall     f1  documents"]
    lines += [
        f"{name:<{width}}  {_short(row.precision):>9}  {_short(row.recall):>6}  {_short(row.f1):>5}"
        f"  {row.support:>9,}"
        for name, row in zip(names, scores.categories, strict=True)
    ]
    lines += ["", f"micro-F1 {_short(scores.micro_f1)}   macro-F1 {_short(scores.macro_f1)}"]
    return "\n".join(lines)


def _short(value: float) -> str:
    """Three decimals without the leading zero, as scores are printed in papers."""
    return f"{value:.3f}".removeprefix("0") if value < 1 else f"{value:.3f}"
