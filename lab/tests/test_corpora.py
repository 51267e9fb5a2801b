"""The corpora: what the loaders keep of a source, where they look for it, and what they say without one."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import re
import tarfile
import tomllib
import urllib.error
import urllib.request
from collections import Counter
from pathlib import Path

import pytest

from seedtopic import InputError
from seedtopic_lab.corpora import (
    fetch_corpus,
    fetch_newsgroups20,
    fetch_reuters10,
    local,
    newsgroups20,
    prepare_post,
    prepare_story,
    published_seeds,
    reuters10,
)

REUTERS_SIZES = {
    "acq": (1435, 620),
    "coffee": (89, 21),
    "crude": (223, 98),
    "earn": (2673, 1040),
    "gold": (70, 20),
    "interest": (140, 57),
    "money-fx": (176, 69),
    "ship": (107, 35),
    "sugar": (90, 24),
    "trade": (225, 73),
}

POSTS = {
    "20news-bydate-train/sci.space/9": "From: a@b.edu\nSubject: Moon\n\nThe moon\xe9 rises.\n",
    "20news-bydate-train/rec.autos/9": "Subject: Cars\nFrom: c@d\n\nA car.\n",
    "20news-bydate-test/sci.space/11": "Subject: Re: Moon\n\nIt sets.\n",
    "../20news-bydate-test/README": "not a post",
}


def story(
    newid: int, topics: str, *, split: str = "TRAIN", used: str = "YES", body: str | None = "B."
) -> str:
    labels = "".join(f"<D>{topic}</D>" for topic in topics.split())
    text = "" if body is None else f"<DATELINE> X - </DATELINE><BODY>{body}\n Reuter\n&#3;</BODY>"
    return (
        f'<REUTERS TOPICS="{used}" LEWISSPLIT="{split}" CGISPLIT="TRAINING-SET" OLDID="5" NEWID="{newid}">\n'
        f"<TOPICS>{labels}</TOPICS>\n<PLACES><D>usa</D></PLACES>\n<UNKNOWN>&#5;</UNKNOWN>\n"
        f"<TEXT>&#2;\n<TITLE>T{newid} &lt;X></TITLE>{text}</TEXT>\n</REUTERS>\n"
    )


SGML = '<!DOCTYPE lewis SYSTEM "lewis.dtd">\n' + "".join(
    [
        story(9, "gold", body="Gold \xe9 &amp; more."),
        story(3, "earn", split="TEST"),
        story(4, "gold earn"),  # two topics
        story(11, "gold cocoa"),  # two topics, one of the ten
        story(12, "earn cocoa gold", split="TEST"),
        story(5, "cocoa"),  # not one of the ten
        story(6, ""),
        story(7, "gold", body=None),
        story(8, "gold", split="NOT-USED"),
        story(10, "gold", used="NO"),
    ]
)


def archive(files: dict[str, str]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        for name, text in files.items():
            content = text.encode("latin-1")
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


class Response(io.BytesIO):
    def __init__(self, content: bytes) -> None:
        super().__init__(content)
        self.headers = {"Content-Length": str(len(content))}


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty cache, no data folder, no network; returns the cache folder."""

    def refuse(url: str, timeout: float) -> Response:
        raise urllib.error.URLError("no network")

    monkeypatch.delenv("SEEDTOPIC_DATA", raising=False)
    monkeypatch.setenv("SEEDTOPIC_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(urllib.request, "urlopen", refuse)
    return tmp_path / "cache"


def serve(monkeypatch: pytest.MonkeyPatch, module: object, content: bytes) -> list[str]:
    """Make every address give `content`; returns the list of addresses asked for."""
    asked: list[str] = []

    def urlopen(url: str, timeout: float) -> Response:
        asked.append(url)
        return Response(content)

    monkeypatch.setattr(urllib.request, "urlopen", urlopen)
    monkeypatch.setattr(module, "_SHA256", hashlib.sha256(content).hexdigest())
    return asked


# --- preparation and parsing ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "prepared"),
    [
        ("Subject: A\n B\nFrom: x\n\nbody\n\nmore", "A B\nbody\n\nmore"),
        ("From: x\nKeywords: k\nSubject: s\n\nb", "k\ns\nb"),
        ("Subject: s\n\nIn <1993.1@x.edu> bob@host wrote: 3 @ 4", "s\nIn   wrote: 3 @ 4"),
        ("Subject: s\n\nSubject: quoted", "s\nSubject: quoted"),
        ("Subject: s", "s"),
    ],
)
def test_prepare_post(raw: str, prepared: str) -> None:
    assert prepare_post(raw) == prepared


@pytest.mark.parametrize("sign_off", ["\n Reuter", "\n REUTER\n", "\n reuter...", " REUTER^M", ""])
def test_prepare_story_deletes_only_the_sign_off(sign_off: str) -> None:
    assert prepare_story(f"T\nReuter said &lt;X>.{sign_off}") == "T\nReuter said &lt;X>."


