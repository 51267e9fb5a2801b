"""The parameter `vectors`: what words mean helps, is explained exactly, is kept with a model, and can be left out."""

from __future__ import annotations

import hashlib
import pickle
import warnings
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.base import clone

from sealing import arrays_of, rewrite_arrays
from seedtopic import InputError, SeedTopicClassifier, SeedWarning, load
from seedtopic.knowledge.encoders import unit_rows
from seedtopic.knowledge.tables import WordVectors, english
from seedtopic.learning.signals.meaning import WEAK_SEEDS, WEAK_WEIGHT, joined, weak_seeds
from seedtopic.model import vectors as vectors_module
from seedtopic.model.drift import word_counts
from seedtopic.model.reading import TextReader
from seedtopic.model.stages import meaning as meaning_module
from seedtopic.model.stages.documents import SAY_OF_UNSEEN
from seedtopic.model.stages.first_guess import FirstGuess
from seedtopic.model.stages.meaning import Meaning
from seedtopic.model.stages.regression import RegressionStage
from seedtopic.text.tokens import words

SEEDS = {
    "sports": ["team", "game", "coach"],
    "money": ["bank", "stock"],
    "weather": ["rain", "snow"],
    "health": ["doctor", "hospital"],
}
TEXTS = """\
The team won the game after a late goal by the captain.
The coach praised his players after the match.
A striker scored twice in the league final.
The team lost the last game of the season.
Their goalkeeper saved a penalty in the match against the champions.
Fans cheered when the captain lifted the trophy.
The players trained hard before the final.
A young coach took over the team.
The bank raised its interest rate again.
Investors sold their stock when prices fell.
The central bank warned of inflation and debt.
The stock market rose and shares gained value.
Lenders demand higher interest from companies in debt.
Shares of the company fell after its profit warning.
The company reported a profit and paid its investors.
The bank refused the loan to the company.
Heavy rain flooded the streets of the town.
Snow and ice closed the mountain roads.
Storms and strong wind are expected tomorrow.
Cold air brings snow to the hills tonight.
The wind dropped and the clouds cleared by noon.
Rain and clouds will cover the coast tomorrow.
A warm and sunny morning follows the cold night.
The storm brought ice and strong gusts to the coast.
The hospital hired another doctor and two nurses.
The doctor gave the patient a new medicine.
Surgeons at the hospital treated the wounded patient.
The patient was ill with fever and took medicine.
Nurses look after the sick in the ward.
A new treatment cures the illness in weeks.
The surgeons repaired the broken bone.
Fever and cough are signs of the illness.
""".splitlines()
TRUTH = np.repeat(list(SEEDS), 8)
UNSEEN = """\
Football clubs bid for the midfielder's signature
Tennis champion knocked out of the tournament
Olympic athletes swim for gold medals
Basketball playoffs begin with a dunk
The quarterback threw a touchdown
Cricketers bowled the batsmen out
Mortgage borrowers default on repayments
Economists forecast a recession and rising taxes
Bonds, dividends and currencies tumble
Wall Street traders fear a financial crisis
Treasury budgets and fiscal deficits
The accountant audited expenses and revenues
Hurricane with torrential downpours nears Florida
Fog, drizzle and freezing temperatures
Thunder and lightning over humid plains
A blizzard buries highways under drifts
Meteorologists predict a heatwave and drought
Hail and sleet chill northern valleys
Vaccine protects children against influenza
Cancer chemotherapy and tumor screening
Diabetes needs insulin and a healthy diet
Physicians prescribe antibiotics for infections
The clinic diagnoses cardiac disease
Psychiatrists help with depression and anxiety
""".splitlines()
UNSEEN_TRUTH = np.repeat(list(SEEDS), 6)
DIMS = 24


def own(seeds: Any = SEEDS, **options: Any) -> SeedTopicClassifier:
    return SeedTopicClassifier(seeds, **{"random_state": 0, "n_background": 4, "max_iter": 8, **options})


def direction(word: str) -> NDArray[np.float64]:
    """Give a direction that depends on the letters of a word alone."""
    digest = hashlib.sha256(word.encode()).digest()[:DIMS]
    return np.frombuffer(digest, np.uint8).astype(np.float64) - 127.5


