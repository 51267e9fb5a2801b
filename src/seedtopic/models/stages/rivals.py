"""What a document may be if its label is wrong, by the views that the label was not learned from."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from seedtopic.models.stages.first_guess import FirstGuess
from seedtopic.models.stages.word_space import DocumentView

Array = NDArray[np.float64]

# Chosen on the train parts of five collections with two seed lists each, amid a wide range of values that do
# as well. Of the five largest true confusions of each, 26 of 50 are among the five most expected there, and
# 16 by the probabilities alone; in the test parts 27 and 20.
SAY_OF_GUESS = 0.3  # of its log-probabilities
SAY_OF_NAMES = 6.0  # of the cosine to a category's name
LEAST_PROBABILITY = 1e-12


def shared_among_rivals(posterior: Array, documents: DocumentView, guess: FirstGuess) -> Array:
    """Share the probability that a label is wrong among the other categories; that of the label stays.

    The model has made up its mind, so its own second choice says little of its mistakes: the first guess and
    the names of the categories say more.
    """
    if posterior.shape[1] == 1:
        return posterior
    log_shares = SAY_OF_GUESS * np.log(np.maximum(guess.guess(documents), LEAST_PROBABILITY))
    if documents.near_names is not None:
        log_shares = log_shares + SAY_OF_NAMES * documents.near_names
    is_label = np.arange(posterior.shape[1]) == posterior.argmax(axis=1)[:, None]
    shares = softmax(np.where(is_label, -np.inf, log_shares), axis=1)
    probability = posterior.max(axis=1, keepdims=True)
    return np.asarray(np.where(is_label, probability, (1.0 - probability) * shares))
