"""Rules beside seed words: regular expressions and other columns, counted like words."""

from __future__ import annotations

import json
import random
import re
import time
import tracemalloc
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seedtopic import WSPTM, InputError, Seeds, SeedTopicClassifier, SeedWarning, cli, load
from seedtopic.io.rows import Rows
from seedtopic.seeds.toml import toml_text
from seedtopic.text.patterns import Pattern
from seedtopic.text.rules import TextWithColumns
from seedtopic.web.studio.documents import Collection
from seedtopic.web.studio.draft import Draft, History
from seedtopic.web.studio.workspace import read_workspace, write_workspace

SEEDS: dict[str, Any] = {
    "billing": {
        "words": ["payment"],
        "patterns": [r"inv-\d+"],
        "columns": {"subject": ["Invoice", "/^re: bill/"]},
    },
    "sports": ["game", "team"],
}
ROWS = [
    ("ref INV-17 attached", ""), ("ref inv-99 attached today", ""), ("payment late", ""), ("a goal in the game", ""),
    ("team lost the game", ""), ("see file", " INVOICE "), ("late again", "Re: bill 3"),
]  # fmt: skip
TEXTS = [TextWithColumns.of(text, {"subject": subject}) for text, subject in ROWS]
LABELS = ["billing", "billing", "billing", "sports", "sports", "billing", "billing"]

# ---------------------------------------------------------------------------------------------- expressions

ATOMS = st.sampled_from(
    [
        *"abksixı1-#{}é",
        "ß",
        ".",
        *(rf"\{letter}" for letter in "dswDSWbBnAZt.-# \\"),
        *(
            "^",
            "$",
            "[a-c]",
            "[^a]",
            "[]a]",
            "[^]b]",
            "[a-]",
            r"[^\]\n]",
            "[[x]",
            r"[\w-]",
            "{}",
            "{x}",
            "{,",
        ),
        *(r"\x41", r"\u0131", r"\U00000069", r"\N{LATIN SMALL LETTER S}", r"\101", r"\0", r"\07"),
        *(
            "(?-i:A)",
            "(?s:.)",
            "(?s-i:A.)",
            r"(?a:\w)",
            "(?x: a b# c\n)",
            "(?#note)",
            "()",
            "(?P<name>a)",
            "k|s",
        ),
    ]
)
EXPRESSIONS = st.tuples(
    st.sampled_from(["", "", "", "(?s)", "(?x)", "(?i)(?#note)"]),
    st.recursive(
        ATOMS,
        lambda inner: st.one_of(
            st.tuples(inner, inner).map("".join),
            st.tuples(inner, inner, st.sampled_from(["(?:{0}|{1})", "({0}|{1})", "{0}|{1}", "(?i:{0}|{0}{1})"])).map(
                lambda parts: parts[2].format(*parts[:2])
            ),
            st.tuples(
                inner, st.sampled_from(["(?:{0})", "({0})", "{0}"]),
                st.sampled_from(["*", "+", "?", "{2}", "{1,3}", "{,2}", "{2,}", "{,}", "*?", "??", "{0,2}?"]),
            ).map(lambda parts: parts[1].format(parts[0]) + parts[2]),
        ),
        max_leaves=6,
    ),
).map("".join)  # fmt: skip


@given(EXPRESSIONS, st.lists(st.text("aAbBkKsSiIİıſxX 1_\néß.-#{}\\]\t", max_size=7), min_size=1, max_size=5))
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_a_pattern_matches_what_python_matches(expression: str, texts: list[str]) -> None:
    try:
        compiled = re.compile(expression, re.IGNORECASE | re.MULTILINE)
    except re.error as error:
        with pytest.raises(InputError, match=f"is not a regular expression.*: {re.escape(error.msg)}"):
            Pattern(expression)
        return

    def by_python(text: str) -> bool:
        return compiled.search(text) is not None

    try:
        Pattern(expression)
    except InputError as error:
        if "possessive repeat" in str(error):  # of two repeats that stand side by side by chance
            return

    if "\\B" in expression and not by_python(""):  # on an empty text, \B depends on the version of Python
        texts = [text for text in texts if text]
        with suppress(InputError):
            pattern = Pattern(expression)
            assert [pattern.search(text) for text in texts] == list(map(by_python, texts))
        return
    if by_python(""):
        with pytest.raises(InputError, match="matches an empty text"):
            Pattern(expression)
        return
    pattern = Pattern(expression)
    assert [pattern.search(text) for text in texts] == list(map(by_python, texts))