def encode(texts: list[str]) -> NDArray[np.float64]:
    """Encode texts by their words, as an encoder would that has been told nothing."""
    return np.array(
        [sum((direction(word) for word in text.lower().split()), np.zeros(DIMS)) for text in texts]
    )


def knowing(texts: list[str]) -> NDArray[np.float64]:
    """Encode texts as the shipped table would."""
    return np.array([english().vectors(text.lower().split())[0].sum(axis=0) for text in texts])


@cache
def user_table() -> WordVectors:
    """A table that is not the shipped one: every third of its numbers, and a word that it lacks."""
    words = [*english().words[:20_000], "blorft"]
    numbers = np.asarray(english().numbers[:20_001, ::3], np.float32)
    return WordVectors("mine", words, numbers, "mine", by_frequency=True)


@cache
def fitted(kind: str, *options: tuple[str, Any]) -> SeedTopicClassifier:
    source = {"auto": "auto", "nothing": None, "table": user_table(), "encoder": encode, "knowing": knowing}
    return own(vectors=source[kind], **dict(options)).fit(TEXTS)


# ------------------------------------------------------------------------------------------ what it is good for


def test_documents_of_words_that_no_fit_has_seen() -> None:
    model = fitted("auto")
    assert model.fitted_.get(Meaning) is not None
    counts = model.fitted_.read(UNSEEN, TextReader.of(model)).all_counts
    assert counts[:, : len(model.vocabulary_)].nnz == 0
    assert (model.predict(UNSEEN) == UNSEEN_TRUTH).mean() >= 0.85
    without = fitted("nothing").predict(UNSEEN)
    assert set(without) == {"sports"}  # which is what even probabilities give


def test_the_fitted_documents_are_right() -> None:
    for kind in ("auto", "table", "knowing"):
        assert (fitted(kind).transduction_ == TRUTH).mean() >= 0.9
        assert (fitted(kind).predict(TEXTS) == TRUTH).mean() >= 0.9


def test_an_encoder_speaks_for_a_text_none_of_whose_words_is_known() -> None:
    model = fitted("knowing")
    assert (model.predict(UNSEEN) == UNSEEN_TRUTH).mean() >= 0.85
    assert model.predict_proba([""])[0] == pytest.approx(0.25)


def test_none_of_the_seeds_occurs() -> None:
    seeds = {
        "sports": ["basketball", "athlete"],
        "money": ["finance", "economy"],
        "weather": ["meteorology", "climate"],
        "health": ["medical", "disease"],
    }
    sentence = "sports, money, weather, health are labelled by meaning alone"
    for options in ({}, {"mixture": True}, {"refine": False, "mixture": False}, {"weigh_seeds": False}):
        with pytest.warns(SeedWarning, match=sentence):
            model = own(seeds, **options).fit(TEXTS[1:31])
        assert np.isfinite(model.label_distributions_).all()
        assert all(np.isfinite(array).all() for array in model.fitted_.stage_arrays.values())
        assert (model.transduction_ == TRUTH[1:31]).mean() >= 0.8
    with pytest.raises(InputError, match="none of the seed words of 'sports', 'money', 'weather', 'health'"):
        own(seeds, strict=True).fit(TEXTS)
    with pytest.raises(
        InputError, match="fewer than two categories have a seed word that occurs in the documents;"
    ):
        own(seeds, vectors=None).fit(TEXTS)


def test_categories_without_a_seed_that_occurs() -> None:
    with pytest.warns(SeedWarning) as caught:
        model = own({**SEEDS, "health": ["medical", "clinic"], "nothing": ["blorft"]}).fit(TEXTS)
    assert [str(warning.message) for warning in caught] == [
        "these seed words do not occur in the documents: 'medical' (health), 'clinic' (health), 'blorft' "
        "(nothing); health is labelled by meaning alone; no word is left for nothing."
    ]
    assert (model.transduction_[-8:] == "health").sum() >= 6
    assert "nothing" not in model.transduction_
    assert "nothing" not in model.predict(UNSEEN)
    with pytest.raises(
        InputError, match="or of which the word vectors know the meaning; the seed words are a: b"
    ):
        own({"a": ["blorft"], "health": ["medical"]}).fit(TEXTS)


