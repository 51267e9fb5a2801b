"""What the FAQ and the page on installation promise: safe models, no network, few dependencies."""

from __future__ import annotations

import ast
import re
import socket
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

from seedtopic import InputError, SeedTopicClassifier, load

ROOT = Path(__file__).parents[1]
OF_THE_PROJECT = (
    "test",
    "test-light",
    "test-tools",
    "dev",
    "docs",
)  # extras that no user of the package needs


def test_a_model_folder_that_holds_code_is_refused(
    tmp_path: Path, toy_texts: list[str], toy_seeds: dict[str, list[str]]
) -> None:
    folder = tmp_path / "model"
    SeedTopicClassifier(toy_seeds, random_state=0).fit(toy_texts).save(folder)
    ran = tmp_path / "ran"

    class Trap:
        def __reduce__(self) -> tuple[object, ...]:
            return Path.touch, (ran,)

    arrays = dict(np.load(folder / "arrays.npz"))
    arrays["coef_"] = np.array([Trap()], dtype=object)
    np.savez(folder / "arrays.npz", **arrays)  # which pickles what it cannot write otherwise
    with pytest.raises(InputError, match="damaged"):
        load(folder)
    assert not ran.exists()


def test_nothing_is_fetched_from_the_network(
    toy_texts: list[str], toy_seeds: dict[str, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*address: object) -> None:
        raise AssertionError(f"a connection to {address} was asked for")

    monkeypatch.setattr(socket.socket, "connect", refused)
    monkeypatch.setattr(socket, "getaddrinfo", refused)
    model = SeedTopicClassifier(toy_seeds, random_state=0).fit(toy_texts)
    assert len(model.predict(toy_texts)) == len(toy_texts)


def test_few_dependencies() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names = {re.split(r"[<>=]", requirement)[0] for requirement in project["dependencies"]}
    assert names == {"numpy", "scipy", "scikit-learn", "typer", "rich", "tomlkit"}


def test_the_page_names_the_dependencies() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names = {re.split(r"[<>=]", requirement)[0] for requirement in project["dependencies"]}
    listed = re.search(r"depends on (.+?);", (ROOT / "docs" / "install.md").read_text("utf-8"), re.S)
    assert listed
    assert set(re.split(r",\s+|\s+and\s+", listed[1])) == names


def test_extras_that_errors_name_are_there() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = {
        argument.value
        for path in (ROOT / "src").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "MissingExtraError"
        for argument in node.args[-1:]
        if isinstance(argument, ast.Constant)
    }
    assert {"studio"} <= named <= set(project["optional-dependencies"])


def test_what_is_imported_is_declared() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = {
        name: needs for name, needs in project["optional-dependencies"].items() if name not in OF_THE_PROJECT
    }
    declared = {
        re.split(r"[<>=]", requirement)[0].replace("-", "_")
        for requirement in sum(extras.values(), project["dependencies"])
    }
    imported = set()
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {name.name.partition(".")[0] for name in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                imported.add(node.module.partition(".")[0])
    others = imported - sys.stdlib_module_names - {"seedtopic"}
    assert {"scikit_learn" if name == "sklearn" else name for name in others} <= declared
