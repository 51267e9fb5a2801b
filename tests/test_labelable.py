"""Rows that cannot be labelled have nothing in the added columns, whatever reads and writes them."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as parquet
import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from bad_inputs import ROWS, SEEDS, TEXTS
from seedtopic import WSPTM, MedLDA, Report, Seeds, SeedTopicClassifier, UnusableDocuments, cli, load
from seedtopic.io.predictions import ADDED
from seedtopic.io.rows import Rows, read_documents
from seedtopic.web.api import Api
from seedtopic.web.studio.documents import Collection
from seedtopic.web.studio.export import write_export
from seedtopic.web.studio.listing import Query, Search, list_documents, matching_documents, open_document
from seedtopic.web.studio.session import Session

NO_TEXT = {"empty": "", "blank": " \t", "null": None}
NO_WORD = {"stop words": "the of and", "unknown": "qzxv wqqz"}
BY_VECTORS = {"by vectors": "hockey striker"}  # not in the fit, but in the table of English word vectors
KINDS: dict[str, str | None] = {**NO_TEXT, **NO_WORD, **BY_VECTORS}
EXTRA = [{"id": name, "label": "money", "text": text} for name, text in KINDS.items()]
COLUMNS = (*ADDED[:-1], "none_probability", "labels")  # without `source`, which is never empty


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    elif path.suffix == ".parquet":
        pd.DataFrame(rows).to_parquet(path)
    elif path.suffix == ".xlsx":
        pd.DataFrame(rows).to_excel(path, index=False)
    else:
        delimiter = "\t" if path.suffix == ".tsv" else ","
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, ["id", "label", "text"], delimiter=delimiter)
            writer.writeheader()
            writer.writerows(rows)
    return path


def read(path: Path) -> dict[str, dict[str, Any]]:
    """The rows of an output by their ids, with None for an empty cell of a table."""
    if path.suffix == ".jsonl":
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    elif path.suffix == ".parquet":
        rows = parquet.read_table(path).to_pylist()
    elif path.suffix == ".xlsx":
        rows = [
            {name: value if value != "" else None for name, value in row.items()}
            for row in pd.read_excel(path, na_filter=False).to_dict("records")
        ]
    else:
        lines = path.read_text(encoding="utf-8").splitlines()
        cells = csv.DictReader(lines, delimiter="\t" if path.suffix == ".tsv" else ",")
        rows = [{name: value or None for name, value in row.items()} for row in cells]
    return {row["id"]: row for row in rows}


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    (folder / "seeds.toml").write_text(SEEDS)
    docs = write(folder / "docs.csv", ROWS)
    fit = ["fit", str(docs), "--seeds", str(folder / "seeds.toml"), "-q"]
    assert cli.run([*fit, "-o", str(folder / "plain")]) == 0
    assert cli.run([*fit, "-o", str(folder / "none"), "--none-label", "other"]) == 0
    assert cli.run([*fit, "-o", str(folder / "WSPTM"), "--model", "WSPTM"]) == 0
    return folder


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet", "xlsx"])
@pytest.mark.parametrize("model", ["plain", "none", "WSPTM"])
def test_predict(
    model: str, ending: str, models: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    docs = write(tmp_path / f"docs.{ending}", [*ROWS, *EXTRA])
    output = tmp_path / f"out.{ending}"
    assert cli.run(["predict", str(models / model), str(docs), "-o", str(output), "--json"]) == 3
    told = capsys.readouterr()
    values = json.loads(told.out)
    rows = read(output)
    assert list(rows) == [row["id"] for row in [*ROWS, *EXTRA]]
    added = [name for name in COLUMNS if name in rows["t0"]]
    empty = {name for name, row in rows.items() if all(row[column] is None for column in added)}
    unknown = {*NO_WORD, *(BY_VECTORS if model == "WSPTM" else ())}  # which has no vectors
    assert empty == ({*NO_TEXT} if model == "none" else {*NO_TEXT, *unknown})
    assert {rows[name]["predicted"] for name in unknown} == ({"other"} if model == "none" else {None})
    assert (values["without_text"], values["without_known_word"]) == (3, len(unknown))
    assert values["documents"] == sum(values["categories"].values()) == len(rows) - len(empty)
    assert "3 rows of" in told.err
    assert "have no text in the column 'text' and have no label" in told.err
    label = "the label 'other'" if model == "none" else "no label"
    assert f"{len(unknown)} documents contain no known word and have {label}" in told.err


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("none_label", [None, "other"])
def test_label(ending: str, none_label: str | None, models: Path, tmp_path: Path) -> None:
    docs, output = write(tmp_path / f"docs.{ending}", [*ROWS, *EXTRA]), tmp_path / f"out.{ending}"
    options = ["--multi", *([] if none_label is None else ["--none-label", none_label])]
    command = ["label", str(docs), "--seeds", str(models / "seeds.toml"), "-o", str(output), "-q", *options]
    assert cli.run([*command, "--set", "max_iter=2"]) == 3
    rows = read(output)
    added = [name for name in COLUMNS if name in rows["t0"]]
    assert "labels" in added
    for name in NO_TEXT:
        assert [rows[name][column] for column in added] == [None] * len(added)
    # The fit has seen all other words: stop words alone are not counted.
    assert rows["stop words"]["predicted"] == none_label
    assert rows["unknown"]["predicted"] is not None


def test_a_confirmed_label_stays_where_there_is_a_text(models: Path, tmp_path: Path) -> None:
    docs, output = write(tmp_path / "docs.jsonl", [*ROWS[:9], *EXTRA]), tmp_path / "out.jsonl"
    command = ["label", str(docs), "--seeds", str(models / "seeds.toml"), "-o", str(output), "-q"]
    rows = [{**row, "label": row["label"] if row in EXTRA else ""} for row in [*ROWS, *EXTRA]]
    write(docs, rows)
    assert cli.run([*command, "--confirmed", "label"]) == 3
    found = read(output)
    assert found["stop words"]["predicted"] == "money"
    assert [found[name]["predicted"] for name in NO_TEXT] == [None] * 3


def test_evaluate_counts_them_apart(models: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    docs = str(write(tmp_path / "docs.jsonl", [*ROWS, *EXTRA]))
    assert cli.run(["evaluate", str(models / "plain"), docs, "--json"]) == 3
    told = capsys.readouterr()
    values = json.loads(told.out)
    assert (values["documents"], values["without_text"], values["without_known_word"]) == (17, 3, 2)
    assert sum(row["support"] for row in values["categories"]) == 17
    sentence = "5 of 22 documents have no label and are not scored: 3 without a text, 2 without a known word"
    assert sentence in told.err
    assert cli.run(["evaluate", str(models / "none"), docs, "--json"]) == 3
    assert json.loads(capsys.readouterr().out)["documents"] == 19
    nothing = str(write(tmp_path / "nothing.csv", EXTRA[:5]))
    assert cli.run(["evaluate", str(models / "plain"), nothing]) == 2
    assert "5 of 5 documents have no label (3 without a text, 2 without" in capsys.readouterr().err


@pytest.mark.parametrize("fitted", [False, True])
def test_report_counts_them_apart(fitted: bool, models: Path, tmp_path: Path) -> None:
    docs = str(write(tmp_path / "docs.jsonl", [*ROWS, *EXTRA]))
    model = str(models / "plain")
    if fitted:
        model = str(tmp_path / "model")
        seeds = str(models / "seeds.toml")
        assert cli.run(["fit", docs, "--seeds", seeds, "-o", model, "-q", "--set", "max_iter=2"]) == 3
    for ending in ("json", "md", "html"):
        output = str(tmp_path / f"report.{ending}")
        options = ["--label-field", "label", *(["--fitted"] if fitted else [])]
        assert cli.run(["report", model, docs, "-o", output, "-q", *options]) == 3
    found = json.loads((tmp_path / "report.json").read_text())
    unknown = 1 if fitted else 2  # the fit has seen the unknown words
    assert (found["documents"], found["without_text"], found["without_known_word"]) == (22, 3, unknown)
    labelled = 22 - 3 - unknown
    assert sum(category["documents"] for category in found["categories"]) == labelled
    assert sum(found["histogram"]) == sum(map(sum, found["confusions"]["counts"])) == labelled
    shown = {example["id"] for example in found["least_certain"] + found["most_certain"]}
    assert not shown & {*NO_TEXT, "stop words"}
    assert len(found["map"]["documents"]) == labelled
    assert "without a text: no label: 3" in (tmp_path / "report.md").read_text()
    assert "without a known word: no label" in (tmp_path / "report.html").read_text()


def test_a_report_on_nothing_that_can_be_labelled(models: Path) -> None:
    found = Report.of(load(models / "plain"), ["", "the of", "qzxv"])
    assert (found.mean_probability, sum(found.histogram), found.least_certain) == (None, 0, [])
    assert "mean probability: \n" in found.to_markdown()
    assert found.to_html().startswith("<!DOCTYPE html>")


@pytest.mark.parametrize("name", [*KINDS])
def test_explain(name: str, models: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    docs, page = str(write(tmp_path / "docs.csv", [*ROWS, *EXTRA])), tmp_path / "why.html"
    command = ["explain", str(models / "plain"), docs, "--id", name, "-o", str(page)]
    assert cli.run([*command, "--json"]) == 3
    found = json.loads(capsys.readouterr().out)
    reason = {**dict.fromkeys(NO_TEXT, "no text"), **dict.fromkeys(NO_WORD, "no known word")}.get(name)
    assert found["unlabelled"] == reason
    assert (found["label"] is None, found["probability"] is None) == (reason is not None,) * 2
    assert (f"Why {name} has no label" in page.read_text()) == (reason is not None)
    assert cli.run(command) == 3
    said = capsys.readouterr().out
    assert ("it has no text" in said, "knows no word of it" in said) == (name in NO_TEXT, name in NO_WORD)
    with_none = load(models / "none").explain(KINDS[name] or "")
    assert with_none.given == (None if name in NO_TEXT else "other" if name in NO_WORD else "sports")


def test_the_server(models: Path) -> None:
    texts = [text for text in KINDS.values() if text is not None]
    for folder, n_empty in (("plain", 4), ("none", 2)):
        model = load(models / folder)
        app = FastAPI()
        app.include_router(Api(lambda model=model: model).router)
        client = TestClient(app)
        body = {"texts": texts, "all_labels": True, "all_probabilities": True}
        found = client.post("/predict", json=body).json()
        assert [source == "none" for source in found["sources"]] == [True] * n_empty + [False] * (5 - n_empty)
        for name in {*found} - {
            "categories",
            "margins",
            "sources",
        }:  # a document of no category has no margin
            assert [value is None for value in found[name]] == [True] * n_empty + [False] * (5 - n_empty)
        assert found["margins"][:4] == [None] * 4
        assert found["labels"][2:4] == ([None, None] if folder == "plain" else ["other", "other"])
        seeds = {"sports": ["game", "player"], "money": ["bank", "stock"]}
        given = client.post("/label", json={"texts": [*TEXTS, *texts], "seeds": seeds}).json()
        assert [label is None for label in given["labels"]] == [False] * 16 + [True] * 3 + [False] * 2
        assert given["probabilities"][16:19] == [None] * 3


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    docs = write(tmp_path_factory.mktemp("studio") / "docs.jsonl", [*ROWS, *EXTRA])
    with pytest.warns(UnusableDocuments, match="3 rows"):
        collection = Collection(read_documents(docs))
    session = Session(
        collection, Seeds({"sports": ["game", "player"], "money": ["bank", "stock"]}), pause=0.0
    )
    counts = session.state()["documents"]
    assert (counts["without_text"], counts["without_known_word"]) == (3, 1)  # before any fit
    session.start()
    session.wait_until_settled(60)
    yield session
    session.close()


def test_the_studio_lists_and_counts_them(session: Session) -> None:
    draft, labels, changes = session.snapshot()
    assert labels is not None
    counts = session.state()["documents"]
    assert (counts["total"], counts["without_text"], counts["without_known_word"]) == (22, 3, 1)
    assert sum(category["size"] for category in session.state()["categories"]) == 18

    def listed(**query: Any) -> list[dict[str, Any]]:
        asked, collection = Query(limit=50, **query), session.collection
        found = matching_documents(asked, collection, draft, labels, changes, Search(collection.texts))
        return list(list_documents(asked, found, collection, draft, labels, changes)["documents"])

    empty = {*NO_TEXT, "stop words"}
    for order in ("given", "certain"):
        rows = listed(order=order)
        fields = ("label", "probability", "runner_up")
        assert {row["name"] for row in rows if all(row[field] is None for field in fields)} == empty
    assert {row["name"] for row in listed(order="certain")[-4:]} == empty
    assert empty.isdisjoint(row["name"] for row in listed(order="doubtful"))
    assert len(listed(most=0.99999)) + len(listed(least=0.99999)) <= 18
    opened = [open_document(row, session.collection, draft, labels, changes) for row in range(16, 22)]
    prose = dict(zip(KINDS, (document["prose"] for document in opened), strict=True))
    assert all("has no text" in prose[name] for name in NO_TEXT)
    assert "contains no known word" in prose["stop words"]


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet", "xlsx"])
def test_the_studio_exports_nothing_for_them(session: Session, ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"labels.{ending}"
    write_export(session, "labels", path)
    rows = read(path)
    empty = {name for name, row in rows.items() if all(row[column] is None for column in ADDED[:-1])}
    assert empty == {*NO_TEXT, "stop words"}
    write_export(session, "report", tmp_path / "report.json")
    found = json.loads((tmp_path / "report.json").read_text())
    assert (found["without_text"], found["without_known_word"]) == (3, 1)


def test_a_preview_of_a_sample_knows_the_others(tmp_path: Path) -> None:
    texts = [*TEXTS * 3, "", "the of", "qzxv"]
    collection = Collection(Rows(texts=texts, rows=[{"text": text} for text in texts]))
    seeds = {"sports": ["game", "player"], "money": ["bank", "stock"]}
    session = Session(collection, Seeds(seeds), pause=0.0, most_previewed=20)
    draft = session.draft
    found = session._fitting.preview(draft, Seeds(seeds), lambda *_: None, lambda: None)
    assert found[3] == "sample"
    assert found[2].tolist() == [True] * 48 + [False] * 2 + [True]
    session.close()


def test_python_gives_every_text_a_class(models: Path) -> None:
    model = load(models / "plain")
    texts = ["", "the of", "qzxv", "hockey striker", "a game"]
    assert set(model.predict(texts)) <= {"sports", "money"}
    assert model.predict_proba(texts)[:3].tolist() == [[0.5, 0.5]] * 3
    assert model.has_known_words(texts).tolist() == [False, False, False, True, True]
    assert load(models / "WSPTM").has_known_words(texts).tolist() == [False, False, False, False, True]
    frame = model.label_frame(pd.DataFrame({"text": texts}))
    assert frame["predicted"].isna().tolist() == frame["margin"].isna().tolist() == [True] * 3 + [False] * 2


def test_a_document_between_two_categories_keeps_its_label() -> None:
    """Even probabilities do not mean that no word is known."""
    texts = ["game", "bank", "game", "bank", "game bank", "the"]
    seeds = {"sports": ["game"], "money": ["bank"]}
    for model in (SeedTopicClassifier(seeds, vectors=None, random_state=0), WSPTM(seeds, random_state=0)):
        model.fit(texts)
        assert model.has_words_.tolist() == [True] * 5 + [False]


def test_a_saved_model_keeps_what_its_fit_knew(tmp_path: Path) -> None:
    texts = [*TEXTS, "game bank", "the of"]
    model = SeedTopicClassifier({"sports": ["game"], "money": ["bank"]}, random_state=0).fit(texts)
    model.save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert isinstance(again, SeedTopicClassifier)
    assert again.has_words_.tolist() == model.has_words_.tolist() == [True] * 17 + [False]


def test_models_without_seeds_know_their_words() -> None:
    model = MedLDA(n_topics=2, random_state=0, n_sweeps=2, burn_in=1, n_samples=1, min_df=1)
    model.fit(["gold ship", "bank rate"], ["a", "b"])
    assert model.has_known_words(["gold", "xyzzy"]).tolist() == [True, False]


@pytest.mark.parametrize("value", ["", " ", "\t\n", "\u00a0", "\u2003"])
def test_a_blank_text_is_no_text(value: str, tmp_path: Path) -> None:
    docs = write(tmp_path / "docs.jsonl", [{"text": "a game"}, {"text": value}])
    with pytest.warns(UnusableDocuments, match="1 row"):
        assert read_documents(docs).has_text.tolist() == [True, False]
