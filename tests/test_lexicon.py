"""Words that the package knows for the names of categories."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from seedtopic.knowledge.lexicon import FIELDS, MOST_WORDS, words_for

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "src" / "seedtopic" / "knowledge" / "lexicon"


def lexicon_names() -> list[str]:
    lines = [line for path in FOLDER.glob("*.txt") for line in path.read_text(encoding="ascii").splitlines()]
    entries = [line.partition(": ")[0] for line in lines if line and not line.startswith("#")]
    return [name for entry in entries for name in entry.split(" | ")]


def of(name: str, *others: str) -> tuple[str, ...]:
    return words_for([name, *others])[name]


def test_the_words_of_a_name_are_frequent_ones_of_its_documents() -> None:
    assert {"delivered", "courier", "late"} <= set(of("delivery"))
    assert {"goals", "striker"} & set(of("soccer"))


@pytest.mark.parametrize(
    ("spelling", "name"),
    [
        ("Delivery", "delivery"),
        ("the  deliveries", "delivery"),
        ("lost_or_stolen_card", "lost or stolen card"),
        ("card, lost or stolen", "lost or stolen card"),
        ("BookRestaurant", "book restaurant"),
        ("Science & Technology", "science and technology"),
        ("cs.CR", "cs cr"),
        ("policy: energy", "energy policy"),
        ("arrival of the card", "card arrival"),
    ],
)
def test_spelling_order_plural_and_small_words_do_not_matter(spelling: str, name: str) -> None:
    assert of(spelling) == of(name) != ()


def test_a_name_with_two_known_parts_has_words_of_both() -> None:
    words = of("plumbing & horses")
    assert set(words) & set(of("plumbing"))
    assert set(words) & set(of("horses"))
    assert len(words) <= MOST_WORDS


def test_parts_that_say_nothing_add_nothing() -> None:
    assert of("general horses query") == of("horses")


def test_a_name_that_is_not_there_has_the_words_of_one_that_means_the_same() -> None:
    assert of("bicycling") == of("cycling")


def test_neighbours_decide_between_the_meanings_of_a_name() -> None:
    assert "hibernate" not in of("spring", "summer", "humidity")
    assert {"summer", "warm"} & set(of("spring", "humidity", "floods"))
    assert "bean" in of("spring", "hibernate", "django", "postgresql")


@pytest.mark.parametrize("name", ["qqxyzzy", "", "  ", "---", 7])
def test_of_other_names_nothing_is_known(name: str | int) -> None:
    assert words_for([name]) == {name: ()}


def test_every_name_of_every_field_is_found() -> None:
    names = lexicon_names()
    assert len(set(names)) >= 3000
    assert all(words_for(names).values())
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(FIELDS)


def test_a_thousand_names_take_a_moment() -> None:
    names = sorted(set(lexicon_names()))[::11][:1000]
    words_for(["qqxyzzy horses"])  # reads the fields
    start = time.process_time()
    words_for(names)
    assert time.process_time() - start < 0.05


def test_the_lexicon_has_no_flaws() -> None:
    checked = subprocess.run(
        [sys.executable, ROOT / "tools" / "lexicon.py"], capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stderr
