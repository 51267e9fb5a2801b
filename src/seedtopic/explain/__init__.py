"""Why a document has its label."""

from __future__ import annotations

from seedtopic.explain.evidence import Evidence, explain, log_odds_of_sums, word_shares
from seedtopic.explain.explanation import Explanation, WordShare

__all__ = ["Evidence", "Explanation", "WordShare", "explain", "log_odds_of_sums", "word_shares"]
