"""How the model was fitted: its objective and its settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from seedtopic.html.escaping import escape
from seedtopic.report import charts, elements
from seedtopic.report import markdown_elements as markdown
from seedtopic.report.sections.section import Section

if TYPE_CHECKING:
    from seedtopic.report.content import Report

_HEAD = ("setting", "value")


def _objective_html(report: Report) -> str:
    return charts.curve(report.objective) if report.objective else f"<p>{escape(_no_objective(report))}</p>"


def _objective_markdown(report: Report) -> list[str]:
    return [", ".join(f"{value:.1f}" for value in report.objective) or _no_objective(report), ""]


def _no_objective(report: Report) -> str:
    if report.model == "SeedTopicClassifier":
        return "SeedTopicClassifier has no single objective: its steps have different ones."
    return f"This {report.model} has not recorded its objective."


def _settings_html(report: Report) -> str:
    rows = [map(escape, pair) for pair in report.settings.items()]
    made_by = f"<p>{escape(report.model)}, seedtopic {escape(report.version)}.</p>"
    return f"{elements.table(_HEAD, rows, ('', ''))}\n{made_by}"


def _settings_markdown(report: Report) -> list[str]:
    made_by = f"{report.model}, seedtopic {report.version}."
    return [*markdown.table(_HEAD, report.settings.items()), made_by, ""]


OBJECTIVE = Section("objective", "Objective", _objective_html, _objective_markdown)
SETTINGS = Section("settings", "Settings", _settings_html, _settings_markdown)
