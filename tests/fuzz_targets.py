"""What strangers can send, as functions of bytes: each is read, or refused in one sentence; all else is a bug.

`tools/fuzz.py` looks for such bytes, led by the lines that they reach, and `test_fuzz_corpus.py` reads the
ones that were kept.
"""

from __future__ import annotations

import asyncio
import gzip
import io
import json
import os
import re
import tempfile
import warnings
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

import seedtopic
from sealing import header_of, seal
from seedtopic import (
    PLDNB,
    Answers,
    InputError,
    MissingExtraError,
    Names,
    Seeds,
    SeedTopicClassifier,
    SeedWarning,
    UnusableDocuments,
)
from seedtopic.answers.annotation import read_checked
from seedtopic.base.checkpoint import CheckpointFolder
from seedtopic.io.rows import Rows, read_documents
from seedtopic.knowledge.replies import seeds_of_answer
from seedtopic.knowledge.tables import read_word_vectors
from seedtopic.text.patterns import FLAGS, Pattern
from seedtopic.text.phrases import Phrases
from seedtopic.text.rules import TextWithColumns
from seedtopic.text.tally import tally, tally_texts
from seedtopic.text.tokens import word_counts
from seedtopic.web.api import Api
from seedtopic.web.app import make_app
from seedtopic.web.studio.answered import Answered
from seedtopic.web.studio.documents import Collection
from seedtopic.web.studio.draft import Draft, History
from seedtopic.web.studio.quality import Quality
from seedtopic.web.studio.workspace import read_workspace, write_workspace

Target = Callable[[bytes], None]

TEXTS = ["the game, the team", "bank and rate", "naïve player 😀", "", "stock; tab\tand 'quotes'"] * 3
SEEDS = {"sports": ["game", "player"], "money": ["bank", "stock"]}
LONGEST = 3000  # characters of a sentence


@cache
def _folder() -> Path:
    """Give a folder in memory, where there is one: it is written to thousands of times a second."""
    memory = "/dev/shm"
    return Path(
        tempfile.mkdtemp(prefix="seedtopic-fuzz-", dir=memory if os.access(memory, os.W_OK) else None)
    )


@contextmanager
def refused_in_a_sentence() -> Iterator[None]:
    """Let an InputError or a missing extra pass, if it is one sentence; no warning but ours is allowed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", SeedWarning)
            warnings.simplefilter("ignore", UnusableDocuments)
            yield
    except (InputError, MissingExtraError) as error:
        check_sentence(str(error))


def check_sentence(sentence: str) -> None:
    """Tell whether a user can read it."""
    assert 5 < len(sentence) < LONGEST, sentence
    assert "\n" not in sentence, sentence


def _put(name: str, content: bytes) -> Path:
    path = _folder() / name
    path.write_bytes(content)
    return path


def _documents(ending: str, content: bytes) -> None:
    path = _put(f"docs.{ending}", content)
    with refused_in_a_sentence():
        documents = read_documents(path)
        assert len(documents.texts) == len(documents.rows)
        assert all(isinstance(text, str) for text in documents.texts)


def csv(data: bytes) -> None:
    _documents("csv", data)


def jsonl(data: bytes) -> None:
    _documents("jsonl", data)


def packed(data: bytes) -> None:
    """A table in a gzip file, cut by its last byte."""
    content = gzip.compress(data[:-1], 1, mtime=0)
    _documents("tsv.gz", content[: len(content) - (data[-1] if data and data[-1] < 20 else 0)])


@cache
def _workbook() -> dict[str, bytes]:
    from seedtopic.io.write import write_rows

    path = _folder() / "made.xlsx"
    write_rows(path, [{"id": place, "text": text} for place, text in enumerate(TEXTS)], ["id", "text"])
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def workbook(data: bytes) -> None:
    """A spreadsheet whose first sheet, or whose list of texts, is these bytes."""
    parts = dict(_workbook())
    names = sorted(parts)
    sheet = next(name for name in names if "sheet1" in name and name.endswith(".xml"))
    parts[names[data[0] % len(names)] if data and data[0] < 16 else sheet] = data[1:]
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    _documents("xlsx", made.getvalue())


def _seeds(ending: str, content: bytes) -> None:
    path = _put(f"seeds.{ending}", content)
    with refused_in_a_sentence():
        seeds = Seeds.read(path)
        assert Seeds(seeds.table()).names == seeds.names
        PLDNB(seeds).fit([TextWithColumns.of(text, {"subject": "Invoice"}) for text in TEXTS])


def seeds_toml(data: bytes) -> None:
    _seeds("toml", data)


def seeds_json(data: bytes) -> None:
    _seeds("json", data)


def answer(data: bytes) -> None:
    """Seeds in the answer of a language model."""
    with refused_in_a_sentence():
        seeds_of_answer(data.decode("utf-8", "replace"))


def rule(data: bytes) -> None:
    """A regular expression, and a text below it: the answer is that of Python's own engine."""
    expression, _, text = data.decode("utf-8", "replace").partition("\n")
    found = None
    with refused_in_a_sentence():
        found = Pattern(expression).search(text)
    if (
        found is not None
        and len(text) < 40
        and len(expression) < 60
        and not re.search(r"[+*}]\)*[+*{]", expression)
    ):
        assert found == (re.compile(expression, FLAGS).search(text) is not None), (expression, text)


