import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import gammaln
from sklearn.metrics import f1_score

from seedtopic import InputError, SeedWarning, load
from seedtopic_lab.stm import STM, document_prior, document_relevance, switch_probability
from seedtopic_lab.stm_kernel import CATEGORY, Concentrations, counts_of, start, sweep, tokens_of

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


# ---- relevance and prior by hand ---------------------------------------------------------------------


def test_relevance_by_hand():
    # Words: seed a of A, seed b of B, then x with both and y with a alone, z with nothing.
    counts = sp.csr_array([[1, 0, 1, 2], [3, 0, 0, 1], [0, 1, 1, 0], [0, 0, 0, 0]], dtype=np.float32)
    counts = sp.csr_array(sp.hstack([counts, sp.csr_array([[0], [0], [0], [1]], dtype=np.float32)]))
    membership = sp.csr_array(([1.0, 1.0], ([0, 1], [0, 1])), shape=(2, 5))
    # p(w|a) = 1, 0, 1/2, 1, 0 and p(w|b) = 0, 1, 1, 0, 0; shares minus 1/2 leave, for A: a 1/2, y 1/2;
    # for B: b 1/2, x 2/3 - 1/2 = 1/6.
    assert document_relevance(counts, membership, np.array([1, 1])) == pytest.approx(
        np.array([[1, 0.01], [0.01, 1], [0.01, 1], [1, 0.01], [0.01, 0.01]])
    )


def test_seeds_that_do_not_occur_count_in_the_mean():
    # x shares its one document with a (df 2) and b (df 2); halved by a missing seed, A no longer wins.
    counts = sp.csr_array([[1, 1, 1], [1, 0, 0], [0, 1, 0]], dtype=np.float32)
    membership = sp.csr_array(([1.0, 1.0], ([0, 1], [0, 1])), shape=(2, 3))
    assert document_relevance(counts, membership, np.array([1, 1]))[2].tolist() == [0.01, 0.01]
    assert document_relevance(counts, membership, np.array([2, 1]))[2] == pytest.approx([0.01, 1.0])


@given(st.floats(0.01, 0.99), st.floats(0, 1), st.floats(0, 1))
def test_switch_grows_with_relevance_up_to_rho(rho, low, high):
    low, high = sorted((low, high))
    at_low, at_high = switch_probability(np.array([low, high]), rho)
    assert 0 <= at_low <= at_high <= rho + 1e-12
    assert switch_probability(np.array([1.0]), rho)[0] == pytest.approx(rho)


def test_prior_by_hand():
    eta = document_prior(np.array([[1.0, 0.0], [0.0, 0.0]]), 0.01)
    share = (np.log(2) + 0.01) / (np.log(2) + 0.02)
    assert eta == pytest.approx(np.array([[share, 1 - share], [0.5, 0.5]]))


# ---- the sampler against the published formulas ------------------------------------------------------


def slow_sweep(documents, labels, assignments, delta, eta, n_general, p, rng):
    """One sweep with all counts made afresh from lists, and the score by log-gammas."""
    n_words, n_categories = delta.shape
    posteriors = []

    def tally(own_label, own, d):
        """Give n_cw, n_bw, n_cb with document d in own_label (or left out when that is None)."""
        n_cw, n_bw = np.zeros((n_categories, n_words)), np.zeros((n_general, n_words))
        n_cb = np.zeros((n_categories, n_general))
        for e, document in enumerate(documents):
            label, tokens = (own_label, own) if e == d else (labels[e], assignments[e])
            if label is None:
                continue
            for w, z in zip(document, tokens, strict=True):
                if z is None:
                    continue
                if z == CATEGORY:
                    n_cw[label, w] += 1
                else:
                    n_bw[z, w] += 1
                    n_cb[label, z] += 1
        return n_cw, n_bw, n_cb

    def rising(start, by):
        return (gammaln(start + by) - gammaln(start)).sum()

    for d, document in enumerate(documents):
        without_cw, without_bw, without_cb = tally(None, None, d)
        tried, scores = [], []
        for c in range(n_categories):
            phi = (without_cb[c] + p.alpha0) / (without_cb[c].sum() + n_general * p.alpha0)
            own = list(assignments[d])
            for i, w in enumerate(document):
                own[i] = None
                n_cw, n_bw, _ = tally(c, own, d)
                in_document = np.array([own.count(b) for b in range(n_general)])
                weights = [delta[w, c] * (n_cw[c, w] + p.beta0) / (n_cw[c].sum() + n_words * p.beta0)]
                for b in range(n_general):
                    weights.append(
                        (1 - delta[w, c])
                        * (n_bw[b, w] + p.beta1) / (n_bw[b].sum() + n_words * p.beta1)
                        * (in_document[b] + p.alpha2 * phi[b]) / (in_document.sum() + p.alpha2)
                    )  # fmt: skip
                cumulative = np.cumsum(weights)
                own[i] = int(np.searchsorted(cumulative, rng.random() * cumulative[-1], side="right")) - 1
            with_cw, with_bw, _ = tally(c, own, d)
            m_cw, m_bw = (with_cw - without_cw)[c], with_bw - without_bw
            m_b = m_bw.sum(axis=1)
            scores.append(
                rising(without_bw + p.beta1, m_bw)
                - rising(without_bw.sum(axis=1) + n_words * p.beta1, m_b)
                + rising(p.alpha2 * phi, m_b) - rising(p.alpha2, m_b.sum())
                + rising(without_cw[c] + p.beta0, m_cw)
                - rising(without_cw[c].sum() + n_words * p.beta0, m_cw.sum())
                + np.log(eta[d, c])
            )  # fmt: skip
            tried.append(own)
        posterior = np.exp(np.array(scores) - max(scores))
        posteriors.append(posterior / posterior.sum())
        label = int(np.searchsorted(np.cumsum(posteriors[-1]), rng.random(), side="right"))
        labels[d], assignments[d] = label, tried[label]
    return np.array(posteriors)


