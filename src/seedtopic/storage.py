"""A model on disk: a folder a person can read, and that holds data only, never code.

model.json (what it is and its settings), arrays.npz (numbers, without pickle), vocabulary.txt (a word a
line) and README.md (a model card).
"""

from __future__ import annotations

import json
import shutil
import tempfile
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedtopic.errors import InputError
from seedtopic.seeds import Name, Seeds

FORMAT = 1


@dataclass(frozen=True)
class ModelFolder:
    """What a model folder holds."""

    model: str
    parameters: dict[str, Any]
    classes: list[Name]
    seeds: Seeds | None
    vocabulary: list[str]
    arrays: dict[str, NDArray[Any]]
    custom_tokenizer: bool


def check_model_folder(folder: Path) -> None:
    """Refuse a place where a model cannot be written, before any work is done."""
    if (
        folder.exists()
        and not (folder / "model.json").is_file()
        and (not folder.is_dir() or any(folder.iterdir()))
    ):
        raise InputError(f"{folder} exists and is not a model folder: choose another name for the model.")


def write_model(folder: Path, content: ModelFolder) -> None:
    """Write a model folder; it appears only when complete, and an older one stays until then."""
    check_model_folder(folder)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        unfinished = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    except OSError as error:
        raise InputError(f"the model cannot be written to {folder}: {error.strerror}.") from None
    try:
        _write_files(unfinished, content)
        unfinished.chmod(0o755)  # mkdtemp's own mode hides the folder from everybody else
        if folder.exists():
            older = unfinished.with_name(unfinished.name + ".old")
            folder.rename(older)
            try:
                unfinished.rename(folder)
            except OSError:
                older.rename(folder)
                raise
            shutil.rmtree(older)
        else:
            unfinished.rename(folder)
    except OSError as error:
        raise InputError(f"the model cannot be written to {folder}: {error.strerror}.") from None
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def read_model(folder: Path) -> ModelFolder:
    """Read a model folder and check that it is whole."""
    if not (folder / "model.json").is_file():
        raise InputError(f"{folder} is not a model folder: it has no model.json.")
    try:
        header = json.loads((folder / "model.json").read_text(encoding="utf-8"))
        if not isinstance(header, dict) or not isinstance(header.get("format"), int) or header["format"] < 1:
            raise InputError(f"{folder / 'model.json'} does not say which format it has.")
        if header["format"] > FORMAT:
            raise InputError(
                f"{folder} was written in format {header['format']} by a newer seedtopic; "
                f"this one reads up to {FORMAT}: run  pip install -U seedtopic"
            )
        # Words may hold any character but a line feed, which is escaped: no other line end counts.
        with open(folder / "vocabulary.txt", encoding="utf-8", newline="\n") as lines:
            vocabulary = [_unescaped(line.removesuffix("\n")) for line in lines]
        if len(vocabulary) != header["n_words"]:
            raise InputError(
                f"the model folder {folder} is damaged: vocabulary.txt has {len(vocabulary)} words "
                f"instead of {header['n_words']}."
            )
        with np.load(folder / "arrays.npz", allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
            _check_arrays(folder, arrays, header["arrays"])
            content = ModelFolder(
                model=header["model"],
                parameters=header["parameters"],
                classes=header["classes"],
                seeds=None if header["seeds"] is None else Seeds(dict(header["seeds"])),
                vocabulary=vocabulary,
                arrays=arrays,
                custom_tokenizer=header["custom_tokenizer"],
            )
    except InputError:
        raise
    except KeyError as error:
        raise InputError(f"the model folder {folder} is damaged: {error} is missing.") from None
    except (OSError, ValueError, TypeError, AttributeError, EOFError, zipfile.BadZipFile) as error:
        raise InputError(f"the model folder {folder} is damaged: {error}.") from None
    _check_classes(folder, content)
    return content


def _check_arrays(folder: Path, arrays: dict[str, NDArray[Any]], described: dict[str, list[Any]]) -> None:
    """Refuse arrays that are not those the header describes: a kernel would read beyond their ends."""
    found = {name: _description(array) for name, array in arrays.items()}
    if found != described:
        wrong = sorted(name for name in {*found, *described} if found.get(name) != described.get(name))
        raise InputError(
            f"the model folder {folder} is damaged: arrays.npz and model.json disagree on {', '.join(wrong)}."
        )
    for name, array in arrays.items():
        if array.dtype.kind not in "biuf" or not np.isfinite(array).all():
            raise InputError(f"the model folder {folder} is damaged: {name} holds what is not a number.")


def _check_classes(folder: Path, content: ModelFolder) -> None:
    names = content.classes
    seeded = names if content.seeds is None else content.seeds.names
    words_differ = len(set(content.vocabulary)) == len(content.vocabulary)
    if not names or len(set(map(str, names))) < len(names) or names != seeded or not words_differ:
        raise InputError(
            f"the model folder {folder} is damaged: its categories or words stand twice or differ."
        )


def _description(array: NDArray[Any]) -> list[Any]:
    return [str(array.dtype), list(array.shape)]


def _write_files(folder: Path, content: ModelFolder) -> None:
    header = {
        "format": FORMAT,
        "seedtopic": version("seedtopic"),
        "model": content.model,
        "parameters": content.parameters,
        "classes": content.classes,
        "n_words": len(content.vocabulary),
        "arrays": {name: _description(array) for name, array in content.arrays.items()},
        # Pairs, because JSON objects promise no order and the order of the categories is the user's.
        "seeds": None if content.seeds is None else [list(pair) for pair in content.seeds.table().items()],
        "custom_tokenizer": content.custom_tokenizer,
    }
    (folder / "model.json").write_text(
        json.dumps(header, indent=2, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    np.savez_compressed(folder / "arrays.npz", allow_pickle=False, **content.arrays)
    words = "".join(_escaped(word) + "\n" for word in content.vocabulary)
    (folder / "vocabulary.txt").write_text(words, encoding="utf-8", newline="\n")
    (folder / "README.md").write_text(model_card(content), encoding="utf-8")


def model_card(content: ModelFolder) -> str:
    """Describe a model for whoever finds its folder."""
    source = (
        "labelled documents" if content.seeds is None else "unlabelled documents and the seed words below"
    )
    words_of = dict(_seed_items(content))
    topic_word = content.arrays.get("topic_word_", np.empty((len(content.classes), 0)))
    lines = [
        f"# {content.model}",
        "",
        f"Labels documents with one of {len(content.classes)} categories. Learned by seedtopic "
        f"{version('seedtopic')} from {source}; {len(content.vocabulary):,} words are known.",
        "",
        "| category | seed words | learned words |",
        "|---|---|---|",
    ]
    for name, weights in zip(content.classes, topic_word, strict=True):
        cells = (
            str(name),
            ", ".join(words_of.get(name, ())),
            ", ".join(_top_words(weights, content.vocabulary)),
        )
        lines.append("| " + " | ".join(_cell(cell) for cell in cells) + " |")
    lines += [
        "",
        "Use it with `seedtopic.load(folder).predict(texts)` or `seedtopic predict folder DOCS`.",
        "",
    ]
    return "\n".join(lines)


def _seed_items(content: ModelFolder) -> list[tuple[Name, tuple[str, ...]]]:
    return [] if content.seeds is None else list(content.seeds.categories.items())


def _top_words(weights: NDArray[Any], vocabulary: Sequence[str], count: int = 8) -> list[str]:
    return [vocabulary[column] for column in np.argsort(-weights, kind="stable")[:count]]


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _escaped(word: str) -> str:
    return word.replace("\\", "\\\\").replace("\n", "\\n")


def _unescaped(line: str) -> str:
    return "\\".join(part.replace("\\n", "\n") for part in line.split("\\\\"))
