"""New categories out of documents that the categories of a model do not explain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedtopic.advice.discovery.candidates import find_candidates
from seedtopic.advice.discovery.checking import Fitted, fit_with, holds
from seedtopic.advice.discovery.naming import TypicalWords, name_of
from seedtopic.advice.discovery.proposals import Discovery, NewCategory
from seedtopic.advice.discovery.searched import SearchedDocuments
from seedtopic.advice.discovery.space import document_space
from seedtopic.advice.discovery.unexplained import Categories
from seedtopic.advice.meaning import table_for
from seedtopic.base.checks import check_number
from seedtopic.base.errors import InputError
from seedtopic.base.progress import Progress, silent
from seedtopic.base.threads import resolve_threads
from seedtopic.models.seed_model import SeedModel
from seedtopic.seeds import Seeds
from seedtopic.seeds.tree import Name

Mask = NDArray[np.bool_]

LEAST_DOCUMENTS = 30
LEAST_WORDS = 2  # in all documents together


def discover(
    model: SeedModel,
    X: Any,
    *,
    top: int | None = None,
    seeds: Seeds | None = None,
    random_state: int = 0,
    progress: Progress = silent,
) -> Discovery:
    """Find new categories among documents that the categories of a model do not explain.

    The documents are clustered, more finely than the categories are. A cluster is a candidate if few of its
    documents contain a seed of their category, if it is not nearer to that category than categories are to
    each other, and if its documents are near to each other. Candidates get seed words and are kept if a model
    that is fitted with these finds their documents again.

    Parameters
    ----------
    model : SeedModel
        A fitted model.
    X : iterable of str, data frame, or matrix of counts
        The documents: those of the fit, or others. The columns of a matrix are the words that the model was
        fitted with.
    top : int, optional
        Propose at most so many categories.
    seeds : Seeds, optional
        The seeds of the model as they were read from a TOML file, whose comments the result keeps.
    random_state : int
    progress : callable, optional
        Told the stage, the steps done and the steps in all.

    Returns
    -------
    Discovery
        The new categories; its method `to_toml` gives a seeds file to edit.

    Examples
    --------
    >>> from seedtopic import SeedTopicClassifier
    >>> themes = ["the team won a game", "a bank cut its rate", "rain, wind and snow in the north"]
    >>> texts = [f"{theme} {word}" for theme in themes for word in map(str, range(20))]
    >>> model = SeedTopicClassifier({"sports": ["team", "game"], "money": ["bank", "rate"]}, random_state=0)
    >>> found = discover(model.fit(texts), texts)
    >>> [(new.name, new.documents) for new in found.categories]
    [('north-rain', 20)]
    """
    if top is not None:
        check_number("top", top, least=1, whole=True)
    if not isinstance(model, SeedModel) or not hasattr(model, "classes_"):
        raise InputError("discover needs a model that was fitted with seeds: call fit first.")
    if seeds is None:
        seeds = model.seeds_
    elif seeds != model.seeds_:
        raise InputError("the seeds are not those of the model: give the file that it was fitted with.")
    documents = SearchedDocuments.of(model, seeds, X, random_state, progress)
    nothing = Discovery(seeds, documents.total, len(documents), ())
    if len(documents) < LEAST_DOCUMENTS or documents.counts.matrix.shape[1] < LEAST_WORDS:
        return nothing
    table = table_for(model.stop_words)
    progress("clustering", 0, 1)
    space = document_space(documents.counts, table, resolve_threads(model.n_threads), random_state)
    categories = Categories.of(
        space, documents.probabilities, documents.counts, seeds.bind(documents.counts.vocabulary)
    )
    candidates = find_candidates(categories, random_state)
    progress("clustering", 1, 1)
    typical = TypicalWords(documents.counts, seeds.words, table)
    named = _named(candidates, categories, typical, seeds)
    if not named:
        return nothing

    def fitted_with(new: Mapping[Name, _Named]) -> Fitted:
        words = {name: candidate.words for name, candidate in new.items()}
        return fit_with(seeds, words, documents.counts, model.n_threads, random_state, progress)

    fitted = fitted_with(named)
    kept = _kept(named, fitted, categories, top)
    if not kept:
        return nothing
    if len(kept) < len(named):
        fitted = fitted_with(kept)
    return _described(kept, fitted, categories, documents, seeds)


@dataclass(frozen=True)
class _Named:
    """A candidate with its words."""

    members: Mask
    words: tuple[str, ...]


def _named(
    candidates: Sequence[Mask], categories: Categories, typical: TypicalWords, seeds: Seeds
) -> dict[Name, _Named]:
    """Give candidates words and a name; one without words that tell it apart is left out."""
    named: dict[Name, _Named] = {}
    numbers = all(isinstance(name, int) for name in seeds.entries)
    taken = {str(name) for name in seeds.entries}
    for members in candidates:
        words = typical.of(members, categories.seeded)
        if not words:
            continue
        name: Name = name_of(words, taken)
        if numbers:
            name = max(int(number) for number in [*seeds.entries, *named]) + 1
        taken.add(str(name))
        named[name] = _Named(members, tuple(words))
    return named


def _kept(
    named: Mapping[Name, _Named], fitted: Fitted, categories: Categories, top: int | None
) -> dict[Name, _Named]:
    """Give the candidates that hold their documents, at most `top`, the largest."""
    held = {name: new for name, new in named.items() if holds(name, new.members, fitted, categories)}
    largest = sorted(held, key=lambda name: -int(fitted.members(name).sum()))[:top]
    return {name: new for name, new in held.items() if name in largest}


def _described(
    named: Mapping[Name, _Named],
    fitted: Fitted,
    categories: Categories,
    documents: SearchedDocuments,
    seeds: Seeds,
) -> Discovery:
    names = [str(name) for name in seeds.names]
    before = np.array(names)[categories.labels]
    to_new = np.isin(fitted.labels, [str(name) for name in named])
    scale = documents.total / len(documents)

    def counted(which: Mask) -> int:
        return round(float(which.sum() * scale))

    found = [
        NewCategory(
            name,
            new.words,
            counted(fitted.members(name)),
            fitted.right[name],
            _sizes(before[fitted.members(name)], seeds.names, scale),
            documents.examples(fitted.members(name) & new.members, new.words, categories),
        )
        for name, new in named.items()
        if fitted.members(name).any()
    ]
    return Discovery(
        seeds,
        documents.total,
        len(documents),
        tuple(sorted(found, key=lambda new: -new.documents)),
        moved=counted(to_new),
        held=counted(to_new & categories.seeded),
        moved_otherwise=counted(~to_new & (fitted.labels != before)),
    )


def _sizes(labels: NDArray[np.str_], names: Sequence[Name], scale: float) -> dict[Name, int]:
    """Count labels, the most frequent first."""
    sizes = {name: int((labels == str(name)).sum()) for name in names}
    most = sorted((name for name in names if sizes[name]), key=lambda name: -sizes[name])
    return {name: round(sizes[name] * scale) for name in most}
