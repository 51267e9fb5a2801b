"""Why a document has its label."""

from __future__ import annotations

from seedtopic.explain.explanation import Evidence, Explanation, WordShare, explain, log_odds_of_sums

__all__ = ["Evidence", "Explanation", "WordShare", "explain", "log_odds_of_sums"]
