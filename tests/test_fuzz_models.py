"""Saved models, damaged and forged at random: each is refused in a sentence, or labels as a model does.

Every mutation is drawn from its number, so that a failure can be made again.
"""

from __future__ import annotations

import json
import random
import signal
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import seedtopic
from sealing import arrays_of, header_of, rewrite_arrays, seal
from seedtopic import PLDNB, STM, WSPTM, InputError, LapSWTM, MedLDA, SeedTopicClassifier

FEW, MANY = 7, 250  # mutations of each kind and model, in all tests and in the slow ones
SECONDS = 20  # that a mutation may take

Saved = dict[str, bytes]
Mutation = Callable[[Path, random.Random], None]

NEW_TEXTS = ["a goal in the game", "bank and rain", "", "nothing known", "storm " * 50]

MODELS: dict[str, Callable[[Any], Any]] = {
    "default": lambda seeds: SeedTopicClassifier(seeds, none_label="other", mixture=False, random_state=0),
    "mixture": lambda seeds: SeedTopicClassifier(seeds, mixture=True, random_state=0),
    "topics": lambda seeds: SeedTopicClassifier(seeds, refine=False, mixture=False, random_state=0),
    "WSPTM": lambda seeds: WSPTM(seeds, max_iter=3, random_state=0),
    "LapSWTM": lambda seeds: LapSWTM(seeds, max_iter=3, estep="bayes", random_state=0),
    "STM": lambda seeds: STM(seeds, n_sweeps=3, random_state=0),
    "PLDNB": lambda seeds: PLDNB(seeds),
    "MedLDA": lambda seeds: MedLDA(n_topics=3, n_sweeps=3, burn_in=2, n_samples=2, random_state=0),
}


@pytest.fixture(scope="module")
def saved(
    tmp_path_factory: pytest.TempPathFactory,
    toy_texts: list[str],
    toy_labels: list[str],
    toy_seeds: dict[str, list[str]],
) -> dict[str, Saved]:
    seeds = {**toy_seeds, "money": {"words": ["bank", "stoc*"], "weights": {"bank": 2.0}, "exclude": ["sky"]}}
    models = {}
    for name, make in MODELS.items():
        folder = tmp_path_factory.mktemp("saved") / "model"
        model = make(seeds)
        if name == "default":  # with the documents it has seen
            model.partial_fit(toy_texts)
        else:
            model.fit(toy_texts, toy_labels if isinstance(model, MedLDA) else None)
        model.save(folder)
        models[name] = {path.name: path.read_bytes() for path in folder.iterdir()}
    return models


# Damage to bytes


def damaged(content: bytes, rng: random.Random) -> bytes:
    """Change some bytes, as disks and networks do, and as cut and joined files are."""
    if not content:
        return b"\0"
    start, other = rng.randrange(len(content)), rng.randrange(len(content))
    length = rng.choice([1, 1, 2, 8, 100, 10_000])
    piece = content[start : start + length]
    way = rng.choice(["bit", "byte", "cut", "drop", "insert", "repeat", "zeros", "swap", "copy"])
    if way == "bit":
        return content[:start] + bytes([content[start] ^ 1 << rng.randrange(8)]) + content[start + 1 :]
    if way == "byte":
        return content[:start] + rng.randbytes(1) + content[start + 1 :]
    if way == "cut":
        return content[:start]
    if way == "drop":
        return content[:start] + content[start + length :]
    if way == "insert":
        return content[:start] + rng.randbytes(length) + content[start:]
    if way == "repeat":
        return content[:start] + piece + content[start:]
    if way == "zeros":
        return content[:start] + bytes(len(piece)) + content[start + length :]
    if way == "swap":
        low, high = sorted((start, other))
        return content[high:] + content[low:high] + content[:low]
    return content[:other] + piece + content[other + len(piece) :]


def damage_bytes(folder: Path, rng: random.Random) -> None:
    path = folder / rng.choice(["model.json", "arrays.npz", "vocabulary.txt"])
    path.write_bytes(damaged(path.read_bytes(), rng))


