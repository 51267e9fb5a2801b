"""The models of this package keep the contract, and what each of them has beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from contract import *  # noqa: F403
from seedtopic import WSPTM, InputError, LapSWTM, Seeds, SeedTopicClassifier, SeedWarning

ENGINE = [WSPTM, LapSWTM]  # the two on the engine of generalised EM
engine_model = pytest.mark.parametrize("Model", ENGINE)


@pytest.fixture(scope="session", params=[*ENGINE, SeedTopicClassifier], ids=lambda model: model.__name__)
def Model(request: pytest.FixtureRequest) -> Any:
    return request.param


@engine_model
def test_background_and_objective(Model: type, toy_texts: list[str], toy_seeds: dict[str, list[str]]) -> None:
    model = Model(toy_seeds, random_state=0, max_iter=15).fit(toy_texts)
    assert model.background_word_.shape == (9, len(model.vocabulary_))
    assert model.background_word_.sum(axis=1) == pytest.approx(1.0, abs=1e-4)
    assert len(model.objective_) == model.n_iter_ == 15


@engine_model
@pytest.mark.parametrize("estep", ["paper", "bayes"])
def test_threads_change_nothing_with_either_estep(
    Model: type, estep: str, toy_texts: list[str], toy_seeds: dict[str, list[str]]
) -> None:
    runs = [
        Model(toy_seeds, random_state=3, max_iter=10, estep=estep, n_threads=n)
        .fit(toy_texts)
        .label_distributions_
        for n in (1, 2, 2)
    ]
    assert np.array_equal(runs[0], runs[1])
    assert np.array_equal(runs[1], runs[2])


@engine_model
def test_every_kernel_gives_the_same_labels(
    Model: type, toy_texts: list[str], toy_seeds: dict[str, list[str]]
) -> None:
    auto, numpy = (
        Model(toy_seeds, random_state=0, max_iter=10, kernel=kernel).fit(toy_texts).label_distributions_
        for kernel in ("auto", "numpy")
    )
    assert auto == pytest.approx(numpy, abs=1e-4)


@engine_model
@pytest.mark.parametrize("init", ["random", "prior", "seed"])
def test_every_start_works(
    Model: type, init: str, toy_texts: list[str], toy_seeds: dict[str, list[str]]
) -> None:
    model = Model(toy_seeds, random_state=0, init=init, max_iter=10, estep="bayes").fit(toy_texts)
    assert np.isfinite(model.label_distributions_).all()


def test_wsptm_has_the_papers_defaults() -> None:
    defaults = WSPTM().get_params()
    paper = {"eta": 10, "alpha0": 0.01, "P": 1, "rho": 0.9, "tau": 0.1, "epsilon": 0.01, "n_neighbors": 5}
    assert {name: defaults[name] for name in paper} == paper
    assert (defaults["weighting"], defaults["estep"], defaults["label_frequency"]) == (
        "log",
        "paper",
        "seeds",
    )
    assert LapSWTM().weighting is None


def test_label_frequency_given_uniform_and_from_seeds(
    toy_texts: list[str], toy_seeds: dict[str, list[str]]
) -> None:
    def frequency(wish: Any) -> list[float]:
        return WSPTM(toy_seeds, label_frequency=wish, max_iter=1).fit(toy_texts).label_frequency_.tolist()

    # 6 documents have game once, 6 player; bank 3, stock 6; rain, snow and sun 3 each.
    assert frequency("seeds") == pytest.approx([12 / 30, 9 / 30, 9 / 30])
    assert frequency("uniform") == pytest.approx([1 / 3] * 3)
    assert frequency([2.0, 1.0, 1.0]) == pytest.approx([0.5, 0.25, 0.25])
    for wrong in ("true", [1.0, 2.0], [1.0, -1.0, 1.0], [0.0, 0.0, 0.0]):
        with pytest.raises(InputError, match="label_frequency"):
            frequency(wrong)


def test_iterators_and_arrays_of_texts(toy_texts: list[str], toy_seeds: dict[str, list[str]]) -> None:
    for documents in (
        iter(toy_texts),
        np.array(toy_texts),
        np.array(toy_texts, dtype=object),
        tuple(toy_texts),
    ):
        assert len(LapSWTM(toy_seeds, max_iter=2).fit(documents).transduction_) == len(toy_texts)


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("eta", -1.0), ("alpha0", 0.0), ("epsilon", 0.0), ("beta", 0), ("kappa", 1.5), ("max_iter", 0),
        ("n_background", 0), ("weighting", "idf"), ("estep", "gibbs"), ("init", "zero"), ("rho", 1.2),
        ("tau", -0.1), ("P", -1), ("P", 1.5), ("n_neighbors", -1), ("lam", -1.0), ("n_threads", 0),
        ("kernel", "cuda"), ("min_df", 0), ("stop_words", "klingon"), ("seeds", None),
        ("rho", "abc"), ("eta", float("inf")), ("max_iter", 1.5), ("n_neighbors", "many"), ("n_background", 1.5),
        ("n_threads", 1.5), ("stop_words", 5), ("track_objective", "maybe"), ("lam", None), ("rho", True),
    ],
)  # fmt: skip
def test_parameters_out_of_range_are_named(
    parameter: str, value: Any, toy_texts: list[str], toy_seeds: dict[str, list[str]]
) -> None:
    model = WSPTM(toy_seeds).set_params(**{parameter: value})
    with pytest.raises(InputError, match=parameter.rstrip("_")):
        model.fit(toy_texts)


def test_progress_is_told_by_stages(toy_texts: list[str], toy_seeds: dict[str, list[str]]) -> None:
    told: list[tuple[str, int, int]] = []
    WSPTM(toy_seeds, max_iter=3).fit(toy_texts, progress=lambda *step: told.append(step))
    assert list(dict.fromkeys(stage for stage, _, _ in told)) == [
        "reading words",
        "finding neighbours",
        "learning",
    ]
    assert told[-1] == ("learning", 3, 3)


def test_seeds_come_as_path_mapping_or_object(
    tmp_path: Path, toy_texts: list[str], toy_seeds: dict[str, list[str]]
) -> None:
    (tmp_path / "s.toml").write_text(Seeds(toy_seeds).to_toml())
    results = [
        WSPTM(seeds, random_state=0, max_iter=3).fit(toy_texts).transduction_.tolist()
        for seeds in (toy_seeds, Seeds(toy_seeds), tmp_path / "s.toml", str(tmp_path / "s.toml"))
    ]
    assert all(result == results[0] for result in results)


def test_a_matrix_that_does_not_fit_the_model(toy_texts: list[str], toy_seeds: dict[str, list[str]]) -> None:
    model = WSPTM(toy_seeds, max_iter=2).fit(toy_texts)
    with pytest.raises(ValueError, match="words"):
        model.predict(sp.csr_array(np.ones((1, 3))))
    with pytest.raises(InputError, match="3 words but the matrix has 2 columns"):
        WSPTM(toy_seeds, vocabulary=["a", "b", "c"]).fit(sp.csr_array(np.ones((4, 2))))


def test_seeds_of_which_nothing_can_be_read_are_named(
    toy_texts: list[str], toy_seeds: dict[str, list[str]]
) -> None:
    seeds = {**toy_seeds, "post": {"words": ["e-mail", "rain", "!!!", "x", "C++"], "exclude": ["?"]}}
    texts = [*toy_texts, "an e-mail about rain"]
    with pytest.warns(SeedWarning) as caught:
        LapSWTM(seeds, max_iter=2).fit(texts)
    assert str(caught[0].message) == (
        "these seed words never match, because no word is read from them: '!!!', 'x', 'c++', '?'; "
        "use words of two or more letters or digits."
    )
    with pytest.warns(SeedWarning) as caught:
        LapSWTM(
            {**toy_seeds, "post": ["e-mail", "rain"]},
            max_iter=2,
            tokenizer=lambda text: [word for word in text.split() if word != "rain"],
        ).fit(texts)
    assert str(caught[0].message).endswith("from them: 'rain'; change the tokenizer.")


def test_a_table_of_texts_is_refused_with_the_remedy(toy_seeds: dict[str, list[str]]) -> None:
    class Frame:
        """As much of a data frame as matters here."""

        ndim, dtypes = 2, ["object", "int64"]

        def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
            return np.array([["a game", 1], ["a bank", 2]], dtype=object)

    with pytest.raises(InputError, match="text column"):
        LapSWTM(toy_seeds, vocabulary=["a", "b"]).fit(Frame())
