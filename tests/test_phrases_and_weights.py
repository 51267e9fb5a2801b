"""Seeds that say what people mean, from the text to the labels: phrases, wildcards, weights, words against."""

from __future__ import annotations

import warnings
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import seedtopic
from seedtopic import PLDNB, STM, WSPTM, LapSWTM, Seeds, SeedTopicClassifier, SeedWarning, WeSTClass
from seedtopic.learning.signals.seeds import seed_cooccurrence, seed_counts
from seedtopic.learning.signals.words import word_relevance
from seedtopic.model.drift import word_counts
from seedtopic.text import tally as tallying
from seedtopic.text.counts import count_known, count_words
from seedtopic.text.phrases import Phrases
from seedtopic.text.tokens import tokenize, words

SHORT: dict[type, dict[str, Any]] = {
    SeedTopicClassifier: {},
    WSPTM: {"max_iter": 5},
    LapSWTM: {"max_iter": 5},
    STM: {"n_sweeps": 5},
    PLDNB: {},
    WeSTClass: {
        "embedding_size": 10,
        "embedding_epochs": 1,
        "n_pseudo_documents": 5,
        "n_near_words": 3,
        "pretrain_epochs": 1,
        "max_batches": 1,
    },
}
every_seed_model = pytest.mark.parametrize("Model", SHORT)

# "world cup" tells the two apart where neither "world" nor "cup" does.
TEXTS = [
    "the world cup final was a goal feast",
    "goal after goal until the world cup ended",
    "a cup of tea and a cake for the world",
    "tea in a cup is the best in the world",
    "cake with tea and a second cup",
    "the team scored a goal in the world cup",
] * 3


@st.composite
def phrases_and_tokens(draw: st.DrawFn) -> tuple[dict[str, list[str]], list[str]]:
    token = st.sampled_from("abc")
    sequences = draw(st.lists(st.lists(token, min_size=1, max_size=3), max_size=4))
    return {" ".join(s): s for s in sequences}, draw(st.lists(token, max_size=12))


@given(phrases_and_tokens())
def test_phrases_are_found_wherever_their_tokens_stand_in_a_row(
    case: tuple[dict[str, list[str]], list[str]],
) -> None:
    sequences, tokens = case
    slowly = {
        name: sum(tokens[i : i + len(s)] == s for i in range(len(tokens))) for name, s in sequences.items()
    }
    assert Phrases(sequences).counts(tokens) == {name: n for name, n in slowly.items() if n}
    inserted = Phrases(sequences).inserted(tokens)
    assert Counter(inserted) == Counter(tokens) + Counter(slowly)


def test_a_phrase_may_hold_stop_words_and_single_letters_and_adds_one_column() -> None:
    texts = ["Bank of America, vitamin C", "the bank; america. Vitamin-c!", "a bank of Americans, plan B"]
    phrases = ["bank of america", "vitamin c", "plan b"]
    stop = {"of", "the"}
    plain = count_words(tokenize(texts), min_df=1, stop_words=stop)
    counts = count_words(tokenize(texts, phrases=phrases), min_df=1, stop_words=stop, keep=phrases)
    assert set(counts.vocabulary) - set(plain.vocabulary) == set(phrases)
    column = [counts.vocabulary.index(phrase) for phrase in phrases]
    assert counts.matrix.toarray()[:, column].tolist() == [[1, 1, 0], [0, 1, 0], [0, 0, 1]]
    words_alone = [counts.vocabulary.index(word) for word in plain.vocabulary]
    assert (counts.matrix.toarray()[:, words_alone] == plain.matrix.toarray()).all()


def test_phrases_are_counted_alike_without_c(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tallying, "_words", None)
    texts = [f"world cup {'world cup ' * (i % 3)} number {i}, coupe du monde à Zürich" for i in range(12)]
    phrases = ["world cup", "monde à zürich"]
    found = [tallying.tally_texts([text], tokenize([], phrases=phrases).phrases) for text in texts]
    assert [t.counts[t.columns.index(t.words.index("world cup"))] for t in found] == [
        1 + i % 3 for i in range(12)
    ]
    assert all("monde à zürich" in tally.words and "à" not in tally.words for tally in found)


def test_phrases_of_an_own_tokenizer_are_matched_on_its_tokens() -> None:
    texts = ["機械学習は楽しい", "学習機械"]
    assert list(tokenize(texts, list, ["学習"])) == [
        ["機", "械", "学", "習", "学習", "は", "楽", "し", "い"],
        ["学", "習", "学習", "機", "械"],
    ]

    def pairs(text: str) -> list[str]:
        read = words(text)
        return [*read, *map(" ".join, pairwise(read))]

    # A tokenizer that makes phrases itself is not helped: nothing is counted twice.
    counts = count_words(tokenize(["world cup"], pairs, ["world cup"]), min_df=1, keep=["world cup"])
    assert counts.vocabulary == ["cup", "world", "world cup"]
    assert counts.matrix.toarray().tolist() == [[1, 1, 1]]


