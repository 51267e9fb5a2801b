"""Seed words: what the user knows about each category, read, checked and bound to a vocabulary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from seedtopic.errors import InputError
from seedtopic.seeds.category import Category, checked_name, is_wildcard, matching
from seedtopic.seeds.files import parsed, written
from seedtopic.seeds.tree import Name, Tree
from seedtopic.text.phrases import Phrases
from seedtopic.text.tokens import Tokenizer, find_phrases

if TYPE_CHECKING:
    from seedtopic.advice.check import SeedCheck
    from seedtopic.advice.suggest import SeedSuggestions

__all__ = ["BoundSeeds", "Name", "Seeds"]

SHOWN = 20  # names in a sentence


@dataclass(frozen=True)
class Seeds:
    """Categories and their seed words, in the user's order.

    Parameters
    ----------
    categories : mapping of str or int to sequence of str or mapping
        The words of each category: words, phrases (``"world cup"``) and wildcards (``"invest*"``). A word may
        stand in several categories; it speaks for all of them. In place of the list may stand a mapping with
        any of ``words``, ``weights`` (a number for each word that shall not weigh 1), ``exclude`` (words that
        speak against the category) and ``parent`` (a category above it). Documents are labelled with those
        that are nobody's parent; the words of a parent speak for all its children.

    Attributes
    ----------
    entries : dict of str or int to Category
        What was given, parents included.
    categories : dict of str or int to tuple of str
        The words that speak for each category that documents are labelled with.
    weights : dict of str or int to dict of str to float
        The weights of those words that do not weigh 1.
    exclude : dict of str or int to tuple of str
        The words that speak against it.
    tree : Tree

    Examples
    --------
    >>> seeds = Seeds({"sports": ["Game", "team"], "money": {"words": ["bank"], "exclude": ["river"]}})
    >>> seeds.names
    ['sports', 'money']
    >>> seeds.categories["sports"]
    ('game', 'team')
    >>> seeds.exclude["money"]
    ('river',)
    """

    entries: Mapping[Name, Category] = field(repr=False)
    categories: Mapping[Name, tuple[str, ...]] = field(compare=False)
    weights: Mapping[Name, Mapping[str, float]] = field(compare=False)
    exclude: Mapping[Name, tuple[str, ...]] = field(compare=False)
    tree: Tree = field(compare=False, repr=False)

    def __init__(self, categories: Mapping[Any, Sequence[str] | Mapping[str, Any]]) -> None:
        entries, tree = _checked(categories)
        whole = {leaf: _with_parents(leaf, entries, tree) for leaf in tree.leaves}
        for name, value in (
            ("entries", entries),
            ("categories", {leaf: category.words for leaf, category in whole.items()}),
            ("weights", {leaf: category.weights for leaf, category in whole.items()}),
            ("exclude", {leaf: category.exclude for leaf, category in whole.items()}),
            ("tree", tree),
        ):
            object.__setattr__(self, name, value)

    def __eq__(self, other: object) -> bool:
        """Compare what was given and in which order, since the order of the categories is that of classes."""
        if not isinstance(other, Seeds):
            return NotImplemented
        return list(self.entries.items()) == list(other.entries.items())

    @property
    def names(self) -> list[Name]:
        """The categories that documents are labelled with, in the user's order."""
        return list(self.categories)

    @property
    def words(self) -> list[str]:
        """Every seed once, in the order of first mention."""
        return list(dict.fromkeys(word for words in self.categories.values() for word in words))

    @property
    def counted(self) -> list[str]:
        """The words and phrases that counts must have: seeds, and words that speak against a category."""
        against = (word for words in self.exclude.values() for word in words)
        return [word for word in dict.fromkeys([*self.words, *against]) if not is_wildcard(word)]

    def phrases(self, tokenizer: Tokenizer | None = None) -> Phrases:
        """Give the phrases to look for in documents; found anew only when another tokenizer is given.

        Parameters
        ----------
        tokenizer : callable, optional
            What cuts a text into words, and phrases too.

        Examples
        --------
        >>> Seeds({"cities": ["new york"], "gold": ["gold"]}).phrases().counts(["new", "york"])
        {'new york': 1}
        """
        kept: tuple[Tokenizer | None, Phrases] | None = self.__dict__.get("_phrases")
        if kept is None or kept[0] is not tokenizer:
            kept = (tokenizer, find_phrases(self.counted, tokenizer))
            self.__dict__["_phrases"] = kept  # both at once, so that threads may share the seeds
        return kept[1]

    @classmethod
    def read(cls, path: str | Path) -> Seeds:
        """Read seeds from a TOML or JSON file: one entry a category, a list of words or a table.

        Parameters
        ----------
        path : path
            Of a file that ends in .toml or .json.
        """
        path = Path(path)
        try:
            return cls(parsed(path.read_text(encoding="utf-8-sig"), path.suffix.lower()))
        except FileNotFoundError:
            raise InputError(f"the seeds file {path} does not exist: check its path.") from None
        except UnicodeDecodeError as error:
            line = error.object[: error.start].count(b"\n") + 1
            raise InputError(
                f"the seeds file {path} is not UTF-8 at line {line}: save it as UTF-8, which editors call an "
                "encoding."
            ) from None
        except OSError as error:
            raise InputError(f"the seeds file {path} cannot be read: {error.strerror}.") from None
        except InputError as error:
            raise InputError(f"in the seeds file {path}: {error}") from None

    @classmethod
    def of(cls, seeds: Seeds | Mapping[Any, Sequence[str]] | str | Path) -> Seeds:
        """Accept seeds as a `Seeds`, a mapping, or the path of a TOML or JSON file.

        Parameters
        ----------
        seeds : Seeds, mapping or path
        """
        if isinstance(seeds, Seeds):
            return seeds
        if isinstance(seeds, str | Path):
            return cls.read(seeds)
        return cls(seeds)

    def table(self) -> dict[Name, list[str] | dict[str, Any]]:
        """Give the seeds as plain data, which `Seeds` takes back and JSON can hold.

        Examples
        --------
        >>> Seeds({"gold": ["gold"], "oil": {"words": ["crude"], "exclude": ["olive"]}}).table()
        {'gold': ['gold'], 'oil': {'words': ['crude'], 'exclude': ['olive']}}
        """
        return {name: category.entry() for name, category in self.entries.items()}

    def to_toml(self) -> str:
        """Write the seeds as TOML, plain lists as one line each; names become texts.

        Examples
        --------
        >>> seeds = Seeds({"gold": ["gold", "mine"], "oil": {"words": ["oil"], "exclude": ["olive oil"]}})
        >>> print(seeds.to_toml())
        gold = ["gold", "mine"]
        <BLANKLINE>
        [oil]
        words = ["oil"]
        exclude = ["olive oil"]
        <BLANKLINE>
        """
        return written(self.table())

    def bind(self, vocabulary: Sequence[str]) -> BoundSeeds:
        """Find the seeds among the columns of a count matrix; a wildcard stands for all words it matches.

        Parameters
        ----------
        vocabulary : sequence of str
            The word of each column.
        """
        column_of = {word: column for column, word in enumerate(vocabulary)}
        mentioned = dict.fromkeys([*self.words, *(word for words in self.exclude.values() for word in words)])
        expansions = {word: matching(word, vocabulary) for word in mentioned if is_wildcard(word)}

        def columns(word: str) -> list[int]:
            return [column_of[match] for match in expansions.get(word, [word]) if match in column_of]

        weight_at: dict[tuple[int, int], float] = {}
        against: list[tuple[int, int]] = []
        for k, (name, words) in enumerate(self.categories.items()):
            spelled_out = {column for word in words if not is_wildcard(word) for column in columns(word)}
            excluded = {c for word in self.exclude[name] for c in columns(word)} - spelled_out
            against += [(k, column) for column in sorted(excluded)]
            # Wildcards first: a word that is spelled out, too, has the weight it has there.
            for word in sorted(words, key=is_wildcard, reverse=True):
                for column in columns(word):
                    if column not in excluded:
                        weight_at[k, column] = self.weights[name].get(word, 1.0)
        shape = (len(self.categories), len(vocabulary))
        missing = {word: owners for word, owners in self.owners().items() if not columns(word)}
        return BoundSeeds(
            self, _sparse(weight_at, shape), _sparse(dict.fromkeys(against, 1.0), shape), missing, expansions
        )

    def check(self, corpus: Any, vocabulary: Sequence[str] | None = None, **reading: Any) -> SeedCheck:
        """Judge the seeds by documents, before anything is fitted.

        Parameters
        ----------
        corpus : iterable of str, or matrix of counts of shape (n_documents, n_words)
            The documents; a matrix needs its `vocabulary`.
        vocabulary : sequence of str, optional
            The word of each column.
        **reading
            How texts are read: `tokenizer`, `stop_words`, `min_df`, `n_threads` and `max_memory`, as in the
            models.

        Returns
        -------
        SeedCheck
            Documents reached by each category and word, near spellings of words that do not occur, overlaps,
            and all problems at once; its `repaired` gives mended seeds.

        Examples
        --------
        >>> seeds = Seeds({"sports": ["game"], "money": ["bank"]})
        >>> found = seeds.check(["a game", "my game", "the bank", "tea"])
        >>> found.categories[0].documents
        2
        >>> found.problems
        ("'money' will starve: its seeds reach 1 of 4 documents.",)
        """
        # The one step up: checking needs what models are made of.
        from seedtopic.advice.check import check_seeds

        return check_seeds(self, corpus, vocabulary, **reading)

    def suggest(
        self, corpus: Any, vocabulary: Sequence[str] | None = None, **settings: Any
    ) -> SeedSuggestions:
        """Find words worth adding to each category, without labels, and seeds that look harmful.

        `SeedTopicClassifier` is fitted with the seeds as they are. A word is suggested for a category if most
        of its documents are given to it; first comes the word that reaches the most documents which carry no
        seed yet and are expected to be right, less those expected to be wrong.

        Parameters
        ----------
        corpus : iterable of str, or matrix of counts of shape (n_documents, n_words)
            The documents; a matrix needs its `vocabulary`.
        vocabulary : sequence of str, optional
            The word of each column.
        **settings
            `top`, the number of words for each category (5); `label_distributions`, those of a model that
            was fitted to the documents with these seeds, so that none need be fitted; `random_state` of the
            fit (0), `progress`; and how texts are read: `tokenizer`, `stop_words`, `min_df`, `n_threads`
            and `max_memory`, as in the models.

        Returns
        -------
        SeedSuggestions
            Its `accepted(n)` gives the seeds with the first n words of each category added.

        Examples
        --------
        >>> seeds = Seeds({"sports": ["game"], "money": ["bank"]})
        >>> texts = ["game and goal", "a goal, a game", "goal", "the bank rate", "rate of the bank", "rate"]
        >>> found = seeds.suggest(texts)
        >>> [(category.name, category.words[0].word) for category in found.categories]
        [('sports', 'goal'), ('money', 'rate')]
        >>> found.accepted(1).categories["money"]
        ('bank', 'rate')
        """
        # A step up, as in `check`.
        from seedtopic.advice.suggest import suggest_seeds

        return suggest_seeds(self, corpus, vocabulary, **settings)

    def owners(self) -> dict[str, list[Name]]:
        """Give the categories of each seed, in the order of first mention.

        Examples
        --------
        >>> Seeds({"gold": ["mine", "ore"], "coal": ["mine"]}).owners()
        {'mine': ['gold', 'coal'], 'ore': ['gold']}
        """
        found: dict[str, list[Name]] = {}
        for name, words in self.categories.items():
            for word in words:
                found.setdefault(word, []).append(name)
        return found


