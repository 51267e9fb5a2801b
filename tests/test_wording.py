"""Numbers in sentences: singular and plural, the rest of a list, shares in percent."""

from __future__ import annotations

import pytest

from seedtopic import Seeds
from seedtopic.base.wording import and_more, listed, number_of, part_of, percent
from seedtopic.show.seeds import check_in_notebook, suggestions_in_notebook
from seedtopic.show.table import more


@pytest.mark.parametrize(
    ("count", "words", "expected"),
    [
        (1, ("document",), "1 document"),
        (0, ("document",), "0 documents"),
        (1_200, ("category",), "1,200 categories"),
        (1, ("category",), "1 category"),
        (2, ("looks", "look"), "2 look"),
    ],
)
def test_a_number_has_its_singular_or_plural(count: int, words: tuple[str, ...], expected: str) -> None:
    assert number_of(count, *words) == expected


def test_part_of_all_has_the_verb_that_fits() -> None:
    assert part_of(1, 1, "document", "has", "have") == "1 of 1 document has"
    assert part_of(2, 3_000, "document", "has", "have") == "2 of 3,000 documents have"


def test_what_is_left_out_of_a_list_is_counted() -> None:
    assert and_more(["a", "b"], 3) == "a, b and 1 more"
    assert and_more(["a", "b"], 2) == "a, b"
    assert (listed(["a", "b", "c"]), listed(["a"])) == ("a, b and c", "a")
    assert more(201, 200, "category") == ["and 1 more category"]
    assert more(202, 200, "category") == ["and 2 more categories"]
    assert more(200, 200, "category") == []


def test_an_estimate_is_never_sure() -> None:
    assert [percent(share) for share in (0.999, 1, 0.5)] == ["99 %", "100 %", "50 %"]


def test_one_document_is_no_documents_wherever_seeds_are_shown() -> None:
    seeds = Seeds({"sports": ["game"], "money": ["bank"]})
    shown = check_in_notebook(seeds.check(["a game"])) + " ".join(seeds.check(["a game"]).problems)
    assert "1 of 1 document contains a seed" in shown
    texts = ["the game of the cup"] * 5 + ["the bank of the rate"] * 5 + ["the cup"]
    shown += suggestions_in_notebook(seeds.suggest(texts))
    assert "1 of 11 documents contains no seed." in shown
    for plural in ("documents", "problems", "seeds", "words", "categories"):
        assert f" 1 {plural}" not in shown
        assert f">1 {plural}" not in shown
