"""Datasets of Hugging Face: accepted like data frames, and given back with their features."""

from __future__ import annotations

from typing import Any

import pytest

from seedtopic import InputError, SeedTopicClassifier, UnusableDocuments
from seedtopic.io.predictions import ADDED

TEXTS = ["the team won the game", "a goal in the game", "the bank cut its rate", "rate of the bank"]
LABELS = ["sports", "sports", "money", "money"]
SEEDS = {"sports": ["game"], "money": ["bank"]}


@pytest.fixture
def datasets() -> Any:
    import datasets

    return datasets


@pytest.fixture
def dataset(datasets: Any) -> Any:
    features = datasets.Features(
        {"text": datasets.Value("string"), "known": datasets.ClassLabel(names=["bad", "good"])}
    )
    return datasets.Dataset.from_dict({"text": TEXTS, "known": [0, 1, 1, 0]}, features, split="train")


def test_a_dataset_is_fitted_and_labelled(dataset: Any, datasets: Any) -> None:
    model = SeedTopicClassifier(SEEDS, random_state=0).fit(dataset)
    assert model.transduction_.tolist() == LABELS
    assert model.predict(dataset["text"]).tolist() == LABELS
    labelled = model.label_frame(dataset, multi=True)
    assert type(labelled) is datasets.Dataset
    assert labelled.column_names == ["text", "known", *ADDED, "labels"]
    assert list(labelled["predicted"]) == LABELS
    assert labelled.features["known"] == dataset.features["known"]
    assert labelled.features["probability"] == datasets.Value("float64")
    assert labelled.split == dataset.split
    assert dataset.column_names == ["text", "known"]  # the given one is left alone
    assert labelled.filter(lambda row: row["predicted"] == "money").num_rows == 2


def test_chosen_rows_and_formats(dataset: Any, capfd: pytest.CaptureFixture[str]) -> None:
    model = SeedTopicClassifier(SEEDS, random_state=0).fit(dataset)
    capfd.readouterr()
    chosen = dataset.select([3, 0]).with_format("numpy")
    labelled = model.label_frame(chosen)
    assert labelled.format["type"] == "numpy"
    assert labelled.with_format(None)["predicted"][:] == ["money", "sports"]
    assert labelled.with_format(None)["known"][:] == [0, 0]
    assert capfd.readouterr() == ("", "")


def test_a_dataset_comes_back_from_disk(dataset: Any, datasets: Any, tmp_path: Any) -> None:
    model = SeedTopicClassifier(SEEDS, random_state=0).fit(dataset)
    labelled = model.label_frame(dataset)
    labelled.save_to_disk(str(tmp_path / "labelled"))
    again = datasets.load_from_disk(str(tmp_path / "labelled"))
    assert again.features == labelled.features
    assert again.to_dict() == labelled.to_dict()


def test_missing_texts_and_no_rows(dataset: Any, datasets: Any) -> None:
    model = SeedTopicClassifier(SEEDS, random_state=0).fit(dataset)
    with pytest.warns(UnusableDocuments, match="1 of 2 texts"):
        found = model.label_frame(datasets.Dataset.from_dict({"text": ["a game", None]}))
    assert list(found["predicted"]) == ["sports", None]
    empty = model.label_frame(dataset.select([]))
    assert (len(empty), empty.features["predicted"]) == (0, datasets.Value("string"))


def test_several_datasets_and_streams_are_refused(dataset: Any, datasets: Any) -> None:
    model = SeedTopicClassifier(SEEDS, random_state=0).fit(dataset)
    for call in (model.label_frame, model.predict, model.fit):
        with pytest.raises(
            InputError, match=r"DatasetDict.*: pass one of its parts, as in data\['train'\]\."
        ):
            call(datasets.DatasetDict(train=dataset))
    with pytest.raises(InputError, match=r"IterableDataset.*: load it without streaming=True"):
        model.label_frame(dataset.to_iterable_dataset())
    with pytest.raises(InputError, match="no column 'body': it has 'text', 'known'"):
        model.label_frame(dataset, "body")
