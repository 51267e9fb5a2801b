"""Shares of categories by group and over time: known answers by hand, laws, and the command."""

from __future__ import annotations

import csv
import json
from datetime import date
from math import hypot, sqrt
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from seedtopic import InputError, Report, SeedTopicClassifier
from seedtopic.cli.app import app
from seedtopic.quality.audit import estimate
from seedtopic.quality.dates import chosen_period, dates_in
from seedtopic.quality.shares import estimate_shares, grouped
from seedtopic_lab.corpora import fetch_corpus, published_seeds


@pytest.mark.parametrize(
    "text",
    [
        "2024-03-05", "2024-03-05T23:59:59+01:00", "2024-03-05 10:11", "2024/3/5", "2024.03.05", "5.3.2024",
        "05. 03. 2024", "5.3.2024 10:11", "5 March 2024", "05-Mar-2024", "March 5, 2024", "Mar. 5 2024",
        "Tue, 5 Mar 2024 10:11:12 +0000", " 5  march 2024 ",
    ],
)  # fmt: skip
def test_formats_of_dates(text: str) -> None:
    found = dates_in([text])
    assert found is not None
    assert found.tolist() == [date(2024, 3, 5)]


@pytest.mark.parametrize(
    "text", ["", "1709596800", "soon", "2024-13-01", "31.2.2024", "marching 5, 2024x", "24-03-05"]
)
def test_what_is_not_a_date(text: str) -> None:
    assert dates_in([text]) is None


def test_the_column_tells_which_number_is_the_day() -> None:
    first, second = dates_in(["5/3/2024", "14/3/2024"]), dates_in(["5-3-2024", "3-14-2024"])
    assert first is not None
    assert second is not None
    assert (first.tolist()[0], second.tolist()[0]) == (date(2024, 3, 5), date(2024, 5, 3))
    with pytest.raises(InputError, match=r"such as 5/3/2024, which may be day/month or month/day"):
        dates_in(["5/3/2024", "6/3/2024"], "the column 'sent'")
    with pytest.raises(InputError, match="in some rows"):
        dates_in(["14/3/2024", "3/14/2024"])


def test_one_odd_value_does_not_make_a_column_of_dates() -> None:
    assert grouped(["5/3/2024", *["web"] * 9], "team").period is None


def test_the_period_follows_from_the_dates() -> None:
    def period(first: str, last: str, n: int) -> str:
        ends = np.array([first, last], dtype="datetime64[D]")
        return chosen_period(np.tile(ends, n))

    assert period("2024-01-01", "2024-01-31", 1000) == "day"
    assert period("2024-01-01", "2024-06-30", 1000) == "week"
    assert period("2023-01-01", "2024-12-31", 1000) == "month"
    assert period("2018-01-01", "2024-12-31", 1000) == "quarter"
    assert period("2024-01-01", "2024-01-31", 30) == "month"  # few documents: longer periods
    assert period("1900-01-01", "2024-12-31", 1000) == "year"


def test_weeks_and_years_are_those_of_the_calendar() -> None:
    days = ["2020-12-28", "2021-01-03", "2021-01-04"]
    assert grouped(days, "day", period="week").names == ["2020-W53", "2021-W01"]
    every = np.arange("2020-01-01", "2022-01-01", dtype="datetime64[D]").astype(str).tolist()
    with pytest.raises(InputError, match="more than 400: choose a longer period"):
        grouped(every, "day", period="day")


def test_rare_groups_are_one_group_and_missing_values_another() -> None:
    groups = grouped(["a", "a", "b", "c", " ", "a", "b"], "team", most=2)
    assert groups.names == ["a", "(other groups)", "(no value)"]
    assert groups.of.tolist() == [0, 0, 1, 1, 2, 0, 1]


def test_an_interval_by_hand() -> None:
    labels, sure = np.array([0] * 6 + [1] * 4), np.array([[0.9, 0.1]] * 6 + [[0.3, 0.7]] * 4)
    share = estimate_shares(["oil", "gold"], labels, sure).all.shares[0].share
    false, missed, chance = 6 * 0.1 / 10, 4 * 0.3 / 10, sqrt(6 * 0.09 + 4 * 0.21) / 10
    low, high = 0.312674, 0.831811  # Wilson's interval for 6 of 10
    assert share.value == 0.6
    assert share.low == pytest.approx(0.6 - hypot(0.6 - low, 1.959964 * chance, 2 * false), abs=1e-5)
    assert share.high == pytest.approx(
        min(0.6 + hypot(high - 0.6, 1.959964 * chance, 2 * missed), 1), abs=1e-5
    )


def test_documents_without_a_label_are_counted_apart() -> None:
    found = estimate_shares(
        ["oil"], np.array([0, -1, -1]), np.ones((3, 1)), [grouped(["a", "a", "b"], "team")]
    )
    first, second = found.by[0].groups
    assert (first.documents, first.without_label, first.shares[0].share.value) == (1, 1, 1.0)
    assert (second.documents, second.without_label, second.shares[0].share.value) == (0, 1, None)


