"""Texts counted for advice about seeds: their words, and the matches of the seeds' rules."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from seedtopic.base.memory import MaxMemory
from seedtopic.base.threads import resolve_threads
from seedtopic.seeds import Seeds
from seedtopic.text.counts import Counts, MinDf, count_words
from seedtopic.text.rules import counted_with_rules
from seedtopic.text.tokens import StopWords, Tokenizer, stop_word_set, tokenize


def counted(
    seeds: Seeds,
    texts: Iterable[Any],
    *,
    tokenizer: Tokenizer | None = None,
    stop_words: StopWords = "english",
    min_df: MinDf = "auto",
    n_threads: int | None = None,
    max_memory: MaxMemory = None,
) -> Counts:
    """Count texts as a fit with these seeds would."""
    return counted_with_rules(
        seeds.all_rules,
        texts,
        lambda plain: count_words(
            tokenize(plain, tokenizer, seeds.counted),
            min_df=min_df,
            stop_words=stop_word_set(stop_words),
            keep=seeds.counted,
            n_workers=resolve_threads(n_threads),
            max_memory=max_memory,
        ),
    )
