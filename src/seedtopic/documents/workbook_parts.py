"""The parts of an .xlsx file that say what is in it and how cells look: all but the sheets themselves."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.sax.saxutils import escape

from seedtopic.documents.workbooks import column_letter

XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
SHEET = "documents"  # the name of a sheet for documents that were in none

_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_LONGEST_TITLE = 31

# The styles of cells by their numbers in the file. Dates have the formats that a spreadsheet program shows as
# they are written in the country of its user.
PLAIN, HEADER, DATE, DATETIME, TIME, DURATION, QUOTED = range(7)
_FORMATS = {DATE: 14, DATETIME: 22, TIME: 21, DURATION: 46}
_LOOK = 'fillId="0" borderId="0"'
_STYLES = (
    f'<styleSheet xmlns="{MAIN}"><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>'
    '<font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill '
    'patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1">'
    "<border><left/><right/><top/><bottom/><diagonal/></border></borders>"
    f'<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" {_LOOK}/></cellStyleXfs>'
    f'<cellXfs count="7"><xf numFmtId="0" fontId="0" {_LOOK} xfId="0"/>'
    f'<xf numFmtId="0" fontId="1" {_LOOK} xfId="0" applyFont="1"/>'
    + "".join(
        f'<xf numFmtId="{format}" fontId="0" {_LOOK} xfId="0" applyNumberFormat="1"/>'
        for format in _FORMATS.values()
    )
    + f'<xf numFmtId="0" fontId="0" {_LOOK} xfId="0" quotePrefix="1"/></cellXfs>'
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'
)


def fixed_parts(n_sheets: int) -> dict[str, str]:
    """Give the parts that depend on nothing but the number of sheets, by their names in the archive."""
    numbers = range(1, n_sheets + 1)
    types = "".join(
        f'<Override PartName="/xl/worksheets/sheet{number}.xml" ContentType="{_TYPE}.worksheet+xml"/>'
        for number in numbers
    )
    related = "".join(
        f'<Relationship Id="rId{number}" Type="{_OFFICE}/worksheet" Target="worksheets/sheet{number}.xml"/>'
        for number in numbers
    )
    return {
        "[Content_Types].xml": f'{XML}<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPE}.sheet.main+xml"/>{types}'
        f'<Override PartName="/xl/styles.xml" ContentType="{_TYPE}.styles+xml"/></Types>',
        "_rels/.rels": f'{XML}<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1" '
        f'Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/_rels/workbook.xml.rels": f'{XML}<Relationships xmlns="{_PACKAGE}/relationships">{related}'
        f'<Relationship Id="rId{n_sheets + 1}" Type="{_OFFICE}/styles" Target="styles.xml"/></Relationships>',
        "xl/styles.xml": XML + _STYLES,
    }


def workbook_part(titles: Sequence[str], filtered: str) -> str:
    """Name the sheets, of which only the first is shown, and its range that has a filter."""
    sheets = "".join(
        f'<sheet name="{escape(title, {chr(34): "&quot;"})}" sheetId="{number}" '
        f'state="{"visible" if number == 1 else "hidden"}" r:id="rId{number}"/>'
        for number, title in enumerate(titles, 1)
    )
    return (
        f'{XML}<workbook xmlns="{MAIN}" xmlns:r="{_OFFICE}"><bookViews><workbookView/></bookViews>'
        f'<sheets>{sheets}</sheets><definedNames><definedName name="_xlnm._FilterDatabase" localSheetId="0" '
        f'hidden="1">{quoted_title(titles[0])}!{filtered}</definedName></definedNames></workbook>'
    )


def sheet_titles(first: str | None, others: Sequence[str]) -> list[str]:
    """Make names that sheets may have, none of them twice.

    Examples
    --------
    >>> sheet_titles("news/May", ["checked"]), sheet_titles("Checked", ["checked"])
    (['news May', 'checked'], ['Checked', 'checked_'])
    """
    titles: list[str] = []
    for wanted in (first, *others):
        allowed = re.sub(r"[\[\]:*?/\\\x00-\x1f]", " ", wanted or "").strip("' ")[:_LONGEST_TITLE].rstrip()
        title = allowed or SHEET
        while title.casefold() in map(str.casefold, titles):
            title = title[: _LONGEST_TITLE - 1] + "_"
        titles.append(title)
    return titles


def quoted_title(title: str) -> str:
    """Write the name of a sheet for a formula, in XML."""
    return "'" + escape(title.replace("'", "''")) + "'"


def range_of(n_columns: int, n_rows: int) -> str:
    """Write the range of cells from the first on.

    Examples
    --------
    >>> range_of(3, 10)
    '$A$1:$C$10'
    """
    return f"$A$1:${column_letter(max(n_columns, 1) - 1)}${max(n_rows, 1)}"
