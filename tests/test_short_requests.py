"""What makes a short request quick says the same as the long way."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import special
from starlette.testclient import TestClient

from seedtopic import SeedTopicClassifier, load
from seedtopic.base.products import times
from seedtopic.learning.classify.logistic import log_sum_exp, softmax
from seedtopic.model.fitted import checked_distributions
from seedtopic.model.reading import TextReader
from seedtopic.model.stages.mixture import MixtureStage
from seedtopic.model.stages.regression import RegressionStage
from seedtopic.model.stages.reliability import ReliabilityStage, contains_any
from seedtopic.web.api import Api
from seedtopic.web.app import make_app
from seedtopic.web.limits import Limits
from seedtopic.web.work import Prediction

SCORES = arrays(
    np.float64,
    st.tuples(st.integers(0, 5), st.integers(1, 6)),
    elements=st.floats(-800, 800) | st.sampled_from([0.0, -np.inf, 1.5]),
)


@pytest.fixture(scope="module")
def model(toy_texts: list[str], toy_seeds: dict[str, list[str]]) -> SeedTopicClassifier:
    return SeedTopicClassifier(toy_seeds, random_state=0).fit(toy_texts)


@given(SCORES)
def test_functions_of_rows_are_those_of_scipy(scores: np.ndarray) -> None:
    # The sum may be as near to 1 as numbers can be, and its logarithm as near to 0.
    np.testing.assert_allclose(log_sum_exp(scores), special.logsumexp(scores, axis=1), rtol=1e-13, atol=1e-14)
    finite = scores[np.isfinite(scores.max(axis=1))]
    np.testing.assert_allclose(softmax(finite), special.softmax(finite, axis=1), rtol=1e-13)


@given(st.integers(0, 2**32 - 1), st.integers(0, 6), st.integers(1, 9), st.integers(1, 4))
def test_words_of_categories_are_found_as_by_a_product(seed: int, rows: int, words: int, n: int) -> None:
    draw = np.random.default_rng(seed)
    counts = sp.csr_array(draw.integers(0, 2, (rows, words)).astype(np.float32))
    of_words = sp.csr_array(draw.integers(0, 2, (words, n)).astype(np.float32))
    if of_words.nnz:
        of_words.data[0] = 0.0  # an entry that says no
    expected = (counts @ of_words).toarray() > 0
    np.testing.assert_array_equal(contains_any(counts, of_words), expected)


def test_a_word_of_two_documents_counts_in_both() -> None:
    matrix = sp.csr_array(([2.0, 3.0, 5.0], [7, 7, 30], [0, 1, 3]), shape=(2, 40))
    dense = np.asfortranarray(np.random.default_rng(0).random((40, 3)))
    np.testing.assert_array_equal(times(matrix, dense), matrix @ dense)


def test_the_regression_is_asked_once_where_it_gives_the_same(
    model: SeedTopicClassifier,
    toy_texts: list[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.mktemp("saved") / "model"
    model.save(folder)
    asked, long_way = [], RegressionStage.apply

    def counted(self: RegressionStage, documents: Any, posterior: Any) -> Any:
        asked.append(documents)
        return long_way(self, documents, posterior)

    monkeypatch.setattr(RegressionStage, "apply", counted)
    for one in (model, load(folder)):
        stages = [stage for stage in one.fitted_.stages if not isinstance(stage, MixtureStage)]
        fitted = replace(one.fitted_, stages=tuple(stages))
        asked.clear()
        quick = fitted.posterior(fitted.read(toy_texts[:3], TextReader.of(one)))
        assert len(asked) == 1
        documents = fitted.read(toy_texts[:3], TextReader.of(one))
        posterior = fitted[RegressionStage].apply(documents, np.empty(0))
        slow = fitted[ReliabilityStage].apply(documents, posterior)
        np.testing.assert_array_equal(quick, checked_distributions(slow))


def test_requests_labelled_together_get_what_each_gets_alone(
    model: SeedTopicClassifier, toy_texts: list[str]
) -> None:
    job = Prediction(model, Limits())
    for several in ({}, {"all_labels": True}):
        asked = [
            {"texts": toy_texts[:1], **several},
            {"texts": [], **several},
            {"texts": ["", *toy_texts[1:4]], "all_probabilities": True, **several},
            {"texts": ["unheard of"], **several},
        ]
        bodies = [json.dumps(one).encode() for one in asked]
        together, alone = job.replies([job.read(body) for body in bodies]), [job(body) for body in bodies]
        assert [done.content for done in together] == [done.content for done in alone]
        assert [done.n_texts for done in together] == [1, 0, 4, 1]
        counted = [done.seen for done in together if done.seen is not None]
        assert len(counted) == 1
        assert counted[0].labels.tolist() == sum(one.seen.labels for one in alone if one.seen).tolist()


def test_texts_of_one_batch_are_all_counted(model: SeedTopicClassifier, toy_texts: list[str]) -> None:
    api = Api(lambda: model)
    client = TestClient(make_app(api, log=lambda event, values: None), "http://localhost")
    for text in toy_texts[:5]:
        assert client.post("/predict", json={"texts": [text]}).status_code == 200
    assert client.get("/drift").json()["now"]["documents"] == 5


def test_a_short_request_is_refused_as_a_long_one(model: SeedTopicClassifier) -> None:
    client = TestClient(
        make_app(Api(lambda: model), log=lambda event, values: None),
        "http://localhost",
        raise_server_exceptions=False,
    )
    assert client.post("/predict", content=b"{}").status_code == 415
    refused = client.post("/predict", json={"texts": 7})
    assert (refused.status_code, refused.json()) == (422, {"error": "texts is a number, not a list."})
    assert client.get("/predict").status_code == 405
    assert client.post("/predict/", json={"texts": []}).status_code == 404
