"""What texts and words mean, known from outside: a sentence encoder, and tables of word vectors."""

from __future__ import annotations

from .encoder import SentenceEncoder, sentence_encoder
from .encoding import encoded, unit_rows
from .following import MOST_ENCODED, fair_sample, follow, followed, word_directions
from .formats import read_word_vectors
from .table import WordVectors, english

__all__ = [
    "MOST_ENCODED",
    "SentenceEncoder",
    "WordVectors",
    "encoded",
    "english",
    "fair_sample",
    "follow",
    "followed",
    "read_word_vectors",
    "sentence_encoder",
    "unit_rows",
    "word_directions",
]