def test_newsgroups_archive_is_read_in_order_and_only_posts() -> None:
    records = newsgroups20.read_archive(archive(POSTS))
    assert [(r["split"], r["label"], r["id"]) for r in records] == [
        ("train", "rec.autos", "9"),
        ("train", "sci.space", "9"),
        ("test", "sci.space", "11"),
    ]
    assert "moon\xe9" in records[1]["text"]


def test_reuters_archive_keeps_single_topic_stories_with_a_body() -> None:
    records = reuters10.read_archive(archive({"reut2-000.sgm": SGML, "README.txt": SGML}))
    assert [(r["newid"], r["label"], r["split"]) for r in records] == [
        (3, "earn", "test"),
        (9, "gold", "train"),
    ]
    assert records[1]["text"] == "T9 &lt;X>\nGold \xe9 &amp; more.\n Reuter"


def test_several_labels_per_document_in_the_reuters_archive(
    nowhere: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    serve(monkeypatch, reuters10, archive({"reut2-000.sgm": SGML}))
    corpus = fetch_reuters10(several=True, data_home=tmp_path)
    assert (corpus.name, corpus.ids, corpus.split) == ("reuters10_several", ["4", "12"], ["train", "test"])
    assert corpus.labels == ["gold; earn", "earn; gold"]
    assert corpus.categories == sorted(REUTERS_SIZES)
    assert [path.name for path in tmp_path.glob("*.gz")] == ["reuters10_several.jsonl.gz"]


# --- where a corpus is found ------------------------------------------------------------------------------


def test_download_is_checked_reported_and_cached(nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = archive(POSTS)
    asked = serve(monkeypatch, newsgroups20, content)
    progress: list[tuple[int, int]] = []
    corpus = fetch_newsgroups20(on_progress=lambda done, total: progress.append((done, total)))
    assert corpus.ids == ["rec.autos/9", "sci.space/9", "sci.space/11"]
    assert corpus.texts == ["Cars\nA car.", "Moon\nThe moon\xe9 rises.", "Re: Moon\nIt sets."]
    assert corpus.categories == ["rec.autos", "sci.space"]
    assert progress[-1] == (len(content), len(content))
    assert [path.name for path in nowhere.iterdir()] == ["newsgroups20.jsonl.gz"]
    assert fetch_newsgroups20(download_if_missing=False) == corpus
    assert len(asked) == 1


def test_reuters_download(nowhere: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    serve(monkeypatch, reuters10, archive({"reut2-000.sgm": SGML}))
    with pytest.raises(InputError, match="2 stories of Reuters-10 and not the 7,285"):
        fetch_reuters10(data_home=tmp_path)
    monkeypatch.setattr(reuters10, "_SIZES", {"earn": (0, 1), "gold": (1, 0)})
    corpus = fetch_reuters10(data_home=tmp_path)
    assert corpus.ids == ["3", "9"]
    assert corpus.texts == ["T3 &lt;X>\nB.", "T9 &lt;X>\nGold \xe9 &amp; more."]
    assert (tmp_path / "reuters10.jsonl.gz").is_file()


def test_a_file_with_another_checksum_is_refused_at_every_address(
    nowhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = serve(monkeypatch, newsgroups20, archive(POSTS))
    monkeypatch.setattr(newsgroups20, "_SHA256", "0" * 64)
    with pytest.raises(InputError, match="another checksum"):
        fetch_newsgroups20()
    assert len(asked) == 2
    assert not nowhere.exists()


@pytest.mark.parametrize("fetch", [fetch_newsgroups20, fetch_reuters10])
@pytest.mark.parametrize("allowed", [True, False])
def test_without_a_network_the_error_says_what_to_do(nowhere: Path, fetch, allowed: bool) -> None:
    with pytest.raises(InputError, match=r"set SEEDTOPIC_DATA .* or run once with a network") as error:
        fetch(download_if_missing=allowed)
    assert str(nowhere) in str(error.value)
    assert "\n" not in str(error.value)


def test_the_data_folder_comes_first(nowhere: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SEEDTOPIC_DATA", str(tmp_path))
    records = [{"text": "T\nB\n Reuter", "label": "gold", "split": "test", "newid": 1}]
    local.write_records(tmp_path / "reuters10.jsonl.gz", records)
    assert fetch_reuters10().texts == ["T\nB"]
    rows = [{"tokens": "a b", "label": "gold", "split": "train", "id": "7"}]
    local.write_records(tmp_path / "reuters10_tokens.jsonl.gz", rows)
    corpus = fetch_corpus("reuters10_tokens")
    assert (corpus.texts, corpus.ids) == (["a b"], ["7"])


def test_a_broken_file_is_named(nowhere: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SEEDTOPIC_DATA", str(tmp_path))
    path = tmp_path / "ag_news.jsonl.gz"
    for content in (b"plain", gzip.compress(b"{not json}\n"), gzip.compress(json.dumps({}).encode())[:-9]):
        path.write_bytes(content)
        with pytest.raises(InputError, match=r"ag_news\.jsonl\.gz is not a gzipped file of JSON lines"):
            fetch_corpus("ag_news")


def test_a_failed_write_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(TypeError):
        local.write_records(tmp_path / "x.jsonl.gz", [{"text": object()}])
    assert list(tmp_path.iterdir()) == []


def test_records_are_on_the_disk_before_they_take_their_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    sync, replace = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda file: (done.append("sync"), sync(file))[1])
    monkeypatch.setattr(os, "replace", lambda *paths: (done.append("replace"), replace(*paths))[1])
    local.write_records(tmp_path / "new" / "x.jsonl.gz", [{"text": "goal"}])
    assert done == ["sync", "replace", "sync"]
    assert local.read_records(tmp_path / "new" / "x.jsonl.gz") == [{"text": "goal"}]


def test_a_cache_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    with pytest.raises(InputError, match="cannot be made"):
        local.write_records(tmp_path / "file" / "below" / "x.jsonl.gz", [])


def test_a_corpus_that_is_not_downloaded_says_so(nowhere: Path) -> None:
    with pytest.raises(InputError, match=r"SEEDTOPIC_DATA to a folder that contains ag_news\.jsonl\.gz"):
        fetch_corpus("ag_news")


# --- published seed words ---------------------------------------------------------------------------------


def test_published_seeds_have_the_published_sizes() -> None:
    def words(name: str, which: str) -> list[str]:
        return [word for listed in published_seeds(name, which).values() for word in listed]

    assert len(set(words("newsgroups20", "SL"))) == 31
    assert (len(words("newsgroups20", "SD")), len(set(words("newsgroups20", "SD")))) == (102, 95)
    assert len(words("reuters10", "SL")) == 11
    assert len(set(words("reuters10", "SD"))) == 60
    assert published_seeds("reuters10", "SL", purified=True) == published_seeds("reuters10", "SL")
    assert sorted(published_seeds("reuters10", "SD")) == sorted(REUTERS_SIZES)


def test_seed_lists_are_also_read_from_the_data_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "novels.SL.toml").write_text('"whale" = ["sea", "ship"]\n"war" = ["ship"]\n')
    monkeypatch.setenv("SEEDTOPIC_DATA", str(tmp_path))
    assert published_seeds("novels", "SL") == {"war": ["ship"], "whale": ["sea", "ship"]}
    draws = [published_seeds("novels", "SL", purified=True, draw=draw) for draw in range(20)]
    assert {"war": ["ship"], "whale": ["sea"]} in draws
    assert {"war": [], "whale": ["sea", "ship"]} in draws
    assert published_seeds("novels", "SL", purified=True) == draws[0]


def test_unknown_seed_lists_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SEEDTOPIC_DATA", raising=False)
    with pytest.raises(InputError, match=r"no seed list novels\.SL\.toml"):
        published_seeds("novels", "SL")


# --- the real corpora -------------------------------------------------------------------------------------


@pytest.mark.corpora
def test_newsgroups20_sizes() -> None:
    corpus = fetch_newsgroups20()
    assert Counter(corpus.split) == {"train": 11314, "test": 7532}
    assert len(corpus.categories) == len(set(corpus.labels)) == 20
    assert len(set(corpus.ids)) == len(corpus) == 18846
    assert corpus.texts[0].startswith("Alt.Atheism FAQ: Atheist Resources\nFAQ, atheism, books")


@pytest.mark.corpora
@pytest.mark.parametrize("name", ["reuters10", "reuters10_tokens"])
def test_reuters10_sizes(name: str) -> None:
    corpus = fetch_corpus(name)
    counts = Counter(zip(corpus.labels, corpus.split, strict=True))
    assert {c: (counts[c, "train"], counts[c, "test"]) for c in corpus.categories} == REUTERS_SIZES
    assert Counter(corpus.split) == {"train": 5228, "test": 2057}
    assert len(set(corpus.ids)) == len(corpus) == 7285
    # Six stories are signed twice; one sign-off of each stays, as it does in the tokens of STM's authors.
    assert sum(bool(re.search(r"(?i)\breuter\s*$", text)) for text in corpus.texts) == 6


@pytest.mark.corpora
@pytest.mark.parametrize(
    ("name", "train", "test", "categories"),
    [("ag_news", 20000, 7600, 4), ("bbc_news", 1370, 855, 5), ("stackoverflow", 12035, 7965, 20)],
)
def test_other_corpora(name: str, train: int, test: int, categories: int) -> None:
    corpus = fetch_corpus(name)
    assert Counter(corpus.split) == {"train": train, "test": test}
    assert len(corpus.categories) == categories
    assert len(set(corpus.ids)) == len(corpus)
    assert sorted(published_seeds(name, "SD")) == corpus.categories


@pytest.mark.corpora
def test_published_seeds_equal_the_reference_files() -> None:
    files = sorted(Path(os.environ["SEEDTOPIC_DATA"]).glob("*.S[LD]*.toml"))
    assert len(files) >= 10
    for path in files:
        name, which, *purified = path.name.removesuffix(".toml").split(".")
        expected = tomllib.loads(path.read_text(encoding="utf-8"))
        assert published_seeds(name, which, purified=bool(purified)) == expected, path.name