def forge_bytes(folder: Path, rng: random.Random) -> None:
    """Damage a file and make all checksums right."""
    path = folder / rng.choice(["model.json", "arrays.npz", "arrays.npz", "vocabulary.txt"])
    header = header_of(folder)
    path.write_bytes(damaged(path.read_bytes(), rng))
    if path.name == "model.json":
        try:
            header = header_of(folder)
        except ValueError:
            return
    elif path.name == "vocabulary.txt":
        header["n_words"] = path.read_bytes().count(b"\n")
    if isinstance(header, dict):
        seal(folder, header)


# Other values in model.json

VALUES: list[Any] = [
    None, True, False, 0, 1, -1, 3, 2**31, 2**63, 10**400, 0.5, -0.5, 1e308, 1e-320, "", "sports", "c", "numpy",
    "../x", "\0", "\ud800", "a" * 1000, [], [[]], [1], ["a", "b"], [None], {}, {"a": 1}, [[["deep"]]],
    ["sports", "money", "weather"], [["a", ["b"]]], {"words": ["game"]}, [2, 3], "auto", "embeddings",
]  # fmt: skip


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, below in inner:
        yield from places(below, (*path, key))


def forge_header(folder: Path, rng: random.Random) -> None:
    """Put one to three values of other types in places of model.json, remove some, or exchange two."""
    header = header_of(folder)
    for _ in range(rng.choice([1, 1, 2, 3])):
        found = [path for path in places(header) if path[0] != "sha256"]
        if rng.random() < 0.5:
            found = [path for path in found if path[0] in ("parameters", "seeds")] or found
        path = rng.choice(found)
        holder = header
        for key in path[:-1]:
            holder = holder[key]
        if rng.random() < 0.15:
            del holder[path[-1]]
        elif rng.random() < 0.2 and isinstance(holder[path[-1]], int | float):
            holder[path[-1]] = holder[path[-1]] * rng.choice([-1, 0, 2, 1e6, 1e-6, 1e30])
        else:
            holder[path[-1]] = rng.choice(VALUES)
    seal(folder, header)


# Other arrays


def forged(array: np.ndarray, rng: random.Random) -> np.ndarray:
    numbers = np.random.default_rng(rng.randrange(2**32))
    way = rng.choice(["shape", "cut", "dtype", "values", "value", "order", "zeros", "scale", "empty", "more"])
    if way == "shape":
        return np.zeros(tuple(rng.choice([0, 1, 2, 3, 5]) for _ in range(rng.randrange(4))), array.dtype)
    if way == "cut" and array.ndim:
        return array[: rng.randrange(len(array) + 1)]
    if way == "dtype":
        with np.errstate(all="ignore"):
            return array.astype(rng.choice(["f4", "f8", "i4", "i8", "u1", "?", ">f8", "f2", "U5", "c16"]))
    if way == "values":
        with np.errstate(all="ignore"):
            return (numbers.normal(size=array.shape) * 10.0 ** rng.randrange(-40, 40)).astype(array.dtype)
    if way == "value" and array.size:
        changed = array.copy()
        wild = rng.choice([np.nan, np.inf, -np.inf, 0.0, -1.0, 1.0, 1e38, -1e38, 1e-45, 1e9])
        with np.errstate(all="ignore"):
            changed.flat[rng.randrange(array.size)] = np.array(wild).astype(array.dtype)
        return changed
    if way == "order":
        return np.asfortranarray(array) if array.ndim > 1 else np.flip(array)
    if way == "zeros":
        return np.zeros_like(array)
    if way == "scale":
        with np.errstate(all="ignore"):
            return (array * 10.0 ** rng.randrange(-30, 30)).astype(array.dtype)
    if way == "empty":
        return np.empty((*array.shape[:-1], 0), array.dtype)
    return np.concatenate([array, array]) if array.ndim else array[None]


def forge_arrays(folder: Path, rng: random.Random) -> None:
    """Put other arrays in the place of some, exchange two, or leave some out, and announce them all."""
    arrays = arrays_of(folder)
    for _ in range(rng.choice([1, 1, 1, 2])):
        name, other = rng.choice(list(arrays)), rng.choice(list(arrays))
        act = rng.random()
        if act < 0.1:
            arrays[name], arrays[other] = arrays[other], arrays[name]
        elif act < 0.15:
            arrays[f"more_{name}"] = arrays[name]
        elif act < 0.2 and len(arrays) > 1:
            del arrays[name]
        else:
            arrays[name] = forged(arrays[name], rng)
    rewrite_arrays(folder, arrays)


