"""Scripts without spaces: what a text is split into, and seeds that are found inside longer words."""

from __future__ import annotations

import pickle
import sys
import tomllib
import unicodedata
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stop_words import get_stop_words

import seedtopic
from seedtopic import Seeds, SeedTopicClassifier
from seedtopic.io.rows import Rows
from seedtopic.text import tally as tallying
from seedtopic.text.counts import count_known, count_words
from seedtopic.text.parts import word_spans
from seedtopic.text.tokens import (
    find_phrases,
    is_unspaced,
    placed_segments,
    placed_units,
    runs,
    segmented,
    stop_word_set,
    tokenize,
    units,
    word_counts,
    words,
)
from seedtopic.web.studio.documents import Collection
from slow_words import folded, script, words_one_by_one

FOLDER = Path(__file__).parent / "texts"

# Han, kana, Thai, Lao, Khmer and Burmese with signs above and below, beside what separates words.
MIXED = st.text("野球場選挙々のーはサッカーノกิ้เมลາວភាမြန်aB9é 、。_-\n\U00020000", max_size=40)
UNSPACED = st.text("野球場選挙々のはサッカเมลิ", min_size=1, max_size=12)


def texts_of(language: str) -> tuple[list[str], list[str]]:
    """Return the texts of a language and the category of each."""
    table = tomllib.loads((FOLDER / f"{language}.toml").read_text(encoding="utf-8"))
    pairs = [(text, category) for category, texts in table.items() for text in texts]
    return [text for text, _ in pairs], [category for _, category in pairs]


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("昨夜の野球の試合", ["昨", "夜", "昨夜", "野", "球", "野球", "試", "合", "試合"]),
        ("サッカーボールを", ["サッカーボール"]),
        ("AI技術とＩＴ", ["ai", "技", "術", "技術", "it"]),
        ("らーめんとラーメン", ["ラーメン"]),
        ("人々の2024年", ["人", "々", "人々", "2024", "年"]),
        ("ｻｯｶｰ", ["サッカー"]),
        ("经济。增长", ["经", "济", "经济", "增", "长", "增长"]),
        ("ฟุตบอล ไทย", ["ฟุตบ", "ุตบอ", "ตบอล", "ไทย"]),
        ("ເສດຖະ", ["ເສດຖ", "ສດຖະ"]),
        ("ភាសា", ["ភាសា"]),
        ("မြန်မာ၊", ["မြန်", "ြန်မ", "န်မာ"]),
        ("대한민국 축구", ["대한민국", "축구"]),
    ],
)
def test_words_by_hand(text: str, read: list[str]) -> None:
    assert words(text) == read


def test_the_scripts_without_spaces_are_recognised_by_every_character() -> None:
    expected = {
        character: script(character) not in ("", "spaced")
        for character in map(chr, range(sys.maxunicode + 1))
        if unicodedata.category(character) != "Cn"
    }
    assert [hex(ord(c)) for c, unspaced in expected.items() if is_unspaced(c) != unspaced] == []


@pytest.mark.parametrize("language", ["chinese", "japanese"])
def test_only_listed_stop_words_are_dropped(language: str) -> None:
    assert stop_word_set(language) == frozenset(map(folded, get_stop_words(language)))


@settings(max_examples=300)
@given(MIXED)
def test_every_way_to_read_a_text_gives_the_same_words(text: str) -> None:
    expected = words_one_by_one(text)
    assert words(text) == expected
    assert word_counts(text) == Counter(expected)
    placed = placed_segments(folded(text))
    assert [word for word, _, _ in placed] == segmented(folded(text))
    for word, start, end in [*placed, *placed_units(folded(text))]:
        assert folded(text)[start:end] == word
    assert [unit for unit, _, _ in placed_units(folded(text))] == units(folded(text))


@given(st.text(st.characters(max_codepoint=0xDFF)))
def test_other_scripts_are_split_at_what_is_no_letter_as_ever(text: str) -> None:
    assert words(text) == words_one_by_one(text)
    assert [run for run in runs(text) if len(run) > 1] == words(text)


