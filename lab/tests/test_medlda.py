"""MedLDA: the compiled sampler against slow obvious ones, the draws against their laws, the estimator."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from seedtopic import InputError, load
from seedtopic_lab.medlda import C_GRID, MedLDA, dealt_folds, one_against_rest
from seedtopic_lab.medlda_kernel import (
    Tokens,
    draw_rates,
    draw_weights,
    fold_in,
    sweep_tokens,
    tally_pairs,
    uniform,
)

# ---- the slow obvious versions ------------------------------------------------------------------------


def flat(lists: list[list[int]]) -> list[int]:
    return [item for items in lists for item in items]


def chosen(weights: list[float], u: float) -> int:
    cumulative = np.cumsum(weights)
    return int(np.searchsorted(cumulative, u * cumulative[-1], side="right"))


def slow_sweep(
    documents: list[list[int]], z: list[list[int]], n_words: int, y: Any, lam: Any, eta: Any,
    alpha: float, beta: float, c: float, ell: float, stream: int,
) -> None:  # fmt: skip
    """Draw each token's topic from the printed conditional, every count made anew."""
    n_classes, n_topics = eta.shape
    position = 0
    for d, words in enumerate(documents):
        for n, w in enumerate(words):
            z[d][n] = -1  # the token itself does not count
            pairs = [(v, k) for ws, ks in zip(documents, z, strict=True) for v, k in zip(ws, ks, strict=True)]
            log_weights = []
            for k in range(n_topics):
                log_weight = np.log(sum(p == (w, k) for p in pairs) + beta)
                log_weight -= np.log(sum(topic == k for _, topic in pairs) + n_words * beta)
                log_weight += np.log(z[d].count(k) + alpha)
                for i in range(n_classes):
                    s = sum(eta[i, topic] for topic in z[d] if topic >= 0)
                    length = len(words)
                    log_weight += c * y[d, i] * (c * ell + lam[d, i]) * eta[i, k] / (lam[d, i] * length)
                    log_weight -= c**2 * (eta[i, k] ** 2 + 2 * eta[i, k] * s) / (2 * lam[d, i] * length**2)
                log_weights.append(log_weight)
            z[d][n] = chosen(np.exp(np.array(log_weights) - max(log_weights)), uniform(stream, position))
            position += 1


def slow_fold_in(words: list[int], phi: Any, alpha: float, streams: Any, n_samples: int) -> Any:
    n_topics = len(phi)
    z = [-1] * len(words)
    mean = np.zeros(n_topics)
    for s, stream in enumerate(streams):
        for n, w in enumerate(words):
            z[n] = -1
            z[n] = chosen([phi[k, w] * (z.count(k) + alpha) for k in range(n_topics)], uniform(stream, n))
        if s >= len(streams) - n_samples:
            mean += np.bincount(z, minlength=n_topics) / len(words) / n_samples
    return mean


# ---- the sampler --------------------------------------------------------------------------------------


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 4), st.integers(2, 4))
def test_a_sweep_is_that_of_the_printed_conditional(seed: int, n_topics: int, n_classes: int) -> None:
    rng = np.random.default_rng(seed)
    n_words, alpha, beta, c, ell = 5, 0.3, 0.1, 1.3, 4.0
    documents = [rng.integers(n_words, size=length).tolist() for length in (4, 0, 7, 1)]
    z = [rng.integers(n_topics, size=len(words)).tolist() for words in documents]
    y = np.where(rng.random((4, n_classes)) < 0.5, 1.0, -1.0)
    lam = rng.gamma(2.0, size=y.shape)
    eta = rng.normal(size=(n_classes, n_topics))

    tokens = Tokens(
        np.array(flat(documents), dtype=np.int32), np.cumsum([0, *(len(words) for words in documents)])
    )
    topics = np.array(flat(z), dtype=np.int32)
    row = np.repeat(np.arange(4), tokens.lengths)
    doc_topic = tally_pairs(row, topics, 4, n_topics)
    word_topic = tally_pairs(tokens.words, topics, n_words, n_topics)
    totals = word_topic.sum(axis=0)
    rates = c**2 / lam
    linear = y * (c + ell * rates)
    stream = rng.integers(2**64, dtype=np.uint64)
    sweep_tokens(tokens.words, tokens.starts, topics, doc_topic, word_topic, totals, linear, rates, eta, alpha, beta, stream)  # fmt: skip
    slow_sweep(documents, z, n_words, y, lam, eta, alpha, beta, c, ell, stream)

    assert topics.tolist() == flat(z)
    assert (doc_topic == tally_pairs(row, topics, 4, n_topics)).all()
    assert (word_topic == tally_pairs(tokens.words, topics, n_words, n_topics)).all()
    assert (totals == word_topic.sum(axis=0)).all()


