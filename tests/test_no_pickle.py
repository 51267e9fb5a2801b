"""Nothing that can run code is written or read: no pickle, nor what pickles without saying so."""

from __future__ import annotations

import ast
from array import array
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import seedtopic
from seedtopic.text.counting.tally import Tally, read_tally, write_tally
from seedtopic.text.counting.wire import read_numbers, read_strings, write_numbers, write_strings

SOURCE = Path(seedtopic.__file__).parent
FORBIDDEN = {"pickle", "_pickle", "cPickle", "cloudpickle", "dill", "joblib", "marshal", "shelve"}


def offences(tree: ast.AST) -> list[str]:
    """Name what unpickles: modules that do, and `load` of numpy unless it is told not to."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names if alias.name.split(".")[0] in FORBIDDEN]
        elif isinstance(node, ast.ImportFrom):
            found += [node.module] if (node.module or "").split(".")[0] in FORBIDDEN else []
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("np.load", "np.save", "np.savez"):
            told = {word.arg: ast.unparse(word.value) for word in node.keywords}
            found += [] if told.get("allow_pickle") == "False" else [ast.unparse(node.func)]
    return found


def test_the_source_does_not_unpickle() -> None:
    files = sorted(SOURCE.rglob("*.py"))
    assert len(files) > 100
    found = {str(path.relative_to(SOURCE)): offences(ast.parse(path.read_text("utf-8"))) for path in files}
    assert {name: names for name, names in found.items() if names} == {}


@pytest.mark.parametrize(
    "line", ["import pickle", "from joblib import load", "import dill.source", "np.load(file)"]
)
def test_an_offence_is_seen(line: str) -> None:
    assert offences(ast.parse(line))


strings = st.lists(st.text(st.characters()))  # lone surrogates too


@given(strings, strings)
def test_strings_survive_the_wire(first: list[str], second: list[str]) -> None:
    file = BytesIO()
    write_strings(file, first)
    write_strings(file, second)
    file.seek(0)
    assert read_strings(file) == first
    assert read_strings(file) == second
    with pytest.raises(EOFError):
        read_strings(file)


@given(strings, st.lists(st.integers(0, 2**31 - 1)))
def test_a_tally_survives_the_wire_and_a_cut_one_is_no_tally(words: list[str], numbers: list[int]) -> None:
    found = Tally(words, *(array("i", numbers[start:]) for start in range(3)))
    file = BytesIO()
    write_tally(file, found)
    whole = file.getvalue()
    assert read_tally(BytesIO(whole)) == found
    with pytest.raises(EOFError):
        read_tally(BytesIO(whole[:-1]))


def test_numbers_survive_the_wire() -> None:
    file = BytesIO()
    write_numbers(file, array("q", [-1, 2**62]))
    file.seek(0)
    assert read_numbers(file, "q").tolist() == [-1, 2**62]
