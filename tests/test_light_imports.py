"""What takes long to import comes with the estimators alone, and what replaces it gives the same."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from scipy.stats import rankdata
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS
from sklearn.metrics import f1_score, precision_recall_fscore_support
from sklearn.preprocessing import normalize
from sklearn.utils import check_random_state

from seedtopic import InputError, cli
from seedtopic.base.checks import random_generator
from seedtopic.learning.signals.words import unit_vectors
from seedtopic.quality.scores import evaluate
from seedtopic.text.tokens import stop_word_set
from seedtopic.web.studio.map import framed

HEAVY = ["sklearn", "numba", "pandas", "polars", "pyarrow", "dask", "distributed", "openpyxl", "scipy.stats"]

LEARNING = """
    import numpy as np
    from seedtopic.model.fit import Learner, learn, model_of
    from seedtopic.model.pipeline import PIPELINE, Options
    from seedtopic.model.training import TrainingSet
    from seedtopic.base.engine import LocalEngine
    from seedtopic.seeds import Seeds
    from seedtopic.text.counts import count_known, count_words
    from seedtopic.text.tokens import stop_word_set, tokenize

    texts = ["the team won the game", "a goal in the game", "the bank cut its rate", "rate of the bank"]
    counts = count_words(tokenize(texts), min_df=1, stop_words=stop_word_set("english"))
    training = TrainingSet.of(
        counts, Seeds.of({"sports": ["game", "team"], "money": ["bank"]}), np.full(4, -1)
    )
    learner = Learner(options=Options(), pipeline=PIPELINE)
    model = model_of(learn(training, learner, LocalEngine(1), random_state=0), "SeedTopicClassifier")
    new = count_known(tokenize(["which rate?", "a goal"]), counts.vocabulary)
    assert model.posterior(model.view(new)).argmax(axis=1).tolist() == [1, 0]
"""
MODULES = [
    "seedtopic",
    "seedtopic.quality.check",
    "seedtopic.quality.audit",
    *(f"seedtopic.cli.{file.stem}" for file in Path(cli.__file__).parent.glob("[a-z]*.py")),
    "seedtopic.io",
    "seedtopic.io.write",
    "seedtopic.quality.scores",
    "seedtopic.model.evidence",
    "seedtopic.learning.classify.self_training",
    "seedtopic.learning.graph.neighbours",
    "seedtopic.learning.topics.em",
    "seedtopic.knowledge",
    "seedtopic.model.drift",
    "seedtopic.model.explain",
    "seedtopic.model.label_files",
    "seedtopic.model.label_tables",
    "seedtopic.base.engine",
    "seedtopic.seeds",
    "seedtopic.model.folder",
    "seedtopic.text.counts",
]


@pytest.mark.parametrize("code", [f"import {', '.join(MODULES)}", LEARNING])
def test_nothing_below_the_estimators_imports_what_takes_long(code: str) -> None:
    check = f"assert not (there := [name for name in {HEAVY} if name in sys.modules]), there"
    script = "\n".join(map(textwrap.dedent, ("import sys", code, check)))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_english_stop_words_are_those_of_scikit_learn() -> None:
    assert stop_word_set("english") == ENGLISH_STOP_WORDS


FLOATS = st.floats(-1e6, 1e6, width=32)


@given(
    arrays(st.sampled_from([np.float32, np.float64]), array_shapes(min_dims=2, max_dims=2), elements=FLOATS)
)
def test_unit_vectors_are_those_of_scikit_learn(dense: np.ndarray) -> None:
    assert unit_vectors(dense).tobytes() == normalize(dense).tobytes()


LABELS = st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("abc")), min_size=1, max_size=30)


@given(LABELS)
def test_scores_are_those_of_scikit_learn(pairs: list[tuple[str, str]]) -> None:
    true, predicted = zip(*pairs, strict=True)
    classes = ["a", "b", "c"]
    if set(true) == {"d"}:
        return
    scores = evaluate(true, predicted, classes)
    expected = precision_recall_fscore_support(true, predicted, labels=classes, zero_division=0)
    rows = [(row.precision, row.recall, row.f1, row.support) for row in scores.categories]
    assert rows == list(zip(*(column.tolist() for column in expected), strict=True))
    assert scores.macro_f1 == f1_score(true, predicted, labels=classes, average="macro", zero_division=0)


@given(st.lists(st.integers(-3, 3), min_size=2, max_size=40))
def test_equal_positions_share_their_rank(values: list[int]) -> None:
    points = np.column_stack([values, np.arange(len(values))]).astype(float)
    order = np.argsort(rankdata(values), kind="stable")
    assert (np.diff(framed(points)[order, 0]) >= 0).all()
    assert len(np.unique(framed(points)[:, 0])) == len(set(values))


def test_random_states_are_those_of_scikit_learn() -> None:
    generator = np.random.RandomState(3)
    assert random_generator(None) is check_random_state(None)
    assert random_generator(generator) is generator
    assert random_generator(7).randint(1000) == check_random_state(7).randint(1000)
    with pytest.raises(InputError, match="random_state is 'seven': use a whole number from 0"):
        random_generator("seven")  # type: ignore[arg-type]