@settings(max_examples=6, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 7), st.integers(2, 4))
def test_sweeps_are_the_published_sampler(seed, n_general, n_categories):
    rng = np.random.default_rng(seed)
    n_words = 6
    counts = sp.csr_array(rng.poisson(0.7, (5, n_words)).astype(np.float32))
    delta = rng.uniform(0.05, 0.9, (n_words, n_categories))
    eta = rng.dirichlet(np.ones(n_categories), 5)
    p = Concentrations(50 / n_general, 3.0, 0.02, 0.03)
    tokens = tokens_of(counts)
    is_seed = rng.random((n_categories, n_words)) < 0.3
    labels, assignments = start(tokens, eta, is_seed, n_general, 0.85, rng)
    topics = counts_of(tokens, labels, assignments, (n_words, n_categories, n_general))
    posterior = np.empty_like(eta)

    parts = tokens.starts[1:-1]
    documents = [part.tolist() for part in np.split(tokens.words, parts)]
    slow_labels = labels.tolist()
    slow_assignments = [part.tolist() for part in np.split(assignments, parts)]
    fast_rng, slow_rng = np.random.default_rng(seed + 1), np.random.default_rng(seed + 1)
    for _ in range(2):
        sweep(
            tokens.words,
            tokens.starts,
            labels,
            assignments,
            delta,
            np.log(eta),
            topics,
            p,
            fast_rng,
            posterior,
        )
        expected = slow_sweep(documents, slow_labels, slow_assignments, delta, eta, n_general, p, slow_rng)
        assert posterior == pytest.approx(expected, rel=1e-8)
        assert labels.tolist() == slow_labels
        assert assignments.tolist() == [z for own in slow_assignments for z in own]
    # What was added and taken away has left no trace.
    for kept, fresh in zip(
        topics, counts_of(tokens, labels, assignments, (n_words, n_categories, n_general)), strict=True
    ):
        assert (kept == fresh).all()


def test_start_draws_what_it_says():
    is_seed = np.array([[True, False], [False, False]])
    counts = sp.csr_array(np.full((4000, 2), 5, dtype=np.float32))
    eta = np.tile([0.8, 0.2], (4000, 1))
    labels, assignments = start(tokens_of(counts), eta, is_seed, 3, 0.6, np.random.default_rng(0))
    assert (labels == 0).mean() == pytest.approx(0.8, abs=0.02)
    own = (assignments == CATEGORY).reshape(4000, 2, 5).mean(axis=2)
    assert own[labels == 0].mean(axis=0) == pytest.approx([0.8, 0.6], abs=0.02)  # a seed by (1 + rho) / 2
    assert own[labels == 1].mean(axis=0) == pytest.approx([0.6, 0.6], abs=0.02)
    general = assignments[assignments != CATEGORY]
    assert np.bincount(general) / len(general) == pytest.approx([1 / 3] * 3, abs=0.02)


def test_the_seeds_are_written_out_as_often_for_many_documents_as_for_one(monkeypatch):
    texts = ["the team won the game", "the bank cut its rate"] * 3
    model = STM({"sports": ["game"], "money": ["bank"]}, random_state=0, n_sweeps=2).fit(texts)
    written, dense = [], sp.csr_array.toarray
    monkeypatch.setattr(
        sp.csr_array, "toarray", lambda self, **kept: written.append(1) or dense(self, **kept)
    )
    model.predict(texts[:1])
    for_one = len(written)
    model.predict(texts)
    assert len(written) == 2 * for_one > 0


# ---- the model ---------------------------------------------------------------------------------------


def two_themes(n_documents, rng):
    """Texts of two themes with shared filler; the last quarter has no seeds."""
    themes = [[f"left{i}" for i in range(12)], [f"right{i}" for i in range(12)]]
    filler = [f"both{i}" for i in range(20)]
    texts, truth = [], []
    for d in range(n_documents):
        theme = d % 2
        words = themes[theme] if d < 0.75 * n_documents else themes[theme][2:]
        texts.append(" ".join([*rng.choice(words, 12), *rng.choice(filler, 8)]))
        truth.append("LR"[theme])
    return texts, np.array(truth)


