"""Options crossed: whatever is combined, labels are right, of the right type, and survive every way of keeping.

Every two values of the options below that go together meet in some combination.
"""

from __future__ import annotations

import copy
import pickle
import random
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from crossing import crossed
from seedtopic import WSPTM, InputError, SeedTopicClassifier, UnusableDocuments, load
from seedtopic.io.predictions import ADDED
from seedtopic.knowledge.tables import WordVectors

OPTIONS = {
    "names": ("strings", "integers"),
    "none_label": ("left out", "given"),
    "tree": ("flat", "tree"),
    "seeds": ("words", "patterns", "examples"),
    "labels": ("one", "several"),
    "graph": ("words", "matrix"),
    "vectors": ("auto", "nothing", "table", "callable"),
    "missing": ("nothing", "some"),
    "form": ("list", "pandas column", "polars column", "pandas frame", "polars frame", "csr", "dense"),
    "learning": ("fit", "partial_fit", "partial_fit twice"),
    "confirmed": ("nothing", "some"),
    "checkpoint": ("none", "kept", "resumed"),
    "way": ("folder", "pickle", "deepcopy", "clone"),
    "threads": ("1", "numpy 1", "2"),
    "min_probability": ("0", "0.9"),
}
CLASHES = [
    *product(  # a matrix is of one collection, and an encoder needs texts, which are not kept
        [("learning", "partial_fit"), ("learning", "partial_fit twice")],
        [("graph", "matrix"), ("vectors", "callable")],
    ),
    *product(  # patterns and examples need texts, too
        [("form", "csr"), ("form", "dense")],
        [("missing", "some"), ("vectors", "callable"), ("seeds", "patterns"), ("seeds", "examples")],
    ),
    (("way", "folder"), ("vectors", "callable")),  # which is not saved: words speak for the texts
    (("form", "list"), ("missing", "some")),  # None in a list is an error
]

# A published model has fewer options, and fewer forms will do for it.
OPTIONS_OF_WSPTM = {
    **OPTIONS,
    "seeds": ("words", "patterns"),
    "none_label": ("left out",),
    "labels": ("one",),
    "graph": ("words",),
    "vectors": ("nothing",),
    "form": ("list", "pandas column", "polars frame", "csr"),
}


@dataclass(frozen=True)
class Options:
    """One combination."""

    model: str
    names: str
    none_label: str
    tree: str
    seeds: str
    labels: str
    graph: str
    vectors: str
    missing: str
    form: str
    learning: str
    confirmed: str
    checkpoint: str
    way: str
    threads: str
    min_probability: str

    def __str__(self) -> str:
        return ", ".join(f"{name}={value}" for name, value in vars(self).items())

    @property
    def is_matrix(self) -> bool:
        return self.form in ("csr", "dense")


CROSSED = {
    model: [Options(model, **row) for row in crossed(options, [*map(frozenset, CLASHES)])]
    for model, options in {"SeedTopicClassifier": OPTIONS, "WSPTM": OPTIONS_OF_WSPTM}.items()
}
COMBINATIONS = [options for crossing in CROSSED.values() for options in crossing]


def for_every(where: Callable[[Options], bool] = lambda options: True) -> Any:
    """Run a test for every combination of a kind."""
    chosen = [
        pytest.param(options, id=f"{place}") for place, options in enumerate(COMBINATIONS) if where(options)
    ]
    return pytest.mark.parametrize("options", chosen)


# ------------------------------------------------------------------------------------------------ the toys

WORDS = {
    "sports": ["game", "team", "goal", "coach", "league", "player"],
    "money": ["bank", "rate", "loan", "stock", "share", "price"],
    "weather": ["rain", "snow", "wind", "cloud", "storm", "cold"],
}
VOCABULARY = [*WORDS["weather"], *WORDS["sports"], *WORDS["money"]]  # not sorted
NAMES: dict[str, list[Any]] = {"strings": list(WORDS), "integers": [7, 3, 11]}
PARENT: dict[str, Any] = {"strings": "news", "integers": 100}
NONE = "other"
N_DOCUMENTS = 60
MISSING = (5, 34)
CONFIRMED = (0, 7, 38)


def toy_text(place: int) -> str:
    """Give a document: three words of its category, at least one of them a seed."""
    words = list(WORDS.values())[place % 3]
    draw = random.Random(place)
    return " ".join([draw.choice(words[:2]), *draw.sample(words[2:], 3)])


TEXTS = [toy_text(place) for place in range(N_DOCUMENTS)]
BOTH = " ".join(WORDS["sports"] + WORDS["weather"])


