"""A fit that ends before its time goes on from its checkpoint and ends as if nothing had happened."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from seedtopic import STM, WSPTM, InputError, LapSWTM, SeedTopicClassifier, WeSTClass
from seedtopic.base.checkpoint import NO_CHECKPOINT, CheckpointFolder, fingerprint
from seedtopic.base.files import atomic_file
from seedtopic.cli import run
from seedtopic.cli.demo import docstring_seeds, load_docstrings
from seedtopic.model import PLDNB

SEEDS = {"sports": ["game", "team"], "money": ["bank", "rate"]}
WORDS = ["game", "team", "goal", "won", "bank", "rate", "cut", "loan", "day", "week"]
TEXTS = [" ".join(random.Random(n).choices(WORDS, k=8)) for n in range(40)]
MODELS = {
    "SeedTopicClassifier": lambda: SeedTopicClassifier(SEEDS, random_state=0, max_iter=6, none_label="other"),
    "mixture": lambda: SeedTopicClassifier(SEEDS, random_state=0, max_iter=6, mixture=True),
    "WSPTM": lambda: WSPTM(SEEDS, random_state=0, max_iter=6, track_objective=True),
    "LapSWTM": lambda: LapSWTM(SEEDS, random_state=0, max_iter=6),
    "STM": lambda: STM(SEEDS, random_state=0, n_sweeps=6),
    "PLDNB": lambda: PLDNB(SEEDS),
    "WeSTClass": lambda: WeSTClass(
        SEEDS, random_state=0, embedding_epochs=2, n_pseudo_documents=20, pretrain_epochs=3, max_batches=4,
        update_interval=1, batch_size=16, delta=0.0,
    ),
}  # fmt: skip


class PulledPlugError(Exception):
    """What ends the fit in these tests."""


class Plug:
    """Ends a fit at the n-th time that it tells its progress."""

    def __init__(self, calls: int) -> None:
        self.calls = calls

    def __call__(self, stage: str, done: int, total: int) -> None:
        self.calls -= 1
        if self.calls < 0:
            raise PulledPlugError


def learned(model):
    return {name: np.asarray(array) for name, array in model.fitted_.arrays().items()}


def assert_same(model, other):
    for name, array in learned(model).items():
        np.testing.assert_array_equal(array, learned(other)[name], err_msg=name, strict=True)


@pytest.fixture(autouse=True)
def write_every_time(monkeypatch):
    monkeypatch.setattr("seedtopic.base.checkpoint.WRITING_SHARE", 1e9)


@pytest.mark.parametrize("name", MODELS)
def test_goes_on_after_any_end(name, tmp_path):
    whole = MODELS[name]().fit(TEXTS)
    calls, ended = 0, False
    while not ended:  # each turn is one more process that dies, a little later than the one before
        calls += 5
        try:
            resumed = MODELS[name]().fit(TEXTS, progress=Plug(calls), checkpoint=tmp_path / "work")
            ended = True
        except PulledPlugError:
            assert calls < 500
    assert_same(resumed, whole)


@pytest.mark.parametrize("name", [name for name in MODELS if name != "PLDNB"])
def test_does_not_do_again_what_is_done(name, tmp_path):
    """The whole fit tells more progress than the one that goes on from its end."""
    calls = {"first": 0, "again": 0}

    def count(which):
        def told(stage, done, total):
            calls[which] += stage in ("learning", "refining", "pre-training", "self-training")

        return told

    first = MODELS[name]().fit(TEXTS, progress=count("first"), checkpoint=tmp_path / "work")
    again = MODELS[name]().fit(TEXTS, progress=count("again"), checkpoint=tmp_path / "work")
    assert_same(first, again)
    assert calls["again"] <= 3 < calls["first"]


def test_random_without_a_seed_is_the_same_after_going_on(tmp_path):
    def fit():
        model = SeedTopicClassifier(SEEDS, random_state=None, max_iter=4, refine=False, mixture=False)
        return model.fit(TEXTS, checkpoint=tmp_path / "work")

    np.testing.assert_array_equal(fit().background_word_, fit().background_word_)


def test_learning_on_goes_on(tmp_path):
    def parts(**options):
        model = SeedTopicClassifier(SEEDS, random_state=0, max_iter=4).partial_fit(TEXTS[:20])
        return model.partial_fit(TEXTS[20:], **options)

    with pytest.raises(PulledPlugError):
        parts(progress=Plug(6), checkpoint=tmp_path / "work")
    assert (tmp_path / "work" / "neighbours.npz").is_file()
    assert_same(parts(checkpoint=tmp_path / "work"), parts())


@pytest.mark.parametrize(
    "other",
    [
        lambda folder: SeedTopicClassifier(SEEDS, random_state=1).fit(TEXTS, checkpoint=folder),
        lambda folder: SeedTopicClassifier(SEEDS, random_state=0, rho=0.5).fit(TEXTS, checkpoint=folder),
        lambda folder: SeedTopicClassifier(SEEDS, random_state=0).fit(TEXTS[:-1], checkpoint=folder),
        lambda folder: SeedTopicClassifier(SEEDS, random_state=0).fit(
            TEXTS, ["money"] + 39 * [None], checkpoint=folder
        ),
        lambda folder: SeedTopicClassifier({**SEEDS, "money": ["bank"]}, random_state=0).fit(
            TEXTS, checkpoint=folder
        ),
        lambda folder: SeedTopicClassifier(dict(reversed(SEEDS.items())), random_state=0).fit(
            TEXTS, checkpoint=folder
        ),
        lambda folder: STM(SEEDS, random_state=0).fit(TEXTS, checkpoint=folder),
    ],
    ids=["seed", "parameter", "documents", "confirmed", "seeds", "order of the categories", "model"],
)
def test_refuses_the_checkpoint_of_another_fit(other, tmp_path):
    SeedTopicClassifier(SEEDS, random_state=0).fit(TEXTS, checkpoint=tmp_path / "work")
    with pytest.raises(InputError, match="is the checkpoint of a fit with other documents, seeds, settings"):
        other(tmp_path / "work")


def test_the_number_of_threads_and_the_place_of_counts_do_not_matter(tmp_path):
    first = SeedTopicClassifier(SEEDS, random_state=0).fit(TEXTS, checkpoint=tmp_path / "work")
    again = SeedTopicClassifier(SEEDS, random_state=0, n_threads=1, max_memory="1GB")
    assert_same(first, again.fit(TEXTS, checkpoint=tmp_path / "work"))


def test_refuses_places_before_any_work(tmp_path):
    model = SeedTopicClassifier(SEEDS, random_state=0)
    (tmp_path / "thesis.txt").write_text("all there is", encoding="utf-8")
    with pytest.raises(InputError, match="exists and is not a checkpoint"):
        model.fit(iter(()), checkpoint=tmp_path)
    with pytest.raises(InputError, match="exists and is not a checkpoint"):
        model.fit(iter(()), checkpoint=tmp_path / "thesis.txt")
    with pytest.raises(InputError, match="nowhere for the checkpoint does not exist"):
        model.fit(iter(()), checkpoint=tmp_path / "nowhere" / "work")
    with pytest.raises(InputError, match="random_state is a generator"):
        model.set_params(random_state=np.random.RandomState(0)).fit(iter(()), checkpoint=tmp_path / "work")
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


@pytest.mark.parametrize("file", ["checkpoint.json", "neighbours.npz", "learning.npz", "refining.npz"])
@pytest.mark.parametrize("content", [b"", b"PK", b"[]", b"\x93NUMPY\x01\x00garbage"])
def test_says_which_file_is_damaged(file, content, tmp_path):
    SeedTopicClassifier(SEEDS, random_state=0).fit(TEXTS, checkpoint=tmp_path / "work")
    (tmp_path / "work" / file).write_bytes(content)
    with pytest.raises(InputError, match=rf"the checkpoint .*{file} is damaged.*: delete "):
        SeedTopicClassifier(SEEDS, random_state=0).fit(TEXTS, checkpoint=tmp_path / "work")


def test_takes_no_code_from_a_checkpoint(tmp_path):
    SeedTopicClassifier(SEEDS, random_state=0).fit(TEXTS, checkpoint=tmp_path / "work")
    np.savez(tmp_path / "work" / "learning.npz", allow_pickle=True, done=np.array([print], dtype=object))
    with pytest.raises(InputError, match=r"learning\.npz is damaged"):
        SeedTopicClassifier(SEEDS, random_state=0).fit(TEXTS, checkpoint=tmp_path / "work")


def test_removes_what_a_killed_process_left_and_nothing_else(tmp_path):
    checkpoint = CheckpointFolder(tmp_path / "work")
    checkpoint.begin({}, [])
    (tmp_path / "work" / ".seedtopic-0123.tmp").write_bytes(b"half")
    (tmp_path / "work" / "mine.txt").write_bytes(b"whole")
    checkpoint.begin({}, [])
    assert sorted(path.name for path in (tmp_path / "work").iterdir()) == ["checkpoint.json", "mine.txt"]
    checkpoint.clear()
    assert [path.name for path in (tmp_path / "work").iterdir()] == ["mine.txt"]


def test_leaves_what_another_process_is_writing(tmp_path):
    checkpoint = CheckpointFolder(tmp_path / "work")
    checkpoint.begin({}, [])
    with atomic_file(tmp_path / "work" / "learning.npz") as file:
        CheckpointFolder(tmp_path / "work").begin({}, [])
        file.write(b"whole")
    assert (tmp_path / "work" / "learning.npz").read_bytes() == b"whole"


def test_goes_on_where_the_very_first_file_was_being_written(tmp_path):
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / ".seedtopic-0123-1-ab.tmp").write_bytes(b"{")
    checkpoint = CheckpointFolder(tmp_path / "work")
    checkpoint.begin({}, [])
    checkpoint.clear()
    assert not (tmp_path / "work").exists()


def test_clear_removes_the_folder_and_may_be_called_twice(tmp_path):
    checkpoint = CheckpointFolder(tmp_path / "work")
    checkpoint.begin({}, [])
    checkpoint.keep("learning", {"done": np.array(1)}, last=True)
    checkpoint.clear()
    checkpoint.clear()
    assert not (tmp_path / "work").exists()


def test_writing_takes_a_small_share_of_the_time(tmp_path, monkeypatch):
    monkeypatch.setattr("seedtopic.base.checkpoint.WRITING_SHARE", 0.05)
    now = iter([0.0, 1.0, 20.0, 21.5, 22.0])  # the first writing takes a second, so the next may come at 21
    monkeypatch.setattr("seedtopic.base.checkpoint.time.monotonic", lambda: next(now))
    checkpoint = CheckpointFolder(tmp_path)
    for done in (1, 2, 3):
        checkpoint.keep("learning", {"done": np.array(done)})
        assert int(checkpoint.recall("learning")["done"]) == {1: 1, 2: 1, 3: 3}[done]


def test_a_full_disk_is_one_sentence_and_the_last_state_stays(tmp_path, monkeypatch):
    checkpoint = CheckpointFolder(tmp_path)
    checkpoint.keep("learning", {"done": np.array(1)}, last=True)

    def full(*args, **kwargs):
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr("seedtopic.base.checkpoint.write_arrays", full)
    with pytest.raises(InputError, match="No space left on device"):
        checkpoint.keep("learning", {"done": np.array(2)}, last=True)
    assert int(checkpoint.recall("learning")["done"]) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["learning.npz"]


def test_no_checkpoint_keeps_nothing():
    NO_CHECKPOINT.keep("learning", {"done": np.array(1)})
    assert NO_CHECKPOINT.recall("learning") is None
    assert NO_CHECKPOINT.random_state(None) is None


def test_a_fingerprint_tells_type_and_shape():
    values = np.arange(4, dtype=np.int32)
    prints = {fingerprint({}, [array]) for array in (values, values.reshape(2, 2), values.view(np.uint32))}
    assert len(prints) == 3


COMMAND = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # which is ignored where the tests run in the background
from seedtopic.cli import run
sys.exit(run(sys.argv[1:]))
"""


