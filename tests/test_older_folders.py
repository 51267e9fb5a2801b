"""Model folders that earlier versions wrote load, say what they said then, and can be saved again.

`folders/make.py` made them: a folder for each model and variant, and in `said.json` what each of them said.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from seedtopic import InputError, load
from seedtopic.models import MODELS

PLACES = sorted(path.parent for path in Path(__file__).parent.glob("folders/*/said.json"))
SAID = {place: json.loads((place / "said.json").read_text("utf-8")) for place in PLACES}
FOLDERS = [place / name for place in PLACES for name in SAID[place]["models"]]
every_folder = pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: f"{path.parent.name}-{path.name}")
TOLERANCE = 1e-6


def loaded(folder: Path) -> Any:
    return load(folder, tokenizer=str.split if "own-tokenizer" in folder.name else None)


def assert_says(model: Any, texts: list[str], said: dict[str, Any]) -> None:
    """Compare all that the model says with all that it said."""
    assert model.classes_.tolist() == said["classes"]
    assert model.predict(texts).tolist() == said["labels"]
    probabilities = model.predict_proba(texts)
    np.testing.assert_allclose(probabilities, said["probabilities"], rtol=0, atol=TOLERANCE)
    if "transduction" in said:
        assert model.transduction_.tolist() == said["transduction"]
        assert [list(path) for path in model.predict_path(texts)] == said["paths"]
    if "several" in said:
        assert [list(labels) for labels in model.predict_labels(texts)] == said["several"]
        np.testing.assert_allclose(model.predict_none_proba(texts), said["none"], rtol=0, atol=TOLERANCE)


def test_every_model_has_a_folder_of_before() -> None:
    for place in PLACES:
        assert {name.partition("-")[0] for name in SAID[place]["models"]} == set(MODELS)
        assert {path.name for path in place.iterdir()} == {*SAID[place]["models"], "said.json"}


@every_folder
def test_an_older_folder_says_what_it_said(folder: Path) -> None:
    texts, models = SAID[folder.parent].values()
    model = loaded(folder)
    assert type(model).__name__ == folder.name.partition("-")[0]
    assert_says(model, texts, models[folder.name])


@every_folder
def test_an_older_folder_can_be_saved_again(folder: Path, tmp_path: Path) -> None:
    texts, models = SAID[folder.parent].values()
    model = loaded(folder)
    model.save(tmp_path / folder.name)
    again = loaded(tmp_path / folder.name)
    assert_says(again, texts, models[folder.name])
    assert np.array_equal(again.predict_proba(texts), model.predict_proba(texts))
    assert {name: repr(value) for name, value in again.get_params(deep=False).items()} == {
        name: repr(value) for name, value in model.get_params(deep=False).items()
    }


@pytest.mark.parametrize("place", PLACES, ids=lambda path: path.name)
@pytest.mark.parametrize("name", ["SeedTopicClassifier", "WSPTM"])
def test_an_older_folder_learns_on_where_it_kept_documents(place: Path, name: str) -> None:
    new = ["game with a choir", "choir and team", "the bank and a fee", "rain in a gale"]
    learned = loaded(place / f"{name}-learned-on").partial_fit(new)
    assert learned.transduction_.tolist() == ["sports", "sports", "money", "weather"]
    assert {"choir", "gale"} <= set(learned.vocabulary_)
    assert learned.predict(["coach", "loan", "storm"]).tolist() == ["sports", "money", "weather"]
    with pytest.raises(InputError, match="without documents to continue from"):
        loaded(place / name).partial_fit(new)
