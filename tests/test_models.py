"""The contract that every seed model keeps, on a corpus whose right answer is obvious."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer

import seedtopic
from seedtopic import PLDNB, STM, WSPTM, InputError, LapSWTM, Seeds, SeedTopicClassifier, SeedWarning

ENGINE = [WSPTM, LapSWTM]  # the two on the engine of generalised EM
MODELS = [
    *ENGINE,
    STM,
    PLDNB,
    SeedTopicClassifier,
]  # WeSTClass, which needs torch and the order of words, has tests of its own
# Enough for a toy corpus.
SHORT: dict[type, dict[str, Any]] = {
    WSPTM: {"max_iter": 10},
    LapSWTM: {"max_iter": 10},
    STM: {"n_sweeps": 10},
    PLDNB: {"max_iter": 10},
    SeedTopicClassifier: {"max_iter": 10},
}
engine_model = pytest.mark.parametrize("Model", ENGINE)
every_model = pytest.mark.parametrize("Model", MODELS)


@pytest.fixture(params=MODELS, ids=lambda model: model.__name__)
def fitted(request: pytest.FixtureRequest, toy_texts: list[str], toy_seeds: dict[str, list[str]]) -> Any:
    Model = request.param
    return Model(toy_seeds, random_state=0, **SHORT[Model]).fit(toy_texts)


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


@engine_model
def test_background_and_objective(Model: type, toy_texts: list[str], toy_seeds: dict[str, list[str]]) -> None:
    model = Model(toy_seeds, random_state=0, max_iter=15).fit(toy_texts)
    assert model.background_word_.shape == (9, len(model.vocabulary_))
    assert model.background_word_.sum(axis=1) == pytest.approx(1.0, abs=1e-4)
    assert len(model.objective_) == model.n_iter_ == 15


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


@every_model
@settings(deadline=None, max_examples=8)
@given(order=st.permutations(range(36)))
def test_the_order_of_the_documents_changes_no_label(
    Model: type, order: list[int], toy_texts: list[str], toy_seeds: dict[str, list[str]]
) -> None:
    # Distinct documents: of two identical ones it is undefined which is which.
    texts = [f"{text} unique{position}" for position, text in enumerate(toy_texts)]
    as_given = Model(toy_seeds, random_state=0, **SHORT[Model]).fit(texts)
    shuffled = Model(toy_seeds, random_state=0, **SHORT[Model]).fit([texts[i] for i in order])
    assert np.array_equal(as_given.label_distributions_[order], shuffled.label_distributions_)


@every_model
def test_threads_and_repetition_change_nothing(
    Model: type, toy_texts: list[str], toy_seeds: dict[str, list[str]]
) -> None:
    runs = [
        Model(toy_seeds, random_state=3, n_threads=n, **SHORT[Model]).fit(toy_texts).label_distributions_
        for n in (1, 2, 2)
    ]
    assert np.array_equal(runs[0], runs[1])
    assert np.array_equal(runs[1], runs[2])


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


@every_model
def test_counts_with_a_vocabulary_are_as_good_as_text(
    Model: type, toy_texts: list[str], toy_seeds: dict[str, list[str]]
) -> None:
    from_text = Model(toy_seeds, random_state=0, stop_words=None, **SHORT[Model]).fit(toy_texts)
    vectorizer = CountVectorizer().fit(toy_texts)
    counts = vectorizer.transform(toy_texts)
    vocabulary = vectorizer.get_feature_names_out().tolist()
    from_counts = Model(toy_seeds, vocabulary=vocabulary, random_state=0, **SHORT[Model]).fit(counts)
    assert np.array_equal(from_text.label_distributions_, from_counts.label_distributions_)
    assert np.array_equal(from_counts.predict_proba(counts), from_text.predict_proba(toy_texts))
    assert from_counts.n_features_in_ == len(vocabulary)


@every_model
def test_pipelines_of_text_and_of_counts(
    Model: type, toy_texts: list[str], toy_labels: list[str], toy_seeds: dict[str, list[str]]
) -> None:
    clean = FunctionTransformer(lambda texts: [text.replace("goal", "score") for text in texts])
    of_text = Pipeline([("clean", clean), ("label", Model(toy_seeds, random_state=0, **SHORT[Model]))])
    assert of_text.fit(toy_texts).score(toy_texts, toy_labels) >= 0.9
    words = sorted({word for text in toy_texts for word in text.split()})
    counting = CountVectorizer(vocabulary=words)
    of_counts = Pipeline([("count", counting), ("label", Model(toy_seeds, vocabulary=words, random_state=0))])
    assert of_counts.fit(toy_texts).score(toy_texts, toy_labels) >= 0.9


@every_model
def test_clone_get_params_set_params(Model: type, toy_seeds: dict[str, list[str]]) -> None:
    model = Model(toy_seeds, strict=True)
    assert clone(model).get_params() == model.get_params()
    assert set(model.get_params()) == set(inspect.signature(Model).parameters)
    assert model.set_params(min_df=3).min_df == 3
    with pytest.raises(NotFittedError):
        model.predict(["a text"])


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


@every_model
def test_a_category_without_words_stays_a_class_and_is_named(
    Model: type, toy_texts: list[str], toy_seeds: dict[str, list[str]]
) -> None:
    seeds = {**toy_seeds, "chess": ["rook", "bank"], "opera": ["qwertzu"]}
    with pytest.warns(SeedWarning, match=r"'rook' \(chess\), 'qwertzu' \(opera\); no word is left for opera"):
        model = Model(seeds, random_state=0, **SHORT[Model]).fit(toy_texts)
    assert model.classes_.tolist()[-1] == "opera"
    assert np.isfinite(model.label_distributions_).all()
    with pytest.raises(InputError, match="'opera'"):
        Model(seeds, strict=True).fit(toy_texts)


@every_model
def test_empty_documents_among_others_get_a_label_too(
    Model: type, toy_texts: list[str], toy_seeds: dict[str, list[str]]
) -> None:
    model = Model(toy_seeds, random_state=0, **SHORT[Model]).fit([*toy_texts, "", "of the and"])
    assert np.isfinite(model.label_distributions_).all()
    assert model.transduction_[-1] in model.classes_


@every_model
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


@every_model
def test_a_refused_parameter_leaves_the_model_unfitted(
    Model: type, toy_texts: list[str], toy_seeds: dict[str, list[str]]
) -> None:
    parameter = "n_sweeps" if Model is STM else "max_iter"
    model = Model(toy_seeds, **{parameter: "many"})
    with pytest.raises(InputError, match=f"{parameter} is 'many'"):
        model.fit(toy_texts)
    with pytest.raises(NotFittedError):
        model.predict(toy_texts)