@pytest.mark.parametrize("command", ["fit", "label"])
def test_the_checkpoint_is_not_the_output(command, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs.txt").write_text("\n".join(TEXTS), encoding="utf-8")
    (tmp_path / "seeds.json").write_text(json.dumps(SEEDS), encoding="utf-8")
    where = ["-o", "work.csv", "--checkpoint", "./work.csv"]
    assert run([command, "docs.txt", "--seeds", "seeds.json", *where]) == 2
    assert "work.csv is both the output and the checkpoint" in capsys.readouterr().err
    assert not (tmp_path / "work.csv").exists()


@pytest.fixture(scope="module")
def docstrings(tmp_path_factory):
    """A corpus whose fit takes a few seconds, as files."""
    folder = tmp_path_factory.mktemp("docstrings")
    corpus = load_docstrings()
    with open(folder / "docs.jsonl", "w", encoding="utf-8") as file:
        file.writelines(json.dumps({"text": text}) + "\n" for text in corpus.texts)
    (folder / "seeds.json").write_text(json.dumps(docstring_seeds()), encoding="utf-8")
    return folder


def started(folder: Path, model: str, iterations: int = 100):
    arguments = ["fit", "docs.jsonl", "--seeds", "seeds.json", "-o", model, "--checkpoint", "work", "--quiet"]
    longer = ["--set", f"max_iter={iterations}"]  # so that most of the time goes into what can be kept
    command = [sys.executable, "-c", COMMAND, *arguments, *longer]
    return subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, start_new_session=True)


