"""Words counted by the workers of a cluster: the counts of one process, bit for bit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import dask.bag
import dask.dataframe
import distributed
import numpy as np
import pandas
import pytest
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic import InputError
from seedtopic.cluster.counts import Rows, count_on_workers
from seedtopic.cluster.engine import DaskEngine
from seedtopic.learning.graph.blocks import block_order
from seedtopic.model.placed import blocks_on_workers
from seedtopic.text.counts import Counts, WordTotals, count_words, fingerprints, lots
from seedtopic.text.tokens import find_phrases, tokenize

KEPT = ["gold rush", "seldom", "the"]
STOP = frozenset({"the", "of"})


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with (
        distributed.LocalCluster(
            n_workers=3, threads_per_worker=1, processes=False, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def texts() -> list[str]:
    rng = np.random.default_rng(0)
    words = np.array(
        ["the", "of", "gold", "rush", "mine", *(f"word{n}" for n in range(200)), "naïve", "東京"]
    )
    chance = 1.0 / np.arange(1, len(words) + 1)
    drawn = [" ".join(rng.choice(words, rng.integers(0, 30), p=chance / chance.sum())) for _ in range(400)]
    return [*drawn, *drawn[:20], "seldom", ""]


def counted_here(texts: list[str]) -> Counts:
    return count_words(tokenize(texts, None, KEPT), min_df=3, stop_words=STOP, keep=KEPT)


def by_lot(counts: sp.csr_array, n_blocks: int) -> NDArray[np.intp]:
    return lots(fingerprints(counts), n_blocks)


def every_fifth(fingerprint: NDArray[np.float64]) -> NDArray[np.bool_]:
    return lots(fingerprint, 5) == 0


def itself(rows: Rows) -> Rows:
    return rows


def same_matrix(ours: sp.csr_array, theirs: sp.csr_array) -> bool:
    parts = [(getattr(ours, name), getattr(theirs, name)) for name in ("data", "indices", "indptr")]
    return ours.shape == theirs.shape and all(np.array_equal(*pair) for pair in parts)


@pytest.mark.parametrize("n_partitions", [3, 8, 17])
def test_partitions_change_nothing(n_partitions: int, client: Any, texts: list[str]) -> None:
    here = counted_here(texts)
    given = dask.bag.from_sequence(texts, npartitions=n_partitions).to_delayed()
    engine = DaskEngine(client)
    there = count_on_workers(engine, given, phrases=find_phrases(KEPT), min_df=3, stop_words=STOP, keep=KEPT)
    assert there.vocabulary == here.vocabulary
    totals = WordTotals.of(here.matrix)
    assert there.totals.n_documents == len(texts)
    assert np.array_equal(there.totals.document_frequency, totals.document_frequency)
    assert np.array_equal(there.totals.occurrences, totals.occurrences)

    block, fingerprint = by_lot(here.matrix, 4), fingerprints(here.matrix)
    assert here.left_out is not None
    for number, rows in enumerate(engine.gather(itself, there.blocks(4, by_lot, 4))):
        members = np.flatnonzero(block == number)
        members = members[np.argsort(fingerprint[members], kind="stable")]
        assert np.array_equal(rows.positions, members)
        assert np.array_equal(rows.left_out, here.left_out[members])
        assert same_matrix(rows.counts, here.matrix[members])

    sample = there.sample(every_fifth)
    assert 0 < len(sample.positions) < len(texts)
    assert same_matrix(sample.counts, here.matrix[sample.positions])
    assert (np.diff(sample.fingerprint) >= 0).all()


@pytest.mark.parametrize("most", [100, 1000])
def test_blocks_are_those_of_one_process(
    most: int, client: Any, texts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("seedtopic.text.counts.MOST_IN_ONE_BLOCK", most)
    monkeypatch.setattr("seedtopic.text.counts.BLOCK_DOCUMENTS", 70)
    monkeypatch.setattr("seedtopic.learning.graph.blocks.SAMPLED", 150)
    here = counted_here(texts)
    order, sizes = block_order(here.matrix, WordTotals.of(here.matrix))
    engine = DaskEngine(client)
    given = dask.bag.from_sequence(texts, npartitions=5).to_delayed()
    there = count_on_workers(engine, given, phrases=find_phrases(KEPT), min_df=3, stop_words=STOP, keep=KEPT)
    found = list(engine.gather(itself, blocks_on_workers(there)))
    assert [len(rows.positions) for rows in found] == sizes
    assert (len(sizes) > 1) == (most == 100)
    assert np.array_equal(np.concatenate([rows.positions for rows in found]), order)


def test_a_missing_text_is_an_empty_one(client: Any) -> None:
    column = pandas.Series(["gold mine", None, pandas.NA, float("nan"), "gold"], dtype=object)
    frame = dask.dataframe.from_pandas(pandas.DataFrame({"text": column}), npartitions=2)
    found = count_on_workers(DaskEngine(client), frame["text"].to_delayed(), phrases=find_phrases([]))
    assert found.vocabulary == ["gold", "mine"]
    assert found.totals.n_documents == 5
    assert found.totals.document_frequency.tolist() == [2, 1]


def test_a_tokenizer_of_ones_own_runs_on_the_workers(client: Any) -> None:
    given = dask.bag.from_sequence(["A-b", "b-c"], npartitions=2).to_delayed()
    found = count_on_workers(
        DaskEngine(client), given, phrases=find_phrases([]), tokenizer=lambda text: text.split("-")
    )
    assert found.vocabulary == ["A", "b", "c"]


def test_what_is_not_a_text_is_named(client: Any) -> None:
    given = dask.bag.from_sequence(["the game", "a bank", "the team", 7], npartitions=2).to_delayed()
    with pytest.raises(InputError, match="document 1 of partition 1 is int"):
        count_on_workers(DaskEngine(client), given, phrases=find_phrases([]))
