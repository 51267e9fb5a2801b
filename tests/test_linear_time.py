"""Nothing that reads a text, a phrase, a wildcard, a rule or a seeds file takes more than linear time."""

from __future__ import annotations

import time
import tomllib
from collections.abc import Callable
from contextlib import suppress
from functools import partial

import pytest

from adversarial_texts import TEXTS, Builder
from seedtopic import InputError, Seeds
from seedtopic.knowledge.replies import seeds_of_answer
from seedtopic.model.seed_table import seed_table
from seedtopic.seeds.category import Category, expansions
from seedtopic.seeds.toml import toml_text
from seedtopic.show.html import Mark, without_overlaps
from seedtopic.text.parts import sentences, word_spans
from seedtopic.text.patterns import Pattern
from seedtopic.text.phrases import Phrases
from seedtopic.text.spelling import near_spellings
from seedtopic.text.tally import tally_texts
from seedtopic.text.tokens import find_phrases, word_counts

STARTS = ["a a b", "a b", "東 東 a", "a a a a a a", "1 234", "don't don't", "ab"]
PHRASES = find_phrases(STARTS)
PATTERNS = [Pattern(expression) for expression in (r"(a+)+b", r"(a|a)*\d$", r"\w+\s*no\.?\s*x", r"^(\s*.)*;")]
MORE = 8


def cpu(work: Callable[[], object]) -> float:
    started = time.thread_time()
    work()
    return time.thread_time() - started


def assert_linear(work: Callable[[int], Callable[[], object]], n: int) -> None:
    """Compare an input with one that is eight times as large: were it quadratic, it took 64 times as long."""
    small, large = work(n), work(MORE * n)
    least = min(cpu(small) for _ in range(3))
    taken = float("inf")
    for _ in range(3):  # others may use the machine meanwhile
        taken = min(taken, cpu(large))
        if taken < 3 * MORE * least + 0.02:
            return
    raise AssertionError(f"{taken:.3f} s for {MORE} times as much as takes {least:.3f} s")


def all_that_reads(text: str) -> None:
    tally_texts([text], PHRASES)
    counts = word_counts(text, PHRASES)
    word_spans(text, [*STARTS, *list(counts)[:50]], phrases=PHRASES)
    sentences(text)
    for pattern in PATTERNS:
        pattern.search(text)


def reads(text: Builder) -> Callable[[int], Callable[[], object]]:
    return lambda n: partial(all_that_reads, text(n))


def test_there_are_a_hundred_texts() -> None:
    assert len(TEXTS) >= 100


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_texts(text: Builder) -> None:
    assert_linear(reads(text), 1_500)


@pytest.mark.slow
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_long_texts(text: Builder) -> None:
    assert_linear(reads(text), 10_000)


# ---- phrases, wildcards and rules ----------------------------------------------------------------------


