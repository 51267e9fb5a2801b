"""Seed words: what the user knows about each category."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seedtopic.base.display import shown
from seedtopic.base.errors import InputError
from seedtopic.seeds.bound import BoundSeeds
from seedtopic.seeds.category import Category, checked_entries, folded, is_wildcard, name_words, with_parents
from seedtopic.seeds.files import read_file, write_file
from seedtopic.seeds.toml import toml_text
from seedtopic.seeds.tree import Name, Tree
from seedtopic.text.phrases import Phrases
from seedtopic.text.rules import Rule
from seedtopic.text.tokens import Tokenizer, find_phrases

if TYPE_CHECKING:
    from seedtopic.quality.check import SeedCheck
    from seedtopic.quality.suggest import SeedSuggestions


@dataclass(frozen=True)
class Seeds:
    """Categories and their seed words, in the user's order.

    Parameters
    ----------
    categories : mapping of str or int to sequence of str or mapping
        The words of each category: single words, phrases (``"world cup"``) and wildcards (``"invest*"``). A
        word may belong to several categories; it counts for all of them. An entry is a list of words, or a
        mapping with any of ``words``, ``weights`` (a number for each word whose weight is not 1), ``exclude``
        (words that count against the category), ``patterns`` (regular expressions that its texts match),
        ``columns`` (values of other columns of its documents), ``examples`` (texts that belong to it),
        ``parent`` (the category above it) and ``formerly`` (names that it had before, or of categories that
        were merged into it: answers with these names count for it). A pattern or column that matches a
        document counts like a word in it. Documents are labelled with the categories that have no children;
        the words and rules of a parent count for all its children. Where a category that documents are
        labelled with has no words, the words of its name are used.
    source : str, optional
        The text of the TOML file that the categories come from. `to_toml` and `write` keep its comments,
        order and layout. `read` sets it.

    Attributes
    ----------
    entries : dict of str or int to Category
        The categories as they were given, parents included.
    categories : dict of str or int to tuple of str
        The words that are used for each category that documents are labelled with: its own or those of its
        name, and those of its parents.
    weights : dict of str or int to dict of str to float
        The weights of those words whose weight is not 1.
    exclude : dict of str or int to tuple of str
        The words that count against each category.
    rules : dict of str or int to tuple of Rule
        The patterns and columns of each category, and those of its parents.
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
    rules: Mapping[Name, tuple[Rule, ...]] = field(compare=False, repr=False)
    tree: Tree = field(compare=False, repr=False)
    source: str | None = field(compare=False, repr=False, default=None)

    def __init__(
        self, categories: Mapping[Any, Sequence[str] | Mapping[str, Any]], *, source: str | None = None
    ) -> None:
        entries, tree = checked_entries(categories)
        used = {**entries, **{leaf: entries[leaf].or_named(leaf) for leaf in tree.leaves}}
        whole = {leaf: with_parents(leaf, used, tree) for leaf in tree.leaves}
        self.__dict__.update(  # the seeds are frozen
            entries=entries,
            categories={leaf: category.words for leaf, category in whole.items()},
            weights={leaf: category.weights for leaf, category in whole.items()},
            exclude={leaf: category.exclude for leaf, category in whole.items()},
            rules={leaf: category.rules for leaf, category in whole.items()},
            tree=tree,
            source=source,
        )

    def with_entries(self, entries: Mapping[Name, Category], origins: Mapping[Name, Name]) -> Seeds:
        """Return seeds with these categories, which are written into the same TOML.

        Parameters
        ----------
        entries : dict of str or int to Category
        origins : dict of str or int to str or int
            Which of the categories of today some of them continue under another name.

        Examples
        --------
        >>> seeds = Seeds({"sports": ["game"], "money": ["bank"]})
        >>> seeds.with_entries({**seeds.entries, "weather": seeds.entries["sports"]}, {}).names
        ['sports', 'money', 'weather']
        """
        return Seeds({name: entry.entry() for name, entry in entries.items()}, source=self.source)

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
    def named(self) -> dict[Name, tuple[str, ...]]:
        """The categories that have nothing, each with the words of its name, which are used instead."""
        entries = {name: self.entries[name] for name in self.names}
        return {name: entry.or_named(name).words for name, entry in entries.items() if entry.is_empty}

    @property
    def words(self) -> list[str]:
        """Every seed once, in the order of first mention."""
        return list(dict.fromkeys(word for words in self.categories.values() for word in words))

    @property
    def counted_words(self) -> list[str]:
        """The words and phrases that must be counted: seeds, and words that a category excludes."""
        against = (word for words in self.exclude.values() for word in words)
        return [word for word in dict.fromkeys([*self.words, *against]) if not is_wildcard(word)]

    @property
    def all_rules(self) -> list[Rule]:
        """Every rule once; those that mean the same count once."""
        rules = (rule for rules in self.rules.values() for rule in rules)
        return list({rule.word: rule for rule in rules}.values())

    @property
    def examples(self) -> list[tuple[Name, str]]:
        """Texts that belong to categories, each after the category."""
        return [(name, text) for name in self.names for text in self.entries[name].examples]

    @property
    def columns(self) -> list[str]:
        """The other columns that documents must have, because of the rules."""
        return list(dict.fromkeys(rule.column for rule in self.all_rules if rule.column is not None))

    def phrases(self, tokenizer: Tokenizer | None = None) -> Phrases:
        """Return the phrases to look for in documents; they are kept until another tokenizer is given.

        Parameters
        ----------
        tokenizer : callable, optional
            Splits a text into words, and a phrase as well.

        Examples
        --------
        >>> Seeds({"cities": ["new york"], "gold": ["gold"]}).phrases().counts(["new", "york"])
        {'new york': 1}
        """
        cached: tuple[Tokenizer | None, Phrases] | None = self.__dict__.get("_phrases")
        if cached is None or cached[0] is not tokenizer:
            cached = (tokenizer, find_phrases(self.counted_words, tokenizer))
            self.__dict__["_phrases"] = cached  # both at once, so that threads may share the seeds
        return cached[1]

    @classmethod
    def read(cls, path: str | Path) -> Seeds:
        """Read seeds from a TOML or JSON file with an entry for each category: a list of words or a table.

        Parameters
        ----------
        path : path
            The path of a file that ends in .toml or .json.
        """
        path = Path(path)
        table, source = read_file(path)
        try:
            return cls(table, source=source)
        except InputError as error:
            raise InputError(f"in the seeds file {path}: {error}") from None

    def write(self, path: str | Path) -> None:
        """Write the seeds to a TOML or JSON file.

        Seeds that were read from a TOML file keep its comments, order and layout; so do the seeds that
        `SeedCheck.repaired` and `SeedSuggestions.accepted` make of them.

        Parameters
        ----------
        path : path
            The path of a file that ends in .toml or .json. A file that exists is replaced when the new one is
            complete.
        """
        write_file(Path(path), self, self.to_toml)

    @classmethod
    def of(cls, seeds: Seeds | Mapping[Any, Sequence[str]] | str | Path) -> Seeds:
        """Make seeds from a `Seeds`, a mapping, or the path of a TOML or JSON file.

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
        """Return the seeds as plain data that `Seeds` accepts and JSON can store.

        Examples
        --------
        >>> Seeds({"gold": ["gold"], "oil": {"words": ["crude"], "exclude": ["olive"]}}).table()
        {'gold': ['gold'], 'oil': {'words': ['crude'], 'exclude': ['olive']}}
        """
        return {name: category.entry() for name, category in self.entries.items()}

    def to_toml(self) -> str:
        """Return the seeds as TOML; names that are numbers become text.

        The comments, order and layout of the TOML file that the seeds were read from are kept.

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
        return toml_text(self.entries, self.source)

    def _repr_html_(self) -> str:
        return shown(self, "seeds.seeds_in_notebook")

    def bind(self, vocabulary: Sequence[str]) -> BoundSeeds:
        """Find the columns of a count matrix that are seeds; a wildcard means every word that it matches.

        Parameters
        ----------
        vocabulary : sequence of str
            The word of each column.

        Examples
        --------
        >>> seeds = Seeds({"money": ["invest*", "loan"], "nature": ["fish"]})
        >>> bound = seeds.bind(["fish", "invest", "investor"])
        >>> bound.membership.toarray().tolist()
        [[0.0, 1.0, 1.0], [1.0, 0.0, 0.0]]
        >>> bound.missing
        {'loan': ['money']}
        """
        return BoundSeeds.of(self, vocabulary)

    def check(self, corpus: Any = None, vocabulary: Sequence[str] | None = None, **reading: Any) -> SeedCheck:
        """Check the seeds by what they mean in English and against documents, before fitting a model.

        Parameters
        ----------
        corpus : iterable of str, or matrix of counts of shape (n_documents, n_words), optional
            The documents; a matrix needs its `vocabulary`. Without documents, only what the seeds mean is
            checked.
        vocabulary : sequence of str, optional
            The word of each column.
        **reading
            How to read texts: `tokenizer`, `stop_words`, `min_df`, `n_threads` and `max_memory`, as in the
            models.

        Returns
        -------
        SeedCheck
            The number of documents that contain each word and the seeds of each category, similar spellings
            of words that do not occur, overlaps, and what is worth changing, each with what to do. Its
            method `repaired` returns the seeds with what can be changed without asking.

        Examples
        --------
        >>> seeds = Seeds({"sports": ["game"], "money": ["bank"]})
        >>> check = seeds.check(["a game", "my game", "the bank", "tea"])
        >>> check.categories[0].documents
        2
        >>> check.findings[0].sentence
        "'money' has too few documents: its seeds occur in 1 of 4 documents."
        """
        # Imported here, because the advice is built on the models, and these are built on the seeds.
        from seedtopic.quality.check import check_seeds

        return check_seeds(self, corpus, vocabulary, **reading)

    def suggest(
        self, corpus: Any = None, vocabulary: Sequence[str] | None = None, **settings: Any
    ) -> SeedSuggestions:
        """Suggest words to add to each category, and find seeds that look harmful; no labels are needed.

        `SeedTopicClassifier` is fitted with the seeds as they are. A word is suggested for a category if the
        model assigns most of the documents that contain it to this category, and if it occurs with the seeds
        of the category or is near to them in meaning; otherwise it is listed in `filled_up_with`, as a
        question. Words that are safe to add unread come first. The others are ordered by the documents
        without a seed that they add: those expected to be right minus those expected to be wrong. What an
        English word means counts as much as three documents.

        Parameters
        ----------
        corpus : iterable of str, or matrix of counts of shape (n_documents, n_words), optional
            The documents; a matrix needs its `vocabulary`. Without documents, frequent English words are
            suggested that are near in meaning to the seeds.
        vocabulary : sequence of str, optional
            The word of each column.
        **settings
            `top`, the number of words for each category (5); `label_distributions` of a model that was fitted
            to the documents with these seeds, to save the fit; `labels` that people gave, as `y` of `fit`;
            `random_state` of the fit (0); `progress`; and how to read texts: `tokenizer`, `stop_words`,
            `min_df`, `n_threads` and `max_memory`, as in the models.

        Returns
        -------
        SeedSuggestions
            Its method `accepted(n)` returns the seeds with up to n safe suggestions for each category added.

        Examples
        --------
        >>> seeds = Seeds({"sports": ["game"], "money": ["bank"]})
        >>> texts = ["game and goal", "a goal, a game", "goal", "the bank rate", "rate of the bank", "rate"]
        >>> suggestions = seeds.suggest(texts)
        >>> [(category.name, category.words[0].word) for category in suggestions.categories]
        [('sports', 'goal'), ('money', 'rate')]
        >>> suggestions.accepted(1).categories["money"]
        ('bank', 'rate')
        """
        # Imported here, as in `check`.
        from seedtopic.quality.suggest import suggest_seeds

        return suggest_seeds(self, corpus, vocabulary, **settings)

    def owners(self) -> dict[str, list[Name]]:
        """Return the categories of each seed and rule, in the order of first mention.

        Examples
        --------
        >>> Seeds({"gold": ["mine", "ore"], "coal": ["mine"]}).owners()
        {'mine': ['gold', 'coal'], 'ore': ['gold']}
        """
        owners: dict[str, list[Name]] = {}
        for name, words in self.categories.items():
            for word in dict.fromkeys([*words, *(rule.word for rule in self.rules[name])]):
                owners.setdefault(word, []).append(name)
        return owners


def names_among_seeds(seeds: Seeds) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return whose seeds have a word of the category's own name, and whose only one of another's."""
    owners: defaultdict[str, set[Name]] = defaultdict(set)
    for name in seeds.names:
        for word in name_words(name):
            owners[word].add(name)
    named, misnamed = [], []
    for name, words in seeds.categories.items():
        of_names = {part for seed in words for part in seed.split()} & owners.keys()
        is_named = any(name in owners[word] for word in of_names) or folded(str(name)) in words
        named.append(is_named)
        misnamed.append(not is_named and bool(name_words(name)) and bool(of_names))
    return np.array(named), np.array(misnamed)
