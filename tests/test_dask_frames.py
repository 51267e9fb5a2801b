"""Dask collections stay where they are: labels are those of pandas, by partition, and only when asked for."""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import cloudpickle
import dask
import dask.array
import dask.bag
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from seedtopic import InputError, MedLDA, SeedTopicClassifier, cli, load
from seedtopic.text.rules import TextWithColumns

TREE = {
    "sports": {"words": ["game", "player"], "parent": "leisure"},
    "weather": {"words": ["rain", "snow"], "parent": "leisure"},
    "money": {"words": ["bank", "stock"], "columns": {"desk": "bonds"}},
}
TEXTS = ["the game", None, "a bank", "", "qwertzu", "rain and snow", "the player at the bank in the rain"] * 2


@pytest.fixture(autouse=True)
def _in_this_process() -> Iterator[None]:
    with dask.config.set({"scheduler": "synchronous", "dataframe.convert-string": False}):
        yield


@pytest.fixture(scope="module")
def model(toy_texts: list[str], toy_seeds: dict[str, list[str]]) -> SeedTopicClassifier:
    return SeedTopicClassifier(toy_seeds, random_state=0, max_iter=5).fit(toy_texts)


@pytest.fixture
def table() -> pd.DataFrame:
    return pd.DataFrame({"stars": range(14), "text": TEXTS}, index=[f"row {i // 2:02}" for i in range(14)])


def parts_of(table: pd.DataFrame, *sizes: int) -> Any:
    """Cut a table into partitions of these sizes, as a Dask frame that knows no divisions."""
    ends = np.cumsum([0, *sizes])
    assert ends[-1] == len(table)
    parts = [table.iloc[start:end] for start, end in pairwise(ends)]
    return dd.from_delayed([dask.delayed(part) for part in parts], meta=table.iloc[:0])


def check_meta(lazy: Any) -> None:
    """The frame that Dask expects is that of every partition."""
    for part in lazy.to_delayed():
        pd.testing.assert_frame_equal(part.compute().iloc[:0], lazy._meta, check_index_type=False)


@pytest.mark.filterwarnings("ignore::seedtopic.UnusableDocuments")
@pytest.mark.parametrize("options", [{}, {"multi": True}, {"min_probability": 0.95}], ids=str)
@pytest.mark.parametrize("variant", ["plain", "tree, rules and none", "numbers", "numbers and none"])
def test_labels_are_those_of_pandas(
    variant: str, options: dict[str, Any], toy_texts: list[str], toy_seeds: dict[str, list[str]], table: Any
) -> None:
    seeds: Any = {"plain": toy_seeds, "tree, rules and none": TREE}.get(
        variant, dict(enumerate(toy_seeds.values()))
    )
    none = "other" if "none" in variant else None
    texts = [TextWithColumns.of(text, {"desk": "bonds" if "bank" in text else ""}) for text in toy_texts]
    model = SeedTopicClassifier(seeds, none_label=none, random_state=0, max_iter=3).fit(texts)
    table["desk"] = ["bonds", None] * 7
    lazy = model.label_frame(parts_of(table, 3, 1, 0, 8, 2), **options)
    expected = model.label_frame(table, **options)
    pd.testing.assert_frame_equal(model.labeller(**options)(table), expected)
    pd.testing.assert_frame_equal(lazy.compute(), expected)
    check_meta(lazy)
    assert ("path" in lazy.columns, "none_probability" in lazy.columns) == (
        "tree" in variant,
        none is not None,
    )
    if not options:  # no word of it is known, but its desk is "bonds", or it is none of these
        assert expected["source"].iloc[4] == ("none" if none is None else "labelled")


@pytest.mark.filterwarnings("ignore::seedtopic.UnusableDocuments")
@pytest.mark.parametrize("none_label", [None, "belongs to none of these"])
def test_predict_of_a_column_keeps_its_index_and_divisions(
    none_label: str | None, toy_texts: list[str], toy_seeds: dict[str, list[str]], table: Any
) -> None:
    model = SeedTopicClassifier(toy_seeds, none_label=none_label, random_state=0, max_iter=3).fit(toy_texts)
    frame = dd.from_pandas(table, npartitions=3)
    table = frame.compute()
    for given in (frame, frame["text"]):
        labels, likely = model.predict(given), model.predict_proba(given)
        pd.testing.assert_series_equal(
            labels.compute(), pd.Series(model.predict(table["text"]), table.index, name="predicted")
        )
        expected = pd.DataFrame(model.predict_proba(table["text"]), table.index, model.classes_.tolist())
        pd.testing.assert_frame_equal(likely.compute(), expected)
        assert labels.dtype == labels.compute().dtype
        check_meta(likely)
        assert labels.divisions == likely.divisions == frame.divisions
        assert frame.known_divisions
    several = model.predict(frame, multi_label=True)
    assert np.array_equal(several.compute().to_numpy(), model.predict(table["text"], multi_label=True))
    assert set(several.dtypes) == {np.dtype(bool)}
    assert list(frame.assign(label=labels).compute()["label"]) == list(labels.compute())


