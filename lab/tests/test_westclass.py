"""WeSTClass: its parts against known answers and slow references, the whole on corpora with obvious labels."""

from __future__ import annotations

import subprocess
import sys
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from seedtopic import InputError, MissingExtraError, SeedWarning, load
from seedtopic_lab.westclass import WeSTClass
from seedtopic_lab.westclass.pseudo_documents import (
    Writer,
    draw_directions,
    fit_vmf,
    soft_labels,
)
from seedtopic_lab.westclass.seed_expansion import expand, own_seeds
from seedtopic_lab.westclass.sequences import ordered_counts, padded, texts_of

SPORTS = ["game", "team", "goal", "player", "coach", "league"]
MONEY = ["bank", "rate", "loan", "stock", "market", "profit"]
COMMON = ["today", "people", "year", "city"]
SEEDS = {"sports": ["game", "team"], "money": ["bank", "rate"]}
SMALL = {
    "embedding_size": 20,
    "subsampling": 0.0,
    "embedding_epochs": 20,
    "n_pseudo_documents": 60,
    "n_near_words": 6,
    "batch_size": 32,
    "pretrain_epochs": 15,
    "max_batches": 200,
    "random_state": 0,
}


def toy_corpus(n_documents: int = 120) -> tuple[list[str], np.ndarray]:
    """Documents about sports or money in turn, some without any seed."""
    rng = np.random.default_rng(7)
    topics = [SPORTS, MONEY]
    texts = [
        " ".join(rng.permutation([*rng.choice(topics[number % 2], 6), *rng.choice(COMMON, 2)]))
        for number in range(n_documents)
    ]
    return texts, np.array(["sports", "money"])[np.arange(n_documents) % 2]


@pytest.fixture(scope="module")
def fitted() -> WeSTClass:
    return WeSTClass(SEEDS, **SMALL).fit(toy_corpus()[0])


# Sequences


def test_ordered_counts_keep_the_order_when_rows_are_taken() -> None:
    counts = ordered_counts([["b", "a", "b"], [], ["c", "x", "a"]], ["a", "b", "c"])
    taken = counts[np.array([2, 0, 1])]
    assert [text.tolist() for text in texts_of(taken)] == [[2, 0], [1, 0, 1], []]
    assert counts.toarray().tolist() == [[1, 2, 0], [0, 0, 0], [1, 0, 1]]


def test_padded_rows_are_cut_and_end_in_the_margin() -> None:
    texts = [np.array([3, 1, 2]), np.array([], dtype=int)]
    assert padded(texts, 2, 2, padding=9).tolist() == [[3, 1, 9, 9], [9, 9, 9, 9]]
    assert padded([], 2, 2, padding=9).shape == (0, 2)


# Seeds


def test_shared_seeds_are_dropped_unless_nothing_else_is_left() -> None:
    membership = sp.csr_array([[1, 1, 0, 0], [0, 1, 1, 1], [0, 1, 0, 0]])
    assert [words.tolist() for words in own_seeds(membership)] == [[0], [2, 3], [1]]


def test_expansion_stops_before_categories_meet() -> None:
    # Words on a half circle: 0 is the seed of the first category, 6 that of the second.
    angles = np.deg2rad([0, 10, 20, 80, 100, 160, 180])
    embedding = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    groups = expand([np.array([0]), np.array([6])], embedding)
    # Three words each is the most that seven words allow two categories; four would share one.
    assert [words.tolist() for words in groups] == [[0, 1, 2], [6, 5, 4]]


def test_expansion_stays_at_the_seeds_when_the_nearest_word_is_shared() -> None:
    angles = np.deg2rad([0, 30, 60, 170, 175, 180])
    embedding = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    groups = expand([np.array([0]), np.array([2])], embedding)
    assert [words.tolist() for words in groups] == [[0], [2]]


