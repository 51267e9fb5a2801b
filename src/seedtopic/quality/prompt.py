"""A prompt for any language model that makes it write a seeds file, with a sample of the documents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from seedtopic.base.checks import check_number
from seedtopic.base.errors import InputError
from seedtopic.base.wording import number_of
from seedtopic.io.columns import has_text
from seedtopic.learning.signals.words import sublinear, unit_rows, word_rarity
from seedtopic.quality.next import next_documents, sampled_texts
from seedtopic.seeds import Seeds
from seedtopic.seeds.tree import Name
from seedtopic.text.counts import count_words
from seedtopic.text.tokens import StopWords, Tokenizer, stop_word_set, tokenize

N_DOCUMENTS = 20
LONGEST = 400  # characters of a document that are shown
MOST_READ = 5_000  # documents that stand for all
MOST_COUNTED = 20_000  # characters of a document that are compared

_TASK = """\
I want to sort short and long documents into categories with a tool that needs a few seed words for each
category. Please write these seed words as a TOML file.

A good seed word
- occurs in the documents of its category, literally, in the language of the documents;
- is rare in the documents of every other category;
- is one word, or a phrase of two or three words, in lower case. A word that ends in * stands for every word
  that begins like it: "invest*".
Give each category 5 to 15 seed words, first the most typical ones. Do not put a word into two categories.
{categories}
Answer with one TOML block and nothing else, in this form:

```toml
"category name" = ["word", "two words", "begin*"]
```

These are {n} of {total}, chosen to be unlike each other; long ones are cut off:

{documents}
"""
_KNOWN = "\nThe categories are these, and no others; write their names exactly like this:\n{names}\n"
_UNKNOWN = """
Choose the categories yourself: about 5 to 10 of them, such that most documents belong to exactly \
one. Name each
with one to three plain words.
"""
_WORDS = "\nThese are the seed words so far. Keep what is good, and correct and add the rest:\n\n{toml}"


def seeds_prompt(
    texts: Iterable[str],
    categories: Seeds | Sequence[Name] | None = None,
    *,
    n: int = N_DOCUMENTS,
    tokenizer: Tokenizer | None = None,
    stop_words: StopWords = "english",
) -> str:
    """Return what to paste into a language model, so that it writes a seeds file; it quotes documents."""
    check_number("n", n, least=1, whole=True)
    sample, total = sampled_texts(filter(has_text, texts), MOST_READ, 0)
    if not sample:
        raise InputError("no document has a text: give documents to choose a sample from.")
    read = [text for _, text in sample]
    beginnings = (text[:MOST_COUNTED] for text in read)
    counts = count_words(tokenize(beginnings, tokenizer), stop_words=stop_word_set(stop_words)).matrix
    rows = list(range(min(n, len(read))))  # any, if they have no words
    if counts.nnz and len(read) > n:  # typical of many, and unlike each other
        vectors = unit_rows(sublinear(counts, word_rarity(counts)))
        rows = list(map(int, next_documents(np.full((len(read), 2), 0.5), vectors, n)))
    shown = [f"{place}. {_beginning(read[row])}" for place, row in enumerate(rows, 1)]
    names = categories.names if isinstance(categories, Seeds) else categories
    about = _UNKNOWN if names is None else _KNOWN.format(names="\n".join(f"- {name}" for name in names))
    if isinstance(categories, Seeds) and any(entry.words for entry in categories.entries.values()):
        about += _WORDS.format(toml=categories.to_toml())
    return _TASK.format(
        categories=about, n=len(rows), total=number_of(total, "document"), documents="\n".join(shown)
    )


def _beginning(text: str) -> str:
    """Return the beginning of a text in one line, cut between words."""
    line = " ".join(text.split())
    if len(line) <= LONGEST:
        return line
    return (line[:LONGEST].rpartition(" ")[0] or line[:LONGEST]) + " ..."