def test_known_phrases_are_counted_in_new_documents() -> None:
    tokens = tokenize(["The World Cup, a world cup"], phrases=["world cup", "not kept"])
    assert count_known(tokens, ["cup", "world cup"]).matrix.toarray().tolist() == [[2, 2]]


@every_seed_model
def test_phrases_as_seeds_and_wildcards_in_every_model(Model: type, tmp_path: Path) -> None:
    seeds = {"sports": ["world cup"], "kitchen": ["cak*"]}
    model = Model(seeds, random_state=0, **SHORT[Model]).fit(TEXTS)
    assert "world cup" in model.vocabulary_
    assert model.seeds_.bind(model.vocabulary_).expansions == {"cak*": ["cake"]}
    if Model is not WeSTClass:  # too few documents for its word vectors
        assert model.transduction_[:6].tolist() == ["sports", "sports", *["kitchen"] * 3, "sports"]
    model.save(tmp_path / "model")
    again = seedtopic.load(tmp_path / "model")
    assert again.seeds_ == model.seeds_
    new = ["who won the world cup", "one cup for the world", "cake"]
    assert (word_counts(again, new) != word_counts(model, new)).nnz == 0
    found = word_counts(again, new).toarray()[:, model.vocabulary_.index("world cup")]
    assert found.tolist() == [1, 0, 0]
    assert np.array_equal(again.predict_proba(new), model.predict_proba(new))


def test_weights_and_exclusions_by_hand() -> None:
    # words: bank river rate game; money has bank (weight 2) and rate, not with river; sports has game
    counts = sp.csr_array(np.array([[1.0, 0, 1, 0], [3, 1, 0, 0], [0, 0, 0, 1]]))
    membership = sp.csr_array(np.array([[2.0, 0, 1, 0], [0, 0, 0, 1]]))
    exclusion = sp.csr_array(np.array([[0.0, 1, 0, 0], [0, 0, 0, 0]]))
    assert seed_counts(counts, membership).tolist() == [[3, 0], [6, 0], [0, 1]]
    assert seed_counts(counts, membership, exclusion).tolist() == [[3, 0], [0, 0], [0, 1]]
    met = seed_cooccurrence(counts, membership, exclusion)
    assert met.tolist() == [[3, 0, 3, 0], [0, 0, 0, 1]]
    assert word_relevance(met, 0.01, exclusion)[1].tolist() == [0.01, 0.01]
    learned = np.array([[3.0, 5.0, 3.0, 0.0], [0.0, 1.0, 0.0, 1.0]])  # met on the way, without seeds
    assert word_relevance(learned, 0.01)[1, 0] > 0.01
    assert word_relevance(learned, 0.01, exclusion)[1, 0] == 0.01


BANKS = [
    "bank loan interest",
    "loan from the bank",
    "interest on a loan",
    "boat on the river by the bank",
    "the river bank with a boat",
    "a boat and a fish in the river",
    "match and goal",
    "goal in the match",
    "the match had no goal",
] * 3


@pytest.mark.parametrize("Model", [model for model in SHORT if model is not WeSTClass])
def test_weights_per_seed_and_words_that_speak_against_a_category(Model: type) -> None:
    """Where money's "bank" meets nature's "fish", weights decide; by the river money is not heard."""

    def fitted(texts: list[str], money: Any) -> Any:
        seeds = {"money": money, "nature": ["fish"], "sports": ["goal"]}
        as_learned = {"calibrate": False} if Model is SeedTopicClassifier else {}  # of few documents, unsure
        return Model(seeds, random_state=0, **SHORT[Model], **as_learned).fit(texts)

    nature = ["boat on the river", "fish and a boat", "a fish in the river"]
    apart = [*BANKS[:3], *nature, *BANKS[6:9]] * 3 + ["bank fish", "fish bank"]
    entries = [{"words": ["bank", "loan"], "weights": {"bank": weight}} for weight in (0.05, 1, 20)]
    share = [fitted(apart, entry).label_distributions_[-2:, 0].mean() for entry in entries]
    assert share == sorted(share)
    assert share[0] < share[2] - 0.1

    plain = fitted(BANKS, ["bank", "loan"])
    against = fitted(BANKS, {"words": ["bank", "loan"], "exclude": ["river"]})
    assert against.transduction_[:3].tolist() == ["money"] * 3
    by_river = [3, 4]
    assert (against.label_distributions_[by_river, 0] < plain.label_distributions_[by_river, 0]).all()
    if hasattr(against, "relevance_"):
        river = against.relevance_[against.vocabulary_.index("river")]
        assert river[0] == pytest.approx(against.relevance_.min())


def test_a_document_with_an_excluding_word_teaches_the_default_model_nothing_of_the_category() -> None:
    seeds = {
        "money": {"words": ["bank", "loan"], "exclude": ["river"]},
        "nature": {"words": ["fish"], "exclude": ["goal"]},
        "sports": ["goal"],
    }
    model = SeedTopicClassifier(seeds, random_state=0, refine=False, mixture=False, calibrate=False)
    model.fit(BANKS)
    with_river = ["river" in text for text in BANKS]
    assert (model.label_distributions_[with_river, 0] == 0).all()
    assert (model.label_distributions_[np.invert(with_river), 0] > 0).all()
    # Words against every category leave a document as if there were none.
    everything = {name: {"words": list(w), "exclude": ["the"]} for name, w in model.seeds_.categories.items()}
    model.set_params(seeds=everything).fit(BANKS)
    assert model.label_distributions_.sum(axis=1) == pytest.approx(1.0)