def counted(texts: list[str]) -> np.ndarray:
    return np.array([[text.split().count(word) for word in VOCABULARY] for text in texts], dtype=float)


def encode(texts: list[str]) -> np.ndarray:
    """Make vectors, as a model of sentences would: of texts, and of nothing else."""
    assert all(isinstance(text, str) for text in texts)
    return counted(texts)


WORD_TABLE = WordVectors("toy", [*VOCABULARY, "referee", "mortgage"], np.eye(20)[:, :18] + 0.1, "toy")


def seeds_of(options: Options) -> dict[Any, Any]:
    seeds: dict[Any, Any] = dict(
        zip(NAMES[options.names], (words[:2] for words in WORDS.values()), strict=True)
    )
    first = NAMES[options.names][0]
    if options.seeds == "patterns":
        seeds[first] = {"words": seeds[first][:1], "patterns": [rf"\b{seeds[first][1]}s?"]}
    elif options.seeds == "examples":
        seeds[first] = {"words": seeds[first], "examples": [TEXTS[0]]}
    if options.tree == "tree":
        for name in NAMES[options.names][:2]:
            given = seeds[name] if isinstance(seeds[name], dict) else {"words": seeds[name]}
            seeds[name] = {**given, "parent": PARENT[options.names]}
    return seeds


def unfitted(options: Options) -> Any:
    common = {
        "seeds": seeds_of(options),
        "random_state": 0,
        "max_iter": 5,
        "n_background": 2,
        "n_neighbors": 5,
        "vocabulary": VOCABULARY if options.is_matrix else None,
        "n_threads": {"1": 1, "numpy 1": np.int64(1), "2": 2}[options.threads],
    }
    if options.model == "WSPTM":
        return WSPTM(**common)
    alike = encode(TEXTS) @ encode(TEXTS).T
    graph = {"words": "words", "matrix": sp.csr_array(alike * (alike > 1))}
    vectors = {"auto": "auto", "nothing": None, "table": WORD_TABLE, "callable": encode}
    return SeedTopicClassifier(
        **common,
        graph=graph[options.graph],
        vectors=vectors[options.vectors],
        none_label=NONE if options.none_label == "given" else None,
    )


def in_form(form: str, texts: list[str | None]) -> Any:
    """Give documents in the form that the options name; None is a missing text."""
    if form == "list":
        return ["" if text is None else text for text in texts]
    if form in ("csr", "dense"):
        matrix = counted(["" if text is None else text for text in texts])
        return sp.csr_array(matrix) if form == "csr" else matrix
    Frame = pl.DataFrame if form.startswith("polars") else pd.DataFrame
    frame = Frame({"number": list(range(len(texts))), "text": texts})
    return frame if form.endswith("frame") else frame["text"]


@dataclass(frozen=True)
class Batch:
    """Documents as the user has them, and what is known of them."""

    texts: list[str | None]
    truth: list[Any]  # None where the text is missing
    X: Any
    y: list[Any] | None

    @property
    def clear(self) -> list[int]:
        """The places of the documents that have a text."""
        return [place for place, text in enumerate(self.texts) if text is not None]


def batches(options: Options) -> list[Batch]:
    places = list(range(N_DOCUMENTS))
    parts = [places[:30], places[30:]] if options.learning == "partial_fit twice" else [places]
    names = NAMES[options.names]
    lost = MISSING if options.missing == "some" else ()
    made = []
    for part in parts:
        texts = [None if place in lost else TEXTS[place] for place in part]
        truth = [None if place in lost else names[place % 3] for place in part]
        y = [names[place % 3] if place in CONFIRMED else None for place in part]
        X = in_form(options.form, texts)
        made.append(Batch(texts, truth, X, y if options.confirmed == "some" else None))
    return made


def interrupt(stage: str, done: int, total: int) -> None:
    if stage == "learning" and done >= 2:
        raise KeyboardInterrupt


@contextmanager
def missing_allowed(options: Options) -> Iterator[None]:
    with warnings.catch_warnings():
        if options.missing == "some":
            warnings.simplefilter("ignore", UnusableDocuments)
        yield


def learn(model: Any, options: Options) -> Any:
    """Let a model learn as the options say."""
    with tempfile.TemporaryDirectory() as place, missing_allowed(options):
        for number, batch in enumerate(batches(options)):
            method = model.fit if options.learning == "fit" else model.partial_fit
            work = None if options.checkpoint == "none" else Path(place, str(number))
            if options.checkpoint == "resumed":
                with pytest.raises(KeyboardInterrupt):
                    method(batch.X, batch.y, progress=interrupt, checkpoint=work)
            method(batch.X, batch.y, checkpoint=work)
    return model


