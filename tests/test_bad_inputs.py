"""Every bad input with every command, each with its exit code, its sentence, and nothing left behind."""

from __future__ import annotations

import csv
import os
import re
import shutil
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bad_inputs
from bad_inputs import (
    CALLS,
    COMMANDS,
    DOCUMENTS,
    OF_SEEDS,
    REFUSED,
    ROWS,
    SEED_FILES,
    SEEDS,
    VALUES,
    WARNED,
    Bad,
    Value,
)  # fmt: skip
from rights import without_rights
from seedtopic import InputError, Report, Seeds, SeedTopicClassifier, SeedWarning, UnusableDocuments, cli
from seedtopic.io.formats.delimited import huge_cells

QUICK = ("--set", "max_iter=2", "--set", "self_training_rounds=0", "--set", "n_background=2")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("fitted")
    docs, seeds, path = folder / "docs.csv", folder / "seeds.toml", folder / "model"
    docs.write_text(bad_inputs.table(), encoding="utf-8")
    seeds.write_text(SEEDS, encoding="utf-8")
    arguments = arguments_of("fit", str(docs), str(seeds), "", "", str(path))
    assert cli.run([*arguments, "--quiet", "--learn-on"]) == 0
    return str(path)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in."""
    (tmp_path / "seeds.toml").write_text(SEEDS, encoding="utf-8")
    (tmp_path / "docs.csv").write_text(bad_inputs.table(), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def arguments_of(command: str, docs: str, seeds: str, model: str, id: str, output: str) -> list[str]:
    return {
        "label": ["label", docs, "--seeds", seeds, "-o", f"{output}.csv", *QUICK],
        "fit": ["fit", docs, "--seeds", seeds, "-o", output, *QUICK],
        "update": ["update", model, docs, "-o", output],
        "predict": ["predict", model, docs, "-o", f"{output}.csv"],
        "evaluate": ["evaluate", model, docs],
        "audit": ["audit", model, docs, "-o", f"{output}.csv"],
        "discover": ["discover", model, docs, "-o", f"{output}.toml"],
        "explain": ["explain", model, docs, "--id", id, "-o", f"{output}.html"],
        "report": ["report", model, docs, "-o", f"{output}.html"],
        "seeds check": ["seeds", "check", docs, "--seeds", seeds, "--fix", "-o", f"{output}.toml"],
        "seeds suggest": [
            "seeds",
            "suggest",
            docs,
            "--seeds",
            seeds,
            "--accept",
            "1",
            "-o",
            f"{output}.toml",
        ],
    }[command]


def cases(inputs: list[Bad], commands: tuple[str, ...]) -> list[object]:
    return [
        pytest.param(bad, command, id=f"{command}-{bad.name}", marks=[pytest.mark.slow] if bad.slow else [])
        for bad in inputs
        for command in commands
    ]


def check(
    bad: Bad, arguments: list[str], code: int, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Run a command and check its exit code, what it says and what it leaves."""
    before = set(os.listdir(folder))
    capsys.readouterr()
    with without_rights() if bad.rights else nullcontext():
        assert cli.run([*arguments, *bad.options]) == code
    told = capsys.readouterr()
    assert not re.search(r"Traceback|unexpected \w+: |Warning", told.err)
    assert all(line.startswith("seedtopic: ") and len(line) < 3_000 for line in told.err.splitlines())
    if code != 0:
        assert re.search(bad.says, told.err)
    left = {name for name in os.listdir(folder) if name not in before}
    if code == 2:
        assert told.out == ""
        assert left == set()
    else:
        assert all(name.startswith("out") for name in left)


@pytest.mark.parametrize(("bad", "command"), cases(DOCUMENTS, COMMANDS))
def test_documents(
    bad: Bad, command: str, model: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = arguments_of(command, str(bad.make(folder)), "seeds.toml", model, bad.id, "out")
    code = bad.code(command)
    check(bad, arguments, code, folder, capsys)
    if command in ("label", "predict") and code != 2:
        encoding = {"latin-1 with `--encoding latin-1`": "latin-1", "UTF-16 with a byte order mark": "utf-16"}
        with huge_cells(), open("out.csv", newline="", encoding=encoding.get(bad.name, "utf-8")) as file:
            rows = list(csv.DictReader(file))
        assert len(rows) == (bad.rows or (1 if bad.name == "one document" else len(ROWS)))
        labelled = [row["predicted"] in ("sports", "money") for row in rows]
        assert sum(labelled) == (len(rows) if bad.labelled is None else bad.labelled)
        assert [row["predicted"] == "" for row in rows] == [not known for known in labelled]
    if code == 3 and (command == "label" or bad.name == "a JSON line that is broken"):
        for name in [name for name in os.listdir(folder) if name.startswith("out")]:
            shutil.rmtree(name) if os.path.isdir(name) else os.unlink(name)
        check(bad_in_strict_mode(bad), [*arguments, "--strict"], 2, folder, capsys)


def bad_in_strict_mode(bad: Bad) -> Bad:
    return replace(bad, codes=2, says=r"\S: .*")


@pytest.mark.parametrize(("bad", "command"), cases(SEED_FILES, OF_SEEDS))
def test_seeds_files(
    bad: Bad, command: str, model: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = arguments_of(command, "docs.csv", str(bad.make(folder)), model, "t1", "out")
    check(bad, arguments, bad.code(command), folder, capsys)


@pytest.fixture(scope="module")
def calls() -> dict[str, Callable[[Any], object]]:
    seeds = Seeds({"sports": ["game", "player"], "money": ["bank", "stock"]})

    def new() -> SeedTopicClassifier:
        return SeedTopicClassifier(seeds, random_state=0, max_iter=1, self_training_rounds=0, n_background=2)

    fitted = new().partial_fit(bad_inputs.TEXTS)
    return {
        "fit": lambda X: new().fit(X).label_distributions_,
        "partial_fit": lambda X: new().partial_fit(X).label_distributions_,
        "predict": fitted.predict_proba,
        "Seeds.check": seeds.check,
        "Seeds.suggest": seeds.suggest,
        "Report.of": lambda X: Report.of(fitted, X),
    }


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("value", VALUES, ids=lambda value: value.name)
def test_values_in_python(value: Value, call: str, calls: dict[str, Callable[[Any], object]]) -> None:
    run, outcome = calls[call], value.of(call)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SeedWarning)
        if outcome == REFUSED:
            with pytest.raises(InputError, match=value.says):
                run(value.make())
        elif outcome == WARNED:
            with pytest.warns(UnusableDocuments, match=value.says):
                run(value.make())
        else:
            found = run(value.make())
            assert not isinstance(found, np.ndarray) or np.isfinite(found).all()


def test_the_page_is_what_is_tested() -> None:
    page = Path(__file__).parents[1] / "docs" / "bad-inputs.md"
    assert page.read_text(encoding="utf-8") == bad_inputs.page(), "run  python tests/bad_inputs.py"
