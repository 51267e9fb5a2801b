"""Corpora with known labels, and the seed words published for them.

They are read from the folder named by the environment variable SEEDTOPIC_DATA, else from the cache
(SEEDTOPIC_CACHE, or ~/.cache/seedtopic), else downloaded from their original addresses, checked, and cached.
"""

from __future__ import annotations

from seedtopic.cli.demo import Dataset
from seedtopic_lab.corpora.fetch import fetch_corpus
from seedtopic_lab.corpora.newsgroups20 import MAIN_GROUPS, fetch_newsgroups20, prepare_post
from seedtopic_lab.corpora.published import published_seeds
from seedtopic_lab.corpora.reuters10 import fetch_reuters10, prepare_story

__all__ = [
    "MAIN_GROUPS",
    "Dataset",
    "fetch_corpus",
    "fetch_newsgroups20",
    "fetch_reuters10",
    "prepare_post",
    "prepare_story",
    "published_seeds",
]
