"""File formats by file ending."""

from __future__ import annotations

from typing import Any

from seedtopic.base.errors import import_extra

DELIMITERS = {"csv": ",", "tsv": "\t"}
WRITTEN_TEXTS = (*DELIMITERS, "jsonl")  # as they are, or compressed by gzip
TEXT_FORMATS = ("jsonl", *DELIMITERS, "txt")
PACKED = ("xlsx", "parquet")  # tables that are written and need no gzip
WORKBOOKS = ("xlsx", "xlsm")  # spreadsheets that can be read; the first can be written
OTHER_WORKBOOKS = ("xls", "xlsb", "ods", "numbers")  # which a spreadsheet program can save as .xlsx


def import_parquet(feature: str) -> tuple[Any, Any]:
    """Import ``pyarrow`` and ``pyarrow.parquet``, or say which extra `feature` needs."""
    pyarrow = import_extra("pyarrow", feature, "parquet")
    return pyarrow, import_extra("pyarrow.parquet", feature, "parquet", "pyarrow")


def import_xlsxwriter() -> Any:
    """Import ``xlsxwriter``, or say which extra writing with it needs."""
    return import_extra("xlsxwriter", "writing .xlsx files", "excel", "XlsxWriter")