def test_huge_exponents_do_not_overflow() -> None:
    eta = np.array([[1e3, -1e3]])
    tally = np.array([[1.0, 0.0]])
    topics = np.zeros(1, dtype=np.int32)
    linear, rates = np.array([[-1e4]]), np.array([[1.0]])  # the document is far on the side of topic 1
    sweep_tokens(
        np.zeros(1, np.int32), np.array([0, 1]), topics, tally.copy(), tally.copy(), tally[0].copy(),
        linear, rates, eta, 0.1, 0.1, np.uint64(1),
    )  # fmt: skip
    assert topics.tolist() == [1]


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 5))
def test_folding_in_is_that_of_the_slow_version(seed: int, n_topics: int) -> None:
    rng = np.random.default_rng(seed)
    phi = rng.dirichlet(np.ones(6), size=n_topics)
    words = rng.integers(6, size=9).tolist()
    # One sweep of burn-in cannot settle early, having none before it.
    streams = rng.integers(2**64, size=5, dtype=np.uint64)
    tokens = Tokens(np.array(words, dtype=np.int32), np.array([0, 0, 9]))
    fast = fold_in(tokens, phi, 0.4, streams, n_samples=4)
    assert fast[0].tolist() == [0.0] * n_topics  # the empty document
    assert fast[1] == pytest.approx(slow_fold_in(words, phi, 0.4, streams, 4))


def test_a_settled_document_skips_the_rest_of_the_burn_in() -> None:
    # One topic: the likelihood cannot change, so 2 sweeps of 1,000,000 are enough.
    streams = np.zeros(1_000_000, dtype=np.uint64)
    tokens = Tokens(np.zeros(1000, dtype=np.int32), np.array([0, 1000]))
    assert fold_in(tokens, np.ones((1, 1)), 1.0, streams, 1) == pytest.approx(1.0)


def test_the_random_stream_is_uniform() -> None:
    stream, other = np.uint64(3), np.uint64(4)
    numbers = np.array([uniform(stream, n) for n in range(5000)])
    assert ((numbers >= 0) & (numbers < 1)).all()
    assert stats.kstest(numbers, "uniform").pvalue > 0.01
    others = [uniform(other, n) for n in range(5000)]
    assert abs(np.corrcoef(numbers, others)[0, 1]) < 0.05
    assert abs(np.corrcoef(numbers[1:], numbers[:-1])[0, 1]) < 0.05


@pytest.mark.parametrize("slack", [0.05, 2.0, -60.0])
def test_rates_are_inverse_gaussian(slack: float) -> None:
    c = 1.6
    rates = draw_rates(np.full(20_000, slack), c, np.random.default_rng(0))
    # scipy's invgauss(mu, scale) has the mean mu * scale and the shape scale.
    law = stats.invgauss(1 / (c * abs(slack)), scale=c**2)
    assert law.mean() == pytest.approx(c / abs(slack))
    assert stats.kstest(rates, law.cdf).pvalue > 0.01


def test_rates_at_the_margin_itself_are_numbers() -> None:
    rates = draw_rates(np.zeros(1000), 1.0, np.random.default_rng(0))
    assert np.isfinite(rates).all()
    assert (rates > 0).all()