def test_the_shipped_table_is_not_asked_about_another_language() -> None:
    texts = ["ein Spiel der Mannschaft", "die Bank senkt den Zins", "Tore im Spiel", "Zinsen der Bank"]
    model = own({"sport": ["spiel"], "geld": ["bank"]}, stop_words=None).fit(texts)
    assert model.fitted_.get(Meaning) is None
    assert model.transduction_.tolist() == ["sport", "geld", "sport", "geld"]


def test_without_vectors_no_table_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = own(vectors=None).fit(TEXTS)

    def english_is_asked_for() -> Any:
        raise AssertionError

    for module in (vectors_module, meaning_module):
        monkeypatch.setattr(module, "english", english_is_asked_for)
    model = own(vectors=None).fit(TEXTS)
    assert np.array_equal(model.label_distributions_, expected.label_distributions_)
    assert np.array_equal(model.predict_proba(UNSEEN), expected.predict_proba(UNSEEN))
    assert model.explain(TEXTS[0]).label == "sports"
    with pytest.raises(AssertionError):
        own().fit(TEXTS)


# ------------------------------------------------------------------------------------------------ explanations

STAGES = {
    "regression": (("mixture", False),),
    "mixture": (("mixture", True),),
    "topics": (("refine", False), ("mixture", False)),
    "mixture of topics": (("refine", False), ("mixture", True)),
    "not calibrated": (("mixture", False), ("calibrate", False)),
}


@pytest.mark.parametrize("kind", ["auto", "nothing", "table", "encoder", "knowing"])
@pytest.mark.parametrize("stage", STAGES)
def test_the_terms_of_an_explanation_are_exact(kind: str, stage: str) -> None:
    model = fitted(kind, *STAGES[stage])
    tolerance = 1e-6 if stage == "topics" else 1e-9  # whose E-step is in single precision
    exact = 0
    for text in [
        *TEXTS[::5],
        *UNSEEN[::3],
        "The mortgage of the team",
        "rain rain hockey hockey puck",
        "blorft",
        "",
    ]:
        found = model.explain(text)
        assert sum(found.terms.values()) == pytest.approx(found.log_odds, abs=1e-9)
        if "mixture" in stage:  # where no word is without any probability
            assert found.limit <= tolerance
        else:
            assert found.limit == pytest.approx(0.0, abs=tolerance)
        exact += abs(found.limit) <= tolerance
        probability = np.sort(model.predict_proba([text])[0])[::-1]
        assert (found.probability, found.runner_up_probability) == pytest.approx(tuple(probability[:2]))
    assert exact >= 4


def log_odds_by_hand(
    model: SeedTopicClassifier, text: str, direction: Any, say: float
) -> NDArray[np.float64]:
    """Add the standardised cosine, in double precision, to what the regression says."""
    fitted_model = model.fitted_
    meaning, view = fitted_model[Meaning], fitted_model.read([text], TextReader.of(model), model.vectors)
    centred = direction - meaning.centre
    cosine = meaning.towards.astype(np.float64) @ (centred / np.linalg.norm(centred))
    score = (cosine - cosine.mean()) / cosine.std(ddof=1)
    return fitted_model[RegressionStage].regression.log_odds(view.vectors)[0] + say * score


@pytest.mark.parametrize("text", ["hockey on ice", "Mortgage lenders default", "hockey hockey coach"])
def test_what_unseen_words_say_by_hand(text: str) -> None:
    model = fitted("auto", *STAGES["not calibrated"])
    counts = Counter(word for word in text.lower().split() if word != "on")
    met = {word: sum(word in words(text) for text in TEXTS) for word in counts}
    rarity = {word: np.log1p(len(TEXTS) / max(met[word], 1)) for word in counts}
    frequent = {word: 1e-3 / (1e-3 + english().frequencies([word])[0]) for word in counts}
    weight = {word: (1 + np.log(n)) * rarity[word] * frequent[word] for word, n in counts.items()}
    raw = sum(weight[word] * english().vectors([word])[0][0].astype(np.float64) for word in counts)
    unseen = sum(weight[word] for word in counts if not met[word]) / sum(weight.values())
    expected = log_odds_by_hand(model, text, raw / np.linalg.norm(raw), SAY_OF_UNSEEN * unseen)
    found = model.explain(text)
    first, second = np.argsort(-expected)[:2]
    assert (found.label, found.runner_up) == (list(SEEDS)[first], list(SEEDS)[second])
    assert found.log_odds == pytest.approx(expected[first] - expected[second], abs=1e-4)
    assert "sentence" not in found.terms


