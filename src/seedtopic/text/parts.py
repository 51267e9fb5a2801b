"""Where things are in a text: paragraphs, sentences by the rules of docs/howto/parts.md, and known words.

The time is proportional to the length of the text. Where a rule errs, a part is longer than a sentence.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Literal, get_args

from seedtopic.text.phrases import Phrases
from seedtopic.text.tokens import (
    Token,
    Tokenizer,
    find_phrases,
    is_mark,
    normalize,
    placed_words,
    with_few_marks,
)

Per = Literal["sentence", "paragraph"]
PER: tuple[Per, ...] = get_args(Per)
Span = tuple[int, int]

# In small letters, without the last full stop; in English, German, French, Spanish and Dutch.
_WRITTEN = """
mr mrs ms dr prof st jr sr vs etc e.g i.e cf al fig figs vol pp eds inc ltd co corp dept
gov rep sen rev hon capt col lt sgt approx jan feb mar apr jun jul aug sep sept oct nov dec z.b bzw
d.h u.a usw ca nr abb vgl evtl ggf inkl str tel hr fr frl bspw o.ä s.o s.u m mm mme mlle p.ex env av bd
sra srta dña ud uds pág núm ej p.ej dhr mevr bijv o.a d.w.z blz enz
"""
ABBREVIATIONS = frozenset(_WRITTEN.split())

_BLANK = re.compile(r"\n[^\S\n]*(?:\n[^\S\n]*)+|\u2029")
_CLOSING = "\"'”’»›)\\]}」』）】"
_ENDS = re.compile(rf"[.!?…]+[{_CLOSING}]*|[。！？｡．]+[{_CLOSING}]*|[।॥؟۔።។၊။]+[{_CLOSING}]*")
_SPACED = frozenset(".!?…")  # these end a sentence only where white space follows
_LONGEST = 12  # characters of an abbreviation
_WORD_BEFORE = re.compile(r"[^\s(\"'“‘«]*\Z")


def paragraphs(text: str) -> list[Span]:
    r"""Find the paragraphs of a text: where each begins, and where it ends."""
    return list(_trimmed(text, (match.span() for match in _BLANK.finditer(text))))


def sentences(text: str) -> list[Span]:
    """Find the sentences of a text: where each begins, and where it ends."""
    spans: list[Span] = []
    for start, end in paragraphs(text):
        ends = (match.end() for match in _ENDS.finditer(text, start, end) if _ends(text, match))
        spans += _trimmed(text, ((cut, cut) for cut in ends), start, end)
    return spans


SPLITTERS: dict[Per, Callable[[str], list[Span]]] = {"sentence": sentences, "paragraph": paragraphs}


def _trimmed(text: str, cuts: Iterator[Span], start: int = 0, end: int | None = None) -> Iterator[Span]:
    """Yield what is between the cuts, without white space around it, and leave out what is empty."""
    end = len(text) if end is None else end
    for first, behind in (*cuts, (end, end)):
        part = text[start:first]
        if stripped := part.strip():
            begin = start + len(part) - len(part.lstrip())
            yield begin, begin + len(stripped)
        start = behind


def _ends(text: str, match: re.Match[str]) -> bool:
    """Return whether punctuation ends a sentence."""
    if text[match.start()] not in _SPACED:
        return True
    behind = text[match.end() : match.end() + 1]
    if behind and not behind.isspace():
        return False
    following = text[match.end() : match.end() + _LONGEST].lstrip()
    if following[:1].islower():
        return False
    if match.group() != ".":
        return True
    before = _WORD_BEFORE.search(text, max(match.start() - _LONGEST, 0), match.start())
    word = "" if before is None else before.group().casefold()
    short_number = word.isdecimal() and len(word) <= 2
    return not (short_number or (len(word) == 1 and word.isalpha()) or word in ABBREVIATIONS)


def word_spans(
    text: str, known: Iterable[str], tokenizer: Tokenizer | None = None, phrases: Phrases | None = None
) -> dict[str, list[Span]]:
    """Find every occurrence of the known words."""
    known, folded = list(known), normalize(text)
    read = _placed_tokens(folded, tokenizer(text)) if tokenizer else placed_words(folded, Phrases())
    if phrases is None:
        alone = {token for token, _, _ in read}
        phrases = find_phrases([word for word in known if word not in alone], tokenizer)
    if phrases:
        if tokenizer:
            places = phrases.places([token for token, _, _ in read])
            read = read + [(name, read[first][1], read[behind - 1][2]) for first, behind, name in places]
        else:
            read = placed_words(folded, phrases)
    original = _original_places(text)
    at: dict[str, list[Span]] = {}
    for token, start, end in read:
        at.setdefault(token, []).append((original[start][0], original[end - 1][1]))
    return {word: at[word] for word in known if word in at}


def _placed_tokens(folded: str, tokens: Iterable[str]) -> list[Token]:
    """Find the tokens one after another."""
    placed, behind = [], 0
    nowhere = {""}  # behind this place; so none of these is looked for again
    for token in tokens:
        if token in nowhere:
            continue
        start = folded.find(normalize(token), behind)
        if start < 0:
            nowhere.add(token)
        else:
            behind = start + len(normalize(token))
            placed.append((token, start, behind))
    return placed


def _original_places(text: str) -> list[Span]:
    """Return, for each character of the folded text, which characters of the original it comes from."""
    if text.isascii():
        return [(place, place + 1) for place in range(len(text))]
    places: list[Span] = []
    for start, end in _clusters(text):
        places += [(start, end)] * len(normalize(text[start:end]))
    return places


def _clusters(text: str) -> Iterator[Span]:
    """Split a text so that folding the parts is the same as folding the whole: accents stay with letters."""
    composed = partial(unicodedata.normalize, "NFKC")
    start = 0
    for place in range(1, len(text)):
        if is_mark(text[place]):
            continue
        before, letter = with_few_marks(text[start:place]), text[place]
        if composed(before + letter) == composed(before) + composed(letter):
            yield start, place
            start = place
    if text:
        yield start, len(text)
