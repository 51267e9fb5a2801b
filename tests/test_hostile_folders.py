"""Model folders made to harm: each is refused in one sentence, at once and without taking memory."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import seedtopic
from sealing import arrays_of, header_of, rewrite_arrays, rewrite_header, seal
from seedtopic import InputError, MedLDA, SeedTopicClassifier
from seedtopic.model import folder as storage
from seedtopic.seeds.category import matching

MOST_MEMORY = 50_000_000  # bytes that a refusal may take


@pytest.fixture(scope="module")
def saved(
    tmp_path_factory: pytest.TempPathFactory, toy_texts: list[str], toy_seeds: dict[str, list[str]]
) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("saved") / "model"
    SeedTopicClassifier(toy_seeds, random_state=0).fit(toy_texts).save(folder)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def folder(saved: dict[str, bytes], tmp_path: Path) -> Path:
    place = tmp_path / "model"
    place.mkdir()
    for name, content in saved.items():
        (place / name).write_bytes(content)
    return place


def refused(folder: Path) -> str:
    """Give the sentence by which a folder is refused; fail where that takes much memory."""
    tracemalloc.start()
    try:
        with pytest.raises(InputError) as caught:
            seedtopic.load(folder)
        assert tracemalloc.get_traced_memory()[1] < MOST_MEMORY
    finally:
        tracemalloc.stop()
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert len(sentence) < 600
    return sentence


def npy(header: str, content: bytes = b"", version: bytes = b"\x01\x00") -> bytes:
    length = struct.pack("<H" if version == b"\x01\x00" else "<I", len(header))
    return b"\x93NUMPY" + version + length + header.encode("latin-1") + content


def put_member(folder: Path, name: str, content: bytes, announced: Any = None) -> None:
    """Replace a file in arrays.npz, with every checksum right."""
    old = zipfile.ZipFile(io.BytesIO((folder / "arrays.npz").read_bytes()))
    with zipfile.ZipFile(folder / "arrays.npz", "w", zipfile.ZIP_DEFLATED) as new:
        for member in old.namelist():
            if member != name:
                new.writestr(member, old.read(member))
        new.writestr(name, content)
    header = header_of(folder)
    if announced is not None:
        header["arrays"][name.removesuffix(".npy")] = announced
    seal(folder, header)


def test_the_untouched_folder_loads(folder: Path) -> None:
    assert seedtopic.load(folder).predict(["a game"]).tolist() == ["sports"]


# What the files are


@pytest.mark.parametrize("name", ["model.json", "arrays.npz", "vocabulary.txt"])
@pytest.mark.parametrize("kind", ["link", "broken link", "pipe", "folder", "device"])
def test_only_regular_files_are_read(folder: Path, tmp_path: Path, name: str, kind: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    (folder / name).rename(elsewhere)
    if kind == "broken link":
        elsewhere.unlink()
    if "link" in kind:
        (folder / name).symlink_to(elsewhere)
    elif kind == "pipe":
        os.mkfifo(folder / name)
    elif kind == "folder":
        (folder / name).mkdir()
    else:
        (folder / name).symlink_to("/dev/zero")
    sentence = refused(folder)
    assert "link" in sentence or "regular" in sentence or "no model.json" in sentence


def test_a_link_to_the_whole_folder_is_a_way_to_it(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "latest").symlink_to(folder)
    seedtopic.load(tmp_path / "latest")


@pytest.mark.parametrize(("name", "size"), [("model.json", 2**31), ("vocabulary.txt", 2**36)])
def test_files_of_absurd_size(folder: Path, name: str, size: int) -> None:
    with open(folder / name, "r+b") as file:
        file.truncate(size)  # a hole, which takes no disk
    assert "bytes" in refused(folder)


# The memory of the process and the time of a clock, which see what Python's own allocations do not show


def with_large_words(folder: Path, content: bytes, *, size: int = 0, n_words: int = 0) -> None:
    (folder / "vocabulary.txt").write_bytes(content)
    if n_words:
        rewrite_header(folder, n_words=n_words)
    if size:
        os.truncate(folder / "vocabulary.txt", size)


def with_large_header(folder: Path, entry: str, number: int) -> None:
    text = (folder / "model.json").read_text(encoding="utf-8").rstrip().removesuffix("}")
    entries = ", ".join(entry.replace("#", str(place)) for place in range(number))
    more = f"{{{entries}}}" if entry.startswith('"') else f"[{entries}]"
    (folder / "model.json").write_text(f'{text}, "more": {more}}}', encoding="utf-8")


def with_large_arrays(folder: Path, size: int, announced: list[Any] | None) -> None:
    os.truncate(folder / "arrays.npz", size)
    if announced is not None:
        header = header_of(folder)
        header["arrays"]["label_distributions_"] = announced
        header["sha256"]["model.json"] = storage._header_sum(header)
        (folder / "model.json").write_text(json.dumps(header), encoding="utf-8")


LARGE = {
    "zeros for words": lambda folder: with_large_words(folder, b"", size=2 * 10**9),
    "zeros, and as many words said": lambda folder: with_large_words(
        folder, b"", size=2 * 10**9, n_words=10**9
    ),
    "empty words": lambda folder: with_large_words(folder, b"\n" * 30_000_000, n_words=10**7),
    "words, but fewer said": lambda folder: with_large_words(
        folder, b"".join(b"%d\n" % n for n in range(2_000_000))
    ),
    "60 MB of names": lambda folder: with_large_header(folder, '"name#": 1', 3_300_000),
    "names": lambda folder: with_large_header(folder, '"name#": "#"', 74_000),
    "long names": lambda folder: with_large_header(
        folder, '"A long name \N{GRINNING FACE} and longer #": "#"', 74_000
    ),
    "objects": lambda folder: with_large_header(folder, '{"#": {}}', 36_000),
    "zeros for arrays": lambda folder: with_large_arrays(folder, 2**38, None),
    "zeros for announced arrays": lambda folder: with_large_arrays(folder, 2**38, ["float64", [2**34, 2]]),
}
MEASURE = """
import re, sys, time
from pathlib import Path
import seedtopic

