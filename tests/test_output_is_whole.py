"""Output files appear only when complete: interrupts, full disks, closed pipes and folders that are read-only."""

from __future__ import annotations

import errno
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import bad_inputs
from seedtopic import InputError, cli
from seedtopic.base.files import atomic_file
from seedtopic.io import write
from seedtopic.io.write import write_rows

INTERRUPTED = "seedtopic: interrupted; no unfinished file was left behind.\n"
# An own handler of interrupts, because a parent without job control has its children ignore them.
MAIN = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from seedtopic.cli import main; {}main()"
)
LABEL = ("label", "docs.csv", "--seeds", "seeds.toml", "-o")
OUTPUTS = ["out.csv", "out.csv.gz", "out.jsonl", "out.parquet", "out.xlsx"]


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("docs.csv").write_text(bad_inputs.table(), encoding="utf-8")
    Path("seeds.toml").write_text(bad_inputs.SEEDS, encoding="utf-8")
    return tmp_path


def seedtopic(*arguments: str, first: str = "", **options: object) -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own, some statements before it."""
    command = [sys.executable, "-c", MAIN.format(first), *arguments]
    return subprocess.run(command, text=True, capture_output=True, timeout=120, check=False, **options)  # type: ignore[call-overload, no-any-return]


MOMENTS = [
    "seedtopic.cli.options.read_documents",
    "seedtopic.io.source.split_ending",  # reading documents
    "seedtopic.text.counts.tally_texts",  # counting words
    "seedtopic.learning.graph.neighbours.similarity_graph",
    "seedtopic.learning.topics.em.word_distributions",  # fitting
    "seedtopic.learning.signals.words.shares",
    "seedtopic.io.formats.delimited._cell",  # writing labels
    "os.fsync",  # and when all of them are written
]


@pytest.mark.parametrize("function", MOMENTS)
def test_an_interrupt_at_any_time_is_one_line_and_code_1(
    workplace: Path, function: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    Path("out.csv").write_text("of yesterday")
    before = sorted(os.listdir())
    monkeypatch.setattr(function, interrupted)
    assert cli.run([*LABEL, "out.csv", "--quiet"]) == 1
    monkeypatch.undo()
    assert capsys.readouterr() == ("", INTERRUPTED)
    assert (workplace / "out.csv").read_text() == "of yesterday"
    assert sorted(os.listdir(workplace)) == before


def interrupt_in(function: str) -> str:
    """Have an interrupt arrive when a function is called for the first time."""
    module, _, name = function.rpartition(".")
    return (
        f"import os, {module} as m; whole = m.{name}; "
        f"m.{name} = lambda *a, **k: (os.kill(os.getpid(), signal.SIGINT), whole(*a, **k))[1]; "
    )


@pytest.mark.slow
@pytest.mark.parametrize("function", ["seedtopic.cli.app.app", *MOMENTS])
def test_a_real_interrupt_at_any_time(workplace: Path, function: str) -> None:
    Path("out.csv").write_text("of yesterday")
    before = sorted(os.listdir())
    ended = seedtopic(*LABEL, "out.csv", "--quiet", first=interrupt_in(function))
    assert (ended.returncode, ended.stdout, ended.stderr) == (1, "", INTERRUPTED)
    assert Path("out.csv").read_text() == "of yesterday"
    assert sorted(os.listdir()) == before


@pytest.mark.slow
def test_an_interrupt_while_the_program_is_loading(workplace: Path) -> None:
    loading = (
        "import sys, os; finder = type('F', (), {'find_spec': staticmethod(lambda name, *_: "
        "os.kill(os.getpid(), signal.SIGINT) if name == 'seedtopic.cli.label' else None)}); "
        "sys.meta_path.insert(0, finder); "
    )
    ended = seedtopic(*LABEL, "out.csv", first=loading)
    assert (ended.returncode, ended.stderr) == (1, INTERRUPTED)


@pytest.mark.parametrize("output", OUTPUTS)
def test_a_full_disk_is_one_sentence_and_the_old_file_stays(
    workplace: Path, output: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """While labels are written the system lets no file grow beyond some bytes, as a full disk would not."""
    Path(output).write_bytes(b"of yesterday")
    before = sorted(os.listdir())
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    whole = write.labelled_rows

    def on_a_full_disk(*arguments: Any, **more: Any) -> Any:
        resource.setrlimit(resource.RLIMIT_FSIZE, (40, hard))
        return whole(*arguments, **more)

    monkeypatch.setattr(write, "labelled_rows", on_a_full_disk)
    try:
        assert cli.run([*LABEL, output, "--quiet"]) == 2
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    told = capsys.readouterr().err
    assert told.startswith(f"seedtopic: {output} could not be written (File too large): choose a folder")
    assert told.count("\n") == 1
    assert Path(output).read_bytes() == b"of yesterday"
    assert sorted(os.listdir()) == before


def fail_to_write(*_: object) -> None:
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize(
    "arguments",
    [
        ("explain", "model", "docs.csv", "--id", "t1", "-o", "out.html"),
        ("report", "model", "docs.csv", "-o", "out.html"),
        ("predict", "model", "docs.csv", "-o", "out.jsonl"),
        ("seeds", "check", "docs.csv", "--seeds", "seeds.toml", "--fix", "-o", "out.toml"),
        ("seeds", "suggest", "docs.csv", "--seeds", "seeds.toml", "--accept", "1", "-o", "out.json"),
    ],
    ids=lambda arguments: " ".join(arguments[:2]),
)
def test_every_file_is_written_whole_or_not_at_all(
    workplace: Path,
    arguments: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert (
        cli.run(["fit", "docs.csv", "--seeds", "seeds.toml", "-o", "model", "-q", "--set", "max_iter=1"]) == 0
    )
    output = Path(arguments[-1])
    output.write_text("of yesterday")
    before = sorted(os.listdir())
    monkeypatch.setattr("seedtopic.base.files.os.fsync", fail_to_write)
    capsys.readouterr()
    assert cli.run([*arguments, "--quiet"]) == 2
    assert f"{output} could not be written (No space left on device): " in capsys.readouterr().err
    assert output.read_text() == "of yesterday"
    assert sorted(os.listdir()) == before


@pytest.mark.parametrize("command", ["label", "report"])
def test_a_folder_that_may_not_be_written_to(
    workplace: Path, command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (workplace / "closed").mkdir(mode=0o555)
    monkeypatch.setattr("seedtopic.base.files.os.access", lambda *_: False)  # which root may always
    output = ["-o", "closed/out.csv" if command == "label" else "closed/out.html"]
    first = ["docs.csv", "--seeds", "seeds.toml"] if command == "label" else ["model", "docs.csv"]
    assert cli.run([command, *first, *output]) == 2
    assert capsys.readouterr().err == (
        f"seedtopic: the folder closed is not writable: choose another for {Path(output[1]).name}\n"
    )


@pytest.mark.slow
def test_a_reader_that_has_gone(workplace: Path) -> None:
    """As in  seedtopic label ... | head -1, where head ends before all is written."""
    read, write = os.pipe()
    os.close(read)
    ended = subprocess.run(
        [sys.executable, "-c", MAIN.format(""), *LABEL, "-", "--quiet"],
        stdout=write, stderr=subprocess.PIPE, text=True, timeout=120, check=False,
    )  # fmt: skip
    os.close(write)
    assert (ended.returncode, ended.stderr) == (1, "")


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [(*LABEL, "-", "--quiet"), (*LABEL, "out.csv", "--json", "--quiet")],
    ids=["labels", "summary"],
)
def test_standard_output_on_a_full_disk(workplace: Path, arguments: tuple[str, ...]) -> None:
    with open("/dev/full", "w") as full:
        ended = subprocess.run(
            [sys.executable, "-c", MAIN.format(""), *arguments],
            stdout=full, stderr=subprocess.PIPE, text=True, timeout=120, check=False,
        )  # fmt: skip
    assert ended.returncode == 2
    assert ended.stderr.startswith(
        "seedtopic: standard output could not be written (No space left on device)"
    )
    assert ended.stderr.count("\n") == 1


def test_closed_streams(
    workplace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert cli.run(["label", "-", "--seeds", "seeds.toml", "-o", "out.csv"]) == 2
    assert "standard input is closed: name a file" in capsys.readouterr().err
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", None)
        assert cli.run([*LABEL, "-"]) == 2
        assert cli.run([*LABEL, "out.csv"]) == 0
    assert "standard output is closed: name a file" in capsys.readouterr().err
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", None)
        assert cli.run([*LABEL, "out.csv"]) == 0
    assert "labels written to" in capsys.readouterr().out


def test_half_a_character_cannot_be_written_and_nothing_is_left(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"could not be written as UTF-8 because of '\\ud83d'"):
        write_rows(tmp_path / "out.csv", [{"text": "\ud83d"}], ["text"])
    assert os.listdir(tmp_path) == []


def test_a_disk_that_may_only_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def read_only(*arguments: Any, **options: Any) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    (tmp_path / "kept.txt").write_text("as it was", encoding="utf-8")
    with atomic_file(tmp_path / "kept.txt") as file:
        killed = Path(file.name.replace(".tmp", "0.tmp"))
    killed.write_text("left by a process that was killed", encoding="utf-8")
    monkeypatch.setattr(Path, "open", read_only)
    monkeypatch.setattr(Path, "unlink", read_only)  # which is refused even where there is nothing
    with pytest.raises(InputError, match="Read-only file system"), atomic_file(tmp_path / "kept.txt"):
        pytest.fail("there is no file to write to")


def test_a_model_that_cannot_be_written_is_told_before_any_work(
    workplace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("os.access", lambda path, mode: mode != os.W_OK)
    assert cli.run(["fit", "missing.csv", "--seeds", "missing.toml", "-o", "new/model"]) == 2
    assert f"the folder {workplace} is not writable" in capsys.readouterr().err
