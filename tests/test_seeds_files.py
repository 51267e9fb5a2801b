"""Seeds files keep what the user wrote in them: comments, order and layout; and say what is meant, whatever it is."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seedtopic import InputError, Seeds, cli
from seedtopic.seeds.category import Category

FILE = """\
# Seeds of the sports desk.
# Ask Ann before you change them.

# ball games
"Ball games" = [
    "Goal",  # not "own goal"
    'plyer',
    # the next one is from Ben
    "match",
]  # reviewed
water = ["swim", "dvie"] # 2024

# --- money ---

[money]   # the business desk
words = ["bank", "rate"]
weights = { bank = 2 }
exclude = [
    "river",   # its bank
]
# more to come

# snow and ice
[winter]
words = ["ski"]
parent = "outdoor"

# the end
"""


def changed(text: str, **changes: Category | None) -> str:
    """The text of a file after some of its categories were replaced, added or removed."""
    seeds = Seeds(tomllib.loads(text), source=text)
    entries = {**seeds.entries, **changes}
    table = {name: entry.entry() for name, entry in entries.items() if entry is not None}
    after = Seeds(table, source=text)
    written = after.to_toml()
    assert list(Seeds(tomllib.loads(written)).entries.items()) == list(after.entries.items())
    return written


def category(name: str) -> Category:
    return Seeds(tomllib.loads(FILE)).entries[name]


def test_a_file_that_is_not_changed_stays_as_it_is() -> None:
    assert changed(FILE) == FILE
    assert Seeds(tomllib.loads(FILE)).to_toml() != FILE  # there the text is not known


def test_words_are_changed_where_they_are() -> None:
    ball = replace(category("Ball games"), words=("goal", "player", "match", "team"))
    money = replace(category("money"), words=("bank", "rate", "loan"), weights={"bank": 3.0, "loan": 0.5})
    text = changed(FILE, **{"Ball games": ball}, water=Category(("swim",)), money=money)
    expected = (
        FILE.replace("'plyer'", '"player"')
        .replace('    "match",\n', '    "match",\n    "team",\n')
        .replace(', "dvie"', "")
        .replace('"rate"]', '"rate", "loan"]')
        .replace("{ bank = 2 }", "{ bank = 3.0, loan = 0.5}")
    )
    assert text == expected


def test_a_list_that_needs_more_than_words_becomes_a_table_with_its_comments() -> None:
    text = changed(FILE, **{"Ball games": replace(category("Ball games"), exclude=("own goal",))})
    for comment in FILE.splitlines():
        if "#" in comment:
            assert comment.partition("#")[2] in text


def test_a_category_that_is_removed_takes_only_its_own_comments_with_it() -> None:
    text = changed(FILE, money=None)
    assert "business desk" not in text
    assert "its bank" not in text
    for comment in ("sports desk", "Ben", "2024", "--- money ---", "more to come", "snow and ice", "the end"):
        assert comment in text, comment
    text = changed(FILE, **{"Ball games": None})
    assert "Ask Ann" in text
    assert "# ball games" not in text


def test_a_new_category_is_written_after_the_others() -> None:
    text = changed(FILE, air=Category(("fly", "glide")))
    assert text == FILE.replace("\n# the end", '\n[air]\nwords = ["fly", "glide"]\n\n# the end')


def test_categories_can_be_moved() -> None:
    seeds = Seeds(tomllib.loads(FILE), source=FILE)
    names = ["money", "water", "winter", "Ball games"]
    moved = Seeds({name: seeds.entries[name].entry() for name in names}, source=FILE)
    text = moved.to_toml()
    assert list(tomllib.loads(text)) == names
    assert Seeds(tomllib.loads(text)) == moved
    for comment in FILE.splitlines():
        if "#" in comment:
            assert comment.partition("#")[2] in text


def test_a_renamed_category_keeps_its_comments() -> None:
    seeds = Seeds(tomllib.loads(FILE), source=FILE)
    new_names = {"Ball games": "ball.games", "money": "Geld & Börse", "winter": "winter", "water": "water"}
    after = Seeds({new_names[name]: entry.entry() for name, entry in seeds.entries.items()}, source=FILE)
    expected = FILE.replace('"Ball games"', '"ball.games"').replace("[money]", '["Geld & Börse"]')
    assert after.to_toml() == expected


@pytest.mark.parametrize(
    "text",
    [
        'a.words = ["x", "y"] # one\nb = ["z"]\na.exclude = ["w"] # two\n',
        '[a]\nwords = ["x", "y"] # one\n[b]\nwords = ["z"]\n[a.weights] # two\nx = 2\n',
        'a = { words = ["x", "y"], weights = { x = 2 } } # one\nb = ["z"] # two',
        '[a]\nwords = ["x", "y"]\nexclude = ["w"] # one\n[a.weights]\n"X" = 2 # two\n[b]\nwords = ["z"]\n',
        '[ "a" ]\n  words = ["""x""",\n  \'y\'] # one\n\n  [b] # two\n  words = [ "z" ]\n',
        'a.words = ["x", "y"] # one\na.weights.x = 2 # two\nb = ["z"]\n',
        '\r\n# one\r\na = ["x", "y"]\r\nb = ["z"] # two\r\n',
    ],
)
def test_any_way_of_writing_toml_is_understood(text: str) -> None:
    seeds = Seeds(tomllib.loads(text), source=text)
    assert seeds.to_toml().rstrip() == text.rstrip()
    entry = seeds.entries["a"]
    for words in (("x", "y", "v"), ("x",), ("y", "x")):
        for exclude in ((), ("u",), ("w", "u")):
            weights = {word: weight for word, weight in entry.weights.items() if word in words}
            for more in (weights, {**weights, "x": 0.5} if "x" in words else {}):
                wanted = replace(entry, words=words, exclude=exclude, weights=more)
                assert "# one" in changed(text, a=wanted) or exclude != entry.exclude
    assert "# two" in changed(text, a=replace(entry, words=("x", "y", "v")))


odd = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6)
odd_names = odd | st.sampled_from(
    ["a.b", "1", "-7", 'say "a"', "it's", "größe", "体育", "\\", "[x]", "a = b", "#", "\x7f"]
)
odd_words = odd_names.filter(lambda word: _is_word(word))
comments = st.sampled_from(["", "# a comment\n", "\n", "\n# 'quoted\" = [\n\n", "  # indented\n"])


def _is_word(word: str) -> bool:
    try:
        Category.read("name", [word])
    except InputError:
        return False
    return True


@st.composite
def entries(draw: st.DrawFn) -> dict[str, Any] | list[str]:
    words = draw(st.lists(odd_words, min_size=1, max_size=4, unique=True))
    if draw(st.booleans()):
        return words
    own = Category.read("name", words).words
    against = draw(st.lists(odd_words, max_size=2).map(lambda some: [w for w in some if w not in words]))
    against = [word for word in against if not set(Category.read("name", [word]).words) & set(own)]
    weights = draw(st.dictionaries(st.sampled_from(words), st.sampled_from([0.5, 1.0, 2.0]), max_size=2))
    return {"words": words, "weights": weights, "exclude": against}


tables = st.dictionaries(odd_names.map(str.strip).filter(bool), entries(), min_size=2, max_size=5)


@given(tables, tables, st.lists(comments, min_size=6, max_size=6), st.randoms())
def test_whatever_is_changed_in_whatever_file_it_says_what_is_meant(
    table: dict[str, Any], other: dict[str, Any], between: list[str], random: Any
) -> None:
    lines = re.findall(r".*\n", Seeds(table).to_toml())
    for comment in between:  # never inside of a list, which is a line
        lines.insert(random.randrange(len(lines) + 1), comment)
    text = "".join(lines)
    assert Seeds(tomllib.loads(text)) == Seeds(table)
    assert Seeds(table, source=text).to_toml() == text
    mixed = [*{**Seeds(table).entries, **Seeds(other).entries}.items()]
    random.shuffle(mixed)
    for wanted in (Seeds(other), Seeds({name: entry.entry() for name, entry in mixed})):
        written = Seeds(wanted.table(), source=text).to_toml()
        assert list(Seeds(tomllib.loads(written)).entries.items()) == list(wanted.entries.items())


@given(st.dictionaries(st.integers(), st.lists(odd_words, min_size=1), min_size=2, max_size=4))
def test_numbers_as_categories_become_text(table: dict[int, list[str]]) -> None:
    seeds = Seeds(table)
    again = Seeds(tomllib.loads(seeds.to_toml()))
    assert again.names == [str(name) for name in table]
    assert list(again.categories.values()) == list(seeds.categories.values())


def test_a_parent_that_is_a_number_becomes_text() -> None:
    seeds = Seeds({1: {"words": ["x"], "parent": 7}, 2: {"words": ["y"], "parent": 7}, 3: ["z"]})
    assert Seeds(tomllib.loads(seeds.to_toml())).tree.path("2") == ("7", "2")


@pytest.mark.parametrize("name", ["s.toml", "s.json", "S.TOML"])
def test_what_is_written_can_be_read(tmp_path: Path, name: str) -> None:
    seeds = Seeds(tomllib.loads(FILE), source=FILE)
    seeds.write(tmp_path / name)
    assert Seeds.read(tmp_path / name) == seeds
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_seeds_are_written_to_toml_and_json_alone(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"must end in \.toml or \.json"):
        Seeds(tomllib.loads(FILE)).write(tmp_path / "seeds.yaml")
    assert not list(tmp_path.iterdir())


TEXTS = [
    "a player in the match",
    "goal of the player",
    "the bank raised the rate",
    "bank rate",
    "swim and dive",
] * 4


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("docs.txt").write_text("\n".join(TEXTS))
    Path("seeds.toml").write_text(FILE)
    return tmp_path


def test_comments_survive_a_repair(workplace: Path) -> None:
    command = ["seeds", "check", "docs.txt", "--seeds", "seeds.toml", "--fix", "-o", "new.toml", "-q"]
    assert cli.run(command) == 0
    repaired, _ = Seeds.read("seeds.toml").check(TEXTS).repaired()
    assert repaired.categories["Ball games"] == ("goal", "player", "match")
    assert list(Seeds.read("new.toml").entries.items()) == list(repaired.entries.items())
    expected = FILE.replace("'plyer'", '"player"').replace("dvie", "dive")
    assert Path("new.toml").read_text() == expected  # 'river' does not occur, either, and does no harm


def test_comments_survive_suggestions(workplace: Path) -> None:
    command = [
        "seeds",
        "suggest",
        "docs.txt",
        "--seeds",
        "seeds.toml",
        "--accept",
        "1",
        "-o",
        "new.toml",
        "-q",
    ]
    Path("docs.txt").write_text("\n".join([*TEXTS, *["referee and goal", "referee"] * 3]))
    assert cli.run(command) == 0
    written, before = Path("new.toml").read_text(), Seeds.read("seeds.toml")
    assert '    "match",\n    "player",\n], weights = {player = 0.5}}  # reviewed\n' in written
    assert '\nwater = {words = ["swim", "dvie", "dive"], weights = {dive = 0.5}} # 2024\n' in written
    assert Seeds.read("new.toml").categories["Ball games"] == (*before.categories["Ball games"], "player")
    for comment in FILE.splitlines():
        if "#" in comment:
            assert comment.partition("#")[2] in written
