"""What a person writes in the studio: edits, undo and redo, and the workspace file that keeps them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seedtopic import InputError, Seeds
from seedtopic.web.studio.draft import MOST_STEPS, Change, Draft, DraftWord, History
from seedtopic.web.studio.edits import answer_to, edited
from seedtopic.web.studio.quality import Quality
from seedtopic.web.studio.workspace import read_workspace, write_workspace


def after(*requests: dict[str, Any], draft: Draft | None = None) -> Draft:
    draft = draft or Draft.of(Seeds({"sport": ["game", "team"], "money": ["bank"]}))
    for request in requests:
        draft, _ = edited(draft, request)
    return draft


def words(draft: Draft, category: str) -> list[str]:
    return [word.word for word in draft.category(category).words]


def test_categories_are_added_renamed_moved_and_removed() -> None:
    draft = after({"action": "add_category", "name": " tech "})
    assert draft.names == ["sport", "money", "tech"]
    draft = after({"action": "move_category", "category": "tech", "position": 0}, draft=draft)
    assert draft.names == ["tech", "sport", "money"]
    renamed = after({"action": "rename_category", "category": "sport", "name": "sports"}, draft=draft)
    assert renamed.names == ["tech", "sports", "money"]
    assert renamed.category("sports").key == draft.category("sport").key
    assert after({"action": "remove_category", "category": "sports"}, draft=renamed).names == [
        "tech",
        "money",
    ]


def test_words_are_folded_added_once_weighed_excluded_moved_and_removed() -> None:
    draft = after({"action": "add_words", "category": "money", "words": ["Stock  Market", "bank", "rate"]})
    assert words(draft, "money") == ["bank", "stock market", "rate"]
    draft = after(
        {"action": "set_weight", "category": "money", "word": "rate", "weight": 2},
        {"action": "set_excluded", "category": "money", "word": "bank", "excluded": True},
        {"action": "move_word", "word": "rate", "from": "money", "to": "sport"},
        {"action": "remove_word", "category": "sport", "word": "game"},
        draft=draft,
    )
    assert draft.category("sport").words == (DraftWord("team"), DraftWord("rate", 2.0))
    assert draft.category("money").words == (DraftWord("bank", excluded=True), DraftWord("stock market"))
    seeds = draft.seeds()
    assert seeds is not None
    assert seeds.table() == {
        "sport": {"words": ["team", "rate"], "weights": {"rate": 2.0}},
        "money": {"words": ["stock market"], "exclude": ["bank"]},
    }


def test_a_word_makes_a_new_category_in_one_step() -> None:
    added = {"action": "add_words", "category": "chess", "words": ["chess"], "new": True}
    draft = after(added)
    assert draft.names == ["sport", "money", "chess"]
    assert words(draft, "chess") == ["chess"]
    moved = after({"action": "move_word", "word": "game", "from": "sport", "to": "game", "new": True})
    assert moved.names == ["sport", "money", "game"]
    assert (words(moved, "sport"), words(moved, "game")) == (["team"], ["game"])
    with pytest.raises(InputError, match="no category 'chess'"):
        after({**added, "new": False})
    # A category that is there already, after a request that was sent twice, is not made again.
    twice = after({"action": "add_words", "category": "sport", "words": ["chess"], "new": True})
    assert twice.names == ["sport", "money"]


def test_a_word_moved_to_where_it_is_already_stays_once() -> None:
    draft = after(
        {"action": "add_words", "category": "money", "words": ["game"]},
        {"action": "move_word", "word": "game", "from": "sport", "to": "money"},
    )
    assert words(draft, "money") == ["bank", "game"]
    assert words(draft, "sport") == ["team"]


def test_a_renamed_or_merged_category_has_a_history_and_a_removed_one_leaves_none() -> None:
    draft = after(
        {"action": "rename_category", "category": "sport", "name": "games"},
        {"action": "add_category", "name": "chess"},
        {"action": "merge_category", "category": "chess", "into": "games"},
    )
    assert draft.names == ["games", "money"]
    assert words(draft, "games") == ["game", "team", "chess"]
    assert draft.category("games").rest["formerly"] == ["chess", "sport"]
    assert draft.category("games").key == 1  # so that no document counts as moved
    with pytest.raises(InputError, match="name two or more"):
        after({"action": "merge_category", "category": "sport", "into": "sport"})
    with pytest.raises(InputError, match="no category 'tea'"):
        after({"action": "merge_category", "category": "sport", "into": "tea"})
    assert after({"action": "remove_category", "category": "games"}, draft=draft).names == ["money"]


def test_what_is_below_a_removed_category_moves_up_and_a_circle_is_edited_all_the_same() -> None:
    seeds = {
        "all": {"words": ["x"]},
        "sport": {"words": ["y"], "parent": "all"},
        "a": {"words": ["z"], "parent": "sport"},
        "b": ["w"],
    }
    draft = after({"action": "remove_category", "category": "sport"}, draft=Draft.of(Seeds(seeds)))
    assert draft.category("a").parent == "all"
    circle = Draft(tuple(replace(c, parent="b" if c.name == "all" else "all") for c in draft.categories))
    renamed = after({"action": "rename_category", "category": "b", "name": "c"}, draft=circle)
    assert renamed.category("all").parent == "c"


def test_replaced_seeds_keep_the_categories_of_the_same_name_and_give_their_keys_to_no_others() -> None:
    draft = after()
    toml = 'sport = ["match"]\ntech = ["computer"]\n'
    replaced = after({"action": "replace_seeds", "toml": toml}, draft=draft)
    assert replaced.names == ["sport", "tech"]
    assert replaced.category("sport").key == draft.category("sport").key
    assert replaced.category("tech").key not in {category.key for category in draft.categories}
    assert replaced.source == toml


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        ({}, "is unknown"),
        ({"action": ["add_category"]}, "is unknown"),
        ({"action": "add_category", "name": "sport"}, "already"),
        ({"action": "add_category", "name": "  "}, "name"),
        ({"action": "add_category", "name": 7}, "not text"),
        ({"action": "add_category", "name": "x" * 1000}, "too long"),
        ({"action": "add_category", "name": "a\x00b"}, "control"),
        ({"action": "rename_category", "category": "sport", "name": "money"}, "already"),
        ({"action": "remove_category", "category": "tea"}, "no category 'tea'"),
        ({"action": "move_category", "category": "sport", "position": 2}, "from 0 to 1"),
        ({"action": "add_words", "category": "sport", "words": "game"}, "list"),
        ({"action": "add_words", "category": "sport", "words": []}, "give a word"),
        ({"action": "add_words", "category": "sport", "words": ["Game"]}, "already"),
        ({"action": "add_words", "category": "sport", "words": ["*"]}, "letters"),
        ({"action": "add_words", "category": "sport", "words": ["a"], "excluded": "no"}, "true or false"),
        ({"action": "remove_word", "category": "sport", "word": "bank"}, "no word"),
        ({"action": "set_weight", "category": "sport", "word": "game", "weight": 0}, "above 0"),
        ({"action": "set_weight", "category": "sport", "word": "game", "weight": None}, "above 0"),
        ({"action": "set_excluded", "category": "sport", "word": "game"}, "true or false"),
        ({"action": "move_word", "word": "game", "from": "sport", "to": "sport"}, "already"),
        ({"action": "replace_seeds", "toml": "= ["}, "not valid: "),
        ({"action": "replace_seeds", "toml": "a = " + "9" * 5000}, "not valid: "),
        ({"action": "replace_seeds", "toml": "a = " + "[" * 100_000}, "nested too deep"),
        ({"action": "replace_seeds", "toml": None}, "TOML"),
        ({"action": "replace_seeds", "toml": 'a = ["b"]'}, "at least two"),
    ],
)
def test_edits_that_cannot_be_made_are_refused_with_a_sentence(request_: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        after(request_)


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({"document": 9, "label": "sport"}, "from 0 to 8"),
        ({"document": True, "label": "sport"}, "whole number"),
        ({"document": 1, "label": "tea"}, "no category"),
    ],
)
def test_answers_that_cannot_be_given_are_refused_with_a_sentence(
    request_: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        answer_to(after(), request_, 9)


def test_an_excluded_word_has_no_weight() -> None:
    draft = after({"action": "set_excluded", "category": "sport", "word": "game", "excluded": True})
    with pytest.raises(InputError, match=r"^'game' is excluded from 'sport' and has no weight.$"):
        after({"action": "set_weight", "category": "sport", "word": "game", "weight": 2}, draft=draft)


def test_a_draft_says_what_it_needs() -> None:
    assert "no categories yet" in str(Draft().needed())
    one = after({"action": "add_category", "name": "a"}, draft=Draft())
    assert "no category has words" in str(one.needed())
    one = after({"action": "add_words", "category": "a", "words": ["x"]}, draft=one)
    assert "'a' has words" in str(one.needed())
    assert one.seeds() is None
    two = after(
        {"action": "add_category", "name": "b"},
        {"action": "add_category", "name": "c"},
        {"action": "add_words", "category": "b", "words": ["y"]},
        draft=one,
    )
    seeds = two.seeds()
    assert two.needed() is None
    assert seeds is not None
    assert seeds.names == ["a", "b"]  # c waits for its first word


NAMES = st.sampled_from(["sport", "money", "tech", "news"])
WORDS = st.sampled_from(["game", "bank", "goal", "stock market", "rate*"])
REQUESTS = st.one_of(
    st.fixed_dictionaries({"action": st.just("add_category"), "name": NAMES}),
    st.fixed_dictionaries({"action": st.just("rename_category"), "category": NAMES, "name": NAMES}),
    st.fixed_dictionaries({"action": st.just("remove_category"), "category": NAMES}),
    st.fixed_dictionaries(
        {"action": st.just("move_category"), "category": NAMES, "position": st.integers(0, 3)}
    ),
    st.fixed_dictionaries(
        {
            "action": st.just("add_words"),
            "category": NAMES,
            "words": st.lists(WORDS, min_size=1, max_size=3),
            "excluded": st.booleans(),
        }
    ),
    st.fixed_dictionaries({"action": st.just("remove_word"), "category": NAMES, "word": WORDS}),
    st.fixed_dictionaries(
        {
            "action": st.just("set_weight"),
            "category": NAMES,
            "word": WORDS,
            "weight": st.floats(0.5, 3, allow_nan=False),
        }
    ),
    st.fixed_dictionaries(
        {"action": st.just("set_excluded"), "category": NAMES, "word": WORDS, "excluded": st.booleans()}
    ),
    st.fixed_dictionaries({"action": st.just("move_word"), "word": WORDS, "from": NAMES, "to": NAMES}),
    st.fixed_dictionaries({"action": st.just("merge_category"), "category": NAMES, "into": NAMES}),
    st.fixed_dictionaries({"action": st.sampled_from(["undo", "redo"])}),
)


def carried_out(history: History, requests: list[dict[str, Any]]) -> History:
    for request in requests:
        try:
            if request["action"] == "undo":
                history = history.turned(back=True)
            elif request["action"] == "redo":
                history = history.turned(back=False)
            else:
                change = Change("0a" * 12, "(withdrawn)", "sport", "studio")
                history = history.edited(*edited(history.present, request), (change,))
        except InputError:
            continue
    return history


@given(st.lists(REQUESTS, max_size=30))
def test_as_many_undos_as_there_were_edits_give_the_first_draft_and_redos_the_last(
    requests: list[dict[str, Any]],
) -> None:
    first = Draft.of(Seeds({"sport": ["game"], "money": ["bank"]}))
    history = carried_out(History(first), requests)
    last, revision = history.present, history.revision
    back = history
    while back.past:
        back = back.turned(back=True)
    assert back.present == first
    assert back.revision == revision + len(history.past)
    for _ in history.past:
        back = back.turned(back=False)
    assert back.present == last
    assert [step.done for step in back.past] == [step.done for step in history.past]


@given(st.lists(REQUESTS, max_size=30))
def test_a_workspace_gives_back_what_it_was_given(requests: list[dict[str, Any]]) -> None:
    import tempfile

    history = carried_out(History(Draft.of(Seeds({"sport": ["game"], "money": ["bank"]}))), requests)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "news.studio")
        with path.open("w", encoding="utf-8") as file:
            write_workspace(file, history)
        assert read_workspace(path) == (history, Quality())


def test_a_workspace_keeps_the_text_of_the_seeds_file(tmp_path: Path) -> None:
    first, second = '# one\na = ["x"]\nb = ["y"]\n', '# two\na = ["x"]\nc = ["z"]\n'
    history = History(Draft())
    for request in (
        {"action": "replace_seeds", "toml": first},
        {"action": "add_words", "category": "a", "words": ["v"]},
        {"action": "replace_seeds", "toml": second},
        {"action": "remove_category", "category": "c"},
    ):
        history = history.edited(*edited(history.present, request))
    history = history.turned(back=True)
    path = tmp_path / "news.studio"
    with path.open("w", encoding="utf-8") as file:
        write_workspace(file, history)
    again, _ = read_workspace(path)
    assert again == history
    assert again.present.source == again.turned(back=False).present.source == second
    assert (
        again.turned(back=True).present.source
        == again.turned(back=True).turned(back=True).present.source
        == first
    )
    assert again.turned(back=True).turned(back=True).turned(back=True).present.source is None


def test_a_workspace_without_the_text_of_a_seeds_file_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "news.studio"
    history = History(Draft.of(Seeds({"sport": ["game"], "money": ["bank"]})))
    with path.open("w", encoding="utf-8") as file:
        write_workspace(file, history)
    assert "source" not in path.read_text()
    assert read_workspace(path) == (history, Quality())


def test_history_is_bounded_and_a_new_edit_forgets_what_was_undone() -> None:
    history = History(Draft())
    for number in range(MOST_STEPS + 5):
        change = Change(f"{number:024x}", "(withdrawn)", "sport", "studio")
        history = history.edited(Draft(source=str(number)), f"edit {number}", (change,))
    assert len(history.past) == MOST_STEPS
    assert history.turned(back=True).turned(back=False).past == history.past
    history = history.turned(back=True).edited(Draft(), "something else")
    assert not history.future
    with pytest.raises(InputError, match="nothing to redo"):
        history.turned(back=False)
    with pytest.raises(InputError, match="nothing to undo"):
        History(Draft()).turned(back=True)


def test_a_damaged_workspace_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "news.studio"
    with path.open("w", encoding="utf-8") as file:
        write_workspace(file, History(Draft()))
    content = json.loads(path.read_text())
    for damaged in (
        "",
        "[]",
        "{}",
        "\x00",
        "[" * 100_000,
        json.dumps({**content, "present": 3}),
        json.dumps({**content, "past": 3}),
    ):
        path.write_text(damaged)
        with pytest.raises(InputError, match="cannot be read"):
            read_workspace(path)
    path.write_text(json.dumps({**content, "format": 99}))
    with pytest.raises(InputError, match="another version"):
        read_workspace(path)
