"""Example documents: those to check, and those that show what the model understands by a category."""

from __future__ import annotations

from seedtopic.html.escaping import escape
from seedtopic.report.examples import Example
from seedtopic.report.markdown_elements import plain
from seedtopic.report.sections.section import Section

_STYLE = """
.example { border-left: 3px solid var(--line); padding: .1em 0 .1em .8em; margin: .7em 0; max-width: 50rem; }
.example p { margin: .1em 0; }
.example .said { color: var(--quiet); font-size: .9rem; }
"""


def _example(example: Example) -> str:
    return (
        f'<div class="example"><p>{escape(example.text) or "(empty)"}</p><p class="said">'
        f"{escape(example.id)}: {escape(example.label)} {example.probability:.2f}, "
        f"{escape(example.runner_up)} {example.runner_up_probability:.2f}</p></div>"
    )


def _example_line(example: Example) -> str:
    return (
        f"- {plain(example.text) or '(empty)'} — {plain(example.id)}: {plain(example.label)} "
        f"{example.probability:.2f}, {plain(example.runner_up)} {example.runner_up_probability:.2f}"
    )


LEAST_CERTAIN = Section(
    "least-certain",
    "Least certain documents",
    lambda report: "\n".join(map(_example, report.least_certain)),
    lambda report: [*map(_example_line, report.least_certain), ""],
    _STYLE,
)
MOST_CERTAIN = Section(
    "most-certain",
    "Most certain documents of each category",
    lambda report: "\n".join(map(_example, report.most_certain)),
    lambda report: [*map(_example_line, report.most_certain), ""],
)
