"""Numbers that hold: the same whatever the threads, and never NaN, whatever is counted."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from seedtopic import (
    PLDNB,
    STM,
    WSPTM,
    InputError,
    LapSWTM,
    MedLDA,
    SeedTopicClassifier,
    SeedWarning,
    WeSTClass,
)
from seedtopic.base import threads as kernel_threads
from seedtopic.learning.topics.kernels import KERNELS, c_kernel_is_built, get_kernel
from seedtopic.learning.topics.kernels.interface import Parameters, Shard
from seedtopic.model.stages.reliability import ReliabilityStage

Make = Callable[..., Any]
WORDS = [f"w{place}" for place in range(6)]
SEEDS = {"a": ["w0", "w1"], "b": ["w2"], "c": ["w3"]}
MODELS: dict[str, Make] = {
    "default": lambda seeds, **more: SeedTopicClassifier(seeds, **{"none_label": "other", **more}),
    "mixture": lambda seeds, **more: SeedTopicClassifier(seeds, **{"mixture": True, **more}),
    "topics": lambda seeds, **more: SeedTopicClassifier(seeds, **{"refine": False, "mixture": False, **more}),
    "WSPTM": lambda seeds, **more: WSPTM(seeds, **{"max_iter": 5, **more}),
    "LapSWTM": lambda seeds, **more: LapSWTM(seeds, **{"max_iter": 5, "estep": "bayes", **more}),
    "STM": lambda seeds, **more: STM(seeds, **{"n_sweeps": 2, **more}),
    "PLDNB": lambda seeds, **more: PLDNB(seeds, **more),
    "MedLDA": lambda seeds, **more: MedLDA(
        **{"n_topics": 3, "n_sweeps": 2, "burn_in": 2, "n_samples": 2, **more}
    ),
}


def quietly_fitted(model: Any, counts: Any, labels: list[str]) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SeedWarning)
        return model.fit(counts, labels) if isinstance(model, MedLDA) else model.fit(counts)


def all_numbers(model: Any) -> dict[str, np.ndarray]:
    return {name: np.asarray(array) for name, array in model.fitted_.arrays().items()}


# The same whatever the threads


@pytest.fixture
def many_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight cores, and no walk too short to be shared."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: set(range(8)), raising=False)
    monkeypatch.setattr(kernel_threads, "LEAST_WORK", 10)


def texts_of_many_words(n_documents: int = 80) -> tuple[list[str], list[str]]:
    rng = np.random.default_rng(0)
    labels = rng.integers(3, size=n_documents)
    texts = []
    for label in labels:
        own = [f"t{label}w{word}" for word in rng.zipf(1.5, size=12).clip(max=60)]
        shared = [f"s{word}" for word in rng.zipf(1.3, size=12).clip(max=80)]
        texts.append(" ".join([*own, *shared]))
    return texts, [f"k{label}" for label in labels]


TOPIC_SEEDS = {f"k{label}": [f"t{label}w1", f"t{label}w3"] for label in range(3)}


# Others have no kernel to choose, or come to the same.
CHOOSING = ("topics", "WSPTM", "LapSWTM")
WITH_KERNEL = [(name, "c") for name in MODELS] + [(name, "numpy") for name in CHOOSING]


@pytest.mark.usefixtures("many_cores")
@pytest.mark.parametrize(("name", "kernel"), WITH_KERNEL)
def test_every_number_is_the_same_on_1_2_3_and_5_threads(name: str, kernel: str) -> None:
    if kernel == "c" and not c_kernel_is_built():
        kernel = "numpy"
    texts, labels = texts_of_many_words()
    more = {"kernel": kernel} if name in ("default", "mixture", "topics", "WSPTM", "LapSWTM") else {}
    found = []
    for n_threads in (1, 2, 3, 5):
        made = MODELS[name](TOPIC_SEEDS, n_threads=n_threads, random_state=0, **more)
        model = quietly_fitted(made, texts, labels)
        found.append({**all_numbers(model), "predicted": model.predict_proba(texts[:40])})
    for other in found[1:]:
        for array, value in found[0].items():
            assert value.tobytes() == other[array].tobytes(), array


@pytest.mark.slow
@pytest.mark.usefixtures("many_cores")
def test_westclass_is_the_same_on_1_2_3_and_5_threads() -> None:
    texts, _ = texts_of_many_words(60)
    small = {
        "embedding_size": 8,
        "embedding_epochs": 1,
        "n_pseudo_documents": 20,
        "n_near_words": 5,
        "n_maps": 3,
        "hidden_size": 4,
        "pretrain_epochs": 1,
        "max_batches": 3,
    }
    found = [
        WeSTClass(TOPIC_SEEDS, n_threads=n_threads, random_state=0, **small).fit(texts)
        for n_threads in (1, 2, 3, 5)
    ]
    for other in found[1:]:
        assert found[0].label_distributions_.tobytes() == other.label_distributions_.tobytes()
        assert found[0].predict_proba(texts).tobytes() == other.predict_proba(texts).tobytes()


# Never NaN


def check_probabilities(values: np.ndarray) -> None:
    assert np.isfinite(values).all()
    assert (values >= 0).all()
    assert np.allclose(values.sum(axis=1), 1.0)


def check_fit(name: str, counts: Any, **more: Any) -> None:
    """Fit a model to counts; whatever it learns is a number, and what it says are probabilities."""
    labels = ["a", "b"] * len(counts)
    model = MODELS[name](SEEDS, vocabulary=WORDS, random_state=0, **more)
    try:
        quietly_fitted(model, np.asarray(counts, float), labels[: len(counts)])
    except InputError as error:
        assert not any(word in str(error) for word in ("nan", "probabilities"))  # noqa: PT017
        return
    for array, value in all_numbers(model).items():
        assert np.isfinite(value).all(), array
    if name != "MedLDA":
        check_probabilities(model.label_distributions_)
    new = np.vstack(
        [
            np.asarray(counts, float),
            np.zeros((1, 6)),
            np.full((1, 6), 1e6 if name not in ("STM", "MedLDA") else 1e3),
        ]
    )
    check_probabilities(model.predict_proba(new))
    if name in ("default", "mixture"):
        assert np.isfinite(model.predict_none_proba(new)).all()


def counted(most: int) -> st.SearchStrategy[list[list[float]]]:
    number = st.sampled_from([0, 0, 0, 1, 1, 2, most])
    document = st.lists(number, min_size=6, max_size=6)
    different = st.lists(document, min_size=1, max_size=6)
    alike = st.tuples(document, st.integers(1, 5)).map(lambda pair: [pair[0]] * pair[1])
    return different | alike


@pytest.mark.parametrize("name", MODELS)
@settings(max_examples=8, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_no_result_is_nan(name: str, data: st.DataObject) -> None:
    most = 10**4 if name in ("STM", "MedLDA") else 10**6  # which draw every token
    check_fit(name, data.draw(counted(most)))


EXTREMES = {
    "one document": [[1, 0, 1, 0, 0, 0]],
    "one token each": np.eye(6),
    "a million tokens and one": [[1e6, 0, 0, 0, 1, 0], [0, 0, 1, 0, 0, 0], [0, 0, 0, 1, 0, 1]],
    "a million of each word": np.full((4, 6), 1e6),
    "all alike": [[1, 0, 1, 1, 2, 0]] * 5,
    "empty ones": [[0] * 6, [1, 0, 0, 0, 0, 0], [0] * 6, [0, 0, 2, 0, 0, 0]],
    "one seed everywhere": [[5, 0, 1, 0, 0, 0], [5, 0, 0, 1, 0, 0], [5, 0, 0, 0, 1, 0]],
    "seeds alone": [[1, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0], [0, 0, 0, 1, 0, 0]],
    "almost no seeds": [[1, 0, 0, 0, 9, 9], [0, 0, 1, 0, 9, 9], *([[0, 0, 0, 0, 9, 9]] * 8)],
    "tiny parts of a count": np.full((3, 6), 1e-6) + np.eye(6)[[0, 2, 3]],
}


@pytest.mark.parametrize("counts", EXTREMES)
@pytest.mark.parametrize("name", MODELS)
def test_extreme_counts(name: str, counts: str) -> None:
    most = 1e4 if name in ("STM", "MedLDA") else np.inf  # which draw every token
    check_fit(name, np.minimum(EXTREMES[counts], most))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["STM", "MedLDA"])
def test_a_million_tokens_in_one_document(name: str) -> None:
    check_fit(name, EXTREMES["a million tokens and one"])


@pytest.mark.parametrize("kernel", [name for name in KERNELS if name != "c" or c_kernel_is_built()])
@pytest.mark.parametrize("bayes", [True, False])
@pytest.mark.parametrize("smallest", [1e-3, 1e-20, 1e-38, 0.0])
@pytest.mark.parametrize("most", [1.0, 1e6])
def test_kernels_neither_overflow_nor_divide_by_nothing(
    kernel: str, bayes: bool, smallest: float, most: float
) -> None:
    """In float32, against the definition in float64."""
    estep = get_kernel(kernel)
    rng = np.random.default_rng(1)

    def distributions(rows: int, columns: int, axis: int) -> np.ndarray:
        drawn = rng.random((rows, columns)) ** 8
        drawn = drawn / drawn.sum(axis=axis, keepdims=True)
        return np.where(rng.random((rows, columns)) < 0.3, smallest, drawn)

    counts = sp.csr_array(np.where(rng.random((7, 9)) < 0.5, most, 0.0) + np.eye(7, 9))
    parts = [distributions(7, 3, 1), distributions(7, 5, 1), distributions(9, 3, 0), distributions(9, 5, 0)]
    relevance = rng.random((9, 3))
    single = Parameters(*(part.astype(np.float32) for part in parts))
    found = estep(Shard.of(counts), single, relevance.astype(np.float32), bayes=bayes, want_likelihood=True)
    double = Parameters(*(np.asarray(part, np.float64) for part in vars(single).values()))
    wanted = get_kernel("numpy")(
        Shard.of(counts, np.float64), double, relevance, bayes=bayes, want_likelihood=True
    )
    for got, want in zip(found, wanted, strict=True):
        assert np.isfinite(got).all()
        assert got == pytest.approx(want, rel=1e-3, abs=1e-4 * most)


def test_what_is_served_is_checked_like_what_is_predicted(monkeypatch: pytest.MonkeyPatch) -> None:
    model = SeedTopicClassifier(SEEDS, random_state=0).fit([" ".join(WORDS), "w0 w1", "w2 w5", "w3 w4"])
    monkeypatch.setattr(ReliabilityStage, "apply", lambda *_: np.full((1, 3), np.nan))
    for predict in (model.predict_proba, model.predict_all):
        with pytest.raises(InputError, match="no probabilities come of this model"):
            predict(["w0"])
