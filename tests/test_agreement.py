"""Agreement of several people: published examples, laws, and the commands agreement and next --disputed."""

from __future__ import annotations

import csv
import json
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seedtopic import InputError, Report, Seeds, SeedTopicClassifier, cli
from seedtopic.answers.agreement import Agreement, Measure, Ratings, agreement
from seedtopic.answers.ledger import Answer, Answers

# Krippendorff, Content Analysis, chapter 11: four observers, twelve units, some not observed by all.
OBSERVERS = {
    "A": "1 2 3 3 2 1 4 1 2 . . .",
    "B": "1 2 3 3 2 2 4 1 2 5 . 3",
    "C": ". 3 3 3 2 3 4 2 2 5 1 .",
    "D": "1 2 3 3 2 4 4 1 2 5 1 .",
}
# Fleiss 1971, table 1: how many of six psychiatrists have said of each of thirty patients depression,
# personality disorder, schizophrenia, neurosis, other.
PATIENTS = [
    "00060",
    "03003",
    "01401",
    "00006",
    "03030",
    "20400",
    "00402",
    "20310",
    "20040",
    "00006",
    "10050",
    "11040",
    "03300",
    "10050",
    "02031",
    "00501",
    "30012",
    "51000",
    "02040",
    "10203",
    "00006",
    "01050",
    "02013",
    "20040",
    "10041",
    "05010",
    "40002",
    "02040",
    "10500",
    "00006",
]


def ratings(of: dict[str, str]) -> Ratings:
    """Read what each person says of each text, in one letter or word each, a point where nothing."""
    return Ratings.of(
        Answer(f"text {number}", answer=label, by=person)
        for person, labels in of.items()
        for number, label in enumerate(labels.split())
        if label != "."
    )


def values(measured: Agreement) -> list[float | None]:
    """All of what is measured, without the names of people and categories, in no order."""
    return sorted(
        (round(row["value"], 9) if row["value"] is not None else -9.0 for row in measured.rows()),
    )


def test_alpha_of_krippendorff() -> None:
    measured = agreement(ratings(OBSERVERS))
    assert measured.alpha.value == pytest.approx(0.743, abs=5e-4)
    assert (measured.texts, measured.answers) == (11, 40)  # one unit has one answer, which says nothing
    assert measured.alpha.low is not None
    assert measured.alpha.high is not None
    assert 0.3 < measured.alpha.low < 0.6 < 0.85 < measured.alpha.high < 1
    assert next(one.alpha_without for one in measured.people if one.person == "C") == pytest.approx(
        0.868, abs=5e-4
    )


def test_kappa_of_fleiss() -> None:
    raters: list[list[str]] = [[] for _ in range(6)]
    for patient in PATIENTS:
        said = [name for name, count in zip("DPSNO", patient, strict=True) for _ in range(int(count))]
        for rater, label in zip(raters, said, strict=True):
            rater.append(label)
    measured = agreement(ratings({str(number): " ".join(labels) for number, labels in enumerate(raters)}))
    assert measured.fleiss.value == pytest.approx(0.430, abs=5e-4)
    assert measured.percent.value == pytest.approx(0.5556, abs=5e-5)  # as in the article
    assert [(one.category, one.answers) for one in measured.categories] == [
        ("D", 26), ("N", 55), ("O", 43), ("P", 26), ("S", 30),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("table", "kappa"),
    [
        ([(88, 14, 18), (10, 40, 10), (2, 6, 12)], 0.492),  # of Cohen
        ([(106, 10, 4), (22, 28, 10), (2, 12, 6)], 0.429),  # of Fleiss, Cohen and Everitt (1969)
    ],
)
def test_kappa_of_published_diagnoses_of_200_patients(table: list[tuple[int, ...]], kappa: float) -> None:
    cells = [(row, column, n) for row, counts in enumerate(table) for column, n in enumerate(counts)]
    one = " ".join(f"d{row}" for row, _, n in cells for _ in range(n))
    other = " ".join(f"d{column}" for _, column, n in cells for _ in range(n))
    (pair,) = agreement(ratings({"one": one, "other": other})).pairs
    assert pair.texts == 200
    assert pair.kappa.value == pytest.approx(kappa, abs=5e-4)


