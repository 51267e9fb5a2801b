"""Shards and blocks add up to the whole, and a Dask cluster gives the labels of this process, come what may."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from typing import Any

import dask.bag
import dask.dataframe
import distributed
import numpy as np
import pandas
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from seedtopic import InputError, SeedTopicClassifier
from seedtopic.learning.topics import em as shards
from seedtopic.learning.topics.em import Expectation
from seedtopic.learning.topics.kernels import get_kernel
from seedtopic.learning.topics.kernels.interface import Parameters, Shard
from seedtopic.text import counts as blocks

SMALL = 7  # documents in a shard or a block, so that a handful of documents makes several


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shards, "SHARD_DOCUMENTS", SMALL)
    monkeypatch.setattr(blocks, "MOST_IN_ONE_BLOCK", SMALL)
    monkeypatch.setattr(blocks, "BLOCK_DOCUMENTS", SMALL)


def parameters(n_documents: int, n_words: int, rng: np.random.Generator) -> Parameters:
    def rows(n: int, k: int) -> Any:
        return rng.dirichlet(np.ones(k), n).astype(np.float32)

    return Parameters(
        rows(n_documents, 3), rows(n_documents, 2), rows(3, n_words).T.copy(), rows(2, n_words).T.copy()
    )


@settings(deadline=None, max_examples=25)
@given(st.integers(1, 40), st.integers(1, 12), st.integers(0, 10_000))
def test_shards_add_up_to_the_whole(n_documents: int, shard_documents: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    weighted = sp.csr_array(rng.poisson(0.6, (n_documents, 11)).astype(np.float64))
    current, gamma = parameters(n_documents, 11, rng), rng.uniform(0.01, 1, (11, 3)).astype(np.float32)
    whole = get_kernel("numpy")(Shard.of(weighted), current, gamma, bayes=True, want_likelihood=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shards, "SHARD_DOCUMENTS", shard_documents)
        expectation = Expectation(shards.cut(weighted), get_kernel("numpy"))
        parts = expectation(current, gamma, bayes=True, want_likelihood=True)
    for of_whole, of_parts in zip(whole, parts, strict=True):
        assert of_parts == pytest.approx(of_whole, abs=1e-4)


def test_a_runner_that_is_none_is_named(toy_texts: list[str], toy_seeds: dict[str, list[str]]) -> None:
    with pytest.raises(InputError, match="runner is 'spark': use 'local', 'dask' or"):
        SeedTopicClassifier(toy_seeds, runner="spark").fit(toy_texts)


def test_dask_that_is_not_there_is_named_with_the_command(
    toy_texts: list[str], toy_seeds: dict[str, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ImportError, match=r"pip install 'seedtopic\[dask\]'"):
        SeedTopicClassifier(toy_seeds, runner="dask").fit(toy_texts)


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def fitted(texts: Any, seeds: dict[str, list[str]], runner: Any, **options: Any) -> SeedTopicClassifier:
    model = SeedTopicClassifier(seeds, max_iter=6, random_state=0, runner=runner, **options)
    return model.fit(texts)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("as_name", [True, False])
def test_a_cluster_gives_the_same_probabilities(
    as_name: bool, client: Any, toy_texts: list[str], toy_seeds: dict[str, list[str]]
) -> None:
    here = fitted(toy_texts, toy_seeds, "local")
    there = fitted(toy_texts, toy_seeds, "dask" if as_name else client)
    assert here.vectors_ == there.vectors_ == "English word vectors"
    assert np.array_equal(here.label_distributions_, there.label_distributions_)
    assert np.array_equal(here.topic_word_, there.topic_word_)


@pytest.mark.parametrize("n_partitions", [3, 8, 17])
def test_documents_that_stay_on_a_cluster_are_labelled_as_here(
    n_partitions: int, client: Any, toy_texts: list[str], toy_seeds: dict[str, list[str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(blocks, "MOST_IN_ONE_BLOCK", 10)
    monkeypatch.setattr(blocks, "BLOCK_DOCUMENTS", 10)
    here = fitted(toy_texts, toy_seeds, "local")
    there = fitted(dask.bag.from_sequence(toy_texts, npartitions=n_partitions), toy_seeds, client)
    assert "label_distributions_" not in vars(
        there
    )  # nothing of the documents is here before it is asked for
    assert len(there.fitted_.documents.run.blocks) > 1
    assert np.array_equal(here.label_distributions_, there.label_distributions_)
    assert here.transduction_.tolist() == there.transduction_.tolist()


@pytest.mark.usefixtures("small_blocks")
def test_a_worker_killed_in_the_middle_changes_nothing(
    client: Any, toy_texts: list[str], toy_seeds: dict[str, list[str]]
) -> None:
    here = fitted(toy_texts, toy_seeds, "local")
    killed: list[int] = []

    def kill_one(stage: str, done: int, total: int) -> None:
        if stage == "learning" and done == 2 and not killed:
            (pid, *_) = client.run(os.getpid).values()
            os.kill(pid, signal.SIGKILL)
            killed.append(pid)

    model = SeedTopicClassifier(toy_seeds, max_iter=6, random_state=0, runner=client)
    model.fit(toy_texts, progress=kill_one)
    assert killed
    assert np.array_equal(here.label_distributions_, model.label_distributions_)


@pytest.mark.usefixtures("client")
@pytest.mark.parametrize("kind", ["bag", "column"])
def test_the_words_of_a_dask_collection_are_counted_by_the_workers(
    kind: str, toy_texts: list[str], toy_seeds: dict[str, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr("seedtopic.text.tally.Partitions.__iter__")  # by which texts would come here
    monkeypatch.setattr("seedtopic.text.tally.AT_ONCE", 2)
    if kind == "bag":
        given = dask.bag.from_sequence(toy_texts, npartitions=3)
    else:
        frame = dask.dataframe.from_pandas(pandas.DataFrame({"text": toy_texts}), npartitions=3)
        given = frame["text"]
    here, there = fitted(toy_texts, toy_seeds, "local"), fitted(given, toy_seeds, "dask")
    assert here.vocabulary_ == there.vocabulary_
    assert np.array_equal(here.label_distributions_, there.label_distributions_)


@pytest.mark.usefixtures("client")
def test_what_is_not_a_text_is_named_by_its_partition(toy_seeds: dict[str, list[str]]) -> None:
    given = dask.bag.from_sequence(["the game", "a bank", "the team", 7], npartitions=2)
    with pytest.raises(InputError, match="document 1 of partition 1 is int"):
        fitted(given, toy_seeds, "dask")


def test_a_frame_is_labelled_by_the_workers(
    client: Any, toy_texts: list[str], toy_seeds: dict[str, list[str]]
) -> None:
    model = fitted(toy_texts, toy_seeds, "local").set_params(runner=client)  # which itself is not sent
    table = pandas.DataFrame({"text": [*toy_texts, None]})
    frame = dask.dataframe.from_pandas(table, npartitions=5)
    labelled = model.label_frame(frame).compute()
    assert labelled["predicted"].tolist()[:-1] == model.predict(toy_texts).tolist()
    assert labelled["source"].tolist()[-1] == "none"
    assert model.predict(frame).compute().tolist()[:-1] == model.predict(toy_texts).tolist()


def test_a_dask_collection_with_a_tokenizer_of_ones_own(
    toy_texts: list[str], toy_seeds: dict[str, list[str]]
) -> None:
    given = dask.bag.from_sequence(toy_texts, npartitions=3)
    here = SeedTopicClassifier(toy_seeds, tokenizer=str.split, random_state=0).fit(toy_texts)
    there = SeedTopicClassifier(toy_seeds, tokenizer=str.split, random_state=0).fit(given)
    assert np.array_equal(here.label_distributions_, there.label_distributions_)


def test_a_saved_model_does_not_keep_its_runner(
    client: Any, toy_texts: list[str], toy_seeds: dict[str, list[str]], tmp_path: Any
) -> None:
    from seedtopic import load

    model = fitted(toy_texts, toy_seeds, client)
    model.save(tmp_path / "model")
    assert load(tmp_path / "model").runner == "local"


@pytest.mark.corpora
def test_a_cluster_gives_the_labels_of_newsgroup(client: Any) -> None:
    from seedtopic_lab.corpora import fetch_corpus, published_seeds

    texts, seeds = fetch_corpus("newsgroups20").texts, published_seeds("newsgroups20", "SD")
    here, there = fitted(texts, seeds, "local"), fitted(texts, seeds, client)
    assert np.array_equal(here.transduction_, there.transduction_)
    assert np.array_equal(here.label_distributions_, there.label_distributions_)