def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) * 1024

untouched, *folders = sys.argv[1:]
seedtopic.load(untouched)
for folder in folders:
    Path("/proc/self/clear_refs").write_text("5")  # from here on
    before, begin = peak(), time.process_time()
    try:
        seedtopic.load(folder)
        raise SystemExit("loaded")
    except seedtopic.InputError as error:
        seconds = time.process_time() - begin
        print(f"{(peak() - before) / 1e6:.0f} {seconds:.2f} {error}")
"""


def test_refusals_within_50_mb_and_a_second(folder: Path, tmp_path: Path) -> None:
    folders = [tmp_path / kind for kind in LARGE]
    for large, damage in zip(folders, LARGE.values(), strict=True):
        shutil.copytree(folder, large)
        damage(large)
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, folder, *folders], capture_output=True, text=True, check=True
    )
    sentences = done.stdout.splitlines()
    assert len(sentences) == len(folders)
    for sentence in sentences:
        megabytes, seconds, _ = sentence.split(maxsplit=2)
        assert float(megabytes) < 50, sentence
        assert float(seconds) < 1, sentence


# What model.json says


@pytest.mark.parametrize(
    "content",
    [
        b"[" * 1_000_000,
        b'{"a":' * 1_000_000,
        b"[" + b"[]," * 5_000_000 + b"[]]",
        b'{"format": 1' + b"0" * 10_000 + b"}",
        b'{"format": 2, "format": 1}',
        b'{"format": NaN}',
        b"\xff\xfe",
        b"",
        b"null",
        b'{"format": true}',
    ],
)
def test_json_that_is_hard_to_read(folder: Path, content: bytes) -> None:
    (folder / "model.json").write_bytes(content)
    refused(folder)


@pytest.mark.parametrize(
    "changes",
    [
        {"n_words": 10**12},
        {"n_words": -1},
        {"n_words": "many"},
        {"classes": [[], {}, None]},
        {"classes": [1, "a", 2.0]},
        {"classes": "abc"},
        {"classes": []},
        {"arrays": None},
        {"arrays": {}},
        {"seeds": "abc"},
        {"seeds": {"sports": 1}},
        {"seeds": [[[], []]]},
        {"seeds": [1, 2, 3]},
        {"seeds": 3},
        {"custom_tokenizer": 1},
        {"model": "../../etc/passwd"},
        {"model": "__class__"},
        {"sha256": None},
    ],
)
def test_headers_that_say_nonsense(folder: Path, changes: dict[str, Any]) -> None:
    if "sha256" in changes:
        (folder / "model.json").write_text(json.dumps({**header_of(folder), **changes}))
    else:
        rewrite_header(folder, **changes)
    refused(folder)


@pytest.mark.parametrize(
    "parameters",
    [
        {"rho": "0.2"},
        {"rho": 7},
        {"rho": 10**400},
        {"rho": [0.1]},
        {"max_iter": 0},
        {"max_iter": 1.5},
        {"kernel": "fpga"},
        {"kernel": ["c"]},
        {"n_threads": -1},
        {"n_threads": "all"},
        {"min_df": 0},
        {"stop_words": 3},
        {"stop_words": [1]},
        {"strict": "no"},
        {"none_label": 5},
        {"none_label": "sports"},
        {"graph": {"a": 1}},
        {"random_state": -1},
        {"random_state": "seed"},
        {"naive_bayes_start": 17},
        {"tokenizer": "os:system"},
        {"seeds": {}},
        {"runner": "dask"},
        {"__class__": "x"},
        {"unheard_of": 1},
    ],
)
def test_parameters_are_checked_when_a_model_is_loaded(folder: Path, parameters: dict[str, Any]) -> None:
    rewrite_header(folder, parameters={**header_of(folder)["parameters"], **parameters})
    sentence = refused(folder)
    assert next(iter(parameters)) in sentence


def test_many_sweeps_are_refused_before_they_are_made(tmp_path: Path, toy_texts: list[str]) -> None:
    model = MedLDA(n_topics=2, n_sweeps=2, burn_in=1, n_samples=1, random_state=0)
    model.fit(toy_texts, ["a", "b"] * 18).save(tmp_path / "model")
    parameters = header_of(tmp_path / "model")["parameters"]
    rewrite_header(tmp_path / "model", parameters={**parameters, "burn_in": 10**12})
    assert "burn_in" in refused(tmp_path / "model")


# What arrays.npz holds


def huge(shape: str, descr: str = "'<f8'") -> str:
    return f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n"


@pytest.mark.parametrize(
    ("content", "announced"),
    [
        (npy(huge("(1000000000000,)")), ["float64", [10**12]]),
        (npy(huge("(1000000000000, 3)")), ["float64", [10**12, 3]]),
        (npy(huge("(4611686018427387904, 4)")), ["float64", [2**62, 4]]),
        (npy(huge("(-1, 3)")), ["float64", [-1, 3]]),
        (npy(huge("(True, 3)"), b"\0" * 24), ["float64", [1, 3]]),
        (npy(huge("(1000000000000, 0)")), ["float64", [10**12, 0]]),
        (npy(huge("(3,)", "'|O'"), b"\x80\x04]\x94."), ["object", [3]]),
        (npy(huge("(3,)", "[('a', '<f8')]"), b"\0" * 24), None),
        (npy(huge("(3,)", "'<f2'"), b"\0" * 6), ["float16", [3]]),
        (npy(huge("(3,)", "'<c16'"), b"\0" * 48), ["complex128", [3]]),
        (npy(huge("(3,)", "'<M8[s]'"), b"\0" * 24), None),
        (npy(huge("(3,)", "'<U10'"), b"\0" * 120), None),
        (npy("{" * 5000), None),
        (npy("(" * 5000), None),
        (npy("__import__('os').abort()"), None),
        (npy("[" * 200_000, version=b"\x02\x00"), None),
        (npy(huge("(3,)"), version=b"\x09\x00"), None),
        (b"\x93NUMPY", None),
        (b"", None),
    ],
)
def test_arrays_with_absurd_headers(folder: Path, content: bytes, announced: Any) -> None:
    put_member(folder, "rarity_.npy", content, announced)
    assert "damaged" in refused(folder)


@pytest.mark.parametrize(
    "name",
    [
        "../rarity_.npy",
        "/etc/passwd.npy",
        "a/b.npy",
        "C:\\b.npy",
        "extra_.npy",
        "rarity_",
        "rarity_.npy.npy",
        ".npy",
        "\N{SNOWMAN}.npy",
    ],
)
def test_names_that_are_no_arrays(folder: Path, tmp_path: Path, name: str) -> None:
    before = sorted(path for path in tmp_path.rglob("*"))
    put_member(folder, name, npy(huge("(1,)"), b"\0" * 8), ["float64", [1]])
    refused(folder)
    assert sorted(path for path in tmp_path.rglob("*")) == before


def test_a_zip_bomb(folder: Path) -> None:
    n_rows = 4_000_000
    content = npy(huge(f"({n_rows}, 3)"))
    with (
        zipfile.ZipFile(folder / "arrays.npz", "a", zipfile.ZIP_DEFLATED) as archive,
        archive.open("bomb_.npy", "w", force_zip64=True) as file,
    ):
        file.write(content)
        for _ in range(n_rows * 24 // 1_000_000):
            file.write(b"\0" * 1_000_000)
    rewrite_header(folder, arrays={**header_of(folder)["arrays"], "bomb_": ["float64", [n_rows, 3]]})
    assert (folder / "arrays.npz").stat().st_size < 500_000
    assert "more memory" in refused(folder)


def test_a_zip_of_thousands_of_files(folder: Path) -> None:
    with zipfile.ZipFile(folder / "arrays.npz", "a") as archive:
        for number in range(5000):
            archive.writestr(f"a{number}.npy", b"")
    rewrite_header(folder, arrays={**header_of(folder)["arrays"], "many_": ["float64", [10**6]]})
    assert "contains more files" in refused(folder)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_zip_with_a_file_twice(folder: Path) -> None:
    with zipfile.ZipFile(folder / "arrays.npz", "a") as archive:
        archive.writestr("rarity_.npy", b"")
    seal(folder, header_of(folder))
    assert "twice" in refused(folder)


@pytest.mark.parametrize("damage", ["cut", "comment", "other method", "encrypted", "empty"])
def test_zips_of_other_kinds(folder: Path, damage: str) -> None:
    path = folder / "arrays.npz"
    content = bytearray(path.read_bytes())
    directory = content.index(b"PK\x01\x02")
    if damage == "cut":
        del content[-30:]
    elif damage == "comment":
        content[-2:] = b"\x05\0hello"
    elif damage == "other method":
        content[directory + 10 : directory + 12] = struct.pack("<H", 99)
    elif damage == "encrypted":
        content[directory + 8] |= 1
    else:
        content = bytearray(b"PK\x05\x06" + b"\0" * 18)
    path.write_bytes(content)
    seal(folder, header_of(folder))
    assert "damaged" in refused(folder)


def test_an_absurd_directory_in_the_larger_record(folder: Path) -> None:
    """Where numbers beyond 32 bits are needed, another record says how long the list of files is."""
    path = folder / "arrays.npz"
    content = path.read_bytes()
    record = struct.pack("<4sQHHIIQQQQ", b"PK\x06\x06", 44, 45, 45, 0, 0, 1, 1, 2**40, 0)
    locator = struct.pack("<4sIQI", b"PK\x06\x07", 0, len(content) - 22, 1)
    path.write_bytes(content[:-22] + record + locator + content[-22:])
    seal(folder, header_of(folder))
    assert "contains more files" in refused(folder)


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf, -1.0, 1e38])
@pytest.mark.parametrize("name", ["topic_word_", "prototype_", "label_distributions_", "coef_"])
def test_numbers_that_no_model_has(folder: Path, name: str, wrong: float) -> None:
    arrays = arrays_of(folder)
    arrays[name] = arrays[name].copy()
    arrays[name].flat[0] = wrong
    rewrite_arrays(folder, arrays)
    if (name, wrong) == ("coef_", -1.0):  # which may be
        seedtopic.load(folder)
    else:
        refused(folder)


def test_steps_that_were_half_taken(folder: Path) -> None:
    """A regression without its intercept."""
    arrays = arrays_of(folder)
    rewrite_arrays(folder, {**arrays, "intercept_": np.empty((3, 0))})
    refused(folder)


def test_large_arrays_of_zeros_are_written_so_that_they_can_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They would look like a bomb if they were compressed."""
    monkeypatch.setattr("seedtopic.base.arrays._HARMLESS", 1000)
    content = storage.ModelFolder(
        "PLDNB", {}, ["a", "b"], None, ["word"], {"many": np.zeros(10**6)}, custom_tokenizer=False
    )
    storage.write_model(tmp_path / "model", content)
    assert np.array_equal(storage.read_model(tmp_path / "model").arrays["many"], np.zeros(10**6))


# Wildcards and trees of a stranger


def test_wildcards_that_would_take_forever() -> None:
    """A search by regular expression tries every way to part the word."""
    assert matching("*a" * 25 + "*b", ["a" * 200]) == []
    assert matching("*a" * 25 + "*b", ["a" * 200 + "b"]) == ["a" * 200 + "b"]


@given(st.text("ab*", min_size=1), st.lists(st.text("ab c")))
def test_wildcards_match_as_their_definition_says(wildcard: str, words: list[str]) -> None:
    wildcard += "*"
    pattern = re.compile(r"\S*".join(map(re.escape, wildcard.split("*"))))
    assert matching(wildcard, words) == [word for word in words if pattern.fullmatch(word)]


def test_a_tree_too_deep() -> None:
    chain = {f"c{n}": {"words": ["game"], "parent": f"c{n + 1}"} for n in range(5000)}
    with pytest.raises(InputError, match="levels"):
        seedtopic.Seeds({**chain, "money": ["bank"]})