def many_phrases(n: int) -> Callable[[], object]:
    text = "a " * n
    sequences = {str(k): ["a"] * (k % 20 + 1) + [f"b{k}"] for k in range(n // 20)}

    def work() -> None:
        phrases = Phrases(sequences)
        tally_texts([text, text], phrases)
        word_counts(text, phrases)

    return work


def phrases_in_phrases(n: int) -> Callable[[], object]:
    # As long together as the text, so that their number is the root of it.
    sequences = {str(k): ["a"] * k for k in range(1, int((2 * n) ** 0.5))}
    return lambda: (tally_texts(["a " * n], Phrases(sequences)), word_counts("a " * n, Phrases(sequences)))


def one_long_phrase(n: int) -> Callable[[], object]:
    text = ("a " * 50 + "b ") * (n // 51)
    phrases = {"long": ["a"] * n, "longer": (["a"] * 49 + ["b"]) * (n // 50)}
    return lambda: (tally_texts([text], Phrases(phrases)), word_counts(text, Phrases(phrases)))


def many_documents(n: int) -> Callable[[], object]:
    sequences = {str(k): ["a", f"b{k}"] for k in range(n // 4)}
    return lambda: tally_texts(["a b"] * (n // 4), Phrases(sequences))


def many_wildcards(form: str) -> Callable[[int], Callable[[], object]]:
    def made(n: int) -> Callable[[], object]:
        vocabulary = [f"aaaa{k:x}aaaa" for k in range(n // 10)]
        wildcards = [form.format(f"x{k:x}") for k in range(n // 10)]
        return lambda: expansions(wildcards, vocabulary)

    return made


def stars(n: int) -> Callable[[], object]:
    return lambda: expansions(["a*" * n + "b"], ["a" * n, "a" * n + "b", "*" * n])


def rule(expression: str) -> Callable[[int], Callable[[], object]]:
    return lambda n: lambda: Pattern(expression).search("a" * n + "\n" + "ab " * n)


WORK = {
    "many phrases": many_phrases,
    "phrases within phrases": phrases_in_phrases,
    "one long phrase": one_long_phrase,
    "many documents": many_documents,
    **{
        f"wildcards {form}": many_wildcards(form)
        for form in ("aaaa*{}", "{}*aaaa", "*{}*", "*a*{}*", "a*{}*a")
    },
    "stars": stars,
    **{
        f"rule {x}": rule(x)
        for x in (r"(a*)*c", r"(a|aa)+$c", r"(.*)(.*)(.*)[^\w\s]", r"^(([a-z])+.)+[A-Z]!")
    },
}


@pytest.mark.parametrize("work", WORK.values(), ids=WORK)
def test_phrases_wildcards_and_rules(work: Callable[[int], Callable[[], object]]) -> None:
    assert_linear(work, 4_000)


# ---- seeds -----------------------------------------------------------------------------------------------


def answer(unit: str, end: str = "") -> Callable[[int], Callable[[], object]]:
    def made(n: int) -> Callable[[], object]:
        text = unit * (n // len(unit)) + end

        def work() -> None:
            with suppress(InputError):
                seeds_of_answer(text)

        return work

    return made


def weights(n: int) -> Callable[[], object]:
    words = [f"w{k}" for k in range(n // 5)]
    entry = {
        "words": words,
        "weights": dict.fromkeys(words, 2.0),
        "exclude": [f"x{k}" for k in range(n // 5)],
    }
    return lambda: Category.read("a", entry).under(Category.read("b", entry))


SEEDS = {
    "fences": answer("```x\n"),
    "longer and longer fences": lambda n: answer("\n".join("`" * k for k in range(3, int(n**0.5))))(n),
    "spaces and a name": answer(" ", "b"),
    "a bare name and spaces": lambda n: answer("a" + " " * n + "b")(n),
    "commas": answer(", "),
    "equals signs": answer("a = "),
    "open brackets": answer("["),
    "open tables": answer("[a\n"),
    "quotes": answer('"'),
    "weights": weights,
}


@pytest.mark.parametrize("work", SEEDS.values(), ids=SEEDS)
def test_seeds(work: Callable[[int], Callable[[], object]]) -> None:
    assert_linear(work, 4_000)


def test_marks_that_overlap() -> None:
    def work(n: int) -> Callable[[], object]:
        marks = [Mark(k, k + 1 + k % 3, float(k % 7), False, "") for k in range(n)]
        return lambda: without_overlaps(marks)

    assert_linear(work, 4_000)


def written(lines: Callable[[int], str]) -> Callable[[int], Callable[[], object]]:
    """Edit seeds in the text of a file: one more word for its last category."""

    def made(n: int) -> Callable[[], object]:
        like = lines(n) + '\nlast = ["b"]\n'
        entries = {name: Category.read(name, entry) for name, entry in tomllib.loads(like).items()}
        return partial(toml_text, {**entries, "last": Category(("b", "c"))}, like)

    return made


FILES = {
    "brackets in words": written(lambda n: "a = [\n" + '"w]",\n' * (n // 20) + "]"),
    "quotes in an example": written(
        lambda n: 'a = { words = ["b"], examples = [\n"""\n' + "]'''\n" * (n // 20) + '""",\n] }'
    ),
    "many categories": written(lambda n: "\n".join(f'c{k} = ["w{k}"]' for k in range(n // 20))),
    "comments": written(lambda n: "# ]\n" * (n // 4)),
}


@pytest.mark.parametrize("work", FILES.values(), ids=FILES)
def test_files_of_seeds(work: Callable[[int], Callable[[], object]]) -> None:
    assert_linear(work, 4_000)


def long_words(n: int) -> Callable[[], object]:
    return lambda: near_spellings("x" + "ab" * n, {"ab" * n + "y": 1, "ba" * n + "x": 1, "x" + "ba" * n: 1})


def test_spellings_of_long_words() -> None:
    assert_linear(long_words, 500)


def tokens_that_are_nowhere(n: int) -> Callable[[], object]:
    return partial(word_spans, "a b " * n, ["a"], lambda text: ["stem"] * (len(text) // 4))


def test_positions_of_tokens_that_are_nowhere() -> None:
    assert_linear(tokens_that_are_nowhere, 5_000)


def many_categories(n: int) -> Callable[[], object]:
    entries = {f"c{k}": [f"w{k}", "shared"] for k in range(n // 10)}

    def work() -> None:
        bound = Seeds(entries).bind(["w1", "w2", "other"])
        bound.report(bound.seeds.names, bound.seeds.names)
        bound.require(strict=False, known=bound.seeds.names, taught=bound.seeds.names)
        seed_table(bound, ["w1", "w2", "other"], ())

    return work


def test_seeds_of_many_categories() -> None:
    assert_linear(many_categories, 10_000)