@settings(max_examples=300)
@given(MIXED, UNSPACED, MIXED)
def test_a_seed_is_found_wherever_it_is_part_of_a_text(before: str, seed: str, after: str) -> None:
    text = unicodedata.normalize("NFKC", f"{before}、{seed}{after}")
    seed = unicodedata.normalize("NFKC", seed)
    if not words(seed) and len(seed) == 1:
        return  # a lone letter of an alphabet is not a word
    times = sum(text.startswith(seed, place) for place in range(len(text)))
    phrases = find_phrases([seed])
    assert word_counts(text, phrases)[seed] >= times > 0
    assert Counter(tokenize([text], None, phrases).read(text)) == word_counts(text, phrases)
    found = word_spans(text, [seed, *words(text)], None, phrases)
    assert {word: len(spans) for word, spans in found.items()} == word_counts(text, phrases)
    for start, end in found[seed]:
        assert 0 <= start < end <= len(text)
        assert seed in "".join(text[start:end].split())  # a sign above a letter stays with it


def test_a_seed_does_not_reach_across_punctuation_but_across_a_line() -> None:
    phrases = find_phrases(["中国", "e-mail", "野球 選手"])
    assert word_counts("其中，国内", phrases)["中国"] == 0
    assert word_counts("在中\n国", phrases)["中国"] == 1
    assert word_counts("E-Mailを送る", phrases)["e-mail"] == 1
    assert word_counts("野球選手と野球 選手", phrases)["野球 選手"] == 2


@pytest.mark.parametrize(
    ("seed", "text"),
    [
        ("野球", "高校野球連盟"),
        ("選挙", "総選挙区"),
        ("サッカー", "サッカーボール"),
        ("経済成長", "高度経済成長期"),
        ("食べ物", "屋台の食べ物屋"),
        ("いじめ", "学校のいじめを"),
        ("株", "東京株式市場"),
        ("AI技術", "新しいＡＩ技術者"),
        ("ฟุตบอล", "การแข่งขันฟุตบอลโลก"),
        ("ธนาคาร", "เงินฝากธนาคารไทย"),
    ],
)
def test_seeds_inside_longer_words(seed: str, text: str) -> None:
    (word,) = Seeds({"a": [seed], "b": ["b"]}).categories["a"]
    counts = count_words(tokenize([text, "nothing"], None, [word]), keep=[word])
    assert counts.matrix.toarray()[:, counts.vocabulary.index(word)].tolist() == [1, 0]
    ((start, end),) = word_spans(text, [word], None, find_phrases([word]))[word]
    assert folded(text[start:end]) == word
    collection = Collection(Rows(texts=[text, "nothing"], rows=[{}, {}]))
    assert collection.documents_of(word).tolist() == [0]


def test_these_scripts_are_read_alike_without_c(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tallying, "_words", None)
    texts, _ = texts_of("japanese")
    phrases = find_phrases(["野球", "サッカー", "日本代表"])
    found = [tallying.tally_texts([text], phrases) for text in texts[:8]]
    assert [dict(zip(tally.words, tally.counts, strict=True)) for tally in found] == [
        word_counts(text, phrases) for text in texts[:8]
    ]


@given(
    st.lists(MIXED, min_size=2, max_size=6),
    st.lists(
        st.sampled_from(["野球", "サッカー", "カー", "の", "場", "選挙 のは", "เมล", "ab"]), unique=True
    ),
)
def test_the_studio_counts_as_a_fit_does(texts: list[str], seeds: list[str]) -> None:
    try:
        found = Collection(Rows(texts=texts, rows=[{} for _ in texts])).counts(seeds)
    except seedtopic.InputError:  # no word but stop words
        return
    stop_words = stop_word_set("english")
    expected = count_words(tokenize(texts, None, seeds), stop_words=stop_words, keep=seeds)
    assert found.vocabulary == expected.vocabulary
    assert (found.matrix != expected.matrix).nnz == 0
    again = count_known(tokenize(texts, None, seeds), expected.vocabulary)
    assert (again.matrix != expected.matrix).nnz == 0


