"""SeedTopicClassifier and the stages that are its own: known answers, laws, the contract of seed models."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression

from seedtopic import InputError, Seeds, SeedTopicClassifier, SeedWarning, load
from seedtopic.base.engine import LocalEngine
from seedtopic.base.products import Design
from seedtopic.learning.classify import logistic
from seedtopic.learning.classify.logistic import minimise
from seedtopic.learning.classify.naive_bayes import (
    balance,
    edge_weights,
    fit_mixture,
    log_distributions,
    log_scores,
    mixture_helps,
)
from seedtopic.learning.classify.reliability import COLDEST, temper, temperatures_for
from seedtopic.learning.classify.self_training import SoftTargets, bias_by, self_train
from seedtopic.learning.classify.trust import seed_weights
from seedtopic.learning.graph.neighbours import embedding_graph, neighbor_graph, similarity_graph
from seedtopic.learning.graph.smoothing import Manifold, SmoothedTheta
from seedtopic.learning.signals.seeds import guess_category, guess_prior, seed_evidence
from seedtopic.learning.signals.words import sublinear, unit_rows, word_rarity
from seedtopic.text.counts import count_words
from seedtopic.text.tokens import stop_word_set, tokenize

# ------------------------------------------------------------------------------------------------ vectors


def test_vectors_by_hand() -> None:
    counts = sp.csr_array([[2.0, 1.0, 0.0], [0.0, 1.0, 1.0], [0.0, 1.0, 0.5]])
    rarity = word_rarity(counts)
    assert rarity == pytest.approx([np.log(3), 0.0, np.log(1.5)])
    weighted = sublinear(counts, rarity).toarray()
    assert weighted[0] == pytest.approx([(1 + np.log(2)) * np.log(3), 0.0, 0.0])
    assert weighted[2] == pytest.approx([0.0, 0.0, 0.5 * np.log(1.5)])  # a fraction is never negative
    assert unit_rows(sublinear(counts, rarity)).toarray()[:, 2] == pytest.approx([0.0, 1.0, 1.0])


# -------------------------------------------------------------------------------------------------- graph


def random_vectors(seed: int = 0, shape: tuple[int, int] = (40, 30)) -> sp.csr_array:
    counts = sp.csr_array(np.random.default_rng(seed).poisson(0.7, shape).astype(float))
    return unit_rows(sublinear(counts, word_rarity(counts)))


@pytest.mark.parametrize("n_neighbors", [1, 4, 10])
def test_similarity_graph_equals_the_obvious_way(n_neighbors: int) -> None:
    vectors = random_vectors()
    cosine = vectors.toarray() @ vectors.toarray().T
    expected = np.zeros_like(cosine)
    for i, row in enumerate(cosine):
        others = [j for j in np.argsort(-row, kind="stable") if j != i and row[j] > 1e-7][:n_neighbors]
        expected[i, others] = row[others]
    assert similarity_graph(vectors, n_neighbors).toarray() == pytest.approx(expected, abs=1e-6)


def test_similarity_graph_of_twins_of_strangers_and_of_no_neighbours() -> None:
    vectors = sp.csr_array(np.vstack([np.tile([0.6, 0.8, 0.0], (9, 1)), [[0.0, 0.0, 1.0]]]))
    edges = similarity_graph(vectors, 3).toarray()
    assert not edges.diagonal().any()
    assert ((edges[:9] > 0).sum(axis=1) == 3).all()
    assert edges[:9].max() == pytest.approx(1.0)
    assert not edges[9].any()
    assert similarity_graph(vectors, 0).nnz == 0
    assert set(np.unique(neighbor_graph(vectors, 3).data)) <= {1.0}


def test_smoothed_theta_by_hand() -> None:
    averaging = Design(Manifold.of(sp.csr_array([[0.0, 2.0], [2.0, 0.0]])).averaging.astype(np.float32))
    even, expected = np.array([0.5, 0.5]), np.array([[8.0, 0.0], [0.0, 8.0]])
    plain = SmoothedTheta(lambda frequency: np.ones((2, 2)), averaging, 0).update(expected, even)
    assert plain == pytest.approx(np.array([[0.9, 0.1], [0.1, 0.9]]))
    smooth = SmoothedTheta(lambda frequency: np.ones((2, 2)), averaging, 1, kappa=0.25).update(expected, even)
    assert smooth == pytest.approx(np.array([[0.7, 0.3], [0.3, 0.7]]))


def test_first_guess_by_hand() -> None:
    similarity = np.array([[0.2, 0.4, 0.6]])  # -1, 0 and 1 standard deviations
    evidence = np.log(np.array([[4.0, 1.0, 1.0]]))
    weight = np.array([np.exp(-2) * 4, 1.0, np.exp(2)])
    every = np.array([True, True, True])
    assert guess_category(similarity, evidence, every)[0] == pytest.approx(weight / weight.sum())
    two = guess_category(similarity, evidence, np.array([True, True, False]))[0]
    assert two == pytest.approx([*(weight[:2] / weight[:2].sum()), 0.0])


def test_seed_evidence_by_hand() -> None:
    counts = sp.csr_array([[1.0, 0.0, 3.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
    membership = sp.csr_array([[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
    expected = [[1 + 1 + np.log(3), 0.0], [1.0, 0.0], [0.0, 0.0]]
    assert seed_evidence(counts, membership) == pytest.approx(np.array(expected))


def test_prior_holds_the_label_frequency_and_the_length() -> None:
    share, guess = np.array([[0.0, 1.0]]), np.array([[1.0, 0.0]])
    prior = guess_prior(share, guess, np.array([0.25, 0.75]), 0.5, np.array([10.0]))
    assert prior == pytest.approx(np.array([[0.5 * 0.3 + 0.5 * 0.25 + 0.01, 0.5 * 0.7 + 0.5 * 0.75 + 0.01]]))


# ------------------------------------------------------------------------------------- the weights of seeds

TRADE = {"currency": ["dollar", "exchange"], "takeover": ["merger", "stake"]}
NEWS = [
    *["dollar exchange yen bank"] * 2,
    *["dollar yen bank"] * 4,
    *["exchange commission filing stake"] * 6,
    *["merger stake filing"] * 4,
]


def bound(texts: list[str], seeds: dict[str, list[str]]) -> tuple[sp.csr_array, sp.csr_array, list[str]]:
    counts = count_words(tokenize(texts), min_df=1, keep={word for ws in seeds.values() for word in ws})
    return counts.matrix, Seeds.of(seeds).bind(counts.vocabulary).membership, counts.vocabulary


def weights_by_word(texts: list[str], seeds: dict[str, list[str]]) -> dict[tuple[int, str], float]:
    counts, membership, vocabulary = bound(texts, seeds)
    weights = seed_weights(counts, unit_rows(counts.astype(np.float64)), membership)
    category = np.repeat(np.arange(len(seeds)), np.diff(membership.indptr))
    pairs = zip(category, membership.indices, weights, strict=True)
    return {(int(k), vocabulary[v]): float(weight) for k, v, weight in pairs}


def test_a_seed_that_the_others_do_not_bear_out_counts_less() -> None:
    weights = weights_by_word(NEWS, TRADE)
    assert weights[0, "dollar"] == 1.0  # the best of its category
    assert weights[0, "exchange"] < 0.3
    assert weights[1, "merger"] == 1.0


def test_the_only_seed_of_a_category_and_one_that_does_not_occur_have_weight_1() -> None:
    weights = weights_by_word(NEWS, {"currency": ["dollar", "florin"], "takeover": ["merger"]})
    assert set(weights.values()) == {1.0}


def test_a_shared_seed_is_weighed_in_each_of_its_categories() -> None:
    weights = weights_by_word(NEWS, {"currency": ["dollar", "exchange"], "takeover": ["merger", "exchange"]})
    assert weights[1, "exchange"] > weights[0, "exchange"]


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10_000))
def test_weights_of_seeds_are_shares_and_follow_no_order(seed: int) -> None:
    rng = np.random.default_rng(seed)
    counts = sp.csr_array(rng.poisson(0.4, (20, 12)).astype(np.float64))
    membership = sp.csr_array((rng.random((3, 12)) < 0.3).astype(np.float64))
    weights = seed_weights(counts, unit_rows(counts), membership)
    assert weights.shape == (membership.nnz,)
    assert (weights >= 0).all()
    assert (weights <= 1).all()
    order = rng.permutation(20)
    shuffled = seed_weights(counts[order], unit_rows(counts)[order], membership)
    assert shuffled == pytest.approx(weights, abs=1e-9)


# ------------------------------------------------------------------------------------ graphs from embeddings


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10_000), st.integers(1, 6))
def test_embedding_graph_is_the_obvious_one(seed: int, n_neighbors: int) -> None:
    embeddings = np.random.default_rng(seed).normal(size=(12, 5))
    unit = embeddings / np.linalg.norm(embeddings, axis=1, keepdims=True)
    cosine = unit @ unit.T
    np.fill_diagonal(cosine, -np.inf)
    expected = np.zeros((12, 12))
    for i, row in enumerate(cosine):
        nearest = [j for j in np.argsort(-row)[:n_neighbors] if row[j] > 1e-5]
        expected[i, nearest] = row[nearest]
    assert embedding_graph(embeddings, n_neighbors).toarray() == pytest.approx(expected, abs=1e-4)


def test_embedding_graph_without_neighbours_or_direction() -> None:
    assert embedding_graph(np.eye(3), 2).nnz == 0
    assert embedding_graph(np.ones((3, 2)), 0).nnz == 0
    edges = embedding_graph(np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 0.0]]), 5)
    assert edges.toarray() == pytest.approx(np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]]))


def test_what_an_encoder_says_follows_the_documents_whatever_their_order(
    toy_texts: list[str], toy_labels: list[str], toy_seeds: dict[str, list[str]]
) -> None:
    known = dict(zip(toy_texts, toy_labels, strict=True))
    known |= {word: name for name, words in toy_seeds.items() for word in (name, *words)}

    def encode(texts: list[str]) -> NDArray[np.float64]:
        return np.array([np.eye(3)[list(toy_seeds).index(known[text])] for text in texts])

    def fitted_to(texts: list[str]) -> Any:
        model = SeedTopicClassifier(toy_seeds, vectors=encode, random_state=0)
        return model.set_params(max_iter=8, n_neighbors=3).fit(iter(texts))

    model, turned = fitted_to(toy_texts), fitted_to(toy_texts[::-1])
    assert (model.transduction_ == np.array(toy_labels)).all()
    # Nearly: of the copies in the toys, it is undefined which are neighbours.
    assert model.label_distributions_ == pytest.approx(turned.label_distributions_[::-1], abs=1e-5)


@pytest.mark.parametrize(
    ("vectors", "complaint"),
    [
        (
            lambda texts: np.zeros((2, 3)),
            r"shape \(2, 3\) for 36 texts: return a row of numbers for each text",
        ),
        (lambda texts: np.zeros(len(texts)), r"shape \(36,\) for 36 texts"),
        (lambda texts: np.full((len(texts), 2), np.nan), "a vector for text 0 that is not finite"),
        (lambda texts: "words", "returned str, not an array of numbers"),
    ],
)
def test_vectors_that_cannot_be_used_are_named(
    vectors: Any, complaint: str, toy_texts: list[str], toy_seeds: dict[str, list[str]]
) -> None:
    model = SeedTopicClassifier(toy_seeds, vectors=vectors, max_iter=2)
    with pytest.raises(InputError, match=complaint):
        model.fit(toy_texts)


def test_an_encoder_needs_texts(toy_texts: list[str], toy_seeds: dict[str, list[str]]) -> None:
    vectorizer = CountVectorizer().fit(toy_texts)
    model = SeedTopicClassifier(
        toy_seeds,
        vectors=lambda texts: np.ones((len(texts), 2)),
        vocabulary=vectorizer.get_feature_names_out().tolist(),
    )
    with pytest.raises(InputError, match="an encoder reads texts"):
        model.fit(vectorizer.transform(toy_texts))


# -------------------------------------------------------------------------------------------- a given graph


def graph_by_words(texts: list[str]) -> sp.csr_array:
    counts = count_words(tokenize(texts), stop_words=stop_word_set("english")).matrix
    return similarity_graph(unit_rows(sublinear(counts, word_rarity(counts))), 10)


@pytest.mark.parametrize("kind", [sp.csr_array, sp.coo_matrix, sp.lil_array])
def test_a_given_graph_is_as_good_as_the_one_computed(
    kind: Any, toy_texts: list[str], toy_seeds: dict[str, list[str]]
) -> None:
    texts = [f"{text} unique{position}" for position, text in enumerate(toy_texts)]  # no ties
    model = SeedTopicClassifier(toy_seeds, random_state=0, max_iter=6, calibrate=False)
    computed = model.fit(texts).label_distributions_
    given = clone(model).set_params(graph=kind(graph_by_words(texts))).fit(texts).label_distributions_
    assert given == pytest.approx(computed, abs=1e-4)
    without = clone(model).set_params(n_neighbors=0).fit(texts).label_distributions_
    assert not np.array_equal(without, computed)  # by little: either way the toy is all but certain
    model.set_params(graph=kind(graph_by_words(texts)), n_neighbors=0)
    assert np.array_equal(model.fit(texts).label_distributions_, without)


def test_a_given_graph_follows_the_documents_whatever_their_order(
    toy_texts: list[str], toy_labels: list[str], toy_seeds: dict[str, list[str]]
) -> None:
    label = np.array(toy_labels)
    graph = sp.csr_array((label[:, None] == label).astype(np.int8))
    order = np.random.default_rng(0).permutation(len(label))
    as_given, shuffled = (
        SeedTopicClassifier(toy_seeds, graph=graph[places][:, places], max_iter=6, random_state=0).fit(
            [toy_texts[place] for place in places]
        )
        for places in (np.arange(len(label)), order)
    )
    assert (as_given.transduction_ == label).all()
    assert as_given.label_distributions_[order] == pytest.approx(shuffled.label_distributions_, abs=1e-6)


def test_a_model_with_a_given_graph_is_saved_without_it(
    toy_texts: list[str], toy_seeds: dict[str, list[str]], tmp_path: Path
) -> None:
    model = SeedTopicClassifier(toy_seeds, graph=graph_by_words(toy_texts), max_iter=3, random_state=0)
    model.fit(toy_texts).save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert np.array_equal(again.predict_proba(toy_texts), model.predict_proba(toy_texts))
    assert again.graph == "words"


@pytest.mark.parametrize(
    ("graph", "complaint"),
    [
        (sp.csr_array((36, 35)), r"shape \(36, 35\): give a row and a column for each of the 36"),
        (-sp.eye_array(36), "graph holds -1: give similarities"),
        (np.nan * sp.eye_array(36), "graph holds nan: give similarities"),
        (1e300 * sp.eye_array(36), r"graph holds 1e\+300: give similarities"),
        (1j * sp.eye_array(36), "type complex128"),
        (np.zeros((36, 36)), "graph is ndarray: use 'words', or a sparse matrix"),
        (None, "graph is NoneType"),
        ("", "graph is ''"),
    ],
)
def test_graphs_that_cannot_be_used_are_named(
    graph: Any, complaint: str, toy_texts: list[str], toy_seeds: dict[str, list[str]]
) -> None:
    with pytest.raises(InputError, match=complaint) as caught:
        SeedTopicClassifier(toy_seeds, graph=graph, max_iter=2).fit(toy_texts)
    assert "\n" not in str(caught.value)


# -------------------------------------------------------------------------- naive Bayes, anchoring, mixture


def test_naive_bayes_by_hand() -> None:
    vectors = sp.csr_array([[1.0, 0.0, 1.0], [0.0, 2.0, 0.0]])
    log_words = log_distributions(vectors.T @ np.array([[1.0, 0.0], [0.5, 0.5]]), smoothing=1.0)
    # class 0 has words (1, 1, 1), class 1 has (0, 1, 0); one is added to each
    assert np.exp(log_words) == pytest.approx(np.array([[2 / 6, 1 / 4], [2 / 6, 2 / 4], [2 / 6, 1 / 4]]))
    scores = log_scores(vectors, log_words, strength=3.0)
    assert scores[1] == pytest.approx([3 * 2 * np.log(2 / 6), 3 * 2 * np.log(2 / 4)])


def anchoring_bias(scores: np.ndarray, marginals: np.ndarray, n_rounds: int = 8) -> np.ndarray:
    return bias_by(lambda bias: softmax(scores + bias, axis=1).mean(axis=0), marginals, n_rounds)


@settings(deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([2, 5]))
def test_anchored_marginals_hold_and_are_a_fixed_point(seed: int, n_classes: int) -> None:
    rng = np.random.default_rng(seed)
    scores = rng.normal(0, 2, (60, n_classes))
    marginals = rng.dirichlet(np.full(n_classes, 5.0))
    bias = anchoring_bias(scores, marginals, n_rounds=400)
    assert softmax(scores + bias, axis=1).mean(axis=0) == pytest.approx(marginals, abs=1e-3)
    # Scores whose marginals are right already are left alone.
    own = softmax(scores, axis=1).mean(axis=0)
    assert anchoring_bias(scores, own) == pytest.approx(np.zeros(n_classes), abs=1e-9)


def test_anchoring_comes_nearer_with_every_round_and_survives_an_empty_class() -> None:
    scores = np.random.default_rng(0).normal(0, 3, (100, 4))
    wanted = np.array([0.7, 0.1, 0.1, 0.1])

    def gap(n_rounds: int) -> float:
        bias = anchoring_bias(scores, wanted, n_rounds)
        return float(np.abs(softmax(scores + bias, axis=1).mean(axis=0) - wanted).max())

    assert gap(8) < gap(3) < gap(1) < gap(0)
    assert gap(8) < 0.02
    assert np.isfinite(anchoring_bias(scores, np.array([0.5, 0.5, 0.0, 0.0]))).all()


def two_camps(n: int = 30) -> tuple[sp.csr_array, np.ndarray]:
    """Documents of two classes with words of their own; one word in nine is from the other's."""
    rng = np.random.default_rng(0)
    label = np.arange(2 * n) % 2
    probability = np.where(label[:, None] == np.repeat([0, 1], 15)[None, :], 0.8, 0.1)
    counts = sp.csr_array(rng.poisson(probability).astype(float))
    return unit_rows(sublinear(counts, np.ones(30))), label


