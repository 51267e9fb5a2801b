"""Corpora with known labels, and the seed words published for them.

`load_docstrings` needs no download. The others are read from the folder named by the environment
variable SEEDTOPIC_DATA, else from the cache (SEEDTOPIC_CACHE, or ~/.cache/seedtopic), else downloaded from
their original addresses, checked, and cached.
"""

from __future__ import annotations

from .corpora import fetch_corpus
from .dataset import Dataset
from .docstrings import docstring_seeds, load_docstrings
from .newsgroups20 import MAIN_GROUPS, fetch_newsgroups20, prepare_post
from .published import published_seeds
from .reuters10 import fetch_reuters10, prepare_story

__all__ = [
    "MAIN_GROUPS",
    "Dataset",
    "docstring_seeds",
    "fetch_corpus",
    "fetch_newsgroups20",
    "fetch_reuters10",
    "load_docstrings",
    "prepare_post",
    "prepare_story",
    "published_seeds",
]
