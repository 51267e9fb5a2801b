"""The contract that every seed model keeps, on a corpus whose right answer is obvious.

A test module imports all of it and has a fixture `Model` of scope "session", whose parameters are the models.
"""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer

import seedtopic
from seedtopic import InputError, SeedWarning


def short(Model: type) -> dict[str, Any]:
    """Settings that are enough for a toy corpus."""
    return {"n_sweeps" if "n_sweeps" in inspect.signature(Model).parameters else "max_iter": 10}


@pytest.fixture
def fitted(Model: Any, toy_texts: list[str], toy_seeds: dict[str, list[str]]) -> Any:
    return Model(toy_seeds, random_state=0, **short(Model)).fit(toy_texts)


def test_the_obvious_is_got_right(fitted: Any, toy_labels: list[str]) -> None:
    assert (fitted.transduction_ == np.array(toy_labels)).mean() >= 0.95
    assert fitted.predict(["league coach", "price of a share", "a cold cloud"]).tolist() == [
        "sports",
        "money",
        "weather",
    ]


def test_classes_keep_the_users_order_and_names(fitted: Any) -> None:
    assert fitted.classes_.tolist() == ["sports", "money", "weather"]


def test_rows_are_distributions(fitted: Any, toy_texts: list[str]) -> None:
    for distributions in (fitted.label_distributions_, fitted.predict_proba(toy_texts)):
        assert distributions.shape == (len(toy_texts), 3)
        assert distributions.sum(axis=1) == pytest.approx(1.0)
        assert (distributions >= 0).all()
    assert fitted.topic_word_.shape == (3, len(fitted.vocabulary_))
    assert fitted.topic_word_.sum(axis=1) == pytest.approx(1.0, abs=1e-4)


def test_save_load_predict_is_the_identity(fitted: Any, toy_texts: list[str], tmp_path: Path) -> None:
    fitted.save(tmp_path / "model")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["model"]
    assert sorted(p.name for p in (tmp_path / "model").iterdir()) == [
        "README.md",
        "arrays.npz",
        "model.json",
        "vocabulary.txt",
    ]
    again = seedtopic.load(tmp_path / "model")
    assert type(again) is type(fitted)
    new = [*toy_texts, "unheard of", ""]
    assert np.array_equal(again.predict_proba(new), fitted.predict_proba(new))
    assert np.array_equal(again.label_distributions_, fitted.label_distributions_)
    assert np.array_equal(again.transduction_, fitted.transduction_)
    assert again.seeds_ == fitted.seeds_


@settings(deadline=None, max_examples=8)
@given(order=st.permutations(range(36)))
def test_the_order_of_the_documents_changes_no_label(
    Model: type, order: list[int], toy_texts: list[str], toy_seeds: dict[str, list[str]]
) -> None:
    # Distinct documents: of two identical ones it is undefined which is which.
    texts = [f"{text} unique{position}" for position, text in enumerate(toy_texts)]
    as_given = Model(toy_seeds, random_state=0, **short(Model)).fit(texts)
    shuffled = Model(toy_seeds, random_state=0, **short(Model)).fit([texts[i] for i in order])
    assert np.array_equal(as_given.label_distributions_[order], shuffled.label_distributions_)


def test_threads_and_repetition_change_nothing(
    Model: type, toy_texts: list[str], toy_seeds: dict[str, list[str]]
) -> None:
    runs = [
        Model(toy_seeds, random_state=3, n_threads=n, **short(Model)).fit(toy_texts).label_distributions_
        for n in (1, 2, 2)
    ]
    assert np.array_equal(runs[0], runs[1])
    assert np.array_equal(runs[1], runs[2])


