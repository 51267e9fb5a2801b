import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from seedtopic import InputError, load
from seedtopic.learning.graph.neighbours import neighbor_graph
from seedtopic_lab.pldnb import PLDNB, smoothed

SEEDS = {"sports": ["game", "team"], "money": ["bank"]}
TEXTS = [
    "team won the game late",
    "goal won late game",
    "bank cut rate",
    "rate rise bank fees",
    "late goal won",
    "fees rise rate",
    "bank sponsors team",
]
WORDS = ["game", "team", "bank", "goal", "rate"]
COUNTS = np.array([[2, 1, 0, 1, 0], [0, 0, 2, 0, 1], [1, 0, 1, 0, 0], [0, 0, 0, 3, 0], [0, 0, 0, 0, 2]])


def bayes_by_hand(counts, labels, laplace):
    """Naive Bayes with soft labels, one number at a time."""
    n_documents, n_words = counts.shape
    prior = [laplace + sum(labels[d][c] for d in range(n_documents)) for c in range(2)]
    word = [
        [laplace + sum(labels[d][c] * counts[d, v] for d in range(n_documents)) for v in range(n_words)]
        for c in range(2)
    ]
    posterior = []
    for d in range(n_documents):
        joint = [
            prior[c]
            / sum(prior)
            * np.prod([(word[c][v] / sum(word[c])) ** int(counts[d, v]) for v in range(n_words)])
            for c in range(2)
        ]
        posterior.append([value / sum(joint) for value in joint])
    return posterior


@pytest.mark.parametrize("nu", [0.0, 0.25])
@pytest.mark.parametrize("weight", [0.0, 0.1])
def test_two_iterations_by_hand(nu, weight):
    model = PLDNB(
        SEEDS, mu=0.3, nu=nu, unlabelled_weight=weight, laplace=0.5, n_neighbors=1, max_iter=2, tolerance=0,
        vocabulary=WORDS,
    ).fit(COUNTS)  # fmt: skip
    seeds = {0: [1, 0], 1: [0, 1], 2: [0.5, 0.5]}  # documents 3 and 4 have no seed
    graph = neighbor_graph(sp.csr_array(COUNTS, dtype=np.float32), 1).toarray()
    posterior = bayes_by_hand(COUNTS, [seeds.get(d, [0, 0]) for d in range(5)], 0.5)
    for _ in range(2):
        base = [
            [0.7 * seeds[d][c] + 0.3 * posterior[d][c] if d in seeds else posterior[d][c] for c in range(2)]
            for d in range(5)
        ]
        labels = []
        for d in range(5):
            near = [base[j] for j in range(5) if graph[d, j]]
            mean = np.mean(near, axis=0) if near else base[d]
            labels.append(
                [(1.0 if d in seeds else weight) * ((1 - nu) * base[d][c] + nu * mean[c]) for c in range(2)]
            )
        posterior = bayes_by_hand(COUNTS, labels, 0.5)
    assert model.label_distributions_ == pytest.approx(np.array(posterior), rel=1e-9)
    assert model.n_iter_ == 2


def test_labels_reach_documents_without_seeds():
    model = PLDNB(SEEDS).fit(TEXTS)
    assert model.transduction_[[0, 1, 4]].tolist() == ["sports"] * 3
    assert model.transduction_[[2, 3, 5]].tolist() == ["money"] * 3


def test_prediction_is_the_posterior_of_the_fitted_documents():
    model = PLDNB(SEEDS).fit(TEXTS)
    assert model.predict_proba(TEXTS) == pytest.approx(model.label_distributions_, rel=1e-12)


def test_unknown_words_leave_the_class_prior():
    model = PLDNB(SEEDS).fit(TEXTS)
    assert model.predict_proba(["nothing known"])[0] == pytest.approx(model.class_prior_)


def test_distributions_are_distributions():
    model = PLDNB(SEEDS).fit(TEXTS)
    assert model.topic_word_.sum(axis=1) == pytest.approx(1.0)
    assert model.class_prior_.sum() == pytest.approx(1.0)
    assert (model.topic_word_ > 0).all()


def test_long_documents_do_not_underflow():
    model = PLDNB(SEEDS).fit(TEXTS)
    assert model.predict_proba(["bank rate fees " * 5000])[0] == pytest.approx([0, 1])


def test_stops_when_labels_stay():
    assert PLDNB(SEEDS, max_iter=50).fit(TEXTS).n_iter_ < 50
    assert PLDNB(SEEDS, max_iter=50, tolerance=0).fit(TEXTS).n_iter_ == 50


def test_order_of_documents_and_threads_do_not_matter():
    one = PLDNB(SEEDS, n_threads=1).fit(TEXTS).label_distributions_
    assert (PLDNB(SEEDS, n_threads=2).fit(TEXTS).label_distributions_ == one).all()
    assert (PLDNB(SEEDS).fit(TEXTS[::-1]).label_distributions_[::-1] == one).all()


def test_saved_and_read_back(tmp_path):
    model = PLDNB(SEEDS, mu=0.4).fit(TEXTS)
    model.save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert (again.predict_proba(TEXTS) == model.predict_proba(TEXTS)).all()
    assert (again.label_distributions_ == model.label_distributions_).all()
    assert again.mu == 0.4


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("mu", 1.1), ("mu", float("nan")), ("nu", -0.1), ("tolerance", 2), ("unlabelled_weight", -1),
        ("laplace", 0), ("n_neighbors", -1), ("n_neighbors", 1.5), ("max_iter", 0), ("max_iter", True),
    ],
)  # fmt: skip
def test_bad_parameters(name, value):
    with pytest.raises(InputError, match=name):
        PLDNB(SEEDS, **{name: value}).fit(TEXTS)


@given(st.integers(1, 12), st.floats(0, 1), st.integers(0, 2**32 - 1))
def test_smoothing_keeps_distributions_and_agreement(n, share, seed):
    rng = np.random.default_rng(seed)
    labels = rng.dirichlet(np.ones(3), n)
    joined = np.triu(rng.random((n, n)) < 0.3, 1)
    graph = sp.csr_array((joined | joined.T).astype(np.float32))
    after = smoothed(labels, graph, share)
    assert after.sum(axis=1) == pytest.approx(1.0)
    assert (after >= labels.min(axis=0) - 1e-12).all()
    assert (after <= labels.max(axis=0) + 1e-12).all()
    same = np.tile(labels[:1], (n, 1))
    assert smoothed(same, graph, share) == pytest.approx(same)