def files(folder: Path):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def wait_for(file: Path, process):
    while not file.exists() and process.poll() is None:
        os.sched_yield()


def test_ctrl_c_says_where_the_work_is(docstrings):
    process = started(docstrings, "interrupted", iterations=1_000_000)
    wait_for(docstrings / "work" / "neighbours.npz", process)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode not in (0, 2)
    assert said.decode() == (
        "seedtopic: interrupted; the progress is saved in work: run the same command to continue.\n"
    )
    CheckpointFolder(docstrings / "work").clear()
    assert not (docstrings / "interrupted").exists()


@pytest.mark.slow
def test_killed_at_twenty_moments_it_ends_as_if_nothing_had_happened(docstrings):
    work = docstrings / "work"
    began = time.monotonic()
    process = started(docstrings, "whole")
    wait_for(work / "checkpoint.json", process)
    learning = time.monotonic()
    assert (process.communicate(timeout=600)[1], process.returncode) == (b"", 0)
    before, after = learning - began, time.monotonic() - learning
    draw, had_kept_work = random.Random(0), 0
    for moment in range(20):
        process = started(docstrings, "resumed")
        early = moment % 4 == 0  # most moments are drawn from the time in which something can be kept
        if not early:
            wait_for(work / "checkpoint.json", process)
        try:
            process.wait(timeout=draw.random() * (before if early else after))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        had_kept_work += process.returncode == -signal.SIGKILL and (work / "neighbours.npz").exists()
        again = started(docstrings, "resumed")
        assert (again.communicate(timeout=600)[1], again.returncode) == (b"", 0), moment
        assert files(docstrings / "resumed") == files(docstrings / "whole"), moment
        assert not work.exists()
        shutil.rmtree(docstrings / "resumed")
    assert sorted(path.name for path in docstrings.iterdir()) == ["docs.jsonl", "seeds.json", "whole"]
    print(f"\n20 of 20 killed fits went on to the identical model; {had_kept_work} had kept work")  # noqa: T201
    assert had_kept_work >= 3