def forge_zip(folder: Path, rng: random.Random) -> None:
    """Exchange, repeat, rename or damage the files in arrays.npz."""
    with zipfile.ZipFile(folder / "arrays.npz") as archive:
        members = [(name, archive.read(name)) for name in archive.namelist()]
    place, other = rng.randrange(len(members)), rng.randrange(len(members))
    (name, content), (other_name, other_content) = members[place], members[other]
    way = rng.choice(["exchange", "repeat", "rename", "damage", "damage", "shuffle"])
    if way == "exchange":
        members[place], members[other] = (name, other_content), (other_name, content)
    elif way == "repeat":
        members.append((name, other_content))
    elif way == "rename":
        members[place] = (rng.choice(["../x.npy", "/x.npy", "x", "x.npy", name.upper(), "x/"]), content)
    elif way == "damage":
        members[place] = (name, damaged(content, rng))
    else:
        rng.shuffle(members)
    with zipfile.ZipFile(folder / "arrays.npz", "w", rng.choice([0, 8, 12, 14])) as archive:
        for member in members:
            archive.writestr(*member)
    seal(folder, header_of(folder))


KINDS: dict[str, Mutation] = {
    "damaged bytes": damage_bytes,
    "forged bytes": forge_bytes,
    "forged header": forge_header,
    "forged arrays": forge_arrays,
    "forged zip": forge_zip,
}


@contextmanager
def in_time() -> Iterator[None]:
    def late(*arguments: object) -> None:
        raise AssertionError(f"a mutation takes longer than {SECONDS} seconds")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def _explained(model: Any) -> None:
    try:
        told = model.explain(NEW_TEXTS[0])
    except InputError as error:
        if "cannot explain" not in str(error):
            raise
    else:
        assert np.isfinite(told.log_odds)


def labels_or_refused(folder: Path) -> np.ndarray | None:
    """Give the probabilities of some texts; None where the model is refused."""
    try:
        model = seedtopic.load(folder)
        probabilities = model.predict_proba(NEW_TEXTS)
        labels = model.predict(NEW_TEXTS)
        if hasattr(model, "explain"):
            _explained(model)
    except InputError as error:
        sentence = str(error)
    else:
        sentence = None
    if sentence is not None:
        assert "\n" not in sentence
        assert 10 < len(sentence) < 3000
        return None
    assert probabilities.shape == (len(NEW_TEXTS), len(model.classes_))
    assert np.isfinite(probabilities).all()
    assert (probabilities >= 0).all()
    assert np.allclose(probabilities.sum(axis=1), 1.0)
    assert len(labels) == len(NEW_TEXTS)
    return probabilities


def fuzz(saved: Saved, folder: Path, kind: str, numbers: range) -> Counter[str]:
    """Make mutations and look at what comes of each."""
    folder.mkdir(exist_ok=True)

    def put_back() -> None:
        for name, content in saved.items():
            (folder / name).write_bytes(content)

    put_back()
    whole = labels_or_refused(folder)
    assert whole is not None
    outcomes: Counter[str] = Counter()
    for number in numbers:
        put_back()
        KINDS[kind](folder, random.Random(number))
        try:
            with in_time():
                found = labels_or_refused(folder)
        except BaseException as error:
            error.add_note(f"mutation {number}")
            raise
        if found is not None and kind == "damaged bytes":
            assert np.array_equal(found, whole), f"mutation {number} was not found out"
            said, before = header_of(folder), json.loads(saved["model.json"])
            assert said == before, f"mutation {number} was not found out"
        outcomes["refused" if found is None else "labelled"] += 1
    return outcomes


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("model", MODELS)
def test_a_few_mutations(saved: dict[str, Saved], tmp_path: Path, model: str, kind: str) -> None:
    outcomes = fuzz(saved[model], tmp_path / "model", kind, range(FEW))
    assert outcomes.total() == FEW


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("model", MODELS)
def test_many_mutations(
    saved: dict[str, Saved],
    tmp_path: Path,
    model: str,
    kind: str,
    record_property: Callable[[str, Any], None],
) -> None:
    outcomes = fuzz(saved[model], tmp_path / "model", kind, range(FEW, MANY))
    record_property("outcomes", dict(outcomes))
    assert outcomes["refused"] > 0
