"""The option ``--per``: labels for the parts of documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from seedtopic.base.errors import InputError
from seedtopic.cli.console import result
from seedtopic.cli.steps import where, write_like_input
from seedtopic.cli.tables import size_table
from seedtopic.documents import Documents
from seedtopic.documents.parts import COLUMNS, part_rows
from seedtopic.models import TextClassifier
from seedtopic.text.parts import PER, Per


def checked_part(per: str | None, *, multi: bool, drift: bool = False) -> Per | None:
    """Read --per, and refuse options that are about whole documents."""
    found = next((known for known in PER if known == per), None)
    if per is not None and found is None:
        raise InputError(f"--per is {per!r}: use {' or '.join(PER)}.")
    for option, given in (("--multi", multi), ("--drift", drift)):
        if found is not None and given:
            raise InputError(f"{option} is about whole documents: leave it out, or leave --per out.")
    return found


def label_parts(
    output: str,
    documents: Documents,
    model: TextClassifier,
    per: Per,
    min_probability: float,
    *,
    safe_cells: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Write the parts of documents with their labels, and count them."""
    counts: Counter[Any] = Counter()

    def counted() -> Iterator[dict[str, Any]]:
        for row in part_rows(documents, per, model.predict_all, model.classes_.tolist(), min_probability):
            counts[row["predicted"]] += 1
            yield row

    write_like_input(output, counted(), COLUMNS, documents, safe_cells=safe_cells)
    if output == "-":
        return
    none = model.none_of_these()
    names = [*model.classes_.tolist(), *([] if none is None else [none.label])]
    sizes = {
        "categories": {str(name): counts[name] for name in names},
        "left_empty": counts[None],
    }
    table = size_table({**sizes, "documents": counts.total()})
    table.columns[1].header = f"{per}s"
    written = f"{counts.total():,} {per}s of {len(documents):,} documents written to {where(output)}"
    values = {"documents": len(documents), "parts": counts.total(), **sizes, "output": output}
    result(table, written, values=values, as_json=as_json, quiet=quiet)
