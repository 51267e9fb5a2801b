"""The corpora of the experiments, by name."""

from __future__ import annotations

from seedtopic.base.errors import InputError
from seedtopic.cli.demo import Dataset
from seedtopic_lab.corpora.local import data_file, read_records
from seedtopic_lab.corpora.newsgroups20 import fetch_newsgroups20
from seedtopic_lab.corpora.reuters10 import fetch_reuters10

# Corpora that are read from the folder SEEDTOPIC_DATA only, with the field their text is in.
_LOCAL_ONLY = {
    "ag_news": "text",
    "bbc_news": "text",
    "reuters10_tokens": "tokens",
    "stackoverflow": "text",
}
_FETCHED = {"newsgroups20": fetch_newsgroups20, "reuters10": fetch_reuters10}


def fetch_corpus(name: str) -> Dataset:
    """Load a corpus by its name.

    Parameters
    ----------
    name : str
        "newsgroups20" or "reuters10", which are downloaded if necessary; or "ag_news", "bbc_news",
        "reuters10_tokens" (as tokenised by the authors of STM) or "stackoverflow", which are read from
        NAME.jsonl.gz in the folder SEEDTOPIC_DATA: one JSON object per line with the fields text (or tokens),
        label, split and, optionally, id.

    Returns
    -------
    Dataset
        The corpus.

    Raises
    ------
    InputError
        If there is no such corpus, or its file is missing.

    Examples
    --------
    >>> fetch_corpus("novels")
    Traceback (most recent call last):
    ...
    seedtopic.base.errors.InputError: there is no corpus 'novels': choose one of ag_news, bbc_news, \
newsgroups20, reuters10, reuters10_tokens, stackoverflow
    """
    if name in _FETCHED:
        return _FETCHED[name]()
    if name not in _LOCAL_ONLY:
        known = ", ".join(sorted([*_FETCHED, *_LOCAL_ONLY]))
        raise InputError(f"there is no corpus {name!r}: choose one of {known}")
    path = data_file(name)
    if path is None:
        raise InputError(
            f"the corpus {name} cannot be downloaded: set SEEDTOPIC_DATA to a folder that contains "
            f"{name}.jsonl.gz"
        )
    records = read_records(path)
    labels = [record["label"] for record in records]
    return Dataset(
        name=name,
        texts=[record[_LOCAL_ONLY[name]] for record in records],
        labels=labels,
        split=[record["split"] for record in records],
        categories=sorted(set(labels)),
        ids=[str(record.get("id", row)) for row, record in enumerate(records)],
    )
