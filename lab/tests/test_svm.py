"""The supervised yardstick: what its pipeline is made of, and that it is fitted on the train part alone."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.metrics import f1_score
from sklearn.svm import LinearSVC

from seedtopic import InputError
from seedtopic.text.counts import count_known, count_words
from seedtopic.text.tokens import stop_word_set, tokenize
from seedtopic_lab.svm import linear_svm_pipeline


def test_it_is_tfidf_of_our_counts_and_a_linear_svm(toy_texts: list[str], toy_labels: list[str]) -> None:
    unseen = ["the coach and the league", "a loan of the bank", "wind wind and snow, bank"]
    pipeline = linear_svm_pipeline(min_df=4).fit(toy_texts, toy_labels)

    counts = count_words(tokenize(toy_texts), min_df=4, stop_words=stop_word_set("english"))
    tfidf = TfidfTransformer().fit(counts.matrix)
    svm = LinearSVC().fit(tfidf.transform(counts.matrix).toarray(), toy_labels)
    by_hand = svm.decision_function(tfidf.transform(count_known(tokenize(unseen), counts.vocabulary).matrix))

    assert pipeline["tfidf"].get_feature_names_out().tolist() == counts.vocabulary
    assert pipeline.decision_function(unseen) == pytest.approx(by_hand, abs=1e-4)
    assert pipeline.predict(unseen).tolist() == ["sports", "money", "weather"]


def test_the_words_are_those_of_the_package() -> None:
    texts = ["The GOLD of an_ore", "gold ore", "Gold in a ship"]
    vocabulary = linear_svm_pipeline(min_df=2).fit(texts, ["a", "a", "b"])["tfidf"].get_feature_names_out()
    assert vocabulary.tolist() == ["gold", "ore"]
    kept = linear_svm_pipeline(min_df=1, stop_words={"Gold"}).fit(texts, ["a", "a", "b"])
    assert kept["tfidf"].get_feature_names_out().tolist() == ["an", "in", "of", "ore", "ship", "the"]
    own = linear_svm_pipeline(min_df=1, stop_words=None, tokenizer=list).fit(["xy", "xz"], ["a", "b"])
    assert own["tfidf"].get_feature_names_out().tolist() == ["x", "y", "z"]


def test_settings_reach_the_svm_and_survive_cloning() -> None:
    pipeline = clone(linear_svm_pipeline(C=0.25, random_state=3))
    assert (pipeline["svm"].C, pipeline["svm"].random_state) == (0.25, 3)
    assert linear_svm_pipeline()["svm"].C == 1.0


def test_an_unknown_stop_word_list_is_named() -> None:
    with pytest.raises(InputError, match="stop_words is 'klingon'"):
        linear_svm_pipeline(stop_words="klingon")


@pytest.mark.corpora
def test_reuters_comes_out_as_published() -> None:
    from seedtopic_lab.corpora import fetch_reuters10

    data = fetch_reuters10()
    train = np.array(data.split) == "train"
    texts, labels = np.array(data.texts, dtype=object), np.array(data.labels)
    predicted = linear_svm_pipeline(random_state=0).fit(texts[train], labels[train]).predict(texts[~train])
    assert f1_score(labels[~train], predicted, average="micro") == pytest.approx(0.973, abs=0.015)
    assert f1_score(labels[~train], predicted, average="macro") == pytest.approx(0.939, abs=0.015)
