"""Every row of docs/what-people-ask-for.md names a test that is there and pages that are there."""

from __future__ import annotations

import re
import socket
import tomllib
from pathlib import Path

import numpy as np
import pytest

from seedtopic import InputError, SeedTopicClassifier, load

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "what-people-ask-for.md"
ROWS = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")][1:]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.split("|")[1].strip())
def test_every_row_has_its_test_and_its_pages(row: str) -> None:
    (named,) = re.findall(r"`(\w+\.py)::(\w+)`", row)
    assert f"def {named[1]}(" in (ROOT / "tests" / named[0]).read_text(encoding="utf-8")
    for link in re.findall(r"\]\(([^)]+)\)", row):
        assert (PAGE.parent / link).is_file(), link


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
    assert names == {"numpy", "scipy", "scikit-learn", "numba", "typer"}