@cache
def _saved(name: str) -> dict[str, bytes]:
    models = {"PLDNB": PLDNB(SEEDS), "default": SeedTopicClassifier(SEEDS, max_iter=2, random_state=0)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        models[name].fit(TEXTS).save(_folder() / name)
    return {path.name: path.read_bytes() for path in (_folder() / name).iterdir()}


def _loaded(folder: Path) -> None:
    with refused_in_a_sentence():
        model = seedtopic.load(folder)
        found = model.predict_proba(TEXTS[:4])
        assert np.isfinite(found).all()
        assert np.allclose(found.sum(axis=1), 1)


def _forged(name: str, **content: bytes) -> None:
    folder = _folder() / f"forged-{name}"
    folder.mkdir(exist_ok=True)
    for file, whole in {**_saved(name), **content}.items():
        (folder / file).write_bytes(whole)
    try:
        header = header_of(folder)
    except (ValueError, RecursionError):
        header = None
    if isinstance(header, dict):
        if "vocabulary.txt" in content:
            header["n_words"] = content["vocabulary.txt"].count(b"\n")
        try:
            seal(folder, header)
        except (ValueError, RecursionError):  # half of a surrogate pair, or too deep
            return
    _loaded(folder)


def model_header(data: bytes) -> None:
    """A model.json whose checksums are right."""
    _forged("default", **{"model.json": data})


def model_arrays(data: bytes) -> None:
    _forged("PLDNB", **{"arrays.npz": data})


def model_words(data: bytes) -> None:
    _forged("PLDNB", **{"vocabulary.txt": data})


def checkpoint(data: bytes) -> None:
    folder = CheckpointFolder(_folder())
    _put("step.npz", data)
    with refused_in_a_sentence():
        folder.recall("step")


@cache
def _collection() -> Collection:
    return Collection(Rows(texts=TEXTS, rows=[{}] * len(TEXTS)), vectors=None)


def workspace(data: bytes) -> None:
    path = _put("toy.studio", data)
    with refused_in_a_sentence():
        history, quality = read_workspace(path)
        made = io.StringIO()
        write_workspace(made, history, quality)
        path.write_text(made.getvalue(), encoding="utf-8")
        assert read_workspace(path) == (history, quality)
        if quality.audit is not None:
            answered = Answered(Answers(), _collection(), Names.of(history.present))
            json.dumps(quality.audit.with_answers(answered).as_dict(answered, None, str))
        seeds = history.present.seeds()
        if seeds is not None:
            seeds.to_toml()


def annotation(data: bytes) -> None:
    """A file of an annotation tool; the first byte says which."""
    tools = ("label-studio", "prodigy", "argilla", "doccano")
    tool = tools[data[0] % len(tools)] if data else tools[0]
    path = _put("checked.json" if tool == "label-studio" else "checked.jsonl", data[1:])
    with refused_in_a_sentence():
        read_checked(path, tool)


def word_vectors(data: bytes) -> None:
    path = _put("vectors.bin" if data[:1] == b"\0" else "vectors.txt", data[1:])
    with refused_in_a_sentence():
        read_word_vectors(path)


def words(data: bytes) -> None:
    """Texts, divided by bytes that are not text, and phrases after two of them: C counts what Python counts."""
    text, _, after = data.partition(b"\xff\xff")
    texts = [part.decode("utf-8", "replace") for part in text.split(b"\xff")]
    if len(data) % 7 == 0:  # half of a surrogate pair, which is not a character
        texts.append("\ud800" + texts[0] + "\udfff")
    names = [part.decode("utf-8", "replace") for part in after.split(b"\xff")]
    phrases = Phrases({name: name.split()[:4] for name in names if name.split()})
    assert tally_texts(texts, phrases) == tally(texts, partial(word_counts, phrases=phrases))


@cache
def _app() -> tuple[Any, asyncio.AbstractEventLoop]:
    _saved("PLDNB")
    model = seedtopic.load(_folder() / "PLDNB")
    return make_app(Api(lambda: model), log=lambda event, values: None), asyncio.new_event_loop()


def _request(path: str, body: bytes) -> None:
    app, loop = _app()
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "POST", "scheme": "http",
        "path": path, "raw_path": path.encode(), "query_string": b"", "root_path": "",
        "client": ("127.0.0.1", 4000), "server": ("127.0.0.1", 8000),
        "headers": [
            (b"host", b"127.0.0.1:8000"), (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
        ],
    }  # fmt: skip
    sent: list[Any] = []
    waiting = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Any:
        if waiting:
            return waiting.pop()
        await asyncio.sleep(3600)  # a client that stays
        return None

    async def send(message: Any) -> None:
        sent.append(message)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SeedWarning)
        loop.run_until_complete(app(scope, receive, send))
    status = sent[0]["status"]
    said = json.loads(b"".join(message.get("body", b"") for message in sent))
    assert status in (200, 400, 413, 422), (status, said)
    if status != 200:
        check_sentence(json.dumps(said))