@pytest.mark.parametrize("expression", ["(a+)+$x", "(a|a)*b", "(.*)*c", "a*a*a*a*a*b"])
def test_a_pattern_takes_no_longer_for_a_hostile_text(expression: str) -> None:
    pattern, start = Pattern(expression), time.perf_counter()
    assert not pattern.search("a" * 50_000 + "!")
    assert time.perf_counter() - start < 5  # Python's own engine would take years


def test_what_is_remembered_of_walks_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("seedtopic.text.patterns.MOST_REMEMBERED", 3)
    pattern = Pattern("[ab]{3}c")
    assert [pattern.search(text) for text in ("xababc", "abab ab", "bbbc")] == [True, False, True]


def test_a_pattern_with_many_states_takes_little_memory() -> None:
    rng = random.Random(0)
    text = (
        "".join(rng.choice("ab") for _ in range(5_000)) + "ac"
    )  # each letter leads to another set of states
    pattern = Pattern("a(a|b){240}c")
    tracemalloc.start()
    try:
        pattern.search(text)
        assert tracemalloc.get_traced_memory()[1] < 15_000_000
    finally:
        tracemalloc.stop()


# ---------------------------------------------------------------------------------------------------- seeds


@pytest.mark.parametrize(
    ("entry", "sentence"),
    [
        (
            {"patterns": ["a("]},
            "the category 'a' has the pattern 'a(', which is not a regular expression at position 1: ",
        ),
        (
            {"patterns": ["x*"]},
            "the category 'a' has the pattern 'x*', which matches an empty text: correct it.",
        ),
        ({"patterns": ["(?=x)y"]}, "contains assert, which is not supported: use neither look-around"),
        ({"patterns": [r"(a)\1"]}, "contains groupref, which is not supported"),
        ({"patterns": ["(?P<x>a)(?P=x)"]}, "contains groupref, which is not supported"),
        ({"patterns": ["(a)?(?(1)b|c)"]}, "contains groupref exists, which is not supported"),
        ({"patterns": ["(?<!x)y"]}, "contains assert not, which is not supported"),
        ({"patterns": ["(?>ab)c"]}, "contains atomic group, which is not supported"),
        ({"patterns": ["a*+b"]}, "contains possessive repeat, which is not supported"),
        ({"patterns": ["a{600}"]}, "is too long: it has more than 500 parts"),
        ({"patterns": ["(?:(?:a{30}){30}){30}"]}, "is too long: it has more than 500 parts"),
        ({"patterns": ["(" * 5000 + "a" + ")" * 5000]}, "is too long, or nested too deeply"),
        ({"patterns": ["a\nb"]}, "write it in one line"),
        ({"patterns": "abc"}, "the patterns of 'a' must be a list of texts; got 'abc'"),
        ({"patterns": [3]}, "the patterns of 'a' contain 3: every one must be a text."),
        ({"columns": "subject"}, "the columns of 'a' are 'subject': give a value for each column"),
        (
            {"columns": {"subject": 3}},
            "the values of the column 'subject' of 'a' must be a list of texts; got 3",
        ),
        (
            {"columns": {"subject": "/(/"}},
            "the category 'a' wants in the column 'subject' the value '(', which is not",
        ),
        ({"columns": {"": "x"}}, "the category 'a' has a rule for the column '': give its name."),
    ],
)
def test_rules_that_cannot_be(entry: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError) as raised:
        Seeds({"a": entry, "b": ["c"]})
    assert sentence in str(raised.value)


def test_a_bad_pattern_names_its_file(tmp_path: Path) -> None:
    path = tmp_path / "seeds.toml"
    path.write_text('b = ["c"]\n[a]\npatterns = ["a["]\n')
    with pytest.raises(
        InputError, match=r"in the seeds file .*seeds.toml: the category 'a' has the pattern 'a\['"
    ):
        Seeds.read(path)


