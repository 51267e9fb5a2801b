"""Calls of the system fail on purpose, one after the other: the old file or the new one is there, no other.

The slow tests go through every call of every command. Beside them, the power fails at every moment.
"""

from __future__ import annotations

import contextlib
import io
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

import bad_inputs
from faults import SHORT, WAYS, Disk, Faults
from seedtopic import PLDNB, WSPTM, InputError, Seeds, cli
from seedtopic.io.rows import Rows
from seedtopic.io.write import write_rows
from seedtopic.web.studio.documents import Collection
from seedtopic.web.studio.session import Session

OLD, NEW = {"a": ["game"], "b": ["bank"]}, {"c": ["goal"], "d": ["loan"]}
TEXTS = ["game team goal", "goal game", "bank loan", "loan rate bank"]
ALLOWED = (InputError, MemoryError, KeyboardInterrupt)  # how a call of the library may end
FOLDERS = ("model", "today")  # which are replaced as a whole
PROGRESS = ("work", "labelled/_seedtopic.finished", "labelled")  # from which the same command continues

Act = Callable[[Path], None]
Files = dict[str, bytes]


def files(folder: Path) -> Files:
    """Read all files of a folder; a folder that is empty counts as one."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b"(folder)"
        for path in sorted(folder.rglob("*"))
        if path.is_file() or not any(path.iterdir())
    }


def put(folder: Path, content: Files) -> None:
    """Have a folder hold these files and no others."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, written in content.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(written)


def shown(content: Files) -> Files:
    """Leave out what is removed when the same is written again."""
    return {name: written for name, written in content.items() if ".seedtopic-" not in name}


def units(content: Files) -> dict[str, Files]:
    """Sort files by what is replaced as a whole, without the notes of what is done."""
    found: dict[str, Files] = {}
    for name, written in content.items():
        top = name.split("/")[0]
        if name not in PROGRESS and top != "work":
            found.setdefault(top if top in FOLDERS else name, {})[name] = written
    return found


def is_whole(found: Files, old: Files, new: Files) -> bool:
    """Tell whether everything is as it was or as it should be, and nothing else is there."""
    found_units, was, becomes = units(found), units(old), units(new)
    names = {*found_units, *was, *becomes}
    return all(found_units.get(name) in (was.get(name), becomes.get(name)) for name in names)


def sweep(
    folder: Path, act: Act, *, ways: tuple[str, ...] = (*WAYS, SHORT), lasting: bool = False
) -> Counter[str]:
    """Have every call fail in every way; count what is there afterwards."""
    old = files(folder)
    with Faults(folder).made() as watched:
        act(folder)
    new, calls = files(folder), watched.calls
    assert old != new
    continues = any(name in PROGRESS or name.startswith("work") for name in {*new, *watched.touched})
    outcomes: Counter[str] = Counter()
    broken = []
    for way, at in ((way, at) for way in ways for at in range(len(calls))):
        if way == SHORT and calls[at] != "write":
            continue
        put(folder, old)
        ended = "done"
        with Faults(folder, at, way, lasting=lasting).made() as faults:
            try:
                act(folder)
            except ALLOWED as error:
                ended = type(error).__name__
        found = files(folder)
        kept = is_whole(found, old, new) or lasting  # for what is broken cannot be removed
        told = units(shown(found)) == units(new) or (ended != "done" and way != SHORT)
        if lasting or continues:
            act(folder)
            kept = kept and units(files(folder)) == units(new)
        if not (faults.happened and kept and told):
            before = " ".join(faults.calls[max(at - 5, 0) : at + 1])
            broken.append(f"{way} at {at}, {before}: {ended}, {[*found]}")
        outcomes["new" if units(found) == units(new) else "old"] += 1
    assert not broken, "\n".join([f"{len(broken)} of {outcomes.total()} broken", *broken[:20]])
    return outcomes


def saved(folder: Path) -> Act:
    PLDNB(OLD).fit(TEXTS).save(folder / "model")
    model = PLDNB(NEW).fit(TEXTS)
    return lambda folder: model.save(folder / "model")


def table(folder: Path) -> Act:
    (folder / "labels.csv").write_text("of yesterday")
    rows = [{"text": text, "label": "a"} for text in TEXTS]
    return lambda folder: write_rows(folder / "labels.csv", rows, ["text", "label"])


def workspace(folder: Path) -> Act:
    collection = Collection(Rows(texts=TEXTS, rows=[{"text": text} for text in TEXTS]), "toy")
    first = Session(collection, Seeds(OLD), folder / "toy.studio")
    first._save()
    first.close()

    def act(folder: Path) -> None:
        session = Session(collection, Seeds(OLD), folder / "toy.studio")
        try:
            if "team" not in repr(session.draft):
                session.edit({"action": "add_words", "category": "a", "words": ["team"]})
            if not session.saved:  # which the page shows
                raise InputError("not saved")
        finally:
            session.close()

    return act


def checkpoint(folder: Path) -> Act:
    def act(folder: Path) -> None:
        model = WSPTM(NEW, max_iter=2, random_state=0).fit(TEXTS, checkpoint=folder / "work")
        model.save(folder / "model")

    return act


STORIES = [saved, table, workspace, checkpoint]


