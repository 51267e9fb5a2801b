"""``seedtopic fit --scheduler``: files that the workers of a cluster read give the model of a fit here."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import distributed
import numpy as np
import pyarrow
import pytest
from pyarrow import parquet

from seedtopic import Seeds, cli, load
from seedtopic.cluster import files as cluster_files
from seedtopic.cluster.files import parts_of
from seedtopic.io.formats.text import Source


@pytest.fixture(scope="module")
def address() -> Iterator[Any]:
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=2, processes=False, dashboard_address=":0"
    ) as workers:
        yield workers.scheduler_address


@pytest.fixture
def workplace(
    tmp_path: Path, toy_texts: list[str], toy_seeds: dict[str, list[str]], monkeypatch: pytest.MonkeyPatch
) -> Path:
    """Texts in three Parquet files of two row groups, and in JSON lines with rows that cannot be used."""
    monkeypatch.chdir(tmp_path)
    Path("in").mkdir()
    for number in range(3):
        texts = toy_texts[12 * number : 12 * (number + 1)]
        table = pyarrow.table({"id": list(range(12)), "body of it": texts})
        parquet.write_table(table, f"in/part-{number}.parquet", row_group_size=7)
    lines = [json.dumps({"text": text}) for text in toy_texts]
    Path("docs.jsonl").write_text("\n".join([*lines, "no object", '{"text": ""}']) + "\n")
    Path("seeds.toml").write_text(Seeds(toy_seeds).to_toml())
    return tmp_path


def fit(*arguments: str, to: str) -> int:
    return cli.run(["fit", *arguments, "--seeds", "seeds.toml", "-o", to, "--json", "--set", "max_iter=5"])


@pytest.mark.usefixtures("workplace")
@pytest.mark.parametrize("docs", ["in/*.parquet", "in", "docs.jsonl"])
def test_a_cluster_fits_the_same_model(
    docs: str, address: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    toy_texts: list[str],
) -> None:  # fmt: skip
    monkeypatch.setattr(cluster_files, "PART_ROWS", 5)  # so that row groups are read apart
    code = fit(docs, to="here")
    here = json.loads(capsys.readouterr().out)
    assert fit(docs, "--scheduler", address, to="there") == code == (3 if docs == "docs.jsonl" else 0)
    there = json.loads(capsys.readouterr().out)
    assert there.pop("estimated_precisions") == pytest.approx(here.pop("estimated_precisions"))
    assert there.pop("estimated_accuracy") == pytest.approx(here.pop("estimated_accuracy"))
    assert {**there, "model": "here"} == here
    first, second = load("here"), load("there")
    assert np.array_equal(first.predict_proba(toy_texts), second.predict_proba(toy_texts))
    assert len(first.transduction_) >= len(toy_texts)
    assert len(second.transduction_) == 0


@pytest.mark.usefixtures("workplace")
def test_a_label_for_none_is_counted_where_the_documents_are(
    address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    more = ("docs.jsonl", "--none-label", "other", "--quiet")
    assert fit(*more, to="here") == fit(*more, "--scheduler", address, to="there") == 3
    here, there = map(json.loads, capsys.readouterr().out.splitlines())
    assert here["categories"] == there["categories"]
    assert list(here["categories"]) == ["sports", "money", "weather", "other"]


@pytest.mark.usefixtures("workplace")
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("-",), "standard input cannot be read by the workers of a cluster: give a file"),
        (("nothing.csv",), "nothing.csv"),
        (("docs.jsonl", "--confirmed", "label"), "--confirmed belongs to single documents"),
        (("docs.jsonl", "--learn-on"), "--learn-on belongs to single documents"),
        (("docs.jsonl", "--model", "WSPTM"), "WSPTM does not support --scheduler"),
        (("docs.jsonl", "--strict"), "docs.jsonl:37 is not"),
        (("docs.jsonl", "--text-field", "txt"), "no column 'txt'"),
    ],
)
def test_what_a_cluster_cannot_do_is_one_sentence(
    arguments: tuple[str, ...], sentence: str, address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert fit(*arguments, "--scheduler", address, to="there") == 2
    said = capsys.readouterr().err.strip()
    assert sentence in said
    assert "\n" not in said
    assert not Path("there").exists()


def test_row_groups_are_cut_into_parts_with_their_first_rows(
    workplace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = workplace / "many.parquet"
    parquet.write_table(pyarrow.table({"text": ["a goal"] * 25}), path, row_group_size=4)
    monkeypatch.setattr(cluster_files, "PART_ROWS", 8)
    parts = parts_of(Source(path))
    assert [(part.row_groups, part.first_row) for part in parts] == [
        ((0, 1), 1),
        ((2, 3), 9),
        ((4, 5), 17),
        ((6,), 25),
    ]
    parquet.write_table(pyarrow.table({"text": pyarrow.array([], pyarrow.string())}), path)
    assert len(parts_of(Source(path))) == 1
