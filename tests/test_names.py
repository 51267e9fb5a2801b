"""Names of categories have a history: answers, labelled files and models with old names keep their meaning."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from seedtopic import InputError, Seeds, SeedTopicClassifier, cli, load
from seedtopic.answers.ledger import Answer, Answers
from seedtopic.answers.moves import Moves
from seedtopic.answers.readers import answers_of_file
from seedtopic.io.rows import Rows, read_documents
from seedtopic.seeds.history import merged, removed, renamed, split
from seedtopic.seeds.names import NONE_OF_THESE, SKIPPED, WITHDRAWN, Names
from seedtopic.web.studio.draft import Draft
from seedtopic.web.studio.edits import edited

TABLE: dict[str, Any] = {
    "Invoices": ["bill", "refund"],
    "Fees": {"words": ["fee", "bill"], "weights": {"bill": 2.0}, "exclude": ["refund", "coffee"]},
    "Delivery": ["parcel", "courier"],
}
FILE = """\
# our categories

# what people pay
Invoices = [
    "bill",  # not Bill Gates
    "refund",
]

# and what they pay too much
Fees = ["fee"]
Delivery = ["parcel", "courier"]  # by Ann
"""


def label(seeds: Seeds, answer: str) -> Any:
    """Return what an answer means."""
    return Names.of(seeds).label(answer)


# What the changes do to the seeds


def test_a_renamed_category_is_the_same_under_another_name() -> None:
    seeds, sentences = renamed(Seeds(TABLE), "Fees", "Costs")
    assert list(seeds.table()) == ["Invoices", "Costs", "Delivery"]
    assert seeds.table()["Costs"] == {**TABLE["Fees"], "formerly": ["Fees"]}
    assert (label(seeds, "Fees"), label(seeds, "fees "), label(seeds, "Costs"), sentences) == (
        "Costs", "Costs", "Costs", [],
    )  # fmt: skip


def test_former_names_form_a_chain_and_one_that_comes_back_leaves_it() -> None:
    seeds = Seeds(TABLE)
    for old, new in [("Fees", "B"), ("B", "C")]:
        seeds = renamed(seeds, old, new)[0]
    assert seeds.entries["C"].formerly == ("B", "Fees")
    seeds, sentences = renamed(seeds, "C", "B")
    assert seeds.entries["B"].formerly == ("C", "Fees")
    assert not sentences


def test_a_name_that_another_category_takes_is_no_longer_a_former_name_and_this_is_said() -> None:
    seeds = renamed(Seeds(TABLE), "Fees", "Costs")[0]
    seeds, (sentence,) = renamed(seeds, "Delivery", "Fees")
    assert sentence == ("answers that say 'Fees' no longer count for 'Costs', but for 'Fees'")
    assert seeds.entries["Costs"].formerly == ()
    assert (label(seeds, "Fees"), label(seeds, "Delivery")) == ("Fees", "Fees")


def test_merging_unites_what_is_known_and_names_what_contradicts() -> None:
    seeds, sentences = merged(Seeds(TABLE), ["Invoices", "Fees"], "Billing")
    assert seeds.table() == {
        "Billing": {"words": ["bill", "refund", "fee"], "exclude": ["coffee"], "formerly": ["Invoices", "Fees"]},
        "Delivery": ["parcel", "courier"],
    }  # fmt: skip
    assert sentences == [
        "of the weights of 'bill', the first is kept",
        "a seed is no longer excluded: 'refund'",
    ]


def test_the_category_that_others_are_merged_into_stays_where_it_is_and_decides() -> None:
    seeds, _ = merged(Seeds(TABLE), ["Invoices", "Fees"], "Fees")
    assert list(seeds.table()) == ["Fees", "Delivery"]
    assert seeds.table()["Fees"] == {
        "words": ["fee", "bill", "refund"],
        "weights": {"bill": 2.0},
        "exclude": ["coffee"],
        "formerly": ["Invoices"],
    }
    assert label(seeds, "Invoices; Fees") == "Fees"


def test_merging_unites_rules_examples_parents_and_the_names_of_categories_without_words() -> None:
    table = {
        "A": {"patterns": ["x+"], "columns": {"team": "one"}, "examples": ["one text"], "parent": "top"},
        "Fees": {"columns": {"team": "two"}, "examples": ["two texts"], "parent": "side"},
        "C": {"words": ["c"], "parent": "side"},
        "D": ["d"],
    }
    seeds, sentences = merged(Seeds(table), ["A", "Fees"], "Whole")
    assert seeds.table()["Whole"] == {
        "words": ["fees"],
        "patterns": ["x+"],
        "columns": {"team": ["one", "two"]},
        "examples": ["one text", "two texts"],
        "parent": "top",
        "formerly": ["A", "Fees"],
    }
    assert sentences == ["'Whole' is below 'top', although not all of them were"]


def test_parents_follow_what_happens_to_their_names() -> None:
    table = {
        "news": ["said"],
        "money": {"words": ["bank"], "parent": "news"},
        "rain": ["rain"],
        "sun": ["sun"],
    }
    seeds = Seeds(table)
    assert renamed(seeds, "news", "press")[0].tree.parents == {"money": "press"}
    assert merged(seeds, ["money", "news"], "all")[0].tree.parents == {}
    assert merged(seeds, ["rain", "news"], "all")[0].tree.parents == {"money": "all"}
    without, sentences = removed(seeds, "news")
    assert without.tree.parents == {}
    assert sentences == ["now at the top: 'money'"]


def test_a_split_gives_each_part_its_words_and_the_answers_to_none() -> None:
    table = {**TABLE, "Fees": {**TABLE["Fees"], "examples": ["a fee"], "patterns": ["€"]}}
    seeds, sentences = split(Seeds(table), "Fees", ["Tolls", "Charges"], {"Tolls": ["toll", "Coffee"]})
    assert seeds.table()["Tolls"] == {
        "words": ["toll", "coffee"], "exclude": ["refund"], "patterns": ["€"], "formerly": ["Fees"],
    }  # fmt: skip
    assert seeds.table()["Charges"] == {
        "words": ["fee", "bill", "charges"],
        "weights": {"bill": 2.0},
        "exclude": ["refund", "coffee"],
        "patterns": ["€"],
        "formerly": ["Fees"],
    }
    assert list(seeds.table()) == ["Invoices", "Tolls", "Charges", "Delivery"]
    assert sentences == [
        "the examples of 'Fees' are left out: give each to one of the parts",
        "each part has all rules of 'Fees': keep each where it belongs",
    ]
    assert label(seeds, "Fees") is None
    assert label(seeds, "FEES") is None
    assert label(merged(seeds, ["Tolls", "Charges"], "Costs")[0], "Fees") == "Costs"


def test_answers_about_a_category_that_was_split_do_not_go_to_the_part_that_is_left() -> None:
    seeds = split(Seeds(TABLE), "Fees", ["Tolls", "Charges"])[0]
    assert label(removed(seeds, "Tolls")[0], "Fees") is None


def test_what_answers_say_in_the_usual_sense_after_a_category_of_that_name_is_removed_is_said() -> None:
    seeds, sentences = removed(Seeds({**TABLE, "none": ["hello"]}), "none")
    assert label(seeds, "none") == NONE_OF_THESE
    assert sentences == ["answers that say 'none' mean '(none of these)' from now on"]
    assert removed(Seeds(TABLE), "Fees")[1] == []


def test_renaming_a_category_that_is_known_by_its_name_is_said() -> None:
    seeds, sentences = renamed(Seeds({"sport": [], "money": ["bank"]}), "sport", "athletics")
    assert seeds.categories["athletics"] == ("athletics",)
    assert sentences == ["'athletics' has no words, so those of its new name are used, and no longer 'sport'"]


def test_categories_that_are_numbers_have_a_history_too() -> None:
    seeds = merged(Seeds({1: ["a"], 2: ["b"], 3: ["c"]}), [1, 2], 4)[0]
    assert seeds.table() == {4: {"words": ["a", "b"], "formerly": ["1", "2"]}, 3: ["c"]}
    assert label(seeds, "2") == 4


SENTENCES: list[tuple[Callable[[Seeds], Any], str]] = [
    (lambda seeds: renamed(seeds, "Feez", "Costs"), "the seeds have no category 'Feez': did you mean 'Fees'?"),
    (lambda seeds: renamed(seeds, "fees", "Costs"), "the seeds have no category 'fees': did you mean 'Fees'?"),
    (lambda seeds: removed(seeds, "none"), "the seeds have no category 'none': check its name."),
    (lambda seeds: renamed(seeds, "Fees", "Fees "), "there is a category 'Fees' already: choose another name."),
    (
        lambda seeds: renamed(seeds, "Fees", "Delivery"),
        "there is a category 'Delivery' already: choose another name.",
    ),
    (lambda seeds: renamed(seeds, "Fees", " "), "a category name is empty: give every category a name."),
    (lambda seeds: merged(seeds, ["Fees", "Fees"], "X"), "only 'Fees' is to be merged: name two or more."),
    (
        lambda seeds: merged(seeds, ["Fees", "Invoices"], "Delivery"),
        "there is a category 'Delivery' already: choose another name.",
    ),
    (
        lambda seeds: merged(seeds, list(TABLE), "Everything"),
        "seeds need at least two categories; got 'Everything'.",
    ),
    (lambda seeds: split(seeds, "Fees", ["X"]), "'Fees' is to be split into 1 category: name two or more."),
    (
        lambda seeds: split(seeds, "Fees", ["Fees", "Tolls"]),
        "there is a category 'Fees' already: choose another name.",
    ),
    (
        lambda seeds: split(seeds, "Fees", ["X", "Y"], {"Z": ["z"]}),
        "there are words for 'Z', which is none of the parts: use 'X' or 'Y'.",
    ),
    (
        lambda seeds: split(Seeds({**TABLE, "New": {"words": ["new"], "parent": "Fees"}}), "Fees", ["X", "Y"]),
        "'Fees' is the parent of other categories: split one of those.",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("change", "sentence"), SENTENCES, ids=[sentence for _, sentence in SENTENCES])
def test_what_cannot_be_is_said_in_one_sentence(change: Callable[[Seeds], Any], sentence: str) -> None:
    with pytest.raises(InputError) as error:
        change(Seeds(TABLE))
    assert str(error.value) == sentence


# What answers come to, whatever was changed in whatever order

NAMES = ["a", "b", "c", "none", "skip", "Other", "straße"]
FRESH = [f"new {number}" for number in range(30)]
# Each category in today's seeds, with the names that answers had about what it is made of.
Meaning = dict[str, frozenset[str]]


def changed(draw: st.DrawFn, seeds: Seeds, fresh: list[str]) -> tuple[Seeds, dict[str, list[str]]]:
    """Draw a change; return the new seeds, and what each category may be now."""
    names = [str(name) for name in seeds.names]
    kind = draw(st.sampled_from(["rename", "merge", "split", "remove"]))
    if len(names) < 4 and kind in ("merge", "remove"):
        kind = "rename"
    to = {name: [name] for name in names}
    if kind == "merge":
        parts = draw(st.lists(st.sampled_from(names), min_size=2, max_size=len(names) - 1, unique=True))
        into = draw(st.sampled_from([fresh.pop(), *parts]))
        return merged(seeds, parts, into)[0], to | {part: [into] for part in parts}
    name = draw(st.sampled_from(names))
    if kind == "rename":
        new = fresh.pop()
        return renamed(seeds, name, new)[0], to | {name: [new]}
    if kind == "split":
        into = [fresh.pop() for _ in range(draw(st.integers(2, 3)))]
        return split(seeds, name, into)[0], to | {name: into}
    return removed(seeds, name)[0], to | {name: []}


@given(st.data())
def test_an_answer_counts_for_the_only_category_that_it_can_be_about(data: st.DataObject) -> None:
    seeds, fresh = Seeds({name: [f"word{number}"] for number, name in enumerate(NAMES)}), list(FRESH)
    may_be: dict[str, set[str | None]] = {name: {name} for name in NAMES}  # None: what was removed
    for _ in range(data.draw(st.integers(1, 6))):
        seeds, to = data.draw(st.composite(changed)(seeds, fresh))
        for name in to:
            may_be.setdefault(name, {name})
        for answer, meanings in may_be.items():
            new = {part for name in meanings if name is not None for part in (to.get(name) or [None])}
            may_be[answer] = new | ({None} & meanings)
        seeds = data.draw(st.sampled_from([
            seeds,
            Seeds(tomllib.loads(seeds.to_toml()), source=seeds.to_toml()),
            Seeds(json.loads(json.dumps(seeds.table()))),
        ]))  # fmt: skip
    for answer, meanings in may_be.items():
        only = next(iter(meanings)) if len(meanings) == 1 else None
        if only is None and answer in ("none", "skip") and answer not in former(seeds):
            continue  # nobody has this name any longer, so the words mean what they usually mean
        assert label(seeds, answer) == only, (answer, seeds.table())


def former(seeds: Seeds) -> set[str]:
    """Return all former names."""
    return {old for entry in seeds.entries.values() for old in entry.formerly}


@given(st.sampled_from(NAMES), st.text(st.characters(codec="utf-8"), min_size=1))
def test_renaming_there_and_back_changes_nothing_that_answers_come_to(name: str, other: str) -> None:
    seeds = Seeds({name: [f"word{number}"] for number, name in enumerate(NAMES)})
    assume(other.strip() and other.strip() not in [*NAMES, NONE_OF_THESE, SKIPPED, WITHDRAWN])
    back = renamed(renamed(seeds, name, other)[0], other.strip(), name)[0]
    assert list(back.entries) == list(seeds.entries)
    for answer in [*NAMES, "NONE", "a; b", "skip; other", NONE_OF_THESE, "unknown name"]:
        assert label(back, answer) == label(seeds, answer)
    assert label(back, other) == name


@given(st.permutations(NAMES).map(lambda names: names[:4]))
def test_the_order_of_changes_that_have_nothing_to_do_with_each_other_is_free(names: list[str]) -> None:
    seeds = Seeds({name: [f"word{number}"] for number, name in enumerate(NAMES)})
    first, second, third, fourth = names
    steps: list[Callable[[Seeds], Seeds]] = [
        lambda seeds: merged(seeds, [first, second], "M")[0],
        lambda seeds: renamed(seeds, third, "R")[0],
        lambda seeds: split(seeds, fourth, ["S", "T"])[0],
    ]
    one = steps[2](steps[1](steps[0](seeds)))
    other = steps[0](steps[1](steps[2](seeds)))
    for answer in [*NAMES, f"{first}; {second}", f"{first}; {third}"]:
        assert label(one, answer) == label(other, answer)
    assert [label(one, name) for name in (first, second, third, fourth)] == ["M", "M", "R", None]


# What seeds say of themselves


@pytest.mark.parametrize("old", ["Delivery", "Fees"])
def test_a_former_name_is_no_name_of_today(old: str) -> None:
    with pytest.raises(InputError) as error:
        Seeds({**TABLE, "Fees": {"words": ["fee"], "formerly": [f" {old} "]}})
    assert str(error.value) == (
        f"the category 'Fees' was formerly {old!r}, but there is a category of this name: remove {old!r} from "
        "its 'formerly'."
    )


def test_former_names_are_in_every_form_that_seeds_take(tmp_path: Path) -> None:
    seeds = merged(Seeds(TABLE), ["Invoices", "Fees"], "Billing")[0]
    for name in ("seeds.toml", "seeds.json"):
        seeds.write(tmp_path / name)
        assert Seeds.read(tmp_path / name) == seeds
    assert Seeds(seeds.table()) == seeds
    model = SeedTopicClassifier(seeds, random_state=0).fit(
        ["a bill", "a fee and refund", "a parcel", "the courier"] * 3
    )
    model.save(tmp_path / "model")
    assert load(tmp_path / "model").seeds.entries["Billing"].formerly == ("Invoices", "Fees")
    draft = Draft.of(seeds)
    assert draft.seeds() == seeds
    draft, _ = edited(draft, {"action": "rename_category", "category": "Billing", "name": "Fees"})
    after = draft.seeds()
    assert after is not None
    assert after.entries["Fees"].formerly == ("Billing", "Invoices")


def test_a_category_of_the_studio_that_has_nothing_but_a_history_needs_words() -> None:
    table = {**TABLE, "Costs": {"words": ["cost"], "formerly": ["Prices"]}}
    draft = Draft.of(Seeds(table))
    draft, _ = edited(draft, {"action": "rename_category", "category": "Costs", "name": "12"})
    draft, _ = edited(draft, {"action": "remove_word", "category": "12", "word": "cost"})
    seeds = draft.seeds()
    assert seeds is not None
    assert seeds.names == list(TABLE)


def test_comments_and_layout_of_a_file_stay() -> None:
    seeds = Seeds(tomllib.loads(FILE), source=FILE)
    assert renamed(seeds, "Invoices", "Bills due")[0].to_toml() == FILE.replace(
        "Invoices = [", '"Bills due" = {words = ['
    ).replace('"refund",\n]', '"refund",\n], formerly = ["Invoices"]}')
    whole = merged(seeds, ["Invoices", "Fees"], "Billing")[0].to_toml()
    for comment in ("# our categories", "# what people pay", "# not Bill Gates", "# and what", "# by Ann"):
        assert comment in whole
    assert "# what people pay" in split(seeds, "Invoices", ["Bills", "Refunds"])[0].to_toml()
    gone = removed(seeds, "Invoices")[0].to_toml()
    assert gone == FILE[: FILE.index("# what")] + FILE[FILE.index("# and") :]


def test_a_renamed_category_without_words_keeps_its_comments() -> None:
    file = '# all games\n[sport]\nexamples = ["a game"]  # by Ann\n\n[money]\nwords = ["bank"]\n'
    text = renamed(Seeds(tomllib.loads(file), source=file), "sport", "games")[0].to_toml()
    assert text.startswith('# all games\n[games]\nexamples = ["a game"]  # by Ann\nformerly = ["sport"]\n')


# Names that are words of ours

OURS = ["none", "other", "checked", "skip", "predicted", "None of these", "café"]


@pytest.mark.parametrize("name", OURS)
def test_a_category_may_have_any_name_wherever_answers_are_read(name: str, tmp_path: Path) -> None:
    names = Names.of(Seeds({name: ["a"], "Delivery": ["parcel"]}))
    for answer in (name, f" {name.upper()} ", name.replace("é", "e\u0301")):
        assert names.label(answer) == name
    assert names.label(f"{name}; delivery") == (name, "Delivery")
    for marker in (NONE_OF_THESE, SKIPPED, WITHDRAWN):
        assert names.label(marker) == marker
    sheet = tmp_path / "checked.csv"
    sheet.write_text(f"text,checked\none,{name}\ntwo,{name.upper()}\n", encoding="utf-8")
    brought = answers_of_file(sheet, Rows(["one", "two"], []), names)
    assert [answer.answer for answer in brought.answers] == [name, name]
    ledger = Answers(tmp_path / "answers.csv")
    ledger.add(brought.answers)
    assert Answers.read(tmp_path / "answers.csv").matching(["two", "one"], names=names).labels == {
        0: name,
        1: name,
    }


@pytest.mark.parametrize("name", OURS)
def test_a_category_of_any_name_may_be_renamed(name: str) -> None:
    seeds = renamed(Seeds({name: ["a"], "Delivery": ["parcel"]}), name, "New")[0]
    assert (label(seeds, name), label(seeds, name.upper())) == ("New", "New")


@pytest.mark.parametrize("marker", [NONE_OF_THESE, SKIPPED, WITHDRAWN])
def test_what_answers_say_of_themselves_is_no_name_of_a_category(marker: str) -> None:
    with pytest.raises(InputError) as error:
        Seeds({**TABLE, marker: ["word"]})
    assert (
        str(error.value) == f"the category name {marker!r} has a meaning of its own in answers: use another."
    )


def test_none_and_skip_mean_what_they_say_where_no_category_has_the_name() -> None:
    seeds = Seeds(TABLE)
    assert [label(seeds, answer) for answer in ("None", "skip", "other")] == [NONE_OF_THESE, SKIPPED, None]
    assert Names.of(seeds, "other").label("Other") == NONE_OF_THESE


def test_a_name_that_is_misspelt_is_named_with_what_was_meant() -> None:
    answers = Answers()
    answers.add([Answer("a text", answer="Delivry"), Answer("another", answer="Unheard of")])
    outcome = answers.matching(["a text", "another"], names=Names.of(Seeds(TABLE)))
    assert not outcome.labels
    assert outcome.sentence() == "2 answers: 2 name no category ('Delivry', like 'Delivery'; 'Unheard of')"


# Counting beforehand


def ledger(path: Path | None = None) -> Answers:
    """Return seven answers of today, one by a former name, and one that was withdrawn."""
    answers = Answers(path)
    given = ["Invoices", "invoices", "Fees", "Delivery", "Delivery", NONE_OF_THESE, "Refunds", WITHDRAWN]
    answers.add(Answer(f"text {number}", answer=answer, by="Ann") for number, answer in enumerate(given))
    answers.add([Answer("text 3", answer="Fees", by="Ann")])  # Ann has thought again
    return answers


def test_answers_that_move_stay_and_rest_are_counted() -> None:
    seeds = Seeds(TABLE)
    names = Names.of(seeds)
    whole = Names.of(merged(seeds, ["Invoices", "Fees"], "Billing")[0])
    moves = Moves.of(ledger(), names, whole)
    assert moves.as_dict() == {"move": {"Billing": 4}, "stay": 2, "rest": 1}
    assert moves.sentence() == (
        "4 answers move to 'Billing', 2 stay, 1 rests: it is kept and counts again when a category has its name"
    )
    apart = Names.of(split(seeds, "Invoices", ["Bills", "Refunds"])[0])
    # 'Refunds' is a name now, so the answer that nobody understood counts.
    assert Moves.of(ledger(), names, apart).as_dict() == {"move": {"Refunds": 1}, "stay": 4, "rest": 2}
    assert Moves.of(Answers(), names, apart).sentence() == "0 answers move"


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("seeds.toml").write_text(FILE)
    Path("tickets.csv").write_text("text\n" + "".join(f"text {number}\n" for number in range(8)))
    ledger(tmp_path / "tickets.answers.csv")
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "said", "counts"),
    [
        (["rename", "Fees", "Costs"], "'Fees' becomes 'Costs'", ({"Costs": 2}, 4, 1)),
        (["merge", "Fees", "Invoices", "--into", "Fees"], "'Fees' and 'Invoices' become 'Fees'", ({"Fees": 2}, 4, 1)),
        (
            ["split", "Invoices", "Bills", "Credits", "--words", "Credits=refund,money back"],
            "'Invoices' becomes 'Bills' and 'Credits'",
            ({}, 4, 3),
        ),
        (["remove", "Fees"], "'Fees' is removed", ({}, 4, 3)),
    ],
)  # fmt: skip
def test_commands_count_beforehand_and_write_what_python_does(
    workplace: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    said: str,
    counts: tuple[dict[str, int], int, int],
) -> None:
    call = ["seeds", arguments[0], "seeds.toml", *arguments[1:], "--docs", "tickets.csv"]
    assert cli.run([*call, "--dry-run", "--json"]) == 0
    values = json.loads(capsys.readouterr().out)
    move, stay, rest = counts
    assert values["change"] == said
    assert values["answers"] == {"move": move, "stay": stay, "rest": rest}
    assert values["output"] is None
    assert Path("seeds.toml").read_text() == FILE
    assert cli.run(["seeds", arguments[0], "seeds.toml", *arguments[1:], "--quiet", "-o", "new.json"]) == 0
    assert capsys.readouterr() == ("", "")
    assert Path("seeds.toml").read_text() == FILE
    assert cli.run(call) == 0
    shown = capsys.readouterr()
    assert shown.out == f"{said}: written to seeds.toml\n"
    assert f"{stay} stay" in shown.err or f"{stay} answers stay" in shown.err
    assert Seeds.read("seeds.toml") == Seeds.read("new.json")
    assert values["categories"] == Seeds.read("seeds.toml").names
    again = Moves.of(Answers.read("tickets.answers.csv"), Names.of(Seeds(tomllib.loads(FILE))),
                     Names.of(Seeds.read("seeds.toml")))  # fmt: skip
    assert again.as_dict() == values["answers"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["rename", "seeds.toml", "Feez", "X"], "the seeds have no category 'Feez': did you mean 'Fees'?"),
        (["remove", "gone.toml", "Fees"], "the seeds file gone.toml does not exist: check its path."),
        (
            ["remove", "seeds.toml", "Fees", "-o", "seeds.csv"],
            "the seeds file seeds.csv must end in .toml or .json.",
        ),
        (
            ["remove", "seeds.toml", "Fees", "--docs", "gone.csv"],
            "there are no answers in {folder}/gone.answers.csv: check the path.",
        ),
        (
            ["remove", "seeds.toml", "Fees", "--answers", "gone.csv"],
            "there are no answers in gone.csv: check the path.",
        ),
        (
            ["remove", "seeds.toml", "Fees", "--answers", "none"],
            "there is no file of answers: name it with --answers FILE.",
        ),
        (
            ["split", "seeds.toml", "Fees", "A", "B", "--words", "C=fee"],
            "there are words for 'C', which is none of the parts: use 'A' or 'B'.",
        ),
        (
            ["split", "seeds.toml", "Fees", "A", "B", "--words", "fee"],
            'write --words with one of the parts and its words, as in "A=one,two".',
        ),
        (["merge", "seeds.toml", "Fees", "--into", "X"], "only 'Fees' is to be merged: name two or more."),
    ],
)
def test_commands_say_what_is_wrong_and_change_nothing(
    workplace: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], sentence: str
) -> None:
    before = {path.name: path.read_bytes() for path in workplace.iterdir()}
    assert cli.run(["seeds", *arguments]) == 2
    assert capsys.readouterr().err == f"seedtopic: {sentence.format(folder=workplace)}\n"
    assert {path.name: path.read_bytes() for path in workplace.iterdir()} == before


# What was labelled with old names


def test_labels_with_old_names_are_understood(workplace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = ["a bill", "my fee", "the parcel", "a courier", "bill and refund", "fee of the fee"]
    Path("docs.csv").write_text("text\n" + "".join(f"{text}\n" for text in texts * 3))
    Path("answers.csv").write_text("text,checked\na bill,invoices\nmy fee,Fees\nthe parcel,Delivery\n")
    Path("test.csv").write_text("text,label\na bill,Invoices\nfee of the fee,FEES\nthe courier,delivery\n")
    assert cli.run(["seeds", "merge", "seeds.toml", "Invoices", "Fees", "--into", "Billing", "-q"]) == 0
    call = ["fit", "docs.csv", "--seeds", "seeds.toml", "-o", "model", "-q"]
    assert cli.run([*call, "--confirmed", "answers.csv"]) == 0
    kept = Answers.read("docs.answers.csv")
    assert [answer.answer for answer in kept] == ["Billing", "Billing", "Delivery"]
    capsys.readouterr()
    assert cli.run(["evaluate", "model", "test.csv", "--json"]) == 0
    shown = capsys.readouterr()
    assert json.loads(shown.out)["micro_f1"] == 1.0
    assert "does not know" not in shown.err
    documents = read_documents("test.csv", label_field="label")
    names = Names.of(load("model").seeds)
    assert [names.label(str(old)) for old in documents.labels or ()] == ["Billing", "Billing", "Delivery"]
