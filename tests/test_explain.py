"""A prediction explained by its words: the parts add up to the score, and stand where they say."""

from __future__ import annotations

import gzip
import json
import os
import re
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from seedtopic import PLDNB, WSPTM, InputError, LapSWTM, SeedTopicClassifier, cli, load
from seedtopic.model.evidence import Explanation, Turn, WordShare, linear_evidence, log_odds_of_sums
from seedtopic.model.stages.documents import Documents, WordSpace
from seedtopic.model.stages.mixture import MixtureStage
from seedtopic.show.html import Mark, highlighted
from seedtopic.text.parts import word_spans
from seedtopic.text.tokens import normalize, words

VARIANTS: dict[str, tuple[type, dict[str, Any]]] = {
    "regression": (SeedTopicClassifier, {"mixture": False}),
    "not calibrated": (SeedTopicClassifier, {"mixture": False, "calibrate": False}),
    "mixture": (SeedTopicClassifier, {"mixture": True}),
    "answers": (SeedTopicClassifier, {"mixture": False}),
    "topic model": (SeedTopicClassifier, {"mixture": False, "refine": False}),
    "WSPTM": (WSPTM, {}),
    "WSPTM, Bayes": (WSPTM, {"estep": "bayes"}),
    "LapSWTM": (LapSWTM, {}),
}
TOY_WORDS = [
    "team",
    "won",
    "game",
    "goal",
    "player",
    "bank",
    "loan",
    "stock",
    "rain",
    "wind",
    "snow",
    "unheard",
    "of",
]


@pytest.fixture(scope="module")
def mixed_texts(toy_texts: list[str]) -> list[str]:
    """The toys, and documents in which their words are mixed, of which no model can be sure."""
    rng = np.random.default_rng(0)
    known = " ".join(toy_texts).split()
    return [*toy_texts, *(" ".join(rng.choice(known, 4)) for _ in range(40))]


@pytest.fixture(scope="module")
def models(mixed_texts: list[str], toy_labels: list[str], toy_seeds: dict[str, list[str]]) -> dict[str, Any]:
    answers = [*toy_labels[:20], *[None] * (len(mixed_texts) - 20)]
    return {
        name: Model(toy_seeds, random_state=0, max_iter=10, **parameters).fit(
            mixed_texts, answers if name == "answers" else None
        )
        for name, (Model, parameters) in VARIANTS.items()
    }


variant = pytest.mark.parametrize("name", VARIANTS)


# --------------------------------------------------------------------------------------------- it adds up


@variant
@settings(deadline=None, max_examples=25)
@given(chosen=st.lists(st.sampled_from(TOY_WORDS), max_size=12))
def test_explains_a_prediction_by_its_words_and_they_add_up_to_the_score(
    name: str, chosen: list[str], models: dict[str, Any]
) -> None:
    model, text = models[name], " ".join(chosen)
    found = model.explain(text)
    probabilities = np.sort(model.predict_proba([text])[0])[::-1]
    assert found.label == model.predict([text])[0]
    assert found.probability == pytest.approx(probabilities[0])
    assert found.runner_up_probability == pytest.approx(probabilities[1])
    assert found.log_odds == pytest.approx(np.log(probabilities[0] / probabilities[1]), abs=1e-9)
    assert sum(found.terms.values()) == pytest.approx(found.log_odds, abs=1e-9)
    in_words = sum(share.log_odds for share in found.words) + found.prior
    floor = 27 / float(getattr(model, "temperature_", 1.0))  # beyond which probabilities are limited
    if in_words < floor:
        # Nothing hides in the other terms. Folding in stops where theta moves by less than 1e-4, and may stop
        # one step sooner word by word than for the whole document.
        assert in_words == pytest.approx(found.log_odds, abs=5e-4)
    else:
        assert found.limit <= 1e-9
    assert found.neighbours == 0
    assert {share.word for share in found.words} <= set(chosen)


@variant
def test_the_neighbours_of_a_fitted_document_have_their_share(
    name: str, models: dict[str, Any], mixed_texts: list[str]
) -> None:
    model, shares = models[name], []
    for position in range(30, 60):
        found = model.explain(mixed_texts[position], fitted=position)
        shares.append(found.neighbours)
        fitted = np.sort(model.label_distributions_[position])[::-1]
        assert found.label == model.transduction_[position]
        assert found.log_odds == pytest.approx(np.log(fitted[0] / fitted[1]))
        assert sum(found.terms.values()) == pytest.approx(found.log_odds, abs=1e-9)
    if VARIANTS[name][1].get("mixture") is False and name != "topic model":
        assert shares == pytest.approx([0] * 30, abs=1e-5)  # the regression reads words alone
    else:
        assert np.abs(shares).max() > 0.05


