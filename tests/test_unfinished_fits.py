"""A fit that ends early, by Ctrl-C, an exception or a refusal, leaves the estimator exactly as it was."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from seedtopic import PLDNB, STM, WSPTM, InputError, LapSWTM, SeedTopicClassifier, SeedWarning

SEEDS = {"sports": ["game", "player"], "money": ["bank", "stock"], "weather": ["rain", "snow", "sun"]}
MODELS: dict[str, Callable[..., Any]] = {
    "SeedTopicClassifier": lambda **options: SeedTopicClassifier(
        SEEDS, random_state=0, max_iter=4, n_background=2, none_label="other", **options
    ),
    "its topics": lambda **options: SeedTopicClassifier(
        SEEDS, random_state=0, max_iter=4, n_background=2, refine=False, mixture=False, **options
    ),
    "WSPTM": lambda **options: WSPTM(SEEDS, random_state=0, max_iter=4, **options),
    "LapSWTM": lambda **options: LapSWTM(SEEDS, random_state=0, max_iter=4, **options),
    "STM": lambda **options: STM(SEEDS, random_state=0, n_sweeps=4, **options),
    "PLDNB": lambda **options: PLDNB(SEEDS, random_state=0, max_iter=4, **options),
}
WORDS = ["reading words", "finding neighbours", "learning"]
STAGES = {
    "SeedTopicClassifier": [*WORDS, "refining", "calibrating"],
    "its topics": [*WORDS, "calibrating"],
    "WSPTM": WORDS,
    "LapSWTM": WORDS,
    "STM": ["reading words", "learning"],
    "PLDNB": WORDS,
}
EVERY_STAGE = [(name, stage) for name, stages in STAGES.items() for stage in stages]
every_stage = pytest.mark.parametrize(("name", "stage"), EVERY_STAGE)
every_method = pytest.mark.parametrize("method", ["fit", "partial_fit"])
every_ending = pytest.mark.parametrize("ending", ["at its beginning", "at its end"])


class PulledPlugError(Exception):
    """What ends a fit in these tests, beside Ctrl-C."""


class EndAt:
    """Ends a fit the first or the last time that it tells of a stage."""

    def __init__(self, stage: str, ending: str) -> None:
        self.stage, self.at_the_end = stage, ending == "at its end"

    def __call__(self, stage: str, done: int, total: int) -> None:
        if stage == self.stage and (not self.at_the_end or done == total):
            raise KeyboardInterrupt if self.at_the_end else PulledPlugError


class AsItWas:
    """What an estimator is: the very same attributes, and, if it is fitted, the same answers."""

    def __init__(self, model: Any, X: Any) -> None:
        self.X, self.attributes = X, dict(vars(model))
        self.answers = model.predict_proba(X) if hasattr(model, "classes_") else None
        self.labels = model.transduction_.copy() if hasattr(model, "classes_") else None

    def check(self, model: Any) -> None:
        assert vars(model).keys() == self.attributes.keys()
        changed = [name for name, value in vars(model).items() if value is not self.attributes[name]]
        assert changed == []
        if self.answers is None:
            assert [name for name in vars(model) if name.endswith("_")] == []
            with pytest.raises(NotFittedError):
                model.predict(self.X)
        else:
            assert np.array_equal(model.predict_proba(self.X), self.answers)
            assert np.array_equal(model.transduction_, self.labels)


@pytest.mark.parametrize("name", MODELS)
@every_method
def test_these_are_all_the_stages(name: str, method: str, toy_texts: list[str]) -> None:
    told: list[str] = []
    getattr(MODELS[name](), method)(toy_texts, progress=lambda stage, done, total: told.append(stage))
    assert list(dict.fromkeys(told)) == STAGES[name]


@every_stage
@every_method
@every_ending
def test_an_unfitted_model_stays_unfitted(
    name: str, stage: str, method: str, ending: str, toy_texts: list[str]
) -> None:
    model = MODELS[name]()
    before = AsItWas(model, toy_texts)
    with pytest.raises((KeyboardInterrupt, PulledPlugError)):
        getattr(model, method)(toy_texts, progress=EndAt(stage, ending))
    before.check(model)
    # As if nothing had happened, it learns.
    whole, again = (getattr(one, method)(toy_texts) for one in (MODELS[name](), model))
    assert np.array_equal(again.label_distributions_, whole.label_distributions_)


@every_stage
@every_method
def test_a_fitted_model_says_what_it_said(name: str, stage: str, method: str, toy_texts: list[str]) -> None:
    model = MODELS[name]().partial_fit(toy_texts[:18])
    before = AsItWas(model, toy_texts)
    with pytest.raises((KeyboardInterrupt, PulledPlugError)):
        getattr(model, method)([f"{text} novelty" for text in toy_texts], progress=EndAt(stage, "at its end"))
    before.check(model)
    stayed = MODELS[name]().partial_fit(toy_texts[:18]).partial_fit(toy_texts[18:])
    model.partial_fit(toy_texts[18:])
    assert np.array_equal(model.label_distributions_, stayed.label_distributions_)


def counted(texts: list[str]) -> tuple[np.ndarray, list[str]]:
    words = sorted({word for text in texts for word in text.split()})
    return np.array([[text.split().count(word) for word in words] for text in texts]), words


@every_method
@pytest.mark.parametrize("name", ["SeedTopicClassifier", "WSPTM"])
def test_a_matrix_of_counts_leaves_nothing_either(name: str, method: str, toy_texts: list[str]) -> None:
    matrix, words = counted(toy_texts)
    model = MODELS[name](vocabulary=words)
    before = AsItWas(model, matrix)
    with pytest.raises(PulledPlugError):
        getattr(model, method)(matrix, progress=EndAt("learning", "at its beginning"))
    before.check(model)
    model.fit(matrix)
    before = AsItWas(model, matrix)
    with pytest.raises(PulledPlugError):
        getattr(model, method)(matrix[:20], progress=EndAt("learning", "at its beginning"))
    before.check(model)


def refused(name: str, sentence: str, **options: Any) -> Any:
    return pytest.param(options, sentence, id=name)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        refused("no documents", "Found 0 document", X=[]),
        refused("no words", "no document has a word", X=["", ""]),
        refused("no seeds in them", "fewer than two categories", X=["one text", "another"], vectors=None),
        refused("no text", "document 1 is int", X=["a game", 7]),
        refused("no label for each", "1 labels for 36 documents", y=["sports"]),
        refused("a parameter", "max_iter is 0", max_iter=0),
        refused("no vectors", "vectors is 'nofile.txt', which is no file", vectors="nofile.txt"),
        refused("few vectors", r"shape \(2, 2\) for 36 texts", vectors=lambda texts: np.eye(2)),
        refused("other things", "returned str", vectors=lambda texts: "nothing"),
    ],
)
def test_a_refused_fit_changes_nothing(options: dict[str, Any], sentence: str, toy_texts: list[str]) -> None:
    options = dict(options)
    X, y = options.pop("X", toy_texts), options.pop("y", None)
    model = SeedTopicClassifier(SEEDS, random_state=0, n_background=2).set_params(
        **{"max_iter": 4, **options}
    )
    before = AsItWas(model, toy_texts)
    with pytest.raises(InputError, match=sentence):
        model.fit(X, y)
    before.check(model)
    model = SeedTopicClassifier(SEEDS, random_state=0, n_background=2, max_iter=4).fit(toy_texts)
    model.set_params(**options)
    before = AsItWas(model, toy_texts)
    with pytest.raises(InputError, match=sentence):
        model.fit(X, y)
    before.check(model)


def test_a_warning_that_is_an_error_changes_nothing(toy_texts: list[str]) -> None:
    swapped = {"sports": ["bank"], "money": ["game"], "weather": ["rain"]}
    model = SeedTopicClassifier(swapped, random_state=0, n_background=2, max_iter=4)
    before = AsItWas(model, toy_texts)
    with warnings.catch_warnings():
        warnings.simplefilter("error", SeedWarning)
        with pytest.raises(SeedWarning, match="have little to do with its name"):
            model.fit(toy_texts)
    before.check(model)


def test_an_encoder_that_fails_changes_nothing(toy_texts: list[str]) -> None:
    def encode(texts: list[str]) -> Any:
        raise PulledPlugError

    model = SeedTopicClassifier(SEEDS, vectors=encode, random_state=0)
    before = AsItWas(model, toy_texts)
    with pytest.raises(PulledPlugError):
        model.fit(toy_texts)
    before.check(model)
