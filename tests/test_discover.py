"""New categories: themes of invented documents that the seeds do not know, and what stays as it is."""

from __future__ import annotations

import json
import random
import tomllib
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from seedtopic import InputError, Seeds, SeedTopicClassifier, cli
from seedtopic.model.drift import word_counts
from seedtopic.quality.discover import Discovery, NewCategory, discover, holds
from seedtopic.quality.themes import Categories, TypicalWords, find_candidates
from seedtopic.text.counts import checked_counts
from seedtopic_lab.experiments.discovery import complete

# Which every fit here says, as it should.
pytestmark = pytest.mark.filterwarnings("ignore:.*seem to belong to none of your categories")

THEMES = {
    "sports": "team game goal season coach player match league win",
    "money": "bank rate loan market shares investor profit fund price",
    "weather": "rain wind snow storm cloud sunny cold forecast degrees",
}
SEEDS_TOML = """# our categories
sports = ["game", "team", "player"]  # all kinds

# with care
money = ["bank", "rate", "market"]
"""


def messages(themes: list[str], each: int = 50, length: int = 4) -> list[str]:
    """Invent messages, each of words of one theme."""
    drawn = random.Random(0)
    return [" ".join(drawn.sample(THEMES[theme].split(), length)) for theme in themes for _ in range(each)]


@pytest.fixture(scope="module")
def texts() -> list[str]:
    return messages(["sports", "money", "weather"])


@pytest.fixture(scope="module")
def model(texts: list[str]) -> SeedTopicClassifier:
    seeds = Seeds(tomllib.loads(SEEDS_TOML), source=SEEDS_TOML)
    return SeedTopicClassifier(seeds, random_state=0, n_threads=1).fit(texts)


@pytest.fixture(scope="module")
def found(model: SeedTopicClassifier, texts: list[str]) -> Discovery:
    return discover(model, texts)


def test_a_theme_without_seeds_is_found(found: Discovery, texts: list[str]) -> None:
    (new,) = found.categories
    assert set(new.words) <= set(THEMES["weather"].split())
    assert new.documents == 50
    assert sum(new.before.values()) == 50
    assert set(new.examples) <= set(texts[100:])
    fitted = SeedTopicClassifier(found.proposed, random_state=0, n_threads=1).fit(texts)
    assert (fitted.transduction_ == new.name).tolist() == [False] * 100 + [True] * 50


def test_old_labels_stay(found: Discovery) -> None:
    assert (found.moved, found.held, found.moved_otherwise) == (50, 0, 0)


def test_the_old_categories_stay_as_they_are_written(found: Discovery) -> None:
    written = found.to_toml()
    assert written.startswith(SEEDS_TOML)
    assert Seeds(tomllib.loads(written)) == found.proposed
    assert "# proposed: 50 documents" in written


def test_nothing_is_found_where_the_seeds_know_all_themes() -> None:
    texts = messages(["sports", "money"])
    model = SeedTopicClassifier(tomllib.loads(SEEDS_TOML), random_state=0, n_threads=1).fit(texts)
    found = discover(model, texts)
    assert found.categories == ()
    assert found.sentence().startswith("no new category was found")
    assert found.to_toml() == model.seeds_.to_toml()


def test_counts_give_the_same_words(model: SeedTopicClassifier, texts: list[str], found: Discovery) -> None:
    matrix = word_counts(model, texts)
    by_counts = discover(model, matrix)
    assert [new.words for new in by_counts.categories] == [new.words for new in found.categories]
    assert by_counts.categories[0].examples == ()


