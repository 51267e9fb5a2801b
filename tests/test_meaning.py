"""Tables of word vectors: the shipped one is what its description says, and users' files are read as they are."""

from __future__ import annotations

import gzip
import hashlib
import json
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import seedtopic.knowledge
from seedtopic import InputError
from seedtopic.knowledge.tables import WordVectors, checksum_of, english, read_word_vectors
from seedtopic.text.tokens import words

FOLDER = Path(seedtopic.knowledge.__file__).parent
ABOUT = json.loads((FOLDER / "english.json").read_text(encoding="utf-8"))


def cosine(a, b):
    (left, right), known = english().vectors([a, b])
    assert known.all()
    return float(left @ right)


class TestEnglish:
    def test_files_are_those_that_were_made(self):
        for name, expected in ABOUT["outputs"].items():
            assert hashlib.sha256((FOLDER / name).read_bytes()).hexdigest() == expected, name

    def test_checksum_is_that_of_words_and_numbers(self):
        table = english()
        assert table.checksum == ABOUT["checksum"] == checksum_of(table.words, table.numbers)

    def test_table_has_the_size_that_its_description_says(self):
        table = english()
        assert table.numbers.shape == (ABOUT["n_words"], ABOUT["n_dims"]) == (len(table), table.n_dims)
        assert len(set(table.words)) == len(table)

    def test_everything_together_takes_at_most_twelve_million_bytes(self):
        assert sum(path.stat().st_size for path in FOLDER.glob("[eN]*.*")) <= 12_000_000

    def test_every_word_is_one_token(self):
        assert [word for word in english().words if words(word) != [word]] == []

    def test_no_row_is_of_zeros(self):
        assert english().numbers.any(axis=1).all()

    def test_numbers_stay_on_disk(self):
        assert isinstance(english().numbers, np.memmap)
        assert not english().numbers.flags.writeable

    def test_loaded_once(self):
        assert english() is english()

    @pytest.mark.parametrize(
        ("word", "near", "far"),
        [
            ("hockey", "baseball", "bank"),
            ("film", "actor", "economy"),
            ("linux", "unix", "wheat"),
            ("church", "christian", "software"),
            ("coffee", "cocoa", "parliament"),
            ("orbit", "nasa", "guitar"),
            ("goalkeeper", "soccer", "senator"),
        ],
    )
    def test_words_of_like_meaning_are_near(self, word, near, far):
        assert cosine(word, near) > cosine(word, far) + 0.1

    def test_known_words_have_length_one_and_unknown_ones_zero(self):
        vectors, known = english().vectors(["hockey", "xyzzyq", "the"])
        assert vectors.dtype == np.float32
        assert known.tolist() == [True, False, True]
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), [1, 0, 1], atol=1e-6)

    def test_no_words_give_no_rows(self):
        vectors, known = english().vectors([])
        assert vectors.shape == (0, english().n_dims)
        assert known.shape == (0,)

    def test_frequencies_fall_and_sum_to_one(self):
        shares = english().frequencies(english().words)
        assert (np.diff(shares) < 0).all()
        assert shares.sum() == pytest.approx(1)
        assert english().frequencies(["xyzzyq"]).tolist() == [0]

    def test_loading_takes_little_memory(self):
        measured = """
import resource, sys
import numpy as np
from seedtopic.knowledge.tables import english
def resident(): return int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize()
before = resident()
english().vectors(["hockey"])
sys.stdout.write(str(resident() - before))
"""
        grown = subprocess.check_output([sys.executable, "-c", measured], text=True)
        assert int(grown) < 30_000_000


class TestLookup:
    def table(self, names, **more):
        numbers = np.arange(2 * len(names), dtype=np.float32).reshape(-1, 2) + 1
        return WordVectors("t", names, numbers, checksum_of(names, numbers), **more)

    def test_lower_case_finds_other_spellings_but_prefers_its_own(self):
        table = self.table(["IBM", "Ibm", "Gold", "gold"])
        assert [table.rows[word] for word in ("ibm", "IBM", "Ibm", "gold", "Gold")] == [0, 0, 1, 3, 2]
        assert "GOLD" not in table

    def test_first_of_equal_words_counts(self):
        assert self.table(["tea", "sea", "tea"]).rows["tea"] == 0

    def test_frequencies_are_unknown_where_the_order_says_nothing(self):
        assert self.table(["tea", "sea"]).frequencies(["tea"]).tolist() == [0]
        assert self.table(["tea", "sea"], by_frequency=True).frequencies(["tea"])[0] > 0.5

    def test_row_of_zeros_is_known_and_stays(self):
        table = WordVectors("t", ["nil"], np.zeros((1, 2), np.int8), "")
        vectors, known = table.vectors(["nil"])
        assert known.tolist() == [True]
        assert vectors.tolist() == [[0, 0]]

    def test_checksum_depends_on_words_and_numbers(self):
        numbers = np.ones((2, 2), np.float32)
        sums = {
            checksum_of(["a", "b"], numbers),
            checksum_of(["a", "c"], numbers),
            checksum_of(["a", "b"], 2 * numbers),
            checksum_of(["a", "b"], numbers.astype(np.int8)),
        }
        assert len(sums) == 4


