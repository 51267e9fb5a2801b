"""Reuters-10: the stories of Reuters-21578 that have exactly one topic, of ten topics."""

from __future__ import annotations

import io
import os
import re
import tarfile
from collections import Counter
from collections.abc import Iterator

from seedtopic.base.errors import InputError
from seedtopic.cli.demo import Dataset
from seedtopic_lab.corpora.local import Progress, Record, download, find_records

_URLS = (
    "https://kdd.ics.uci.edu/databases/reuters21578/reuters21578.tar.gz",
    "http://kdd.ics.uci.edu/databases/reuters21578/reuters21578.tar.gz",
    "https://archive.ics.uci.edu/ml/machine-learning-databases/reuters21578-mld/reuters21578.tar.gz",
)
# As recorded by the dataset card "reuters21578" of Hugging Face for the first address (8,150,596 bytes).
_SHA256 = "3bae43c9b14e387f76a61b6d82bf98a4fb5d3ef99ef7e7075ff2ccbcf59f9d30"

# Stories to train and to test on, as the literature counts them.
_SIZES = {
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

_STORY = re.compile(r"<REUTERS\b([^>]*)>(.*?)</REUTERS>", re.S)
_ATTRIBUTE = re.compile(r'(\w+)="([^"]*)"')
# References to the control characters of the wire service (&#3; ends a text), not part of the story.
_CONTROL = re.compile(r"&#(?:\d|[12]\d|3[01]|127);")
# Written as "Reuter", "REUTER...", "REUTER^M" and similar.
_SIGN_OFF = re.compile(r"\s+reuter(?:\s|\.|\^M)*$", re.I)


def fetch_reuters10(
    *,
    several: bool = False,
    data_home: str | os.PathLike[str] | None = None,
    download_if_missing: bool = True,
    on_progress: Progress | None = None,
) -> Dataset:
    """Load Reuters-10, downloading Reuters-21578 the first time.

    Parameters
    ----------
    several : bool, default False
        Whether to return the stories with two or more of the ten topics instead of those with one topic; a
        label then lists them all, as in "gold; trade", and topics outside the ten are ignored.
    data_home : path, optional
        Cache folder; by default SEEDTOPIC_CACHE, else ~/.cache/seedtopic.
    download_if_missing : bool, default True
        Whether a download is allowed if neither SEEDTOPIC_DATA nor the cache has the corpus.
    on_progress : callable, optional
        Called during the download with the bytes so far and the total bytes (0 if unknown).

    Returns
    -------
    Dataset
        7,285 stories (5,228 train, 2,057 test) of 10 categories: the ModApte split, exactly one topic, with
        a body. A text is the title and the body, prepared by :func:`prepare_story`; an id is the NEWID.

    Raises
    ------
    InputError
        If the corpus is at none of the places and cannot be downloaded.

    Examples
    --------
    >>> fetch_reuters10()  # doctest: +SKIP
    Dataset(name='reuters10', 7285 documents, 10 categories)
    """
    name = "reuters10_several" if several else "reuters10"

    def fetch() -> list[Record]:
        records = read_archive(download(_URLS, _SHA256, on_progress), several=several)
        return records if several else _checked(records)

    records = find_records(name, data_home=data_home, download_if_missing=download_if_missing, fetch=fetch)
    return Dataset(
        name=name,
        texts=[prepare_story(record["text"]) for record in records],
        labels=[record["label"] for record in records],
        split=[record["split"] for record in records],
        categories=sorted(_SIZES),
        ids=[str(record["newid"]) for record in records],
    )


def prepare_story(text: str) -> str:
    """Remove the sign-off "Reuter" at the end of a story; character entities stay as they are.

    Parameters
    ----------
    text : str
        Title and body.

    Returns
    -------
    str
        The text without the sign-off.

    Examples
    --------
    >>> prepare_story("SUGAR UP\\nSugar rose, traders said.\\n REUTER\\n")
    'SUGAR UP\\nSugar rose, traders said.'
    """
    return _SIGN_OFF.sub("", text).strip()


def read_archive(content: bytes, *, several: bool = False) -> list[Record]:
    """Read the stories of reuters21578.tar.gz that belong to Reuters-10, in the order of their NEWID.

    The members are read in memory, never extracted: a name in the archive cannot become a path on disk.
    """
    records: list[Record] = []
    with tarfile.open(fileobj=io.BytesIO(content), mode="r:gz") as archive:
        for member in archive:
            file = archive.extractfile(member) if member.isfile() and member.name.endswith(".sgm") else None
            if file:
                records.extend(read_stories(file.read().decode("latin-1"), several=several))
    return sorted(records, key=lambda record: int(record["newid"]))


def read_stories(sgml: str, *, several: bool = False) -> Iterator[Record]:
    """Yield the stories of one SGML file that belong to Reuters-10, or to several of its categories.

    Examples
    --------
    >>> story = (
    ...     '<REUTERS TOPICS="YES" LEWISSPLIT="TRAIN" NEWID="7"><TOPICS><D>gold</D></TOPICS><TEXT>&#2;'
    ...     '<TITLE>GOLD UP</TITLE><BODY>Gold rose.\\n Reuter\\n&#3;</BODY></TEXT></REUTERS>'
    ... )
    >>> next(read_stories(story))
    {'text': 'GOLD UP\\nGold rose.\\n Reuter', 'label': 'gold', 'split': 'train', 'newid': 7}
    """
    for attributes, story in _STORY.findall(sgml):
        about = dict(_ATTRIBUTE.findall(attributes))
        topics = re.findall(r"<D>(.*?)</D>", _element("TOPICS", story) or "")
        known = [topic for topic in dict.fromkeys(topics) if topic in _SIZES]
        body = _element("BODY", story)
        if (
            about.get("TOPICS") == "YES"
            and about.get("LEWISSPLIT") in ("TRAIN", "TEST")
            and body is not None
            and (len(known) > 1 if several else len(topics) == len(known) == 1)
        ):
            text = f"{(_element('TITLE', story) or '').strip()}\n{body.strip()}".strip()
            split = about["LEWISSPLIT"].lower()
            yield {"text": text, "label": "; ".join(known), "split": split, "newid": int(about["NEWID"])}


def _element(tag: str, story: str) -> str | None:
    match = re.search(f"<{tag}>(.*?)</{tag}>", story, re.S)
    return _CONTROL.sub(" ", match[1]) if match else None


def _checked(records: list[Record]) -> list[Record]:
    counts = Counter((record["label"], record["split"]) for record in records)
    if {label: (counts[label, "train"], counts[label, "test"]) for label in _SIZES} != _SIZES:
        raise InputError(
            f"the downloaded archive gives {len(records)} stories of Reuters-10 and not the 7,285 of the "
            "literature: set SEEDTOPIC_DATA to a folder that contains reuters10.jsonl.gz"
        )
    return records
