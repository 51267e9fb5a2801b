"""Fit what each view counts in the log-odds that a label is right, from labelled collections.

    python tools/reliability.py ../shared/data

writes `src/seedtopic/learning/classify/reliability.py`. The folder holds the corpora of the
experiments, of which the train parts alone are looked at, and in `scale/` documents of many other
collections with their labels; seed words for those are in `reliability_seeds.toml`. The default model is
fitted to samples of each, from 60 documents to all, with right seeds, with those of two categories swapped,
and with unrelated words; then a logistic regression is fitted to whether the labels are right. It takes
about a quarter of an hour on two cores.
"""

from __future__ import annotations

import gzip
import json
import multiprocessing
import os
import sys
import tomllib
import warnings
import zlib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from seedtopic import InputError, SeedTopicClassifier
from seedtopic.learning.classify.reliability import VIEWS, measures
from seedtopic.model.reading import TextReader
from seedtopic.model.stages.first_guess import FirstGuess
from seedtopic.model.stages.regression import RegressionStage
from seedtopic.model.stages.reliability import agreements_of, views_of_categories, views_of_documents
from seedtopic_lab.corpora import fetch_corpus, published_seeds

Array = NDArray[np.float64]
Categories = dict[str, list[str]]

HERE = Path(__file__).parent
WRITTEN = HERE.parent / "src" / "seedtopic" / "learning" / "classify" / "reliability.py"
CORPORA = ("ag_news", "bbc_news", "newsgroups20", "reuters10", "stackoverflow")
MOST_OF_OTHERS = 6000  # documents of another collection
LOOKED_AT = 300  # documents of a fit, so that large ones do not count more
NEW = 500  # documents that a fit did not see, judged beside
PENALTY = 10.0
PRODUCTS = ("meaning*kappa", "own_seed*seeded")
NEEDS_MEANING = {"meaning", "name", "name_bare", "recalled", "kappa", "meaning*kappa", "size*kappa"}
LEAST_TRUST = 0.5  # of a category whose documents are looked at: the others are judged by that alone
BEGIN, END = "COEFFICIENTS: Mapping[bool, Mapping[str, float]] = {\n", "\n}\n"  # of the table
UNRELATED = ("purple", "ladder", "whistle", "carpet", "umbrella", "tuesday", "orchard", "mirror")
COMMON = ("time", "year", "people", "day", "way", "work", "place", "number")


@dataclass(frozen=True)
class Task:
    """A collection, a seed list, a number of documents (0 for all), and what is wrong with the seeds."""

    collection: str
    seeds: str
    documents: int
    draw: int = 0
    harm: str = "none"
    vectors: str | None = "auto"

    @property
    def weight(self) -> float:
        """Whole corpora count most: there the seeds reach what they can."""
        if self.harm != "none":
            return 2.0 if self.collection in CORPORA else 0.5
        if self.collection in CORPORA:
            return 2.0 if self.documents else 20.0
        return 1.0


@dataclass(frozen=True)
class Judged:
    """The measures of some documents of a task, by their names, and whether their labels are right."""

    task: Task
    weight: float
    measured: dict[str, Array]
    right: Array


def tasks() -> list[Task]:
    """List all fits."""
    five = [(name, which) for name in CORPORA for which in ("SL", "SD")]
    others = [(name, which) for which, listed in other_seeds().items() for name in listed]
    both = [*five, *others]
    return [
        *(Task(*pair, n) for n in (300, 1000, 0) for pair in both),
        *(Task(*pair, n, draw) for n, draw in ((100, 0), (300, 1), (1000, 1), (3000, 0)) for pair in five),
        *(Task(*pair, n) for n in (60, 150) for pair in others),
        *(Task(*pair, 1000, 0, harm) for harm in ("swapped", "unrelated", "common") for pair in both),
        *(Task(*pair, 0, 1, harm) for harm in ("swapped", "unrelated") for pair in both),
        *(Task(*pair, n, vectors=None) for n in (300, 1000, 0) for pair in both),
    ]


@cache
def other_seeds() -> dict[str, dict[str, Categories]]:
    """Read the seed words of the other collections, by the kind of list and the collection."""
    return tomllib.loads((HERE / "reliability_seeds.toml").read_text("utf-8"))


@cache
def other_collections(folder: Path) -> dict[str, tuple[list[str], NDArray[np.str_]]]:
    """Read the documents of `scale/` whose labels are categories of `reliability_seeds.toml`."""
    wanted = {name: set(listed) for name, listed in other_seeds()["SL"].items()}
    found = defaultdict(list)
    for file in sorted((folder / "scale").glob("*.jsonl.gz")):
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                source, _, label = row["label"].partition(":")
                groups = {source: label}
                if source == "arxiv":
                    field = label.partition(".")[0]
                    groups = {"arxiv": "hep" if field.startswith("hep") else field, "arxiv_cs": label}
                for name, group in groups.items():
                    if group in wanted.get(name, ()):
                        found[name].append((row["text"], group))
    draw = np.random.default_rng(0)
    drawn = {
        name: [rows[i] for i in draw.permutation(len(rows))[:MOST_OF_OTHERS]] for name, rows in found.items()
    }
    return {
        name: ([text for text, _ in rows], np.array([g for _, g in rows])) for name, rows in drawn.items()
    }


def collection(name: str, folder: Path) -> tuple[list[str], NDArray[np.str_]]:
    """Give documents and labels; the label of a test document is empty."""
    if name not in CORPORA:
        return other_collections(folder)[name]
    corpus = fetch_corpus(name)
    is_train = np.array(corpus.split) == "train"
    return list(corpus.texts), np.where(is_train, np.array(corpus.labels), "")