def test_mixture_mends_wrong_labels_and_holds_the_sizes() -> None:
    vectors, label = two_camps()
    guess = np.where(np.arange(2)[None, :] == label[:, None], 0.6, 0.4)
    guess[:6] = guess[:6, ::-1]  # a tenth of them wrong
    averaging = Manifold.of(sp.csr_array(sp.coo_array((60, 60)))).averaging
    block = SoftTargets.of(vectors, averaging, guess)
    mixture, (fitted,) = fit_mixture(LocalEngine(), [block], np.array([0.5, 0.5]))  # type: ignore[misc]
    posterior = fitted.labels
    assert (posterior.argmax(axis=1) == label).mean() > 0.95
    assert posterior.mean(axis=0) == pytest.approx([0.5, 0.5], abs=0.01)
    assert mixture.posterior(vectors) == pytest.approx(posterior)  # no neighbours: nothing to average


def test_self_training_mends_wrong_labels() -> None:
    vectors, label = two_camps()
    guess = np.where(np.arange(2)[None, :] == label[:, None], 0.7, 0.3)
    guess[:6] = guess[:6, ::-1]
    similarity = similarity_graph(vectors, 5)
    averaging = Manifold.of(sp.csr_array((similarity + similarity.T) / 2)).averaging
    told: list[tuple[int, int]] = []
    block = SoftTargets.of(vectors, averaging, guess)
    regression = self_train(LocalEngine(), [block], 3, lambda *step: told.append(step))
    assert (regression.log_odds(vectors).argmax(axis=1) == label).mean() > 0.95
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_the_rule_for_the_mixture_by_hand() -> None:
    assert balance(np.full(7, 1 / 7)) == pytest.approx(1.0)
    assert balance(np.array([1.0, 0.0])) == 0.0
    edges = np.zeros((8, 8))
    edges[0, 1:8] = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3]  # the last two are not among the five strongest
    posterior = np.tile([1.0, 0.0], (8, 1))
    posterior[[4, 6, 7]] = [0.2, 0.8]
    weight = np.array([0.9, 0.8, 0.7, 0.6 * 0.8, 0.5])
    expected = weight[[0, 1, 2, 4]].sum() / weight.sum()  # .86
    same, total = edge_weights(sp.csr_array(edges), posterior)
    assert same / total == pytest.approx(expected)
    even, uneven = np.array([0.5, 0.5]), np.array([0.8, 0.2])
    agreeing = np.tile([0.9, 0.1], (8, 1))
    same, total = edge_weights(sp.csr_array(edges), agreeing)
    assert same == total > 0
    assert edge_weights(sp.csr_array(sp.coo_array((8, 8))), agreeing) == (0.0, 0.0)
    assert mixture_helps(even, 1.0)
    assert not mixture_helps(uneven, 1.0)
    assert not mixture_helps(even, expected)