def test_of_many_documents_a_sample_is_searched(
    model: SeedTopicClassifier, texts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("seedtopic.quality.discover.MOST_SEARCHED", 150)
    many = discover(model, iter(texts * 2))
    assert (many.documents, many.searched) == (300, 150)
    assert 70 < many.categories[0].documents < 130
    assert discover(model, word_counts(model, texts * 2)).searched == 150


def test_names_that_are_numbers_stay_numbers(texts: list[str]) -> None:
    model = SeedTopicClassifier({3: ["game", "team"], 7: ["bank", "rate"]}, random_state=0, n_threads=1)
    assert [new.name for new in discover(model.fit(texts), texts).categories] == [8]


def test_rules_are_kept_and_are_not_words(texts: list[str]) -> None:
    seeds = {"sports": {"words": ["game", "team"], "patterns": ["goal|coach"]}, "money": ["bank", "rate"]}
    model = SeedTopicClassifier(seeds, random_state=0, n_threads=1).fit(texts)
    (new,) = discover(model, texts).categories
    assert set(new.words) <= set(THEMES["weather"].split())


def test_too_few_documents_give_nothing(model: SeedTopicClassifier) -> None:
    assert discover(model, ["rain and wind"] * 3).categories == ()
    assert discover(model, []).documents == 0


def test_wrong_arguments_are_refused(model: SeedTopicClassifier, texts: list[str]) -> None:
    with pytest.raises(InputError, match="top"):
        discover(model, texts, top=0)
    with pytest.raises(InputError, match="call fit first"):
        discover(SeedTopicClassifier({"a": ["x"], "b": ["y"]}), texts)
    with pytest.raises(InputError, match="not those of the model"):
        discover(model, texts, seeds=Seeds({"a": ["x"], "b": ["y"]}))
    with pytest.raises(InputError, match="left_out"):
        complete("SeedTopicClassifier", {})


def test_words_are_those_that_only_the_cluster_has() -> None:
    presence = np.array([[1, 1, 0, 1], [1, 0, 1, 1], [1, 1, 0, 1], [0, 0, 1, 1], [0, 0, 0, 1], [0, 1, 0, 1]])
    counts = checked_counts(np.repeat(presence, 2, axis=0), ["goal", "season", "loan", "1984"])
    members = np.repeat([True, True, True, False, False, False], 2)
    assert TypicalWords(counts, [], None).of(members) == ["goal", "season"]
    assert TypicalWords(counts, ["goals"], None).of(members) == ["season"]
    held = np.repeat([False, False, False, False, False, True], 2)
    assert TypicalWords(counts, ["goals"], None).of(members, held) == ["season"]


def test_seeds_make_a_cluster_explained() -> None:
    """The same two clusters, of which one has the seeds of its category and the other none."""
    points = np.repeat(np.eye(3), 10, axis=0)
    averaging = sp.csr_array(np.kron(np.eye(3), np.full((10, 10), 0.1)))
    probabilities = np.repeat([[0.9, 0.1], [0.1, 0.9], [0.9, 0.1]], 10, axis=0)
    has_seed = np.repeat([[True, False], [False, True], [False, False]], 10, axis=0)
    seen = Categories(points, averaging, probabilities, has_seed)
    first, second, third = (np.repeat(np.arange(3) == k, 10) for k in range(3))
    assert seen.unexplained(third) > 0.5 > 0.1 > max(seen.unexplained(first), seen.unexplained(second))
    assert [members.tolist() for members in find_candidates(seen)] == [third.tolist()]


@pytest.mark.parametrize(("nearness", "expected"), [(0.05, 2), (0.5, 1)])
def test_clusters_are_one_theme_if_they_are_much_nearer_than_categories(
    nearness: float, expected: int
) -> None:
    """Two categories with nothing in common, and two clusters without seeds at a given cosine."""
    spots = np.eye(4)
    spots[3] = [0, 0, nearness, np.sqrt(1 - nearness**2)]
    points = np.repeat(spots, 15, axis=0)
    averaging = sp.csr_array(np.kron(np.eye(4), np.full((15, 15), 1 / 15)))
    probabilities = np.repeat([[0.9, 0.1], [0.1, 0.9], [0.9, 0.1], [0.9, 0.1]], 15, axis=0)
    has_seed = np.repeat([[True, False], [False, True], [False, False], [False, False]], 15, axis=0)
    seen = Categories(points, averaging, probabilities, has_seed)
    found = find_candidates(seen)
    assert len(found) == expected
    assert np.array_equal(np.any(found, axis=0), np.arange(60) >= 30)


@pytest.mark.parametrize(
    ("found_again", "right", "expected"), [(0.4, 0.9, True), (0.9, 0.6, True), (0.4, 0.7, False)]
)
def test_right_labels_count_more_than_documents_found_again(
    found_again: float, right: float, expected: bool
) -> None:
    points = np.repeat(np.eye(3), 10, axis=0)
    averaging = sp.csr_array(np.kron(np.eye(3), np.full((10, 10), 0.1)))
    probabilities = np.repeat([[0.9, 0.1], [0.1, 0.9], [0.9, 0.1]], 10, axis=0)
    has_seed = np.repeat([[True, False], [False, True], [False, False]], 10, axis=0)
    seen = Categories(points, averaging, probabilities, has_seed)
    members = np.arange(30) >= 20
    labelled = np.arange(30) >= 30 - 10 * found_again
    assert holds(labelled, members, right, seen) == expected


def test_a_theme_that_one_word_tells_apart_is_found() -> None:
    """Each document has the word of its theme and one that is in no other document."""
    themes = ["python", "java", "haskell"] * 40
    rare = [first + second + "o" for first in "bdfgklmnprst" for second in "aeiouklmnr"]
    texts = [f"{theme} {word}" for theme, word in zip(themes, rare, strict=True)]
    model = SeedTopicClassifier({"snakes": ["python"], "coffee": ["java"]}, random_state=0, n_threads=1)
    found = discover(model.fit(texts), texts)
    assert [(new.name, new.words) for new in found.categories] == [("haskell", ("haskell",))]


def test_a_comment_is_one_line_whatever_the_example_is() -> None:
    new = NewCategory("x-y", ("x", "y"), 1, 0.5, {"a": 1}, ("two\x00lines\u2028here",))
    found = Discovery(Seeds({"a": ["b"], "c": ["d"]}), 9, 9, (new,), moved=1)
    assert list(tomllib.loads(found.to_toml())) == ["a", "c", "x-y"]
    assert "1 new category found: 1 document would move" in found.sentence()


class TestCommand:
    """`seedtopic discover`."""

    @pytest.fixture(autouse=True)
    def _files(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, texts: list[str]) -> None:
        monkeypatch.chdir(tmp_path)
        Path("docs.txt").write_text("\n".join(texts), encoding="utf-8")
        Path("seeds.toml").write_text(SEEDS_TOML, encoding="utf-8")

    def test_writes_a_file_to_edit(
        self, model: SeedTopicClassifier, capsys: pytest.CaptureFixture[str]
    ) -> None:
        model.save("model")
        arguments = ["discover", "model", "docs.txt", "--seeds", "seeds.toml", "-o", "new.toml", "--json"]
        assert cli.run(arguments) == 0
        said = json.loads(capsys.readouterr().out)
        assert said["output"] == "new.toml"
        assert [new["documents"] for new in said["categories"]] == [50]
        written = Path("new.toml").read_text(encoding="utf-8")
        assert written.startswith(SEEDS_TOML)
        assert cli.run(["discover", "model", "docs.txt", "-o", "new.json", "--top", "1"]) == 0
        assert "labelled until now" in capsys.readouterr().out
        assert Seeds.read("new.json").names == Seeds.read("new.toml").names

    def test_says_that_nothing_was_found_and_writes_nothing(
        self, model: SeedTopicClassifier, capsys: pytest.CaptureFixture[str]
    ) -> None:
        model.save("model")
        Path("few.txt").write_text("\n".join(messages(["sports", "money"])), encoding="utf-8")
        assert cli.run(["discover", "model", "few.txt", "-o", "new.toml"]) == 0
        assert "no new category was found" in capsys.readouterr().out
        assert not Path("new.toml").exists()

    @pytest.mark.parametrize(
        ("arguments", "reason"),
        [
            (["model", "docs.txt", "-o", "new.csv"], "must end in .toml or .json"),
            (["model", "docs.txt", "-o", "nowhere/new.toml"], "does not exist"),
            (["model", "none.txt", "-o", "new.toml"], "none.txt"),
            (["nowhere", "docs.txt", "-o", "new.toml"], "nowhere"),
            (["model", "docs.txt", "-o", "new.toml", "--seeds", "other.toml"], "other categories or words"),
        ],
    )
    def test_wrong_input_is_one_sentence(
        self,
        model: SeedTopicClassifier,
        arguments: list[str],
        reason: str,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        model.save("model")
        Path("other.toml").write_text('a = ["x"]\nb = ["y"]\n', encoding="utf-8")
        assert cli.run(["discover", *arguments]) == 2
        said = capsys.readouterr().err
        assert reason in said
        assert "Traceback" not in said
        assert not Path("new.toml").exists()
