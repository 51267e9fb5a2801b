"""New categories out of documents that the categories of a model do not explain."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from seedtopic import model as models
from seedtopic.base.checks import check_number
from seedtopic.base.errors import InputError, SeedWarning
from seedtopic.base.progress import Progress, silent
from seedtopic.base.threads import resolve_threads
from seedtopic.base.wording import number_of
from seedtopic.io.frames import given_texts, is_matrix, reported, without_frame
from seedtopic.learning.signals.seeds import seed_counts
from seedtopic.model.reading import Reading
from seedtopic.quality.meaning import table_for
from seedtopic.quality.next import sampled_texts
from seedtopic.quality.suggest import line_around
from seedtopic.quality.themes import Categories, Mask, TypicalWords, document_space, find_candidates
from seedtopic.seeds import Seeds
from seedtopic.seeds.category import Category
from seedtopic.seeds.files import write_file
from seedtopic.seeds.toml import toml_text
from seedtopic.seeds.tree import Name
from seedtopic.text.counts import Counts, checked_counts
from seedtopic.text.tokens import words as words_of

if TYPE_CHECKING:  # scikit-learn takes long to import
    from seedtopic.model import SeedClassifier

MOST_SEARCHED = 20_000  # documents; of more, a sample
LEAST_DOCUMENTS = 30
LEAST_WORDS = 2  # in all documents together
EXAMPLES = 3
SHOWN = 3  # former labels
IN_NAME = 2  # words

# Chosen on the train labels of nineteen collections, with and without categories left out of the seeds.
# The share of the documents of a candidate that are found again, and the share of right labels, which counts
# twice: a candidate may have held documents that do not belong to it, a new category should not.
SAY_OF_RIGHT, LEAST_TOGETHER = 2.0, 2.0
MOST_HELD = 0.35  # of the documents of a new category that contain a seed of their present one
LEAST_WORTH = 0.1  # the probability that it is new times its size, beside that of an average category


@dataclass(frozen=True)
class NewCategory:
    """A category that is proposed.

    Attributes
    ----------
    name : str or int
        Its most typical word or two words; a number if the other names are numbers.
    words : tuple of str
        Seed words, the best first.
    documents : int
        How many documents get its label when a model is fitted with it.
    right : float
        Estimated share of these documents that have the theme of its words.
    before : dict of str or int to int
        The labels that these documents have without it, and how many have each, the most frequent first.
    examples : tuple of str
        Lines of typical documents; none if counts were given.
    """

    name: Name
    words: tuple[str, ...]
    documents: int
    right: float
    before: Mapping[Name, int]
    examples: tuple[str, ...] = ()

    def comments(self) -> list[str]:
        """Return lines that describe it to the reader of a seeds file.

        Examples
        --------
        >>> new = NewCategory("hockey-nhl", ("hockey", "nhl"), 1005, 0.97, {"baseball": 990, "space": 15})
        >>> print(*new.comments(), sep="\\n")
        proposed: 1,005 documents, about 97% of them on this theme; rename or delete it
        labelled until now: baseball (990), space (15)
        """
        before = ", ".join(f"{name} ({count:,})" for name, count in list(self.before.items())[:SHOWN])
        return [
            f"proposed: {number_of(self.documents, 'document')}, about {self.right:.0%} of them on this "
            "theme; rename or delete it",
            f"labelled until now: {before}",
            *(f"e.g. {line}" for line in self.examples),
        ]


@dataclass(frozen=True)
class Discovery:
    """What `discover` finds.

    Attributes
    ----------
    seeds : Seeds
        The seeds of the model.
    documents, searched : int
        The number of documents, and of those that were searched: a sample, if there are very many.
    categories : tuple of NewCategory
        The largest first.
    moved, held : int
        How many documents would get the label of a new category, and how many of these contain a seed of
        the category that they have now.
    moved_otherwise : int
        How many documents would move from one of the old categories to another.
    """

    seeds: Seeds
    documents: int
    searched: int
    categories: tuple[NewCategory, ...]
    moved: int = 0
    held: int = 0
    moved_otherwise: int = 0

    @cached_property
    def proposed(self) -> Seeds:
        """The seeds with the new categories, whose comments and layout are kept."""
        return Seeds({**self.seeds.table(), **{new.name: new.words for new in self.categories}})

    def to_toml(self) -> str:
        """Return the proposed seeds as TOML: the old ones as they are, then the new ones with comments."""
        comments = {new.name: new.comments() for new in self.categories}
        new = {category.name: Category(category.words) for category in self.categories}
        return toml_text({**self.seeds.entries, **new}, self.seeds.source, comments)

    def write(self, path: str | Path) -> None:
        """Write the proposed seeds to a file.

        Parameters
        ----------
        path : path
            The path of a file that ends in .toml or .json. JSON has no comments.
        """
        write_file(Path(path), self.proposed, self.to_toml)

    def sentence(self) -> str:
        """Return in a sentence what was found and what it would change.

        Examples
        --------
        >>> seeds = Seeds({"sports": ["game"], "money": ["bank"]})
        >>> Discovery(seeds, 40, 40, ()).sentence()
        'no new category was found: the categories explain the 40 documents, as far as can be told.'
        """
        if not self.categories:
            return (
                f"no new category was found: the categories explain the {self.documents:,} documents, as far "
                "as can be told."
            )
        new = number_of(len(self.categories), "new category")
        return (
            f"{new} found: {number_of(self.moved, 'document')} would move there, "
            f"{self.held:,} of which contain a seed of their present category; "
            f"{number_of(self.moved_otherwise, 'other')} would change their label."
        )

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "documents": self.documents,
            "searched": self.searched,
            "categories": [
                {**asdict(new), "before": {str(name): count for name, count in new.before.items()}}
                for new in self.categories
            ],
            "moved": self.moved,
            "held": self.held,
            "moved_otherwise": self.moved_otherwise,
        }


def discover(
    model: SeedClassifier,
    X: Any,
    *,
    top: int | None = None,
    seeds: Seeds | None = None,
    random_state: int = 0,
    progress: Progress = silent,
) -> Discovery:
    """Return new categories among documents that the categories of a model do not explain.

    The documents are clustered, more finely than the categories are. A cluster is a candidate if few of its
    documents contain a seed of their category, if it is not nearer to that category than categories are to
    each other, and if its documents are near to each other. Candidates get seed words and are kept if a model
    that is fitted with these finds their documents again.

    Parameters
    ----------
    model : SeedClassifier
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
    >>> discovery = discover(model.fit(texts), texts)
    >>> [(new.name, new.documents) for new in discovery.categories]
    [('north-rain', 20)]
    """
    if top is not None:
        check_number("top", top, least=1, whole=True)
    if not hasattr(model, "seeds_"):
        raise InputError("discover needs a model that was fitted with seeds: call fit first.")
    if seeds is None:
        seeds = model.seeds_
    elif seeds != model.seeds_:
        raise InputError("the seeds are not those of the model: give the file that it was fitted with.")
    documents = _Documents.of(model, seeds, X, random_state, progress)
    counts = documents.counts
    nothing = Discovery(seeds, documents.total, len(documents), ())
    if len(documents) < LEAST_DOCUMENTS or counts.matrix.shape[1] < LEAST_WORDS:
        return nothing
    table = table_for(model.stop_words)
    progress("clustering", 0, 1)
    space = document_space(counts, table, resolve_threads(model.n_threads), random_state)
    bound = seeds.bind(counts.vocabulary)
    has_seed = seed_counts(counts.matrix, bound.membership > 0, bound.exclusion) > 0
    categories = Categories(*space, documents.probabilities, has_seed)
    candidates = find_candidates(categories, random_state)
    progress("clustering", 1, 1)
    named = _named(candidates, categories, TypicalWords(counts, seeds.words, table), seeds)
    if not named:
        return nothing

    def fitted(new: Mapping[Name, _Candidate]) -> _Fitted:
        fit = models.SeedTopicClassifier(
            Seeds({**seeds.table(), **{name: candidate.words for name, candidate in new.items()}}),
            vocabulary=counts.vocabulary,
            n_threads=model.n_threads,
            random_state=random_state,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SeedWarning)  # the user knows about the old seeds
            fit.fit(counts.matrix, progress=progress)
        right = dict(zip(fit.classes_.tolist(), fit.estimated_precisions_.tolist(), strict=True))
        return _Fitted(fit.transduction_.astype(str), right)

    fit = fitted(named)
    holding = {
        name: new
        for name, new in named.items()
        if holds(fit.members(name), new.members, fit.right[name], categories)
    }
    largest = sorted(holding, key=lambda name: -int(fit.members(name).sum()))[:top]
    new = {name: holding[name] for name in holding if name in largest}
    if not new:
        return nothing
    return _described(new, fit if len(new) == len(named) else fitted(new), categories, documents, seeds)


@dataclass(frozen=True)
class _Documents:
    """Documents as they were counted and labelled."""

    counts: Counts  # all words, not only those that the model knows
    probabilities: NDArray[np.float64]  # (n_documents, n_categories)
    total: int  # the number of documents that these are a sample of
    texts: list[str] | None = None

    @classmethod
    def of(cls, model: SeedClassifier, seeds: Seeds, X: Any, random_state: int, progress: Progress) -> Self:
        """Return documents, or counts in the columns that the model was fitted with."""
        X = without_frame(X)
        if is_matrix(X):
            words = model.columns_ or model.vocabulary_
            matrix = checked_counts(X, words).matrix
            total = matrix.shape[0]
            if total > MOST_SEARCHED:
                rows = np.random.default_rng(random_state).choice(total, MOST_SEARCHED, replace=False)
                matrix = matrix[np.sort(rows)]
            return cls(checked_counts(matrix, words), model.predict_proba(matrix), total)
        sample, total = sampled_texts(given_texts(X), MOST_SEARCHED, random_state)
        texts = [text for _, text in sorted(sample)]
        reading = Reading(model.tokenizer, model.stop_words, model.min_df, model.n_threads, model.max_memory)
        counts = reading.counts(reported(texts, progress), seeds.counted_words, seeds.all_rules)
        return cls(counts, model.predict_proba(texts), total, texts)

    def __len__(self) -> int:
        return int(self.counts.matrix.shape[0])

    def examples(self, members: Mask, words: Sequence[str], categories: Categories) -> tuple[str, ...]:
        """Return lines of the most typical documents, each around the first of the words that it contains."""
        if self.texts is None:
            return ()
        rows = np.flatnonzero(members)
        nearest = rows[np.argsort(-(categories.points[rows] @ categories.centre(members)))]
        nearest = nearest[: max(len(nearest) // 2, EXAMPLES)]
        lines = []
        # Spread over the nearer half, and more than are shown: the very nearest are often nearly the same.
        for row in nearest[:: max(len(nearest) // (2 * EXAMPLES), 1)]:
            there = set(words_of(self.texts[row]))
            lines.append(line_around(self.texts[row], next((w for w in words if w in there), words[0])))
        return tuple(dict.fromkeys(lines))[:EXAMPLES]


@dataclass(frozen=True)
class _Candidate:
    """The documents of a cluster and its words."""

    members: Mask
    words: tuple[str, ...]


@dataclass(frozen=True)
class _Fitted:
    """Labels of the documents with the new categories, and the estimated share of right ones of each."""

    labels: NDArray[np.str_]
    right: Mapping[Name, float]

    def members(self, name: Name) -> Mask:
        """Return which documents have the label."""
        return np.asarray(self.labels == str(name), bool)


def _named(
    candidates: Sequence[Mask], categories: Categories, typical: TypicalWords, seeds: Seeds
) -> dict[Name, _Candidate]:
    """Return candidates by their names; one without words that tell it apart is left out."""
    named: dict[Name, _Candidate] = {}
    numbers = all(isinstance(name, int) for name in seeds.entries)
    for members in candidates:
        if not (words := typical.of(members, categories.seeded)):
            continue
        former = [old for entry in seeds.entries.values() for old in entry.formerly]
        taken = map(int, filter(str.isdecimal, former)) if numbers else former
        names: list[Name] = [*seeds.entries, *named, *taken]
        first = "-".join(words[:IN_NAME])
        spellings = (first, *(f"{first}-{number}" for number in range(2, len(names) + 2)))
        free = next(name for name in spellings if name not in map(str, names))
        named[max(map(int, names)) + 1 if numbers else free] = _Candidate(members, tuple(words))
    return named


def holds(labelled: Mask, members: Mask, right: float, categories: Categories) -> bool:
    """Return whether a label is that of a cluster, and of few documents that others hold for good reasons."""
    if not labelled.any():
        return False
    again = (labelled & members).sum() / members.sum()
    held = (labelled & categories.seeded).sum() / labelled.sum()
    size = labelled.mean() * categories.probabilities.shape[1]
    return bool(
        again + SAY_OF_RIGHT * right >= LEAST_TOGETHER
        and held <= MOST_HELD
        and categories.unexplained(labelled) * size >= LEAST_WORTH
    )


def _described(
    candidates: Mapping[Name, _Candidate],
    fit: _Fitted,
    categories: Categories,
    documents: _Documents,
    seeds: Seeds,
) -> Discovery:
    before = np.array([str(name) for name in seeds.names])[categories.labels]
    to_new = np.isin(fit.labels, [str(name) for name in candidates])
    scale = documents.total / len(documents)

    def scaled(which: Mask) -> int:
        return round(float(which.sum() * scale))

    new = []
    for name, candidate in candidates.items():
        members = fit.members(name)
        if members.any():
            sizes = Counter(before[members].tolist())
            most = sorted((old for old in seeds.names if sizes[str(old)]), key=lambda old: -sizes[str(old)])
            new.append(
                NewCategory(
                    name,
                    candidate.words,
                    scaled(members),
                    fit.right[name],
                    {old: round(sizes[str(old)] * scale) for old in most},
                    documents.examples(members & candidate.members, candidate.words, categories),
                )
            )
    return Discovery(
        seeds,
        documents.total,
        len(documents),
        tuple(sorted(new, key=lambda category: -category.documents)),
        moved=scaled(to_new),
        held=scaled(to_new & categories.seeded),
        moved_otherwise=scaled(~to_new & (fit.labels != before)),
    )