@pytest.mark.parametrize("text", ["Hockey puck", "The bank of the river"])
def test_what_an_encoder_says_by_hand(text: str) -> None:
    """Eight tenths of the cosine are the encoder's, two those of the words of the fit."""
    model = fitted("knowing", *STAGES["not calibrated"])
    sentence = knowing([text])[0].astype(np.float64)
    by_words = english().vectors(["bank"])[0][0] if "bank" in text else np.zeros(228)
    raw = np.concatenate((np.sqrt(0.8) * sentence / np.linalg.norm(sentence), np.sqrt(0.2) * by_words))
    expected = log_odds_by_hand(model, text, raw, SAY_OF_UNSEEN)
    found = model.explain(text)
    first, second = np.argsort(-expected)[:2]
    assert found.log_odds == pytest.approx(expected[first] - expected[second], abs=1e-4)
    meaning = model.fitted_[Meaning]
    weights = np.zeros(4)
    weights[first], weights[second] = SAY_OF_UNSEEN, -SAY_OF_UNSEEN
    document = model.fitted_.read([text], TextReader.of(model), model.vectors)
    _, constant, of_sentence = meaning.parted(document.all_counts, document.sentences, weights)
    assert found.sentence_meaning == of_sentence != 0
    score = log_odds_by_hand(model, "", raw, SAY_OF_UNSEEN) - log_odds_by_hand(model, "", raw, 0.0)
    assert constant + of_sentence == pytest.approx(score[first] - score[second], abs=1e-4)


def test_a_word_that_no_fit_has_seen_is_shown_where_it_is() -> None:
    found = fitted("auto").explain("A hockey puck, said the coach")
    shown = {share.word: share for share in found.words}
    assert set(shown) == {"hockey", "puck", "said", "coach"}
    assert shown["hockey"].spans == ((2, 8),)
    assert shown["hockey"].seed_of == ()
    assert shown["hockey"].log_odds > 0
    assert shown["coach"].seed_of == ("sports",)


# --------------------------------------------------------------------------------- what changes nothing at all


@pytest.mark.parametrize("kind", ["auto", "table", "encoder"])
def test_the_order_of_the_documents_does_not_matter(kind: str) -> None:
    model = fitted(kind)
    order = np.random.default_rng(0).permutation(len(TEXTS))
    shuffled = clone(model).fit([TEXTS[place] for place in order])
    assert np.array_equal(shuffled.label_distributions_, model.label_distributions_[order])
    assert np.array_equal(shuffled.predict_proba(UNSEEN), model.predict_proba(UNSEEN))


@pytest.mark.parametrize("kind", ["auto", "encoder"])
def test_the_number_of_threads_does_not_matter(kind: str) -> None:
    one, two = (clone(fitted(kind)).set_params(n_threads=n).fit(TEXTS) for n in (1, 2))
    assert np.array_equal(one.label_distributions_, two.label_distributions_)
    for name, array in one.fitted_.stage_arrays.items():
        assert np.array_equal(array, two.fitted_.stage_arrays[name])
    assert np.array_equal(one.predict_proba(UNSEEN), two.predict_proba(UNSEEN))


@pytest.mark.parametrize("kind", ["auto", "table"])
def test_a_matrix_of_counts_is_as_good_as_texts(kind: str) -> None:
    model = fitted(kind)
    counts = word_counts(model, TEXTS)
    again = clone(model).set_params(vocabulary=list(model.vocabulary_)).fit(counts)
    assert np.array_equal(again.label_distributions_, model.label_distributions_)
    assert np.array_equal(again.predict_proba(TEXTS), model.predict_proba(TEXTS))
    assert np.array_equal(again.predict_proba(counts), model.predict_proba(TEXTS))
    assert np.array_equal(again.predict_proba(UNSEEN), model.predict_proba(UNSEEN))  # all words are looked up
    columns = np.random.default_rng(1).permutation(counts.shape[1])
    again.set_params(vocabulary=[model.vocabulary_[column] for column in columns]).fit(counts[:, columns])
    assert (again.transduction_ == model.transduction_).all()
    assert np.array_equal(again.predict(UNSEEN), model.predict(UNSEEN))