# ------------------------------------------------------------------------------------ logistic, calibration


def test_gradient_equals_finite_differences() -> None:
    rng = np.random.default_rng(0)
    vectors = sp.csr_array(rng.poisson(0.5, (12, 5)).astype(float))
    targets = rng.dirichlet(np.ones(3), 12)
    point = logistic.Regression(rng.normal(size=(5, 3)), rng.normal(size=3))
    examples = logistic.Examples(Design(vectors), targets)
    _, *gradient = logistic.loss_parts(examples, point, 12)
    step = 1e-6
    for name, index in (("weights", (2, 1)), ("weights", (4, 0)), ("intercept", (2,))):
        values = []
        for sign in (1, -1):
            moved = {"weights": point.weights.copy(), "intercept": point.intercept.copy()}
            moved[name][index] += sign * step
            regression = logistic.Regression(moved["weights"], moved["intercept"])
            values.append(logistic.loss_parts(examples, regression, 12)[0] / 12)
        of_name = gradient[["weights", "intercept"].index(name)]
        assert of_name[index] == pytest.approx((values[0] - values[1]) / (2 * step), abs=1e-6)


def test_minimise_finds_the_bottom_of_a_bent_valley() -> None:
    def rosenbrock(x: np.ndarray) -> tuple[float, np.ndarray]:
        a, b = x
        value = (1 - a) ** 2 + 100 * (b - a * a) ** 2
        return float(value), np.array([-2 * (1 - a) - 400 * a * (b - a * a), 200 * (b - a * a)])

    values = [rosenbrock(minimise(rosenbrock, np.array([-1.2, 1.0]), n))[0] for n in (0, 5, 20, 100)]
    assert values == sorted(values, reverse=True)
    assert minimise(rosenbrock, np.array([-1.2, 1.0]), 100) == pytest.approx([1.0, 1.0], abs=1e-4)


