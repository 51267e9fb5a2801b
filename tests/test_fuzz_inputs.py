"""Seeds and documents, damaged at random: labels come of each, or one sentence that says what is wrong.

Every mutation is drawn from its number, so that a failure can be made again.
"""

from __future__ import annotations

import gzip
import io
import json
import random
import warnings
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import pandas
import pyarrow
import pyarrow.parquet as parquet
import pytest

from seedtopic import PLDNB, InputError, Seeds, SeedWarning, cli
from test_fuzz_models import damaged, in_time

FEW, MANY = 12, 400

ROWS = [
    {"id": str(place), "text": text, "label": label}
    for place, (text, label) in enumerate(
        [
            ('the game, the "team"', "sports"),
            ("bank\nand rate", "money"),
            ("naïve player 😀", "sports"),
            ("", "money"),
            ("stock; tab\tand 'quotes'", "money"),
        ]
        * 3
    )
]


def written(kind: str, folder: Path) -> bytes:
    """Write the documents as a file of some kind."""
    if kind == "jsonl":
        return "".join(json.dumps(row) + "\n" for row in ROWS).encode()
    if kind == "txt":
        return "".join(row["text"].replace("\n", " ") + "\n" for row in ROWS).encode()
    if kind == "parquet":
        parquet.write_table(pyarrow.Table.from_pylist(ROWS), folder / "made.parquet")
        return (folder / "made.parquet").read_bytes()
    if kind == "xlsx":
        frame = pandas.DataFrame(ROWS)
        frame.to_excel(folder / "made.xlsx", index=False)
        return (folder / "made.xlsx").read_bytes()
    if kind.endswith(".gz"):
        return gzip.compress(written(kind.removesuffix(".gz"), folder), mtime=0)
    comma = {"csv": ",", "tsv": "\t"}[kind]
    quoted = (['"' + value.replace('"', '""') + '"' for value in row.values()] for row in ROWS)
    return "\n".join(comma.join(row) for row in (ROWS[0], *quoted)).encode()


KINDS = ["csv", "tsv", "jsonl", "txt", "parquet", "xlsx", "csv.gz", "jsonl.gz"]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fuzz") / "model"
    PLDNB({"sports": ["game", "player"], "money": ["bank", "stock"]}).fit([row["text"] for row in ROWS]).save(
        folder
    )
    return folder


def changed(content: bytes, rng: random.Random) -> bytes:
    """Damage some bytes; in a compressed file now and then those inside."""
    if content[:2] == b"\x1f\x8b" and rng.random() < 0.5:
        return gzip.compress(changed(gzip.decompress(content), rng), mtime=0)
    if content[:2] == b"PK" and rng.random() < 0.7:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            parts = {name: archive.read(name) for name in archive.namelist()}
        name = rng.choice([name for name in parts for _ in range(1 + 9 * ("sheet1" in name))])
        parts[name] = changed(parts[name], rng)
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            for name, part in parts.items():
                archive.writestr(name, part)
        return packed.getvalue()
    for _ in range(rng.choice([1, 1, 2, 5])):
        content = damaged(content, rng)
    return content


def fuzz_documents(
    kind: str, numbers: range, model: Path, folder: Path, capsys: pytest.CaptureFixture[str]
) -> Counter[int]:
    whole, path, out = written(kind, folder), folder / f"docs.{kind}", folder / "out.jsonl"
    codes: Counter[int] = Counter()
    for number in numbers:
        path.write_bytes(changed(whole, random.Random(number)))
        out.unlink(missing_ok=True)
        capsys.readouterr()
        try:
            with in_time(), warnings.catch_warnings():
                warnings.simplefilter("error")
                code = cli.run(["predict", str(model), str(path), "-o", str(out), "--quiet"])
        except BaseException as error:
            error.add_note(f"mutation {number}")
            raise
        said = capsys.readouterr().err
        assert code in (0, 2, 3), f"mutation {number}: {said}"
        assert "Traceback" not in said
        if code == 2:
            assert len(said.strip().splitlines()) == 1 or "usage" in said.lower(), (
                f"mutation {number}: {said}"
            )
            assert not out.exists()
        else:
            labels = [json.loads(line) for line in out.read_bytes().splitlines()]
            known = ("sports", "money", None)  # None without a text or a known word
            assert all(row.get("seedtopic_predicted", row.get("predicted")) in known for row in labels)
        codes[code] += 1
    return codes


@pytest.mark.parametrize("kind", KINDS)
def test_a_few_damaged_documents(
    kind: str, model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert fuzz_documents(kind, range(FEW), model, tmp_path, capsys).total() == FEW


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_many_damaged_documents(
    kind: str, model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    codes = fuzz_documents(kind, range(FEW, MANY), model, tmp_path, capsys)
    assert codes.total() == MANY - FEW


SEEDS = {
    "json": json.dumps(
        {
            "sports": ["game", "play*"],
            "money": {
                "words": ["bank", "stock"],
                "weights": {"bank": 2.0},
                "exclude": ["river"],
                "parent": "news",
            },
        }
    ),
    "toml": 'sports = ["game", "play*"]\n\n[money]\nwords = ["bank", "stock"]\nexclude = ["river"]\n'
    'parent = "news"\nweights = { bank = 2.0 }\n',
}


def fuzz_seeds(kind: str, numbers: range, folder: Path) -> Counter[str]:
    path, texts, outcomes = folder / f"seeds.{kind}", [row["text"] for row in ROWS], Counter()
    for number in numbers:
        path.write_bytes(changed(SEEDS[kind].encode(), random.Random(number)))
        sentence: Any = None
        try:
            with in_time(), warnings.catch_warnings():
                warnings.simplefilter("error")
                warnings.simplefilter("ignore", SeedWarning)
                seeds = Seeds.read(path)
                fitted = PLDNB(seeds).fit(texts)
        except InputError as error:
            sentence = str(error)
        except BaseException as error:
            error.add_note(f"mutation {number}")
            raise
        if sentence is None:
            assert set(fitted.transduction_) <= set(map(str, seeds.names)), f"mutation {number}"
        outcomes["labelled" if sentence is None else "refused"] += 1
    return outcomes


@pytest.mark.parametrize("kind", SEEDS)
def test_a_few_damaged_seeds(kind: str, tmp_path: Path) -> None:
    assert fuzz_seeds(kind, range(3 * FEW), tmp_path)["refused"] > 0


@pytest.mark.slow
@pytest.mark.parametrize("kind", SEEDS)
def test_many_damaged_seeds(kind: str, tmp_path: Path) -> None:
    outcomes = fuzz_seeds(kind, range(3 * FEW, 5 * MANY), tmp_path)
    assert outcomes["refused"] > 0
    assert outcomes["labelled"] > 0
