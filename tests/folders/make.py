"""Save small models of every kind, with what they say of some texts, for the test of older folders.

Run once, with the code whose folders later versions must still read::

    python tests/folders/make.py tests/folders/format_4
"""

from __future__ import annotations

import json
import random
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from seedtopic import PLDNB, STM, WSPTM, LapSWTM, MedLDA, SeedTopicClassifier, WeSTClass
from seedtopic.meaning import WordVectors

WORDS = {
    "sports": ["game", "team", "goal", "coach", "league", "player"],
    "money": ["bank", "rate", "loan", "stock", "share", "price"],
    "weather": ["rain", "snow", "wind", "cloud", "storm", "cold"],
}
SEEDS = {name: words[:2] for name, words in WORDS.items()}
TREE = {
    "weather": ["rain", "snow"],
    "sports": {"words": ["game", "team"], "parent": "news"},
    "money": {"words": ["bank", "rate"], "parent": "business"},
    "business": {"parent": "news"},
}
RICH = {
    "sports": {"words": ["game", "team goal"], "weights": {"game": 2.0}, "exclude": ["bank"]},
    "money": ["bank", "rat*"],
    "weather": ["rain", "snow"],
}
MUSIC = ["opera", "choir", "violin", "song", "tune", "sonata"]  # of no category


def documents(words: list[list[str]], n_each: int) -> list[str]:
    """Draw short documents, each with words of one topic, and one word that all topics share."""
    draw = random.Random(0)
    topics = [topic for _ in range(n_each) for topic in words]
    return [" ".join([*draw.sample(topic, 4), draw.choice(["day", "week"])]) for topic in topics]


TEXTS = documents(list(WORDS.values()), 8)
PHRASED = [f"{text} team goal" if "coach" in text else text for text in TEXTS]
LABELS = list(WORDS) * 8
WITH_MUSIC = documents([*WORDS.values(), MUSIC], 15)
NEW = [
    "the coach of the league",
    "a loan with a low price",
    "storm and cloud",
    "game at the bank in the rain",
    "team goal",
    "violin sonata and tune",
    "nobody knows these words",
    "",
]
COLUMNS = ["rain", *WORDS["money"], *WORDS["sports"], "snow", "cold", "wind", "storm", "cloud"]  # not sorted


def counted(texts: list[str]) -> np.ndarray:
    """Count the words of `COLUMNS`."""
    return np.array([[text.split().count(word) for word in COLUMNS] for text in texts])


def own_classifier(seeds: Any = SEEDS, **parameters: Any) -> SeedTopicClassifier:
    """Give the default model at its smallest."""
    return SeedTopicClassifier(seeds, random_state=0, n_background=2, max_iter=4, n_neighbors=3, **parameters)


def learned_on() -> SeedTopicClassifier:
    """Give a model that keeps a sample of its documents."""
    labels = ["sports", *[None] * 17]
    return own_classifier().partial_fit(TEXTS[:18], labels, most_kept=9).partial_fit(TEXTS[18:], most_kept=9)


SHORT = {"random_state": 0, "n_background": 2, "max_iter": 4, "n_neighbors": 3}
MODELS: dict[str, Callable[[], Any]] = {
    "SeedTopicClassifier": lambda: own_classifier().fit(TEXTS),
    "SeedTopicClassifier-topics": lambda: own_classifier(refine=False, mixture=False).fit(TEXTS),
    "SeedTopicClassifier-regression": lambda: own_classifier(mixture=False, calibrate=False).fit(TEXTS),
    "SeedTopicClassifier-mixture": lambda: own_classifier(mixture=True).fit(TEXTS),
    "SeedTopicClassifier-mixture-of-topics": lambda: own_classifier(refine=False, mixture=True).fit(TEXTS),
    "SeedTopicClassifier-none": lambda: own_classifier(none_label="other").fit(WITH_MUSIC),
    "SeedTopicClassifier-tree": lambda: own_classifier(TREE).fit(TEXTS),
    "SeedTopicClassifier-rich-seeds": lambda: own_classifier(RICH).fit(PHRASED),
    "SeedTopicClassifier-integers": lambda: own_classifier(
        {number: SEEDS[name] for number, name in [(7, "sports"), (3, "money"), (11, "weather")]}
    ).fit(TEXTS),
    "SeedTopicClassifier-learned-on": learned_on,
    "SeedTopicClassifier-no-vectors": lambda: own_classifier(vectors=None).fit(TEXTS),
    "SeedTopicClassifier-table": lambda: own_classifier(
        vectors=WordVectors("toy", COLUMNS, np.eye(len(COLUMNS)) + 0.1, "toy")
    ).fit(TEXTS),
    "SeedTopicClassifier-counts": lambda: own_classifier(vocabulary=COLUMNS).fit(counted(TEXTS)),
    "WSPTM": lambda: WSPTM(SEEDS, **SHORT).fit(TEXTS),
    "WSPTM-bayes": lambda: WSPTM(SEEDS, estep="bayes", init="seed", **SHORT).fit(TEXTS),
    "WSPTM-learned-on": lambda: WSPTM(SEEDS, **SHORT).partial_fit(TEXTS),
    "LapSWTM": lambda: LapSWTM(SEEDS, **SHORT).fit(TEXTS),
    "LapSWTM-own-tokenizer": lambda: LapSWTM(SEEDS, tokenizer=str.split, **SHORT).fit(TEXTS),
    "STM": lambda: STM(SEEDS, random_state=0, n_sweeps=4).fit(TEXTS),
    "PLDNB": lambda: PLDNB(SEEDS, random_state=0, max_iter=4).fit(TEXTS),
    "WeSTClass": lambda: WeSTClass(
        SEEDS, random_state=0, embedding_size=4, embedding_epochs=3, n_pseudo_documents=10, n_near_words=3,
        n_maps=3, hidden_size=4, pretrain_epochs=4, max_batches=4, subsampling=0.0,
    ).fit(TEXTS),
    "MedLDA": lambda: MedLDA(random_state=0, n_topics=4, n_sweeps=6, burn_in=6, n_samples=3).fit(
        TEXTS, LABELS
    ),
}  # fmt: skip


def said(model: Any) -> dict[str, Any]:
    """Give what a model says of new texts, and of those it was fitted to, as JSON can hold it."""
    answers = {
        "classes": model.classes_.tolist(),
        "labels": model.predict(NEW).tolist(),
        "probabilities": model.predict_proba(NEW).tolist(),
    }
    if hasattr(model, "transduction_"):
        answers["transduction"] = model.transduction_.tolist()
        answers["paths"] = [list(path) for path in model.predict_path(NEW)]
    if hasattr(model, "predict_labels"):
        answers["several"] = [list(labels) for labels in model.predict_labels(NEW)]
        answers["none"] = model.predict_none_proba(NEW).tolist()
    return answers


def main(place: Path) -> None:
    """Write a folder for each model, and what all of them say."""
    told = {}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name, fitted in MODELS.items():
            model = fitted()
            model.save(place / name)
            told[name] = said(model)
    (place / "said.json").write_text(json.dumps({"texts": NEW, "models": told}, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
