from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from seedtopic import InputError
from seedtopic.text.counts import checked_counts, count_known, count_words, fingerprints, resolve_min_df
from seedtopic.text.tokens import stop_word_set, tokenize, words


def test_words_are_lower_case_runs_of_letters_and_digits_of_any_script() -> None:
    assert words("Crude-oil, 3pm; a_b x") == ["crude", "oil", "3pm"]
    assert words("Größe ПРИВЕТ 東京都 Ｆｕｌｌ") == [
        "größe",
        "привет",
        "東",
        "京",
        "都",
        "東京",
        "京都",
        "full",
    ]


def test_tokenize_names_the_document_that_is_no_text() -> None:
    with pytest.raises(InputError, match="document 1 is float"):
        list(tokenize(["fine", float("nan")]))  # type: ignore[list-item]


def test_own_tokenizer_is_used() -> None:
    assert list(tokenize(["a|b"], lambda text: text.split("|"))) == [["a", "b"]]


def test_stop_words() -> None:
    assert "the" in stop_word_set("english")
    assert stop_word_set(["Foo"]) == {"foo"}
    with pytest.raises(InputError, match="'klingon'"):
        stop_word_set("klingon")  # type: ignore[arg-type]


def test_rare_words_and_stop_words_go_but_seeds_stay() -> None:
    tokens = [["the", "rare", "oil"], ["the", "oil"], ["bill", "oil"]]
    counts = count_words(tokens, min_df=2, stop_words={"the", "bill"}, keep={"bill", "rare"})
    assert counts.vocabulary == ["bill", "oil", "rare"]
    assert counts.matrix.toarray().tolist() == [[0, 1, 1], [0, 1, 0], [1, 1, 0]]


def test_min_df_must_be_a_count() -> None:
    for wrong in (0, -1, 0.5, True, "many"):
        with pytest.raises(InputError, match="min_df"):
            resolve_min_df(wrong, 10)  # type: ignore[arg-type]


@given(st.lists(st.lists(st.sampled_from(["oil", "gold", "ship"]), max_size=6), min_size=1, max_size=8))
def test_counts_add_up_and_known_words_are_counted_alike(documents: list[list[str]]) -> None:
    counts = count_words(documents, min_df=1)
    assert counts.matrix.sum() == sum(map(len, documents))
    again = count_known(documents, counts.vocabulary)
    assert (again.matrix != counts.matrix).nnz == 0


@given(st.permutations(range(6)))
def test_the_order_by_fingerprints_depends_on_content_alone(permutation: list[int]) -> None:
    matrix = sp.csr_array(np.random.default_rng(3).integers(0, 3, (6, 5)).astype(np.float32))
    shuffled = matrix[permutation]
    a, b = (some[np.argsort(fingerprints(some), kind="stable")] for some in (matrix, shuffled))
    assert np.array_equal(a.toarray(), b.toarray())


@pytest.mark.parametrize(
    ("matrix", "vocabulary", "message"),
    [
        ([[1.0, -2.0]], None, "Negative"),
        ([[1.0, np.nan]], None, "NaN"),
        ([[1.0, np.inf]], None, "infinity"),
        ([[1.0, 2.0]], ["one"], "1 word but the matrix has 2 columns"),
        ([[1.0, 2.0]], ["same", "same"], "twice"),
    ],
)
def test_wrong_counts_are_refused(
    matrix: list[list[float]], vocabulary: list[str] | None, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        checked_counts(np.array(matrix), vocabulary)