THEMES = {"L": ["left0", "left1"], "R": ["right0", "right1"]}


def test_learns_what_goes_with_the_seeds():
    texts, truth = two_themes(120, np.random.default_rng(0))
    model = STM(THEMES, random_state=0).fit(texts)
    assert (model.transduction_ == truth).all()
    others, others_truth = two_themes(40, np.random.default_rng(1))
    assert (model.predict(others) == others_truth).all()
    left = model.topic_word_[:, [word.startswith("left") for word in model.vocabulary_]].sum(axis=1)
    assert left[0] > 0.6
    assert left[1] < 0.05


def test_counts_are_all_tokens():
    texts, _ = two_themes(20, np.random.default_rng(0))
    model = STM(THEMES, n_sweeps=3, n_general=4, random_state=0).fit(texts)
    of_words = model.category_word_count_.sum(axis=0) + model.general_word_count_.sum(axis=0)
    every_word = " ".join(texts).split()
    assert of_words.tolist() == [every_word.count(word) for word in model.vocabulary_]
    assert (model.category_general_count_.sum(axis=0) == model.general_word_count_.sum(axis=1)).all()
    assert model.general_word_count_.shape == (4, len(model.vocabulary_))


def test_random_state_decides_order_and_threads_do_not():
    texts, _ = two_themes(30, np.random.default_rng(0))

    def fitted(texts, state, threads=1):
        return STM(THEMES, n_sweeps=2, random_state=state, n_threads=threads).fit(texts).label_distributions_

    first = fitted(texts, 0)
    assert (fitted(texts, 0, 2) == first).all()
    assert (fitted(texts[::-1], 0)[::-1] == first).all()
    assert (fitted(texts, 1) != first).any()


def test_prediction_of_a_document_does_not_depend_on_others():
    texts, _ = two_themes(30, np.random.default_rng(0))
    model = STM(THEMES, random_state=0).fit(texts)
    together = model.predict_proba(texts)
    assert (model.predict_proba(texts[::-1])[::-1] == together).all()
    assert (model.predict_proba(texts[4:5])[0] == together[4]).all()


def test_prediction_leaves_the_counts():
    texts, _ = two_themes(30, np.random.default_rng(0))
    model = STM(THEMES, random_state=0).fit(texts)
    before = [model.category_word_count_.copy(), model.category_general_count_.copy()]
    model.predict(texts)
    assert (model.category_word_count_ == before[0]).all()
    assert (model.category_general_count_ == before[1]).all()


def test_documents_without_words_keep_their_prior():
    model = STM(SEEDS, random_state=0).fit([*TEXTS, "the"])
    assert model.label_distributions_[-1] == pytest.approx([0.5, 0.5])
    assert model.predict_proba(["unheard of"])[0] == pytest.approx([0.5, 0.5])


def test_saved_and_read_back(tmp_path):
    model = STM(SEEDS, rho=0.8, random_state=0).fit(TEXTS)
    model.save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert (again.predict_proba(TEXTS) == model.predict_proba(TEXTS)).all()
    assert (again.label_distributions_ == model.label_distributions_).all()
    assert again.rho == 0.8


def test_progress_is_told():
    told = []
    STM(SEEDS, n_sweeps=3, random_state=0).fit(TEXTS, progress=lambda *step: told.append(step))
    assert [step for step in told if step[0] == "learning"] == [("learning", i, 3) for i in range(4)]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_general", 0), ("n_general", 2.5), ("n_sweeps", 0), ("n_sweeps", True), ("rho", 1.0), ("rho", 0.0),
        ("epsilon", 0), ("smoothing", -1), ("alpha0", 0), ("alpha2", 0), ("beta0", 0),
        ("beta1", float("nan")),
    ],
)  # fmt: skip
def test_bad_parameters(name, value):
    with pytest.raises(InputError, match=name):
        STM(SEEDS, **{name: value}).fit(TEXTS)


def test_counts_must_be_whole():
    with pytest.raises(InputError, match="whole number"):
        STM({"a": ["x"], "b": ["y"]}, vocabulary=["x", "y"]).fit(np.array([[1.0, 0.5], [0.0, 1.0]]))


def test_a_category_without_words_is_possible():
    with pytest.warns(SeedWarning, match="unheard"):
        model = STM({**SEEDS, "other": ["unheard"]}, random_state=0).fit(TEXTS)
    assert np.isfinite(model.label_distributions_).all()


@pytest.mark.corpora
def test_medicine_and_space():
    from seedtopic_lab.corpora import fetch_newsgroups20, published_seeds

    names = ["sci.med", "sci.space"]
    posts = fetch_newsgroups20()
    kept = [d for d, label in enumerate(posts.labels) if label in names]
    seeds = published_seeds("newsgroups20", "SD")
    model = STM({name: seeds[name] for name in names}, random_state=0).fit([posts.texts[d] for d in kept])
    test = np.array([posts.split[d] == "test" for d in kept])
    truth = np.array([posts.labels[d] for d in kept])
    assert f1_score(truth[test], model.transduction_[test], average="macro") >= 0.95