def test_counts_with_a_vocabulary_are_as_good_as_text(
    Model: type, toy_texts: list[str], toy_seeds: dict[str, list[str]]
) -> None:
    from_text = Model(toy_seeds, random_state=0, stop_words=None, **short(Model)).fit(toy_texts)
    vectorizer = CountVectorizer().fit(toy_texts)
    counts = vectorizer.transform(toy_texts)
    vocabulary = vectorizer.get_feature_names_out().tolist()
    from_counts = Model(toy_seeds, vocabulary=vocabulary, random_state=0, **short(Model)).fit(counts)
    assert np.array_equal(from_text.label_distributions_, from_counts.label_distributions_)
    assert np.array_equal(from_counts.predict_proba(counts), from_text.predict_proba(toy_texts))
    assert from_counts.n_features_in_ == len(vocabulary)


def test_pipelines_of_text_and_of_counts(
    Model: type, toy_texts: list[str], toy_labels: list[str], toy_seeds: dict[str, list[str]]
) -> None:
    clean = FunctionTransformer(lambda texts: [text.replace("goal", "score") for text in texts])
    of_text = Pipeline([("clean", clean), ("label", Model(toy_seeds, random_state=0, **short(Model)))])
    assert of_text.fit(toy_texts).score(toy_texts, toy_labels) >= 0.9
    words = sorted({word for text in toy_texts for word in text.split()})
    counting = CountVectorizer(vocabulary=words)
    of_counts = Pipeline([("count", counting), ("label", Model(toy_seeds, vocabulary=words, random_state=0))])
    assert of_counts.fit(toy_texts).score(toy_texts, toy_labels) >= 0.9


def test_clone_get_params_set_params(Model: type, toy_seeds: dict[str, list[str]]) -> None:
    model = Model(toy_seeds, strict=True)
    assert clone(model).get_params() == model.get_params()
    assert set(model.get_params()) == set(inspect.signature(Model).parameters)
    assert model.set_params(min_df=3).min_df == 3
    with pytest.raises(NotFittedError):
        model.predict(["a text"])


def test_a_category_without_words_stays_a_class_and_is_named(
    Model: type, toy_texts: list[str], toy_seeds: dict[str, list[str]]
) -> None:
    seeds = {**toy_seeds, "chess": ["rook", "bank"], "opera": ["qwertzu"]}
    with pytest.warns(SeedWarning, match=r"'rook' \(chess\), 'qwertzu' \(opera\); no word is left for opera"):
        model = Model(seeds, random_state=0, **short(Model)).fit(toy_texts)
    assert model.classes_.tolist()[-1] == "opera"
    assert np.isfinite(model.label_distributions_).all()
    with pytest.raises(InputError, match="'opera'"):
        Model(seeds, strict=True).fit(toy_texts)


def test_empty_documents_among_others_get_a_label_too(
    Model: type, toy_texts: list[str], toy_seeds: dict[str, list[str]]
) -> None:
    model = Model(toy_seeds, random_state=0, **short(Model)).fit([*toy_texts, "", "of the and"])
    assert np.isfinite(model.label_distributions_).all()
    assert model.transduction_[-1] in model.classes_


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        ([], "Found 0 document"),
        (["one game in the bank with stock"], "Found 1 document"),
        (["", "", ""], "no document has a word"),
        ("a single text", "of type str"),
        ({"a": "mapping"}, "of type dict"),
        (7, "of type int"),
        ([None, "bank"], "document 0 is NoneType"),
        ([b"bytes", "bank"], "document 0 is bytes"),
        (["qwertzu asdfg", "yxcvb qwertzu"], "fewer than two categories"),
        (np.eye(3), "needs vocabulary"),
    ],
)
def test_documents_that_cannot_be_used(
    Model: type, documents: Any, message: str, toy_seeds: dict[str, list[str]]
) -> None:
    with pytest.raises(InputError, match=message) as caught:
        Model(toy_seeds).fit(documents)
    assert "\n" not in str(caught.value)


def test_a_refused_parameter_leaves_the_model_unfitted(
    Model: type, toy_texts: list[str], toy_seeds: dict[str, list[str]]
) -> None:
    (parameter,) = short(Model)
    model = Model(toy_seeds, **{parameter: "many"})
    with pytest.raises(InputError, match=f"{parameter} is 'many'"):
        model.fit(toy_texts)
    with pytest.raises(NotFittedError):
        model.predict(toy_texts)
