from __future__ import annotations

import json
from pathlib import Path
from typing import Any

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
        ({"a": [], "b": ["y"]}, "'a' has no seed words, nor has its name: give it one"),
        ({"2024": [], "b": ["y"]}, "'2024' has no seed words"),
        ({"others": [], "b": ["y"]}, "'others' has no seed words"),
        ({17: [], 18: ["y"]}, "17 has no seed words, nor has its name"),
        ({"oil": {"exclude": ["oil"]}, "b": ["y"]}, "'oil' has no seed words"),
        ({"a": "crude", "b": ["y"]}, "must be a list of words"),
        ({"a": {"words": {"w": 1}}, "b": ["y"]}, "must be a list of words"),
        ({"a": {"w": 1}, "b": ["y"]}, "has the key 'w': use words, weights, exclude, patterns, columns"),
        ({"a": {"words": ["x"], "b": ["y"]}}, r"write plain lists above the first \[table\]"),
        ({"a": {"words": ["x"], "weights": [2]}, "b": ["y"]}, "give a number for each word"),
        ({"a": {"words": ["x"], "weights": {"y": 2}}, "b": ["y"]}, "has a weight for 'y', but not the word"),
        ({"a": {"words": ["x"], "weights": {"x": 0}}, "b": ["y"]}, "the weight 0: use a number above 0"),
        ({"a": {"words": ["x"], "weights": {"x": True}}, "b": ["y"]}, "the weight True"),
        ({"a": {"words": ["x"], "weights": {"x": float("nan")}}, "b": ["y"]}, "the weight nan"),
        ({"a": {"words": ["x"], "exclude": ["X "]}, "b": ["y"]}, "both has and excludes 'x'"),
        ({"a": {"words": ["x"], "exclude": "y"}, "b": ["y"]}, "excluded words of 'a' must be a list"),
        ({"a": {"exclude": ["z"]}, "b": ["y"]}, "'a' has no seed words"),
        ({"a": ["*"], "b": ["y"]}, r"add letters to the \*"),
        ({"a": ["central bank*"], "b": ["y"]}, r"a phrase cannot contain a \*"),
        ({"a": {"words": ["x"], "parent": "a"}, "b": ["y"]}, "'a' under 'a': remove one parent"),
        (
            {"a": {"parent": "c"}, "c": {"parent": "a"}, "b": ["y"], "d": ["z"]},
            "form a circle, 'a' under",
        ),
        ({"a": {"words": ["x"], "parent": " "}, "b": ["y"]}, "give every category a name"),
        (
            {"a": {"words": ["x"], "parent": "b"}, "b": ["y"]},
            "at least two categories; got 'a' below the parents",
        ),
        ({"a": {"words": ["x"], "parent": 1}, "b": ["y"]}, "use one kind for all"),
        ({"a": ["x", 3], "b": ["y"]}, "the seed 3"),
        ({"a": ["  "], "b": ["y"]}, "every seed must be a word"),
        ({"": ["x"], "b": ["y"]}, "a category name is empty: give every category a name"),
        ({None: ["x"], "b": ["y"]}, "give every category a name"),
        (["a", "b"], "got list"),
        ({0: ["x"], "b": ["y"]}, "use one kind for all"),
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
        (
            "seeds.toml",
            'größe = ["x"]',
            r"line 1, column 3\); put a name in quotes if it has spaces, or letters other",
        ),
        ("seeds.toml", '体育 = ["x"]', "put a name in quotes"),
        ("seeds.toml", 'two words = ["x"]', "put a name in quotes"),
        ("seeds.toml", 'a = ["x"]\na = ["y"]\nb = ["z"]', "not valid"),
        ("seeds.json", '{"a": ["x"], "a": ["y"]}', "'a' is given twice"),
        ("seeds.json", '["x"]', "got list"),
        ("seeds.json", "{", "not valid"),
        ("seeds.toml", '[a]\nwords = ["x"]\n\nb = ["y"]', "write plain lists above"),
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
    with pytest.raises(InputError, match="is not UTF-8 at line 1: save it with the encoding UTF-8"):
        Seeds.read(tmp_path / "latin.toml")


def test_toml_and_json_say_the_same(tmp_path: Path) -> None:
    table = {"oil & gas": ["crude", "opec"], "gold": ["gold"]}
    (tmp_path / "s.json").write_text(json.dumps(table))
    (tmp_path / "s.toml").write_text(Seeds(table).to_toml())
    assert Seeds.read(tmp_path / "s.json") == Seeds.of(str(tmp_path / "s.toml")) == Seeds.of(table)


def test_seeds_are_equal_where_words_and_the_order_of_categories_are() -> None:
    table = {"gold": ["ore"], "oil": {"words": ["crude"], "exclude": ["olive"]}}
    assert Seeds(table) == Seeds(dict(table))
    assert Seeds(table) != Seeds(dict(reversed(table.items())))
    assert Seeds(table) != Seeds({**table, "gold": ["mine"]})
    assert Seeds(table) != table


