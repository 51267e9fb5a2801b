"""The sections of a report, in their order. To add one, write a file beside the others and name it here."""

from seedtopic.report.sections.categories import CATEGORIES
from seedtopic.report.sections.confidence import CONFIDENCE
from seedtopic.report.sections.confusions import CONFUSIONS
from seedtopic.report.sections.document_map import DOCUMENT_MAP
from seedtopic.report.sections.documents import LEAST_CERTAIN, MOST_CERTAIN
from seedtopic.report.sections.scores import SCORES
from seedtopic.report.sections.section import Section
from seedtopic.report.sections.seeds import SEEDS
from seedtopic.report.sections.settings import SETTINGS
from seedtopic.report.sections.shares import SHARES

SECTIONS: tuple[Section, ...] = (
    CATEGORIES,
    SHARES,
    LEAST_CERTAIN,
    MOST_CERTAIN,
    CONFUSIONS,
    SCORES,
    SEEDS,
    DOCUMENT_MAP,
    CONFIDENCE,
    SETTINGS,
)

__all__ = ["SECTIONS", "Section"]