@cache
def learned(options: Options) -> Any:
    return learn(unfitted(options), options)


def last(options: Options) -> Batch:
    return batches(options)[-1]


def kept(model: Any, options: Options) -> Any:
    """Keep a model in the way of the options, and bring it back."""
    if options.way == "pickle":
        return pickle.loads(pickle.dumps(model))
    if options.way == "deepcopy":
        return copy.deepcopy(model)
    if options.way == "clone":
        return learn(clone(model), options)
    with tempfile.TemporaryDirectory() as place:
        model.save(Path(place, "model"))
        return load(Path(place, "model"))


def is_nothing(value: Any) -> bool:
    return value is None or value is pd.NA or (isinstance(value, float) and np.isnan(value))


def as_text(label: Any) -> str:
    return str(int(label) if isinstance(label, float) else label)


# --------------------------------------------------------------------------------------------- the contract


@pytest.mark.parametrize(("model", "table"), [("SeedTopicClassifier", OPTIONS), ("WSPTM", OPTIONS_OF_WSPTM)])
def test_every_two_values_that_go_together_meet(model: str, table: dict[str, tuple[str, ...]]) -> None:
    chosen = [(option, value) for option, values in table.items() for value in values]
    pairs = {pair for pair in combinations(chosen, 2) if pair[0][0] != pair[1][0]}
    rows = [[(name, getattr(options, name)) for name in table] for options in CROSSED[model]]
    met = {pair for row in rows for pair in combinations(row, 2)}
    assert met == {pair for pair in pairs if frozenset(pair) not in {*map(frozenset, CLASHES)}}
    assert len(rows) < 50


@for_every()
def test_the_labels_are_right(options: Options) -> None:
    model, batch = learned(options), last(options)
    with missing_allowed(options):
        predicted = model.predict(batch.X)
    for labels in (model.transduction_, predicted):
        assert len(labels) == len(batch.texts)
        assert [labels[place] for place in batch.clear] == [batch.truth[place] for place in batch.clear]
        others = set(range(len(labels))) - set(batch.clear)
        expected = {NONE} if options.none_label == "given" else set(NAMES[options.names])
        assert {labels[place] for place in others} <= expected


@for_every()
def test_names_keep_their_type_and_order(options: Options) -> None:
    model, batch = learned(options), last(options)
    names = NAMES[options.names]
    assert model.classes_.tolist() == names
    assert [type(name) for name in model.classes_.tolist()] == [type(name) for name in names]
    with missing_allowed(options):
        predicted = model.predict(batch.X)
    for labels in (model.transduction_, predicted):
        assert {type(label) for label in labels.tolist()} <= {
            type(names[0]),
            *([str] if model_has_none(model) else []),
        }
        assert set(labels.tolist()) <= {*names, NONE}
        if options.names == "strings":
            assert labels.dtype.kind in "UO"
        else:
            assert labels.dtype.kind == ("O" if options.none_label == "given" else "i")


def model_has_none(model: Any) -> bool:
    return getattr(model, "none_label", None) is not None


@for_every()
def test_the_score_takes_the_names_of_the_user(options: Options) -> None:
    model, batch = learned(options), last(options)
    X = in_form(options.form, [batch.texts[place] for place in batch.clear])
    truth = [batch.truth[place] for place in batch.clear]
    for y in (truth, np.array(truth), pd.Series(truth)):
        assert model.score(X, y) == 1.0
    if options.none_label == "given":  # then a label may be of two types
        assert model.score(X, np.array(truth, dtype=object)) == 1.0
    wrong = [NAMES[options.names][0]] * len(truth)
    assert model.score(X, wrong) == pytest.approx(np.mean([name == wrong[0] for name in truth]))


@for_every()
def test_probabilities_are_probabilities(options: Options) -> None:
    model, batch = learned(options), last(options)
    with missing_allowed(options):
        predicted = model.predict_proba(batch.X)
    names = NAMES[options.names]
    for rows in (model.label_distributions_, predicted):
        assert rows.shape == (len(batch.texts), 3)
        assert rows.sum(axis=1) == pytest.approx(1.0)
        assert (rows >= 0).all()
        best = [names[place] for place in rows.argmax(axis=1)]
        assert [best[place] for place in batch.clear] == [batch.truth[place] for place in batch.clear]
    if options.model == "SeedTopicClassifier":
        lost = [place for place in range(len(batch.texts)) if place not in batch.clear]
        assert model.label_distributions_[lost] == pytest.approx(1 / 3)
        for place, label in enumerate(batch.y or []):
            if label is not None:
                assert model.label_distributions_[place].max() == 1.0