def glove(rows):
    return b"".join(b"%s %s\n" % (word.encode(), b" ".join(map(number, row))) for word, row in rows.items())


def word2vec(rows):
    return b"%d %d\n" % (len(rows), len(next(iter(rows.values())))) + glove(rows)


def fasttext(rows):
    return word2vec(rows).replace(b"\n", b" \n").replace(b" \n", b"\n", 1)


def binary(rows, end=b"\n"):
    made = b"%d %d\n" % (len(rows), len(next(iter(rows.values()))))
    for word, row in rows.items():
        made += word.encode() + b" " + struct.pack(f"<{len(row)}f", *row) + end
    return made


def number(value):
    return repr(float(np.float32(value))).encode()


FORMS = {
    "glove.txt": glove,
    "word2vec.txt": word2vec,
    "fasttext.vec": fasttext,
    "google.bin": binary,
    "bare.bin": lambda rows: binary(rows, end=b""),
}
# What files hold: anything but the separators; a space inside a word where the form can tell.
letters = st.characters(blacklist_characters="\n\r ", blacklist_categories=["Cs"])
tables = st.integers(2, 5).flatmap(
    lambda n_dims: st.dictionaries(
        st.text(letters, min_size=1, max_size=8),
        st.lists(st.floats(-1e6, 1e6, width=32), min_size=n_dims, max_size=n_dims),
        min_size=1,
        max_size=8,
    )
)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("packed", [False, True])
@settings(max_examples=25, deadline=None)
@given(rows=tables, data=st.data())
def test_what_was_written_is_read(form, packed, rows, data, tmp_path_factory):
    content = FORMS[form](rows)
    path = tmp_path_factory.mktemp("t") / (form + ".gz" * packed)
    path.write_bytes(gzip.compress(content) if packed else content)
    table = read_word_vectors(path)
    assert table.words == list(rows)
    np.testing.assert_array_equal(table.numbers, np.array(list(rows.values()), np.float32))
    assert table.checksum == checksum_of(table.words, table.numbers)

    wanted = data.draw(st.sets(st.sampled_from(list(rows)) | st.text(max_size=3)))
    part = read_word_vectors(path, wanted)
    assert part.n_dims == table.n_dims
    np.testing.assert_array_equal(part.vectors(sorted(wanted))[0], table.vectors(sorted(wanted))[0])
    assert all(word in wanted or word.lower() in wanted for word in part.words)


def read(tmp_path, content, name="t.txt", vocabulary=None):
    path = tmp_path / name
    path.write_bytes(content)
    return read_word_vectors(path, vocabulary)


class TestText:
    @pytest.mark.parametrize("word", [". . .", "at name@domain.com", "a\x85b", "a b", "x\u2028y", "1 2 3"])
    def test_words_with_spaces_and_odd_characters(self, tmp_path, word):
        content = f"the 1 2 3\n{word} 4 5 6\nof 7 8 9\n".encode()
        assert read(tmp_path, content).words == ["the", word, "of"]

    def test_ends_of_lines_of_windows_and_empty_last_lines(self, tmp_path):
        table = read(tmp_path, b"the 1 2\r\nof 3 4\r\n\r\n")
        assert table.words == ["the", "of"]
        assert table.numbers.tolist() == [[1, 2], [3, 4]]

    def test_word_that_is_not_utf8_does_not_stop_the_reading(self, tmp_path):
        assert read(tmp_path, b"the 1 2\n\xff\xfe 3 4\nof 5 6\n", vocabulary=["of"]).words == ["of"]

    def test_none_of_the_wanted_words_gives_an_empty_table_of_the_same_width(self, tmp_path):
        table = read(tmp_path, b"the 1 2\n", vocabulary=["gold"])
        assert (len(table), table.n_dims) == (0, 2)
        assert table.vectors(["gold"])[0].tolist() == [[0, 0]]

    def test_spellings_of_wanted_words_are_kept(self, tmp_path):
        table = read(tmp_path, b"IBM 1 0\nOf 0 1\nThe 3 4\n", vocabulary=["ibm", "Of"])
        assert table.words == ["IBM", "Of"]
        assert table.vectors(["ibm"])[0].tolist() == [[1, 0]]