names = st.text(min_size=1, max_size=8).filter(
    lambda s: s.strip() == s and not any(0xD800 <= ord(c) < 0xE000 for c in s)
)
seed_words = st.lists(st.from_regex(r"[a-zäé東]{1,6}", fullmatch=True), min_size=1, max_size=3)


@st.composite
def rich_seeds(draw: st.DrawFn) -> dict[str, Any]:
    """Categories with any of the keys, some of them below parents, some of these named by children alone."""
    table: dict[str, Any] = {}
    chosen = draw(st.lists(names, min_size=4, max_size=6, unique=True))
    leaves, parents = chosen[:-2], chosen[-2:]
    for name in leaves:
        words = draw(seed_words) + draw(
            st.lists(st.sampled_from(["world cup", "invest*", "c d e"]), max_size=2)
        )
        entry = {
            "words": words,
            "weights": draw(st.dictionaries(st.sampled_from(words), st.floats(1e-6, 1e6), max_size=2)),
            "exclude": [f"not {word}" for word in draw(seed_words)],
            "parent": draw(st.sampled_from(parents)),
        }
        kept = draw(st.sets(st.sampled_from(["weights", "exclude", "parent"])))
        table[name] = {key: value for key, value in entry.items() if key == "words" or key in kept}
        table[name] = table[name] if kept else words
    above = draw(st.sampled_from([{}, {"words": ["press"]}, {"parent": parents[1]}]))
    if any(isinstance(entry, dict) and entry.get("parent") == parents[0] for entry in table.values()):
        table = {parents[0]: above, **table} if draw(st.booleans()) else {**table, parents[0]: above}
    return table


@given(rich_seeds())
def test_rich_seeds_round_trip_as_toml_as_json_and_as_plain_data(
    tmp_path_factory: pytest.TempPathFactory, table: dict[str, Any]
) -> None:
    folder = tmp_path_factory.mktemp("seeds")
    seeds = Seeds(table)
    (folder / "s.toml").write_text(seeds.to_toml(), encoding="utf-8", newline="")
    (folder / "s.json").write_text(json.dumps(seeds.table()), encoding="utf-8")
    for again in (Seeds.read(folder / "s.toml"), Seeds.read(folder / "s.json"), Seeds(seeds.table())):
        assert again == seeds
        assert list(again.entries) == list(seeds.entries)
        assert again.names == seeds.names
        assert (again.categories, again.weights, again.exclude) == (
            seeds.categories,
            seeds.weights,
            seeds.exclude,
        )