@dataclass(frozen=True)
class BoundSeeds:
    """Seeds as columns of a count matrix.

    Attributes
    ----------
    seeds : Seeds
    membership : csr_array, shape (n_categories, n_words)
        The weight of each seed of a category, 1 unless the user gave another.
    exclusion : csr_array, shape (n_categories, n_words)
        1 where the word speaks against the category.
    missing : dict of str to list of categories
        Seeds that do not occur, each with its categories.
    expansions : dict of str to list of str
        The words that each wildcard stands for.
    """

    seeds: Seeds
    membership: sp.csr_array
    exclusion: sp.csr_array
    missing: dict[str, list[Name]]
    expansions: dict[str, list[str]]

    @property
    def n_seeds(self) -> NDArray[np.int64]:
        """How many seeds each category has: those that occur and those that do not."""
        owned = Counter(name for owners in self.missing.values() for name in owners)
        lost = np.array([owned[name] for name in self.seeds.names], dtype=np.int64)
        return np.diff(self.membership.indptr).astype(np.int64) + lost

    @property
    def empty_categories(self) -> list[Name]:
        """Categories none of whose words occurs."""
        found = np.diff(self.membership.indptr)
        return [name for name, count in zip(self.seeds.names, found, strict=True) if count == 0]

    def report(self) -> str | None:
        """Say in one sentence what is missing, or None when every word occurs."""
        if not self.missing:
            return None
        words = _some([f"{word!r} ({_some(map(str, owners))})" for word, owners in self.missing.items()])
        sentence = f"these seed words do not occur in the documents: {words}"
        if self.empty_categories:
            sentence += f"; left without any word: {_some(map(str, self.empty_categories))}"
        return sentence + "."

    def require(self, *, strict: bool) -> None:
        """Raise unless two categories (all of them when strict) have a word that occurs."""
        empty = self.empty_categories
        if strict and empty:
            raise InputError(
                f"none of the seed words of {_some(map(repr, empty))} occurs in the documents: "
                "add words that do, or set strict=False to go on without."
            )
        if len(self.seeds.names) - len(empty) < 2:
            categories = self.seeds.categories.items()
            tried = _some([f"{name}: {_some(words)}" for name, words in categories], "; ")
            raise InputError(
                "fewer than two categories have a seed word that occurs in the documents; "
                f"tried {tried}: add words that do occur."
            )


