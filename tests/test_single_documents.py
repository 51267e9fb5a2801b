"""A single new document is labelled as in company, by many threads at once, and without waste."""

from __future__ import annotations

import re
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from seedtopic import WSPTM, InputError, Seeds, SeedTopicClassifier, load
from seedtopic.base.products import times
from seedtopic.io.predictions import ADDED
from seedtopic.learning.signals.words import squared_lengths
from seedtopic.seeds.category import matching
from seedtopic.text.counts import KnownWords, count_known

SEEDS = {
    "sports": ["game", "player", "world cup"],
    "money": ["bank", "stock"],
    "weather": ["rain", "snow", "sun"],
}


@pytest.fixture(scope="module")
def model(toy_texts: list[str]) -> SeedTopicClassifier:
    return SeedTopicClassifier(SEEDS, random_state=0, none_label="other").fit(
        toy_texts + ["world cup game"] * 2
    )


def test_one_model_serves_many_threads(
    model: SeedTopicClassifier, toy_texts: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("model") / "model"
    model.save(folder)
    texts = [f"{first} {second}" for first in toy_texts[:12] for second in toy_texts[:12]]
    alone = [model.predict_proba([text]) for text in texts]
    shared = load(folder)  # whose words have not been looked up yet
    with ThreadPoolExecutor(8) as threads:
        together = list(threads.map(lambda text: shared.predict_proba([text]), texts))
    assert np.array_equal(np.vstack(together), np.vstack(alone))
    assert np.allclose(np.vstack(alone), model.predict_proba(texts), atol=1e-12)


def test_all_at_once_is_what_each_says_alone(model: SeedTopicClassifier, toy_texts: list[str]) -> None:
    texts = [*toy_texts[:6], "", "unheard of", "bank of the player in the rain"]
    said = model.predict_all(texts, several=True)
    assert np.array_equal(said.probabilities, model.predict_proba(texts))
    assert said.all_labels == [list(labels) for labels in model.predict_labels(texts)]
    assert np.array_equal(said.none_probability, model.predict_none_proba(texts))
    assert said.none_label == "other"
    assert model.predict_all(texts).several is None


def test_a_model_of_one_label_a_document_says_so(toy_texts: list[str]) -> None:
    model = WSPTM(SEEDS, random_state=0, max_iter=2).fit(toy_texts + ["world cup game"] * 2)
    assert model.predict_all(toy_texts).columns == list(ADDED)
    with pytest.raises(InputError, match="WSPTM gives one label a document"):
        model.predict_all(toy_texts, several=True)


def test_the_words_of_a_model_are_numbered_once(model: SeedTopicClassifier) -> None:
    assert isinstance(model.vocabulary_, KnownWords)
    columns = model.vocabulary_.columns
    model.predict(["rain"])
    assert model.vocabulary_.columns is columns
    assert count_known([["rain"]], model.vocabulary_).matrix.indices.tolist() == [columns["rain"]]
    assert count_known([["rain"]], list(model.vocabulary_)).matrix.indices.tolist() == [columns["rain"]]


def test_the_phrases_among_the_seeds_are_found_once_for_a_tokenizer() -> None:
    seeds = Seeds(SEEDS)
    found = seeds.phrases()
    assert seeds.phrases() is found
    assert found.counts(["world", "cup"]) == {"world cup": 1}
    letters = seeds.phrases(list)
    assert letters is not found
    assert letters.counts(list("rain in game")) == {"rain": 1, "game": 1}
    assert seeds.phrases().counts(["world", "cup"]) == {"world cup": 1}
    assert seeds == Seeds(SEEDS)


@given(st.integers(0, 6), st.integers(1, 40), st.floats(0, 1), st.integers(0, 2**32 - 1))
def test_a_product_of_few_rows_is_the_product(n_rows: int, n_words: int, density: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape = (n_rows, n_words)
    matrix = sp.csr_array(np.where(rng.random(shape) < density, rng.random(shape), 0.0))
    dense = np.asfortranarray(rng.random((n_words, 3), dtype=np.float32))
    assert np.array_equal(times(matrix, dense), matrix @ dense)
    assert np.allclose(squared_lengths(matrix), (matrix.toarray() ** 2).sum(axis=1), rtol=1e-12)


@given(st.text("ab*", min_size=1).filter(lambda text: "*" in text), st.lists(st.text("ab ", min_size=1)))
def test_a_wildcard_is_what_a_regular_expression_says(wildcard: str, words: list[str]) -> None:
    pattern = re.compile(r"\S*".join(map(re.escape, wildcard.split("*"))))
    assert matching(wildcard, words) == [word for word in words if pattern.fullmatch(word)]


def test_a_wildcard_of_many_stars_gives_up_on_a_long_word_at_once() -> None:
    started = time.process_time()
    assert matching("a*" * 50 + "b", ["a" * 50_000]) == []
    assert time.process_time() - started < 1