@for_every(lambda options: options.labels == "several")
def test_several_labels(options: Options) -> None:
    model, batch = learned(options), last(options)
    names = NAMES[options.names]
    with missing_allowed(options):
        found, named = model.predict(batch.X, multi_label=True), model.predict_labels(batch.X)
    assert found.dtype == bool
    assert found.shape == (len(batch.texts), 3)
    for place, labels in enumerate(named):
        without = (NONE,) if options.none_label == "given" else ()
        assert labels == (
            tuple(name for name, has in zip(names, found[place], strict=True) if has) or without
        )
        assert {type(label) for label in labels} <= {type(names[0]), str}
        if place in batch.clear:
            assert batch.truth[place] in labels
    both = in_form(options.form, [BOTH, TEXTS[1]])
    assert model.predict_labels(both)[0] == (names[0], names[2])


@for_every(lambda options: options.tree == "tree")
def test_labels_along_the_tree(options: Options) -> None:
    model, batch = learned(options), last(options)
    names, parent = NAMES[options.names], PARENT[options.names]
    path = {names[0]: (parent, names[0]), names[1]: (parent, names[1]), names[2]: (names[2],)}
    X = in_form(options.form, [batch.texts[place] for place in batch.clear])
    assert model.predict_path(X) == [path[batch.truth[place]] for place in batch.clear]
    assert set(model.tree_.nodes) == {*names, parent}
    sums = dict(zip(model.tree_.nodes, model.node_probabilities(X).T, strict=True))
    assert sums[parent] == pytest.approx(sums[names[0]] + sums[names[1]])
    assert model.classes_.tolist() == names


@for_every(lambda options: options.none_label == "given")
def test_none_of_these(options: Options) -> None:
    model, batch = learned(options), last(options)
    with missing_allowed(options):
        probability = model.predict_none_proba(batch.X)
    for values in (probability, model.none_probability_):
        assert values.shape == (len(batch.texts),)
        assert (values[batch.clear] <= 0.5).all()
        assert (np.delete(values, batch.clear) == 1.0).all()
    empty = in_form(options.form, ["", TEXTS[0]])
    assert model.predict(empty).tolist() == [NONE, NAMES[options.names][0]]
    assert model.predict_labels(empty)[0] == (NONE,)


@for_every()
@pytest.mark.parametrize("fitted", [True, False], ids=["fitted", "new"])
def test_frames(options: Options, fitted: bool) -> None:
    model, batch = learned(options), last(options)
    is_polars, several = options.form.startswith("polars"), options.labels == "several"
    frame = in_form("polars frame" if is_polars else "pandas frame", batch.texts)
    least = float(options.min_probability)
    with missing_allowed(options):
        labelled = model.label_frame(frame, fitted=fitted, multi=several, min_probability=least)
    also = {
        "path": options.tree == "tree",
        "none_probability": options.none_label == "given",
        "labels": several,
    }
    added = [*ADDED, *(name for name, there in also.items() if there)]
    assert type(labelled) is type(frame)
    assert list(labelled.columns) == ["number", "text", *added]
    columns = {name: labelled[name].to_list() for name in labelled.columns}
    names = NAMES[options.names]

    known = {str(name): name for name in names}  # a column of polars has one type, so that 7 may be "7"
    parent = f"{PARENT[options.names]} > "
    for place, truth in enumerate(batch.truth):
        row = {name: columns[name][place] for name in added}
        source = row.pop("source")
        if truth is None:
            assert source == "none"
            assert all(is_nothing(value) for value in row.values())
            continue
        learns = fitted and options.model == "SeedTopicClassifier"
        said = learns and batch.y is not None and batch.y[place] is not None
        assert source == ("none" if row["probability"] < least else "confirmed" if said else "labelled")
        assert 0 < row["probability"] <= 1
        if row["probability"] < least:
            assert is_nothing(row["predicted"])
        else:
            assert known[as_text(row["predicted"])] == truth
        assert known[as_text(row["runner_up"])] != truth
        assert row["margin"] == pytest.approx(row["probability"] - row["runner_up_probability"], abs=2e-6)
        if options.tree == "tree" and row["probability"] >= least:
            assert row["path"] == (f"{truth}" if truth == names[2] else f"{parent}{truth}")
        if options.none_label == "given":
            assert row["none_probability"] <= 0.5
        if several:
            assert str(truth) in map(as_text, row["labels"])


