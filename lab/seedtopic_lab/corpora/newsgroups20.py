"""20 Newsgroups, the version sorted by date: 18,846 posts of twenty groups."""

from __future__ import annotations

import io
import os
import re
import tarfile

from seedtopic.cli.demo import Dataset
from seedtopic_lab.corpora.local import Progress, Record, download, find_records

# The address scikit-learn uses, then the home page of the corpus: the same file.
_URLS = (
    "https://ndownloader.figshare.com/files/5975967",
    "http://qwone.com/~jason/20Newsgroups/20news-bydate.tar.gz",
)
_SHA256 = "8f1b2514ca22a5ade8fbb9cfa5727df95fa587f4c87b786e15c759fa66d95610"

_MEMBER = re.compile(r"(?:^|/)20news-bydate-(train|test)/([^/]+)/([^/]+)$")
# A header field continues in the lines below it that start with a blank.
_KEPT_HEADER = re.compile(r"^(?:Subject|Keywords):(.*(?:\n[ \t].*)*)", re.M | re.I)
# The look-behind keeps the search linear: an address can only start where a run of its characters starts.
_ADDRESS = re.compile(r"<?(?<![\w.+%-])[\w.+%-]+@[\w-]+(?:\.[\w-]+)*>?")

# The six main groups that the home page of the corpus sorts the twenty into.
MAIN_GROUPS: dict[str, tuple[str, ...]] = {
    "computers": (
        "comp.graphics",
        "comp.os.ms-windows.misc",
        "comp.sys.ibm.pc.hardware",
        "comp.sys.mac.hardware",
        "comp.windows.x",
    ),
    "recreation": ("rec.autos", "rec.motorcycles", "rec.sport.baseball", "rec.sport.hockey"),
    "science": ("sci.crypt", "sci.electronics", "sci.med", "sci.space"),
    "for sale": ("misc.forsale",),
    "politics": ("talk.politics.misc", "talk.politics.guns", "talk.politics.mideast"),
    "religion": ("talk.religion.misc", "alt.atheism", "soc.religion.christian"),
}


def fetch_newsgroups20(
    *,
    data_home: str | os.PathLike[str] | None = None,
    download_if_missing: bool = True,
    on_progress: Progress | None = None,
) -> Dataset:
    """Load 20 Newsgroups (bydate), downloading it the first time.

    Parameters
    ----------
    data_home : path, optional
        Cache folder; by default SEEDTOPIC_CACHE, else ~/.cache/seedtopic.
    download_if_missing : bool, default True
        Whether a download is allowed if neither SEEDTOPIC_DATA nor the cache has the corpus.
    on_progress : callable, optional
        Called during the download with the bytes so far and the total bytes (0 if unknown).

    Returns
    -------
    Dataset
        18,846 posts (11,314 train, 7,532 test) of 20 categories, each prepared by :func:`prepare_post`.
        An id is "group/number".

    Raises
    ------
    InputError
        If the corpus is at none of the places and cannot be downloaded.

    Examples
    --------
    >>> fetch_newsgroups20()  # doctest: +SKIP
    Dataset(name='newsgroups20', 18846 documents, 20 categories)
    """
    records = find_records(
        "newsgroups20",
        data_home=data_home,
        download_if_missing=download_if_missing,
        fetch=lambda: read_archive(download(_URLS, _SHA256, on_progress)),
    )
    labels = [record["label"] for record in records]
    return Dataset(
        name="newsgroups20",
        texts=[prepare_post(record["text"]) for record in records],
        labels=labels,
        split=[record["split"] for record in records],
        categories=sorted(set(labels)),
        ids=[f"{record['label']}/{record['id']}" for record in records],
    )


def prepare_post(raw: str) -> str:
    """Keep the content of a post: its Subject, its Keywords and its body, without e-mail addresses.

    Parameters
    ----------
    raw : str
        A post with its headers.

    Returns
    -------
    str
        The text; the other headers (From, Organization, ...) would give the group away.

    Examples
    --------
    >>> prepare_post("From: ann@host.edu\\nSubject: Moon\\nKeywords: orbit\\n\\nAsk bob@nasa.gov when.\\n")
    'Moon\\norbit\\nAsk  when.'
    """
    headers, _, body = raw.partition("\n\n")
    kept = [" ".join(field.split()) for field in _KEPT_HEADER.findall(headers)]
    return _ADDRESS.sub("", "\n".join([*kept, body])).strip()


def read_archive(content: bytes) -> list[Record]:
    """Read the posts of 20news-bydate.tar.gz, sorted by split (train first), group and number.

    The members are read in memory, never extracted: a name in the archive cannot become a path on disk.
    """
    records = []
    with tarfile.open(fileobj=io.BytesIO(content), mode="r:gz") as archive:
        for member in archive:
            match = _MEMBER.search(member.name)
            file = archive.extractfile(member) if match and member.isfile() else None
            if match and file:
                split, group, number = match.groups()
                text = file.read().decode("latin-1")
                records.append({"text": text, "label": group, "split": split, "id": number})
    return sorted(records, key=lambda record: (record["split"] != "train", record["label"], record["id"]))
