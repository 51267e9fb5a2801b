"""Clusters around the directions of categories: small cases by hand, laws, and what a model makes of them."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from seedtopic import SeedTopicClassifier, load
from seedtopic.knowledge.tables import english
from seedtopic.learning.classify.clustering import (
    HELD,
    PRIOR,
    SHARPNESS,
    Agreement,
    Round,
    clusters_around,
    loudest,
    share_out,
)
from seedtopic.model.stages.clustering import ClusteringStage
from seedtopic.model.stages.meaning import Meaning
from seedtopic.seeds.category import name_phrase

AXES = np.eye(3, dtype=np.float32)


def as_they_are(belongs: Any) -> Any:
    return belongs


def unit(rows: Any) -> np.ndarray:
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def around(*starts: np.ndarray, documents: np.ndarray) -> np.ndarray | None:
    return clusters_around(starts, lambda start, to: share_out(documents, start, to, as_they_are))


# ------------------------------------------------------------------------------------------------- by hand


def test_a_round_by_hand() -> None:
    """Three documents, two categories: the log-odds are 40 (.3 of the start + .7 of the centroid)."""
    documents = np.array([[1, 0], [0.6, 0.8], [0, 0]], np.float32)
    start, centroids = np.eye(2, dtype=np.float32), np.array([[0.8, 0.6], [0, 1]], np.float32)
    made = share_out(documents, start, centroids, as_they_are)
    near = SHARPNESS * np.array([[HELD + 0.7 * 0.8, 0], [HELD * 0.6 + 0.7 * 0.96, HELD * 0.8 + 0.7 * 0.8]])
    first = 1 / (1 + np.exp(near[:, 1] - near[:, 0]))
    assert made.sizes == pytest.approx([first.sum(), 2 - first.sum()])
    assert made.totals[0] == pytest.approx([first[0] + 0.6 * first[1], 0.8 * first[1]], rel=1e-5)
    assert made.unmoved == 2  # the first stays with the first, the document without a direction too


def test_a_known_category_is_held_and_an_unknown_one_gets_nothing() -> None:
    start = np.array([[1, 0, 0], [0, 0, 0], [0, 0, 1]], np.float32)

    def first_to_the_third(belongs: np.ndarray) -> np.ndarray:
        belongs[0] = [0, 0, 1]
        return belongs

    made = share_out(AXES, start, start, first_to_the_third)
    assert made.totals[1] == pytest.approx([0, 0, 0])
    assert made.totals[2] == pytest.approx([1, 0.5, 1], abs=1e-9)  # the document between goes to both


def test_a_cluster_moves_to_its_documents_and_few_move_it_little() -> None:
    at = unit(np.array([[1, 0, 0.5], [0, 1, 0.5]]))
    many, few = (around(AXES[:2], documents=np.repeat(at, times, axis=0)) for times in (200, 1))
    assert many is not None
    assert few is not None
    assert np.abs(many - at).max() < 0.01
    expected = unit(at + PRIOR * AXES[:2])
    assert few == pytest.approx(expected, abs=1e-3)


def test_a_start_that_clustering_hardly_changes_is_the_better_witness() -> None:
    at = unit(np.array([[1, 0, 0.2], [0.9, 0.3, 0.2], [0.2, 1, 0], [0.3, 0.9, 0]]))
    documents = np.repeat(at, 20, axis=0)
    amiss = unit(np.array([[1, 0.1, 0.2], [1, 0.29, 0.2]]))  # by which three of four are the second's
    alone = around(AXES[:2], documents=documents)
    assert not np.array_equal(around(amiss, documents=documents), alone)
    assert np.array_equal(around(amiss, AXES[:2], documents=documents), alone)


def test_no_clusters_of_very_different_sizes_and_of_one_known_category() -> None:
    documents = np.concatenate((np.tile(AXES[0], (60, 1)), AXES[[1]]))
    assert around(AXES[:2], documents=documents) is None
    assert around(np.array([[1, 0, 0], [0, 0, 0]], np.float32), documents=AXES) is None


def test_agreement_by_hand() -> None:
    """Of edges that weigh 4, those that weigh 3 join one label; chance joins half of them."""
    similarity = sp.csr_array(np.array([[0, 2, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0]], float))
    found = Agreement.of(similarity, np.array([0, 0, 1, 1]), 2)
    assert (found.same, found.total, found.sizes.tolist()) == (3.0, 4.0, [2, 2])
    assert found.beyond_chance == pytest.approx((3 / 4 - 1 / 2) / (1 - 1 / 2))
    assert Agreement.of(sp.csr_array((4, 4)), np.array([0, 0, 1, 1]), 2).beyond_chance == 0


@pytest.mark.parametrize(("same", "n", "said"), [(8, 100, 4.0), (6, 100, 0.0), (6, 10_000, 4.0)])
def test_evidence_is_as_loud_as_neighbours_agree_but_not_by_chance(same: int, n: int, said: float) -> None:
    half = np.array([n // 2, n // 2])
    agreed = {
        0.0: Agreement(5.9, 10.0, half),
        2.0: Agreement(5.8, 10.0, half),
        4.0: Agreement(same, 10.0, half),
    }
    assert loudest((0.0, 2.0, 4.0), agreed.__getitem__) == said


def test_names_are_read_as_phrases() -> None:
    names = [
        "AddToPlaylist",
        "Refund_not_showing_up",
        "comp.os.ms-windows",
        "Sci/Tech",
        "2020",
        7,
        "Größe (XL)",
    ]
    assert [name_phrase(name) for name in names] == [
        "add to playlist", "refund not showing up", "comp os ms windows", "sci tech", "", "", "größe xl",
    ]  # fmt: skip


# ---------------------------------------------------------------------------------------------------- laws


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 2**32 - 1))
def test_neither_the_order_of_documents_nor_of_categories_nor_blocks_change_a_cluster(seed: int) -> None:
    rng = np.random.default_rng(seed)
    start, documents = (unit(rng.normal(size=(n, 6))) for n in (4, 40))
    found = around(start, documents=documents)
    order, named = rng.permutation(40), rng.permutation(4)

    def in_two(start: np.ndarray, to: np.ndarray) -> Round:
        parts = [share_out(part, start, to, as_they_are) for part in (documents[:13], documents[13:])]
        return Round(*map(sum, zip(*parts, strict=True)))

    for other in (around(start[named], documents=documents[order]), clusters_around([start[named]], in_two)):
        assert (found is None) == (other is None) or found is None
    again, split = around(start[named], documents=documents[order]), clusters_around([start], in_two)
    assert (found is None) == (again is None) == (split is None)
    if found is not None and again is not None and split is not None:
        assert again == pytest.approx(found[named], abs=1e-6)
        assert split == pytest.approx(found, abs=1e-6)
        assert np.linalg.norm(found, axis=1) == pytest.approx(1, abs=1e-6)


# ------------------------------------------------------------------------------------------------ in a model

# A topic is the number at the end of a text, which only the encoder reads; the words, seeds too, are random.
TOPICS = ("late", "lost", "fee", "cash")
SEEDS = {name: [name] for name in TOPICS}


def encode(texts: list[str]) -> np.ndarray:
    """Encode a text by the topic whose number it has, which no word says, or by its name."""
    rows = []
    for text in texts:
        number = TOPICS.index(text) if text in TOPICS else int(text.split("#")[1]) if "#" in text else None
        likeness = np.full(6, 0.3)
        if number is not None:
            likeness[number] += 1.0 if "#" in text else 0.4
        rows.append(likeness + 0.1 * np.cos(np.arange(6) * (len(text) + 1)))
    return np.array(rows)


@cache
def texts_and_truth() -> tuple[list[str], np.ndarray]:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 4, 240)
    words = english().words[1000:1300]
    texts = [f"{' '.join(rng.choice(words, 6))} {rng.choice(TOPICS)} #{k}" for k in truth]
    return texts, np.array(TOPICS)[truth]


@cache
def fitted() -> SeedTopicClassifier:
    return SeedTopicClassifier(SEEDS, vectors=encode, random_state=0).fit(texts_and_truth()[0])


def test_clusters_are_heard_where_words_know_little_and_new_documents_are_labelled_so() -> None:
    texts, truth = texts_and_truth()
    model = fitted()
    assert model.fitted_[ClusteringStage].say > 0
    assert (model.transduction_ == truth).mean() > 0.95
    assert (model.predict(texts) == truth).mean() > 0.95


def test_what_clusters_say_is_the_sentence_and_the_terms_add_up() -> None:
    for text in texts_and_truth()[0][:6]:
        found = fitted().explain(text)
        assert sum(found.terms.values()) == pytest.approx(found.log_odds, abs=1e-9)
        assert found.limit == pytest.approx(0, abs=1e-6)
        assert found.terms["sentence"] > 0


def test_clusters_are_saved_with_the_model(tmp_path: Path) -> None:
    texts, _ = texts_and_truth()
    fitted().save(tmp_path / "model")
    again = load(tmp_path / "model").set_params(vectors=encode)
    assert np.array_equal(fitted().predict_proba(texts), again.predict_proba(texts))


def test_without_an_encoder_there_are_no_clusters() -> None:
    model = SeedTopicClassifier(SEEDS, vectors="auto", random_state=0).fit(texts_and_truth()[0])
    assert model.fitted_[Meaning].clusters is None
    assert not {"meaning_clusters_", "clusters_say_"} & set(model.fitted_.stage_arrays)
