"""Labelling files as a stream: the same output however it is cut, in several processes, and continued."""

from __future__ import annotations

import csv
import json
import os
import pickle
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import distributed
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from seedtopic import InputError, SeedTopicClassifier, cli
from seedtopic.cluster import client as cluster_module
from seedtopic.io import pieces as pieces_module
from seedtopic.io.formats.text import Source
from seedtopic.io.pieces import Pieces
from seedtopic.io.rows import read_documents
from seedtopic.io.write import write_predictions
from seedtopic.model import label_files as files_module
from seedtopic.model import label_pieces as workers
from seedtopic.model.label_files import FINISHED, label_files
from seedtopic.model.label_pieces import Labeller

WORDS = ["goal", "team", "match", "bank", "rate", "loan", "rain", "storm"]
SEEDS = {"sports": ["goal", "team"], "money": ["bank", "rate"], "weather": ["rain"]}


@pytest.fixture(scope="module")
def model() -> SeedTopicClassifier:
    draw = np.random.default_rng(0)
    kinds = (WORDS[:3], WORDS[3:6], WORDS[6:])
    texts = [" ".join(draw.choice(kinds[n % 3], 5)) + " today" for n in range(60)]
    return SeedTopicClassifier(SEEDS, random_state=0, n_threads=1, max_iter=3).fit(texts)


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces_module, "SIZE", 700)
    monkeypatch.setattr(pieces_module, "ROWS_TO_SEE", 3)
    monkeypatch.setattr(pieces_module, "BATCH", 7)


def some_rows(n_rows: int = 40) -> list[dict[str, Any]]:
    draw = np.random.default_rng(1)
    return [
        {"id": n, "text": " ".join(draw.choice(WORDS, 4)) + ', "so" it is', "stars": n % 5}
        for n in range(n_rows)
    ]


def as_jsonl(path: Path, rows: list[Any]) -> Path:
    lines = (row if isinstance(row, str) else json.dumps(row) for row in rows)
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return path


def as_csv(path: Path, rows: list[dict[str, Any]], **style: Any) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), **style)
        writer.writeheader()
        writer.writerows(rows)
    return path


def whole(model: SeedTopicClassifier, source: Path, output: Path, multi: bool = False) -> bytes:
    """Label all documents at once."""
    documents = read_documents(source)
    write_predictions(output, documents, model.predict_all(documents.texts, several=multi))
    return output.read_bytes()


def odd(rows: list[dict[str, Any]]) -> list[Any]:
    """Rows with every oddity: later columns, other orders, missing and nested texts, what is no object."""
    found: list[Any] = [dict(row) for row in rows]
    found[5]["text"], found[6]["text"], found[7]["text"] = None, ["a"], "  "
    found[20] = {"late": 1, "later": 2, **found[20]}
    found[24] = {"later": 1, "late": 2, **found[24]}
    found[25] = {"text": "goal"}
    found[30] = "no object"
    return found


SOURCES: dict[str, Callable[[Path], Path]] = {
    "jsonl": lambda folder: as_jsonl(folder / "new.jsonl", some_rows()),
    "odd jsonl": lambda folder: as_jsonl(folder / "new.jsonl", odd(some_rows())),
    "column in the way, late": lambda folder: as_jsonl(
        folder / "new.jsonl", [*some_rows(), {"text": "goal", "predicted": 1}]
    ),
    "another text column, late": lambda folder: as_jsonl(
        folder / "new.jsonl", [*({"body": row["text"]} for row in some_rows()), {"text": "bank"}]
    ),
    "csv": lambda folder: as_csv(folder / "new.csv", some_rows()),
    "styled csv": lambda folder: as_csv(
        folder / "new.csv", some_rows(), delimiter=";", lineterminator="\r\n", quoting=csv.QUOTE_ALL
    ),
    "pattern": lambda folder: (
        as_jsonl(folder / "a1.jsonl", some_rows()[:20]),
        as_jsonl(folder / "a2.jsonl", odd(some_rows())),
        folder / "a*.jsonl",
    )[-1],
    "lines": lambda folder: _text(folder / "new.txt", "".join(row["text"] + "\n\n" for row in some_rows())),
}


