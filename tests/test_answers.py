"""The ledger of answers: which text an answer is about, a file that loses nothing, and what answers come to."""

from __future__ import annotations

import csv
import io
import os
import re
import subprocess
import sys
import unicodedata
from pathlib import Path

import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seedtopic import InputError
from seedtopic.answers.ledger import Answer, Answers, ledger_of, place_beside
from seedtopic.io.rows import read_documents
from seedtopic.seeds.names import Names
from seedtopic.text.identity import identity, normal

NAMES = Names.listed(["sports", "money", "weather"])
AT = "2024-03-05T14:07:31Z"


def answer(text: str, label: str = "sports", by: str = "anna", **more: str) -> Answer:
    return Answer(text, **{"answer": label, "by": by, "at": AT, "how": "a.csv", **more})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "tickets.answers.csv"


def texts_in(answers: Answers) -> list[str]:
    return [row.text for row in answers]


# Which texts are the same


def test_white_space_and_unicode_forms_make_no_difference() -> None:
    composed, apart = "Un café\u00a0 fermé\r\n", unicodedata.normalize("NFD", "\tUn café fermé")
    assert composed != apart
    assert identity(composed) == identity(apart) == "Un café fermé"
    assert identity("Un cafe ferme") != identity(composed)
    assert identity("UN CAFÉ FERMÉ") != identity(composed)


def test_long_texts_are_told_by_all_they_say(path: Path) -> None:
    beginning = "word " * 7_000  # 35,000 characters, more than a cell of a spreadsheet holds
    one, other = beginning + "one" * 2_000, beginning + "two" * 2_000
    assert one[:32_767] == other[:32_767]
    answers = Answers.read(path)
    answers.add([answer(one, "sports"), answer(other, "money")])
    outcome = Answers.read(path).matching([other, one, beginning], names=NAMES)
    assert outcome.labels == {0: "money", 1: "sports"}
    assert max(map(len, path.read_text(encoding="utf-8-sig").split("\n"))) < 2_000


def test_a_text_that_looks_like_a_cut_one_is_another_text(path: Path) -> None:
    long = "word " * 10_000
    looks_cut = identity(long)
    assert looks_cut.startswith("word word")
    assert identity(looks_cut) != looks_cut
    answers = Answers.read(path)
    answers.add([answer(long, "sports"), answer(identity(looks_cut), "money")])
    assert Answers.read(path).matching([looks_cut, long]).labels == {0: "money", 1: "sports"}


@given(st.text(st.characters(), max_size=60))
def test_a_text_in_its_normal_form_stays(text: str) -> None:
    once = normal(text)
    assert normal(once) == once == normal(f"  {text}\n")
    assert once == " ".join(re.sub("[\ud800-\udfff]", "\ufffd", unicodedata.normalize("NFC", text)).split())
    assert identity(text) == identity(once)
    once.encode()  # no half of a character is left, which no file can hold


@given(
    st.sampled_from([*range(29_990, 30_010), *range(14_990, 15_010)]),
    st.sampled_from(["a", "é", "\ud83d", "😀", "' ", "= "]),
)
def test_only_what_fits_is_written_whole(length: int, letter: str) -> None:
    text = (letter * length)[:length]
    whole = normal(text)
    as_counted = len(whole.encode("utf-16-le")) // 2  # by a spreadsheet program
    assert (identity(text) == whole) == (as_counted <= 30_000)


# What is written can be read again

ODD = st.one_of(
    st.text(st.characters(), max_size=30),
    st.text(st.sampled_from(list("ab \n\r\t\"',;=+-@\0é\u0301😀\u2028\ufeff")), max_size=12),
)


@given(st.lists(st.tuples(ODD, ODD, st.sampled_from(["sports", "a; b", "=1+1", '"', "'"])), max_size=6))
def test_a_ledger_gives_back_what_was_added(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str, str]]
) -> None:
    path = tmp_path_factory.mktemp("ledger") / "x.answers.csv"
    answers = Answers.read(path)
    for text, id, label in rows:
        if normal(text) or normal(id):
            answers.add([answer(text, label, id=id, how=id)])
    again = Answers.read(path)
    assert list(again) == list(answers)
    assert again.problems == []
    assert [row.text for row in again] == [identity(row.text) for row in again]
    texts = [text for text, _, _ in rows]
    by_text = again.matching(texts).labels
    assert set(by_text) == {place for place, text in enumerate(texts) if normal(text)}
    assert again.add(list(answers)[-1:]) == 0