def seeds_of(task: Task) -> Categories:
    """Give the seeds of a task, harmed where it asks for that."""
    listed = (
        {str(name): list(words) for name, words in published_seeds(task.collection, task.seeds).items()}
        if task.collection in CORPORA
        else {name: list(words) for name, words in other_seeds()[task.seeds][task.collection].items()}
    )
    draw = np.random.default_rng(zlib.crc32(f"{task.collection} {task.seeds} {task.harm}".encode()))
    first, second = (list(listed)[k] for k in draw.choice(len(listed), 2, replace=False))
    if task.harm == "swapped":
        listed[first], listed[second] = listed[second], listed[first]
    elif task.harm != "none":
        words = UNRELATED if task.harm == "unrelated" else COMMON
        listed[first] = draw.choice(words, 3, replace=False).tolist()
    return listed


def judged(job: tuple[Task, Path]) -> list[Judged]:
    """Fit the model, and give the measures of documents and whether their labels are right."""
    task, folder = job
    texts, labels = collection(task.collection, folder)
    known = np.flatnonzero(labels != "")
    chosen = np.random.default_rng(task.draw + 100).permutation(known)
    fitted = chosen[: task.documents] if task.documents else np.arange(len(texts))
    new = chosen[task.documents : task.documents + NEW] if task.documents else chosen[:0]
    seeds = seeds_of(task)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = SeedTopicClassifier(seeds, vectors=task.vectors, random_state=0, n_threads=1)
        try:
            model.fit([texts[i] for i in fitted])
        except InputError:  # seeds that do not occur, where nothing is known of their meaning
            return []
    guess, learned = model.fitted_[FirstGuess], model.fitted_[RegressionStage]
    names = np.array(list(seeds))
    found = []
    for rows, share in ((fitted, 1.0), (new, 0.5)):
        if not len(rows):
            continue
        documents = model.fitted_.read([texts[i] for i in rows], TextReader.of(model), model.vectors)
        view = documents.by_seen_words()
        last = [stage for stage in model.fitted_.stages if stage.replaces][-1]
        label = (model.label_distributions_ if rows is fitted else view.posterior(last)).argmax(axis=1)
        if rows is fitted:
            agreements = agreements_of(view, guess, label)
            of_categories = views_of_categories(agreements, guess, view.meaning)
            categories, trusted = measures(of_categories), of_categories.trust > LEAST_TRUST
        views = dict(
            zip(VIEWS, views_of_documents(view, guess, label, view.posterior(learned)).T, strict=True)
        )
        columns = {**views, **{name: np.broadcast_to(m, len(names))[label] for name, m in categories.items()}}
        columns |= {
            product: np.prod([columns[f] for f in product.split("*")], axis=0) for product in PRODUCTS
        }
        seen = np.flatnonzero(view.has_words & np.isin(labels[rows], names) & trusted[label])
        seen = np.random.default_rng(3).permutation(seen)[:LOOKED_AT]
        right = names[label[seen]] == labels[rows][seen]
        measured = {name: column[seen] for name, column in columns.items()}
        found.append(Judged(task, share * task.weight, measured, right.astype(np.float64)))
    return found


def fitted_regression(measured: Array, right: Array, weights: Array) -> Array:
    """Fit a logistic regression by Newton's method; the last coefficient is the constant."""
    centre, scale = measured.mean(axis=0), measured.std(axis=0) + 1e-9
    design = np.column_stack(((measured - centre) / scale, np.ones(len(measured))))
    penalty = np.diag([*np.full(measured.shape[1], PENALTY), 1e-6])
    found = np.zeros(design.shape[1])
    for _ in range(30):
        probability = 1 / (1 + np.exp(-(design @ found)))
        gradient = design.T @ (weights * (probability - right)) + penalty @ found
        curvature = (design * (weights * probability * (1 - probability))[:, None]).T @ design + penalty
        found -= np.linalg.solve(curvature, gradient)
    slopes = found[:-1] / scale
    return np.append(slopes, found[-1] - slopes @ centre)


def lines(results: list[Judged]) -> Iterator[str]:
    """Yield the lines of the table."""
    for with_meaning in (True, False):
        mine = [result for result in results if (result.task.vectors is not None) == with_meaning]
        names = [name for name in mine[0].measured if with_meaning or name not in NEEDS_MEANING]
        found = fitted_regression(
            np.column_stack([np.concatenate([result.measured[name] for result in mine]) for name in names]),
            np.concatenate([result.right for result in mine]),
            np.concatenate([np.full(len(r.right), r.weight * LOOKED_AT / len(r.right)) for r in mine]),
        )
        yield f"    {with_meaning}: {{"
        yield f'        "constant": {found[-1]:.4g},'
        yield from (f'        "{name}": {value:.4g},' for name, value in zip(names, found, strict=False))
        yield "    },"


def main(folder: Path) -> None:
    """Fit all, and write the coefficients."""
    os.environ["SEEDTOPIC_DATA"] = str(folder)
    other_collections(folder)  # once, before the processes part
    jobs = [(task, folder) for task in tasks()]
    results: list[Judged] = []
    with multiprocessing.get_context("fork").Pool() as pool:
        for done, found in enumerate(pool.imap(judged, jobs), 1):
            results += found
            print(f"{done} of {len(jobs)} fits", end="\r", file=sys.stderr)
    before, _, rest = WRITTEN.read_text("utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    WRITTEN.write_text(before + BEGIN + "\n".join(lines(results)) + END + after, "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
