"""What advice about seeds is worth: labels after suggestions were accepted, or a check followed, unread."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.base.errors import InputError, SeedWarning
from seedtopic.quality.scores import evaluate
from seedtopic.seeds import Seeds
from seedtopic.text.counts import Counts, count_known
from seedtopic.text.tokens import tokenize, words
from seedtopic_lab.experiments import systems
from seedtopic_lab.experiments.material import READING, Material, count
from seedtopic_lab.experiments.plan import Task
from seedtopic_lab.experiments.small import draw

Parameters = Mapping[str, Any]
Scores = dict[str, Any]

# Settings of the experiments, not of a model.
ACCEPT, DOCUMENTS, DAMAGE, FOLLOW = "accept", "documents", "damage", "follow"
ALL = 0  # documents
MOST_ACCEPTED = 10
COLUMNS = ("test_micro", "test_macro", "changed")


def complete_suggested(model: str, parameters: Parameters) -> dict[str, Any]:
    """Complete the settings of the model, with the words to accept and the documents to draw."""
    if not 0 <= parameters.get(ACCEPT, -1) <= MOST_ACCEPTED:
        raise InputError(f"accept must be given as a number of words from 0 to {MOST_ACCEPTED}.")
    return _completed(model, parameters, {ACCEPT: parameters[ACCEPT]})


def complete_checked(model: str, parameters: Parameters) -> dict[str, Any]:
    """Complete the settings of the model, with the damage to the seeds and whether the check is followed."""
    damage = parameters.get(DAMAGE, "none")
    if damage not in DAMAGES:
        raise InputError(f"damage is {damage!r}: use one of {', '.join(DAMAGES)}.")
    return _completed(model, parameters, {DAMAGE: damage, FOLLOW: bool(parameters.get(FOLLOW))})


def prepare(task: Task, parameters: Parameters, material: Material) -> None:
    """Count the words of the documents."""
    _pile(task, parameters, material, material.seeds(task.setting))


def suggested(task: Task, parameters: Parameters, material: Material, n_threads: int | None) -> Scores:
    """Score the labels of the test part when the safe suggestions, unread, become seeds.

    The words are suggested by the default model, whatever the system.
    """
    pile = _pile(task, parameters, material, material.seeds(task.setting))
    seeds = material.seeds(task.setting)
    n_words = 0
    if parameters[ACCEPT]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SeedWarning)
            found = seeds.suggest(
                pile.counts.matrix,
                pile.counts.vocabulary,
                top=parameters[ACCEPT],
                random_state=task.run,
                n_threads=n_threads,
            )
        better = found.accepted(parameters[ACCEPT])
        n_words = sum(len(better.categories[name]) - len(seeds.categories[name]) for name in seeds.names)
        seeds = better
    return pile.scores(task, parameters, seeds, material, n_threads) | {"changed": n_words}


def checked(task: Task, parameters: Parameters, material: Material, n_threads: int | None) -> Scores:
    """Score the labels of the test part with seeds as they are, or as `seeds check --fix` writes them."""
    whole = material.seeds(task.setting)
    seeds = DAMAGES[parameters[DAMAGE]](whole, _pile(task, parameters, material, whole).counts, task.run)
    pile = _pile(task, parameters, material, seeds)
    changes: list[str] = []
    if parameters[FOLLOW]:
        seeds, changes = seeds.check(pile.counts.matrix, pile.counts.vocabulary).repaired()
    return pile.scores(task, parameters, seeds, material, n_threads) | {"changed": len(changes)}


@dataclass(frozen=True)
class _Pile:
    """The documents to learn from, and the test documents: among them, or as counts of their own."""

    counts: Counts
    test: sp.csr_array | None

    def scores(
        self, task: Task, parameters: Parameters, seeds: Seeds, material: Material, n_threads: int | None
    ) -> Scores:
        model = systems.build(
            task.system.model,
            **_of_model(parameters),
            seeds=seeds,
            vocabulary=self.counts.vocabulary,
            random_state=task.run,
            n_threads=n_threads,
            track_objective=False,
        )
        dataset = material.dataset(task.setting.corpus)
        test = material.part(dataset.name, "test")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SeedWarning)  # published lists have words that do not occur
            model.fit(self.counts.matrix)
            labels = model.transduction_[test] if self.test is None else model.predict(self.test)
        truth = np.array(dataset.labels)[test]
        judged = evaluate(truth.tolist(), np.asarray(labels).tolist(), dataset.categories)
        return {"test_micro": judged.micro_f1, "test_macro": judged.macro_f1}


def _pile(task: Task, parameters: Parameters, material: Material, seeds: Seeds) -> _Pile:
    """Count all documents of a corpus, or some of its train part, drawn again in each run."""
    n_documents = parameters[DOCUMENTS]
    run = 0 if n_documents == ALL else task.run
    return _counted(material, task.setting.corpus, n_documents, run, frozenset(seeds.words))


@lru_cache(maxsize=16)
def _counted(material: Material, corpus: str, n_documents: int, run: int, keep: frozenset[str]) -> _Pile:
    texts = material.dataset(corpus).texts
    if n_documents == ALL:
        return _Pile(count(texts, corpus, keep), None)
    train, test = (material.part(corpus, part) for part in ("train", "test"))
    rows = train[draw(run, len(train), n_documents)]
    counts = count([texts[row] for row in rows], corpus, keep)
    tokenizer = READING.get(corpus, {}).get("tokenizer", words)
    return _Pile(
        counts, count_known(tokenize([texts[row] for row in test], tokenizer), counts.vocabulary).matrix
    )


def _unharmed(seeds: Seeds, counts: Counts, run: int) -> Seeds:
    return seeds


def _misspelt(seeds: Seeds, counts: Counts, run: int) -> Seeds:
    """Swap two letters of the first word of every other category, so that it does not occur."""
    known = set(counts.vocabulary)

    def slip(word: str) -> str:
        slips = (word[:i] + word[i + 1] + word[i] + word[i + 2 :] for i in range(1, len(word) - 1))
        return next((wrong for wrong in slips if wrong not in known and wrong != word), word)

    def changed(number: int, words: list[str]) -> list[str]:
        return [slip(words[0]), *words[1:]] if number % 2 == run % 2 else words

    return _changed(seeds, changed)


def _swapped(seeds: Seeds, counts: Counts, run: int) -> Seeds:
    """Move the first word of every third category that has several words to the category before."""
    lists = [list(seeds.categories[name]) for name in seeds.names]
    for number in range(run % 3, len(lists), 3):
        if len(lists[number]) > 1 and lists[number][0] not in lists[number - 1]:
            lists[number - 1].append(lists[number].pop(0))
    return _changed(seeds, lambda number, words: lists[number])


def _common(seeds: Seeds, counts: Counts, run: int) -> Seeds:
    """Give one category the most common word that is not a seed."""
    taken = set(seeds.words)
    frequency = np.bincount(counts.matrix.indices, minlength=len(counts.vocabulary))
    order: NDArray[np.intp] = np.argsort(-frequency, kind="stable")
    most = next(word for column in order if (word := counts.vocabulary[column]) not in taken)
    chosen = run % len(seeds.names)
    return _changed(seeds, lambda number, words: [*words, most] if number == chosen else words)


def _changed(seeds: Seeds, change: Callable[[int, list[str]], list[str]]) -> Seeds:
    return Seeds(
        {name: change(number, list(seeds.categories[name])) for number, name in enumerate(seeds.names)}
    )


DAMAGES = {"none": _unharmed, "misspelt": _misspelt, "swapped": _swapped, "common": _common}


def _completed(model: str, parameters: Parameters, own: Mapping[str, Any]) -> dict[str, Any]:
    n_documents = parameters.get(DOCUMENTS, ALL)
    if not isinstance(n_documents, int) or n_documents < 0:
        raise InputError(f"documents is {n_documents!r}: give a number of documents, or 0 for all.")
    return {**systems.settings(model, _of_model(parameters)), **own, DOCUMENTS: n_documents}


def _of_model(parameters: Parameters) -> dict[str, Any]:
    own = (ACCEPT, DOCUMENTS, DAMAGE, FOLLOW)
    return {name: value for name, value in parameters.items() if name not in own}
