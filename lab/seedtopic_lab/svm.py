"""The supervised yardstick: TF-IDF and a linear support vector machine, as one scikit-learn pipeline."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from typing import Any

from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import Pipeline
from sklearn.svm import LinearSVC

from seedtopic.text.tokens import StopWords, Tokenizer, stop_word_set, words


def kept_words(text: str, *, tokenizer: Tokenizer, stop_words: Collection[str]) -> list[str]:
    """Split a text into its words, without stop words.

    Parameters
    ----------
    text : str
    tokenizer : callable
    stop_words : collection of str

    Examples
    --------
    >>> kept_words("The price of gold", tokenizer=words, stop_words={"the", "of"})
    ['price', 'gold']
    """
    return [word for word in tokenizer(text) if word not in stop_words]


def linear_svm_pipeline(
    *,
    tokenizer: Tokenizer = words,
    stop_words: StopWords = "english",
    min_df: int = 5,
    **svm: Any,
) -> Pipeline:
    """Make a pipeline from texts to labels that is SUPERVISED: it learns from labelled documents.

    Words become raw counts times a smoothed inverse document frequency, rows of unit length; a linear support
    vector machine separates each class from the rest. Vocabulary and frequencies are learned from the
    documents given to `fit` alone. "scikit-learn, default parameters", as the papers say, could also mean
    an SVC with its RBF kernel; `LinearSVC` is what the published scores fit and what is usual for text.

    Parameters
    ----------
    tokenizer : callable
        Takes a text, gives its tokens; the words that all models of this package see when left out.
    stop_words : "english", collection of str, or None
        Words that are dropped.
    min_df : int
        Words in fewer documents are dropped.
    **svm
        Passed on to `sklearn.svm.LinearSVC`, whose defaults (C=1, squared hinge) hold otherwise.

    Returns
    -------
    Pipeline
        With the steps "tfidf" and "svm", not fitted.

    References
    ----------
    T. Joachims. Text categorization with support vector machines: learning with many relevant features.
    ECML, 1998.

    Examples
    --------
    >>> texts = ["the team won the game", "a goal in the game", "the bank cut its rate", "rate of the bank"]
    >>> pipeline = linear_svm_pipeline(min_df=1).fit(texts, ["sports", "sports", "money", "money"])
    >>> pipeline.predict(["which rate?", "what a goal"]).tolist()
    ['money', 'sports']
    """
    analyzer = partial(kept_words, tokenizer=tokenizer, stop_words=stop_word_set(stop_words))
    return Pipeline([("tfidf", TfidfVectorizer(analyzer=analyzer, min_df=min_df)), ("svm", LinearSVC(**svm))])