def test_the_regression_is_the_one_scikit_learn_finds() -> None:
    rng = np.random.default_rng(0)
    vectors = sp.csr_array(rng.poisson(0.5, (80, 6)).astype(float))
    label = rng.integers(0, 3, 80)
    ours = logistic.fit(vectors, np.eye(3)[label], 1 / 80, logistic.Regression.zero(6, 3), max_iter=200)
    theirs = LogisticRegression(C=1.0, tol=1e-8, max_iter=1000).fit(vectors.toarray(), label)
    posterior = softmax(ours.log_odds(vectors), axis=1)
    assert posterior == pytest.approx(theirs.predict_proba(vectors.toarray()), abs=1e-3)


def test_regression_separates_the_separable_and_its_gradient_ends_at_zero() -> None:
    vectors = sp.csr_array(np.repeat(np.eye(3), 5, axis=0))
    label = np.repeat(np.arange(3), 5)
    fitted = logistic.fit(vectors, np.eye(3)[label], 0.01, logistic.Regression.zero(3, 3), max_iter=100)
    assert (fitted.log_odds(vectors).argmax(axis=1) == label).all()
    _, gradient, _ = logistic.loss_parts(logistic.Examples(Design(vectors), np.eye(3)[label]), fitted, 15)
    assert np.abs(gradient + 0.01 * fitted.weights).max() < 1e-3


