"""Ray Data and Spark label a table where it is: the labels are those of pandas."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from seedtopic import SeedTopicClassifier

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "clusters.md"
SEEDS: dict[str, Any] = {
    "football": {"words": ["game", "goal"], "parent": "sports"},
    "tennis": {"words": ["serve", "racket"], "parent": "sports"},
    "money": ["bank", "rate"],
}
FIT = ["the game", "a goal in the game", "a serve", "serve and racket", "the bank", "rate of the bank"] * 3
TEXTS = ["a late goal", None, "which rate?", "", "qwertzu", "a racket at the bank"] * 4
TYPES = (
    "n long, body string, predicted string, probability double, runner_up string, "
    "runner_up_probability double, margin double, source string, path string, none_probability double, "
    "labels array<string>"
)


@pytest.fixture(scope="module")
def model() -> SeedTopicClassifier:
    return SeedTopicClassifier(SEEDS, none_label="other", random_state=0).fit(FIT)


@pytest.fixture
def table() -> pd.DataFrame:
    return pd.DataFrame({"n": range(len(TEXTS)), "body": TEXTS})


def plain(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Give rows without what the packages do to missing values and lists."""

    def value(cell: Any) -> Any:
        if isinstance(cell, str | int | float) or cell is None or cell is pd.NA:
            return None if pd.isna(cell) else cell
        return list(cell)

    rows = [{name: value(row[name]) for name in frame.columns} for _, row in frame.iterrows()]
    return sorted(rows, key=lambda row: row["n"])


def test_ray_gives_the_labels_of_pandas(ray: Any, model: SeedTopicClassifier, table: pd.DataFrame) -> None:
    label = model.labeller("body", multi=True)
    data = ray.data.from_pandas([table[:1], table[1:2], table[2:]])  # the second has no label
    for form in ("pandas", "pyarrow"):
        found = data.map_batches(label, batch_format=form, batch_size=5).to_pandas()
        assert plain(found) == plain(model.label_frame(table, "body", multi=True))


def test_spark_gives_the_labels_of_pandas(
    spark: Any, model: SeedTopicClassifier, table: pd.DataFrame
) -> None:
    shared = spark.sparkContext.broadcast(model.labeller("body", multi=True))
    rows = list(zip(range(len(TEXTS)), TEXTS, strict=True))
    frame = spark.createDataFrame(rows, "n long, body string").repartition(3)
    labelled = frame.mapInPandas(lambda frames: map(shared.value, frames), TYPES)
    assert plain(labelled.toPandas()) == plain(model.label_frame(table, "body", multi=True))


@pytest.mark.usefixtures("ray", "spark")
def test_the_page_runs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {"__name__": "the page"}
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), names)
        printed = capsys.readouterr().out.splitlines()
        promised = re.findall(r"^print\(.*\)  # (.+)$", block, re.MULTILINE)
        assert [line for line in promised if line not in printed] == []
    assert len(blocks) == 3
    for written in ("labelled", "labelled-by-spark"):
        assert list((folder / written).glob("*.parquet"))