def test_kappa_of_a_table_of_two_by_two() -> None:
    # 20 twice yes, 15 twice no, 5 and 10 not the same: .7 observed, .5 by chance, (.7 - .5) / (1 - .5) = .4
    one, other = "y " * 25 + "n " * 25, "y " * 20 + "n " * 5 + "y " * 10 + "n " * 15
    (pair,) = agreement(ratings({"one": one, "other": other})).pairs
    assert (pair.first, pair.second, pair.texts) == ("one", "other", 50)
    assert pair.agreement.value == pytest.approx(0.7)
    assert pair.kappa.value == pytest.approx(0.4)
    # The standard error of Fleiss, Cohen and Everitt (1969) is .128 here: 1.96 of it on each side.
    assert pair.kappa.low == pytest.approx(0.4 - 1.96 * 0.128, abs=0.04)
    assert pair.kappa.high == pytest.approx(0.4 + 1.96 * 0.128, abs=0.04)


def test_what_is_confused_and_by_whom_by_hand() -> None:
    measured = agreement(ratings({"anna": "a a a b c", "ben": "a b b b c", "carl": "a b . b ."}))
    # On the second text Anna stands against two, on the third Ben and Anna against each other.
    assert [(one.person, one.answers, one.agreement.value) for one in measured.people] == [
        ("anna", 5, pytest.approx(3 / 5)),
        ("ben", 5, pytest.approx((1 + 0.5 + 0 + 1 + 1) / 5)),
        ("carl", 3, pytest.approx((1 + 0.5 + 1) / 3)),
    ]
    assert [(pair.first, pair.second, pair.texts, pair.share) for pair in measured.confusions] == [
        ("a", "b", 2, pytest.approx(2 / 4))
    ]
    by_name = {one.category: one for one in measured.categories}
    assert by_name["c"].agreement == Measure(1.0, 1.0, 1.0)
    # a: three pairs on the first text; of five answers "a" those agree with all others, the others with none.
    assert by_name["a"].agreement.value == pytest.approx(3 / 5)
    assert measured.percent.value == pytest.approx((1 + 1 / 3 + 0 + 1 + 1) / 5)


LABELS = st.sampled_from(["a", "b", "c", None])
TABLES = st.integers(2, 4).flatmap(lambda n: st.lists(st.lists(LABELS, min_size=n, max_size=n), max_size=8))


def of_table(
    table: list[list[str | None]], people: str = "pqrs", names: dict[str, str] | None = None
) -> Ratings:
    return Ratings.of(
        Answer(f"text {number}", answer=(names or {}).get(label, label), by=people[person])
        for number, row in enumerate(table)
        for person, label in enumerate(row)
        if label is not None
    )


def comparable(table: list[list[str | None]]) -> bool:
    return any(sum(label is not None for label in row) > 1 for row in table)


@given(TABLES.filter(comparable), st.permutations("pqrs"), st.permutations("abc"))
def test_names_and_order_change_nothing(
    table: list[list[str | None]], people: list[str], categories: list[str]
) -> None:
    expected = agreement(of_table(table))
    renamed = dict(zip("abc", categories, strict=True))
    assert values(agreement(of_table(table, "".join(people), renamed))) == values(expected)
    assert values(agreement(of_table(table[::-1]))) == values(expected)
    assert agreement(of_table(table)) == expected  # to the last digit of the intervals