def test_predict_of_bags_and_arrays(model: SeedTopicClassifier, toy_texts: list[str]) -> None:
    bag = dask.bag.from_delayed([dask.delayed(part) for part in (toy_texts[:5], [], toy_texts[5:])])
    assert model.predict(bag).compute() == model.predict(toy_texts).tolist()
    assert np.array_equal(np.array(model.predict_proba(bag).compute()), model.predict_proba(toy_texts))
    array = dask.array.from_array(np.array(toy_texts, dtype=object), chunks=7)
    labels, likely = model.predict(array), model.predict_proba(array)
    assert (labels.chunks, likely.chunks) == (array.chunks, (*array.chunks, (3,)))
    assert labels.compute().tolist() == model.predict(toy_texts).tolist()
    assert np.array_equal(likely.compute(), model.predict_proba(toy_texts))
    assert labels.dtype == labels.compute().dtype
    assert model.predict(dask.bag.from_sequence(["the game", None], npartitions=1)).compute()[0] == "sports"


def test_nothing_is_computed_before_it_is_asked_for(model: SeedTopicClassifier, table: Any) -> None:
    def fail() -> pd.DataFrame:
        raise RuntimeError("computed")

    frame = dd.from_delayed([dask.delayed(table), dask.delayed(fail)()], meta=table.iloc[:0])
    bag = dask.bag.from_delayed([dask.delayed(fail)()])
    column = frame["text"]
    lazy = [model.label_frame(frame), model.predict(column), model.predict_proba(frame), model.predict(bag)]
    assert len(lazy[0].partitions[0].compute()) == len(table)
    for found in lazy:
        with pytest.raises(RuntimeError, match="computed"):
            found.compute()


@pytest.mark.parametrize(
    ("missing", "kind"),
    [(None, object), (float("nan"), object), (pd.NA, object), (None, "category"), (pd.NA, "string[pyarrow]")],
    ids=str,
)
def test_missing_texts_are_empty_for_fit_and_predict(missing: Any, kind: Any) -> None:
    texts = ["the game", "a game", "the bank", "a bank", missing]
    frame = dd.from_pandas(pd.DataFrame({"n": range(5), "t": pd.Series(texts, dtype=kind)}), npartitions=2)
    seeds = {"sports": ["game"], "money": ["bank"]}
    here = SeedTopicClassifier(seeds, random_state=0).fit([*texts[:4], ""])
    for given in (frame, frame["t"], dask.bag.from_sequence(texts, npartitions=2)):
        there = SeedTopicClassifier(seeds, random_state=0).fit(given)
        assert np.array_equal(here.label_distributions_, there.label_distributions_)
        assert there.has_words_.tolist() == [True] * 4 + [False]
    found = here.label_frame(frame, "t").compute()
    assert found["source"].tolist() == ["labelled"] * 4 + ["none"]
    assert len(here.predict(frame["t"]).compute()) == 5


def test_what_is_not_lazy_reads_the_texts(toy_texts: list[str]) -> None:
    seeds = {**TREE, "money": ["bank", "stock"]}
    model = SeedTopicClassifier(seeds, random_state=0, max_iter=3).fit(toy_texts)
    column = dd.from_pandas(pd.DataFrame({"text": toy_texts}), npartitions=3)["text"]
    assert model.predict_labels(column) == model.predict_labels(toy_texts)
    assert model.predict_path(column) == model.predict_path(toy_texts)
    assert np.array_equal(model.node_probabilities(column), model.node_probabilities(toy_texts))
    assert np.array_equal(model.has_known_words(column), model.has_known_words(toy_texts))
    assert model.score(column, model.predict(toy_texts)) == 1.0


def test_a_model_of_another_kind(toy_texts: list[str], toy_labels: list[str]) -> None:
    supervised = MedLDA(n_topics=2, n_sweeps=2, burn_in=1, n_samples=1).fit(toy_texts, toy_labels)
    table = pd.DataFrame({"text": toy_texts})
    frame = parts_of(table, 20, 16)
    pd.testing.assert_frame_equal(supervised.label_frame(frame).compute(), supervised.label_frame(table))
    assert supervised.predict(frame).compute().tolist() == supervised.predict(toy_texts).tolist()
    assert supervised.score(frame, toy_labels) == supervised.score(toy_texts, toy_labels)
    with pytest.raises(InputError, match="MedLDA gives one label a document"):
        supervised.label_frame(frame, multi=True)


