"""What benchmarks/soak.py concludes, and the picture of it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "benchmarks"), str(ROOT / "docs")]

soak = pytest.importorskip("soak")


def turns(*megabytes: float, failed: int = 0) -> list[object]:
    return [
        soak.Turn(place / 3, "marks", held, held / 2, 100, failed, 1.0, 2.0, 3.0, 0.5)
        for place, held in enumerate(megabytes)
    ]


def test_the_last_quarter_is_compared_with_the_second() -> None:
    said = soak.summary(turns(10, 10, 200, 200, 200, 200, 208, 208), [0.001, 0.002, 0.003, 0.1])
    assert (said["megabytes"], said["growth"]) == ([200, 208], 0.04)
    assert (said["requests"], said["failed"], said["most_ms"]) == (800, 0, 100.0)
    assert soak.summary(turns(200, 200, failed=1), [0.001])["failed"] == 2


def test_the_picture_is_the_same_each_time(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    picture = pytest.importorskip("soak_picture")
    rows = [dict(zip(soak.Turn._fields, map(str, turn), strict=True)) for turn in turns(*range(200, 220))]
    written = []
    for name in ("one.svg", "other.svg"):
        picture.draw(rows, tmp_path / name)
        written.append((tmp_path / name).read_bytes())
    assert written[0] == written[1]
    assert 5000 < len(written[0]) < 100_000
