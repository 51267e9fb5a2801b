"""Seeds judged before fitting: what they reach, what is wrong with them, and the repaired file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seedtopic import InputError, Seeds, cli
from seedtopic.quality import findings
from seedtopic.text.spelling import meant, near_spellings, slips

SPORTS = [
    "the player scored in the match",
    "a player and the coach",
    "coach of the match",
    "match player goal",
]
MONEY = ["the bank raised the rate", "rate of the loan", "a bank loan", "investor and bank rate"]
NATURE = ["the bank of the river", "fish in the river", "a river with fish", "fish and river bank"]
TEXTS = (SPORTS + MONEY + NATURE) * 5


def test_documents_hit_and_shares_by_hand() -> None:
    seeds = Seeds(
        {
            "sports": ["match", "coach"],
            "money": {"words": ["bank", "invest*", "raised the rate"], "exclude": ["river"]},
            "nature": ["fish"],
        }
    )
    found = seeds.check(TEXTS)
    assert (found.documents, found.reached) == (60, 50)
    sports, money, nature = found.categories
    assert (sports.documents, sports.alone, sports.share) == (20, 20, pytest.approx(1 / 3))
    assert [(word.word, word.documents) for word in sports.words] == [("match", 15), ("coach", 10)]
    assert [(word.word, word.documents) for word in money.words] == [
        ("bank", 25),
        ("invest*", 5),
        ("raised the rate", 5),
    ]
    assert money.words[1].stands_for == ("investor",)
    assert money.documents == 15  # ten documents with bank have the river, too
    assert [(word.word, word.documents) for word in money.exclude] == [("river", 20)]
    assert nature.documents == 15
    assert found.overlaps == ()


def test_checks_seed_words_all_problems_at_once() -> None:
    seeds = Seeds(
        {
            "sports": ["plyer", "match", "coach"],
            "money": {"words": ["loan", "rate", "crude oil"], "exclude": ["lava"]},
            "twin": ["rate", "loan", "crude oil"],
            "nature": ["fish", "e-mail", "zzz*"],
            "starving": ["sun"],
        }
    )
    texts = [*TEXTS, "sun", "an email"]
    found = seeds.check(texts)
    problems = "\n".join(found.problems)
    assert (
        "'plyer' (sports) does not occur; did you mean 'player'? --fix replaces it: 15 documents" in problems
    )
    assert (
        "'e-mail' (nature) does not occur; did you mean 'email'? --fix replaces it: 1 document " in problems
    )
    assert (
        "these seeds do not occur and do no harm: 'crude oil', 'zzz*', 'lava'." in found.notes
    )  # nothing is worth changing about them
    assert "'money' and 'twin' have the same words and cannot be distinguished. Merge them" in problems
    assert "'starving' has too few documents: its seeds occur in 1 of 62 documents. Add words" in problems
    assert (
        "'money' has no documents of its own: its seeds occur in 20 of 62 documents, which all contain seeds of "
        "other categories too, most often of 'twin' (both have 'loan', 'rate', 'crude oil')." in problems
    )
    assert "fish" not in problems


def test_sound_seeds_have_no_problems() -> None:
    seeds = Seeds({"sports": ["match", "coach"], "money": ["rate", "loan"], "nature": ["fish", "river"]})
    assert seeds.check(TEXTS).problems == ()


def test_a_word_that_pulls_in_two_directions_is_named() -> None:
    texts = (
        ["player match coach", "match coach goal", "coach player goal"] * 10
        + ["loan rate investor", "rate investor share", "loan share rate"] * 10
        + ["transfer loan rate", "transfer investor rate share", "transfer loan share"] * 5
    )
    seeds = Seeds({"sports": ["match", "coach", "transfer"], "money": ["loan", "rate"]})
    found = seeds.check(texts)
    pulls = {word.word: word.pulls_to for category in found.categories for word in category.words}
    assert pulls == {"match": None, "coach": None, "transfer": "money", "loan": None, "rate": None}
    # Without it labels would be worse: that its documents are mixed is a remark, not a problem.
    assert not any("transfer" in problem for problem in found.problems)


def test_a_word_that_belongs_to_another_category_is_moved() -> None:
    """Its meaning and its documents agree; of the meaning alone, the user decides."""
    nature = ["a river and a lake", "the lake on a mountain", "mountain river"] * 10
    money = [
        "a loan on credit",
        "the credit of a bank",
        "bank loan and debt",
        "debt to the bank on credit",
    ] * 10
    seeds = Seeds({"nature": ["river", "lake", "mountain", "bank"], "money": ["loan", "credit", "debt"]})
    found = seeds.check(nature + money)
    (finding,) = [finding for finding in found.findings if finding.word == "bank"]
    assert finding.sentence == (
        "'bank' (nature) belongs to 'money': it is nearer in meaning, and its 30 documents contain seeds of "
        "'money' rather than of 'nature'."
    )
    assert finding.advice == "--fix moves it; up to 30 documents change their label."
    repaired, changes = found.repaired()
    assert repaired.categories["money"] == ("loan", "credit", "debt", "bank")
    assert changes == ["nature: 'bank' was moved to 'money'."]
    alone = seeds.check(["river", "lake", "mountain", "bank", "loan", "credit", "debt"])
    assert alone.findings[-1].advice == "It is for you to decide: --fix leaves it as it is."
    assert alone.repaired() == (seeds, [])


def test_every_finding_says_what_fix_does_and_fix_does_no_more() -> None:
    seeds = Seeds({"sports": ["plyer", "match", "the"], "money": ["loan", "rate"], "nature": ["fish"]})
    found = seeds.check([f"the {text}" for text in TEXTS], stop_words=None)
    repairs = [finding.repair for finding in found.findings if "--fix re" in finding.advice]
    assert [(repair.word, repair.kind) for repair in repairs if repair] == [
        ("plyer", "replace"),
        ("the", "remove"),
    ]
    repaired, changes = found.repaired()
    assert repaired.categories["sports"] == ("player", "match")
    assert len(changes) == len([finding for finding in found.findings if finding.repair])


def test_a_rule_is_a_function_in_a_tuple(monkeypatch: pytest.MonkeyPatch) -> None:
    def short_words(checked: findings.CheckedSeeds) -> Iterator[findings.Problem]:
        for category in checked.categories:
            for word in category.words:
                if len(word.word) < 3:
                    yield findings.Problem(
                        f"{word.word!r} is short.", "Say more.", (category.name,), word.word
                    )

    monkeypatch.setattr(findings, "RULES", (*findings.RULES, short_words))
    seeds = Seeds({"sports": ["match", "go"], "money": ["rate", "loan"]})
    assert seeds.check(TEXTS).problems[-1] == "'go' is short. Say more."
    assert seeds.check(["no word of these"]).findings[-1].word == "go"


def test_overlap_and_words_that_tell_little() -> None:
    texts = ["press game", "press game", "press bank", "press bank game", "press fish"] * 4
    seeds = Seeds({"a": ["game"], "b": ["bank"], "c": ["fish", "press"]})
    found = seeds.check(texts)
    assert (
        "'press' (c) is too common: 100% of the documents contain it. --fix removes it; up to 16 documents change "
        "their label." in found.problems
    )
    both = next(o for o in found.overlaps if (o.first, o.second) == ("a", "b"))
    assert (both.documents, both.share) == (4, 0.5)
    assert any(problem.startswith("'a' has no documents of its own") for problem in found.problems)


def test_counts_with_a_vocabulary_are_checked_too() -> None:
    counts = np.array([[1, 0, 0], [2, 1, 0], [0, 1, 0], [0, 3, 0]])
    seeds = Seeds({"a": ["gold", "iron"], "b": ["oil"]})
    found = seeds.check(counts, ["gold", "oil", "iron"])
    assert [category.documents for category in found.categories] == [2, 3]
    assert found.notes[0] == "these seeds do not occur and do no harm: 'iron'."  # a column of zeros
    with pytest.raises(InputError, match="a list of texts, or a matrix of counts"):
        seeds.check("gold and oil")
    with pytest.raises(InputError, match="3 words but the matrix has 2 columns"):
        seeds.check(counts[:, :2], ["gold", "oil", "iron"])


def test_repair_replaces_where_there_is_no_doubt_and_keeps_the_rest() -> None:
    seeds = Seeds(
        {
            "sports": {"words": ["plyer", "match", "gool"], "weights": {"plyer": 2}, "exclude": ["quark"]},
            "money": {"words": ["fishh", "loan"], "parent": "news"},
            "news": {"words": ["press"]},
            "nature": ["fish"],
            "lost": ["xylophone"],
        }
    )
    repaired, done = seeds.check(TEXTS).repaired()
    assert repaired.table() == {
        "sports": {"words": ["player", "match", "goal"], "weights": {"player": 2.0}, "exclude": ["quark"]},
        "money": {"words": ["fishh", "loan"], "parent": "news"},  # fish speaks for nature
        "news": ["press"],
        "nature": ["fish"],
        "lost": ["xylophone"],
    }
    assert done == ["sports: 'plyer' became 'player'.", "sports: 'gool' became 'goal'."]


word = st.text("abc", max_size=5)


@given(word, word)
def test_slips_are_a_distance(a: str, b: str) -> None:
    assert slips(a, b) == slips(b, a)
    assert (slips(a, b) == 0) == (a == b)
    assert abs(len(a) - len(b)) <= slips(a, b) <= max(len(a), len(b))


def by_definition(a: str, b: str) -> int:
    """The errors between two words, letter by letter."""
    if not a or not b:
        return len(a) + len(b)
    fewest = min(by_definition(a[:-1], b), by_definition(a, b[:-1])) + 1
    fewest = min(fewest, by_definition(a[:-1], b[:-1]) + (a[-1] != b[-1]))
    if a[-2:] == b[-2:][::-1] and len(a) > 1 and len(b) > 1:
        fewest = min(fewest, by_definition(a[:-2], b[:-2]) + 1)
    return fewest


@given(word, word, st.integers(0, 3))
def test_slips_are_those_of_the_definition(a: str, b: str, most: int) -> None:
    assert slips(a, b) == by_definition(a, b)
    assert min(slips(a, b, most), most + 1) == min(by_definition(a, b), most + 1)


def test_near_spellings_by_hand() -> None:
    frequency = {"hockey": 40, "honey": 5, "jockey": 9, "government": 30, "governments": 3, "hokey": 1}
    assert near_spellings("hocky", frequency) == ["hockey"]
    assert near_spellings("goverment", frequency) == ["government", "governments"]
    assert near_spellings("hockey", frequency) == ["jockey", "hokey"]
    assert meant("goverment", frequency) == "government"
    assert meant("hockey", frequency) is None  # jockey and hokey are equally near, and 9 is not 10 times 1
    assert meant("zebra", frequency) is None


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("docs.txt").write_text("\n".join(TEXTS))
    Path("seeds.toml").write_text(
        'sports = ["plyer", "match"]\nmoney = ["loan", "rate"]\nnature = ["fish"]\n'
    )
    return tmp_path


def test_the_command_prints_a_table_and_leaves_with_0(
    workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["seeds", "check", "docs.txt", "--seeds", "seeds.toml"]) == 0
    shown = capsys.readouterr().out
    assert "plyer" in shown
    assert "does not occur; similar: player" in shown
    assert "1 problem:" in shown
    assert cli.run(["seeds", "check", "docs.txt", "--seeds", "seeds.toml", "--strict", "-q"]) == 2
    assert not list(workplace.glob("*.json"))


@pytest.mark.parametrize("name", ["better.toml", "better.json", "seeds.toml"])
def test_the_repaired_file_can_be_used_at_once(
    workplace: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["seeds", "check", "docs.txt", "--seeds", "seeds.toml", "--fix", "-o", name, "--json"]
    assert cli.run(command) == 0
    shown = capsys.readouterr()
    values = json.loads(shown.out)
    assert values["repaired"] == ["sports: 'plyer' became 'player'."]
    assert values["categories"][0]["words"][0]["near"] == ["player"]
    assert "'plyer' became 'player'" in shown.err
    assert Seeds.read(name).categories["sports"] == ("player", "match")
    assert cli.run(["seeds", "check", "docs.txt", "--seeds", name, "--strict", "-q"]) == 0


@pytest.mark.parametrize(
    "wrong",
    [
        ["--fix"],
        ["-o", "x.toml"],
        ["--fix", "-o", "x.yaml"],
        ["--fix", "-o", "no/x.toml"],
        ["--stop-words", "xx"],
    ],
)
def test_wrong_use_is_one_sentence(
    workplace: Path, wrong: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["seeds", "check", "docs.txt", "--seeds", "seeds.toml", *wrong]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert sorted(path.name for path in workplace.iterdir()) == ["docs.txt", "seeds.toml"]


def test_repair_leaves_a_category_that_has_no_words_as_it_is() -> None:
    seeds = Seeds({"xylophones": [], "nature": ["fish"]})
    repaired, done = seeds.check(TEXTS).repaired()
    assert repaired.table() == {"xylophones": [], "nature": ["fish"]}
    assert done == []


def test_meaning_is_checked_without_documents() -> None:
    seeds = Seeds(
        {
            "nature": ["river", "lake", "mountain", "bank"],
            "money": ["loan", "credit", "debt", "zzyx"],
            "cars": ["car", "engine", "wheel"],
            "autos": ["vehicle", "automobile", "motor"],
            "food": ["bread", "cheese", "soup", "parliament"],
        }
    )
    found = seeds.check()
    assert [(finding.categories, finding.word) for finding in found.findings] == [
        (("nature",), "bank"),
        (("food",), "parliament"),
        (("cars", "autos"), None),
    ]
    assert found.notes == ("the meaning of 1 seed is unknown and was not checked: 'zzyx'.",)
    assert (found.documents, found.categories) == (0, ())
    assert found.as_dict()["notes"] == list(found.notes)
    assert all(sentence.endswith((".", "?")) for sentence in found.problems)


@pytest.mark.parametrize(
    "categories",
    [
        {"sports": ["game", "team", "goal"], "money": ["bank", "loan"], "weather": ["rain", "snow"]},
        {"music": ["rock", "band", "guitar"], "geology": ["mineral", "granite", "volcano", "rock"]},
        {"a": {"words": ["goal"], "parent": "sports"}, "b": {"words": ["loan"]}, "sports": ["team", "match"]},
        {"sport": ["spiel", "tor", "mannschaft"], "geld": ["bank", "kredit", "aktie"]},
    ],
)
def test_nothing_is_wrong_with_the_meaning_of_good_seeds(categories: dict[str, Any]) -> None:
    assert Seeds(categories).check().problems == ()


def test_the_same_words_are_found_without_documents() -> None:
    assert "have the same words" in Seeds({"a": ["qqq"], "b": ["qqq"]}).check().problems[0]


def test_no_meaning_is_checked_in_another_language() -> None:
    seeds = Seeds({"nature": ["river", "lake", "bank"], "money": ["loan", "credit"]})
    assert seeds.check(stop_words="german").problems == ()
    assert len(seeds.check(stop_words="english").problems) == 1


def test_documents_that_confirm_a_seed_outweigh_its_meaning() -> None:
    seeds = Seeds({"nature": ["river", "lake", "bank"], "money": ["loan", "credit"]})
    money = ["a loan on credit", "the credit of a loan"] * 10
    beside = ["the river bank and a lake", "bank of a lake by the river"] * 10
    assert not any("meaning" in problem for problem in seeds.check(beside + money).problems)
    # Where the documents are too few to say anything, the meaning is said.
    few = ["the river", "a lake", "bank", "loan", "credit"]
    assert any("'bank' (nature) is nearer in meaning" in problem for problem in seeds.check(few).problems)


def test_that_names_are_used_is_said_by_the_check() -> None:
    found = Seeds({"sports": [], "money": ["bank"]}).check(["sports", "bank"])
    assert found.notes == (
        "these categories have no seed words, so the words of their names are used: sports (sports).",
    )


def test_the_command_checks_without_documents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("seeds.toml").write_text(
        'nature = ["lake", "hill", "bank"]\nmoney = ["loan", "credit"]\nsports = []\n'
    )
    for command in (["seeds.toml"], ["--seeds", "seeds.toml"]):
        assert cli.run(["seeds", "check", *command]) == 0
        shown = " ".join(capsys.readouterr().out.split())
        assert "1 problem: - 'bank' (nature) is nearer in meaning to 'money'" in shown
        assert "the words of their names are used: sports (sports)." in shown
        assert cli.run(["seeds", "check", *command, "--strict", "-q"]) == 2
        capsys.readouterr()
    assert cli.run(["seeds", "check", "seeds.toml", "--fix", "-o", "new.toml"]) == 2
    assert "give documents" in capsys.readouterr().err
    assert cli.run(["seeds", "check", "docs.csv"]) == 2
    assert "the seeds file is missing" in capsys.readouterr().err


def test_a_check_has_the_keys_that_programs_read() -> None:
    found = Seeds({"a": ["game"], "b": ["bank"]}).check(["game one", "bank two"]).as_dict()
    assert [*found] == ["documents", "reached", "categories", "overlaps", "problems", "notes"]
    assert [*found["categories"][0]] == ["name", "documents", "share", "alone", "words", "exclude"]
    keys = [
        "word",
        "documents",
        "share",
        "weight",
        "borne_out",
        "stands_for",
        "also_in",
        "only",
        "pulls_to",
        "near",
    ]
    assert [*found["categories"][0]["words"][0]] == keys
