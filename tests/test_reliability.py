"""How likely labels are right: each view by hand, one scale for all documents, and bad seeds found out."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seedtopic import Seeds, SeedTopicClassifier, SeedWarning, load
from seedtopic.learning.classify.reliability import (
    COEFFICIENTS,
    VIEWS,
    Agreements,
    CategoryViews,
    Reliability,
    category_views,
    document_views,
    measures,
    name_margins,
    trust_in_seeds,
)
from seedtopic.model.doubts import Doubt, doubts_sentence, find_doubts
from seedtopic.seeds.seeds import names_among_seeds
from seedtopic_lab.corpora import fetch_corpus, published_seeds
from test_vectors import SEEDS, TEXTS, TRUTH, UNSEEN

YES, NO = True, False


def own(seeds: Any = SEEDS, **parameters: Any) -> Any:
    return SeedTopicClassifier(seeds, random_state=0, **parameters)


def fitted(seeds: Any = SEEDS, **parameters: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SeedWarning)
        return own(seeds, **parameters).fit(TEXTS)


# ----------------------------------------------------------------------------------------------- the views


def test_each_view_by_hand() -> None:
    views = document_views(
        label=np.array([0, 2]),
        learned=np.array([[0.8, 0.1, 0.1], [0.25, 0.25, 0.5]]),
        taught=np.log([[0.5, 0.25, 0.25], [0.6, 0.3, 0.1]]) - 7.0,  # likelihoods, up to a constant
        meaning=np.array([[1.0, -0.5, -0.5], [0.0, 0.4, 0.3]]),
        names=np.array([[0.2, 0.3, 0.1], [0.0, 0.1, 0.5]]),
        seeds=np.array([[YES, YES, NO], [NO, NO, NO]]),
        name_words=np.array([[NO, NO, YES], [NO, NO, NO]]),
    )
    first, second = (dict(zip(VIEWS, row.tolist(), strict=True)) for row in views)
    assert first == pytest.approx(
        {
            "learned": np.log(4.0),
            "taught": 0.0,
            "meaning": 1.5,
            "name": -0.1,
            "own_seed": 1,
            "other_seed": 1,
            "own_name": 0,
            "other_name": 1,
            "bare": 0,
            "taught_bare": 0,
            "name_bare": 0,
        }
    )
    assert second == pytest.approx(
        {
            "learned": 0.0,
            "taught": np.log(1 / 9),
            "meaning": -0.1,
            "name": 0.4,
            "own_seed": 0,
            "other_seed": 0,
            "own_name": 0,
            "other_name": 0,
            "bare": 1,
            "taught_bare": np.log(1 / 9),
            "name_bare": 0.4,
        }
    )


def test_the_views_of_categories_by_hand() -> None:
    label, guess = np.array([0, 0, 0, 1]), np.array([0, 0, 1, 1])
    meaning = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0]])  # nearest: 0, 1, 0, 1
    agreements = Agreements.of(label, guess, meaning, np.array([YES, NO, NO, YES]), 2)
    found = category_views(agreements, np.eye(2), np.eye(2), np.array([YES, NO]), np.array([NO, NO]))
    odds = {share: np.log(share / (1 - share)) for share in (0.75, 0.5)}
    assert found.collection["guess"] == pytest.approx(odds[0.75])
    assert found.collection["kappa"] == pytest.approx(
        (0.75 - 0.5) / (1 - 0.5)
    )  # chance: (3 * 2 + 1 * 2) / 16
    assert found.collection["named"] == 0.5
    assert found.collection["seeded"] == 0.0
    assert found.collection["size"] == pytest.approx(np.log10(30) - 3)  # no fewer than thirty
    guessed = (2 + 0.75 * 5) / (3 + 5)
    assert found.guessed[0] == pytest.approx(np.log(guessed / (1 - guessed)) - odds[0.75])
    assert found.trust == pytest.approx([5 / 6, 5 / 6])  # four documents, and one more that is wrong
    assert found.seeded == pytest.approx([1 / 3, 1.0])


def test_without_meanings_nothing_is_said_of_them() -> None:
    label = np.array([0, 1])
    nothing = np.zeros(2, bool)
    agreements = Agreements.of(label, label, None, ~nothing, 2)
    found = category_views(agreements, None, None, nothing, nothing)
    assert found.collection["kappa"] == 0.0
    assert found.recalled.tolist() == [0.0, 0.0]
    assert found.trust == pytest.approx([3 / 4, 3 / 4], abs=1e-3)
    reliability = Reliability.of(found, with_meaning=False)
    assert reliability.slopes[[VIEWS.index("meaning"), VIEWS.index("name")]].tolist() == [0.0, 0.0]


def test_every_coefficient_is_of_a_view_or_a_measure() -> None:
    agreements = Agreements.of(*[np.zeros(1, int)] * 2, None, np.zeros(1, bool), 1)
    known = category_views(agreements, None, None, *[np.zeros(1, bool)] * 2)
    names = {*VIEWS, *measures(known), "constant", "meaning*kappa", "own_seed*seeded"}
    assert set(COEFFICIENTS[True]) == names
    assert set(COEFFICIENTS[False]) < names


@given(st.lists(st.floats(-20, 20), min_size=2, max_size=8, unique=True))
def test_the_surer_what_was_learned_the_more_reliable(odds: list[float]) -> None:
    views = np.zeros((len(odds), len(VIEWS)))
    views[:, VIEWS.index("learned")] = sorted(odds)
    collection = {"guess": 1.0, "kappa": 0.5, "named": 1.0, "seeded": 0.0, "size": 0.0}
    zero = np.zeros(2)
    for with_meaning in (True, False):
        reliability = Reliability.of(
            CategoryViews(zero, zero, zero + 1, zero, collection), with_meaning=with_meaning
        )
        probability = reliability.probability(views, np.zeros(len(odds), int))
        assert (np.diff(probability) >= 0).all()
        assert ((probability > 0) & (probability < 1)).all()


def test_a_name_that_is_not_known_has_no_margin() -> None:
    margin = name_margins(np.array([[0.0, 0.0], [0.6, 0.8]]), np.eye(2), 2)
    assert margin == pytest.approx([0.0, 0.2])


def test_seeds_that_contradict_a_name_are_not_trusted() -> None:
    trust = trust_in_seeds(np.array([0.0, -0.2, -0.4, 1.0]), np.array([NO, NO, NO, YES]))
    assert trust[0] > 0.99
    assert trust[1] > 0.9  # "World" is nearer to sports than to politics
    assert trust[2:] == pytest.approx([0.1, 0.1], abs=0.02)
    reliability = Reliability(np.array([1.0, 0.1]), np.zeros(2), np.zeros(len(VIEWS)))
    found = reliability.probability(np.zeros((2, len(VIEWS))), np.array([0, 1]))
    assert found == pytest.approx([0.5, 0.05])


@given(st.permutations(["red", "green", "blue", "grey"]))
def test_a_name_is_among_the_seeds_of_one_category(order: list[str]) -> None:
    names = sorted(order)
    named, misnamed = names_among_seeds(
        Seeds({name: [word] for name, word in zip(names, order, strict=True)})
    )
    assert named.tolist() == [name == word for name, word in zip(names, order, strict=True)]
    assert (misnamed == ~named).all()


def test_a_name_without_words_says_nothing_of_the_seeds() -> None:
    """Interest is a stop word."""
    seeds = Seeds({"interest": ["interest", "money"], "money": ["money"], "7": ["money"]})
    named, misnamed = names_among_seeds(seeds)
    assert named.tolist() == [True, True, False]
    assert not misnamed.any()


# ----------------------------------------------------------------------------------------------- the model


@pytest.mark.parametrize("vectors", ["auto", None])
@pytest.mark.parametrize("options", [{}, {"mixture": True}, {"refine": False, "mixture": False}])
def test_a_document_is_as_sure_when_it_is_predicted(vectors: Any, options: dict[str, Any]) -> None:
    model = fitted(vectors=vectors, n_neighbors=0, **options)
    predicted = model.predict_proba(TEXTS)
    same = predicted.argmax(axis=1) == model.label_distributions_.argmax(axis=1)
    assert same.mean() > 0.9
    assert predicted.max(axis=1)[same] == pytest.approx(
        model.label_distributions_.max(axis=1)[same], abs=1e-3
    )


def test_nothing_is_tied_at_the_top() -> None:
    model = fitted()
    top = np.sort(model.predict_proba([*TEXTS, *UNSEEN]).max(axis=1))
    assert len(np.unique(top)) >= len(top) - 1
    assert top[-1] < 1.0


def test_words_without_evidence_are_not_sure() -> None:
    model = own(vectors=None).fit([*TEXTS, "qzxv wqqz", "zyx qzxv"])
    assert model.label_distributions_[-2:].max() < 0.7
    assert (
        model.label_distributions_[-2:].max() < np.median(model.label_distributions_[:-2].max(axis=1)) - 0.2
    )


def test_the_estimate_is_the_mean_probability_of_the_labels(tmp_path: Path) -> None:
    model = fitted()
    assert model.estimated_accuracy_ == pytest.approx(model.label_distributions_.max(axis=1).mean())
    sizes = np.array([(model.transduction_ == name).sum() for name in model.classes_])
    assert (model.estimated_precisions_ @ sizes) / sizes.sum() == pytest.approx(model.estimated_accuracy_)
    assert (model.transduction_ == TRUTH).mean() > 0.9
    assert model.estimated_accuracy_ > 0.6
    model.save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert again.estimated_accuracy_ == model.estimated_accuracy_
    assert again.doubts_ == model.doubts_
    assert np.array_equal(again.predict_proba(UNSEEN), model.predict_proba(UNSEEN))


def test_documents_without_words_do_not_count() -> None:
    model = own().fit([*TEXTS, "", "of the and"])
    assert model.estimated_accuracy_ == pytest.approx(model.label_distributions_[:-2].max(axis=1).mean())


def test_without_calibration_nothing_is_estimated() -> None:
    model = fitted(calibrate=False)
    for name in ("estimated_accuracy_", "estimated_precisions_", "doubts_"):
        with pytest.raises(AttributeError, match="it has after a fit with calibrate=True"):
            getattr(model, name)
        assert not hasattr(own(), name)


def test_swapped_seeds_are_found_out_by_the_names() -> None:
    swapped = {**SEEDS, "sports": SEEDS["money"], "money": SEEDS["sports"]}
    with pytest.warns(SeedWarning, match="the seed words of sports have little to do with its name"):
        model = own(swapped).fit(TEXTS)
    assert [doubt.category for doubt in model.doubts_] == ["sports", "money"]
    right = fitted()
    fell = (right.transduction_ == TRUTH).mean() - (model.transduction_ == TRUTH).mean()
    assert fell > 0.3
    assert right.estimated_accuracy_ - model.estimated_accuracy_ >= fell / 2
    assert right.doubts_ == []


def test_a_category_with_few_right_labels_is_named() -> None:
    seeds = Seeds({"tea": ["tea"], "42": ["forty"]})
    many, few, seeded = np.array([20, 20]), np.array([20, 5]), np.array([0.5, 0.5])
    found = find_doubts(seeds, None, many, seeded, np.array([0.9, 0.3]), 0.6)
    assert [doubt.category for doubt in found] == ["42"]
    assert "only about 30% of the documents labelled 42" in found[0].sentence
    assert find_doubts(seeds, None, few, seeded, np.array([0.9, 0.3]), 0.6) == []  # five cannot tell
    assert find_doubts(seeds, None, many, seeded, np.array([0.45, 0.42]), 0.43) == []  # all are alike
    found = find_doubts(seeds, None, many, np.array([0.0, 0.5]), np.array([0.9, 0.9]), 0.9)
    assert [doubt.sentence[:50] for doubt in found] == ["hardly a document labelled tea contains one of its"]


def test_many_doubts_are_counted() -> None:
    assert doubts_sentence([]) is None
    sentence = doubts_sentence([Doubt(str(k), f"why {k}") for k in range(8)])
    assert sentence == "why 0; why 1; why 2; why 3; why 4; and 3 more categories are in doubt."


# ------------------------------------------------------------------------------------------ on real corpora


def harmed(seeds: dict[str, list[str]], harm: str) -> tuple[dict[str, list[str]], list[str]]:
    first, second = list(seeds)[:2]
    if harm == "swapped":
        return {**seeds, first: seeds[second], second: seeds[first]}, [first, second]
    return {**seeds, first: ["purple", "ladder", "whistle", "umbrella"]}, [first]


@pytest.mark.corpora
@pytest.mark.parametrize("harm", ["swapped", "unrelated"])
@pytest.mark.parametrize("corpus", ["bbc_news", "reuters10"])
def test_the_estimate_falls_with_the_accuracy_and_the_category_is_named(corpus: str, harm: str) -> None:
    dataset = fetch_corpus(corpus)
    truth = np.array(dataset.labels)
    seeds = {str(name): list(words) for name, words in published_seeds(corpus, "SD").items()}
    bad_seeds, named = harmed(seeds, harm)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SeedWarning)
        right, wrong = (own(given, n_threads=1).fit(dataset.texts) for given in (seeds, bad_seeds))
    fell = float((right.transduction_ == truth).mean() - (wrong.transduction_ == truth).mean())
    assert right.estimated_accuracy_ - wrong.estimated_accuracy_ >= fell / 2
    if fell > 0.03:
        assert {doubt.category for doubt in wrong.doubts_} & set(named)
