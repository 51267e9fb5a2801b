"""What words mean, known from outside: tables of word vectors, one of them shipped with the package."""

from __future__ import annotations

from .formats import read_word_vectors
from .table import WordVectors, english

__all__ = ["WordVectors", "english", "read_word_vectors"]