class TestPair:
    def test_pair_is_read_from_disk_when_looked_up(self, tmp_path):
        np.save(tmp_path / "t.npy", np.array([[3, 4], [0, 2]], np.int8))
        (tmp_path / "t.txt").write_text("gold\nship\n", encoding="utf-8")
        table = read_word_vectors(tmp_path / "t.npy", ["ship"])
        assert isinstance(table.numbers, np.memmap)
        np.testing.assert_allclose(table.vectors(["gold", "ship"])[0], [[0.6, 0.8], [0, 1]], rtol=1e-6)

    def test_shipped_table_is_such_a_pair(self):
        assert read_word_vectors(FOLDER / "english.npy").checksum == english().checksum

    @pytest.mark.parametrize(
        "numbers", [np.zeros((3, 2)), np.zeros(2), np.zeros((2, 2), "U1")], ids=["rows", "flat", "text"]
    )
    def test_array_that_does_not_go_with_the_words(self, tmp_path, numbers):
        np.save(tmp_path / "t.npy", numbers)
        (tmp_path / "t.txt").write_text("gold\nship\n", encoding="utf-8")
        with pytest.raises(
            InputError, match=r"t\.npy has shape .* t\.txt has 2 words: the array should have a row"
        ):
            read_word_vectors(tmp_path / "t.npy")

    def test_array_of_python_objects_is_refused(self, tmp_path):
        np.save(tmp_path / "t.npy", np.array([[{}]]), allow_pickle=True)
        (tmp_path / "t.txt").write_text("gold\n", encoding="utf-8")
        with pytest.raises(InputError, match=r"t\.npy is not an array of numbers"):
            read_word_vectors(tmp_path / "t.npy")

    def test_words_in_another_encoding(self, tmp_path):
        np.save(tmp_path / "t.npy", np.zeros((1, 2)))
        (tmp_path / "t.txt").write_bytes("caf\xe9\n".encode("latin-1"))
        with pytest.raises(InputError, match=r"t\.txt is not in UTF-8"):
            read_word_vectors(tmp_path / "t.npy")

    def test_words_that_are_missing(self, tmp_path):
        np.save(tmp_path / "t.npy", np.zeros((3, 2)))
        with pytest.raises(InputError, match=r"t\.txt is not there"):
            read_word_vectors(tmp_path / "t.npy")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.txt", b"", r"t\.txt is not a table of word vectors: line 1 should be .* and is ''"),
        ("t.txt", b"hello\n", r"line 1 should be a word and its numbers, .* and is 'hello'"),
        ("t.txt", b"3 0\n", r"line 1 should be"),
        ("t.txt", b"2 999999999999\n", r"line 1 should be"),
        ("t.txt", b"the 1 2\nof 1\n", r"line 2: 1 numbers where 2 should be"),
        ("t.txt", b"the 1 2\nof 1 x\n", r"line 2: could not convert string to float: 'x'"),
        ("t.txt", b"2 2\nthe 1 2\nof 1 nan\n", r"line 3: the vector of 'of' is not finite"),
        ("t.txt", b"the 1 1e99\n", r"line 1: the vector of 'the' is not finite"),
        ("t.bin", b"the 1 2\n", r"t\.bin is not in word2vec's binary form"),
        ("t.bin", b"\x00" * 50_000, r"t\.bin is not in word2vec's binary form"),
        ("t.bin", b"2 2\nthe 12345678of 1234", r"t\.bin ends within word 2 of 2"),
        ("t.bin", b"2 2\nthe 12345678" + 50_000 * b"x", r"word 2: no end of the word"),
        (
            "t.bin",
            b"1 2\nthe " + struct.pack("<2f", 1, float("nan")),
            r"word 1: the vector of 'the' is not finite",
        ),
        ("t.txt.gz", gzip.compress(b"the 1 2\n" * 1000, mtime=0)[:-20], r"compressed and damaged"),
        ("t.txt.gz", b"\x1f\x8b garbage", r"compressed and damaged"),
        ("t.npy", b"garbage", r"t\.npy is not an array of numbers"),
        ("t.npy", b"", r"t\.npy is not an array of numbers"),
    ],
)
def test_bad_files_are_refused_in_one_sentence(tmp_path, name, content, message):
    with pytest.raises(InputError, match=message) as raised:
        read(tmp_path, content, name)
    assert "\n" not in str(raised.value)


def test_file_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match=r"none\.txt is not there: give the path"):
        read_word_vectors(tmp_path / "none.txt")


def test_folder_is_no_table(tmp_path):
    with pytest.raises(InputError, match=r"cannot be read: Is a directory"):
        read_word_vectors(tmp_path)