def test_one_file_says_it_all(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(
        """
        sports = ["game", "team", "World  Cup"]
        [money]
        words = ["bank", "invest*"]
        weights = { bank = 2.0 }
        exclude = ["river", "bank holiday"]
        parent = "news"
        """
    )
    seeds = Seeds.read(tmp_path / "s.toml")
    assert seeds.names == ["sports", "money"]
    assert seeds.categories == {"sports": ("game", "team", "world cup"), "money": ("bank", "invest*")}
    assert seeds.weights == {"sports": {}, "money": {"bank": 2.0}}
    assert seeds.exclude == {"sports": (), "money": ("river", "bank holiday")}
    assert seeds.tree.path("money") == ("news", "money")
    assert seeds.counted_words == ["game", "team", "world cup", "bank", "river", "bank holiday"]


def test_wildcards_stand_for_the_words_of_the_vocabulary() -> None:
    seeds = Seeds(
        {
            "money": {"words": ["invest*", "investor", "*bank*"], "weights": {"invest*": 0.5}},
            "crime": {"words": ["in*"], "exclude": ["*st", "investor"]},
        }
    )
    vocabulary = ["bank", "inn", "invest", "invest in", "investor", "westbank", "xyz"]
    bound = seeds.bind(vocabulary)
    assert bound.expansions == {
        "invest*": ["invest", "investor"],
        "*bank*": ["bank", "westbank"],
        "in*": ["inn", "invest", "investor"],
        "*st": ["invest"],
    }
    # Spelled out, a word has its own weight; a wildcard reaches no excluded word, and never a phrase.
    assert bound.membership.toarray().tolist() == [[1, 0, 0.5, 0, 1, 1, 0], [0, 1, 0, 0, 0, 0, 0]]
    assert bound.exclusion.toarray().tolist() == [[0] * 7, [0, 0, 1, 0, 1, 0, 0]]
    assert bound.n_seeds.tolist() == [4, 1]
    assert Seeds({"a": ["q*"], "b": ["inn"]}).bind(vocabulary).missing == {"q*": ["a"]}


def test_a_word_in_two_categories_speaks_for_both() -> None:
    seeds = Seeds({"money": {"words": ["bank", "rate"], "weights": {"bank": 3}}, "river": ["bank"]})
    assert seeds.bind(["bank", "rate"]).membership.toarray().tolist() == [[3, 1], [1, 0]]


def test_the_words_of_a_parent_speak_for_its_children_unless_these_say_otherwise() -> None:
    seeds = Seeds(
        {
            "sports": {"words": ["game"], "parent": "news", "exclude": ["press"]},
            "news": {"words": ["press", "report"], "weights": {"report": 0.5}, "exclude": ["game", "advert"]},
            "money": {"words": ["report", "bank"], "parent": "news"},
            "other": ["thing"],
        }
    )
    assert seeds.names == ["sports", "money", "other"]
    assert seeds.categories["sports"] == ("game", "report")
    assert seeds.exclude["sports"] == ("press", "advert")
    assert seeds.categories["money"] == ("report", "bank", "press")
    assert seeds.weights == {"sports": {"report": 0.5}, "money": {}, "other": {}}


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
    assert report.endswith("no word is left for c.")
    assert Seeds({"a": ["x"], "b": ["y"]}).bind(["x", "y"]).report() is None


def test_long_words_and_names_are_not_quoted_at_full_length() -> None:
    long = {f"{'name' * 200} {number}": ["x" * 900 + str(number)] for number in range(30)}
    bound = Seeds(long).bind(["y"])
    with pytest.raises(InputError, match="add words that do occur") as caught:
        bound.require(strict=False)
    assert len(str(caught.value)) < 2000
    report = bound.report()
    assert report is not None
    assert len(report) < 3000


def test_no_sentence_is_longer_than_a_person_reads() -> None:
    with pytest.raises(
        InputError, match=r"the category 'one' has the pattern .* … .*: correct it\.$"
    ) as caught:
        Seeds({"one": {"patterns": ["(" * 9_000]}, "two": ["x"]})
    assert len(str(caught.value)) <= 2000


def test_too_few_categories_with_words_list_what_was_tried() -> None:
    bound = Seeds({"a": ["x"], "b": ["gone"], "c": ["lost"]}).bind(["x"])
    with pytest.raises(InputError, match="the seed words are a: x; b: gone; c: lost"):
        bound.require(strict=False)
    bound = Seeds({"a": ["x"], "b": ["y"], "c": ["lost"]}).bind(["x", "y"])
    bound.require(strict=False)
    with pytest.raises(InputError, match="'c'"):
        bound.require(strict=True)


@pytest.mark.parametrize(
    ("content", "hint"),
    [
        ('my words = ["a"]\n', "; put a name in quotes if it has spaces, or letters other than a to z."),
        ('größe = ["a"]\n', "; put a name in quotes if it has spaces, or letters other than a to z."),
        ('a = ["game]\n', "; a quote is not closed there: put one before and one after each word."),
        ('a = ["game"\n', "; a list begins with [ and ends with ]."),
        ("a = [game]\n", '; put each word in plain quotes, as in ["game", "team"].'),
        ('a = ["b"]\na = ["c"]\n', "Cannot overwrite a value (at line 2, column 10)."),
    ],
)
def test_an_error_of_toml_is_explained(content: str, hint: str, tmp_path: Path) -> None:
    (tmp_path / "seeds.toml").write_text(content, encoding="utf-8")
    with pytest.raises(InputError) as refused:
        Seeds.read(tmp_path / "seeds.toml")
    assert str(refused.value).endswith(hint)


def test_a_category_without_words_is_read_by_its_name() -> None:
    names = ["comp.sys.mac", "sci_space", "Science & Technology"]
    seeds = Seeds({name: [] for name in names} | {"money": ["bank"]})
    read = [("comp", "sys", "mac"), ("sci", "space"), ("science", "technology")]
    assert seeds.named == dict(zip(names, read, strict=True))
    assert seeds.categories == {**seeds.named, "money": ("bank",)}
    assert Seeds(seeds.table()) == seeds
    assert seeds.table()["sci_space"] == []


def test_a_category_without_words_stays_empty_in_the_file(tmp_path: Path) -> None:
    text = '# mine\nsports = []  # later\nmoney = ["bank"]\n\n[oil]\nwords = []\nexclude = ["olive"]\n'
    path = tmp_path / "seeds.toml"
    path.write_text(text)
    seeds = Seeds.read(path)
    assert seeds.categories == {"sports": ("sports",), "money": ("bank",), "oil": ("oil",)}
    seeds.write(path)
    assert path.read_text() == text
    assert "sports = []" in Seeds({"sports": [], "money": ["bank"]}).to_toml()


def test_the_name_is_used_below_a_parent_but_not_for_one() -> None:
    seeds = Seeds({"news": {}, "sports": {"parent": "news"}, "oil": {"words": ["crude"], "parent": "news"}})
    assert seeds.categories == {"sports": ("sports",), "oil": ("crude",)}


def test_that_a_name_is_used_is_said_when_a_model_is_fitted() -> None:
    seeds = Seeds({"sports": [], "money": ["bank"]})
    said = "these categories have no seed words, so the words of their names are used: sports (sports)."
    assert seeds.bind(["sports", "bank"]).report() == said
    assert seeds.bind(["bank"]).report().startswith(said + " these seed words do not occur")