def test_a_category_with_many_seeds_keeps_them() -> None:
    embedding = np.eye(6, dtype=np.float32)
    embedding[1] = embedding[0]
    groups = expand([np.array([0]), np.array([3, 4, 5])], embedding)
    assert groups[0].tolist() == [0, 1, 2]
    assert groups[1].tolist() == [3, 4, 5]


# Von Mises-Fisher and pseudo documents


def test_vmf_of_two_right_angles() -> None:
    mu, kappa = fit_vmf(np.eye(3)[:2], max_kappa=1000.0)
    np.testing.assert_allclose(mu, [np.sqrt(0.5), np.sqrt(0.5), 0.0])
    # rbar^2 = 1/2, p = 3: kappa = sqrt(1/2) (3 - 1/2) / (1/2)
    assert kappa == pytest.approx(np.sqrt(0.5) * 2.5 / 0.5)


def test_vmf_of_one_word_is_capped() -> None:
    mu, kappa = fit_vmf(np.array([[0.6, 0.8]]), max_kappa=77.0)
    assert mu.tolist() == pytest.approx([0.6, 0.8])
    assert kappa == 77.0


@pytest.mark.parametrize("kappa", [20.0, 300.0])
def test_the_fit_finds_what_was_drawn(kappa: float) -> None:
    mu = np.full(50, 1 / np.sqrt(50))
    directions = draw_directions(mu, kappa, 4000, np.random.default_rng(3))
    np.testing.assert_allclose(np.linalg.norm(directions, axis=1), 1.0)
    found_mu, found_kappa = fit_vmf(directions, max_kappa=1e6)
    assert found_mu @ mu > 0.99
    assert found_kappa == pytest.approx(kappa, rel=0.05)


def test_one_direction_is_still_a_matrix() -> None:
    assert draw_directions(np.array([1.0, 0.0]), 5.0, 1, np.random.default_rng(0)).shape == (1, 2)


def writer(alpha: float, length: int = 20_000) -> Writer:
    embedding = np.array([[1, 0], [0.8, 0.6], [0, 1], [-1, 0]], np.float32)
    return Writer(embedding, np.array([0.1, 0.2, 0.3, 0.4]), n_near=2, alpha=alpha, length=length)


def test_near_words_are_weighted_by_softmax() -> None:
    words, probabilities = writer(0.2).near_words(np.array([1.0, 0.0]))
    assert words.tolist() == [0, 1]
    np.testing.assert_allclose(probabilities, np.exp([1.0, 0.8]) / np.exp([1.0, 0.8]).sum(), rtol=1e-6)


@pytest.mark.parametrize("alpha", [0.0, 0.2, 1.0])
def test_pseudo_documents_mix_background_and_near_words(alpha: float) -> None:
    documents = writer(alpha).write(np.array([[1.0, 0.0], [0.0, 1.0]]), np.random.default_rng(5))
    near = np.exp([1.0, 0.8]) / np.exp([1.0, 0.8]).sum()
    expected = alpha * np.array([0.1, 0.2, 0.3, 0.4]) + (1 - alpha) * np.array([*near, 0, 0])
    shares = np.bincount(documents[0], minlength=4) / documents.shape[1]
    np.testing.assert_allclose(shares, expected, atol=0.015)
    assert (documents[0] != documents[1]).any()


def test_more_near_words_than_words_are_all_words() -> None:
    words, _ = Writer(np.eye(3, dtype=np.float32), np.full(3, 1 / 3), 50, 0.2, 5).near_words(np.eye(3)[0])
    assert words.tolist() == [0, 1, 2]


def test_soft_labels_sum_to_one() -> None:
    labels = soft_labels(np.array([2, 0]), 4, alpha=0.2)
    np.testing.assert_allclose(labels, [[0.05, 0.05, 0.85, 0.05], [0.85, 0.05, 0.05, 0.05]])


# Network


