"""Words suggested for each category, by hand; seeds that look harmful; and the file with the words accepted."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seedtopic import InputError, Seeds, cli
from seedtopic.knowledge.tables import WordVectors
from seedtopic.quality.suggest import line_around, suggest_from_labels
from seedtopic.text.counts import checked_counts

SPORTS = ["a match with a goal", "the coach saw a goal", "goal and striker", "striker on the bench"]
MONEY = ["the loan rate", "rate of a bond", "bond and broker", "broker on the phone"]
TEXTS = (SPORTS + MONEY) * 5
SEEDS = Seeds({"sports": ["match", "coach"], "money": ["loan"]})


def _suggested(found: object) -> dict[str, list[str]]:
    return {c.name: [word.word for word in c.words] for c in found.categories}  # type: ignore[attr-defined]


# Six documents; only the first and the fourth carry a seed (game, bank).
COUNTS = np.array(
    # game goal striker bank rate 2024 games
    [
        [1, 1, 0, 0, 0, 1, 0],
        [0, 1, 0, 0, 0, 1, 1],
        [0, 1, 1, 0, 1, 1, 0],
        [0, 0, 0, 1, 1, 0, 0],
        [0, 0, 0, 0, 1, 0, 0],
        [0, 0, 1, 0, 0, 0, 0],
    ]
)
WORDS = ["game", "goal", "striker", "bank", "rate", "2024", "games"]
BY_HAND = np.array([[1.0, 0.0], [0.9, 0.1], [0.6, 0.4], [0.0, 1.0], [0.2, 0.8], [0.8, 0.2]])


def test_the_ranking_by_hand() -> None:
    """Right minus wrong where no seed stands; what an earlier word reaches does not count for a later one."""
    seeds = Seeds({"sports": ["game"], "money": ["bank"]})
    sports, money = suggest_from_labels(seeds, checked_counts(COUNTS, WORDS), BY_HAND, 5).categories
    # goal: documents 1 and 2, 0.8 + 0.2; striker: 2 and 5, 0.2 + 0.6, of which 0.6 are left after goal.
    # The number 2024 is like goal, and games is only the plural of a seed.
    assert [word.word for word in sports.words] == ["goal", "striker"]
    assert [word.gain for word in sports.words] == pytest.approx([1.0, 0.6])
    assert [(word.documents, word.unseeded) for word in sports.words] == [(3, 2), (2, 2)]
    assert [word.share for word in sports.words] == pytest.approx([2.5 / 3, 0.7])
    # rate: documents 2 and 4 without a seed, -0.2 + 0.6.
    assert [(word.word, word.documents, word.unseeded) for word in money.words] == [("rate", 3, 2)]
    assert money.words[0].gain == pytest.approx(0.4)
    assert money.words[0].examples == ()  # counts have no lines


def _pile() -> tuple[np.ndarray, list[str], np.ndarray]:
    """Sixty documents, half of them sports; the model has put those about ocr into money."""
    words = ["game", "goal", "bank", "rate", "ocr"]
    rows = [[1, 1, 0, 0, 0], [0, 1, 0, 0, 0], [0, 0, 1, 1, 0], [0, 0, 0, 1, 0], [0, 0, 0, 0, 1]]
    labels = [[0.9, 0.1], [0.9, 0.1], [0.1, 0.9], [0.1, 0.9], [0.2, 0.8]]
    return np.repeat(rows, 12, axis=0), words, np.repeat(labels, 12, axis=0)


def test_a_word_that_only_the_model_puts_there_is_asked_about() -> None:
    counts, words, labels = _pile()
    found = Seeds({"sports": ["game"], "money": ["bank"]}).suggest(
        counts, words, label_distributions=labels, stop_words="german"
    )
    money = found.categories[1]
    assert [(word.word, word.documents, word.elsewhere) for word in money.filled_up_with] == [
        ("ocr", 12, None)
    ]
    assert [(word.word, word.safe, word.views) for word in money.words] == [
        ("rate", True, ("model", "seeds"))
    ]
    assert found.accepted(3).categories == {"sports": ("game", "goal"), "money": ("bank", "rate")}
    assert found.as_dict()["categories"][1]["filled_up_with"][0]["word"] == "ocr"


def test_meaning_says_where_a_word_belongs_that_the_model_has_put_elsewhere() -> None:
    counts, words, labels = _pile()
    table = _table({"game": [1, 0], "bank": [0, 1], "ocr": [1, 0], "goal": [1, 0], "rate": [0, 1]})
    found = suggest_from_labels(
        Seeds({"sports": ["game"], "money": ["bank"]}), checked_counts(counts, words), labels, 5, table=table
    )
    assert [word.elsewhere for word in found.categories[1].filled_up_with] == ["sports"]
    assert not any(word.word == "ocr" for category in found.categories for word in category.words)


def test_a_category_with_too_few_documents_is_named() -> None:
    counts, words, labels = _pile()
    seeds = Seeds({"sports": ["game", "goal"], "money": ["bank"], "opera": ["aria"]})
    shares = np.column_stack([labels, np.zeros(len(labels))])
    few = seeds.suggest(counts, words, label_distributions=shares)
    assert [category.starving for category in few.categories] == [
        None,
        None,
        "'opera' has too few documents: only 0 documents contain its seeds and no others.",
    ]
    found = Seeds({"sports": ["game", "goal"], "money": ["bank"]}).suggest(
        counts, words, label_distributions=np.tile([0.1, 0.9], (len(labels), 1))
    )
    assert (
        found.categories[0].starving
        == "'sports' has too few documents: its seeds reach 24 documents; 6 look like it."
    )


def test_excluded_words_and_seeds_of_others_are_not_suggested() -> None:
    seeds = Seeds({"sports": {"words": ["game"], "exclude": ["goal"]}, "money": ["bank", "striker"]})
    found = seeds.suggest(COUNTS, WORDS, label_distributions=BY_HAND)
    assert not {"goal", "striker"} & set(_suggested(found)["sports"])


def test_suggests_seed_words_that_reach_beyond_the_seeds() -> None:
    """Goal is in the most documents of sports; bench is in those that goal leaves, and striker in some."""
    found = SEEDS.suggest(TEXTS, top=2)
    assert (found.documents, found.unseeded) == (40, 25)
    assert _suggested(found) == {"sports": ["goal", "bench"], "money": ["bond", "rate"]}
    assert found.categories[0].words[1].examples == ("striker on the bench",)
    for category in found.categories:
        for word in category.words:
            assert word.unseeded > 0
            assert word.share > 0.5
            assert 1 <= len(word.examples) <= 3
            assert all(word.word in line for line in word.examples)
    assert found == SEEDS.suggest(iter(TEXTS), top=2)


def test_a_seed_that_looks_harmful_is_found() -> None:
    texts = (
        ["player match coach", "match coach goal", "coach player goal"] * 10
        + ["loan rate investor", "rate investor share", "loan share rate"] * 10
        + ["transfer loan rate", "transfer investor rate share", "transfer loan share"] * 5
    )
    seeds = Seeds({"sports": ["match", "coach", "transfer"], "money": ["loan", "rate"]})
    found = seeds.suggest(texts)
    (harmful,) = [seed for category in found.categories for seed in category.harmful]
    assert (harmful.word, harmful.documents, harmful.rival) == ("transfer", 15, "money")
    assert harmful.rival_share > 1.5 * harmful.share
    assert "transfer" in found.accepted(1).categories["sports"]  # only the user knows whether it is meant


def test_accepted_words_join_what_the_entry_says() -> None:
    seeds = Seeds(
        {
            "news": {"words": ["press"]},
            "sports": {"words": ["game"], "weights": {"game": 2}, "exclude": ["fish"], "parent": "news"},
            "money": ["bank"],
        }
    )
    found = seeds.suggest(COUNTS, WORDS, label_distributions=BY_HAND)
    assert found.accepted(0) == seeds
    assert found.accepted(1).table() == {
        "news": ["press"],
        "sports": {
            "words": ["game", "goal"],
            "weights": {"game": 2.0, "goal": 0.5},
            "exclude": ["fish"],
            "parent": "news",
        },
        "money": {"words": ["bank", "rate"], "weights": {"rate": 0.5}},
    }
    assert Seeds.of(found.accepted(9).table()) == found.accepted(2)  # there are no more


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("one text",), "iterable of texts"),
        ((COUNTS,), "needs vocabulary"),
        ((COUNTS, WORDS[:2]), "2 words but the matrix has 7 columns"),
        ((["", ""],), "no document contains a usable word"),
        ((["game", None],), "document 1 is NoneType"),
    ],
)
def test_a_wrong_corpus_is_refused(arguments: tuple[object, ...], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        Seeds({"sports": ["game"], "money": ["bank"]}).suggest(*arguments)


def test_wrong_settings_are_refused() -> None:
    with pytest.raises(InputError, match="top"):
        SEEDS.suggest(TEXTS, top=0)
    with pytest.raises(InputError, match="40 documents and a column for each of the 2 categories"):
        SEEDS.suggest(TEXTS, label_distributions=np.ones((3, 2)))


@given(st.text(max_size=200), st.text("abc", min_size=2, max_size=4), st.text(max_size=200))
def test_an_example_line_is_one_short_line_with_its_word(before: str, word: str, after: str) -> None:
    line = line_around(f"{before} {word} {after}", word)
    assert word in line.lower()
    assert len(line.splitlines()) == 1
    assert len(line) <= 2 * 40 + len(word) + 2 * len(" ...")


def test_a_line_without_spaces_is_cut_all_the_same() -> None:
    assert line_around("天" * 99 + "足球" + "地" * 99, "足球") == f"... {'天' * 40}足球{'地' * 40} ..."


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("docs.txt").write_text("\n".join(TEXTS))
    Path("seeds.toml").write_text(SEEDS.to_toml())
    return tmp_path


@pytest.mark.parametrize("name", ["better.toml", "better.json", "seeds.toml"])
def test_the_command_writes_seeds_that_can_be_used_at_once(
    workplace: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["seeds", "suggest", "docs.txt", "--seeds", "seeds.toml", "--accept", "1", "-o", name, "--json"]
    assert cli.run(command) == 0
    values = json.loads(capsys.readouterr().out)
    first = [category["words"][0]["word"] for category in values["categories"]]
    assert Seeds.read(name).categories == {
        "sports": ("match", "coach", first[0]),
        "money": ("loan", first[1]),
    }
    assert Seeds.read(name).weights == {"sports": {first[0]: 0.5}, "money": {first[1]: 0.5}}
    assert cli.run(["label", "docs.txt", "--seeds", name, "-o", "out.csv", "-q"]) == 0


def test_the_command_prints_words_and_lines(workplace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["seeds", "suggest", "docs.txt", "--seeds", "seeds.toml", "--top", "1"]) == 0
    shown = capsys.readouterr().out
    assert "without a seed" in shown
    assert "25 of 40 documents contain no seed." in shown
    assert "goal *" in shown
    assert "a match with a goal" in shown or "goal and striker" in shown
    assert sorted(path.name for path in workplace.iterdir()) == ["docs.txt", "seeds.toml"]


@pytest.mark.parametrize(
    "wrong",
    [["--accept", "2"], ["-o", "x.toml"], ["--accept", "2", "-o", "x.yaml"], ["--stop-words", "xx"]],
)
def test_wrong_use_is_one_sentence(
    workplace: Path, wrong: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["seeds", "suggest", "docs.txt", "--seeds", "seeds.toml", *wrong]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert sorted(path.name for path in workplace.iterdir()) == ["docs.txt", "seeds.toml"]


def _table(words: dict[str, list[float]]) -> WordVectors:
    return WordVectors("tiny", list(words), np.array(list(words.values()), np.float32), "")


def test_meaning_counts_as_much_as_three_documents() -> None:
    """Striker points to sports, rate to neither category; goal is not in the table."""
    seeds = Seeds({"sports": ["game"], "money": ["bank"]})
    table = _table({"game": [1, 0, 0], "bank": [0, 1, 0], "striker": [1, 0, 0], "rate": [0, 0, 1]})
    found = suggest_from_labels(seeds, checked_counts(COUNTS, WORDS), BY_HAND, 5, table=table)
    sports, money = found.categories
    # The softmax of the cosines 1 and 0 at temperature 0.1, beside "none" with the cosine 0.2.
    striker = 3 * (2 * np.exp(10) / (np.exp(10) + 1 + np.exp(2)) - 1)
    # Goal is safe, so it comes first; of the documents of striker, it leaves one with 0.6.
    assert [(word.word, word.safe) for word in sports.words] == [("goal", True), ("striker", False)]
    assert [word.gain for word in sports.words] == pytest.approx([1.0, 0.6 + striker])
    assert [word.source for word in sports.words] == ["documents", "meaning"]
    assert [word.near for word in sports.words] == [(), ("game",)]
    assert [word.views for word in sports.words] == [("model", "seeds"), ("model", "meaning")]
    assert money.words == ()  # 0.4 documents, and a meaning that speaks against them


def test_most_seeds_unknown_means_that_meaning_does_not_count() -> None:
    seeds = Seeds({"sports": ["game", "hkcy"], "money": ["bank", "lnn", "crdt"]})
    counts = checked_counts(COUNTS, WORDS)
    table = _table({"game": [1, 0, 0], "bank": [0, 1, 0], "striker": [1, 0, 0]})
    with_table = suggest_from_labels(seeds, counts, BY_HAND, 5, table=table)
    assert with_table == suggest_from_labels(seeds, counts, BY_HAND, 5)


def test_suggestions_without_documents_are_frequent_words_of_like_meaning() -> None:
    seeds = Seeds({"sports": {"words": ["goal", "scor*"], "exclude": ["game"]}, "money": ["bank"]})
    found = seeds.suggest(top=8)
    words = _suggested(found)
    assert {"ball", "points"} <= set(words["sports"])
    assert {"financial", "credit"} <= set(words["money"])
    assert not {"game", "goals", "scored", "scoring", "banks"} & {*words["sports"], *words["money"]}
    assert all(word.source == "meaning" and word.near == ("bank",) for word in found.categories[1].words)
    assert found.documents == 0
    assert found.accepted(1).categories["money"] == ("bank", words["money"][0])


def test_a_category_that_is_only_a_name_gets_words_and_keeps_its_name() -> None:
    found = Seeds({"weather": [], "money": ["bank"]}).suggest(top=4)
    assert "rain" in _suggested(found)["weather"]
    assert found.accepted(1).categories["weather"][0] == "weather"
    assert len(found.accepted(1).table()["weather"]) == 2
    assert found.accepted(0).table()["weather"] == []


def test_no_table_fits_another_language() -> None:
    found = Seeds({"sport": ["tor"], "geld": ["bank"]}).suggest(stop_words="german")
    assert _suggested(found) == {"sport": [], "geld": []}


def test_the_command_suggests_without_documents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("seeds.toml").write_text('# mine\nsports = ["goal"]\nmoney = ["bank"]\n')
    assert cli.run(["seeds", "suggest", "seeds.toml", "--accept", "1", "-o", "new.toml"]) == 0
    assert "near in meaning to" in capsys.readouterr().out
    text = Path("new.toml").read_text()
    assert text.startswith('# mine\nsports = {words = ["goal", "')
    assert cli.run(["seeds", "suggest", "--seeds", "seeds.toml", "--json"]) == 0
    values = json.loads(capsys.readouterr().out)
    assert values["categories"][1]["words"][0]["source"] == "meaning"


def test_one_document_is_not_documents() -> None:
    counts, words, labels = _pile()
    one = counts[[0, *np.flatnonzero(labels[:, 1] > 0.5)]]
    seeds = Seeds({"sports": ["game", "goal"], "money": ["bank"]})
    shares = np.tile([0.5, 0.5], (one.shape[0], 1))
    sentence = seeds.suggest(one, words, label_distributions=shares).categories[0].starving
    assert sentence == "'sports' has too few documents: only 1 document contains its seeds and no others."
