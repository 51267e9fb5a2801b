"""Frames of pandas and polars: accepted, and given back where one was given, with the columns of the files."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from seedtopic import InputError, MedLDA, SeedTopicClassifier, UnusableDocuments, cli
from seedtopic.io.frames import is_frame, texts_of
from seedtopic.io.predictions import ADDED
from seedtopic.io.rows import read_documents

kinds = pytest.mark.parametrize("Frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
AWKWARD_NAME = 'the "body",\nof it 😀'


@pytest.fixture(scope="module")
def model(toy_texts: list[str], toy_seeds: dict[str, list[str]]) -> SeedTopicClassifier:
    return SeedTopicClassifier(toy_seeds, random_state=0, max_iter=5).fit(toy_texts)


@kinds
def test_fit_and_predict_take_a_column_or_a_frame_with_one(
    Frame: Any, model: SeedTopicClassifier, toy_texts: list[str], toy_seeds: dict[str, list[str]]
) -> None:
    frame = Frame({"number": list(range(len(toy_texts))), AWKWARD_NAME: toy_texts})
    for given in (frame, frame[AWKWARD_NAME]):
        again = SeedTopicClassifier(toy_seeds, random_state=0, max_iter=5).fit(given)
        assert np.array_equal(again.label_distributions_, model.label_distributions_)
        assert np.array_equal(again.predict_proba(given), model.predict_proba(toy_texts))


@kinds
def test_a_frame_with_two_columns_of_texts_is_refused(Frame: Any, model: SeedTopicClassifier) -> None:
    frame = Frame({"title": ["a game"], "body": ["a bank"]})
    with pytest.raises(InputError, match="text columns 'title', 'body': pass one of them"):
        model.predict(frame)


@kinds
def test_a_frame_of_counts_stays_a_matrix(Frame: Any) -> None:
    counts = Frame({"game": [2, 1, 0, 0], "goal": [1, 0, 0, 0], "bank": [0, 0, 1, 2]})
    seeds = {"sports": ["game"], "money": ["bank"]}
    model = SeedTopicClassifier(seeds, vocabulary=["game", "goal", "bank"], random_state=0).fit(counts)
    assert model.transduction_.tolist() == ["sports", "sports", "money", "money"]


@kinds
def test_label_frame_gives_the_columns_of_the_command_line(
    Frame: Any, model: SeedTopicClassifier, toy_texts: list[str], tmp_path: Path
) -> None:
    texts = [*toy_texts[:6], 'say "game",\nnow 😀', "qwertzu"]
    frame = Frame({AWKWARD_NAME: texts, "stars": list(range(8))})
    labelled = model.label_frame(frame, AWKWARD_NAME)
    assert type(labelled) is type(frame)
    assert list(labelled.columns) == [AWKWARD_NAME, "stars", *ADDED]
    assert list(frame.columns) == [AWKWARD_NAME, "stars"]  # the given one is left alone
    assert list(labelled[AWKWARD_NAME]) == texts
    rows = [json.dumps({AWKWARD_NAME: text, "stars": i}) for i, text in enumerate(texts)]
    (tmp_path / "docs.jsonl").write_text("\n".join(rows))
    model.save(tmp_path / "model")
    paths = [str(tmp_path / name) for name in ("model", "docs.jsonl", "out.jsonl")]
    assert cli.run(["predict", *paths[:2], "-o", paths[2], "-q"]) == 0
    by_command = [json.loads(line) for line in Path(paths[2]).read_text(encoding="utf-8").splitlines()]
    columns = {name: [None if pd.isna(v) else v for v in labelled[name]] for name in labelled.columns}
    assert [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)] == by_command


@kinds
def test_a_labelled_frame_comes_back_from_a_file(
    Frame: Any, model: SeedTopicClassifier, tmp_path: Path
) -> None:
    labelled = model.label_frame(Frame({"text": ['a "game",\nwon', "rain 😀"]}))
    path = tmp_path / "out.csv"
    if Frame is pd.DataFrame:
        labelled.to_csv(path, index=False)
    else:
        labelled.write_csv(path)
    again = read_documents(path, label_field="predicted")
    assert again.texts == ['a "game",\nwon', "rain 😀"]
    assert again.labels == ["sports", "weather"]
    assert [float(row["margin"]) for row in again.rows] == list(labelled["margin"])


@kinds
def test_columns_of_the_same_names_are_not_overwritten(Frame: Any, model: SeedTopicClassifier) -> None:
    own = {"text": ["a game"], "label": ["x"], "predicted": ["mine"], "margin": [7]}
    once = model.label_frame(Frame(own))
    twice = model.label_frame(once)
    assert list(once.columns) == [*own, *(f"seedtopic_{name}" for name in ADDED)]
    assert list(twice.columns) == list(once.columns)  # they are renewed
    assert (list(twice["predicted"]), list(twice["margin"])) == (["mine"], [7])
    assert list(twice["seedtopic_predicted"]) == ["sports"]


def test_the_index_of_pandas_is_kept(model: SeedTopicClassifier) -> None:
    frame = pd.DataFrame({"text": ["game", "bank", "rain"]}, index=["b", "a", "b"])
    labelled = model.label_frame(frame)
    assert labelled.index.tolist() == ["b", "a", "b"]
    assert labelled["predicted"].tolist() == ["sports", "money", "weather"]


@kinds
def test_min_probability_leaves_labels_empty(Frame: Any, model: SeedTopicClassifier) -> None:
    labelled = model.label_frame(Frame({"text": ["game player goal", "game bank"]}), min_probability=0.95)
    sure, unsure = list(labelled["predicted"])
    assert sure == "sports"
    assert unsure is None or unsure != unsure
    assert 1 / 3 < list(labelled["probability"])[1] < 0.95
    with pytest.raises(InputError, match="min_probability is 50: give a number from 0 to 1"):
        model.label_frame(Frame({"text": ["a"]}), min_probability=50)


@kinds
def test_the_labels_of_the_fit(
    Frame: Any, model: SeedTopicClassifier, toy_texts: list[str], toy_labels: list[str]
) -> None:
    labelled = model.label_frame(Frame({"text": toy_texts}), fitted=True)
    assert list(labelled["predicted"]) == model.transduction_.tolist()
    assert list(labelled["probability"]) == pytest.approx(model.label_distributions_.max(axis=1), abs=1e-6)
    with pytest.raises(InputError, match="there are 1 documents, but the model was fitted to 36"):
        model.label_frame(Frame({"text": ["a"]}), fitted=True)
    supervised = MedLDA(n_topics=2, n_sweeps=2, burn_in=1, n_samples=1).fit(
        Frame({"t": toy_texts}), toy_labels
    )
    with pytest.raises(InputError, match="MedLDA keeps no labels of the fit"):
        supervised.label_frame(Frame({"text": toy_texts}), fitted=True)


@pytest.mark.parametrize(
    "column",
    [
        pd.Series(["x", None], dtype="string"),
        pd.Series(["x", None], dtype="category"),
        pd.Series(["x", float("nan")], dtype=object),
        pd.Series(["x", pd.NA], dtype=object),
    ],
    ids=["string", "category", "NaN", "NA"],
)
def test_missing_texts_are_empty(column: Any) -> None:
    for frame in (pd.DataFrame({"t": column}), pl.DataFrame({"t": ["x", None]})):
        with pytest.warns(UnusableDocuments, match=r"1 of 2 texts is missing .* \(first: row 1\)"):
            assert texts_of(frame, "t") == ["x", ""]


@kinds
def test_a_missing_text_has_no_label_in_a_frame(Frame: Any, model: SeedTopicClassifier) -> None:
    with pytest.warns(UnusableDocuments, match="1 of 2 texts"):
        found = model.label_frame(Frame({"text": ["a game", None]}), multi=True)
    assert found["predicted"].to_list()[0] == "sports"
    assert "sports" in list(found["labels"].to_list()[0])
    assert all(
        value is None or value != value
        for value in (found[name].to_list()[1] for name in (*ADDED[:-1], "labels"))
    )


@kinds
def test_all_labels_in_a_frame(Frame: Any, model: SeedTopicClassifier, toy_texts: list[str]) -> None:
    texts = ["the player at the bank in the rain", "game", "stock"]
    found = model.label_frame(Frame({"text": texts}), multi=True)["labels"].to_list()
    assert [tuple(labels) for labels in found] == model.predict_labels(texts)
    fitted = model.label_frame(Frame({"text": toy_texts}), fitted=True, multi=True)["labels"].to_list()
    assert [tuple(labels) for labels in fitted] == model.named_labels(model.multi_transduction_)
    assert "labels" in model.label_frame(Frame({"text": []}), multi=True).columns
    assert "labels" not in model.label_frame(Frame({"text": texts})).columns


def test_all_labels_of_a_model_that_gives_one(toy_texts: list[str], toy_labels: list[str]) -> None:
    one = MedLDA(random_state=0).fit(toy_texts, toy_labels)
    with pytest.raises(InputError, match="MedLDA gives one label a document: use SeedTopicClassifier"):
        one.label_frame(pd.DataFrame({"text": ["game"]}), multi=True)


def test_no_rows(model: SeedTopicClassifier) -> None:
    for frame in (pd.DataFrame({"text": []}), pl.DataFrame({"text": []})):
        assert list(model.label_frame(frame).columns) == ["text", *ADDED]


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pd.DataFrame({"body": ["a"]}), "no column 'text': it has 'body'; name one with text="),
        (pd.DataFrame([["a", "b"]], columns=["text", "text"]), "more than one column 'text'"),
        (pl.DataFrame({"text": [7]}), r"row 0 of the column 'text' is int \(7\), not a text"),
        (pl.LazyFrame({"body": ["a"]}), "no column 'text': it has 'body'; name one with text="),
        ([{"text": "a"}], "the frame is list"),
    ],
)
def test_wrong_frames(frame: Any, message: str, model: SeedTopicClassifier) -> None:
    with pytest.raises(InputError, match=message):
        model.label_frame(frame)


@pytest.mark.parametrize("options", [{}, {"multi": True}, {"min_probability": 0.95}], ids=str)
@pytest.mark.parametrize("none_label", [None, "other"])
@pytest.mark.parametrize("numbers", [False, True], ids=["names", "numbers"])
def test_a_lazy_frame_is_labelled_when_it_is_collected(
    options: dict[str, Any],
    none_label: str | None,
    numbers: bool,
    toy_texts: list[str],
    toy_seeds: dict[str, list[str]],
) -> None:
    seeds: Any = dict(enumerate(toy_seeds.values())) if numbers else toy_seeds
    model = SeedTopicClassifier(seeds, none_label=none_label, random_state=0, max_iter=2).fit(toy_texts)
    frame = pl.DataFrame({"text": [*toy_texts, "qwertzu"], "n": range(37)})
    seen: list[int] = []

    def noted(part: pl.DataFrame) -> pl.DataFrame:
        seen.append(len(part))
        return part

    lazy = model.label_frame(frame.lazy().map_batches(noted), **options)
    assert not seen
    expected = model.label_frame(frame, **options)
    assert lazy.collect().equals(expected)
    assert lazy.collect_schema() == expected.schema
    assert model.label_frame(frame[:0].lazy(), **options).collect().schema == expected.schema
    chosen = lazy.filter(pl.col("source") == "none").select("n").collect()
    assert chosen["n"].to_list() == expected.filter(pl.col("source") == "none")["n"].to_list()
    table = model.label_frame(frame.to_arrow(), **options)
    assert pl.from_arrow(table).equals(expected)


def test_a_lazy_frame_has_no_labels_of_the_fit(model: SeedTopicClassifier) -> None:
    with pytest.raises(InputError, match=r"leave fitted=True out, or label frame\.collect\(\)"):
        model.label_frame(pl.LazyFrame({"text": ["a"]}), fitted=True)


def test_lists_and_arrays_are_no_frames() -> None:
    assert not any(map(is_frame, (["a"], np.array(["a"]), {"text": ["a"]}, "text", pl.Series(["a"]))))


def test_neither_package_is_imported_for_nothing() -> None:
    script = (
        "import sys; from seedtopic import SeedTopicClassifier as C; "
        "C({'a': ['xx'], 'b': ['yy']}).fit(['xx', 'yy', 'xx zz', 'yy']).predict(['xx']); "
        "sys.exit('polars' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


# -------------------------------------------------------------------------------------------- command line


def test_min_probability_on_the_command_line(
    tmp_path: Path,
    model: SeedTopicClassifier,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    model.save("model")
    Path("docs.txt").write_text("game player goal\ngame bank\nrain snow sun\n")
    assert cli.run(["predict", "model", "docs.txt", "-o", "out.jsonl", "--min-probability", "0.95"]) == 0
    captured = capsys.readouterr()
    assert "1 of 3 labels left empty, with a probability below 0.95" in captured.err
    assert "(left empty)" in captured.out
    rows = [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()]
    assert [row["predicted"] for row in rows] == ["sports", None, "weather"]
    assert (
        cli.run(["predict", "model", "docs.txt", "-o", "out.csv", "--min-probability", "0.95", "--json"]) == 0
    )
    assert json.loads(capsys.readouterr().out)["left_empty"] == 1
    assert Path("out.csv").read_text().splitlines()[2].startswith("game bank,,0.")
    assert cli.run(["predict", "model", "docs.txt", "-o", "out.csv", "--min-probability", "1.5"]) == 2


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA])
def test_a_missing_cell_is_an_empty_document_for_fit_and_predict(missing: object) -> None:
    texts = ["the game", "a game", "the bank", "a bank", missing]
    column = pd.Series(texts, dtype=object)
    model = SeedTopicClassifier({"sports": ["game"], "money": ["bank"]}, random_state=0)
    with pytest.warns(UnusableDocuments, match=r"1 of 5 texts is missing .* \(first: row 4\)") as said:
        model.fit(column)
    with pytest.warns(UnusableDocuments) as also_said:
        model.label_frame(pd.DataFrame({"text": column}))
    assert [warning.filename for warning in (*said, *also_said)] == [__file__, __file__]
    assert model.transduction_[:4].tolist() == ["sports", "sports", "money", "money"]
    assert model.label_distributions_[4].tolist() == [0.5, 0.5]
    with pytest.warns(UnusableDocuments):
        assert np.ptp(model.predict_proba(column)[4]) == 0
    with pytest.warns(UnusableDocuments):
        assert len(model.predict(pd.DataFrame({"body": column}))) == 5