def dense_log_probabilities(network, embedding, widths, documents):  # type: ignore[no-untyped-def]
    """The same network written with PyTorch's own convolution."""
    import torch
    from torch.nn import functional

    tensors = dict(zip(network.weights, network.parameters, strict=True))
    vectors = torch.from_numpy(np.concatenate([embedding, np.zeros_like(embedding[:1])]))
    inputs = vectors[torch.from_numpy(documents)].transpose(1, 2)
    pooled, first = [], 0
    for number, width in enumerate(widths):
        kernel = tensors["filters"][first : first + width].permute(2, 1, 0)
        first += width
        convolved = functional.conv1d(inputs, kernel, tensors["filter_bias"][number])
        pooled.append(functional.relu(convolved).max(dim=2).values)
    hidden = functional.relu(torch.cat(pooled, 1) @ tensors["hidden_weight"] + tensors["hidden_bias"])
    return functional.log_softmax(hidden @ tensors["output_weight"] + tensors["output_bias"], dim=1)


@pytest.fixture
def network_and_documents():  # type: ignore[no-untyped-def]
    from seedtopic_lab.westclass.network import Network, start_weights

    rng = np.random.default_rng(11)
    widths = (1, 3, 4)
    embedding = rng.normal(size=(30, 8)).astype(np.float32)
    weights = start_weights(8, widths, 5, 6, 3, rng)
    weights = {name: rng.normal(0, 0.3, array.shape).astype(np.float32) for name, array in weights.items()}
    texts = [rng.integers(0, 30, size=length) for length in rng.integers(0, 25, size=150)]
    return Network(embedding, weights, widths), embedding, widths, padded(texts, 20, 4, padding=30)


def test_network_equals_a_dense_convolution(network_and_documents) -> None:  # type: ignore[no-untyped-def]
    import torch

    network, embedding, widths, documents = network_and_documents
    gradients, answers = [], []
    for forward in (
        network.log_probabilities,
        lambda documents: dense_log_probabilities(network, embedding, widths, documents),
    ):
        for parameter in network.parameters:
            parameter.grad = None
        answer = forward(documents)
        (answer * torch.linspace(-1, 1, answer.numel()).reshape(answer.shape)).sum().backward()
        answers.append(answer.detach().numpy())
        gradients.append([parameter.grad.numpy().copy() for parameter in network.parameters])
    np.testing.assert_allclose(answers[0], answers[1], rtol=1e-4, atol=1e-5)
    for cheap, dense in zip(*gradients, strict=True):
        assert np.abs(dense).max() > 0
        np.testing.assert_allclose(cheap, dense, rtol=1e-3, atol=1e-4)


def test_winning_words_by_hand() -> None:
    from seedtopic_lab.westclass.windows import winning_words

    # One filter of width 2 that likes word 0 in the first place and word 1 in the second; 2 is the padding.
    projected = np.array([[[3.0], [0.0]], [[0.0], [2.0]], [[0.0], [0.0]]], np.float32)
    documents = np.array([[1, 0, 1, 0, 2, 2], [1, 1, 2, 2, 2, 2], [2, 2, 2, 2, 2, 2]])
    winners = winning_words(projected, documents, np.array([4, 2, 0]), np.array([2]))
    assert winners[:, :, 0].tolist() == [[0, 1], [1, 1], [2, 2]]


def test_answers_do_not_depend_on_the_other_documents(network_and_documents) -> None:  # type: ignore[no-untyped-def]
    network, _, _, documents = network_and_documents
    together = network.probabilities(documents)
    alone = np.concatenate([network.probabilities(documents[row : row + 1]) for row in range(len(documents))])
    np.testing.assert_allclose(together, alone, rtol=1e-5)
    np.testing.assert_allclose(together.sum(axis=1), 1.0, rtol=1e-5)
    assert network.probabilities(documents[:0]).shape == (0, 3)


# Training


