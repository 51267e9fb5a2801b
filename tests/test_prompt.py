"""A prompt that makes a language model write seeds, and its answer, read back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seedtopic import InputError, Seeds, cli
from seedtopic.knowledge.replies import seeds_of_answer
from seedtopic.quality.prompt import LONGEST, seeds_prompt

SPORTS = [f"the team won the game in round {n} with a goal" for n in range(12)]
MONEY = [f"the bank cut its rate and gave a loan of {n} millions" for n in range(12)]
RAIN = ["rain and snow over the hills"]
TOML = '"World News" = ["minister", "prime minister"]\nmoney = ["bank", "invest*"]\n'
WANTED = {"World News": ("minister", "prime minister"), "money": ("bank", "invest*")}

# ------------------------------------------------------------------------------------------------- the prompt


def test_the_sample_is_spread_over_the_documents() -> None:
    prompt = seeds_prompt([*SPORTS, *MONEY, *RAIN, "", " "], ["sports", "money"], n=3)
    shown = [line for line in prompt.splitlines() if line[:2] in ("1.", "2.", "3.", "4.")]
    assert len(shown) == 3
    assert all(any(word in line for line in shown) for word in ("game", "bank", "rain"))
    assert "These are 3 of 25 documents" in prompt


def test_the_prompt_says_what_is_known() -> None:
    texts = [*SPORTS, *MONEY]
    assert "- sports\n- money\n" in seeds_prompt(texts, ["sports", "money"])
    assert "Choose the categories yourself" in seeds_prompt(texts)
    seeds = Seeds({"sports": ["game", "goal*"], "money": []})
    assert seeds.to_toml() in seeds_prompt(texts, seeds)
    assert "so far" not in seeds_prompt(texts, Seeds({"sports": [], "money": []}))


def test_long_documents_are_cut_between_words() -> None:
    prompt = seeds_prompt(["word " * 1000, "x" * 1000, "several\nlines\n\nhere"])
    lines = [line for line in prompt.splitlines() if line[:2] in ("1.", "2.", "3.")]
    assert lines[0].endswith("word ...")
    assert all(len(line) < LONGEST + 10 for line in lines)
    assert lines[2] == "3. several lines here"


def test_the_same_documents_give_the_same_prompt() -> None:
    assert seeds_prompt([*SPORTS, *MONEY], n=5) == seeds_prompt([*SPORTS, *MONEY], n=5)


def test_the_form_in_the_prompt_is_a_seeds_file() -> None:
    prompt = seeds_prompt(SPORTS)
    block = prompt.partition("```toml\n")[2].partition("```")[0]
    assert seeds_of_answer(f'```\n{block}"other" = ["x"]\n```').names == ["category name", "other"]


# ------------------------------------------------------------------------------------------------ the answer


@pytest.mark.parametrize(
    "answer",
    [
        TOML,
        f"Sure! Here are your seeds:\n\n```toml\n{TOML}```\n\nLet me know if you want more.",
        f"```\n{TOML}```",
        f"~~~toml\n{TOML}~~~",
        f"Here you go:\n\n{TOML}\nI hope this helps!",
        f"```toml\n{TOML}",  # cut off
        TOML.replace('"', "“", 1).replace('"', "”", 1),
        TOML.replace('"', "”"),
        TOML.replace('"World News"', "World News"),
        f"```toml\n{TOML.replace(chr(10), chr(13) + chr(10))}```",
        "[World News]\nwords = ['minister', 'prime minister']\n[money]\nwords = [\n  'bank', # first\n  'invest*',\n]\n",
        f"```toml\n[categories]\n{TOML}```",
        '{"World News": ["minister", "prime minister"], "money": ["bank", "invest*"]}',
        'Of course:\n```json\n{"categories": {"World News": ["minister", "prime minister",], "money": ["bank", "invest*"],}}\n```',
        '[{"name": "World News", "words": ["minister", "prime minister"]}, {"name": "money", "words": ["bank", "invest*"]}]',
        f"First try:\n```toml\nx = 1\n```\nBetter:\n```toml\n{TOML}```\n",
    ],
)
def test_seeds_are_found_in_an_answer(answer: str) -> None:
    assert dict(seeds_of_answer(answer).categories) == WANTED


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        ("I am sorry, I cannot do that.", "no seeds are in it: give the whole answer"),
        ("", "no seeds are in it"),
        ('```toml\nmoney = ["bank"]\n```', "seeds need at least two categories; got 'money'"),
        ('```toml\na = ["central bank*"]\nb = ["x"]\n```', r"a phrase cannot contain a *"),
        ('{"a": "x", "b": ["y"]}', "the seed words of 'a' must be a list of words"),
        (
            '```toml\nmoney = ["bank", rate]\nsports = ["game"]\n```',
            "it is not valid: Invalid value (at line 1",
        ),
        ('{"money": ["bank" "rate"], "sports": ["game"]}', "it is not valid: Expecting ',' delimiter"),
        ('[a]\npatterns = ["x("]\n[b]\nwords = ["y"]', "is not a regular expression at position 1"),
    ],
)
def test_answers_are_checked_like_files(answer: str, sentence: str) -> None:
    with pytest.raises(InputError) as raised:
        seeds_of_answer(answer)
    assert sentence in str(raised.value)


@given(st.text())
def test_any_answer_is_read_or_refused(answer: str) -> None:
    try:
        assert len(seeds_of_answer(answer).names) > 1
    except InputError as error:
        assert str(error)  # noqa: PT017


WORDS = st.text("abcdefg é", min_size=1, max_size=9).filter(lambda word: word.strip())


@given(st.dictionaries(WORDS.map(str.strip), st.lists(WORDS, min_size=1, max_size=3), min_size=2, max_size=4))
def test_what_was_written_is_found_between_prose(categories: dict[str, list[str]]) -> None:
    seeds = Seeds(categories)
    assert seeds_of_answer(f"Here it is.\n\n```toml\n{seeds.to_toml()}```\nAnything else?") == seeds


# ---------------------------------------------------------------------------------------------- the commands


def test_the_commands(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("docs.txt").write_text("\n".join([*SPORTS, *MONEY]) + "\n")
    assert cli.run(["seeds", "prompt", "docs.txt", "--categories", "sports, money", "-n", "4"]) == 0
    found = capsys.readouterr()
    assert "- sports\n- money\n" in found.out
    assert "paste it only where they may be read" in found.err
    Path("answer.txt").write_text('Sure:\n```toml\nsports = ["game"]\nmoney = ["bank", "rate"]\n```\n')
    assert cli.run(["seeds", "read", "answer.txt", "-o", "seeds.toml", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["categories"] == {"sports": 1, "money": 2}
    assert cli.run(["seeds", "prompt", "docs.txt", "--seeds", "seeds.toml", "--json", "--quiet"]) == 0
    assert 'money = ["bank", "rate"]' in json.loads(capsys.readouterr().out)["prompt"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["prompt", "docs.txt", "--categories", "sports"], "--categories needs at least two names"),
        (["prompt", "docs.txt", "--categories", "a,b", "--seeds", "s.toml"], "leave --categories out"),
        (["read", "none.txt", "-o", "seeds.toml"], "the answer none.txt cannot be read: No such file"),
        (["read", "docs.txt", "-o", "seeds.txt"], "must end in .toml or .json"),
        (["read", "docs.txt", "-o", "seeds.toml"], "in the answer docs.txt: no seeds are in it"),
    ],
)
def test_wrong_input(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    sentence: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("docs.txt").write_text("a game\n")
    assert cli.run(["seeds", *arguments]) == 2
    assert sentence in capsys.readouterr().err
    assert not Path("seeds.toml").exists()
