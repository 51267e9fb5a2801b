"""The page about the default model cannot drift from the records, the corpora and the citation."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from seedtopic import SeedTopicClassifier
from seedtopic_lab.corpora import fetch_corpus, published_seeds
from seedtopic_lab.experiments.cells import CORPUS_NAMES

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "default-model.md").read_text(encoding="utf-8")


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    before = set(sys.modules)
    import model_page

    yield model_page
    for name in {"model_page"} - before:
        sys.modules.pop(name, None)


def test_the_tables_are_made_of_the_recorded_results(tool: Any) -> None:
    """If it fails:  python tools/model_page.py."""
    assert tool.written(PAGE) == PAGE
    assert all(f"<!-- begin {name} -->\n|" in PAGE for name in tool.TABLES)


def test_what_is_said_of_the_eight_numbers(tool: Any) -> None:
    rows = [line.strip("|").split("|") for line in tool.eight().splitlines()[2:]]
    away = {cells[0].strip(): numbers(cells[3]) for cells in rows}
    assert all(micro < 0 < macro for name, (micro, macro) in away.items() if name.startswith("Reuters"))
    assert all(max(pair) < 0 for name, pair in away.items() if name.startswith("Newsgroup"))
    assert min(away, key=lambda name: away[name][0]) == "Newsgroup S<sup>L</sup>"


def test_differences_are_those_of_the_numbers_shown(tool: Any) -> None:
    assert tool.away((0.9366, 0.8), (0.9381, 0.8)) == "−.001 / +.000"
    assert tool.away((0.7999, 0.8004), (0.8001, 0.8)) == "+.000 / +.000"
    assert tool.away(None, (0.5, 0.5)) == "–"


def numbers(cell: str) -> tuple[float, ...]:
    return tuple(float(number) for number in cell.replace("−", "-").split("/"))


CONFUSIONS = re.findall(r"^\| ([\w ]+) S<sup>(\w)</sup> \| (\S+) \| (\S+) \| (\.\d\d) \| \"", PAGE, re.M)
TASKS = sorted({(corpus, seeds) for corpus, seeds, *_ in CONFUSIONS} | {("Reuters", "L")})


@pytest.mark.corpora
@pytest.mark.filterwarnings("ignore::seedtopic.base.errors.SeedWarning")
@pytest.mark.parametrize(("name", "seeds"), TASKS)
def test_the_confusions_are_real(name: str, seeds: str) -> None:
    corpus = next(key for key, value in CORPUS_NAMES.items() if value == name)
    dataset = fetch_corpus(corpus)
    train = [row for row, part in enumerate(dataset.split) if part == "train"]
    model = SeedTopicClassifier(published_seeds(corpus, f"S{seeds}"), random_state=0)  # type: ignore[arg-type]
    found = model.fit([dataset.texts[row] for row in train]).transduction_
    truth = np.array([dataset.labels[row] for row in train])
    listed = [row[2:] for row in CONFUSIONS if row[:2] == (name, seeds)]
    assert listed
    for category, label, share in listed:
        assert (found[truth == category] == label).mean() == pytest.approx(float(share), abs=0.02)


def test_the_citation_is_that_of_the_repository() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    entry = dict(re.findall(r"^  (\w+) += \{*([^{}\n]+)\}*,?$", PAGE, re.M))
    assert entry["title"] == cited["title"]
    assert entry["version"] == cited["version"]
    assert entry["license"] == cited["license"]
    assert entry["author"] == cited["authors"][0]["name"]
    assert entry["year"] == str(cited["date-released"])[:4]