def test_a_prediction_does_not_depend_on_the_company() -> None:
    for kind in ("auto", "table", "encoder"):
        together = fitted(kind).predict_proba(UNSEEN)
        alone = np.concatenate([fitted(kind).predict_proba([text]) for text in UNSEEN])
        assert together == pytest.approx(alone, abs=1e-6)


# -------------------------------------------------------------------------------------------- ways of keeping


@pytest.mark.parametrize("kind", ["auto", "nothing", "table"])
def test_a_saved_model_says_the_same(kind: str, tmp_path: Path) -> None:
    for number, stage in enumerate(STAGES.values()):
        model = fitted(kind, *stage)
        model.save(tmp_path / f"{number}")
        again = load(tmp_path / f"{number}")
        for texts in (TEXTS, UNSEEN, ["blorft", "blorft hockey team"]):
            assert np.array_equal(again.predict_proba(texts), model.predict_proba(texts))
            assert np.array_equal(
                again.predict(texts, multi_label=True), model.predict(texts, multi_label=True)
            )
        assert again.explain(UNSEEN[0]) == model.explain(UNSEEN[0])
        assert again.vectors == (model.vectors if kind != "table" else "auto")


def test_a_model_with_a_path_is_loaded_where_the_table_is_gone(tmp_path: Path) -> None:
    table, rows = tmp_path / "table.vec", []
    for word in {word.strip(".").lower() for text in TEXTS for word in text.split()}:
        rows.append(" ".join([word, *map(str, english().vectors([word])[0][0, :40].tolist())]))
    table.write_text("\n".join(rows) + "\n", encoding="utf-8")
    model = own(vectors=table).fit(TEXTS)
    assert model.fitted_.get(Meaning) is not None
    assert np.array_equal(own(vectors=str(table)).fit(TEXTS).label_distributions_, model.label_distributions_)
    assert not np.array_equal(fitted("nothing").label_distributions_, model.label_distributions_)
    model.save(tmp_path / "model")
    table.unlink()
    again = load(tmp_path / "model")
    for texts in (TEXTS, UNSEEN):
        assert np.array_equal(again.predict_proba(texts), model.predict_proba(texts))
    assert again.vectors == "auto"


def test_without_its_encoder_the_words_of_a_saved_model_speak(tmp_path: Path) -> None:
    model = fitted("knowing")
    model.save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert again.vectors == "auto"
    meaning, before = again.fitted_[Meaning], model.fitted_[Meaning]
    assert meaning.n_encoded == before.n_encoded == english().n_dims
    assert np.array_equal(meaning.words.of_words, before.words.of_words)
    assert (again.predict(TEXTS) == TRUTH).mean() >= 0.9
    assert again.predict_proba(UNSEEN) == pytest.approx(0.25)  # of which no word is known
    told = again.set_params(vectors=knowing)
    assert np.array_equal(told.predict_proba(UNSEEN), model.predict_proba(UNSEEN))


@pytest.mark.parametrize("kind", ["auto", "nothing", "table", "encoder"])
def test_pickles_and_clones(kind: str) -> None:
    model = fitted(kind)
    stored = pickle.dumps(model)
    if kind == "auto":
        assert len(stored) < 3_000_000  # the shipped table, which is larger, is named
    again = pickle.loads(stored)
    assert np.array_equal(again.predict_proba(UNSEEN), model.predict_proba(UNSEEN))
    same = clone(model)
    assert same.vectors is model.vectors
    assert np.array_equal(same.fit(TEXTS).label_distributions_, model.label_distributions_)


def test_a_copy_of_the_shipped_table_is_the_table_itself() -> None:
    assert pickle.loads(pickle.dumps(english())) is english()
    again = pickle.loads(pickle.dumps(user_table()))
    assert again.words == user_table().words
    assert np.array_equal(again.numbers, user_table().numbers)
    assert (again.name, again.checksum, again.by_frequency) == ("mine", "mine", True)


DAMAGE: dict[str, Any] = {
    "meaning_categories_": lambda array: array * 9,
    "meaning_centre_": lambda array: array[:-1],
    "meaning_df_": lambda array: array - 5,
    "meaning_documents_": lambda array: array - 999,
    "meaning_table_": lambda array: array[::-1],
    "meaning_encoded_": lambda array: array + 999,
    "known_meaning_": lambda array: array[:-1],
    "weak_seed_category_": lambda array: array + 4,
    "weak_seed_word_": lambda array: array + 9999,
    "weak_seed_weight_": lambda array: -array,
}