def test_the_intercept_alone_gives_the_class_shares() -> None:
    targets = np.tile([0.7, 0.2, 0.1], (10, 1))
    empty = sp.csr_array(sp.coo_array((10, 4)))
    fitted = logistic.fit(empty, targets, 0.1, logistic.Regression.zero(4, 3), max_iter=100)
    assert softmax(fitted.intercept) == pytest.approx([0.7, 0.2, 0.1], abs=1e-3)


@settings(deadline=None)
@given(st.integers(0, 10_000), st.floats(0.1, 10.0))
def test_tempering_keeps_the_order_and_reaches_the_confidence(seed: int, temperature: float) -> None:
    posterior = np.random.default_rng(seed).dirichlet(np.ones(4), 30)
    tempered = temper(posterior, temperature)
    assert np.array_equal(tempered.argmax(axis=1), posterior.argmax(axis=1))
    assert tempered.sum(axis=1) == pytest.approx(1.0)
    assert (tempered.max() > posterior.max()) == (temperature < 1) or temperature == pytest.approx(1.0)
    wanted = np.random.default_rng(seed).uniform(0.26, 0.999, 30)
    found = temper(posterior, temperatures_for(posterior, wanted))
    surest = temper(posterior, COLDEST).max(axis=1)  # of two classes that are equally probable, .5
    assert found.max(axis=1) == pytest.approx(np.minimum(wanted, surest), abs=1e-5)
    ordered = np.take_along_axis(found, np.argsort(posterior, axis=1), axis=1)
    assert (np.diff(ordered, axis=1) >= 0).all()


