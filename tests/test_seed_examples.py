"""Seeds by example: a category is given by texts that belong to it."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from seedtopic import WSPTM, InputError, Seeds, SeedTopicClassifier, SeedWarning, cli, load

SPORTS = [
    "the team won the game",
    "a late goal for the team",
    "goal and game",
    "the coach of the team",
    "coach and goal",
]
MONEY = [
    "the bank cut its rate",
    "a loan from the bank",
    "the rate of a loan",
    "bank and loan",
    "price and rate",
]
TEXTS = [*SPORTS, *MONEY]
TRUTH = [*["7"] * 5, *["8"] * 5]
EXAMPLES: dict[str, Any] = {
    "7": {"examples": ["a coach and his team score a goal in a game"]},
    "8": {"examples": ["a bank asks a price for a loan: its rate"]},
}


def fitted(seeds: Any, X: Any = TEXTS, y: Any = None, **more: Any) -> SeedTopicClassifier:
    return SeedTopicClassifier(seeds, random_state=0, max_iter=5, **more).fit(X, y)


@pytest.mark.parametrize("vectors", ["auto", None])
def test_examples_alone_are_enough(tmp_path: Path, vectors: Any) -> None:
    model = fitted(EXAMPLES, vectors=vectors)
    assert model.transduction_.tolist() == TRUTH
    assert len(model.label_distributions_) == len(model.has_words_) == len(model.confirmed_) == len(TEXTS)
    assert not model.confirmed_.any()
    assert model.predict(["coach", "price"]).tolist() == ["7", "8"]
    model.save(tmp_path / "model")
    loaded = load(tmp_path / "model")
    assert loaded.seeds_.examples == Seeds(EXAMPLES).examples
    assert loaded.predict(["coach", "price"]).tolist() == ["7", "8"]
    assert loaded.explain("the coach").label == "7"


def test_one_category_by_example_beside_one_by_words() -> None:
    seeds = {"7": EXAMPLES["7"], "8": ["bank", "loan"]}
    assert fitted(seeds).transduction_.tolist() == TRUTH


def test_the_order_of_documents_does_not_matter() -> None:
    there, back = fitted(EXAMPLES), fitted(EXAMPLES, TEXTS[::-1])
    assert np.array_equal(there.label_distributions_, back.label_distributions_[::-1])


def test_examples_with_everything_else() -> None:
    nothing = sp.csr_array((len(TEXTS), len(TEXTS)))
    assert fitted(EXAMPLES, graph=nothing).transduction_.tolist() == TRUTH
    words = sorted({word for text in TEXTS for word in text.split()})
    matrix = np.array([[text.split().count(word) for word in words] for text in TEXTS])
    assert fitted(EXAMPLES, matrix, vocabulary=words).transduction_.tolist() == TRUTH
    more = (
        SeedTopicClassifier(EXAMPLES, random_state=0, max_iter=5).partial_fit(TEXTS).partial_fit(TEXTS[3:7])
    )
    assert more.transduction_.tolist() == TRUTH[3:7]


def test_an_encoder_reads_examples_too() -> None:
    read: list[str] = []

    def encode(texts: list[str]) -> Any:
        read.extend(texts)
        return np.array([[text.count("a") + 1.0, len(text)] for text in texts])

    model = fitted(EXAMPLES, vectors=encode)
    assert len(model.transduction_) == len(TEXTS)
    assert {*TEXTS, *(text for _, text in Seeds(EXAMPLES).examples)} <= {*read}


def test_a_category_of_confirmed_documents_needs_no_word_that_occurs() -> None:
    seeds = {"zzzz": ["qqqq"], "money": ["bank"]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SeedWarning)
        model = fitted(seeds, TEXTS, ["zzzz", "zzzz", *[None] * 8], vectors=None)
    assert model.transduction_.tolist() == [*["zzzz"] * 5, *["money"] * 5]


def test_an_example_without_a_known_word_is_named() -> None:
    seeds = {"7": {"words": ["game"], "examples": ["qwertz uiop"]}, "8": ["bank"]}
    with pytest.warns(
        SeedWarning, match="the example 'qwertz uiop' of '7' contains no word of the documents"
    ):
        fitted(seeds)


def test_models_that_do_not_learn_from_labels_say_so() -> None:
    seeds = {"7": {"words": ["game"], "examples": ["a goal"]}, "8": ["bank"]}
    with pytest.warns(SeedWarning, match="WSPTM makes no use of examples in the seeds"):
        WSPTM(seeds, random_state=0, max_iter=2).fit(TEXTS)


@pytest.mark.parametrize(
    ("seeds", "sentence"),
    [
        (
            {"a": {"examples": ["x y"]}, "b": {"examples": ["x y"]}},
            "the example 'x y' is given for 'a' and for 'b'",
        ),
        ({"a": {"examples": "x"}, "b": ["y"]}, "the examples of 'a' must be a list of texts; got 'x'"),
        (
            {"a": {"examples": [" "]}, "b": ["y"]},
            "the examples of 'a' contain ' ': every one must be a text.",
        ),
        (
            {"all": {"examples": ["x"]}, "a": {"words": ["y"], "parent": "all"}, "b": ["z"]},
            "the category 'all' has examples, but documents are labelled with the categories below it",
        ),
    ],
)
def test_examples_that_cannot_be(seeds: Any, sentence: str) -> None:
    with pytest.raises(InputError) as raised:
        Seeds(seeds)
    assert sentence in str(raised.value)


def test_examples_on_the_command_line(tmp_path: Path) -> None:
    Seeds(EXAMPLES).write(tmp_path / "seeds.toml")
    (tmp_path / "docs.txt").write_text("\n".join(TEXTS) + "\n")
    output = tmp_path / "out.jsonl"
    assert (
        cli.run(
            ["label", str(tmp_path / "docs.txt"), "--seeds", str(tmp_path / "seeds.toml"), "-o", str(output)]
        )
        == 0
    )
    rows = [json.loads(line) for line in output.read_text().splitlines()]
    assert [row["predicted"] for row in rows] == TRUTH
    assert {row["source"] for row in rows} == {"labelled"}