@pytest.mark.parametrize("name", DAMAGE)
@pytest.mark.parametrize("how", ["other numbers", "missing", "not finite"])
def test_a_damaged_meaning_is_refused_in_one_sentence(name: str, how: str, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    fitted("auto").save(folder)
    arrays = arrays_of(folder)
    if how == "missing":
        del arrays[name]
    elif how == "other numbers":
        arrays[name] = DAMAGE[name](arrays[name])
    else:
        arrays[name] = np.full(arrays[name].shape, np.nan)
    rewrite_arrays(folder, arrays)
    with pytest.raises(InputError) as caught:
        load(folder)
    assert "\n" not in str(caught.value)
    assert "damaged" in str(caught.value) or "another table of word vectors" in str(caught.value)


def test_a_meaning_that_fits_nothing_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    fitted("auto").save(folder)
    arrays = arrays_of(folder)
    of_table = ("meaning_centre_", "meaning_categories_", "meaning_names_")
    narrow = {name: arrays[name][..., :5] for name in of_table}
    rewrite_arrays(folder, {**arrays, **narrow})
    with pytest.raises(InputError, match="does not fit the table of word vectors"):
        load(folder)
    table = ("meaning_df_", "meaning_documents_", "meaning_table_")
    rewrite_arrays(folder, {name: array for name, array in arrays.items() if name not in table})
    with pytest.raises(InputError, match="meaning_words_ is missing"):
        load(folder)


# ------------------------------------------------------------------------------------- learning on, checkpoints


def test_a_model_learns_on_with_the_shipped_table_and_not_with_an_encoder() -> None:
    first = [text for place, text in enumerate(TEXTS) if place % 8 < 4]  # with all seeds
    second = [text for place, text in enumerate(TEXTS) if place % 8 >= 4]
    model = own().partial_fit(first).partial_fit(second)
    assert model.fitted_.get(Meaning) is not None
    assert (model.transduction_ == np.repeat(list(SEEDS), 4)).mean() >= 0.9
    assert (model.predict(UNSEEN) == UNSEEN_TRUTH).mean() >= 0.8
    for refused in (own(vectors=encode), fitted("encoder")):
        with pytest.raises(InputError, match="an encoder needs texts, which are not kept") as caught:
            refused.partial_fit(second)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kind", ["auto", "table", "encoder"])
def test_a_fit_that_was_broken_off_goes_on_to_the_same_result(kind: str, tmp_path: Path) -> None:
    def pull_the_plug(stage: str, done: int, total: int) -> None:
        if (stage, done) == ("learning", 3):
            raise KeyboardInterrupt

    model = clone(fitted(kind))
    with pytest.raises(KeyboardInterrupt):
        model.fit(TEXTS, progress=pull_the_plug, checkpoint=tmp_path / "work")
    model.fit(TEXTS, checkpoint=tmp_path / "work")
    assert np.array_equal(model.label_distributions_, fitted(kind).label_distributions_)
    assert np.array_equal(model.predict_proba(UNSEEN), fitted(kind).predict_proba(UNSEEN))
    with pytest.raises(InputError, match="is the checkpoint of a fit with other documents, seeds, settings"):
        model.set_params(vectors=None).fit(TEXTS, checkpoint=tmp_path / "work")


# ------------------------------------------------------------------------------------------------ other options


@pytest.mark.filterwarnings("ignore:.* confirmed labels? looks? wrong")
@pytest.mark.parametrize("kind", ["auto", "nothing"])
def test_confirmed_labels_are_held(kind: str) -> None:
    y: list[Any] = [None] * len(TEXTS)
    y[0] = y[-1] = "money"  # against all words
    model = clone(fitted(kind)).fit(TEXTS, y)
    assert model.transduction_[0] == model.transduction_[-1] == "money"
    assert (model.transduction_[1:-1] == TRUTH[1:-1]).mean() >= 0.8


@pytest.mark.filterwarnings("ignore:.* confirmed labels? looks? wrong")
@pytest.mark.parametrize("seed", range(8))
def test_a_few_wrong_answers_turn_no_other_document(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.choice(len(TEXTS), 1 + seed % 4, replace=False)
    y: list[Any] = [None] * len(TEXTS)
    for row in rows:
        y[row] = rng.choice([name for name in SEEDS if name != TRUTH[row]])
    others = np.delete(np.arange(len(TEXTS)), rows)
    labels = clone(fitted("auto")).fit(TEXTS, y).transduction_
    assert (labels[others] == np.array(TRUTH)[others]).mean() >= 0.8


def test_words_that_speak_against_a_category_are_no_weak_seeds_of_it() -> None:
    against = {name: {"words": words, "exclude": ["patient", "fever"]} for name, words in SEEDS.items()}
    guess = own({**against, "health": SEEDS["health"]}).fit(TEXTS).fitted_[FirstGuess]
    vocabulary = own().fit(TEXTS).vocabulary_
    weak = {vocabulary[column] for column in guess.weak.indices}
    assert weak
    assert not weak & {"patient", "fever", *(word for words in SEEDS.values() for word in words)}


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        (
            5,
            "vectors is int: give 'auto', 'encoder', None, the path of a table of word vectors, a function",
        ),
        (np.eye(3), "vectors is an array of 3 rows, but there are 32 documents: give a row for each"),
        ("nofile.txt", "vectors is 'nofile.txt', which is no file: use 'auto', 'encoder', None, or the path"),
        ("", "vectors is '', which is no file"),
        (Path("nofile.txt"), "vectors is 'nofile.txt', which is no file"),
        (lambda texts: np.empty((0, 0)), r"<lambda> returned an array of shape \(0, 0\) for 32 texts"),
        (lambda texts: np.empty((len(texts), 0)), r"shape \(32, 0\) for 32 texts"),
    ],
)
def test_vectors_that_cannot_be_had_are_named(value: Any, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint) as caught:
        own(vectors=value).fit(TEXTS)
    assert "\n" not in str(caught.value)