def _text(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.filterwarnings("ignore::seedtopic.UnusableDocuments")
@pytest.mark.parametrize("ending", ["csv", "jsonl"])
@pytest.mark.parametrize("name", SOURCES)
def test_pieces_give_the_same_bytes(
    model: SeedTopicClassifier, tmp_path: Path, name: str, ending: str
) -> None:
    source = SOURCES[name](tmp_path)
    expected = whole(model, source, tmp_path / f"whole.{ending}", multi=True)
    output = tmp_path / f"parts.{ending}"
    done = label_files(model, source, output, n_workers=1, multi=True)
    assert output.read_bytes() == expected
    assert len(list(Pieces(Source(source)))) > 2
    documents = read_documents(source)
    assert (done.noticed.unusable, done.noticed.problems) == (documents.unusable, documents.problems)
    assert done.noticed.notes == documents.notes


def test_processes_give_the_same_bytes(model: SeedTopicClassifier, tmp_path: Path) -> None:
    source = as_jsonl(tmp_path / "new.jsonl", some_rows(120))
    label_files(model, source, tmp_path / "one.jsonl", n_workers=1)
    two = label_files(model, source, tmp_path / "two.jsonl", n_workers=2)
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()
    assert two.noticed.summary.labelable == 120


def test_parquet_keeps_the_types_of_its_columns(model: SeedTopicClassifier, tmp_path: Path) -> None:
    table = pa.Table.from_pylist(some_rows())
    table = table.set_column(2, "stars", table["stars"].cast(pa.int8())).append_column(
        "parts", pa.array([[n] for n in range(len(table))])
    )
    pq.write_table(table, tmp_path / "new.parquet", row_group_size=9)
    label_files(model, tmp_path / "new.parquet", tmp_path / "out.parquet", n_workers=1, multi=True)
    found = pq.read_table(tmp_path / "out.parquet")
    assert found.select(table.column_names).equals(table)
    assert found["labels"].type == pa.list_(pa.string())
    probabilities = model.predict_proba([row["text"] for row in some_rows()])
    assert found["predicted"].to_pylist() == model.classes_[probabilities.argmax(axis=1)].tolist()
    label_files(model, tmp_path / "new.parquet", tmp_path / "out.csv", n_workers=1)
    assert (tmp_path / "out.csv").read_bytes() == whole(
        model, tmp_path / "new.parquet", tmp_path / "whole.csv"
    )


def test_a_folder_gets_a_file_for_each_and_keeps_finished_ones(
    model: SeedTopicClassifier, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "in" / "deep").mkdir(parents=True)
    for name in ("a.jsonl", "b.jsonl", "deep/c.jsonl"):
        as_jsonl(tmp_path / "in" / name, some_rows())
    (tmp_path / "in" / "b.jsonl").write_text("no object\n", encoding="utf-8")
    pattern, out = tmp_path / "in" / "**" / "*.jsonl", tmp_path / "out"

    def label(**options: Any) -> files_module.LabelledFiles:
        return label_files(model, pattern, f"{out}/", n_workers=1, **options)

    with pytest.raises(InputError, match=r"b\.jsonl contains no usable document: line 1"):
        label()
    assert sorted(path.name for path in out.rglob("*") if path.is_file()) == [FINISHED, "a.jsonl"]
    before = (out / "a.jsonl").stat().st_mtime_ns
    as_jsonl(tmp_path / "in" / "b.jsonl", some_rows(9))
    done = label()
    assert (done.n_files, done.n_kept, done.noticed.summary.labelable) == (3, 1, 89)
    assert (out / "a.jsonl").stat().st_mtime_ns == before
    assert (out / "deep" / "c.jsonl").read_bytes() == (out / "a.jsonl").read_bytes()
    again = label()
    assert again.n_kept == 3
    assert again.noticed.summary.sizes.tolist() == done.noticed.summary.sizes.tolist()
    with pytest.raises(InputError, match="another model, with other options or other answers"):
        label(min_probability=0.9)
    as_jsonl(tmp_path / "in" / "b.jsonl", some_rows(10))
    assert label().n_kept == 2  # the other has changed


def test_an_interrupted_run_leaves_no_half_written_file(
    model: SeedTopicClassifier, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b"):
        as_jsonl(tmp_path / f"{name}.jsonl", some_rows())
    called: list[int] = []
    label = Labeller.__call__

    def interrupted(self: Labeller, *task: Any) -> Any:
        called.append(1)
        if len(called) == 8:  # in the second file
            raise KeyboardInterrupt
        return label(self, *task)

    monkeypatch.setattr(Labeller, "__call__", interrupted)
    with pytest.raises(KeyboardInterrupt):
        label_files(model, tmp_path / "?.jsonl", f"{tmp_path}/out/", n_workers=1)
    left = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert left == [FINISHED, "a.jsonl"]
    done = label_files(model, tmp_path / "?.jsonl", f"{tmp_path}/out/", n_workers=1)
    assert done.noticed.summary.labelable == 80


class _Killed(Labeller):
    def __call__(self, *task: Any) -> Any:
        if workers._here:  # in a worker process
            os.kill(os.getpid(), signal.SIGKILL)
        return super().__call__(*task)


def test_a_killed_worker_is_one_sentence(
    model: SeedTopicClassifier, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files_module, "Labeller", _Killed)
    source = as_jsonl(tmp_path / "new.jsonl", some_rows(120))
    with pytest.raises(InputError, match="a worker process ended before it had labelled"):
        label_files(model, source, tmp_path / "out.jsonl", n_workers=2)
    assert [path.name for path in tmp_path.iterdir()] == ["new.jsonl"]


def test_an_error_names_the_file_and_the_row(model: SeedTopicClassifier, tmp_path: Path) -> None:
    as_jsonl(tmp_path / "a.jsonl", some_rows())
    as_jsonl(tmp_path / "b.jsonl", [*some_rows(), "no object"])
    with pytest.raises(InputError, match=r"b\.jsonl:41 is not a JSON object"):
        label_files(model, tmp_path / "?.jsonl", f"{tmp_path}/out/", n_workers=1, strict=True)


@pytest.mark.parametrize("content", ["", "id,text\n"])
def test_an_empty_file_is_refused(model: SeedTopicClassifier, tmp_path: Path, content: str) -> None:
    (tmp_path / "new.csv").write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match="contains no documents"):
        label_files(model, tmp_path / "new.csv", tmp_path / "out.csv", n_workers=1)


def test_the_documents_are_not_overwritten(model: SeedTopicClassifier, tmp_path: Path) -> None:
    as_jsonl(tmp_path / "new.jsonl", some_rows())
    with pytest.raises(InputError, match="would be overwritten"):
        label_files(model, tmp_path / "*.jsonl", tmp_path, n_workers=1)


def test_a_slim_model_is_small_and_labels_alike(model: SeedTopicClassifier) -> None:
    texts = [row["text"] for row in some_rows()]
    many = SeedTopicClassifier(SEEDS, random_state=0, n_threads=1, max_iter=1).fit(texts * 50)
    assert len(pickle.dumps(many.slim())) < len(pickle.dumps(many)) / 4
    assert (pickle.loads(pickle.dumps(model.slim())).predict_proba(texts) == model.predict_proba(texts)).all()


def test_progress_ends_with_everything(model: SeedTopicClassifier, tmp_path: Path) -> None:
    source = as_jsonl(tmp_path / "new.jsonl", some_rows(120))
    seen: list[tuple[int, int]] = []
    label_files(
        model, source, tmp_path / "out.csv", n_workers=1, progress=lambda stage, *done: seen.append(done)
    )
    assert seen == sorted(seen)
    assert seen[-1][0] == seen[-1][1] == source.stat().st_size // 1000


def test_labels_on_a_cluster_are_the_same(model: SeedTopicClassifier, tmp_path: Path, cluster: Any) -> None:
    source = as_jsonl(tmp_path / "new.jsonl", some_rows())
    label_files(model, source, tmp_path / "here.jsonl", n_workers=1)
    label_files(model, source, tmp_path / "there.jsonl", scheduler=cluster)
    assert (tmp_path / "here.jsonl").read_bytes() == (tmp_path / "there.jsonl").read_bytes()


@pytest.fixture
def cluster() -> Iterator[Any]:
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=2, processes=False, dashboard_address=":0"
        ) as workers,
        distributed.Client(workers) as client,
    ):
        yield client