def test_a_ledger_reads_well(path: Path) -> None:
    Answers.read(path).add([answer('=SUM(A1)\n, he said "no"', id="7", predicted="money")])
    assert path.read_bytes().decode() == (
        "\ufefftext,id,answer,by,at,how,predicted\n"
        f'"\'=SUM(A1) , he said ""no""",7,sports,anna,{AT},a.csv,money\n'
    )


def test_who_and_when_are_known_where_nobody_says_so(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEEDTOPIC_USER", "Zoë")
    Answers.read(path).add([Answer("a", answer="sports")])
    (row,) = Answers.read(path)
    assert row.by == "Zoë"
    assert len(row.at) == len(AT)


# Files that other programs have saved


def saved(path: Path, content: str, encoding: str = "utf-8") -> Answers:
    path.write_bytes(content.encode(encoding))
    return Answers.read(path)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("is_ended", [True, False])
def test_forms_of_spreadsheet_programs(
    path: Path, encoding: str, delimiter: str, line_end: str, is_ended: bool
) -> None:
    lines = [
        ["Answer", "note", "TEXT", "by", "", "at", "how", "id", "predicted"],
        ["sports", "mine", "café", "Zoë", "", "05.03.2024 14:07", "x", "1", ""],
        ["money", '"two\nlines, ""really"""', '"a, b; c\t"', "Zoë", "", AT, "x", "2", ""],
    ]
    content = line_end.join(map(delimiter.join, lines)) + line_end * is_ended
    answers = saved(path, content, encoding)
    assert answers.problems == []
    assert [row[:4] for row in answers] == [("café", "1", "sports", "Zoë"), ("a, b; c", "2", "money", "Zoë")]
    answers.add([answer("новый 文本", "weather", id="3"), answer("thé", "weather")])
    again = Answers.read(path)
    assert list(again) == list(answers)
    assert again.problems == []
    assert texts_in(again) == ["café", "a, b; c", "новый 文本", "thé"]
    assert path.read_bytes().startswith(content.encode(encoding))
    assert again.matching(["文本", "новый 文本", "café"]).labels == {1: "weather", 2: "sports"}


def test_empty_cells_at_the_end_that_a_program_has_left_out(path: Path) -> None:
    answers = saved(path, f"text,id,answer,by,at,how,predicted\na,,sports,anna,{AT},x\nb,,money\n")
    assert [(row.text, row.answer) for row in answers] == [("a", "sports"), ("b", "money")]


def test_rows_that_cannot_be_used_are_named_as_a_spreadsheet_numbers_them(path: Path) -> None:
    answers = saved(path, "text,id,answer\n\na,,\n,,sports\nb,,money\n,7,money\n")
    assert [(row.text, row.id) for row in answers] == [("b", ""), ("", "7")]
    assert answers.problems == [
        f"row 3 of {path} has no answer and is not used: complete it, or remove it",
        f"row 4 of {path} has neither text nor id and is not used: complete it, or remove it",
    ]


def test_a_column_that_an_answer_needs_is_asked_for(path: Path) -> None:
    answers = saved(path, "text,answer\na,sports\n")
    before = path.read_bytes()
    with pytest.raises(InputError, match="no column 'by', which new answers need: add this name"):
        answers.add([answer("b")])
    assert texts_in(answers) == ["a"]
    assert path.read_bytes() == before
    answers = saved(path, "text,answer,by\n")
    answers.add([answer("b")])
    with pytest.raises(InputError, match="no column 'id'"):
        answers.add([answer("", id="7")])
    assert [row[:4] for row in Answers.read(path)] == [("b", "", "sports", "anna")]


def test_another_file_is_refused(path: Path) -> None:
    with pytest.raises(InputError, match="it has no column 'answer': name another file"):
        saved(path, "text,label\na,b\n")


@pytest.mark.parametrize("content", ["", "\n", "\ufeff", " \r\n"])
def test_an_empty_file_is_begun(path: Path, content: str) -> None:
    answers = saved(path, content)
    assert len(answers) == 0
    answers.add([answer("a")])
    assert list(Answers.read(path)) == list(answers) == [answer("a")]


# A row that was torn when the power went, or the disk was full


@pytest.mark.parametrize("columns", [Answer._fields, ("text", "by", "id", "at", "how", "answer")])
@pytest.mark.parametrize("note", ["", ',"of\nmine"'])
@pytest.mark.parametrize("last", ['a, "b" 😀 c', "é"])
def test_a_file_cut_at_any_byte_of_its_last_row(
    path: Path, columns: tuple[str, ...], note: str, last: str
) -> None:
    head = ",".join(columns) + (",note" if note else "")
    first = {"text": "first é", "answer": "money", "by": "anna", "at": AT, "how": "x"}
    row = ",".join(first.get(name, "") for name in columns) + note
    path.write_text(f"{head}\n{row}\n", encoding="utf-8")
    begin = path.stat().st_size
    Answers.read(path).add([answer(last)])
    whole = path.read_bytes()
    for end in range(begin, len(whole)):
        path.write_bytes(whole[:end])
        answers = Answers.read(path)
        assert answers[0][:5] == ("first é", "", "money", "anna", AT)
        is_used = [answer[:4] for answer in answers[1:]] == [(last, "", "sports", "anna")]
        is_named = answers.problems == [f"row 3 of {path} is torn and is not used: complete it, or remove it"]
        assert is_used + is_named + (end == begin) == 1, whole[:end]
        before = list(answers)
        answers.add([answer("next 文", "weather")])
        assert path.read_bytes().startswith(whole[:end])
        again = Answers.read(path)
        assert [row[:4] for row in again] == [row[:4] for row in [*before, answer("next 文", "weather")]]
        assert again.problems == answers.problems
        assert again.matching(["first é", "next 文"]).labels == {0: "money", 1: "weather"}


def test_a_write_that_fails_leaves_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = Answers.read(path)
    answers.add([answer("a"), answer("a", "money")])
    before, write = path.read_bytes(), os.write

    def fills_up(descriptor: int, part: bytes) -> int:
        if len(part) > 20:
            return write(descriptor, bytes(part[:20]))
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as disk:
        disk.setattr(os, "write", fills_up)
        with pytest.raises(InputError, match=r"could not be added to \(No space left on device\)"):
            answers.add([answer("a", "sports"), answer("b")])
    assert path.read_bytes() == before
    assert [row.answer for row in answers] == ["sports", "money"]
    assert answers.add([answer("a", "sports"), answer("b")]) == 2
    assert list(Answers.read(path)) == list(answers)


# Several programs

ADDS = """
import sys
from seedtopic.answers.ledger import Answer, Answers
path, who = sys.argv[1:]
answers = Answers.read(path)
for number in range(200):
    assert answers.add([Answer(f"text {who} {number} " + "x" * number, answer="sports", by=who)]) == 1
"""


def test_two_programs_that_add_at_once(path: Path) -> None:
    writers = [subprocess.Popen([sys.executable, "-c", ADDS, str(path), who]) for who in ("anna", "ben")]
    assert [writer.wait(120) for writer in writers] == [0, 0]
    answers = Answers.read(path)
    assert answers.problems == []
    for who in ("anna", "ben"):
        texts = [row.text for row in answers if row.by == who]
        assert texts == [
            f"text {who} {number} ".strip() + " " * bool(number) + "x" * number for number in range(200)
        ]
    assert path.read_text(encoding="utf-8-sig").count("text,id,answer") == 1


def test_a_file_that_another_program_replaces_is_read_again(path: Path) -> None:
    answers = Answers.read(path)
    answers.add([answer("a"), answer("b")])
    other = path.with_name("other")
    other.write_bytes(path.read_bytes().replace(b"b,,sports", b"B,,weathe"))  # as long, and as new
    about = path.stat()
    os.utime(other, ns=(about.st_atime_ns, about.st_mtime_ns))
    os.replace(other, path)
    assert answers.add([answer("c")]) == 1
    assert [(row.text, row.answer) for row in answers] == [
        ("a", "sports"), ("B", "weathe"), ("c", "sports"),
    ]  # fmt: skip
    assert list(Answers.read(path)) == list(answers)
    assert answers.refresh() is False
    path.unlink()
    assert answers.refresh() is True
    assert len(answers) == 0


# What is new


def test_what_somebody_has_said_last_is_not_added_again(path: Path) -> None:
    answers = Answers.read(path)
    assert answers.add([answer("a"), answer(" a\n"), answer("a", by="ben"), answer("b")]) == 3
    assert answers.add([answer("a", how="other")]) == 0
    assert answers.add([answer("a", "money"), answer("a", "sports")]) == 2  # changed, and changed back
    assert [row.answer for row in answers if row.text == "a" and row.by == "anna"] == [
        "sports", "money", "sports",
    ]  # fmt: skip
    assert answers.add([answer("", id="a"), answer("", id="a")]) == 1  # an id is no text


def test_a_sheet_that_is_read_twice_does_not_undo_what_came_later(path: Path) -> None:
    answers = Answers.read(path)
    sheet = [answer("a", "sports", how="sheet.csv"), answer("b", "money", how="sheet.csv")]
    assert answers.add(sheet, once=True) == 2
    answers.add([answer("a", "money", how="studio")])
    assert answers.add(sheet, once=True) == 0
    assert answers.matching(["a"]).labels == {0: "money"}
    assert answers.add(sheet) == 1  # somebody says it again
    assert answers.add([sheet[0]._replace(how="sheet2.csv", answer="weather")], once=True) == 1


# What answers come to


def outcome_of(*answers: Answer, texts: list[str], ids: list[str] | None = None):  # type: ignore[no-untyped-def]
    ledger = Answers()
    for one in answers:
        ledger.add([one])
    return ledger.matching(texts, ids, NAMES)


def test_the_newest_of_a_person_counts() -> None:
    earlier, later = "2024-03-05T14:07:31Z", "2024-03-06T09:00:00Z"
    assert outcome_of(
        answer("a", "sports", at=later), answer("a", "money", at=earlier), texts=["a"]
    ).labels == {0: "sports"}
    assert outcome_of(
        answer("a", "sports", at=later), answer("a", "money", at="5.3.2024 14:07"), texts=["a"]
    ).labels == {0: "money"}  # a time that a program has rewritten: rows are in the order of time
    assert outcome_of(
        answer("a", "sports", at=later), answer("a", "money", at=later), texts=["a"]
    ).labels == {0: "money"}


def test_the_majority_counts_and_a_tie_does_not() -> None:
    two = answer("a", "sports"), answer("a", "Sports ", "ben")
    outcome = outcome_of(*two, answer("a", "money", "carl"), texts=["a"])
    assert (outcome.labels, len(outcome.used), len(outcome.outvoted)) == ({0: "sports"}, 2, 1)
    outcome = outcome_of(*two, answer("a", "money", "carl"), answer("a", "money", "dora"), texts=["a"])
    assert (outcome.labels, len(outcome.ties)) == ({}, 4)
    assert outcome.sentence() == "4 answers: 4 contradict each other"


def test_a_person_counts_before_models() -> None:
    models = [answer("a", "money", f"model:{name}") for name in "xyz"]
    outcome = outcome_of(*models, texts=["a", "b"])
    assert (outcome.labels, outcome.by_model) == ({0: "money"}, {0})
    outcome = outcome_of(*models, answer("a", "none"), texts=["a", "b"])
    assert (outcome.labels, outcome.none, outcome.by_model) == ({}, {0}, set())
    assert len(outcome.outvoted) == 3


def test_an_answer_that_is_withdrawn_is_as_never_given() -> None:
    back = answer("a", "(withdrawn)")
    assert len(outcome_of(answer("a"), back, texts=["a"])) == 0
    assert outcome_of(answer("a"), answer("a", "money", "ben"), back, texts=["a"]).labels == {0: "money"}
    assert outcome_of(answer("a"), back, answer("a", "weather"), texts=["a"]).labels == {0: "weather"}


def test_what_was_skipped_has_no_say() -> None:
    outcome = outcome_of(
        answer("a", "skip"), answer("b", "skip"), answer("b", "money", "ben"), texts=["a", "b"]
    )
    assert (outcome.labels, outcome.skipped, outcome.answered) == ({1: "money"}, {0}, [1])


def test_all_copies_of_a_text_get_its_answer() -> None:
    outcome = outcome_of(answer("a b"), texts=["a  b", "c", " a b", "a\nb"])
    assert outcome.labels == {0: "sports", 2: "sports", 3: "sports"}
    assert outcome.sentence() == "1 answer: 1 is used for 3 documents"


def test_an_id_counts_only_where_there_is_no_text_and_one_document_has_it() -> None:
    texts, ids = ["a", "b", "c", "c"], ["1", "2", "2", " 3 "]
    outcome = outcome_of(answer("", id="1"), answer("", "money", id="2"), texts=texts, ids=ids)
    assert (outcome.labels, len(outcome.doubtful)) == ({0: "sports"}, 1)
    outcome = outcome_of(answer("", id="3"), answer("", id="4"), texts=texts, ids=ids)
    assert (outcome.labels, len(outcome.absent)) == ({3: "sports"}, 1)


def test_where_id_and_text_disagree_the_text_counts() -> None:
    outcome = outcome_of(answer("b", id="1"), answer("gone", id="2"), texts=["a", "b"], ids=["1", "2"])
    assert (outcome.labels, len(outcome.moved), len(outcome.absent)) == ({1: "sports"}, 1, 1)
    assert outcome.sentence() == (
        "2 answers: 1 is used, 1 is about a text that is not here; 1 of them has an id that another text has "
        "here, and the text counts"
    )


def test_an_answer_by_id_and_one_by_text_are_about_the_same_document() -> None:
    outcome = outcome_of(answer("a", "sports"), answer("", "money", id="1"), texts=["a"], ids=["1"])
    assert (outcome.labels, len(outcome)) == ({0: "money"}, 1)


def test_names_that_are_unknown_are_named_with_those_that_are_like_them() -> None:
    outcome = outcome_of(answer("a", "sprots"), answer("b", "MONEY"), texts=["a", "b"])
    assert outcome.labels == {1: "money"}
    assert outcome.sentence() == "2 answers: 1 is used, 1 names no category ('sprots', like 'sports')"


ALIKE = st.text(st.sampled_from(list("aA é\n\u00a0\u0301")), max_size=6)
NEAR_THE_START = st.builds(
    lambda begin, length, end: begin + "x" * length + end, ALIKE, st.sampled_from([0, 15, 22, 75, 80]), ALIKE
)


@given(st.lists(NEAR_THE_START, max_size=8), st.lists(NEAR_THE_START, max_size=8))
def test_texts_are_matched_as_if_each_were_compared_with_each(answered: list[str], texts: list[str]) -> None:
    ledger = Answers()
    ledger.add([answer(text, id="x") for text in answered if normal(text)])
    expected = {
        place
        for place, text in enumerate(texts)
        if normal(text) and any(identity(text) == identity(other) for other in answered)
    }
    assert set(ledger.matching(texts).labels) == expected
    assert set(ledger.matching(texts, ["x"] * len(texts)).labels) == expected


# Where the file is


def test_the_place_of_the_answers(tmp_path: Path) -> None:
    folder = tmp_path / "news.txt"
    folder.mkdir()
    for documents, name in [
        ("tickets.csv", "tickets.answers.csv"), ("tickets.jsonl.gz", "tickets.answers.csv"),
        ("a.b.csv", "a.b.answers.csv"), ("news.txt", "news.txt.answers.csv"),
        ("2024-*/t?.csv", "all.answers.csv"), ("notes", "notes.answers.csv"),
    ]:  # fmt: skip
        assert place_beside(tmp_path / documents) == tmp_path / name
    assert ledger_of("-") is None
    assert ledger_of(tmp_path / "tickets.csv", "none") is None
    named = ledger_of("-", str(tmp_path / "mine.csv"))
    assert named is not None
    assert named.path == tmp_path / "mine.csv"


def test_answers_among_the_documents_are_no_document(tmp_path: Path) -> None:
    texts, table = tmp_path / "texts", tmp_path / "table"
    for folder in (texts, table):
        folder.mkdir()
        Answers.read(folder / "all.answers.csv").add([answer("a late goal")])
    for name in ("1.txt", "2.txt"):
        (texts / name).write_text("a late goal", encoding="utf-8")
    pandas.DataFrame({"text": ["a late goal"]}).to_parquet(table / "part.0.parquet")
    assert list(read_documents(texts).ids or []) == ["1.txt", "2.txt"]
    assert len(read_documents(texts / "*").texts) == 2
    assert list(read_documents(table).texts) == ["a late goal"]


def test_a_ledger_is_a_table(path: Path) -> None:
    Answers.read(path).add([answer("a, b")])
    with open(path, newline="", encoding="utf-8-sig") as file:
        (row,) = csv.DictReader(io.StringIO(file.read(), newline=""))
    assert Answer(**row) == answer("a, b")
