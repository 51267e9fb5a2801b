"""Seeds and answers as witnesses: each is weighed by answers it was not told, and all of them label together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from seedtopic import SeedTopicClassifier
from seedtopic.base.engine import LocalEngine
from seedtopic.base.products import Design
from seedtopic.learning.classify.logistic import softmax
from seedtopic.learning.classify.stacking import (
    PRIOR,
    Witnessed,
    centred,
    consulted,
    correct,
    stacked,
    taught,
    weigh,
)
from seedtopic.learning.signals.answers import Confirmed

ENGINE = LocalEngine()


def witnessed(seed: int = 0, n_categories: int = 3, n_answers: int = 6) -> Witnessed:
    """Return thirty documents of three groups of words, of which seeds know little and answers some."""
    rng = np.random.default_rng(seed)
    group = np.arange(30) % n_categories
    counts = rng.random((30, 12)) * (rng.random((30, 12)) < 0.2)
    counts[np.arange(30), group * 4] += 1.0
    vectors = counts / np.sqrt(np.square(counts).sum(axis=1, keepdims=True))
    near = sp.csr_array((group[:, None] == group[None, :]) / (30 / n_categories))
    directions = vectors[:, :5].astype(np.float32)
    by_seeds = softmax(rng.normal(size=(30, n_categories)))
    answers = Confirmed(np.arange(n_answers), group[:n_answers])
    return Witnessed.of(
        sp.csr_array(vectors), near, directions, by_seeds, rng.normal(size=(30, n_categories)), answers
    )


def test_a_witness_that_is_right_gains_weight_and_one_that_is_wrong_loses_it() -> None:
    categories = np.array([0, 1, 2, 0, 1, 2])
    right, silent = np.eye(3)[categories] * 2, np.zeros((6, 3))
    weights, offsets = weigh(np.stack([centred(right), silent, -right, silent, silent]), categories)
    assert weights[0] > PRIOR[0]
    assert weights[2] < PRIOR[2]
    assert weights[[1, 3, 4]] == pytest.approx(PRIOR[[1, 3, 4]])
    assert offsets == pytest.approx([0, 0, 0], abs=1e-4)


def test_answers_that_no_witness_speaks_of_move_the_offsets_alone() -> None:
    weights, offsets = weigh(np.zeros((len(PRIOR), 8, 2)), np.array([0, 0, 0, 0, 0, 0, 1, 1]))
    assert weights == pytest.approx(PRIOR)
    assert offsets[0] > offsets[1]


def test_what_is_said_of_a_document_with_an_answer_does_not_depend_on_the_answer() -> None:
    block = witnessed()
    answered = block.confirmed.documents
    other = Confirmed(answered, np.array([2, *block.confirmed.categories[1:]]))
    changed = replace(block, confirmed=other, labels=other.hold(block.labels.copy()))
    said, said_then = (consulted(one, taught(one)).testimony for one in (block, changed))
    assert said is not None
    assert said_then is not None
    one_less = [0, 1, 2, 3, 4]
    # The sizes of the categories are those of all labels, so naive Bayes is compared but for these.
    for witness in one_less:
        difference = said_then[witness, 0] - said[witness, 0]
        sizes = np.log(changed.labels.sum(axis=0)) - np.log(block.labels.sum(axis=0))
        expected = centred(sizes[None])[0] if witness == 2 else np.zeros(3)
        assert difference == pytest.approx(expected, abs=1e-6)
    assert np.abs(said_then[:, 3:] - said[:, 3:]).max() > 1e-3  # others learn from it


def test_the_regression_learns_what_is_wrong_and_nothing_where_all_is_right() -> None:
    examples = Design.single(sp.csr_array(np.eye(4)))
    categories = np.array([0, 0, 1, 1])
    sure = np.eye(2)[categories] * 60.0
    assert np.abs(correct(examples, sure, categories)).max() == pytest.approx(0, abs=1e-6)
    learned = correct(examples, -0.1 * sure, categories)
    assert learned[0, 0] > 1
    assert learned[2, 1] > 1
    assert learned[:, 0] == pytest.approx(-learned[:, 1], abs=1e-4)


def test_all_together_know_more_than_seeds_do() -> None:
    block = witnessed()
    [after] = stacked(ENGINE, [block])
    rest = np.arange(6, 30)
    before = block.labels[rest].argmax(axis=1) == rest % 3
    assert (after.labels[rest].argmax(axis=1) == rest % 3).mean() > before.mean() + 0.2
    assert after.labels.sum(axis=1) == pytest.approx(np.ones(30))
    assert after.labels[block.confirmed.documents, block.confirmed.categories] == pytest.approx(np.ones(6))


def test_categories_in_another_order_have_the_same_labels() -> None:
    block, order = witnessed(), np.array([2, 0, 1])  # old categories by their new places
    moved = replace(
        block,
        untaught=block.untaught[..., order],
        labels=block.labels[:, order],
        log_odds=block.log_odds[:, order],
        confirmed=Confirmed(block.confirmed.documents, np.argsort(order)[block.confirmed.categories]),
    )
    [one], [other] = stacked(ENGINE, [block]), stacked(ENGINE, [moved])
    assert other.labels == pytest.approx(one.labels[:, order], abs=1e-4)


def test_blocks_are_one_collection() -> None:
    whole = witnessed()
    alone = sp.csr_array((30, 30))
    whole = replace(whole, averaging=alone)

    def rows(first: int, last: int) -> Witnessed:
        inside = (whole.confirmed.documents >= first) & (whole.confirmed.documents < last)
        here = slice(first, last)
        return replace(
            whole,
            vectors=whole.vectors[here],
            averaging=alone[here, here],
            directions=whole.directions[here],
            untaught=whole.untaught[:, here],
            labels=whole.labels[here],
            log_odds=whole.log_odds[here],
            confirmed=Confirmed(
                whole.confirmed.documents[inside] - first, whole.confirmed.categories[inside]
            ),
        )

    [together] = stacked(ENGINE, [whole])
    first, last = stacked(ENGINE, [rows(0, 4), rows(4, 30)])
    assert np.concatenate((first.labels, last.labels)) == pytest.approx(together.labels, abs=1e-4)


def test_an_answer_speaks_for_documents_like_its_own(
    toy_texts: list[str], toy_seeds: dict[str, list[str]]
) -> None:
    strange = ["zebra quagga okapi", "zebra okapi quagga gnu", "okapi zebra quagga lion"]
    texts, first = [*toy_texts, *strange], next(iter(toy_seeds))
    known: list[str | None] = [None] * len(texts)
    without = SeedTopicClassifier(toy_seeds, vectors=None, random_state=0).fit(texts)
    known[-1] = first
    model = SeedTopicClassifier(toy_seeds, vectors=None, random_state=0).fit(texts, known)
    column = model.classes_.tolist().index(first)
    for place in (-2, -3):
        assert model.label_distributions_[place, column] > without.label_distributions_[place, column]
        assert model.transduction_[place] == first
    assert model.predict(strange).tolist() == [first] * 3


def test_answers_that_are_all_unknown_change_nothing(
    toy_texts: list[str], toy_seeds: dict[str, list[str]]
) -> None:
    without = SeedTopicClassifier(toy_seeds, random_state=0).fit(toy_texts)
    unknown = SeedTopicClassifier(toy_seeds, random_state=0).fit(toy_texts, [None] * len(toy_texts))
    assert np.array_equal(without.label_distributions_, unknown.label_distributions_)


def test_answers_alone_teach_a_category_of_which_no_seed_occurs(toy_texts: list[str]) -> None:
    strange = [f"zebra quagga okapi number {word}" for word in ("one", "two", "three", "four", "five", "six")]
    texts = [*toy_texts, *strange]
    known: list[str | None] = [None] * len(texts)
    known[-6:-3] = ["animals"] * 3
    seeds = {"sports": ["game"], "money": ["bank"], "animals": ["hippopotamus"]}
    with pytest.warns(UserWarning, match="hippopotamus"):
        model = SeedTopicClassifier(seeds, vectors=None, random_state=0).fit(texts, known)
    assert model.transduction_[-3:].tolist() == ["animals"] * 3
