"""A model is replaced as a whole or not at all: full disks, folders that may not be written to, kills."""

from __future__ import annotations

import errno
import os
import resource
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import seedtopic
from rights import without_rights
from seedtopic import PLDNB, InputError
from seedtopic.base import files as base_files
from seedtopic.base.files import (
    LEFT_BEHIND,
    atomic_file,
    atomic_folder,
    remove_left_behind,
    standing,
    unfinished,
)

OLD, NEW = {"a": ["game"], "b": ["bank"]}, {"c": ["goal"], "d": ["loan"]}
TEXTS = ["game team goal", "goal game", "bank loan", "loan rate bank"]


def fitted(seeds: dict[str, list[str]]) -> PLDNB:
    return PLDNB(seeds).fit(TEXTS)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    fitted(OLD).save(tmp_path / "model")
    return tmp_path / "model"


def classes(folder: Path) -> list[str]:
    return seedtopic.load(folder).classes_.tolist()


@contextmanager
def no_file_longer_than(n_bytes: int) -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("limit", [0, 10, 300, 1000])
def test_a_file_that_cannot_grow_leaves_the_old_model(folder: Path, limit: int) -> None:
    model = fitted(NEW)
    with no_file_longer_than(limit), pytest.raises(InputError, match=r"cannot be written \(File too large\)"):
        model.save(folder)
    assert classes(folder) == ["a", "b"]
    assert [path.name for path in folder.parent.iterdir()] == ["model"]