def test_the_model_is_sent_once_and_without_its_documents(model: SeedTopicClassifier, table: Any) -> None:
    sizes = [
        len(cloudpickle.dumps(dict(model.label_frame(parts_of(table, *cut)).optimize().__dask_graph__())))
        for cut in ([7, 7], [1] * 14)
    ]
    assert sizes[1] - sizes[0] < len(pickle.dumps(model.labeller()))
    sent = model.labeller().model
    assert (sent.n_threads, model.n_threads) == (1, None)
    assert (len(sent.label_distributions_), len(model.label_distributions_)) == (0, 36)


def test_columns_of_the_same_names_are_not_overwritten(model: SeedTopicClassifier, table: Any) -> None:
    own = table.assign(predicted="mine")
    lazy = model.label_frame(parts_of(own, 10, 4))
    assert lazy.columns[-1] == "seedtopic_source"
    assert set(lazy.compute()["predicted"]) == {"mine"}


@pytest.mark.filterwarnings("ignore:The inplace keyword")  # of pandas, for Dask
def test_a_labelled_frame_is_written_and_read_again(
    model: SeedTopicClassifier, table: Any, tmp_path: Any
) -> None:
    lazy = model.label_frame(parts_of(table, 3, 2, 0, 9), multi=True)  # one of them has no label
    types = pa.Schema.from_pandas(lazy.head(2), preserve_index=False)
    lazy.to_parquet(tmp_path / "labelled", schema=types, write_index=False)
    again, expected = dd.read_parquet(tmp_path / "labelled").compute(), lazy.compute()
    assert len(list((tmp_path / "labelled").glob("*.parquet"))) == 4
    assert [None if labels is None else list(labels) for labels in again["labels"]] == list(
        expected["labels"]
    )
    assert again["margin"].tolist() == pytest.approx(expected["margin"].tolist(), nan_ok=True)
    assert again["stars"].tolist() == expected["stars"].tolist()


@pytest.mark.filterwarnings("ignore:The inplace keyword")  # of pandas, for Dask
def test_the_commands_read_a_folder_that_dask_wrote(
    toy_texts: list[str], tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    table = pd.DataFrame({"text": toy_texts, "label": "mine"})
    dd.from_pandas(table, npartitions=3).to_parquet("pile", write_index=False)
    (tmp_path / "seeds.toml").write_text('sports = ["game"]\nmoney = ["bank"]\nweather = ["rain"]\n')
    for number, docs in enumerate(("pile", "pile/*.parquet")):
        assert cli.run(["fit", docs, "--seeds", "seeds.toml", "-o", f"model{number}", "-q"]) == 0
    folder, pattern = load("model0"), load("model1")
    frame = dd.read_parquet("pile")
    here = SeedTopicClassifier(load("model0").seeds_, random_state=0).fit(frame["text"])
    for model in (folder, pattern):
        assert np.array_equal(model.label_distributions_, here.label_distributions_)
    assert cli.run(["predict", "model0", "pile", "-o", "out.jsonl", "-q"]) == 0
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [row["predicted"] for row in rows] == folder.label_frame(frame).compute()["predicted"].tolist()
    assert {row["label"] for row in rows} == {"mine"}


def test_what_cannot_be_done_is_said_at_once(model: SeedTopicClassifier, table: Any) -> None:
    frame = dd.from_pandas(table, npartitions=2)
    with pytest.raises(InputError, match="no column 'body': it has 'stars', 'text'; name one with text="):
        model.label_frame(frame, "body")
    with pytest.raises(InputError, match=r"leave fitted=True out, or label frame\.compute\(\)"):
        model.label_frame(frame, fitted=True)
    with pytest.raises(InputError, match="min_probability is 50"):
        model.label_frame(frame, min_probability=50)
    for call in (model.predict, model.predict_proba, model.fit):
        with pytest.raises(InputError, match="the text columns 'text', 'title': pass one of them"):
            call(frame.assign(title="a"))
        with pytest.raises(InputError, match="the text columns none"):
            call(frame[["stars"]])
        with pytest.raises(InputError, match="the documents are a table"):
            call(dask.array.ones((3, 2)))
    for given in (frame["text"], dask.bag.from_sequence(["a"])):
        with pytest.raises(InputError, match="not one of pandas"):
            model.label_frame(given)
    with pytest.raises(InputError, match=r"row 0 of the column 'stars' is int .*, not a text"):
        model.label_frame(frame, "stars").compute()


def test_a_delayed_value_is_refused(model: SeedTopicClassifier, toy_texts: list[str]) -> None:
    later = dask.delayed(lambda: toy_texts)()
    for call in (model.predict, model.predict_proba, model.fit, model.label_frame):
        with pytest.raises(InputError, match=r"Delayed.*: call its compute\(\) first\."):
            call(later)


def test_no_rows(model: SeedTopicClassifier, table: Any) -> None:
    lazy = model.label_frame(parts_of(table.iloc[:0], 0, 0))
    pd.testing.assert_frame_equal(lazy.compute(), model.label_frame(table.iloc[:0]))
    assert len(model.predict(parts_of(table.iloc[:0], 0)).compute()) == 0