@given(TABLES.filter(comparable))
def test_measures_against_their_definitions(table: list[list[str | None]]) -> None:
    measured = agreement(of_table(table))
    units = [[label for label in row if label is not None] for row in table]
    units = [unit for unit in units if len(unit) > 1]
    pairs = [
        (one, other, len(unit))
        for unit in units
        for one in range(len(unit))
        for other in range(len(unit))
        if one != other
    ]
    flat = [label for unit in units for label in unit]
    observed = sum(
        (unit[i] != unit[j]) / (len(unit) - 1)
        for unit in units
        for i in range(len(unit))
        for j in range(len(unit))
        if i != j
    )
    expected = sum(one != other for one in flat for other in flat) / (len(flat) - 1)
    assert pairs
    if expected:
        assert measured.alpha.value == pytest.approx(1 - observed / expected)
    else:
        assert measured.alpha.value is None
    agreeing = [np.mean([one == other for one, other in combinations(unit, 2)]) for unit in units]
    assert measured.percent.value == pytest.approx(np.mean(agreeing))
    for row in measured.rows():
        if row["low"] is not None:
            assert row["low"] <= row["high"] <= 1


@given(
    st.lists(st.sampled_from("abc"), min_size=2).filter(lambda labels: len({*labels}) > 1), st.integers(2, 5)
)
def test_perfect_agreement_is_one(labels: list[str], n_people: int) -> None:
    measured = agreement(ratings({f"p{number}": " ".join(labels) for number in range(n_people)}))
    assert (measured.percent.value, measured.alpha.value, measured.fleiss.value) == pytest.approx((1, 1, 1))
    assert [pair.kappa.value for pair in measured.pairs] == pytest.approx([1] * len(measured.pairs))
    assert measured.confusions == []


@given(st.integers(0, 2**32 - 1))
def test_alpha_of_two_people_is_about_their_kappa_where_they_use_categories_alike(number: int) -> None:
    random = np.random.default_rng(number)
    truth = random.integers(0, 3, 400)
    one, other = (np.where(random.random(400) < 0.8, truth, random.integers(0, 3, 400)) for _ in range(2))
    measured = agreement(ratings({"one": " ".join(map(str, one)), "other": " ".join(map(str, other))}))
    assert measured.alpha.value == pytest.approx(measured.pairs[0].kappa.value, abs=0.01)
    assert measured.alpha.value == pytest.approx(measured.fleiss.value, abs=0.01)


def test_the_newest_answer_counts_in_any_spelling() -> None:
    answers = [
        Answer("a  text", answer="sports", by="anna"),
        Answer("a text", answer="money", by="anna"),
        Answer("a text", id="7", answer="Money", by="ben"),
        Answer("", id="7", answer="MONEY ", by="carl"),
        Answer("other", answer="none", by="anna"),
        Answer("other", answer="(none of these)", by="ben"),
        Answer("third", answer="Money; sports", by="anna"),
        Answer("third", answer="sports; money", by="ben"),
        Answer("third", answer="(skipped)", by="carl"),
        Answer("fourth", answer="sports", by="anna"),
        Answer("fourth", answer="money", by="ben"),
        Answer("fourth", answer="(withdrawn)", by="ben"),
    ]
    ledger = Answers()
    ledger.add(answers)
    measured = agreement(Ratings.of(ledger))
    assert (measured.texts, measured.answers, measured.percent.value) == (3, 7, 1.0)
    names = [one.category.casefold() for one in measured.categories]
    assert sorted(names) == ["(none of these)", "money", "money; sports"]


def test_one_person_agrees_with_nobody() -> None:
    with pytest.raises(InputError, match=r"all answers are of anna: give answers of at least two people"):
        agreement(ratings({"anna": "a b"}))
    with pytest.raises(InputError, match=r"no text has answers of two of 2 people"):
        agreement(ratings({"anna": "a .", "ben": ". b"}))
    with pytest.raises(InputError, match=r"no text has answers of two of 0 people"):
        agreement(Ratings.of([]))


def test_where_all_say_the_same_of_everything_chance_cannot_be_told() -> None:
    measured = agreement(ratings({"anna": "a a", "ben": "a a"}))
    assert measured.percent == Measure(1.0, 1.0, 1.0)
    assert measured.alpha == measured.fleiss == measured.pairs[0].kappa == Measure(None)