def http_predict(data: bytes) -> None:
    _request("/predict", data)


def http_label(data: bytes) -> None:
    _request("/label", data)


TARGETS: dict[str, Target] = {
    target.__name__: target
    for target in (
        csv, jsonl, packed, workbook, seeds_toml, seeds_json, answer, rule, model_header, model_arrays,
        model_words, checkpoint, workspace, annotation, word_vectors, words, http_predict, http_label,
    )
}  # fmt: skip


def examples(name: str) -> list[bytes]:
    """Give inputs that are read as they should be, from which a search starts."""
    rows = [{"id": str(place), "text": text} for place, text in enumerate(TEXTS)]
    lines = "".join(json.dumps(row) + "\n" for row in rows).encode()
    table = b'id,text\n7,"the game, the team"\n8,bank and rate\n'
    toml = (
        b'sports = ["game", "play*"]\n\n[money]\nwords = ["bank", "stock"]\nexclude = ["river"]\n'
        b'parent = "news"\nweights = { bank = 2.0 }\npatterns = ["rate [0-9]+"]\nexamples = ["my bank"]\n'
        b'\n[money.columns]\nsubject = ["Invoice"]\n'
    )
    seeds = json.dumps({"sports": ["game"], "money": {"words": ["bank"], "weights": {"bank": 2.0}}}).encode()
    request = {"texts": ["the game", "bank"], "all_probabilities": True, "all_labels": False}
    made = io.StringIO()
    drawn = "audit 0a1b2c3d, row {}, stratum {} of 1 + 2 documents"
    audit = {
        "revision": 0, "checks": [["0a", drawn.format(2, 1), "sports"], ["0b", drawn.format(4, 2), "money"]],
        "labelled": [["sports", 2], ["money", 1]], "used": False,
    }  # fmt: skip
    quality = Quality.from_data({"compared": None, "audit": audit, "draws": 1})
    write_workspace(made, History(Draft.of(Seeds(SEEDS))), quality)
    np.savez(stored := io.BytesIO(), theta=np.arange(4.0), names=np.arange(3))
    found: dict[str, Callable[[], list[bytes]]] = {
        "csv": lambda: [table, table.replace(b",", b";"), table.decode().encode("utf-16")],
        "jsonl": lambda: [lines],
        "packed": lambda: [table.replace(b",", b"\t") + b"\xff"],
        "workbook": lambda: [b"\xff" + part for name, part in _workbook().items() if "sheet1" in name],
        "seeds_toml": lambda: [toml],
        "seeds_json": lambda: [seeds],
        "answer": lambda: [b"Here you are:\n```toml\n" + toml + b"```\n", b"```json\n" + seeds + b"\n```"],
        "rule": lambda: [rb"no\.?\s*[0-9]{2,4}|(a+b)?c$" + b"\nInvoice no. 17", rb"\bgo(al|od)\b" + b"\na good goal"],
        "model_header": lambda: [_saved("default")["model.json"]],
        "model_arrays": lambda: [_saved("PLDNB")["arrays.npz"]],
        "model_words": lambda: [_saved("PLDNB")["vocabulary.txt"]],
        "checkpoint": lambda: [stored.getvalue()],
        "workspace": lambda: [made.getvalue().encode()],
        "annotation": lambda: [
            b"\x00" + json.dumps([{"id": 1, "data": {"text": "a"}, "annotations": [{"result": [
                {"from_name": "label", "to_name": "text", "type": "choices", "value": {"choices": ["x"]}}
            ]}]}]).encode(),
            b"\x01" + b'{"text": "a", "accept": ["x"], "answer": "accept", "meta": {"id": "1"}}\n',
            b"\x02" + b'{"id": "1", "fields": {"text": "a"}, "metadata": {"id": "7"}, "status": "completed", '
            b'"responses": {"category": [{"value": "x", "user_id": "u"}]}}\n',
            b"\x03" + b'{"id": 1, "text": "a goal", "label": ["sports"]}\n',
        ],
        "word_vectors": lambda: [b"xgold 1 0\nsilver 3 4\nship 0 1\n", b"\x002 2\ngold " + b"\0" * 8 + b"\nship " + b"\0" * 8],
        "words": lambda: ["New York é東京 naïve ﬁ\xff\xff".encode().replace(b"\xc3\xbf", b"\xff") + b"New York"],
        "http_predict": lambda: [json.dumps(request).encode()],
        "http_label": lambda: [json.dumps({"texts": TEXTS[:4], "seeds": SEEDS}).encode()],
    }  # fmt: skip
    return found[name]()