def test_linear_terms_by_hand() -> None:
    space = WordSpace(rarity=np.array([3.0, 2.0, 4.0]), word_weights=np.ones(3))
    document = Documents(sp.csr_array([[1.0, 0.0, 1.0]]), space)  # as a vector, 0.6, 0 and 0.8
    weights = np.array([[1.0, 9.0, 0.0], [0.5, -9.0, 2.0], [9.0, 9.0, 9.0]])
    found = linear_evidence(document, weights, np.array([0.1, 0.3, 9.0]), 0, 1)
    assert found.words == pytest.approx([0.6 * 0.5, 0.8 * -2.0])
    assert found.prior == pytest.approx(-0.2)
    assert found.pull == pytest.approx([1.5, 36.0, -8.0])


@given(
    st.lists(st.tuples(st.floats(0.01, 50), st.floats(0.01, 50)), min_size=1, max_size=6).map(np.array),
)
def test_log_odds_of_sums_add_up(parts: np.ndarray) -> None:
    terms = log_odds_of_sums(parts[:, 0], parts[:, 1])
    assert terms.sum() == pytest.approx(np.log(parts[:, 0].sum() / parts[:, 1].sum()), abs=1e-9)


def test_a_certainty_beyond_the_floor_of_probabilities_is_taken_off_by_name(
    models: dict[str, Any],
) -> None:
    model = deepcopy(models["mixture"])
    mixture = model.fitted_[MixtureStage]
    surer = replace(mixture, word=mixture.word * 50)
    stages = [surer if stage is mixture else stage for stage in model.fitted_.stages]
    model.fitted_ = replace(model.fitted_, stages=tuple(stages))
    found = model.explain("team won game goal")
    assert found.limit < -1
    assert sum(found.terms.values()) == pytest.approx(found.log_odds, abs=1e-9)


# ------------------------------------------------------------------------- no certainty without any reason


@variant
def test_a_saved_model_explains_and_predicts_the_same(
    name: str, models: dict[str, Any], tmp_path: Path
) -> None:
    models[name].save(tmp_path / "model")
    loaded = load(tmp_path / "model")
    texts = ["goal game bank", "snow and rain"]
    assert np.array_equal(loaded.predict_proba(texts), models[name].predict_proba(texts))
    assert loaded.explain(texts[0]).to_dict() == models[name].explain(texts[0]).to_dict()


@variant
def test_no_certain_label_without_a_word_in_common(name: str, models: dict[str, Any]) -> None:
    """A probability of 0.99 for a category with which the document shares no word cannot be had."""
    for text in ("", "qwertzu of", "0"):
        found = models[name].explain(text)
        assert found.words == ()
        if isinstance(models[name], SeedTopicClassifier):
            assert found.probability == pytest.approx(1 / 3)
            assert set(found.terms.values()) == {0.0}
            reason = "the model knows no word of it" if text else "it has no text"
            assert str(found) == f"This document has no label: {reason}."
        assert found.probability < 0.6


@variant
def test_what_makes_a_label_certain_are_words_that_can_be_seen(name: str, models: dict[str, Any]) -> None:
    found = models[name].explain("Goal by the player in the game; a storm")
    assert found.label == "sports"
    assert sum(share.log_odds for share in found.words) > 0
    shown = {share.word: share for share in found.words}
    assert shown["game"].seed_of == ("sports",)
    assert shown["goal"].seed_of == ()
    assert shown["goal"].spans == ((0, 4),)
    assert found.terms["seeds"] == pytest.approx(shown["game"].log_odds + shown["player"].log_odds)


# ------------------------------------------------------------------------- what the runner-up would have needed


@pytest.mark.parametrize("name", ["regression", "mixture", "topic model"])
def test_the_words_that_would_turn_a_label_do_turn_it(name: str, models: dict[str, Any]) -> None:
    model = models[name]
    text = "game player goal bank loan"
    found = model.explain(text)
    assert found.without is not None
    rest = " ".join(word for word in text.split() if word not in found.without.words)
    assert model.predict([rest])[0] == found.without.label != found.label
    assert found.with_ is not None
    assert not set(found.with_.words) & set(text.split())
    assert model.predict([" ".join([text, *found.with_.words])])[0] == found.with_.label != found.label
    assert f"it would be {found.with_.label}." in str(found)