# The command


def run(*arguments: str) -> int:
    return cli.run(["agreement", *arguments])


def write_sheets(folder: Path) -> list[str]:
    for person, labels in OBSERVERS.items():
        with (folder / f"{person}.csv").open("w", newline="", encoding="utf-8") as file:
            rows = [(f"text {n}", "" if label == "." else label) for n, label in enumerate(labels.split())]
            csv.writer(file).writerows([("text", "checked"), *rows])
    return [f"{person}.csv" for person in OBSERVERS]


@pytest.fixture
def sheets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    return write_sheets(tmp_path)


def test_sheets_of_several_people(sheets: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*sheets, "-o", "measures.csv") == 0
    out = capsys.readouterr().out
    lines = [line.split() for line in out.splitlines()]
    assert ["Krippendorff's", "alpha", ".743", ".414", "to", ".941"] in lines
    assert ["B", "D", "10", "90.0%", "70.0–100.0%", ".870", ".571", "to", "1.000"] in lines
    assert ["1", "2", "2", "28.6%"] in lines
    assert "11 texts with 40 answers of two or more; the intervals are of 95 %." in out
    with open("measures.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["measure"] for row in rows[:3]] == ["percent", "fleiss", "alpha"]
    assert float(rows[2]["value"]) == pytest.approx(0.743, abs=5e-4)
    assert {row["of"] for row in rows} == {"all", "person", "pair", "category", "confusion"}
    assert run(*sheets, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["alpha"]["value"] == float(rows[2]["value"])
    assert [pair["texts"] for pair in found["pairs"]] == [9, 8, 9, 9, 10, 10]


def test_a_ledger_or_the_documents_beside_it(sheets: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    Path("tickets.csv").write_text("text\none\n", encoding="utf-8")
    answers = [
        Answer(f"text {n}", answer=label, by=person)
        for person, labels in OBSERVERS.items()
        for n, label in enumerate(labels.split())
        if label != "."
    ]
    Answers.read("tickets.answers.csv").add(answers)
    printed = []
    for files in (sheets, ["tickets.csv"], ["tickets.answers.csv"]):
        assert run(*files, "--json") == 0
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1] == printed[2]
    with open("tickets.answers.csv", "a", encoding="utf-8") as file:
        file.write("torn, row")
    assert run("tickets.csv", "--quiet") == 0
    assert "row 43 of tickets.answers.csv is torn" in capsys.readouterr().err.replace(f"{Path.cwd()}/", "")


def test_sheets_of_one_name_and_a_column_of_people(
    sheets: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    for person in ("anna", "ben"):
        Path(person).mkdir()
        Path(person, "sheet.csv").write_text("text,checked\na,x\nb,y\n", encoding="utf-8")
    assert run("anna/sheet.csv", "ben/sheet.csv", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert [one["person"] for one in found["people"]] == ["anna/sheet", "ben/sheet"]
    Path("both.csv").write_text("text,checked,by\na,x,anna\na,y,model:m\nb,y,\n", encoding="utf-8")
    assert run("both.csv", "anna/sheet.csv", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert [one["person"] for one in found["people"]] == ["anna", "both", "model:m", "sheet"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["A.csv"], "all answers are of A: give answers of at least two people"),
        (["gone.csv"], "gone.csv was not found"),
        (["tickets.csv"], "tickets.csv has no column 'checked'"),
        (["A.csv", "B.csv", "-o", "A.csv"], "A.csv contains the documents and would be overwritten"),
        (
            ["A.csv", "B.csv", "-o", "A.answers.csv"],
            "A.answers.csv has the name of a file of answers, which is",
        ),
        (["A.csv", "B.csv", "-o", "a.png"], "a.png"),
        (["A.csv", "B.csv", "-o", "-", "--json"], "cannot hold both measures and --json"),
    ],
)
def test_what_cannot_be_measured_is_said_in_one_sentence(
    sheets: list[str], arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("tickets.csv").write_text("text\none\n", encoding="utf-8")
    Answers.read("A.answers.csv").add([Answer("text 0", answer="1", by="A")])
    before = {path: path.read_bytes() for path in Path().iterdir()}
    assert run(*arguments) == 2
    assert sentence in capsys.readouterr().err
    assert {path: path.read_bytes() for path in Path().iterdir()} == before


# next --disputed


def test_next_lists_what_people_disagree_about(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    toy_texts: list[str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    texts = [f"{text} no {number}" for number, text in enumerate(toy_texts)]
    with open("docs.csv", "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("text",), *((text,) for text in [*texts, texts[4]])])
    Path("seeds.toml").write_text('sports = ["game"]\nmoney = ["bank"]\nweather = ["rain"]\n')
    assert cli.run(["fit", "docs.csv", "--seeds", "seeds.toml", "-o", "model", "--quiet"]) == 0
    choose = ["next", "model", "docs.csv", "--disputed"]
    assert cli.run([*choose, "-o", "none.csv"]) == 0
    assert "people agree on all documents" in capsys.readouterr().err
    says = {
        3: {"anna": "money", "ben": "money"},
        4: {"anna": "money", "ben": "sports"},
        7: {"anna": "money", "ben": "sports", "carl": "Sports", "model:m": "weather"},
        9: {"anna": "money", "ben": "money", "carl": "sports", "dora": "none"},
        11: {"anna": "money", "model:m": "weather"},
        12: {"anna": "money", "ben": "weather", "carl": "weather", "dora": "money"},
        13: {"anna": "(skipped)", "ben": "weather"},
    }
    Answers.read("docs.answers.csv").add(
        Answer(texts[number], answer=label, by=person)
        for number, answers in says.items()
        for person, label in answers.items()
    )
    assert cli.run([*choose, "-o", "disputed.csv", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["to_check"] == 4
    with open("disputed.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    # ties first, of these the one with more people; then two of four, then two of three
    assert [(row["text"], row["why"]) for row in rows] == [
        (texts[12], "anna and dora: money; ben and carl: weather"),
        (texts[4], "anna: money; ben: sports"),
        (texts[9], "anna and ben: money; carl: sports; dora: (none of these)"),
        (texts[7], "anna: money; ben and carl: sports"),
    ]
    assert {row["checked"] for row in rows} == {""}
    assert cli.run([*choose, "-n", "1", "-o", "first.csv", "-q"]) == 0
    with open("first.csv", newline="", encoding="utf-8") as file:
        assert [row["text"] for row in csv.DictReader(file)] == [texts[12]]


def test_the_report_has_a_table_of_agreement() -> None:
    texts = ["the team won the game", "a goal in the game", "the bank cut its rate", "rate of the bank"]
    seeds: dict[str, Any] = {"sports": {"words": ["game", "team"], "formerly": ["games"]}, "money": ["bank"]}
    model = SeedTopicClassifier(Seeds(seeds), random_state=0).fit(texts)
    answers = Answers()
    said = {
        "anna": "games sports money money",
        "ben": "sports money money money",
    }  # by the name of before, too
    answers.add(
        Answer(text, answer=label, by=by)
        for by, labels in said.items()
        for text, label in zip(texts, labels.split(), strict=True)
    )
    report = Report.of(model, texts, answers=answers)
    assert report.agreement is not None
    assert report.agreement.percent.value == pytest.approx(0.75)
    assert json.loads(report.to_json())["agreement"]["pairs"][0]["kappa"]["value"] == pytest.approx(0.5)
    for shown in (report.to_markdown(), report.to_html()):
        for words in ("Agreement of people", "4 texts with 8 answers of two or more", "of anna and ben"):
            assert words in shown
    alone = Answers()
    alone.add([Answer(texts[0], answer="sports", by="anna")])
    assert "Agreement of people" not in Report.of(model, texts, answers=alone).to_markdown()
