"""The texts of the demo."""

from __future__ import annotations

import re
import warnings
from collections import Counter

from seedtopic.cli.demo import docstring_seeds, load_docstrings


def test_docstrings_are_a_corpus_of_clear_categories() -> None:
    corpus = load_docstrings()
    counts = Counter(corpus.labels)
    assert len(corpus) > 1500
    assert corpus.categories == sorted(counts)
    assert len(counts) >= 12
    assert min(counts.values()) >= 30
    assert len(set(corpus.ids)) == len(set(corpus.texts)) == len(corpus)
    assert corpus.ids == sorted(corpus.ids)
    assert 0.1 < corpus.split.count("test") / len(corpus) < 0.3
    assert set(corpus.split) == {"train", "test"}
    assert all(name.startswith(label + ".") for name, label in zip(corpus.ids, corpus.labels, strict=True))


def test_docstrings_do_not_tell_their_label() -> None:
    path = re.compile(r"\b(numpy|scipy|sklearn)\.[a-z]")
    assert [text for text in load_docstrings().texts if path.search(text) or ">>>" in text] == []


def test_docstrings_are_the_same_every_time_and_change_nothing_global() -> None:
    before = list(warnings.filters)
    assert load_docstrings() == load_docstrings()
    assert list(warnings.filters) == before


def test_docstring_seeds_fit_the_corpus() -> None:
    corpus, seeds = load_docstrings(), docstring_seeds()
    words = set(re.findall(r"[a-z0-9]+", " ".join(corpus.texts).lower()))
    assert sorted(seeds) == corpus.categories
    assert all(3 <= len(listed) <= 6 for listed in seeds.values())
    assert {word for listed in seeds.values() for word in listed} <= words