def test_one_word_alone_is_not_taken_out(models: dict[str, Any]) -> None:
    assert models["regression"].explain("goal").without is None


# ----------------------------------------------------------------------------------------------- positions


@settings(max_examples=300)
@given(st.one_of(st.text(), st.text("e\u0301\u0327Σσİ ﬁ\u1100\u1161\u11a8\uff76\uff9eabI1_\u0345")))
def test_every_word_is_found_where_it_stands(text: str) -> None:
    read = words(text)
    found = word_spans(text, set(read))
    assert {word: len(spans) for word, spans in found.items()} == {word: read.count(word) for word in read}
    for word, spans in found.items():
        assert all(
            word in normalize(text[start:end]).replace("ς", "σ") for start, end in spans if "ς" not in word
        )


def test_positions_are_those_of_the_text_as_given() -> None:
    text = "Ca\u0301fe ﬁne — CAFÉ\u0301"
    (start, end), *_ = word_spans(text, ["fine"])["fine"]
    assert text[start:end] == "ﬁne"
    (start, end), *_ = word_spans(text, ["cáfe"])["cáfe"]
    assert text[start:end] == "Ca\u0301fe"


def test_phrases_and_tokens_of_another_tokenizer() -> None:
    assert word_spans("Machine  learning, not machine. Learning", ["machine learning"]) == {
        "machine learning": [(0, 17), (23, 40)]
    }
    assert word_spans("Investors invest", ["invest"], lambda text: ["invest", "invest"]) == {
        "invest": [(0, 6), (10, 16)]
    }
    assert word_spans("geese", ["goose"], lambda text: ["goose"]) == {}


# -------------------------------------------------------------------------------------------------- shapes


def test_overlapping_marks_are_drawn_once() -> None:
    marks = [Mark(0, 7, 0.5, False, "machine"), Mark(0, 16, -1.0, True, "machine learning")]
    html = highlighted("machine learning", marks)
    assert html.count("<mark") == 1
    assert re.sub("<[^>]*>", "", html) == "machine learning"


def test_a_document_that_is_a_script_stays_text(models: dict[str, Any]) -> None:
    text = "<script>alert('game')</script> & \"player\" </p><b>goal"
    html = models["regression"].explain(text).to_html()
    assert "<script" not in html
    assert "<b>" not in html
    assert "https://" not in html
    assert "http://" not in html
    assert "prefers-color-scheme: dark" in html
    shown = re.search(r'<p class="document">(.*?)</p>', html, re.S)
    assert shown is not None
    assert re.sub("<[^>]*>", "", shown[1]) == (
        "&lt;script&gt;alert(&#x27;game&#x27;)&lt;/script&gt; &amp; &quot;player&quot; &lt;/p&gt;&lt;b&gt;goal"
    )


def test_category_names_are_escaped() -> None:
    share = WordShare("<i>", 1.0, ("<u>",), ())
    html = Explanation(
        "t", "<u>", 0.7, "<s>", 0.3, 1.0, (share,), without=Turn(("<i>",), "<s>"), id="<x>"
    ).to_html()
    assert not re.search("<(u|s|i|x)>", html)


def test_weight_shows_without_colour(models: dict[str, Any]) -> None:
    html = models["regression"].explain("game player goal bank").to_html()
    assert 'class="for seed"' in html
    assert 'class="against seed"' in html
    assert "border-bottom-style: dashed" in html
    assert "calc(1px + 3px * var(--s))" in html


def test_to_dict_is_json_with_everything(models: dict[str, Any]) -> None:
    found = models["regression"].explain("game bank game")
    values = json.loads(json.dumps(found.to_dict()))
    assert values["label"] == found.label
    assert values["terms"] == found.terms
    assert sum(values["shares"].values()) == pytest.approx(1)
    spans = {share["word"]: share["spans"] for share in values["words"]}
    assert spans["game"] == [[0, 4], [10, 14]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"text": ["a", "b"]}, "is list: give one text"),
        ({"text": "a", "fitted": 76}, "fitted is 76, but 76 documents were fitted"),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], message: str, models: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=message):
        models["regression"].explain(**arguments)


def test_a_model_that_cannot_explain_says_so(toy_texts: list[str], toy_seeds: dict[str, list[str]]) -> None:
    model = PLDNB(toy_seeds, max_iter=2).fit(toy_texts)
    with pytest.raises(InputError, match="PLDNB cannot explain its labels by words: use SeedTopicClassifier"):
        model.explain("game")