def _checked(given: Any) -> tuple[dict[Name, Category], Tree]:
    if not isinstance(given, Mapping):
        raise InputError(
            f"seeds must be a mapping of categories to words, a Seeds or a path; got {type(given).__name__}."
        )
    entries: dict[Name, Category] = {}
    written: set[str] = set()  # names that differ in type alone are the same to whoever reads them
    for key, entry in given.items():
        name = checked_name(key)
        if str(name) in written:
            raise InputError(f"the category {name!r} is given twice: keep one of them.")
        written.add(str(name))
        entries[name] = Category.read(name, entry)
    parents = {name: entry.parent for name, entry in entries.items() if entry.parent is not None}
    if len({type(name) for name in [*entries, *parents.values()]}) > 1:
        raise InputError("some categories are named by numbers and some by texts: name all in one way.")
    tree = Tree.of(list(entries), parents)
    for leaf in tree.leaves:
        if not entries[leaf].words:
            raise InputError(f"the category {leaf!r} has no seed words: give it at least one.")
    if len(tree.leaves) < 2:
        raise InputError(
            f"seeds need at least two categories; got {_some(map(repr, tree.leaves)) or 'none'}"
            f"{' below their parents' if tree else ''}."
        )
    return entries, tree


def _with_parents(leaf: Name, entries: Mapping[Name, Category], tree: Tree) -> Category:
    line = [entries[node] for node in reversed(tree.path(leaf)) if node in entries]
    return reduce(Category.under, line)


def _sparse(entries: Mapping[tuple[int, int], float], shape: tuple[int, int]) -> sp.csr_array:
    rows, columns = zip(*entries, strict=True) if entries else ((), ())
    values = np.fromiter(entries.values(), dtype=np.float64, count=len(entries))
    return sp.csr_array((values, (np.array(rows, int), np.array(columns, int))), shape=shape)


def _some(names: Iterable[str], between: str = ", ") -> str:
    """Join names, the first of many.

    Examples
    --------
    >>> _some(["oil", "gold"])
    'oil, gold'
    >>> _some(map(str, range(100)))
    '0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19 and 80 more'
    """
    listed = list(names)
    more = len(listed) - SHOWN
    return between.join(listed[:SHOWN]) + (f" and {more:,} more" if more > 0 else "")