def test_an_audit_corrects_groups_by_their_expected_errors() -> None:
    """Every document is checked: a third of those labelled oil are gold, so all of oil's errors are known."""
    labels = ["oil"] * 60 + ["gold"] * 40
    true = {d: "gold" if d < 20 else label for d, label in enumerate(labels)}
    sure = np.array([0.5] * 20 + [0.9] * 40 + [1.0] * 40)
    audit = estimate(labels, sure, true, ["oil", "gold"])
    matrix = np.column_stack(
        [np.where(np.arange(100) < 60, sure, 0.0), np.where(np.arange(100) < 60, 1 - sure, 1.0)]
    )
    groups = grouped(["doubtful"] * 20 + ["sure"] * 80, "kind")
    found = estimate_shares(["oil", "gold"], np.array([0] * 60 + [1] * 40), matrix, [groups], audit)
    assert [share.share.value for share in found.all.shares] == pytest.approx([0.4, 0.6, 0.0])
    assert found.all.shares[2].category == "(none of these)"
    of_sure, doubtful = (group.shares[0].share.value for group in found.by[0].groups)
    # F is .5 * 20 / 100 + .1 * 40 / 100 = .14 in all, .5 and .05 in the groups; oil is .2 too large.
    assert doubtful == pytest.approx(1 - 0.2 * 0.5 / 0.14)
    assert of_sure == pytest.approx(0.5 - 0.2 * 0.05 / 0.14)


@given(
    st.lists(st.tuples(st.integers(-1, 2), st.integers(0, 3)), min_size=1, max_size=60), st.integers(0, 99)
)
def test_shares_of_groups_average_to_those_of_all(found: list[tuple[int, int]], seed: int) -> None:
    labels, groups = np.array([label for label, _ in found]), [str(group) for _, group in found]
    sure = np.random.default_rng(seed).dirichlet(np.ones(3), len(labels))
    shares = estimate_shares(["a", "b", "c"], labels, sure, [grouped(groups, "group")])
    if shares.all.documents:
        for k in range(3):
            parts = [(group.documents, group.shares[k].share) for group in shares.by[0].groups]
            mean = sum(n * (share.value or 0.0) for n, share in parts) / shares.all.documents
            assert mean == pytest.approx(shares.all.shares[k].share.value)
            assert all(0 <= share.low <= (share.value or 0.0) <= share.high <= 1 for n, share in parts if n)


@pytest.mark.corpora
@pytest.mark.parametrize("corpus", ["ag_news", "bbc_news", "newsgroups20", "reuters10", "stackoverflow"])
@pytest.mark.filterwarnings("ignore::seedtopic.SeedWarning")
def test_intervals_of_groups_cover(corpus: str) -> None:
    """Groups like the whole, and groups with shares of their own, are drawn from the train part."""
    documents, random = fetch_corpus(corpus), np.random.default_rng(0)
    train = random.permutation(np.flatnonzero(np.array(documents.split) == "train"))[:2000]
    model = SeedTopicClassifier(published_seeds(corpus, "SL"), random_state=0)
    model.fit([documents.texts[row] for row in train])
    names, sure = model.classes_.tolist(), model.label_distributions_
    true = np.array([names.index(documents.labels[row]) for row in train])
    sizes = np.bincount(true, minlength=len(names))
    for alike in (True, False):
        inside = []
        for n in (30, 100, 400):
            for _ in range(30):
                shares = sizes / sizes.sum() if alike else random.dirichlet(np.ones(len(names)))
                weights = shares[true] / sizes[true]
                rows = random.choice(len(true), n, p=weights / weights.sum())
                found = estimate_shares(names, sure[rows].argmax(axis=1), sure[rows]).all.shares
                inside += [
                    of.share.low <= share <= of.share.high for of, share in zip(found, shares, strict=True)
                ]
        covered = float(np.mean(inside))
        print(f"{corpus}, {'alike' if alike else 'different'}: covered {covered:.3f}")  # noqa: T201
        assert covered >= (0.94 if alike else 0.85)


