"""From documents to tokens: one small tokenizer, all of whose choices can be changed.

Words are runs of letters and digits. In scripts without spaces, characters side by side stand for words.
"""

from __future__ import annotations

import re
import unicodedata
from codecs import utf_16_le_encode
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from seedtopic.base.errors import InputError, import_extra
from seedtopic.text.phrases import Phrases

Token = tuple[str, int, int]  # and where it starts and ends
Tokenizer = Callable[[str], list[str]]
StopWords = str | Collection[str] | None

_HAN = r"\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_HIRAGANA = r"\u3041-\u309a\u309d-\u309f"
_KATAKANA = r"\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
# Letters and the signs that belong to them, but no digits and no punctuation.
_THAI_AND_LAO = r"\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u0edc-\u0edf"
_BURMESE = r"\u1000-\u103f\u1050-\u108f\u109a-\u109d\ua9e0-\ua9ef\ua9fa-\ua9fe\uaa60-\uaa76\uaa7a-\uaa7f"
_KHMER = r"\u1780-\u17d3\u17d7\u17dc\u17dd"
_SOUTH_EAST = _THAI_AND_LAO + _BURMESE + _KHMER
_UNSPACED = _HAN + _HIRAGANA + _KATAKANA + _SOUTH_EAST

_ANY = re.compile(f"[{_UNSPACED}]")
_UNSPACED_BLOCKS = {0x0E, 0x10, 0x17, 0x30, 0x31, *range(0x34, 0xA0), 0xA9, 0xAA, 0xD8, 0xF9, 0xFA}
_SPACED_BLOCKS = bytes(sorted(set(range(256)) - _UNSPACED_BLOCKS))
_RUN = re.compile(
    rf"(?P<han>[{_HAN}]+)|(?P<katakana>[{_KATAKANA}]+)|(?P<hiragana>[{_HIRAGANA}][{_HIRAGANA}\u30fc]*)"
    rf"|(?P<south_east>[{_SOUTH_EAST}]+)|(?P<spaced>[^\W_{_UNSPACED}]+)"
)
_UNIT = re.compile(
    rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+"
    # Punctuation between two such characters: a phrase does not reach across it.
    rf"|(?<=[{_UNSPACED}])\s*(?:[^\w\s{_UNSPACED}]|_)(?:[^\w{_UNSPACED}]|_)*(?=[{_UNSPACED}])"
)
_WHOLE = re.compile(rf"[^{_HAN}{_HIRAGANA}{_SOUTH_EAST}]+")
_SIDE_BY_SIDE = 4

MOST_MARKS = 30
# What may be a mark: beyond Latin letters, and neither a letter, a digit nor a space.
_MAYBE = r"[^\w\s\0-\u02ff]"
_LONG = re.compile(rf"{_MAYBE}{{{MOST_MARKS + 1},}}")
# Such a run is also one in every 15th and in every third character, which are looked through sooner.
_SAMPLED = [(stride, re.compile(rf"{_MAYBE}{{{MOST_MARKS // stride}}}")) for stride in (15, 3)]
# The only marks that count as letters, and what they are normalized to.
_VOICED, _SEMI_VOICED = ("\uff9e", "\u3099"), ("\uff9f", "\u309a")

# Maximal runs of letters and digits of any script; the underscore separates words.
_WORD = re.compile(r"[^\W_]{2,}")
_RUN_TOKENS = re.compile(r"[^\W_]+")
# The same for ASCII, where replacing the rest by spaces and splitting is three times as fast.
_BLANKED = "".join(chr(code) if chr(code).isalnum() else " " for code in range(128))
_SINGLE = frozenset(_BLANKED) - {" "}

# The list of the Glasgow Information Retrieval Group, as scikit-learn has it, which takes a second to import.
ENGLISH = """
    a about above across after afterwards again against all almost alone along already also although always am
    among amongst amoungst amount an and another any anyhow anyone anything anyway anywhere are around as at
    back be became because become becomes becoming been before beforehand behind being below beside besides
    between beyond bill both bottom but by call can cannot cant co con could couldnt cry de describe detail do
    done down due during each eg eight either eleven else elsewhere empty enough etc even ever every everyone
    everything everywhere except few fifteen fifty fill find fire first five for former formerly forty found
    four from front full further get give go had has hasnt have he hence her here hereafter hereby herein
    hereupon hers herself him himself his how however hundred i ie if in inc indeed interest into is it its
    itself keep last latter latterly least less ltd made many may me meanwhile might mill mine more moreover
    most mostly move much must my myself name namely neither never nevertheless next nine no nobody none noone
    nor not nothing now nowhere of off often on once one only onto or other others otherwise our ours
    ourselves out over own part per perhaps please put rather re same see seem seemed seeming seems serious
    several she should show side since sincere six sixty so some somehow someone something sometime sometimes
    somewhere still such system take ten than that the their them themselves then thence there thereafter
    thereby therefore therein thereupon these they thick thin third this those though three through throughout
    thru thus to together too top toward towards twelve twenty two un under until up upon us very via was we
    well were what whatever when whence whenever where whereafter whereas whereby wherein whereupon wherever
    whether which while whither who whoever whole whom whose why will with within without would yet you your
    yours yourself yourselves
"""


