from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import seedtopic
from sealing import arrays_of, header_of, rewrite_arrays, rewrite_header, seal
from seedtopic import WSPTM, InputError
from seedtopic.model import folder as storage


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

    monkeypatch.setattr("seedtopic.model.folder.write_arrays", full_disk)
    with pytest.raises(InputError, match="No space left on device"):
        model.save(folder)
    assert (folder / "model.json").read_bytes() == before
    assert sorted(p.name for p in folder.parent.iterdir()) == ["model"]


@pytest.mark.parametrize("number", [storage.FORMAT - 1, storage.FORMAT + 1])
def test_another_format_is_refused_with_the_remedy(folder: Path, number: int) -> None:
    header = json.loads((folder / "model.json").read_text())
    (folder / "model.json").write_text(json.dumps({**header, "format": number}))
    with pytest.raises(InputError, match=f"format {number} by another version .*: install the version"):
        seedtopic.load(folder)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("model.json", "{", "damaged"),
        ("model.json", "[]", "has no format number"),
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
    rewrite_header(folder, model="Oracle")
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


@pytest.mark.parametrize("change", ["transposed", "cut", "not a number", "text", "left out", "negative"])
@pytest.mark.parametrize("announced", [True, False])
def test_arrays_that_are_not_the_learned_ones(
    model: WSPTM, folder: Path, change: str, announced: bool
) -> None:
    arrays = arrays_of(folder)
    phi = arrays.pop("topic_word_")
    wrong = {
        "transposed": phi.T,
        "cut": phi[:, :4],
        "not a number": phi * np.nan,
        "text": phi.astype(str),
        "negative": -phi,
    }
    arrays |= {} if change == "left out" else {"topic_word_": wrong[change]}
    before = header_of(folder)
    rewrite_arrays(folder, arrays)
    if not announced:
        seal(folder, before)
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
    rewrite_header(folder, **changes)
    with pytest.raises(InputError):
        seedtopic.load(folder)


def test_a_name_that_the_system_refuses_is_one_sentence(model: WSPTM, tmp_path: Path) -> None:
    for use in (model.save, seedtopic.load):
        with pytest.raises(InputError, match=r"too long|no model\.json"):  # which Python 3.14 says of it
            use(tmp_path / ("a" * 300))
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_may_not_be_read_is_one_sentence(
    model: WSPTM, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(*arguments: Any, **named: Any) -> None:
        raise PermissionError(13, os.strerror(13), str(folder))

    monkeypatch.setattr(Path, "is_file", denied)
    for use in (model.save, seedtopic.load):
        with pytest.raises(InputError, match="Permission denied"):
            use(folder)