def test_sharpening_by_hand() -> None:
    from seedtopic_lab.westclass.training import sharpened

    answers = np.array([[0.9, 0.1], [0.6, 0.4], [0.3, 0.7]])  # f = (1.8, 1.2)
    weights = np.array([[0.81 / 1.8, 0.01 / 1.2], [0.36 / 1.8, 0.16 / 1.2], [0.09 / 1.8, 0.49 / 1.2]])
    np.testing.assert_allclose(sharpened(answers), weights / weights.sum(axis=1, keepdims=True))


@settings(max_examples=50, deadline=None)
@given(arrays(np.float64, (6, 3), elements=st.floats(0.0, 1.0)))
def test_sharpened_rows_are_distributions(raw: np.ndarray) -> None:
    from seedtopic_lab.westclass.training import sharpened

    raw[:, 0] += 0.1
    targets = sharpened(raw / raw.sum(axis=1, keepdims=True))
    np.testing.assert_allclose(targets.sum(axis=1), 1.0)
    assert (targets >= 0).all()


def test_self_training_ends_when_the_labels_stay(network_and_documents) -> None:  # type: ignore[no-untyped-def]
    from seedtopic.base.progress import silent
    from seedtopic_lab.westclass.training import self_train

    network, _, _, documents = network_and_documents
    settings = {"update_interval": 5, "batch_size": 64, "decay": 0.0, "momentum": 0.0, "progress": silent}
    before = network.probabilities(documents)
    answers, done = self_train(
        network, documents, max_batches=50, tolerance=0.01, learning_rate=1e-9, **settings
    )
    assert done == 5
    np.testing.assert_allclose(answers, before, atol=1e-4)
    _, done = self_train(network, documents, max_batches=12, tolerance=0.0, learning_rate=1e-9, **settings)
    assert done == 12


def test_self_training_sharpens_the_answers(network_and_documents) -> None:  # type: ignore[no-untyped-def]
    from seedtopic.base.progress import silent
    from seedtopic_lab.westclass.training import self_train

    network, _, _, documents = network_and_documents
    before = network.probabilities(documents)
    answers, _ = self_train(
        network,
        documents,
        max_batches=100,
        update_interval=10,
        tolerance=0.0,
        batch_size=64,
        learning_rate=0.05,
        decay=1e-6,
        momentum=0.9,
        progress=silent,
    )
    assert answers.max(axis=1).mean() > before.max(axis=1).mean() + 0.05


# The model


def test_obvious_documents_get_their_labels(fitted: WeSTClass) -> None:
    texts, labels = toy_corpus()
    assert fitted.classes_.tolist() == ["sports", "money"]
    assert (fitted.transduction_ == labels).mean() > 0.95
    assert fitted.predict(["a league and its coach and goal", "profit in the stock market"]).tolist() == [
        "sports",
        "money",
    ]
    np.testing.assert_allclose(fitted.label_distributions_.sum(axis=1), 1.0)
    np.testing.assert_allclose(fitted.predict_proba(texts), fitted.label_distributions_, atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(fitted.embedding_, axis=1), 1.0, rtol=1e-5)


def test_the_same_state_gives_the_same_model_in_any_order_of_documents(fitted: WeSTClass) -> None:
    texts, _ = toy_corpus()
    order = np.random.default_rng(1).permutation(len(texts))
    again = WeSTClass(SEEDS, **SMALL).fit([texts[row] for row in order])
    np.testing.assert_array_equal(again.label_distributions_, fitted.label_distributions_[order])
    np.testing.assert_array_equal(again.filters_, fitted.filters_)
    one_thread = WeSTClass(SEEDS, n_threads=1, **SMALL).fit(texts)
    np.testing.assert_array_equal(one_thread.label_distributions_, fitted.label_distributions_)
    other = WeSTClass(SEEDS, **{**SMALL, "random_state": 1}).fit(texts)
    assert (other.filters_ != fitted.filters_).any()