def normalize(text: str) -> str:
    """Fold a text to the form in which words are compared: lower case, one Unicode form."""
    if not text.isascii():  # ASCII is its own normal form, and most text is ASCII
        text = unicodedata.normalize("NFKC", with_few_marks(text))
    return text.lower()


def words(text: str) -> list[str]:
    """Split a text into lower-case words of at least two characters."""
    text = normalize(text)
    if text.isascii():
        return [word for word in text.translate(_BLANKED).split() if len(word) > 1]
    return segmented(text) if is_unspaced(text) else _WORD.findall(text)


def runs(text: str) -> list[str]:
    """Split a text into what phrases are found among: lower-case words, including single characters."""
    return _runs(normalize(text))


def _runs(text: str) -> list[str]:
    if text.isascii():
        return text.translate(_BLANKED).split()
    return units(text) if is_unspaced(text) else _RUN_TOKENS.findall(text)


def word_counts(text: str, phrases: Phrases | None = None) -> Counter[str]:
    """Count the `words` of a text, without a loop over them, and the phrases among its `runs`."""
    text = normalize(text)
    if not text.isascii() and is_unspaced(text):
        counts = Counter(segmented(text))
        if phrases:  # a word that is a phrase as well is counted wherever the phrase is found
            counts |= Counter(phrases.counts(units(text)))
        return counts
    if phrases:
        read = _runs(text)
        counts = Counter(read)
        of_phrases = phrases.counts(read, counts)
        for letter in [word for word in counts if len(word) == 1]:
            counts.pop(letter)
        counts.update(of_phrases)
        return counts
    if not text.isascii():
        return Counter(_WORD.findall(text))
    counts = Counter(text.translate(_BLANKED).split())
    for letter in counts.keys() & _SINGLE:
        counts.pop(letter)
    return counts


def is_unspaced(text: str) -> bool:
    """Return whether a text contains a character of a script without spaces."""
    # Most texts contain none, so the upper bytes are looked at first, which is three times as fast.
    upper_bytes = utf_16_le_encode(text, "surrogatepass")[0][1::2]
    return bool(upper_bytes.translate(None, _SPACED_BLOCKS)) and _ANY.search(text) is not None


def is_whole_word(word: str) -> bool:
    """Return whether a word is one that people write, and not some characters that are side by side."""
    return _WHOLE.fullmatch(word) is not None


def segmented(text: str) -> list[str]:
    """Split a text of any scripts into words."""
    return [
        run[start : start + size]
        for match in _RUN.finditer(text)
        for run in (match[0],)
        for size in _sizes(run, match.lastgroup)
        for start in range(len(run) - size + 1)
    ]


def placed_segments(text: str) -> list[Token]:
    """Split a text of any scripts into words, and tell where they are."""
    return [
        (text[start : start + size], start, start + size)
        for match in _RUN.finditer(text)
        for size in _sizes(match[0], match.lastgroup)
        for start in range(match.start(), match.end() - size + 1)
    ]


def _sizes(run: str, script: str | None) -> tuple[int, ...]:
    """Return how many characters side by side make a word of a run, for each kind of word."""
    if script == "han":
        return (1, 2)
    if script == "hiragana" or len(run) == 1:
        return ()
    return (min(len(run), _SIDE_BY_SIDE),) if script == "south_east" else (len(run),)


def units(text: str) -> list[str]:
    """Split a text into what phrases consist of: characters of scripts without spaces, words of others."""
    return _UNIT.findall(text)


def placed_units(text: str) -> list[Token]:
    """Return the units of a text, and where they are."""
    return [(match[0], *match.span()) for match in _UNIT.finditer(text)]


def with_few_marks(text: str) -> str:
    r"""Return a text without the marks that follow thirty others on one letter."""
    if len(text) <= MOST_MARKS:
        return text
    text = text.replace(*_VOICED).replace(*_SEMI_VOICED)
    if all(run.search(text[::stride]) for stride, run in _SAMPLED):
        text = _LONG.sub(_shortened, text)
    return text


def _shortened(run: re.Match[str]) -> str:
    short, marks = [], 0
    for character in run[0]:
        marks = marks + 1 if is_mark(character) else 0
        if marks <= MOST_MARKS:
            short.append(character)
    return "".join(short)


@lru_cache(maxsize=4096)
def is_mark(character: str) -> bool:
    r"""Return whether a character is put in order with the marks beside it when a text is normalized."""
    return unicodedata.combining(unicodedata.normalize("NFKD", character)[0]) > 0


