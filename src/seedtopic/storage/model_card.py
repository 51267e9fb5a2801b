"""The model card: a README in the model folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedtopic.seeds.tree import Name


def model_card(
    model: str,
    classes: Sequence[Name],
    seed_words: Mapping[Name, Sequence[str]] | None,
    vocabulary: Sequence[str],
    topic_word: NDArray[Any] | None,
) -> str:
    """Return a description of a model in Markdown.

    Parameters
    ----------
    model
        The class of the model.
    classes
        Its categories.
    seed_words
        The seed words of each category; None for a model that learned from labels.
    vocabulary
        The words the model knows.
    topic_word : ndarray, shape (n_categories, n_words), optional
        How much each word belongs to each category.

    Examples
    --------
    >>> card = model_card("WSPTM", ["oil"], {"oil": ["crude"]}, ["crude", "ship"], np.array([[0.1, 0.9]]))
    >>> [line for line in card.splitlines() if "oil" in line]
    ['| oil | crude | ship, crude |']
    """
    source = "labelled documents" if seed_words is None else "unlabelled documents and the seed words below"
    lines = [
        f"# {model}",
        "",
        f"Labels each document with one of {len(classes)} categories. Learned by seedtopic "
        f"{version('seedtopic')} from {source}; {len(vocabulary):,} known words.",
        "",
        "| category | seed words | learned words |",
        "|---|---|---|",
    ]
    weights = np.empty((len(classes), 0)) if topic_word is None else topic_word
    for name, row in zip(classes, weights, strict=True):
        words = (seed_words or {}).get(name, ())
        cells = (str(name), ", ".join(words), ", ".join(_top_words(row, vocabulary)))
        lines.append("| " + " | ".join(_cell(cell) for cell in cells) + " |")
    lines += [
        "",
        "Use it with `seedtopic.load(folder).predict(texts)` or `seedtopic predict folder DOCS`.",
        "",
    ]
    return "\n".join(lines)


def _top_words(weights: NDArray[Any], vocabulary: Sequence[str], count: int = 8) -> list[str]:
    return [vocabulary[column] for column in np.argsort(-weights, kind="stable")[:count]]


def _cell(text: str) -> str:
    for mark, written in (("&", "&amp;"), ("<", "&lt;"), ("\\", "\\\\"), ("|", "\\|")):
        text = text.replace(mark, written)
    return " ".join(text.split())