@pytest.mark.parametrize("story", [saved, table, workspace], ids=lambda story: story.__name__)
def test_a_call_that_fails_leaves_the_old_or_the_new(story: Callable[[Path], Act], tmp_path: Path) -> None:
    outcomes = sweep(tmp_path, story(tmp_path), ways=(SHORT, "no space", "no memory"))
    assert min(outcomes["old"], outcomes["new"]) > 0


@pytest.mark.slow
@pytest.mark.parametrize("lasting", [False, True])
@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.__name__)
def test_every_call_fails_in_every_way(
    story: Callable[[Path], Act],
    lasting: bool,
    tmp_path: Path,
    record_property: Callable[[str, object], None],
) -> None:
    outcomes = sweep(tmp_path, story(tmp_path), lasting=lasting)
    record_property("faults", outcomes.total())
    assert outcomes["old"] > 0


def test_a_call_that_fails_leaves_no_new_folders(tmp_path: Path) -> None:
    model = PLDNB(NEW).fit(TEXTS)
    outcomes = sweep(tmp_path, lambda folder: model.save(folder / "today" / "model"), ways=("broken disk",))
    assert min(outcomes["old"], outcomes["new"]) > 0


def command(*arguments: str) -> Act:
    """Run a command: a failure is one sentence, and raised."""

    def act(folder: Path) -> None:
        said, shown = io.StringIO(), io.StringIO()
        with contextlib.chdir(folder), contextlib.redirect_stderr(said), contextlib.redirect_stdout(shown):
            code = cli.run([*arguments, "--quiet"])
        sentence = said.getvalue()
        assert code in (0, 1, 2)
        assert sentence.count("\n") == (code > 0), sentence
        assert "unexpected" not in sentence, sentence
        if code:
            raise InputError(sentence)

    return act


PREDICT = ("predict", "model", "docs.csv", "--workers", "1", "-o")
COMMANDS = [
    *((*PREDICT, f"out.{ending}") for ending in ("csv", "tsv.gz", "jsonl", "xlsx", "parquet")),
    ("predict", "model", "windows.csv", "--encoding", "cp1252", "--workers", "1", "-o", "out.csv"),
    (*PREDICT, "out.csv", "--drift", "drift.json"),
    ("predict", "model", "d*.csv", "--workers", "1", "-o", "labelled/"),
    ("predict", "model", "docs.csv", "--per", "sentence", "-o", "out.csv"),
    ("audit", "model", "docs.csv", "-n", "10", "-o", "to-check.csv"),
    ("next", "model", "docs.csv", "-o", "to-check.xlsx"),
    ("report", "model", "docs.csv", "-o", "out.html"),
    ("explain", "model", "docs.csv", "--id", "t1", "-o", "out.html"),
    ("seeds", "check", "docs.csv", "--seeds", "seeds.toml", "--fix", "-o", "out.toml"),
    ("seeds", "suggest", "docs.csv", "--seeds", "seeds.toml", "--accept", "1", "-o", "out.json"),
    ("convert", "docs.csv", "--seeds", "seeds.toml", "--to", "label-studio", "-o", "out.json"),
    ("label", "docs.csv", "--seeds", "seeds.toml", "--set", "max_iter=1", "-o", "out.csv"),
    ("fit", "docs.csv", "--seeds", "seeds.toml", "--model", "WSPTM", "--set", "max_iter=2", "-o", "today"),
]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Files:
    folder = tmp_path_factory.mktemp("place")
    for name in ("docs.csv", "dogs.csv"):
        (folder / name).write_text(bad_inputs.table(), encoding="utf-8")
    (folder / "windows.csv").write_text(bad_inputs.table().replace("goal", "g\xf6al"), encoding="cp1252")
    (folder / "seeds.toml").write_text(bad_inputs.SEEDS, encoding="utf-8")
    command("fit", "docs.csv", "--seeds", "seeds.toml", "-o", "model", "--model", "WSPTM")(folder)
    return files(folder)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # of generators that end
@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_every_call_of_a_command_fails_in_every_way(
    arguments: tuple[str, ...], tmp_path: Path, place: Files, record_property: Callable[[str, object], None]
) -> None:
    put(tmp_path / "here", place)
    outcomes = sweep(tmp_path / "here", command(*arguments))
    record_property("faults", outcomes.total())
    assert min(outcomes["old"], outcomes["new"]) > 0


def outlives_power_loss(folder: Path, act: Act) -> int:
    """Have the power fail at every moment; count what could be left."""
    old, disk = files(folder), Disk(folder)
    with Faults(folder, disk=disk).made():
        act(folder)
    new = files(folder)
    for state in disk.seen:
        aside = {name.replace(".model.seedtopic-old", "model"): state[name] for name in state}
        assert is_whole(shown(state), old, new) or is_whole(shown(aside), old, new), [*state]
    for state in disk.possible():  # and afterwards, nothing can be lost
        assert shown(state) == new
    return len(disk.seen)


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.__name__)
def test_a_loss_of_power_leaves_the_old_or_the_new(story: Callable[[Path], Act], tmp_path: Path) -> None:
    assert outlives_power_loss(tmp_path, story(tmp_path)) > 3


def test_a_loss_of_power_is_noticed(tmp_path: Path) -> None:
    """The simulation finds what a missing sync would do."""
    act = table(tmp_path)

    def careless(folder: Path) -> None:
        (folder / "new").write_text("not synced")
        (folder / "new").replace(folder / "labels.csv")

    with pytest.raises(AssertionError):
        outlives_power_loss(tmp_path, careless)
    assert outlives_power_loss(tmp_path, act) > 3
