"""The rivals of seedtopic's models, the corpora of the papers, and the experiments on them."""

from __future__ import annotations

__version__ = "0.1.0"