def test_weights_have_the_mean_and_the_spread_of_their_gaussian() -> None:
    c, ell, nu2 = 1.2, 5.0, 0.7
    shares = np.array([[0.5, 0.5, 0.0], [0.0, 0.25, 0.75], [1.0, 0.0, 0.0]])
    lam, y = np.array([0.5, 2.0, 1.0]), np.array([1.0, -1.0, 1.0])
    precision = np.eye(3) / nu2
    pull = np.zeros(3)
    for zbar, lam_d, sign in zip(shares, lam, y, strict=True):
        precision += c**2 * np.outer(zbar, zbar) / lam_d
        pull += c * sign * (lam_d + c * ell) / lam_d * zbar
    # As many classes as draws, all with the same labels.
    rates = np.tile((c**2 / lam)[:, None], (1, 40_000))
    draws = draw_weights(shares, y[:, None] * (c + ell * rates), rates, nu2, np.random.default_rng(0))
    assert draws.mean(axis=0) == pytest.approx(np.linalg.solve(precision, pull), abs=0.02)
    assert np.cov(draws.T) == pytest.approx(np.linalg.inv(precision), abs=0.02)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=40), st.integers(2, 6))
def test_folds_share_out_every_class_evenly(classes: list[int], n_folds: int) -> None:
    folds = dealt_folds(np.array(classes), n_folds, np.random.default_rng(0))
    for k in set(classes):
        sizes = np.bincount(folds[np.array(classes) == k], minlength=n_folds)
        assert sizes.max() - sizes.min() <= 1


def test_signs_are_one_against_the_rest() -> None:
    assert one_against_rest(np.array([2, 0]), 3).tolist() == [[-1, -1, 1], [1, -1, -1]]


# ---- the estimator ------------------------------------------------------------------------------------

SMALL: dict[str, Any] = {"n_topics": 6, "n_sweeps": 30, "random_state": 0}


@pytest.fixture(scope="module")
def fitted(toy_texts: list[str], toy_labels: list[str]) -> MedLDA:
    return MedLDA(**SMALL).fit(toy_texts, toy_labels)


def test_the_obvious_is_got_right(fitted: MedLDA, toy_texts: list[str], toy_labels: list[str]) -> None:
    assert fitted.classes_.tolist() == ["money", "sports", "weather"]
    assert fitted.score(toy_texts, toy_labels) == 1.0
    unseen = ["league coach goal", "price of a share, a loan", "a cold cloud and storm"]
    assert fitted.predict(unseen).tolist() == ["sports", "money", "weather"]


def test_labels_alone_decide_what_is_learned(toy_texts: list[str]) -> None:
    # The same texts, labelled by whether they have a word: not the grouping that the topics suggest.
    labels = ["wind" if "wind" in text or "goal" in text else "still" for text in toy_texts]
    assert MedLDA(**SMALL).fit(toy_texts, labels).score(toy_texts, labels) >= 0.9


def test_what_is_learned_has_the_promised_form(fitted: MedLDA, toy_texts: list[str]) -> None:
    assert fitted.topics_.shape == (6, len(fitted.vocabulary_))
    assert fitted.topics_.sum(axis=1) == pytest.approx(1.0)
    assert fitted.class_topic_.shape == (3, 6)
    assert fitted.c_ == 1.6
    assert fitted.cv_scores_.size == 0
    assert fitted.predict_proba(toy_texts).sum(axis=1) == pytest.approx(1.0)


def test_without_a_known_word_all_classes_are_as_likely(fitted: MedLDA) -> None:
    assert fitted.predict_proba(["", "zyzzyva unheard"]) == pytest.approx(1 / 3)
    unknown_dropped = fitted.predict_proba(["goal unheard", "goal"])
    assert unknown_dropped[0] == pytest.approx(unknown_dropped[1])


def test_the_same_seed_gives_the_same_model_in_any_order_of_documents(
    fitted: MedLDA, toy_texts: list[str], toy_labels: list[str]
) -> None:
    # A text that comes with two labels must not let the order in by the back door.
    texts, labels = [*toy_texts, toy_texts[0]], [*toy_labels, "weather"]
    straight = MedLDA(**SMALL, n_threads=1).fit(texts, labels)
    backwards = MedLDA(**SMALL, n_threads=2).fit(texts[::-1], labels[::-1])
    assert (straight.topics_ == backwards.topics_).all()
    assert (straight.class_topic_ == backwards.class_topic_).all()
    other = MedLDA(**{**SMALL, "random_state": 1}).fit(texts, labels)
    assert (straight.topics_ != other.topics_).any()