@pytest.mark.parametrize("ending", ["toml", "json"])
def test_seeds_with_rules_are_written_and_read(tmp_path: Path, ending: str) -> None:
    seeds = Seeds(
        {**SEEDS, "odd": {"patterns": ["it's \\d", "\\d'\"", "é"], "columns": {"a b": "x", "c": ["/y/"]}}}
    )
    seeds.write(tmp_path / f"seeds.{ending}")
    read = Seeds.read(tmp_path / f"seeds.{ending}")
    assert read == seeds
    assert read.rules == seeds.rules


def test_an_edit_keeps_comments_beside_rules(tmp_path: Path) -> None:
    text = '# ours\n[a]\nwords = ["x"]\npatterns = [\'\\d+\']  # numbers\ncolumns.subject = "bill"\n\n[b]\nwords = ["c"]\n'
    (tmp_path / "seeds.toml").write_text(text)
    seeds = Seeds.read(tmp_path / "seeds.toml")
    assert seeds.to_toml() == text
    more = Seeds({**seeds.table(), "b": {"words": ["c", "d"]}}, source=seeds.source)
    assert more.to_toml() == text.replace('["c"]', '["c", "d"]')


def test_a_category_may_have_rules_alone() -> None:
    seeds = Seeds({"7": {"patterns": ["seven"]}, "b": ["c"]})
    assert seeds.categories["7"] == ()
    assert seeds.bind(["/seven/", "c"]).membership.toarray().tolist() == [[1, 0], [0, 1]]
    parents = Seeds({"all": {"patterns": ["x"]}, "a": {"words": ["y"], "parent": "all"}, "b": ["c"]})
    assert [rule.word for rule in parents.rules["a"]] == ["/x/"]


def test_a_wildcard_is_not_expanded_to_a_rule() -> None:
    bound = Seeds({"a": {"words": ["*inv*"], "patterns": ["inv"]}, "b": ["c"]}).bind(["/inv/", "c", "inv"])
    assert bound.expansions == {"*inv*": ["inv"]}


# --------------------------------------------------------------------------------------------------- models


@pytest.mark.parametrize("model", [SeedTopicClassifier, WSPTM])
def test_a_rule_counts_like_a_word(model: Any, tmp_path: Path) -> None:
    fitted = model(SEEDS, random_state=0, max_iter=5).fit(TEXTS)
    assert fitted.transduction_.tolist() == LABELS
    assert "subject = invoice" in fitted.vocabulary_
    fitted.save(tmp_path / "model")
    loaded = load(tmp_path / "model")
    assert loaded.seeds_ == fitted.seeds_
    assert (loaded.predict_proba(TEXTS) == fitted.predict_proba(TEXTS)).all()
    new = [TextWithColumns.of("zz", {"subject": subject}) for subject in ("INVOICE", "none")]
    assert loaded.has_known_words(new).tolist() == [True, False]
    assert loaded.predict(new)[0] == "billing"
    found = loaded.explain(TextWithColumns.of("my Inv-55", {"subject": ""}))
    assert "/inv-\\d+/" in {word.word for word in found.words}


def test_documents_without_the_column() -> None:
    plain = [text for text, _ in ROWS]
    with pytest.raises(
        InputError, match="the documents have no column 'subject', which a rule of the seeds asks for"
    ):
        SeedTopicClassifier(SEEDS).fit(plain)
    model = SeedTopicClassifier(SEEDS, random_state=0, max_iter=2).fit(TEXTS)
    with pytest.warns(SeedWarning, match="no column 'subject'.*so it matches nothing"):
        assert model.predict(["inv-8"]).tolist() == ["billing"]


