"""What other packages add: found when it is asked for, and missed with one sentence that says how to get it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import seedtopic

# Nothing is installed beside the package: no entry points, and lab/ cannot be imported.
ALONE = """
import pathlib, sys

class WithoutLab:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "seedtopic_lab":
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, WithoutLab())
pathlib.Path.glob = lambda folder, pattern: iter(())
"""
SENTENCE = (
    "needs seedtopic_lab, which is not installed: run  pip install ./lab  in a checkout of the repository"
)


def alone(code: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", ALONE + code], cwd=folder, capture_output=True, text=True, check=False
    )


def command(line: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    return alone(f"import seedtopic.cli\nsys.exit(seedtopic.cli.run({line.split()!r}))", folder)


@pytest.mark.parametrize("name", ["STM", "PLDNB", "MedLDA", "WeSTClass"])
def test_a_model_of_lab_says_how_to_get_it(name: str) -> None:
    done = alone(f"import seedtopic\ntry: seedtopic.{name}\nexcept ImportError as error: print(error)")
    assert done.stdout == f"{name} {SENTENCE}\n", done.stderr


def test_a_saved_model_of_lab_says_how_to_get_it(tmp_path: Path) -> None:
    model = seedtopic.STM({"sports": ["goal"], "money": ["bank"]}, n_sweeps=2, random_state=0)
    model.fit(["a late goal", "my bank account"]).save(tmp_path / "model")
    done = alone(
        f"import seedtopic\ntry: seedtopic.load({str(tmp_path / 'model')!r})\n"
        "except ImportError as error: print(error)"
    )
    assert done.stdout == f"STM {SENTENCE}\n", done.stderr


def test_a_command_says_how_to_get_lab(tmp_path: Path) -> None:
    (tmp_path / "docs.txt").write_text("a late goal\nmy bank account\n", encoding="utf-8")
    (tmp_path / "seeds.toml").write_text('sports = ["goal"]\nmoney = ["bank"]\n', encoding="utf-8")
    for line, what in (
        ("label docs.txt --seeds seeds.toml --model pldnb -o out.csv", "PLDNB"),
        ("reproduce table6", "reproduce"),
    ):
        done = command(line, tmp_path)
        assert (done.returncode, done.stdout, done.stderr) == (2, "", f"seedtopic: {what} {SENTENCE}\n")
    assert not (tmp_path / "out.csv").exists()


def test_a_command_that_nobody_has_is_no_command() -> None:
    done = command("reprodce table6")
    assert done.returncode == 2
    assert "No such command 'reprodce'" in done.stderr


def test_the_help_lists_what_is_installed() -> None:
    done = command("--help")
    assert done.returncode == 0, done.stderr
    assert "discover" in done.stdout
    assert "reproduce" not in done.stdout


def test_entry_points_are_looked_for_when_they_are_asked_for() -> None:
    refused = "def asked(folder, pattern): raise AssertionError(pattern)\npathlib.Path.glob = asked\n"
    done = alone(
        f"{refused}import seedtopic, seedtopic.model, seedtopic.cli.app\n"
        "print(seedtopic.WSPTM.__name__, hasattr(seedtopic, 'nothing'), *seedtopic.model.MODELS)"
    )
    assert done.stdout == "WSPTM False SeedTopicClassifier WSPTM LapSWTM STM PLDNB WeSTClass MedLDA\n", (
        done.stderr
    )
