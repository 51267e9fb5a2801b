from __future__ import annotations

import json
import os
from collections.abc import Set
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import seedtopic
from sealing import arrays_of, header_of, rewrite_arrays, rewrite_header, seal
from seedtopic import WSPTM, InputError, SeedTopicClassifier
from seedtopic.storage import model_folder as storage


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

    monkeypatch.setattr("seedtopic.storage.model_folder.write_arrays", full_disk)
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


# Folders of the first format, as earlier versions wrote them

NONE_AND_SEVERAL = {
    "multi_transduction_",
    "none_probability_",
    "none_coef_",
    "none_intercept_",
    "none_level_",
}


def write_format_1(
    model: Any, folder: Path, *, without: Set[str] = frozenset(), parameters: dict[str, Any], bare: bool
) -> None:
    """Write a folder as the versions before checksums did; the first (`bare`) announced neither classes nor sizes."""
    arrays = {name: np.asarray(array) for name, array in model._arrays().items() if name not in without}
    header = {
        "format": 1,
        "seedtopic": "0.1.0",
        "model": type(model).__name__,
        "parameters": parameters,
        "classes": model.classes_.tolist(),
        "n_words": len(model.vocabulary_),
        "arrays": {name: [str(array.dtype), list(array.shape)] for name, array in arrays.items()},
        "seeds": [[name, list(words)] for name, words in model.seeds_.categories.items()],
        "custom_tokenizer": False,
    }
    for key in ("classes", "n_words", "arrays") if bare else ():
        del header[key]
    folder.mkdir()
    (folder / "model.json").write_text(json.dumps(header, indent=2) + "\n", encoding="utf-8")
    np.savez_compressed(folder / "arrays.npz", **arrays)
    (folder / "vocabulary.txt").write_text(
        "".join(f"{word}\n" for word in model.vocabulary_), encoding="utf-8"
    )


@pytest.mark.parametrize("bare", [True, False])
def test_the_first_format_loads_and_predicts_the_same(
    model: WSPTM, toy_texts: list[str], tmp_path: Path, bare: bool
) -> None:
    parameters = {"max_iter": 3, ("lambda_" if bare else "lam"): 150.0, "tau": 0.1, "stop_words": "english"}
    write_format_1(model, tmp_path / "old", parameters=parameters, bare=bare)
    again = seedtopic.load(tmp_path / "old")
    assert np.array_equal(again.predict_proba(toy_texts), model.predict_proba(toy_texts))
    assert again.get_params()["lam"] == 150.0
    again.save(tmp_path / "new")
    assert header_of(tmp_path / "new")["format"] == storage.FORMAT
    assert np.array_equal(
        seedtopic.load(tmp_path / "new").predict_proba(toy_texts), model.predict_proba(toy_texts)
    )


@pytest.mark.parametrize("mixture", [True, False])
@pytest.mark.parametrize("without", [{"seed_weights_", "label_frequency_"}, set()])
def test_earlier_default_models_load_and_predict_the_same(
    toy_texts: list[str], toy_seeds: dict[str, list[str]], tmp_path: Path, mixture: bool, without: set[str]
) -> None:
    """Before seeds were weighed and before documents could have no label or several."""
    model = SeedTopicClassifier(toy_seeds, mixture=mixture, random_state=0).fit(toy_texts)
    parameters = {"mixture": mixture, "n_neighbors": 10, "neighbor_weight": 0.5}
    write_format_1(
        model, tmp_path / "old", without=without | NONE_AND_SEVERAL, parameters=parameters, bare=False
    )
    again = seedtopic.load(tmp_path / "old")
    assert np.array_equal(again.predict_proba(toy_texts), model.predict_proba(toy_texts))
    assert again.transduction_.tolist() == model.transduction_.tolist()
    assert again.multi_transduction_.sum(axis=1).tolist() == [1] * len(toy_texts)
    assert again.named_labels(again.multi_transduction_)[0] == (model.transduction_[0],)
    again.save(tmp_path / "new")
    assert seedtopic.load(tmp_path / "new").predict(toy_texts).tolist() == model.predict(toy_texts).tolist()


def test_damage_of_the_first_format_is_found_by_the_shapes(model: WSPTM, tmp_path: Path) -> None:
    write_format_1(model, tmp_path / "old", parameters={}, bare=True)
    (tmp_path / "old" / "vocabulary.txt").write_text("one\nword\n")
    with pytest.raises(InputError, match="damaged"):
        seedtopic.load(tmp_path / "old")


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