def test_a_rule_without_a_match_is_missing() -> None:
    seeds = {**SEEDS, "sports": {"words": ["game"], "patterns": ["zz+"]}}
    with pytest.warns(SeedWarning, match=r"do not occur in the documents: '/zz\+/' \(sports\)"):
        SeedTopicClassifier(seeds, max_iter=2, random_state=0).fit(TEXTS)
    found = Seeds(seeds).check(TEXTS)
    assert [(word.word, word.documents) for word in found.categories[0].words] == [
        ("payment", 1), (r"/inv-\d+/", 2), ("subject = invoice", 1), ("subject = /^re: bill/", 1),
    ]  # fmt: skip
    assert "'/zz+/' (sports) matches no document." in [finding.sentence for finding in found.findings]
    repaired, changes = found.repaired()
    assert repaired.rules == Seeds(seeds).rules
    assert changes == []


def test_frames_have_the_columns() -> None:
    pandas = pytest.importorskip("pandas")
    model = SeedTopicClassifier(SEEDS, random_state=0, max_iter=5).fit(TEXTS)
    frame = pandas.DataFrame(ROWS, columns=["text", "subject"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model.label_frame(frame)["predicted"].tolist() == LABELS


def test_every_command_knows_rules(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("seeds.toml").write_text(Seeds(SEEDS).to_toml())
    rows = [
        {"text": text, "subject": subject, "label": label}
        for (text, subject), label in zip(ROWS, LABELS, strict=True)
    ]
    Path("docs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows * 3))
    given = ["docs.jsonl", "--seeds", "seeds.toml"]
    assert cli.run(["seeds", "check", *given, "--json"]) == 0
    words = json.loads(capsys.readouterr().out)["categories"][0]["words"]
    assert [word["documents"] for word in words] == [3, 6, 3, 3]
    assert cli.run(["label", *given, "-o", "out.jsonl", "--quiet"]) == 0
    assert [
        json.loads(line)["predicted"] for line in Path("out.jsonl").read_text().splitlines()
    ] == LABELS * 3
    assert cli.run(["fit", *given, "-o", "model", "--learn-on", "--quiet"]) == 0
    assert cli.run(["update", "model", "docs.jsonl", "--quiet"]) == 0
    assert cli.run(["predict", "model", "docs.jsonl", "-o", "new.jsonl", "--quiet"]) == 0
    assert [
        json.loads(line)["predicted"] for line in Path("new.jsonl").read_text().splitlines()
    ] == LABELS * 3
    capsys.readouterr()
    assert cli.run(["explain", "model", "docs.jsonl", "--id", "6"]) == 0
    assert "subject = invoice" in capsys.readouterr().out
    assert cli.run(["evaluate", "model", "docs.jsonl", "--label-field", "label", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["micro_f1"] == 1.0
    Path("other.jsonl").write_text('{"text": "a game"}\n{"text": "a bill"}\n')
    assert cli.run(["predict", "model", "other.jsonl", "-o", "new.csv"]) == 2
    assert "other.jsonl has no column 'subject'" in capsys.readouterr().err


def test_toml_of_changed_rules() -> None:
    before = Seeds(SEEDS)
    after = Seeds({**SEEDS, "billing": {"words": ["payment"], "patterns": ["new"]}})
    text = toml_text(after.entries, before.to_toml())
    assert (
        text == '[billing]\nwords = ["payment"]\npatterns = ["new"]\n\n[sports]\nwords = ["game", "team"]\n'
    )


def test_the_studio_keeps_and_counts_rules(tmp_path: Path) -> None:
    rows = [{"text": text, "subject": subject} for text, subject in ROWS]
    collection = Collection(Rows(texts=[text for text, _ in ROWS], rows=rows))
    seeds = Seeds({**SEEDS, "sports": {"words": ["game"], "examples": ["a goal"]}})
    counts = collection.counts(seeds.counted_words, seeds.all_rules)
    model = SeedTopicClassifier(seeds, random_state=0).fit(TEXTS)
    assert counts.vocabulary == list(model.vocabulary_)
    history = History(Draft.of(seeds))
    with open(tmp_path / "work.json", "w") as file:
        write_workspace(file, history)
    again, _ = read_workspace(tmp_path / "work.json")
    assert again.present == history.present
    assert again.present.seeds() == seeds
    with pytest.raises(InputError, match="the documents have no column 'subject'"):
        Collection(Rows(texts=["gold ore", "gold mine"], rows=[{"text": "gold"}] * 2)).counts(
            [], seeds.all_rules
        )
