"""How the model was fitted: its settings and its objective."""

from __future__ import annotations

from typing import TYPE_CHECKING

from seedtopic.report import charts, elements
from seedtopic.report import markdown_elements as markdown
from seedtopic.report.findings import counted
from seedtopic.report.sections.section import Section

if TYPE_CHECKING:
    from seedtopic.report.content import Report

_COLUMNS = (elements.Column("setting", "name"), elements.Column("value"))
_OBJECTIVE = "Its objective in each iteration:"


def _html(report: Report) -> str:
    rows = [(elements.text(name), elements.text(value)) for name, value in report.settings.items()]
    objective = (
        f"{elements.note(_OBJECTIVE)}\n{charts.curve(report.objective)}"
        if report.objective
        else elements.note(_no_objective(report))
    )
    return "\n".join([elements.note(_made_by(report)), elements.table(_COLUMNS, rows, "settings"), objective])


def _markdown(report: Report) -> list[str]:
    head = [column.head for column in _COLUMNS]
    values = ", ".join(f"{value:.1f}" for value in report.objective)
    objective = f"{_OBJECTIVE} {values}." if values else _no_objective(report)
    return [_made_by(report), "", *markdown.table(head, report.settings.items()), objective, ""]


def _made_by(report: Report) -> str:
    how = "from the fit of" if report.fitted else "predicted by"
    model = f"{report.model}, seedtopic {report.version}"
    return f"The labels are {how} {model}, which knows {counted(report.words_known, 'word')}."


def _no_objective(report: Report) -> str:
    if report.model == "SeedTopicClassifier":
        return "SeedTopicClassifier has no single objective: its steps have different ones."
    return f"This {report.model} has not recorded its objective."


SETTINGS = Section("settings", "How the model was fitted", _html, _markdown)
