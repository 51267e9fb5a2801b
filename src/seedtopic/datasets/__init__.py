"""The texts that `seedtopic demo` labels, which need no download."""

from __future__ import annotations

from seedtopic.datasets.dataset import Dataset
from seedtopic.datasets.docstrings import docstring_seeds, load_docstrings

__all__ = ["Dataset", "docstring_seeds", "load_docstrings"]
