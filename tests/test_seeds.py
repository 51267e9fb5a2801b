from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seedtopic import InputError, Seeds


def test_words_are_folded_like_the_text_and_repeats_go() -> None:
    seeds = Seeds({" Oil ": ["Crude", " crude", "OPEC"], "gold": ["gold"]})
    assert seeds.categories == {"Oil": ("crude", "opec"), "gold": ("gold",)}


@pytest.mark.parametrize(
    ("categories", "message"),
    [
        ({}, "at least two categories; got none"),
        ({"only": ["one"]}, "at least two categories; got 'only'"),
        ({"a": ["x"], "a ": ["y"]}, "'a' is given twice"),
        ({"a": [], "b": ["y"]}, "'a' has no seed words"),
        ({"a": "crude", "b": ["y"]}, "must be a list of words"),
        ({"a": {"w": 1}, "b": ["y"]}, "must be a list of words"),
        ({"a": ["x", 3], "b": ["y"]}, "the seed 3"),
        ({"a": ["  "], "b": ["y"]}, "every seed must be a word"),
        ({"a": ["foreign exchange"], "b": ["y"]}, "give them one by one, as 'foreign', 'exchange'"),
        ({"": ["x"], "b": ["y"]}, "give every category a name"),
        ({None: ["x"], "b": ["y"]}, "give every category a name"),
        (["a", "b"], "got list"),
        ({0: ["x"], "b": ["y"]}, "name all in one way"),
        ({1: ["x"], "1": ["y"]}, "given twice"),
    ],
)
def test_wrong_seeds_are_refused_in_one_sentence(categories: object, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        Seeds(categories)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("seeds.toml", "a = [", "not valid"),
        ("seeds.toml", 'a = ["x"]\na = ["y"]\nb = ["z"]', "not valid"),
        ("seeds.json", '{"a": ["x"], "a": ["y"]}', "'a' is given twice"),
        ("seeds.json", '["x"]', "got list"),
        ("seeds.json", "{", "not valid"),
        ("seeds.yaml", "a: [x]", r"must end in \.toml or \.json"),
    ],
)
def test_wrong_seed_files_are_refused(tmp_path: Path, name: str, content: str, message: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(InputError, match=message):
        Seeds.read(tmp_path / name)


def test_missing_and_undecodable_seed_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        Seeds.read(tmp_path / "none.toml")
    (tmp_path / "latin.toml").write_bytes(b'a = ["caf\xe9"]')
    with pytest.raises(InputError, match="cannot be read as UTF-8"):
        Seeds.read(tmp_path / "latin.toml")


def test_toml_and_json_say_the_same(tmp_path: Path) -> None:
    table = {"oil & gas": ["crude", "opec"], "gold": ["gold"]}
    (tmp_path / "s.json").write_text(json.dumps(table))
    (tmp_path / "s.toml").write_text(Seeds(table).to_toml())
    assert Seeds.read(tmp_path / "s.json") == Seeds.of(str(tmp_path / "s.toml")) == Seeds.of(table)


names = st.text(min_size=1, max_size=8).filter(
    lambda s: s.strip() == s and not any(0xD800 <= ord(c) < 0xE000 for c in s)
)
seed_words = st.lists(st.from_regex(r"[a-zäé東]{1,6}", fullmatch=True), min_size=1, max_size=3)


@given(st.dictionaries(names, seed_words, min_size=2, max_size=4))
def test_toml_round_trip(tmp_path_factory: pytest.TempPathFactory, table: dict[str, list[str]]) -> None:
    path = tmp_path_factory.mktemp("seeds") / "seeds.toml"
    seeds = Seeds(table)
    path.write_text(seeds.to_toml(), encoding="utf-8", newline="")
    assert Seeds.read(path) == seeds
    assert Seeds.read(path).names == seeds.names


def test_bound_seeds_report_what_is_missing_once_with_its_categories() -> None:
    seeds = Seeds({"a": ["x", "gone"], "b": ["y", "gone"], "c": ["lost"], "d": ["x"]})
    bound = seeds.bind(["x", "y", "z"])
    assert bound.membership.toarray().tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 0], [1, 0, 0]]
    assert bound.missing == {"gone": ["a", "b"], "lost": ["c"]}
    assert bound.empty_categories == ["c"]
    report = bound.report()
    assert report is not None
    assert report.count("'gone' (a, b)") == 1
    assert report.endswith("left without any word: c.")
    assert Seeds({"a": ["x"], "b": ["y"]}).bind(["x", "y"]).report() is None


def test_too_few_categories_with_words_list_what_was_tried() -> None:
    bound = Seeds({"a": ["x"], "b": ["gone"], "c": ["lost"]}).bind(["x"])
    with pytest.raises(InputError, match="tried a: x; b: gone; c: lost"):
        bound.require(strict=False)
    bound = Seeds({"a": ["x"], "b": ["y"], "c": ["lost"]}).bind(["x", "y"])
    bound.require(strict=False)
    with pytest.raises(InputError, match="'c'"):
        bound.require(strict=True)