@pytest.mark.parametrize("step", ["write", "fsync", "rename aside", "rename"])
def test_a_full_disk_at_any_step_leaves_the_old_model(
    folder: Path, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = fitted(NEW)

    def full(*arguments: object, **named: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    if step == "write":
        monkeypatch.setattr(Path, "write_bytes", full)
    elif step == "fsync":
        monkeypatch.setattr(os, "fsync", full)
    else:
        rename, is_new = Path.rename, step == "rename"
        monkeypatch.setattr(
            Path, "rename", lambda self, to: full() if (self.suffix == ".tmp") == is_new else rename(self, to)
        )
    with pytest.raises(InputError, match="No space left on device"):
        model.save(folder)
    monkeypatch.undo()
    assert classes(folder) == ["a", "b"]
    assert [path.name for path in folder.parent.iterdir()] == ["model"]


def test_folders_made_for_a_model_that_could_not_be_written_go_again(tmp_path: Path) -> None:
    with no_file_longer_than(10), pytest.raises(InputError):
        fitted(NEW).save(tmp_path / "a" / "b" / "model")
    assert list(tmp_path.iterdir()) == []
    fitted(NEW).save(tmp_path / "a" / "b" / "model")
    assert classes(tmp_path / "a" / "b" / "model") == ["c", "d"]


def test_a_folder_that_may_not_be_written_to(folder: Path) -> None:
    folder.parent.chmod(0o555)
    with (
        without_rights(),
        pytest.raises(InputError, match="Permission denied"),
        atomic_folder(folder),
    ):
        pass
    folder.parent.chmod(0o755)
    assert classes(folder) == ["a", "b"]


def test_what_stands_in_place_is_replaced_through_links_with_its_mode(folder: Path) -> None:
    folder.chmod(0o750)
    link = folder.with_name("latest")
    link.symlink_to(folder)
    fitted(NEW).save(link)
    assert link.is_symlink()
    assert classes(folder) == classes(link) == ["c", "d"]
    assert folder.stat().st_mode & 0o777 == 0o750
    assert sorted(path.name for path in folder.parent.iterdir()) == ["latest", "model"]


def _run(script: str) -> subprocess.CompletedProcess[str]:
    top = "from pathlib import Path\nfrom seedtopic.base.files import *\nfrom seedtopic.base.errors import InputError\n"
    return subprocess.run(
        [sys.executable, "-c", top + textwrap.dedent(script)], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("moment", range(6))
def test_killed_at_every_step_either_the_old_or_the_new_folder_stands(tmp_path: Path, moment: int) -> None:
    """Each rename and removal is a moment; the process kills itself before it."""
    place = tmp_path / "model"
    place.mkdir()
    (place / "note").write_text("old")
    script = f"""
        import os, shutil, signal
        left = [{moment}]
        def watched(step):
            def steps(*arguments, **named):
                if left[0] == 0:
                    os.kill(os.getpid(), signal.SIGKILL)
                left[0] -= 1
                return step(*arguments, **named)
            return steps
        Path.rename = watched(Path.rename)
        shutil.rmtree = watched(shutil.rmtree)
        with atomic_folder(Path({str(place)!r})) as folder:
            (folder / "note").write_text("new")
        print("done")
    """
    ended = _run(script)
    assert ended.returncode == -signal.SIGKILL or ended.stdout == "done\n"
    assert (standing(place) / "note").read_text() in ("old", "new")
    with atomic_folder(place) as folder:
        (folder / "note").write_text("newest")
    assert (standing(place) / "note").read_text() == "newest"
    assert place.is_dir()
    assert not place.with_name(".model.seedtopic-old").exists()


def test_a_model_set_aside_by_a_killed_process_is_found(folder: Path) -> None:
    folder.rename(folder.with_name(".model.seedtopic-old"))
    assert classes(folder) == ["a", "b"]
    fitted(NEW).save(folder)
    assert classes(folder) == ["c", "d"]
    assert [path.name for path in folder.parent.iterdir()] == ["model"]


def test_everything_is_on_the_disk_before_the_new_folder_takes_its_place(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    sync, rename = os.fsync, Path.rename

    def noted(descriptor: int) -> None:
        done.append(Path(os.readlink(f"/proc/self/fd/{descriptor}")).name)
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", noted)
    monkeypatch.setattr(Path, "rename", lambda self, to: done.append("rename") or rename(self, to))
    fitted(NEW).save(folder)
    before = done[: done.index("rename")]
    assert {"model.json", "arrays.npz", "vocabulary.txt", "README.md"} < set(before)
    assert before[-1].endswith(".tmp")
    assert done[-1] == folder.parent.name


def test_the_number_of_threads_may_be_one_of_numpy(folder: Path) -> None:
    PLDNB(OLD, n_threads=np.int64(1)).fit(TEXTS).save(folder)
    assert type(seedtopic.load(folder).n_threads) is int


def test_the_random_state_is_kept_where_it_is_a_number(folder: Path) -> None:
    for state, kept in ((7, 7), (np.int64(7), 7), (np.random.RandomState(7), None), (None, None)):
        PLDNB(OLD, random_state=state).fit(TEXTS).save(folder)
        assert seedtopic.load(folder).random_state == kept


KILLED = """
    import os, signal
    from seedtopic.base.files import atomic_file
    with atomic_folder(Path("PLACE/model")) as folder, atomic_file("PLACE/labels.csv") as file:
        (folder / "model.json").write_text("half")
        os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_killed_processes_left_is_removed_when_the_same_is_written_again(tmp_path: Path) -> None:
    assert _run(KILLED.replace("PLACE", str(tmp_path))).returncode == -signal.SIGKILL
    assert len(list(tmp_path.glob(LEFT_BEHIND))) == 2
    unfinished(tmp_path / "another")
    assert len(list(tmp_path.glob(LEFT_BEHIND))) == 2
    unfinished(tmp_path / "model")
    unfinished(tmp_path / "labels.csv")
    assert not list(tmp_path.iterdir())


def test_what_others_write_stays_even_if_their_process_cannot_be_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def not_there(process: int, number: int) -> None:  # as for a process in another container
        raise ProcessLookupError(errno.ESRCH, os.strerror(errno.ESRCH))

    monkeypatch.setattr(os, "kill", not_there)
    with (
        atomic_folder(tmp_path / "model") as folder,
        atomic_file(tmp_path / "labels.csv", "w") as file,
    ):
        (folder / "note").write_text("whole")
        file.write("whole")
        unfinished(tmp_path / "model")
        unfinished(tmp_path / "labels.csv")
        remove_left_behind(tmp_path)
    assert (tmp_path / "model" / "note").read_text() == "whole"
    assert (tmp_path / "labels.csv").read_text() == "whole"


@pytest.mark.parametrize("held_by_another", [True, False])
def test_what_is_taken_for_left_behind_as_it_is_made_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, held_by_another: bool
) -> None:
    lock, places = base_files.lock, []

    def late(descriptor: int) -> None:
        if len(places) < 2:  # another is faster: it has the lock, or has removed the file already
            places.append(*tmp_path.glob(LEFT_BEHIND))
            places[-1].unlink()
            if held_by_another:
                raise BlockingIOError(errno.EWOULDBLOCK, os.strerror(errno.EWOULDBLOCK))
        lock(descriptor)

    monkeypatch.setattr("seedtopic.base.files.lock", late)
    with atomic_file(tmp_path / "labels.csv", "w") as file:
        file.write("whole")
    assert len(set(places)) == 2
    assert (tmp_path / "labels.csv").read_text() == "whole"
    assert [path.name for path in tmp_path.iterdir()] == ["labels.csv"]


def test_what_may_not_be_removed_is_left_alone(tmp_path: Path) -> None:
    left = unfinished(tmp_path / "model")
    left.write_text("of another user, in a folder that all may write to")
    tmp_path.chmod(0o555)
    with without_rights():
        assert unfinished(tmp_path / "model").parent == tmp_path
        assert left.exists()
    tmp_path.chmod(0o755)


def test_a_folder_that_was_made_stays_where_another_has_put_something(tmp_path: Path) -> None:
    def cut_off() -> None:
        with atomic_folder(tmp_path / "new" / "model"):
            (tmp_path / "new" / "other").mkdir()
            raise KeyError

    with pytest.raises(KeyError):
        cut_off()
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["other"]