# ---------------------------------------------------------------------------------------------- real texts

SEEDS = {
    "japanese": {
        "sports": ["野球", "サッカー", "試合", "選手"],
        "politics": ["選挙", "国会", "首相", "政府"],
        "economy": ["経済", "株価", "銀行", "企業"],
        "technology": ["人工知能", "スマートフォン", "ソフトウェア", "データ"],
    },
    "chinese": {"sports": ["足球", "比赛", "冠军"], "economy": ["银行", "股市", "价格"]},
    "thai": {"sports": ["นักกีฬา", "การแข่งขัน"], "economy": ["ธนาคาร", "ราคา"]},
    "german": {
        "sports": ["Sieg", "Trainer", "Stadion", "Tennis"],
        "politics": ["Bundestag", "Partei", "Opposition", "Koalition"],
        "economy": ["Börse", "Bank", "Euro", "Konzern"],
        "technology": ["Software", "Smartphone", "Roboter", "künstliche Intelligenz"],
    },
    "french": {
        "sports": ["match", "équipe", "but", "demi-finale"],
        "politics": ["gouvernement", "ministre", "députés", "l'élection"],
        "economy": ["banque", "prix", "bourse", "chiffre d'affaires"],
        "technology": ["logiciel", "robot", "données", "mot de passe"],
    },
}


@pytest.mark.parametrize(
    ("language", "least"),
    [("japanese", 0.65), ("chinese", 0.75), ("thai", 0.75), ("german", 0.45), ("french", 0.35)],
)
def test_labels_of_real_texts(language: str, least: float) -> None:
    texts, categories = texts_of(language)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # every seed can be read, and occurs
        model = SeedTopicClassifier(SEEDS[language], random_state=0).fit(texts)
    assert np.mean(model.transduction_ == np.array(categories)) >= least


@pytest.fixture(scope="module")
def japanese() -> SeedTopicClassifier:
    return SeedTopicClassifier(SEEDS["japanese"], random_state=0).fit(texts_of("japanese")[0])


def test_a_japanese_model_is_saved_pickled_and_explained(
    japanese: SeedTopicClassifier, tmp_path: Path
) -> None:
    texts, _ = texts_of("japanese")
    japanese.save(tmp_path / "model")
    for again in (seedtopic.load(tmp_path / "model"), pickle.loads(pickle.dumps(japanese))):
        assert np.array_equal(again.predict_proba(texts[:20]), japanese.predict_proba(texts[:20]))
    text = "サッカー選手権の試合"
    why = japanese.explain(text)
    assert why.label == "sports"
    spans = {share.word: share.spans for share in why.words}
    assert spans["サッカー"] == ((0, 4),)
    assert spans["選手"] == ((4, 6),)
    assert spans["試合"] == ((8, 10),)
    assert all(share.spans for share in why.words)
    assert ">サッカー</mark>" in why.to_html()


def test_seeds_are_checked_and_only_whole_words_are_suggested_for_them() -> None:
    texts, _ = texts_of("japanese")
    seeds = Seeds({"sports": ["サッカ", "野求", "チームト"], "politics": ["選挙", "国会"]})
    checked = seeds.check(texts).categories[0].words
    assert checked[0].documents == 1  # inside サッカー
    assert checked[1].near == ()  # 野球 and 野党 are as near
    assert checked[2].near == ("チーム",)
    assert seeds.check(texts).categories[1].words[0].documents == sum("選挙" in text for text in texts)


def test_wildcards_match_words_of_such_scripts() -> None:
    bound = Seeds({"a": ["選*"], "b": ["*カー"]}).bind(["選手", "選挙", "サッカー", "手"])
    assert bound.expansions == {"選*": ["選手", "選挙"], "*カー": ["サッカー"]}