@for_every(lambda options: options.model == "WSPTM")
def test_what_a_model_cannot_do_is_refused(options: Options) -> None:
    frame = in_form("polars frame" if options.form.startswith("polars") else "pandas frame", TEXTS[:3])
    with pytest.raises(InputError, match="WSPTM gives one label a document: use SeedTopicClassifier"):
        learned(options).label_frame(frame, multi=True)


@for_every()
def test_a_model_comes_back_as_it_was(options: Options) -> None:
    model, batch = learned(options), last(options)
    again = kept(model, options)
    assert type(again) is type(model)
    assert again.classes_.dtype == model.classes_.dtype
    with missing_allowed(options):
        for X in (batch.X, in_form(options.form, ["", BOTH])):
            assert np.array_equal(again.predict_proba(X), model.predict_proba(X))
            labels, expected = again.predict(X), model.predict(X)
            assert labels.dtype == expected.dtype
            assert labels.tolist() == expected.tolist()
    assert again.classes_.tolist() == model.classes_.tolist()
    assert again.transduction_.dtype == model.transduction_.dtype
    assert again.transduction_.tolist() == model.transduction_.tolist()
    assert np.array_equal(again.label_distributions_, model.label_distributions_)
    assert again.vocabulary_ == model.vocabulary_
    assert again.seeds_ == model.seeds_
    if options.model == "SeedTopicClassifier":
        assert np.array_equal(again.multi_transduction_, model.multi_transduction_)
        assert np.array_equal(again.none_probability_, model.none_probability_)
    if options.way != "folder":
        assert repr(again.get_params()) == repr(model.get_params())


@for_every(lambda options: options.way == "clone")
def test_a_clone_has_learned_nothing(options: Options) -> None:
    cloned = clone(learned(options))
    assert repr(cloned.get_params()) == repr(unfitted(options).get_params())
    assert set(vars(cloned)) == set(vars(unfitted(options)))
    with pytest.raises(NotFittedError):
        cloned.predict(in_form(options.form, TEXTS[:2]))


@for_every(lambda options: options.learning != "fit" and options.way != "clone")
def test_a_model_that_comes_back_learns_on(options: Options) -> None:
    stayed, again = copy.deepcopy(learned(options)), kept(learned(options), options)
    if options.is_matrix:
        again.set_params(vocabulary=VOCABULARY)
    if options.vectors == "table":
        again.set_params(vectors=WORD_TABLE)
    more = in_form(options.form, [*TEXTS[:6], BOTH])
    for model in (stayed, again):
        model.partial_fit(more)
        assert model.transduction_.tolist()[:6] == NAMES[options.names] * 2
    assert np.array_equal(again.label_distributions_, stayed.label_distributions_)
    assert again.vocabulary_ == stayed.vocabulary_


@for_every()
def test_nothing_that_was_given_is_changed(options: Options) -> None:
    model, given = unfitted(options), batches(options)
    parameters = {name: (value, copy.deepcopy(value)) for name, value in model.get_params().items()}
    as_it_was = copy.deepcopy(given)
    with missing_allowed(options):
        for batch in given:
            getattr(model, options.learning.partition(" ")[0])(batch.X, batch.y)
            model.predict_proba(batch.X)
    for batch, before in zip(given, as_it_was, strict=True):
        assert batch.y == before.y
        assert type(batch.X) is type(before.X)
        if sp.issparse(batch.X):
            for part in ("data", "indices", "indptr"):
                assert np.array_equal(getattr(batch.X, part), getattr(before.X, part))
        elif options.form == "list":
            assert batch.X == before.X
        elif options.form == "dense":
            assert np.array_equal(batch.X, before.X)
        else:
            assert batch.X.equals(before.X)
    for name, value in model.get_params().items():
        same, before = parameters[name]
        assert value is same
        assert repr(value) == repr(before)


@for_every(lambda options: options.form != "list" or options.threads != "1" or options.checkpoint != "none")
def test_form_threads_and_checkpoint_do_not_change_the_result(options: Options) -> None:
    form = "csr" if options.is_matrix else "list"
    plain = replace(options, form=form, threads="1", checkpoint="none")
    model = unfitted(plain)
    for batch in batches(options):
        X = in_form(form, batch.texts)
        getattr(model, options.learning.partition(" ")[0])(X, batch.y)
    assert np.array_equal(learned(options).label_distributions_, model.label_distributions_)
    assert learned(options).transduction_.tolist() == model.transduction_.tolist()