def test_tempering_keeps_the_order_of_classes_that_are_hardly_possible() -> None:
    tempered = temper(np.array([[1e-60, 1.0, 1e-20, 1e-40, 0.0]]), 60.0)
    assert np.argsort(-tempered[0]).tolist() == [1, 2, 3, 0, 4]


def test_no_document_is_less_sure_than_of_every_class_alike_nor_surer_than_a_tie_allows() -> None:
    posterior = np.array([[0.7, 0.2, 0.1], [0.4, 0.4, 0.2]])
    found = temper(posterior, temperatures_for(posterior, np.array([0.01, 0.99])))
    assert found[0] == pytest.approx(1 / 3, abs=1e-3)
    assert found[0].argmax() == 0
    assert found[1] == pytest.approx([0.5, 0.5, 0.0], abs=1e-3)


# ---------------------------------------------------------------------------------------------- the model


@pytest.fixture(scope="module")
def fitted(toy_texts: list[str], toy_seeds: dict[str, list[str]]) -> Any:
    return SeedTopicClassifier(toy_seeds, random_state=0, max_iter=15).fit(toy_texts)


def test_the_obvious_is_got_right(fitted: Any, toy_labels: list[str]) -> None:
    assert (fitted.transduction_ == np.array(toy_labels)).mean() >= 0.95
    new = ["league coach", "price of a share", "a cold cloud"]
    assert fitted.predict(new).tolist() == ["sports", "money", "weather"]
    assert fitted.classes_.tolist() == ["sports", "money", "weather"]


def test_rows_are_distributions(fitted: Any, toy_texts: list[str]) -> None:
    for distributions in (fitted.label_distributions_, fitted.predict_proba(toy_texts)):
        assert distributions.shape == (len(toy_texts), 3)
        assert distributions.sum(axis=1) == pytest.approx(1.0)
        assert (distributions >= 0).all()
    assert fitted.topic_word_.shape == (3, len(fitted.vocabulary_))
    assert fitted.topic_word_.sum(axis=1) == pytest.approx(1.0, abs=1e-4)
    assert fitted.background_word_.shape == (40, len(fitted.vocabulary_))
    assert len(fitted.objective_) == 0
    assert fitted.n_iter_ == 15


def test_documents_without_a_known_word_are_given_every_class_alike(
    fitted: Any, toy_texts: list[str], toy_seeds: dict[str, list[str]]
) -> None:
    assert fitted.predict_proba(["", "qwertzu of"]) == pytest.approx(np.full((2, 3), 1 / 3))
    model = SeedTopicClassifier(toy_seeds, random_state=0, max_iter=3).fit([*toy_texts, "", "of the and"])
    assert model.label_distributions_[-2:] == pytest.approx(np.full((2, 3), 1 / 3))