@pytest.fixture(scope="module")
def pile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shares")
    texts = {"sports": "the team won the game", "money": "the bank cut its rate"}
    with open(folder / "news.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["text", "sent", "team"])
        for number in range(80):
            month, kind = 1 + number // 40, "sports" if number % 4 == 0 or number < 40 else "money"
            writer.writerow(
                [texts[kind], f"2024-{month:02d}-{1 + number % 28:02d}", "web" if number % 2 else "mail"]
            )
        writer.writerow([texts["money"], "", "web"])
    (folder / "seeds.toml").write_text('sports = ["game", "team"]\nmoney = ["bank"]\n')
    run = CliRunner().invoke(
        app,
        [
            "fit",
            str(folder / "news.csv"),
            "--seeds",
            str(folder / "seeds.toml"),
            "-o",
            str(folder / "model"),
            "-q",
        ],
    )
    assert run.exit_code == 0, run.output
    return folder


def shares(pile: Path, *options: str) -> tuple[int, str]:
    run = CliRunner().invoke(app, ["shares", str(pile / "model"), str(pile / "news.csv"), *options])
    return run.exit_code, run.output


def test_the_command_writes_shares_by_month_and_team(pile: Path) -> None:
    code, output = shares(pile, "--by", "sent,team", "--period", "month", "-o", str(pile / "shares.csv"))
    assert code == 0, output
    assert "1 document has no date in 'sent'" in output
    with open(pile / "shares.csv", newline="") as file:
        rows = {(row["by"], row["group"], row["category"]): row for row in csv.DictReader(file)}
    assert float(rows["sent", "2024-01", "sports"]["share"]) == 1.0
    assert float(rows["sent", "2024-02", "sports"]["share"]) == 0.25
    assert rows["sent", "(no date)", "money"]["documents"] == "1"
    assert float(rows["", "(all)", "sports"]["share"]) == pytest.approx(50 / 81, abs=1e-6)
    assert {group for by, group, _ in rows if by == "team"} == {"web", "mail"}


def test_the_command_takes_an_audit(pile: Path) -> None:
    to_check, checked = pile / "to-check.csv", pile / "checked.csv"
    files = [str(pile / "model"), str(pile / "news.csv")]
    assert CliRunner().invoke(app, ["audit", *files, "-n", "20", "-o", str(to_check), "-q"]).exit_code == 0
    with open(to_check, newline="") as file, open(checked, "w", newline="") as filled:
        reader = csv.DictReader(file)
        writer = csv.DictWriter(filled, reader.fieldnames or [])
        writer.writeheader()
        writer.writerows({**row, "checked": row["predicted"]} for row in reader)
    code, output = shares(pile, "--by", "team", "--checked", str(checked), "--json", "-q")
    assert code == 0, output
    found = json.loads(output)
    assert found["checked"] == 20
    assert found["all"]["shares"][0]["share"]["value"] == pytest.approx(50 / 81)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--by", "tem"], "the documents have no column 'tem': use one of 'team'"),
        (["--by", "team,"], "name columns of the documents"),
        (["--by", "team", "--period", "month"], "no column of --by team holds dates"),
        (["--by", "sent", "--period", "decade"], "use one of day, week, month, quarter, year"),
        (["--period", "day"], "name it with --by"),
        (["-o", "shares.pdf"], "has the ending '.pdf'"),
        (["-o", "-", "--json"], "cannot hold both"),
    ],
)
def test_wrong_options_get_one_sentence(pile: Path, options: list[str], sentence: str) -> None:
    code, output = shares(pile, *options)
    assert code == 2
    assert sentence in output
    assert "Traceback" not in output


def test_the_report_draws_shares_and_lists_them(pile: Path) -> None:
    files = [
        str(pile / "model"),
        str(pile / "news.csv"),
        "--fitted",
        "--by",
        "sent,team",
        "--period",
        "month",
    ]
    for name in ("report.html", "report.md", "report.json"):
        run = CliRunner().invoke(app, ["report", *files, "-o", str(pile / name)])
        assert run.exit_code == 0, run.output
    page = (pile / "report.html").read_text(encoding="utf-8")
    section = page.split('<section id="shares">')[1].split("</section>")[0]
    assert section.count("<svg") == 4  # two categories over time, and by team
    assert "2024-02: 25.0% (" in section
    assert "(no date):" not in section.split("<table")[0]  # it has no place in time
    assert "| 2024-02 | sports | 40 | 10 | 25.0% |" in (pile / "report.md").read_text(encoding="utf-8")
    report = json.loads((pile / "report.json").read_text(encoding="utf-8"))
    assert [part["column"] for part in report["shares"]["by"]] == ["sent", "team"]
    plain = CliRunner().invoke(app, ["report", *files[:3], "-o", str(pile / "plain.html")])
    assert plain.exit_code == 0
    assert 'id="shares"' not in (pile / "plain.html").read_text(encoding="utf-8")


def test_names_in_charts_are_escaped() -> None:
    evil = "<script>alert(1)</script>"
    texts = ["a game", "the bank"] * 30
    model = SeedTopicClassifier({evil: ["game"], "money": ["bank"]}, random_state=0).fit(texts)
    page = Report.of(model, texts, by=[grouped([evil, "b"] * 30, evil)]).to_html()
    drawn = page.split('<section id="shares">')[1].split("</section>")[0]
    assert drawn.count("<svg") == 2
    assert "<script" not in drawn
    assert "&lt;script" in drawn