def test_pytorch_is_left_as_it_was() -> None:
    import torch

    threads, state = torch.get_num_threads(), torch.get_rng_state()
    WeSTClass(SEEDS, **{**SMALL, "max_batches": 3}).fit(toy_corpus()[0]).predict(["game"])
    assert torch.get_num_threads() == threads
    assert torch.equal(torch.get_rng_state(), state)


def test_a_saved_model_answers_the_same(fitted: WeSTClass, tmp_path) -> None:  # type: ignore[no-untyped-def]
    fitted.save(tmp_path / "model")
    loaded = load(tmp_path / "model")
    texts = ["the goal of the team", "bank profit", "nothing known here", ""]
    np.testing.assert_array_equal(loaded.predict_proba(texts), fitted.predict_proba(texts))
    assert loaded.transduction_.tolist() == fitted.transduction_.tolist()
    assert tuple(loaded.widths) == tuple(fitted.widths)


def test_a_category_without_words_gets_nothing(tmp_path) -> None:  # type: ignore[no-untyped-def]
    texts, labels = toy_corpus()
    with pytest.warns(SeedWarning, match="no word is left for health"):
        model = WeSTClass({"sports": ["game"], "health": ["doctor"], "money": ["bank"]}, **SMALL).fit(texts)
    assert (model.label_distributions_[:, 1] == 0).all()
    assert (model.predict_proba(["doctor", "bank"])[:, 1] == 0).all()
    assert (model.transduction_ == labels).mean() > 0.95


def test_categories_that_share_a_seed_are_told_apart() -> None:
    texts, labels = toy_corpus()
    model = WeSTClass({"sports": ["game", "today"], "money": ["bank", "today"]}, **SMALL).fit(texts)
    assert (model.transduction_ == labels).mean() > 0.95


def test_texts_may_come_from_a_generator_and_progress_is_told() -> None:
    stages: dict[str, tuple[int, int]] = {}

    def progress(stage: str, done: int, total: int) -> None:
        stages[stage] = (done, total)

    texts, _ = toy_corpus()
    WeSTClass(SEEDS, **{**SMALL, "max_batches": 3}).fit((text for text in texts), progress=progress)
    assert list(stages) == ["reading words", "embedding words", "pre-training", "self-training"]
    assert all(done == total for done, total in stages.values())


@pytest.mark.parametrize("matrix", [np.ones((3, 2)), sp.csr_array(np.ones((3, 2)))])
def test_a_matrix_is_refused(fitted: WeSTClass, matrix: object) -> None:
    with pytest.raises(InputError, match="WeSTClass needs texts"):
        WeSTClass(SEEDS).fit(matrix)
    with pytest.raises(InputError, match="WeSTClass needs texts"):
        fitted.predict(matrix)


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("n_maps", 0),
        ("embedding_size", 2.5),
        ("batch_size", True),
        ("max_batches", -1),
        ("max_kappa", 0.0),
        ("delta", -0.1),
        ("alpha", 1.5),
        ("momentum", 1.0),
        ("widths", ()),
        ("widths", (2, 0)),
    ],
)
def test_parameters_that_cannot_be_are_refused(parameter: str, value: object) -> None:
    with pytest.raises(InputError, match=f"^{parameter} is"):
        WeSTClass(SEEDS, **{parameter: value}).fit(toy_corpus()[0])


@pytest.mark.parametrize("package", ["torch", "gensim"])
def test_a_missing_package_is_named(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=rf"WeSTClass needs {package}.*\./lab\[westclass\]"):
        WeSTClass(SEEDS).fit(toy_corpus()[0])


def test_importing_the_model_imports_neither_package() -> None:
    code = "import sys, seedtopic, seedtopic_lab.westclass; print({'torch', 'gensim'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_fitting_raises_no_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        WeSTClass(SEEDS, **{**SMALL, "max_batches": 2}).fit([*toy_corpus()[0], "", "unheard"])