def test_an_encoder_that_knows_nothing_leaves_the_words() -> None:
    model = own(vectors=lambda texts: np.zeros((len(texts), 3))).fit(TEXTS)
    assert model.vectors_ == "sentence encoder and English word vectors"
    assert (model.transduction_ == TRUTH).mean() >= 0.9
    assert model.predict_proba(UNSEEN) == pytest.approx(0.25)
    german = ["ein Spiel der Mannschaft", "die Bank senkt den Zins", "Tore im Spiel", "Zinsen der Bank"]
    seeds = {"sport": ["spiel"], "geld": ["bank"]}
    nothing, zeros = (
        own(seeds, vectors=v).fit(german) for v in (None, lambda texts: np.zeros((len(texts), 3)))
    )
    assert zeros.label_distributions_ == pytest.approx(nothing.label_distributions_, abs=1e-4)


def test_another_encoder_than_that_of_the_fit_is_refused() -> None:
    model = pickle.loads(pickle.dumps(fitted("encoder"))).set_params(vectors=knowing)
    with pytest.raises(InputError, match="vectors gives 228 numbers for a text, but the model"):
        model.predict(UNSEEN)


@pytest.mark.parametrize("kind", ["auto", "nothing", "table", "encoder"])
def test_of_no_documents_nothing_is_said(kind: str) -> None:
    assert fitted(kind).predict_proba([]).shape == (0, 4)
    assert fitted(kind).predict([]).shape == (0,)


# ----------------------------------------------------------------------------------------------- laws of signals