def test_a_prediction_does_not_depend_on_the_company(fitted: Any, toy_texts: list[str]) -> None:
    together = fitted.predict_proba(toy_texts)
    alone = np.vstack([fitted.predict_proba([text]) for text in toy_texts])
    assert np.array_equal(together, alone)


VARIANTS: dict[str, dict[str, Any]] = {
    "default": {},
    "mixture": {"mixture": True},
    "regression": {"mixture": False, "self_training_rounds": 0},
    "topics alone": {"refine": False, "mixture": False},
    "mixture after topics": {"refine": False, "mixture": True},
    "no graph": {"n_neighbors": 0},
    "seeds alike": {"weigh_seeds": False},
    "examples alike": {"weigh_examples": False},
    "no label frequency": {"rho": 0.0},
    "no naive Bayes": {"naive_bayes_start": False},
    "relevance of the seeds": {"refresh_relevance": 0},
    "no smoothing": {"smoothing_steps": 0},
    "not calibrated": {"calibrate": False},
}


@pytest.mark.parametrize("options", VARIANTS.values(), ids=VARIANTS)
def test_every_option_off_still_works_and_is_saved(
    options: dict[str, Any],
    toy_texts: list[str],
    toy_labels: list[str],
    toy_seeds: dict[str, list[str]],
    tmp_path: Path,
) -> None:
    model = SeedTopicClassifier(toy_seeds, random_state=0, max_iter=10, **options).fit(toy_texts)
    assert (model.transduction_ == np.array(toy_labels)).mean() >= 0.9
    assert (model.predict(toy_texts) == np.array(toy_labels)).mean() >= 0.9
    assert hasattr(model, "coef_") == options.get("refine", True)
    if options.get("mixture", "auto") != "auto":
        assert hasattr(model, "mixture_word_") == options["mixture"]
    model.save(tmp_path / "model")
    again = load(tmp_path / "model")
    new = [*toy_texts, "unheard of", ""]
    assert np.array_equal(again.predict_proba(new), model.predict_proba(new))
    assert np.array_equal(again.label_distributions_, model.label_distributions_)
    assert np.array_equal(again.transduction_, model.transduction_)


def test_calibration_changes_no_label(toy_texts: list[str], toy_seeds: dict[str, list[str]]) -> None:
    with_it, without = (
        SeedTopicClassifier(toy_seeds, random_state=0, max_iter=5, calibrate=wish).fit(toy_texts)
        for wish in (True, False)
    )
    assert np.array_equal(with_it.transduction_, without.transduction_)
    assert np.array_equal(with_it.predict(toy_texts), without.predict(toy_texts))
    assert float(without.temperature_) == 1.0


@settings(deadline=None, max_examples=5)
@given(order=st.permutations(range(36)))
def test_the_order_of_the_documents_changes_no_label(
    order: list[int], toy_texts: list[str], toy_seeds: dict[str, list[str]]
) -> None:
    texts = [f"{text} unique{position}" for position, text in enumerate(toy_texts)]
    model = SeedTopicClassifier(toy_seeds, random_state=0, max_iter=6)
    as_given = model.fit(texts).label_distributions_
    shuffled = clone(model).fit([texts[i] for i in order]).label_distributions_
    assert np.array_equal(as_given[order], shuffled)


def test_threads_and_repetition_change_nothing(toy_texts: list[str], toy_seeds: dict[str, list[str]]) -> None:
    runs = [
        SeedTopicClassifier(toy_seeds, random_state=3, max_iter=8, n_threads=n).fit(toy_texts)
        for n in (1, 2, 2)
    ]
    assert np.array_equal(runs[0].label_distributions_, runs[1].label_distributions_)
    assert np.array_equal(runs[1].label_distributions_, runs[2].label_distributions_)


def test_the_numpy_kernel_gives_the_same_labels(
    toy_texts: list[str], toy_seeds: dict[str, list[str]]
) -> None:
    fast, slow = (
        SeedTopicClassifier(toy_seeds, random_state=0, max_iter=8, kernel=kernel).fit(toy_texts)
        for kernel in ("auto", "numpy")
    )
    assert fast.topic_word_ == pytest.approx(slow.topic_word_, abs=1e-7)
    assert fast.label_distributions_ == pytest.approx(slow.label_distributions_, abs=1e-5)
    assert np.array_equal(fast.transduction_, slow.transduction_)


