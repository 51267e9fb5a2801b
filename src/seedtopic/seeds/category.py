"""A category as the user describes it: how it is read and checked, alone and among others, and wildcards."""

from __future__ import annotations

import numbers
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

from seedtopic.base.errors import InputError
from seedtopic.seeds.tree import Name, Tree
from seedtopic.text.phrases import Automaton
from seedtopic.text.rules import Rule, compiled, is_expression
from seedtopic.text.tokens import normalize, stop_word_set
from seedtopic.text.tokens import words as words_of

KEYS = ("words", "weights", "exclude", "patterns", "columns", "examples", "parent", "formerly")
LONGEST_NAME = 1_000
# What an answer says that is not a category, as it is written where answers are stored.
RESERVED = ("(none of these)", "(skipped)", "(withdrawn)")
MOST_WEIGHT = 1e6
WILDCARD = "*"
FEW = 20  # wildcards, which are faster found one by one
_SPACE = re.compile(r"\s")
_APART = re.compile(r"(?<=[a-z])(?=[A-Z])|[\W_]+")  # what stands between the words of a name
_EDGE = "\n"  # around a word; neither words nor wildcards contain it


@dataclass(frozen=True)
class Category:
    """One category as the user describes it."""

    words: tuple[str, ...] = ()  # words, phrases, and wildcards such as ``invest*``
    weights: Mapping[str, float] = field(default_factory=dict)  # the weights that are not 1
    exclude: tuple[str, ...] = ()  # words, phrases and wildcards that count against the category
    parent: Name | None = None
    patterns: tuple[str, ...] = ()  # regular expressions that texts of the category match
    # Values, or regular expressions between slashes, of other columns of its documents.
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    examples: tuple[str, ...] = ()  # texts that belong to the category
    formerly: tuple[str, ...] = ()  # what it was called, or which categories were merged into it

    @classmethod
    def read(cls, name: Name, entry: Any) -> Category:
        """Read and check an entry: a list of words, or a table with some of `KEYS`."""
        if not isinstance(entry, Mapping):
            return cls(_word_list(name, "seed words", entry))
        if unknown := [key for key in entry if key not in KEYS]:
            remedy = "; in TOML, write plain lists above the first [table]"
            raise InputError(
                f"the category {name!r} has the key {unknown[0]!r}: use {', '.join(KEYS)}"
                f"{remedy if isinstance(entry[unknown[0]], list) else ''}."
            )
        words = _word_list(name, "seed words", entry.get("words", ()))
        exclude = _word_list(name, "excluded words", entry.get("exclude", ()))
        against = set(exclude)
        if both := [word for word in words if word in against]:
            raise InputError(f"the category {name!r} both has and excludes {both[0]!r}: keep one of them.")
        parent = entry.get("parent")
        return cls(
            words,
            _weights(name, words, entry.get("weights", {})),
            exclude,
            None if parent is None else checked_name(parent),
            _patterns(name, entry.get("patterns", ())),
            _columns(name, entry.get("columns", {})),
            _texts(name, "examples", entry.get("examples", ())),
            tuple(dict.fromkeys(map(str.strip, _texts(name, "former names", entry.get("formerly", ()))))),
        )

    @property
    def is_plain(self) -> bool:
        """Whether a list of words describes it completely."""
        return self == Category(self.words)

    @property
    def is_empty(self) -> bool:
        """Whether it has nothing of its own, so that the words of its name are used."""
        return not self.words and not self.rules and not self.examples

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The patterns and columns as rules."""
        of_text = [Rule(f"/{pattern}/") for pattern in self.patterns]
        of_columns = [Rule(value, column) for column, values in self.columns.items() for value in values]
        return (*of_text, *of_columns)

    def entry(self) -> list[str] | dict[str, Any]:
        """Return the entry: a list if that is enough, otherwise a table."""
        if self.is_plain:
            return list(self.words)
        columns = self.columns.items()
        table: dict[str, Any] = {
            "words": list(self.words),
            "weights": dict(self.weights),
            "exclude": list(self.exclude),
            "patterns": list(self.patterns),
            "columns": {name: values[0] if len(values) == 1 else list(values) for name, values in columns},
            "examples": list(self.examples),
            "parent": self.parent,
            "formerly": list(self.formerly),
        }
        return {key: value for key, value in table.items() if value not in ([], {}, None)}

    def or_named(self, name: Name) -> Category:
        """Return the category, with the words of its name if it has none of its own."""
        if self.words:
            return self
        return replace(self, words=tuple(word for word in name_words(name) if word not in self.exclude))

    def under(self, parent: Category) -> Category:
        """Add the words of a parent; where the two contradict each other, the category wins."""
        own, against = set(self.words), set(self.exclude)
        from_parent = [word for word in parent.words if word not in against]
        words = dict.fromkeys([*self.words, *from_parent])
        weights = {word: weight for word, weight in parent.weights.items() if word not in own}
        exclude = [word for word in parent.exclude if word not in own]
        return Category(
            tuple(words),
            {word: weight for word, weight in {**weights, **self.weights}.items() if word in words},
            tuple(dict.fromkeys([*self.exclude, *exclude])),
            self.parent,
            tuple(dict.fromkeys([*self.patterns, *parent.patterns])),
            {
                column: tuple(dict.fromkeys([*self.columns.get(column, ()), *parent.columns.get(column, ())]))
                for column in dict.fromkeys([*self.columns, *parent.columns])
            },
            self.examples,
            self.formerly,
        )


def checked_entries(categories: Any) -> tuple[dict[Name, Category], Tree]:
    """Read all categories, and refuse what does not go together."""
    if not isinstance(categories, Mapping):
        raise InputError(
            "seeds must be a mapping of categories to words, a Seeds or a path; "
            f"got {type(categories).__name__}."
        )
    entries: dict[Name, Category] = {}
    seen: set[str] = set()  # as text, because 1 and "1" look the same to a reader
    for key, entry in categories.items():
        name = checked_name(key)
        if str(name) in seen:
            raise InputError(f"the category {name!r} is given twice: keep one of them.")
        seen.add(str(name))
        entries[name] = Category.read(name, entry)
    for name, entry in entries.items():
        if current := seen.intersection(entry.formerly):
            old = min(current)
            raise InputError(
                f"the category {name!r} was formerly {old!r}, but there is a category of this name: remove "
                f"{old!r} from its 'formerly'."
            )
    parents = {name: entry.parent for name, entry in entries.items() if entry.parent is not None}
    if len({type(name) for name in [*entries, *parents.values()]}) > 1:
        raise InputError("some category names are numbers and some are text: use one kind for all of them.")
    tree = Tree.of(list(entries), parents)
    for leaf in tree.leaves:
        if entries[leaf].or_named(leaf).is_empty:
            raise InputError(f"the category {leaf!r} has no seed words, nor has its name: give it one.")
    owner: dict[str, Name] = {}
    for name, entry in entries.items():
        if entry.examples and name not in tree.leaves:
            raise InputError(
                f"the category {name!r} has examples, but documents are labelled with the categories below "
                "it: move the examples there."
            )
        for text in entry.examples:
            if owner.setdefault(text, name) != name:
                both = f"{owner[text]!r} and for {name!r}"
                raise InputError(f"the example {text!r:.60} is given for {both}: keep one of them.")
    if len(tree.leaves) < 2:
        got = repr(tree.leaves[0]) if tree.leaves else "none"
        raise InputError(
            f"seeds need at least two categories; got {got}{' below the parents' if tree else ''}."
        )
    return entries, tree


def with_parents(name: Name, entries: Mapping[Name, Category], tree: Tree) -> Category:
    """Return a category with everything that its parents add."""
    return reduce(Category.under, [entries[node] for node in reversed(tree.path(name)) if node in entries])


def name_words(name: Name) -> tuple[str, ...]:
    """Read the name of a category as words; numbers and stop words say nothing about it."""
    if not isinstance(name, str):
        return ()
    read = [word for word in words_of(name) if not word.isdigit()]
    return tuple(dict.fromkeys(word for word in read if word not in stop_word_set("english")))


def name_phrase(name: Name) -> str:
    """Read the name of a category as a phrase: AddToList and add_to_list as "add to list"."""
    return " ".join(_APART.sub(" ", str(name)).split()).lower() if name_words(name) else ""


def folded(word: str) -> str:
    """Return a seed as it is compared with the documents: in lower case, with single spaces."""
    return " ".join(normalize(word).split())  # in this order: normalizing some characters gives a space


def checked_name(name: Any) -> Name:
    """Check the name of a category."""
    if isinstance(name, str) and name.strip():
        if len(name) > LONGEST_NAME:
            raise InputError(
                f"the category name {name[:40] + '…'!r} has {len(name):,} characters: use at most "
                f"{LONGEST_NAME:,}."
            )
        _refuse_half_characters("the category name", name)
        if name.strip() in RESERVED:
            raise InputError(f"the category name {name!r} has a meaning of its own in answers: use another.")
        return name.strip()
    if isinstance(name, numbers.Integral) and not isinstance(name, bool):
        return int(name)
    if isinstance(name, str):
        raise InputError("a category name is empty: give every category a name.")
    raise InputError(f"the category name {name!r} is not text: give every category a name.")


def _word_list(name: Name, what: str, words: Any) -> tuple[str, ...]:
    if isinstance(words, str) or not isinstance(words, Iterable) or isinstance(words, Mapping):
        raise InputError(
            f"the {what} of {name!r} must be a list of words; got {words!r:.60}: "
            'write a list such as ["game", "team"].'
        )
    return tuple(dict.fromkeys(_word(name, word) for word in words))


def _word(name: Name, word: Any) -> str:
    if not isinstance(word, str) or not word.strip():
        raise InputError(f"the category {name!r} has the seed {word!r}: every seed must be a word.")
    _refuse_half_characters(f"the category {name!r} has the seed", word)
    known = folded(word)
    if not known.strip(WILDCARD):
        raise InputError(f"the category {name!r} has the seed {word!r}: add letters to the *.")
    if WILDCARD in known and " " in known:
        raise InputError(
            f"the category {name!r} has the seed {word!r}: a phrase cannot contain a *, "
            "so write out each phrase."
        )
    return known


def _weights(name: Name, words: Sequence[str], table: Any) -> dict[str, float]:
    if not isinstance(table, Mapping):
        raise InputError(
            f"the weights of {name!r} are {table!r:.60}: give a number for each word, "
            "as in weights = { bank = 2.0 }."
        )
    weights, listed = {}, set(words)
    for word, weight in table.items():
        known = _word(name, word)
        if known not in listed:
            raise InputError(f"the category {name!r} has a weight for {word!r}, but not the word: add it.")
        number = isinstance(weight, numbers.Real) and not isinstance(weight, bool)
        if not number or not 0 < weight <= MOST_WEIGHT:
            raise InputError(
                f"the category {name!r} gives {word!r} the weight {weight!r:.60}: use a number above 0 "
                "and at most a million."
            )
        weights[known] = float(weight)
    return {word: weight for word, weight in weights.items() if weight != 1.0}


def _texts(name: Name, what: str, texts: Any) -> tuple[str, ...]:
    """Check a list of texts of a category."""
    if isinstance(texts, str) or not isinstance(texts, Sequence):
        raise InputError(
            f"the {what} of {name!r} must be a list of texts; got {texts!r:.60}: put it into [ ]."
        )
    for text in texts:
        if not isinstance(text, str) or not text.strip():
            raise InputError(f"the {what} of {name!r} contain {text!r:.60}: every one must be a text.")
        _refuse_half_characters(f"the {what} of {name!r} contain", text)
    return tuple(dict.fromkeys(texts))


def _patterns(name: Name, texts: Any) -> tuple[str, ...]:
    """Check the regular expressions of a category."""
    patterns = _texts(name, "patterns", texts)
    for pattern in patterns:
        _check_expression(f"the category {name!r} has the pattern", pattern)
    return patterns


def _columns(name: Name, table: Any) -> dict[str, tuple[str, ...]]:
    """Check the values of other columns that a category wants; each is a list afterwards."""
    if not isinstance(table, Mapping):
        raise InputError(
            f"the columns of {name!r} are {table!r:.60}: give a value for each column, "
            'as in columns = { subject = "invoice" }.'
        )
    columns = {}
    for column, values in table.items():
        if not isinstance(column, str) or not column.strip() or not column.isprintable():
            raise InputError(
                f"the category {name!r} has a rule for the column {column!r:.60}: give its name."
            )
        listed = [values] if isinstance(values, str) else values
        columns[column] = _texts(name, f"values of the column {column!r}", listed)
        for value in columns[column]:
            where = f"the category {name!r} wants in the column {column!r} the value"
            if is_expression(value):
                _check_expression(where, value[1:-1])
            elif not value.isprintable():
                raise InputError(f"{where} {value!r:.60}: write it without line breaks.")
    return {column: values for column, values in columns.items() if values}


def _check_expression(what: str, expression: str) -> None:
    if not expression.isprintable():
        raise InputError(f"{what} {expression!r:.60}: write it in one line, and a line break as \\n.")
    try:
        compiled(expression)
    except InputError as error:
        raise InputError(f"{what} {expression!r}, which {error}: correct it.") from None


def _refuse_half_characters(what: str, text: str) -> None:
    """Refuse half of a surrogate pair, which no file can contain."""
    if not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text):
        raise InputError(f"{what} {text!r:.60} contains half a character: type it again.")


def is_wildcard(word: str) -> bool:
    """Return whether a seed is a wildcard."""
    return WILDCARD in word


def matching(wildcard: str, vocabulary: Sequence[str]) -> list[str]:
    """Return the words that a wildcard matches; phrases never match."""
    first, *middle, last = wildcard.split(WILDCARD)
    candidates = (
        word
        for word in vocabulary
        if word.startswith(first) and word.endswith(last) and len(word) >= len(first) + len(last)
    )
    return [
        word
        for word in candidates
        if _in_order(middle, word, len(first), len(word) - len(last)) and not _SPACE.search(word)
    ]


def expansions(wildcards: Collection[str], vocabulary: Sequence[str]) -> dict[str, list[str]]:
    """Return what each of some wildcards matches; many are looked for in one pass over the vocabulary."""
    if len(wildcards) <= FEW:
        return {wildcard: matching(wildcard, vocabulary) for wildcard in wildcards}
    pieces = list(dict.fromkeys(piece for wildcard in wildcards for piece in _pieces(wildcard)))
    automaton = Automaton(pieces)
    words = [f"{_EDGE}{word}{_EDGE}" for word in vocabulary if not _SPACE.search(word)]
    times = automaton.counts(character for word in words for character in word)
    node_of = dict(zip(pieces, automaton.ends, strict=True))
    having: dict[int, list[str]] = {}  # the wildcards by their rarest piece
    for wildcard in wildcards:
        rarest = min((node_of[piece] for piece in _pieces(wildcard)), key=lambda node: times.get(node, 0))
        having.setdefault(rarest, []).append(wildcard)
    matches: dict[str, list[str]] = {wildcard: [] for wildcard in wildcards}
    for word in words:
        for node in {node for _, node in automaton.places(word)} & having.keys():
            for wildcard in having[node]:
                matches[wildcard] += matching(wildcard, [word[1:-1]])
    return matches


def _pieces(wildcard: str) -> Iterator[str]:
    """Yield what a word must contain to match, with the edges of the word."""
    return (piece for piece in f"{_EDGE}{wildcard}{_EDGE}".split(WILDCARD) if piece not in ("", _EDGE))


def _in_order(parts: Sequence[str], word: str, start: int, end: int) -> bool:
    """Return whether a word contains the parts in this order; each is taken as early as possible."""
    for part in parts:
        place = word.find(part, start, end)
        if place < 0:
            return False
        start = place + len(part)
    return True