def test_a_heavier_seed_has_more_say() -> None:
    seeds = {"money": ["bank"], "nature": ["river"]}
    heavy = {"money": {"words": ["bank"], "weights": {"bank": 9.0}}, "nature": ["river"]}
    texts = ["bank river"] * 4 + ["bank loan", "river fish"] * 4
    shares = [
        LapSWTM(s, random_state=0, max_iter=5, lam=0).fit(texts).label_distributions_[0, 0]
        for s in (seeds, heavy)
    ]
    assert shares[0] == pytest.approx(0.5, abs=0.05)
    assert shares[1] > 0.8


@pytest.mark.torch
def test_what_a_model_cannot_use_is_said() -> None:
    seeds = {"a": {"words": ["cake"], "weights": {"cake": 2}, "exclude": ["goal"]}, "b": ["goal"]}
    with pytest.warns(SeedWarning, match="WeSTClass makes no use of weights and exclude"):
        WeSTClass(seeds, random_state=0, **SHORT[WeSTClass]).fit(TEXTS)


@every_seed_model
def test_a_seed_missing_from_the_corpus_is_tolerated_and_named(Model: type) -> None:
    seeds = {"sports": ["goal", "golf course"], "kitchen": ["tea", "oven*", "pan"]}
    with pytest.warns(
        SeedWarning, match=r"'golf course' \(sports\), 'oven\*' \(kitchen\), 'pan' \(kitchen\)"
    ):
        model = Model(seeds, random_state=0, **SHORT[Model]).fit(TEXTS)
    assert set(model.transduction_) <= {"sports", "kitchen"}


@every_seed_model
def test_a_word_in_two_categories_is_no_error_in_any_model(Model: type) -> None:
    seeds = {"sports": ["goal", "cup"], "kitchen": ["tea", "cup"]}
    model = Model(seeds, random_state=0, **SHORT[Model]).fit(TEXTS)
    if Model is not WeSTClass:
        assert model.transduction_[:6].tolist() == ["sports", "sports", *["kitchen"] * 3, "sports"]


@pytest.mark.parametrize(
    ("seed", "texts"),
    [
        ("e-mail", ["An E-mail came", "e mail", "an email or mail"]),
        ("sous-titres", ["les sous-titres", "sous titres", "sous le titre"]),
        ("c'est", ["C'est la vie", "c’est", "elle est là"]),
        ("U.S.", ["the U.S. senate", "U S", "us"]),
        ("wi-fi", ["free Wi-Fi", "wi fi", "wifi"]),
        (".net", ["a .NET program", "net", "network"]),
    ],
)
def test_a_seed_that_is_read_as_several_words_is_that_phrase(seed: str, texts: list[str]) -> None:
    corpus = [*texts, "tea and cake"] * 3
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = SeedTopicClassifier({"a": [seed], "b": ["cake"]}, random_state=0, stop_words=None).fit(corpus)
    column = model.vocabulary_.index(seed.lower())
    assert word_counts(model, texts).toarray()[:, column].tolist() == [1, 1, 0]
    shares = {share.word: share.spans for share in model.explain(texts[0]).words}
    ((start, end),) = shares[seed.lower()]
    assert words(texts[0][start:end]) == words(seed)
    found = Seeds({"a": [seed], "b": ["cake"]}).check(corpus, stop_words=None)
    assert found.categories[0].words[0].documents == 6
    assert found.findings == ()


def test_hyphenated_words_may_be_weighted_and_excluded(tmp_path: Path) -> None:
    texts = ["a wi-fi offer", "an e-mail offer", "an e-mail and wi-fi", "tea and cake"] * 3
    seeds = {
        "web": {"words": ["e-mail", "offer"], "weights": {"e-mail": 3}, "exclude": ["wi-fi"]},
        "b": ["cake"],
    }
    model = SeedTopicClassifier(seeds, random_state=0).fit(texts)
    bound = model.seeds_.bind(model.vocabulary_)
    assert bound.membership[0, model.vocabulary_.index("e-mail")] == 3
    assert bound.exclusion[0, model.vocabulary_.index("wi-fi")] == 1
    model.save(tmp_path / "model")
    again = seedtopic.load(tmp_path / "model")
    assert np.array_equal(again.predict_proba(texts), model.predict_proba(texts))


def test_an_own_tokenizer_reads_seeds_as_it_reads_documents() -> None:
    def stems(text: str) -> list[str]:
        return [word.removesuffix("s") for word in words(text)]

    tokens = tokenize(["two goals", "a goal, a bank"], stems, ["goals", "bank", "goals bank"])
    assert list(tokens) == [["two", "goal", "goals"], ["goal", "goals", "bank", "goals bank"]]