def test_counts_with_a_vocabulary_are_as_good_as_text(
    toy_texts: list[str], toy_seeds: dict[str, list[str]]
) -> None:
    from_text = SeedTopicClassifier(toy_seeds, random_state=0, max_iter=5, stop_words=None).fit(toy_texts)
    vectorizer = CountVectorizer().fit(toy_texts)
    counts = vectorizer.transform(toy_texts)
    vocabulary = vectorizer.get_feature_names_out().tolist()
    from_counts = SeedTopicClassifier(toy_seeds, vocabulary=vocabulary, random_state=0, max_iter=5)
    assert np.array_equal(from_text.label_distributions_, from_counts.fit(counts).label_distributions_)
    assert np.array_equal(from_counts.predict_proba(counts), from_text.predict_proba(toy_texts))


def test_a_category_without_words_stays_a_class_and_takes_no_documents(
    toy_texts: list[str], toy_labels: list[str], toy_seeds: dict[str, list[str]]
) -> None:
    model = SeedTopicClassifier({**toy_seeds, "opera": ["aria"]}, vectors=None, random_state=0)
    with pytest.warns(SeedWarning, match="no word is left for opera"):
        model.fit(toy_texts)
    assert model.classes_.tolist()[-1] == "opera"
    assert "opera" not in model.transduction_
    assert (model.transduction_ == np.array(toy_labels)).mean() >= 0.9


def test_progress_is_told_by_stages(toy_texts: list[str], toy_seeds: dict[str, list[str]]) -> None:
    told: list[tuple[str, int, int]] = []
    model = SeedTopicClassifier(toy_seeds, max_iter=3, random_state=0)
    model.fit(toy_texts, progress=lambda *step: told.append(step))
    stages = ["reading words", "finding neighbours", "learning", "refining", "calibrating"]
    assert list(dict.fromkeys(stage for stage, _, _ in told)) == stages
    assert ("refining", 4, 4) in told
    assert told[-1] == ("calibrating", 1, 1)


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("n_neighbors", -1), ("n_neighbors", 2.5), ("n_background", 0), ("max_iter", 0), ("max_iter", True),
        ("refresh_relevance", -1), ("smoothing_steps", -1), ("mixture", "always"),
        ("self_training_rounds", -1), ("rho", 1.5), ("weigh_seeds", "yes"), ("weigh_examples", None),
        ("graph", "sentences"), ("kernel", "cuda"), ("n_threads", 0), ("seeds", None),
    ],
)  # fmt: skip
def test_parameters_out_of_range_are_named(
    parameter: str, value: Any, toy_texts: list[str], toy_seeds: dict[str, list[str]]
) -> None:
    model = SeedTopicClassifier(toy_seeds).set_params(**{parameter: value})
    with pytest.raises(InputError, match=parameter) as caught:
        model.fit(toy_texts)
    assert "\n" not in str(caught.value)


SEEDS_AS_WRITTEN: dict[str, dict[str, list[str]]] = {
    "a shared word": {
        "sports": ["game", "goal", "cold"],
        "money": ["bank", "stock"],
        "weather": ["cold", "sky"],
    },
    "one word each": {"sports": ["goal"], "money": ["market"], "weather": ["storm"]},
    "very different numbers": {
        "sports": ["team", "won", "game", "goal", "player", "scored", "league", "coach", "final"],
        "money": ["market"],
        "weather": ["storm", "sky"],
    },
    "mostly missing words": {
        "sports": ["goal", "cricket", "curling"],
        "money": ["stock", "florin"],
        "weather": ["storm", "sky", "hail"],
    },
    "rare words": {"sports": ["praised", "goal"], "money": ["bank", "market"], "weather": ["warm", "storm"]},
}


@pytest.mark.filterwarnings("ignore::seedtopic.base.errors.SeedWarning")
@pytest.mark.parametrize("seeds", SEEDS_AS_WRITTEN.values(), ids=SEEDS_AS_WRITTEN)
def test_seeds_as_people_write_them(
    seeds: dict[str, list[str]], toy_texts: list[str], toy_labels: list[str]
) -> None:
    model = SeedTopicClassifier(seeds, random_state=0, max_iter=15).fit(toy_texts)
    assert (model.transduction_ == np.array(toy_labels)).mean() >= 0.85


def test_every_parameter_is_stored_and_cloned(toy_seeds: dict[str, list[str]]) -> None:
    model = SeedTopicClassifier(toy_seeds, n_neighbors=7)
    assert clone(model).get_params() == model.get_params()
    assert set(model.get_params()) == set(inspect.signature(SeedTopicClassifier).parameters)


def test_three_documents_are_enough_for_what_their_seeds_say():
    texts = ["the team won the game", "a goal in the game", "the bank cut its rate"]
    model = SeedTopicClassifier({"sports": ["game", "team"], "money": ["bank"]}, random_state=0).fit(texts)
    assert model.transduction_.tolist() == ["sports", "sports", "money"]
    assert model.predict(["a low rate"]).tolist() == ["money"]
