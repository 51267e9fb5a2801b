from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import seedtopic
from seedtopic import WSPTM, InputError, storage


@pytest.fixture
def model(toy_texts: list[str], toy_seeds: dict[str, list[str]]) -> WSPTM:
    return WSPTM(toy_seeds, random_state=0, max_iter=3).fit(toy_texts)


@pytest.fixture
def folder(model: WSPTM, tmp_path: Path) -> Path:
    model.save(tmp_path / "model")
    return tmp_path / "model"


def test_the_folder_can_be_read_by_a_person(folder: Path) -> None:
    header = json.loads((folder / "model.json").read_text())
    assert header["format"] == storage.FORMAT
    assert header["model"] == "WSPTM"
    assert header["classes"] == ["sports", "money", "weather"]
    assert "bank" in (folder / "vocabulary.txt").read_text().split()
    card = (folder / "README.md").read_text()
    assert "| money | bank, stock |" in card
    with np.load(folder / "arrays.npz", allow_pickle=False) as arrays:
        assert arrays["topic_word_"].shape[0] == 3


def test_saving_again_replaces_the_model_and_leaves_nothing_else(model: WSPTM, folder: Path) -> None:
    (folder / "notes.txt").write_text("of the older model")
    model.save(folder)
    assert sorted(p.name for p in folder.parent.iterdir()) == ["model"]
    assert not (folder / "notes.txt").exists()
    seedtopic.load(folder)


def test_a_folder_that_is_no_model_is_not_overwritten(model: WSPTM, tmp_path: Path) -> None:
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "thesis.txt").write_text("years of work")
    with pytest.raises(InputError, match="is not a model folder"):
        model.save(tmp_path / "precious")
    assert (tmp_path / "precious" / "thesis.txt").read_text() == "years of work"


def test_a_failure_while_saving_leaves_the_older_model(
    model: WSPTM, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = (folder / "model.json").read_bytes()

    def full_disk(*args: Any, **kwargs: Any) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(np, "savez_compressed", full_disk)
    with pytest.raises(InputError, match="No space left on device"):
        model.save(folder)
    assert (folder / "model.json").read_bytes() == before
    assert sorted(p.name for p in folder.parent.iterdir()) == ["model"]


def test_a_newer_format_is_refused_with_the_remedy(folder: Path) -> None:
    header = json.loads((folder / "model.json").read_text())
    (folder / "model.json").write_text(json.dumps({**header, "format": storage.FORMAT + 1}))
    with pytest.raises(InputError, match="newer seedtopic"):
        seedtopic.load(folder)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("model.json", "{", "damaged"),
        ("model.json", "[]", "does not say which format"),
        ("model.json", '{"format": 1}', "damaged"),
        ("arrays.npz", "not a zip", "damaged"),
        ("vocabulary.txt", "one\nword\n", "damaged"),
    ],
)
def test_damaged_folders(folder: Path, name: str, content: str, message: str) -> None:
    (folder / name).write_text(content)
    with pytest.raises(InputError, match=message):
        seedtopic.load(folder)


@pytest.mark.parametrize("name", ["model.json", "arrays.npz", "vocabulary.txt"])
def test_missing_files(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(InputError, match=r"no model\.json|damaged"):
        seedtopic.load(folder)


def test_an_unknown_model_is_named(folder: Path) -> None:
    header = json.loads((folder / "model.json").read_text())
    (folder / "model.json").write_text(json.dumps({**header, "model": "Oracle"}))
    with pytest.raises(InputError, match="'Oracle'"):
        seedtopic.load(folder)


def test_an_own_tokenizer_must_be_given_again(
    tmp_path: Path, toy_texts: list[str], toy_seeds: dict[str, list[str]]
) -> None:
    model = WSPTM(toy_seeds, tokenizer=str.split, max_iter=2, random_state=0).fit(toy_texts)
    model.save(tmp_path / "model")
    with pytest.raises(InputError, match="tokenizer of its own"):
        seedtopic.load(tmp_path / "model")
    again = seedtopic.load(tmp_path / "model", tokenizer=str.split)
    assert np.array_equal(again.predict_proba(toy_texts), model.predict_proba(toy_texts))


def test_odd_words_survive(tmp_path: Path) -> None:
    words = ["plain", "back\\slash", "new\nline", "\\n", "naïve", "carriage\rreturn", "tab\t", " "]
    counts = np.eye(8)[[0, 1, 2, 3, 4, 5, 6, 7, 0, 1]]
    seeds = {"a": ["plain"], "b": ["naïve"]}
    model = WSPTM(seeds, vocabulary=words, max_iter=2, random_state=0).fit(counts)
    model.save(tmp_path / "model")
    assert seedtopic.load(tmp_path / "model").vocabulary_ == words


def rewritten(folder: Path, **changes: np.ndarray) -> None:
    with np.load(folder / "arrays.npz") as stored:
        arrays = {name: stored[name] for name in stored.files}
    np.savez(folder / "arrays.npz", **{**arrays, **changes})


@pytest.mark.parametrize("change", ["transposed", "cut", "not a number", "text", "left out"])
def test_arrays_that_are_not_the_described_ones(model: WSPTM, folder: Path, change: str) -> None:
    phi = model.topic_word_
    if change == "left out":
        with np.load(folder / "arrays.npz") as stored:
            arrays = {name: stored[name] for name in stored.files if name != "topic_word_"}
        np.savez(folder / "arrays.npz", **arrays)
    else:
        wrong = {
            "transposed": phi.T,
            "cut": phi[:, :4],
            "not a number": phi * np.nan,
            "text": phi.astype(str),
        }
        rewritten(folder, topic_word_=wrong[change])
    with pytest.raises(InputError, match=r"damaged.*topic_word_"):
        seedtopic.load(folder)


@pytest.mark.parametrize(
    "changes",
    [
        {"classes": ["sports", "sports", "weather"]},
        {"classes": ["sports", "money"]},
        {"classes": None},
        {"seeds": [["sports", ["game"]], ["money", ["bank"]]]},
        {"parameters": {"magic": 1}},
        {"parameters": None},
        {"model": ["WSPTM"]},
        {"model": "MedLDA"},
        {"format": 0},
    ],
)
def test_headers_that_do_not_fit(folder: Path, changes: dict[str, Any]) -> None:
    header = json.loads((folder / "model.json").read_text())
    (folder / "model.json").write_text(json.dumps({**header, **changes}))
    with pytest.raises(InputError):
        seedtopic.load(folder)
