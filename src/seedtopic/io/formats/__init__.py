"""File formats by file ending."""

from __future__ import annotations

from typing import Any

from seedtopic.base.errors import MissingExtraError

TEXT_FORMATS = ("jsonl", "csv", "tsv", "txt")
DELIMITERS = {"csv": ",", "tsv": "\t"}
WORKBOOKS = ("xlsx", "xlsm")  # spreadsheets that can be read; the first can be written
OTHER_WORKBOOKS = ("xls", "xlsb", "ods", "numbers")  # which a spreadsheet program can save as .xlsx


def import_parquet(feature: str) -> tuple[Any, Any]:
    """Import ``pyarrow`` and ``pyarrow.parquet``, or say which extra `feature` needs."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtraError(feature, "pyarrow", "parquet") from None
    return pyarrow, pyarrow.parquet


def import_openpyxl(feature: str) -> Any:
    """Import ``openpyxl``, or say which extra `feature` needs."""
    try:
        import openpyxl
    except ImportError:
        raise MissingExtraError(feature, "openpyxl", "excel") from None
    return openpyxl


def import_xlsxwriter(feature: str) -> Any:
    """Import ``xlsxwriter``, or say which extra `feature` needs."""
    try:
        import xlsxwriter
    except ImportError:
        raise MissingExtraError(feature, "XlsxWriter", "excel") from None
    return xlsxwriter