def stop_word_set(stop_words: StopWords) -> frozenset[str]:
    """Return the stop words: those of a language, a custom collection, or None for none."""
    if stop_words is None:
        return frozenset()
    if isinstance(stop_words, str):
        return _of_language(stop_words)
    if not isinstance(stop_words, Iterable) or not all(isinstance(word, str) for word in stop_words):
        raise InputError(
            f"stop_words is {stop_words!r:.60}: use the name of a language, a collection of words, or None."
        )
    return _folded(tuple(stop_words))


@lru_cache(maxsize=8)  # it is asked for at each request to a server
def _folded(words: tuple[str, ...]) -> frozenset[str]:
    return frozenset(normalize(word) for word in words)


@lru_cache(maxsize=8)
def _of_language(language: str) -> frozenset[str]:
    if language in ("english", "en"):
        return frozenset(ENGLISH.split())
    # Here, because worker processes that count words also read this file and must start fast.
    lists = import_extra("stop_words", f"stop_words={language!r:.60}", "languages", "stop-words")
    names = lists.LANGUAGE_MAPPING
    if language not in {*names, *names.values()}:
        raise InputError(
            f"stop_words is {language!r:.60}: use one of {', '.join(sorted(names.values()))}, "
            "a collection of words, or None for none."
        )
    listed = lists.get_stop_words(language)
    # A listed word with an apostrophe, as in French, is read as two; one of two Chinese characters is a word.
    parts = {part for word in listed if not is_unspaced(word) for part in words(word)}
    return frozenset(normalize(word) for word in listed) | parts


@dataclass(frozen=True)
class Tokens:
    """Documents that are turned into tokens one by one when they are needed."""

    documents: Iterable[str]
    tokenizer: Tokenizer | None = None  # takes a text and returns its tokens; None means `words`
    phrases: Phrases = field(default_factory=Phrases)  # these, too, become tokens, each after its last word

    def __iter__(self) -> Iterator[list[str]]:
        return map(self.read, self.texts())

    def read(self, text: str) -> list[str]:
        """Return the tokens of one text."""
        if not self.phrases:
            return (self.tokenizer or words)(text)
        if self.tokenizer:
            return self.phrases.inserted(self.tokenizer(text))
        text = normalize(text)
        if not text.isascii() and is_unspaced(text):
            return [token for token, _, _ in placed_words(text, self.phrases)]
        return [token for token in self.phrases.inserted(_runs(text)) if len(token) > 1]

    def counts(self, text: str) -> Counter[str]:
        """Count the tokens of one text."""
        if self.tokenizer is None:
            return word_counts(text, self.phrases)
        read = list(self.tokenizer(text))  # which may be a generator
        counts = Counter(read)
        counts.update(self.phrases.counts(read, counts))
        return counts

    def texts(self) -> Iterator[str]:
        """Yield the documents; raise an error at the first that is not a text."""
        return checked_texts(self.documents)


def checked_texts(documents: Iterable[Any], where: str = "") -> Iterator[str]:
    """Yield documents; raise an error, which says where, at the first that is not a text."""
    for position, document in enumerate(documents):
        if not isinstance(document, str):
            raise InputError(
                f"document {position}{where} is {type(document).__name__} ({document!r:.40}), not a text: "
                "give every document as a str, an empty one as ''."
            )
        yield document


def tokenize(
    documents: Iterable[str], tokenizer: Tokenizer | None = None, phrases: Collection[str] | Phrases = ()
) -> Tokens:
    """Turn documents into tokens, one by one when they are needed."""
    own = None if tokenizer is words else tokenizer
    return Tokens(documents, own, phrases if isinstance(phrases, Phrases) else find_phrases(phrases, own))


def find_phrases(seeds: Collection[str], tokenizer: Tokenizer | None = None) -> Phrases:
    """Return the phrases among seeds, ready to be found in documents; see `phrase_sequences`."""
    return Phrases(phrase_sequences(seeds, None if tokenizer is words else tokenizer))


def placed_words(text: str, phrases: Phrases) -> list[Token]:
    """Return the words and phrases of a text that `normalize` has folded, in the order in which they end."""
    parts = placed_units(text)
    of_phrases = [
        (name, parts[first][1], parts[behind - 1][2])
        for first, behind, name in phrases.places([unit for unit, _, _ in parts])
    ]
    alone = (token for token in placed_segments(text) if token[0] not in phrases.sequences)
    return sorted([*alone, *of_phrases], key=lambda token: (token[2], -token[1]))


def phrase_sequences(seeds: Collection[str], tokenizer: Tokenizer | None = None) -> dict[str, list[str]]:
    """Return the seeds that are no token by themselves, but can be read as some, with these tokens."""
    # In scripts without spaces every character is a token, so that a seed is found inside longer words.
    read = {seed: list((tokenizer or runs)(seed)) for seed in seeds}
    return {
        seed: tokens
        for seed, tokens in read.items()
        if tokens and seed not in tokens and (tokenizer or len(tokens) > 1 or words(tokens[0]))
    }