def test_a_prediction_does_not_depend_on_its_company(fitted: MedLDA, toy_texts: list[str]) -> None:
    together = fitted.predict_proba(toy_texts)
    assert fitted.predict_proba(toy_texts[::-1])[::-1] == pytest.approx(together, rel=1e-12)
    assert fitted.predict_proba(toy_texts[5:6])[0] == pytest.approx(together[5], rel=1e-12)


def test_counts_give_what_texts_give(fitted: MedLDA, toy_texts: list[str], toy_labels: list[str]) -> None:
    column = {word: k for k, word in enumerate(fitted.vocabulary_)}
    counts = np.zeros((len(toy_texts), len(column)))
    for d, text in enumerate(toy_texts):
        for word in text.split():
            counts[d, column[word]] += 1
    same = MedLDA(**SMALL, vocabulary=fitted.vocabulary_).fit(sp.csr_matrix(counts), toy_labels)
    assert (same.topics_ == fitted.topics_).all()


def test_cross_validation_chooses_c(toy_texts: list[str], toy_labels: list[str]) -> None:
    told: list[tuple[str, int, int]] = []
    one, two = (
        MedLDA(**SMALL, c="cv", cv=2, cv_sweeps=4, n_threads=n).fit(
            toy_texts, toy_labels, progress=lambda *step: told.append(step)
        )
        for n in (1, 2)
    )
    assert one.cv_scores_.shape == (4,)
    assert one.c_ == C_GRID[one.cv_scores_.argmax()]
    assert (one.cv_scores_ == two.cv_scores_).all()
    assert (one.topics_ == two.topics_).all()
    assert ("choosing c", 8, 8) in told
    assert ("learning", 30, 30) in told


def test_save_load_predict_is_the_identity(fitted: MedLDA, toy_texts: list[str], tmp_path: Path) -> None:
    fitted.save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert again.get_params() == fitted.get_params()
    assert (again.predict_proba(toy_texts) == fitted.predict_proba(toy_texts)).all()
    assert float(again.c_) == 1.6


def test_numbers_can_be_labels(toy_texts: list[str], toy_labels: list[str], tmp_path: Path) -> None:
    numbers = [{"sports": 7, "money": 1, "weather": 3}[label] for label in toy_labels]
    model = MedLDA(**SMALL).fit(toy_texts, numbers)
    model.save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert again.predict(toy_texts).tolist() == model.predict(toy_texts).tolist() == numbers


@pytest.mark.parametrize(
    ("labels", "match"),
    [
        (None, "y is None"),
        (["a", None], "document 1 is None"),
        (["a", float("nan")], "document 1 is nan"),
        (np.array([np.nan, 1.0]), "document 0 is nan"),
        (["a"], "2 documents but 1 labels"),
        (["a", "b", "a"], "2 documents but 3 labels"),
        (["a", "a"], "at least 2 classes"),
        ([0.5, 1.7], "continuous"),
        ([["a", "b"], ["b", "a"]], "labels cannot be used"),
    ],
)
def test_bad_labels_are_named(labels: Any, match: str) -> None:
    with pytest.raises(InputError, match=match):
        MedLDA(n_topics=2).fit(["gold ship", "bank rate"], labels)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_topics", 0),
        ("n_topics", 2.5),
        ("n_sweeps", 0),
        ("n_samples", 0),
        ("burn_in", -1),
        ("cv", 1),
        ("cv_sweeps", True),
        ("alpha_sum", 0.0),
        ("beta", -1.0),
        ("ell", float("nan")),
        ("nu2", float("inf")),
        ("c", 0),
        ("c", "grid"),
        ("c", None),
    ],
)
def test_bad_parameters_are_named(name: str, value: object) -> None:
    with pytest.raises(InputError, match=f"^{name} is {value!r}"):
        MedLDA(**{name: value}).fit(["gold ship", "bank rate"], ["a", "b"])


@pytest.mark.corpora
def test_reuters_is_learned() -> None:
    from seedtopic_lab.corpora import fetch_reuters10

    data = fetch_reuters10()
    train = np.array(data.split) == "train"
    texts, labels = np.array(data.texts, dtype=object), np.array(data.labels)
    model = MedLDA(random_state=0, n_sweeps=20).fit(texts[train], labels[train])
    assert model.score(texts[~train], labels[~train]) >= 0.92
