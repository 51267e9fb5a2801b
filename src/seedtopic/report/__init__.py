"""A report on labelled documents: one content, written as HTML, Markdown or JSON."""

from seedtopic.report.content import Report, check_report_output

__all__ = ["Report", "check_report_output"]