def test_no_scheduler_is_one_sentence(
    model: SeedTopicClassifier, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = as_jsonl(tmp_path / "new.jsonl", some_rows())
    monkeypatch.setattr(cluster_module, "CONNECT", 0.2)
    with pytest.raises(InputError, match="no Dask scheduler was found at tcp"):
        label_files(model, source, tmp_path / "out.jsonl", scheduler="tcp://127.0.0.1:9")


def test_files_without_documents_do_not_stop_a_folder(model: SeedTopicClassifier, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("", encoding="utf-8")
    (tmp_path / "b.csv").write_text("id,text\n", encoding="utf-8")
    as_jsonl(tmp_path / "c.jsonl", some_rows(9))
    pq.write_table(pa.Table.from_pylist(some_rows()).slice(0, 0), tmp_path / "d.parquet")
    done = label_files(model, tmp_path / "?.*", f"{tmp_path}/out/", n_workers=1)
    assert (done.n_files, done.noticed.summary.labelable, len(done.noticed.notes)) == (4, 9, 3)
    assert (tmp_path / "out" / "a.jsonl").read_bytes() == b""
    assert pq.read_table(tmp_path / "out" / "d.parquet").column_names[:4] == [
        "id",
        "text",
        "stars",
        "predicted",
    ]


def test_the_command_line_continues_a_folder(
    model: SeedTopicClassifier, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model.save(tmp_path / "model")
    for name in ("a", "b"):
        as_csv(tmp_path / f"{name}.csv", some_rows())
    command = ["predict", str(tmp_path / "model"), str(tmp_path / "?.csv"), "-o", f"{tmp_path}/out/"]
    assert cli.run([*command, "--workers", "1", "--json"]) == 0
    first = json.loads(capsys.readouterr().out)
    assert cli.run([*command, "--workers", "1", "--json"]) == 0
    again = capsys.readouterr()
    assert json.loads(again.out) == first
    assert "2 of 2 files were labelled by an earlier run of this command and are kept" in again.err
    assert first["documents"] == 80
