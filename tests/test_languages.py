"""Other languages than English: their letters, their stop words, and tokenizers for scripts without spaces."""

from __future__ import annotations

import csv
import sys
import unicodedata
from pathlib import Path

import pytest

from seedtopic import InputError, MissingExtraError, SeedTopicClassifier, cli
from seedtopic.text import tokens
from seedtopic.text.tokens import stop_word_set, words

GERMAN = ["Der Verein gewann das Fußballspiel", "Die Börse schloß höher, die Zinsen auch"] * 4
RUSSIAN = ["Команда выиграла матч", "Банк поднял ставку"] * 4


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("Über die Straße", ["über", "die", "straße"]),
        ("Ёлка и Москва-река", ["ёлка", "москва", "река"]),
        ("L'été à la plage", ["été", "la", "plage"]),
        ("مرحبا بالعالم", ["مرحبا", "بالعالم"]),
    ],
)
@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_words_of_any_language_whichever_way_accents_are_written(
    text: str, read: list[str], form: str
) -> None:
    assert words(unicodedata.normalize(form, text)) == read  # type: ignore[arg-type]


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_accented_seeds_and_phrases_match_either_form(form: str) -> None:
    def written(text: str) -> str:
        return unicodedata.normalize(form, text)  # type: ignore[arg-type]

    seeds = {"sport": [written("Fußballspiel")], "geld": [written("schloß höher")]}
    model = SeedTopicClassifier(seeds, stop_words="german", random_state=0).fit(map(written, GERMAN))
    assert model.transduction_.tolist() == ["sport", "geld"] * 4
    assert "die" not in model.vocabulary_
    assert model.predict([written("ein Fußballspiel"), "FUSSBALLSPIEL"]).tolist()[0] == "sport"


def test_stop_words_of_languages_by_name_and_by_code() -> None:
    assert stop_word_set("german") == stop_word_set("de") >= {"und", "die", "nicht"}
    assert stop_word_set("russian") >= {"и", "не"}
    assert stop_word_set("english") == stop_word_set("en") >= {"the"}
    assert all(word == word.lower() for word in stop_word_set("french"))
    model = SeedTopicClassifier({"sport": ["матч"], "money": ["банк"]}, stop_words="russian", random_state=0)
    assert model.fit(RUSSIAN).transduction_.tolist() == ["sport", "money"] * 4


def test_an_unknown_language_lists_the_known(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=r"'klingon': use one of arabic, .*german"):
        stop_word_set("klingon")
    monkeypatch.setitem(sys.modules, "stop_words", None)
    tokens._of_language.cache_clear()
    with pytest.raises(MissingExtraError, match=r"pip install 'seedtopic\[languages\]'"):
        stop_word_set("german")
    with pytest.raises(MissingExtraError) as caught:  # of a model folder, which may be anybody's
        stop_word_set("german" * 1000)
    assert len(str(caught.value)) < 200
    assert stop_word_set("english")


@pytest.fixture
def chinese(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Texts without spaces, and a tokenizer beside them that knows six words."""
    (tmp_path / "cutter.py").write_text(
        'KNOWN = ["足球", "比赛", "银行", "利率", "进球", "贷款"]\n'
        "def cut(text):\n"
        "    while text:\n"
        "        word = next((w for w in KNOWN if text.startswith(w)), text[0])\n"
        "        text = text[len(word):]\n"
        "        yield word\n"
        "number = 3\n",
        encoding="utf-8",
    )
    lines = ["足球比赛，进球！", "银行利率，贷款。", "进球比赛", "贷款利率"] * 3
    (tmp_path / "docs.txt").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "seeds.toml").write_text('sport = ["足球比赛", "进球"]\nmoney = ["银行"]\n', encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def predicted(path: str) -> list[str]:
    with open(path, encoding="utf-8") as file:
        return [row["predicted"] for row in csv.DictReader(file)]


def test_a_tokenizer_on_the_command_line(chinese: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["docs.txt", "--seeds", "seeds.toml", "--tokenizer", "cutter:cut", "--stop-words", "none"]
    assert cli.run(["label", *given, "-o", "out.csv", "-q"]) == 0
    assert predicted("out.csv") == ["sport", "money"] * 6
    assert cli.run(["fit", *given, "-o", "model"]) == 0
    assert "足球比赛" in Path("model/vocabulary.txt").read_text(encoding="utf-8")
    assert "，" not in Path("model/vocabulary.txt").read_text(encoding="utf-8")
    capsys.readouterr()
    assert cli.run(["predict", "model", "docs.txt", "-o", "again.csv"]) == 2
    assert "--tokenizer" in capsys.readouterr().err
    assert cli.run(["predict", "model", "docs.txt", "--tokenizer", "cutter:cut", "-o", "again.csv"]) == 0
    assert predicted("again.csv") == ["sport", "money"] * 6
    for command in (["explain", "model", "docs.txt", "--id", "1"], ["report", "model", "docs.txt"]):
        assert cli.run(command) == 2
        assert cli.run([*command, "--tokenizer", "cutter:cut"]) == 0


@pytest.mark.parametrize("name", ["cutter", "cutter:none", "nowhere:cut", "cutter:number", ":cut", "cutter:"])
def test_a_tokenizer_that_is_not_there_is_one_sentence(
    chinese: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["label", "docs.txt", "--seeds", "seeds.toml", "--tokenizer", name, "-o", "out.csv"]
    assert cli.run(command) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "--tokenizer" in error


def test_stop_words_on_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("docs.txt").write_text("\n".join(GERMAN), encoding="utf-8")
    Path("seeds.toml").write_text('sport = ["verein"]\ngeld = ["börse"]\n', encoding="utf-8")
    given = ["docs.txt", "--seeds", "seeds.toml", "-q", "-o"]
    for language, kept in (("german", False), ("none", True)):
        assert cli.run(["fit", *given, language, "--stop-words", language]) == 0
        assert ("die" in Path(language, "vocabulary.txt").read_text(encoding="utf-8").split()) == kept
    assert cli.run(["fit", *given, "wrong", "--stop-words", "klingon"]) == 2
