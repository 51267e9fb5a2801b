"""Nothing that can run code is written or read: no pickle, nor what pickles without saying so."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import seedtopic

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