# -------------------------------------------------------------------------------------------- command line


@pytest.fixture
def workplace(
    tmp_path: Path, models: dict[str, Any], mixed_texts: list[str], monkeypatch: pytest.MonkeyPatch
) -> Path:
    monkeypatch.chdir(tmp_path)
    rows = [json.dumps({"id": f"t{i}", "text": text}) for i, text in enumerate(mixed_texts)]
    Path("docs.jsonl").write_text("\n".join(rows))
    Path("docs.txt").write_text("\n".join(mixed_texts))
    models["regression"].save("model")
    return tmp_path


def test_explain_command(
    workplace: Path, models: dict[str, Any], toy_texts: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["explain", "model", "docs.jsonl", "--id", "t4", "-o", "why.html", "-q"]) == 0
    page = Path("why.html").read_text(encoding="utf-8")
    assert "Why t4 is money" in page
    assert '<mark class="for seed"' in page
    assert capsys.readouterr() == ("", "")
    assert cli.run(["explain", "model", "docs.txt", "--id", "5", "--json"]) == 0
    values = json.loads(capsys.readouterr().out)
    assert values["text"] == toy_texts[4]
    assert values["log_odds"] == pytest.approx(models["regression"].explain(toy_texts[4]).log_odds)
    assert cli.run(["explain", "model", "docs.jsonl", "--id", "t4", "--fitted", "-o", "why.json"]) == 0
    assert "stock" in capsys.readouterr().out
    assert json.loads(Path("why.json").read_text(encoding="utf-8"))["id"] == "t4"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["docs.jsonl", "--id", "4"], "no document has the id '4'"),
        (["docs.txt", "--id", "77"], "give one from 1 to 76"),
        (["docs.txt", "--id", "-1"], "give one from 1 to 76"),
        (["docs.txt", "--id", "1", "-o", "why.pdf"], ".html or .json"),
        (["docs.txt", "--id", "1", "-o", "none/why.html"], "does not exist"),
        (["short.txt", "--id", "1", "--fitted"], "was fitted to 76"),
    ],
)
def test_explain_command_refuses(
    workplace: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("short.txt").write_text("a game")
    assert cli.run(["explain", "model", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert message in captured.err


def test_seeds_of_both_categories_count_as_seeds() -> None:
    shares = (
        WordShare("bank", -1.0, ("money",)),
        WordShare("goal", 3.0),
        WordShare("rain", 0.5, ("weather",)),
    )
    found = Explanation("", "sports", 0.9, "money", 0.1, 2.5, shares)
    assert found.terms == {"seeds": -1.0, "learned words": 3.5, "neighbours": 0, "prior": 0, "limit": 0}


@pytest.mark.corpora
def test_explanations_of_real_documents_add_up() -> None:
    """On BBC News, where the mixture is sure enough for the limit to matter."""
    folder = Path(os.environ["SEEDTOPIC_DATA"])
    with gzip.open(folder / "bbc_news.jsonl.gz", "rt", encoding="utf-8") as file:
        texts = [json.loads(line)["text"] for line in file]
    for mixture in (True, False):
        model = SeedTopicClassifier(folder / "bbc_news.SL.toml", random_state=0, mixture=mixture).fit(texts)
        for position in range(0, len(texts), 50):
            found = model.explain(texts[position], fitted=position)
            assert sum(found.terms.values()) == pytest.approx(found.log_odds, abs=1e-9)
            new = model.explain(texts[position])
            assert new.neighbours == 0
            assert new.limit <= 1e-6
            assert sum(new.terms.values()) == pytest.approx(new.log_odds, abs=1e-9)
            assert all(share.word == normalize(new.text[a:b]) for share in new.words for a, b in share.spans)


@pytest.mark.parametrize(
    ("rival", "said"),
    [
        (0.4, "sports, a close call: money would have needed little more (0.500 against 0.400)."),
        (0.1, "sports, fairly clear: money is less probable (0.500 against 0.100)."),
        (0.01, "sports, a clear case: money is far less probable (0.500 against 0.010)."),
    ],
)
def test_the_first_line_says_how_clear_the_label_is(rival: float, said: str) -> None:
    log_odds = float(np.log(0.5 / rival))
    words = (WordShare("game", log_odds),)
    found = Explanation("game", "sports", 0.5, "money", rival, log_odds, words)
    assert str(found).splitlines()[0] == said