@st.composite
def meanings(draw: st.DrawFn) -> Iterator[Any]:
    n_words, n_categories, n_dims = (draw(st.integers(1, most)) for most in (60, 5, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    words = unit_rows(rng.normal(size=(n_words, n_dims)) * (rng.random((n_words, 1)) < 0.9))
    categories = unit_rows(rng.normal(size=(n_categories, n_dims)) * (rng.random((n_categories, 1)) < 0.9))
    return words, categories, rng.random(n_words) < draw(st.floats(0, 1))


@settings(max_examples=200)
@given(meanings())
def test_weak_seeds_are_few_free_and_weak(drawn: Any) -> None:
    words, categories, taken = drawn
    found = weak_seeds(words, categories, taken)
    assert found.shape == (len(categories), len(words))
    assert not taken[found.indices].any()
    assert len(set(found.indices.tolist())) == found.nnz  # each of one category
    assert (np.diff(found.indptr) <= WEAK_SEEDS).all()
    assert (found.data > 0).all()
    assert (found.data <= WEAK_WEIGHT * (1 + 1e-5)).all()
    cosine = words @ categories.T
    of = np.repeat(np.arange(len(categories)), np.diff(found.indptr))
    assert cosine[found.indices, of] == pytest.approx(cosine[found.indices].max(axis=1, initial=-1.0))
    for k in range(len(categories)):  # no word that was passed over is nearer
        chosen = found[[k]].indices
        own_words = np.flatnonzero((cosine.argmax(axis=1) == k) & ~taken & (cosine.max(axis=1) > 0.35))
        assert len(chosen) == min(len(own_words), WEAK_SEEDS)
        if len(chosen) < len(own_words):
            others = np.setdiff1d(own_words, chosen)
            assert cosine[others, k].max() <= cosine[chosen, k].min()


@given(meanings())
def test_a_word_that_is_a_seed_keeps_its_weight_beside_weak_seeds(drawn: Any) -> None:
    words, categories, taken = drawn
    seeds = np.where(taken, 1.0, 0.0) * np.ones((len(categories), 1))
    both = joined(sp.csr_array(seeds), weak_seeds(words, categories, taken)).toarray()
    assert np.array_equal(both[:, taken], seeds[:, taken])
    assert (both[:, ~taken] <= WEAK_WEIGHT * (1 + 1e-5)).all()


def test_everything_is_said_without_a_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        own(none_label="other", vectors="auto").fit(TEXTS).predict(UNSEEN)


# ------------------------------------------------------------------------------------- vectors of the documents

GIVEN = knowing(TEXTS)


def test_an_array_of_vectors_tells_what_seeds_mean_by_the_documents_with_them() -> None:
    model = own(vectors=GIVEN).fit(TEXTS)
    assert (model.transduction_ == TRUTH).mean() >= 0.9
    assert model.vectors_ == "sentence encoder and English word vectors"
    order = np.random.default_rng(0).permutation(len(TEXTS))
    again = own(vectors=GIVEN[order]).fit([TEXTS[place] for place in order])
    assert again.label_distributions_ == pytest.approx(model.label_distributions_[order], abs=1e-6)


def test_new_documents_are_known_by_their_words_or_by_a_function_that_is_set(tmp_path: Path) -> None:
    model = own(vectors=GIVEN).fit(TEXTS)
    by_words = model.predict_proba(UNSEEN)
    model.save(tmp_path / "model")
    assert np.array_equal(load(tmp_path / "model").predict_proba(UNSEEN), by_words)
    assert np.array_equal(model.slim().predict_proba(UNSEEN), by_words)
    model.set_params(vectors=knowing)
    assert (model.predict(UNSEEN) == UNSEEN_TRUTH).mean() >= 0.85


def test_by_hand_where_documents_with_seeds_are() -> None:
    """Of four documents on two axes, those of a seed differ from the mean by opposite directions."""
    rows = np.array([[3.0, 0], [1, 0], [0, 2], [0, 1]])
    texts = ["blorft game", "blorft gnarl", "blorft bank", "blorft snork"]
    model = SeedTopicClassifier({"A": ["game"], "B": ["bank"]}, vectors=rows, stop_words=None).fit(texts)
    encoded_part = model.fitted_[Meaning].categories[:, :2]
    assert unit_rows(encoded_part) == pytest.approx(np.array([[1, -1], [-1, 1]]) / np.sqrt(2), abs=1e-6)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (GIVEN[:5], "vectors is an array of 5 rows, but there are 32 documents: give a row for each"),
        (
            GIVEN[0],
            r"vectors is an array of float32 of shape \(228,\): give a row of finite numbers for each",
        ),
        (GIVEN * np.nan, "give a row of finite numbers for each document"),
        (np.array([["a"]]), "vectors is an array of <U1 of shape"),
    ],
)
def test_arrays_that_cannot_be_are_refused(given: Any, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        own(vectors=given).fit(TEXTS)


def test_vectors_of_documents_belong_to_one_fit() -> None:
    with pytest.raises(InputError, match="partial_fit needs graph='words' and vectors of words"):
        own(vectors=GIVEN).partial_fit(TEXTS)
