"""The table that ``seedtopic shares`` prints."""

from __future__ import annotations

from rich.console import Group, RenderableType

from seedtopic.cli.console import printable
from seedtopic.cli.tables import estimate_cells, table_of
from seedtopic.quality.shares import Shares


def share_table(found: Shares) -> Group:
    """Lay out the shares of the categories, in all documents and in each group.

    Examples
    --------
    >>> import numpy as np
    >>> from seedtopic.cli.console import laid_out
    >>> from seedtopic.quality.shares import estimate_shares, grouped
    >>> labels, sure = np.array([0] * 60 + [1] * 40), np.array([[0.9, 0.1]] * 60 + [[0.2, 0.8]] * 40)
    >>> found = estimate_shares(["oil", "gold"], labels, sure, [grouped(["a"] * 99 + [""], "site")])
    >>> print(laid_out(share_table(found)))
    site        category  documents  labelled   share    interval
    (all)       oil             100        60   60.0%  43.1–79.6%
                gold                       40   40.0%  20.4–56.9%
    a           oil              99        60   60.6%  43.6–80.0%
                gold                       39   39.4%  20.0–56.4%
    (no value)  oil               1         0    0.0%  0.0–100.0%
                gold                        1  100.0%  0.0–100.0%
    <BLANKLINE>
    The intervals are of 95 %; seedtopic audit makes the shares surer.
    """
    tables: list[RenderableType] = []
    for column, groups in [(part.column, part.groups) for part in found.by] or [("", [])]:
        numbers = ("documents", "labelled", "share", "interval")
        table = table_of(printable(column), "category", numbers=numbers)
        for group in (found.all, *groups):
            for place, share in enumerate(group.shares):
                shown = (printable(group.name), f"{group.documents:,}") if place == 0 else ("", "")
                value, interval = estimate_cells(share.share)
                table.add_row(
                    shown[0], printable(share.category), shown[1], f"{share.labelled:,}", value, interval
                )
        tables += [table, ""]
    based = (
        "seedtopic audit makes the shares surer"
        if found.checked is None
        else f"the shares are corrected by {found.checked:,} checked documents"
    )
    return Group(*tables, f"The intervals are of 95 %; {based}.")
