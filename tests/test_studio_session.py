"""The studio behind its page: documents counted once, fits that follow edits, and what is read from them."""

from __future__ import annotations

import errno
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from seedtopic import Answers, InputError, Seeds, SeedTopicClassifier
from seedtopic.base.threads import checked, thread_limit, walk_in_threads
from seedtopic.io.rows import Rows
from seedtopic.knowledge.encoders import encoded
from seedtopic.knowledge.sampled import MOST_ENCODED
from seedtopic.learning.graph.neighbours import WordGraph
from seedtopic.model.training import TrainingSet
from seedtopic.quality.check import check_counted
from seedtopic.text.counts import Counts, count_words
from seedtopic.text.tokens import stop_word_set, tokenize
from seedtopic.web.studio.documents import Collection, EncodedDocuments, reach
from seedtopic.web.studio.draft import Draft, DraftCategory, DraftWord
from seedtopic.web.studio.export import save_into, write_export
from seedtopic.web.studio.labels import SHOWN, Changes, Flow
from seedtopic.web.studio.listing import Query, Search, matching_documents
from seedtopic.web.studio.refit import Fitting, RefitThread, Superseded, keys_of
from seedtopic.web.studio.session import Session

PATIENCE = 60.0


def collected(texts: list[str]) -> Collection:
    return Collection(Rows(texts=texts, rows=[{"text": text} for text in texts]), "toy")


@pytest.fixture(scope="module")
def collection(toy_texts: list[str]) -> Collection:
    return collected(toy_texts)


@pytest.fixture
def session(collection: Collection, toy_seeds: dict[str, list[str]], tmp_path: Path) -> Iterator[Session]:
    opened = Session(collection, Seeds(toy_seeds), tmp_path / "toy.studio", pause=0.0)
    opened.start()
    yield opened
    opened.close()


SOME_WORDS = st.sampled_from(["game", "the", "bank", "new", "york", "of", "x", "rare", "Game"])


@given(
    st.lists(st.lists(SOME_WORDS, max_size=8).map(" ".join), min_size=2, max_size=12),
    st.lists(
        st.sampled_from(["the", "rare", "new york", "bank of", "x of", "york", "absent", "of x"]), unique=True
    ),
)
def test_the_counts_of_any_seeds_are_those_that_counting_anew_would_give(
    texts: list[str], seeds: list[str]
) -> None:
    stop_words = stop_word_set("english")
    try:
        found = collected(texts).counts(seeds)
    except InputError:  # no word but stop words
        assert not count_words(tokenize(texts), stop_words=stop_words).vocabulary
        return
    expected = count_words(tokenize(texts, None, seeds), stop_words=stop_words, keep=seeds)
    assert found.vocabulary == expected.vocabulary
    assert (found.matrix != expected.matrix).nnz == 0


def test_documents_of_words_phrases_and_wildcards() -> None:
    collection = collected(["New York game", "york new", "games in New York", "nothing at all"])
    assert collection.documents_of("new york").tolist() == [0, 2]
    assert collection.documents_of("game*").tolist() == [0, 2]
    assert collection.documents_of("york").tolist() == [0, 1, 2]
    assert collection.documents_of("absent").tolist() == []
    assert collection.documents_of("absent phrase").tolist() == []


def test_settled_labels_are_those_of_a_fit_of_the_same_seeds(
    session: Session, toy_texts: list[str], toy_seeds: dict[str, list[str]]
) -> None:
    session.wait_until_settled(PATIENCE)
    session.edit({"action": "add_words", "category": "money", "words": ["share price"]})
    settled = session.wait_until_settled(PATIENCE)
    seeds = {**toy_seeds, "money": [*toy_seeds["money"], "share price"]}
    expected = SeedTopicClassifier(seeds, random_state=0).fit(toy_texts)
    assert np.array_equal(settled.probabilities, expected.label_distributions_)
    assert settled.model.predict(["a loan, a rate"]).tolist() == ["money"]


def lengths(texts: list[str]) -> list[list[float]]:
    """A poor encoder."""
    return [[float(len(text)), float(text.count("e")), 1.0] for text in texts]


@pytest.mark.parametrize("vectors", [None, lengths])
def test_settled_labels_are_those_of_a_fit_with_the_same_vectors(
    toy_texts: list[str], toy_seeds: dict[str, list[str]], vectors: Any
) -> None:
    documents = Rows(texts=toy_texts, rows=[{"text": text} for text in toy_texts])
    fitting = Fitting(Collection(documents, vectors=vectors))
    draft, seeds = Draft.of(Seeds(toy_seeds)), Seeds(toy_seeds)
    fitting.preview(draft, seeds, lambda *told: None, lambda: None)
    model, settled, *_ = fitting.from_scratch(draft, seeds, lambda *told: None, lambda: None)
    expected = SeedTopicClassifier(toy_seeds, vectors=vectors, random_state=0).fit(toy_texts)
    assert np.array_equal(settled, expected.label_distributions_)
    name = "sentence encoder and English word vectors"
    assert model.vectors_ == expected.vectors_ == (None if vectors is None else name)


def test_of_very_many_documents_some_are_encoded() -> None:
    sample = EncodedDocuments.of(lengths, ["a"] * (MOST_ENCODED + 1))
    assert sample is not None
    assert len(sample.documents) == len(sample.vectors) == MOST_ENCODED
    found = EncodedDocuments(lengths, np.array([1, 3, 4]), encoded(lengths, ["bee", "de", "e"]))
    counts = Counts(sp.csr_array(np.eye(4)), ["bee", "gjq", "kvw", "zzx"])
    fitted = TrainingSet.of(counts, Seeds({"x": ["a"], "y": ["bee"]}), np.full(4, -1))
    source = found.source(np.array([5, 4, 0, 1]), fitted)
    assert source.rows.tolist() == [1, 3]
    assert source.vectors == pytest.approx(encoded(lengths, ["e", "bee"]))
    assert source.categories == pytest.approx(encoded(lengths, ["a", "bee"]))  # of words that are not English


def test_a_preview_is_wanted_where_no_labels_of_these_categories_are_shown(collection: Collection) -> None:
    keys = np.array([1, 2])
    for fitting in (Fitting(collection), Fitting(collection, most_previewed=20)):
        assert fitting.wants_preview(keys, None)
        assert fitting.wants_preview(keys, np.array([1, 2, 3]))
    assert not Fitting(collection).wants_preview(keys, np.array([2, 1]))
    assert Fitting(collection, most_previewed=20).wants_preview(keys, keys)


def test_the_neighbours_of_documents_are_found_once(
    collection: Collection, toy_seeds: dict[str, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    fitting, draft, seeds = Fitting(collection), Draft.of(Seeds(toy_seeds)), Seeds(toy_seeds)
    fitting.preview(draft, seeds, lambda *told: None, lambda: None)
    monkeypatch.setattr(WordGraph, "similarity", None)
    fitting.from_scratch(draft, seeds, lambda *told: None, lambda: None)


def test_previews_know_new_words_new_categories_and_confirmed_documents(
    collection: Collection, toy_seeds: dict[str, list[str]], toy_labels: list[str]
) -> None:
    fitting = Fitting(collection)
    two = Seeds({name: toy_seeds[name] for name in ("sports", "money")})
    fitting.from_scratch(Draft.of(two), two, lambda *told: None, lambda: None)
    three = Draft.of(Seeds({**toy_seeds, "weather": [*toy_seeds["weather"], "cold wind", "absent"]}))
    seeds = three.seeds()
    assert seeds is not None
    held = replace(three, confirmed={0: (three.category("weather").key,)})
    model, found, *_ = fitting.preview(held, seeds, lambda *told: None, lambda: None)
    labels = model.classes_[found.argmax(axis=1)].tolist()
    assert labels[0] == "weather"  # as confirmed
    right = sum(label == known for label, known in zip(labels[1:], toy_labels[1:], strict=True))
    assert right >= 0.9 * len(toy_labels)
    assert np.allclose(found.sum(axis=1), 1.0)


def test_of_many_documents_a_sample_is_shown_first(
    collection: Collection, toy_seeds: dict[str, list[str]], toy_labels: list[str]
) -> None:
    fitting, draft, seeds = (
        Fitting(collection, most_previewed=20),
        Draft.of(Seeds(toy_seeds)),
        Seeds(toy_seeds),
    )
    for _ in range(2):  # without neighbours that are known, and with them
        model, found, _, on = fitting.preview(draft, seeds, lambda *told: None, lambda: None)
        assert on == "sample"
        assert len(model.label_distributions_) == 20
        assert found.shape == (36, 3)
        right = sum(
            label == known
            for label, known in zip(model.classes_[found.argmax(axis=1)], toy_labels, strict=True)
        )
        assert right >= 0.8 * len(toy_labels)
        fitting.from_scratch(draft, seeds, lambda *told: None, lambda: None)


def test_an_edit_ends_the_fit_under_way_and_only_the_last_is_done() -> None:
    begun, go, done = Event(), Event(), Event()
    ended: list[tuple[int, str]] = []

    def work(revision: int, check: Callable[[], None]) -> None:
        begun.set()
        go.wait(PATIENCE)
        try:
            check()
        except Superseded:
            ended.append((revision, "given up"))
            raise
        ended.append((revision, "done"))
        done.set()

    thread = RefitThread(work, pause=0.0)
    thread.start()
    thread.request(1)
    assert begun.wait(PATIENCE)
    thread.request(2)
    thread.request(3)
    go.set()
    assert done.wait(PATIENCE)
    thread.stop()
    assert ended == [(1, "given up"), (3, "done")]


@pytest.mark.parametrize("n_threads", [1, 2])
def test_work_is_checked_between_the_parts_of_a_walk(n_threads: int) -> None:
    calls: list[int] = []

    def check() -> None:
        calls.append(1)
        if len(calls) == 3:
            raise Superseded

    pointers = np.arange(0, 1_000_001, 1000, dtype=np.int64)
    with thread_limit(n_threads), checked(check), pytest.raises(Superseded):
        walk_in_threads(lambda first, last: None, pointers)
    assert len(calls) < 10
    walk_in_threads(lambda first, last: None, pointers)  # outside, nothing is checked
    assert len(calls) < 10


def test_several_tabs_may_write_and_read_at_once(session: Session) -> None:
    failures: list[BaseException] = []

    def tab(number: int) -> None:
        try:
            for place in range(6):
                word = f"word{number}x{place}" if place % 2 else f"goal word{number} {place}"
                session.edit({"action": "add_words", "category": "money", "words": [word]})
                session.state()
                session.map()
        except BaseException as failure:
            failures.append(failure)

    tabs = [Thread(target=tab, args=[number]) for number in range(4)]
    for each in tabs:
        each.start()
    for each in tabs:
        each.join(PATIENCE)
    assert failures == []
    assert session.state()["revision"] == 24
    assert len(session.state()["categories"][1]["words"]) == 2 + 24
    assert session.wait_until_settled(PATIENCE).revision == 24


def test_a_fit_that_fails_says_so_and_the_next_edit_mends_it(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.wait_until_settled(PATIENCE)

    def fail(*arguments: Any) -> Any:
        raise MemoryError("no memory")

    monkeypatch.setattr(Fitting, "from_scratch", fail)
    session.edit({"action": "add_words", "category": "money", "words": ["loan"]})
    with pytest.raises(InputError, match="MemoryError"):
        session.wait_until_settled(PATIENCE)
    assert session.state()["fit"]["status"] == "failed"
    monkeypatch.undo()
    session.edit({"action": "undo"})
    assert session.wait_until_settled(PATIENCE).revision == 2
    assert session.state()["fit"]["message"] is None


@pytest.mark.parametrize(
    ("seeds", "said"), [({"a": ["absnt"], "b": ["nwhere"]}, "fewer than two"), (None, "at least two")]
)
def test_seeds_that_cannot_be_learned_from_leave_a_message(
    collection: Collection, seeds: dict[str, list[str]] | None, said: str
) -> None:
    session = Session(collection, None if seeds is None else Seeds(seeds), pause=0.0)
    session.start()
    with pytest.raises(InputError, match=said):
        session.wait_until_settled(PATIENCE)
    state = session.state()
    assert state["fit"]["revision"] == -1
    assert said in state["fit"]["message"]
    assert session.map()["labels"] == [-1] * 36
    session.close()


def test_what_a_category_reaches_below_two_parents_is_what_its_seeds_reach() -> None:
    texts = ["ski", "slalom", "alps", "press ski", "press slalom", "press alps", "game", "game press"]
    seeds = Seeds(
        {
            "news": {"words": ["alps"], "exclude": ["slalom", "press", "ski"]},
            "winter": {"words": ["slalom", "press"], "exclude": ["game"], "parent": "news"},
            "skiing": {"words": ["ski"], "exclude": ["alps"], "parent": "winter"},
            "other": {"words": ["game"], "exclude": ["*e"]},
        }
    )
    collection = collected(texts)
    found = dict(zip(seeds.entries, reach(collection, Draft.of(seeds))[1], strict=True))
    # Below "winter", neither slalom nor press is excluded, whatever "news" says.
    assert found == {"news": 1, "winter": 4, "skiing": 4, "other": 2}
    checked_ = check_counted(seeds, collection.counts(seeds.counted_words)).categories
    assert {category.name: category.documents for category in checked_} == {"skiing": 4, "other": 2}


def test_a_draft_that_is_unfinished_or_has_a_circle_is_counted_all_the_same() -> None:
    texts = ["ski", "slalom", "alps"]
    child = DraftCategory(1, "skiing", (DraftWord("ski"),), "winter")
    assert reach(collected(texts), Draft((child,)))[1] == [1]
    parent = DraftCategory(2, "winter", (DraftWord("slalom"),), "skiing")
    assert reach(collected(texts), Draft((child, parent)))[1] == [1, 1]


SEEDS_FILE = """\
# Ask Ann before you change these.

[sports]
words = ["game"]  # not "games"

# the bank
[money]
words = [
    "bank",  # of England
    "stock",
]
"""


def test_the_comments_of_a_seeds_file_survive_edits_and_a_save(
    collection: Collection, tmp_path: Path
) -> None:
    (tmp_path / "seeds.toml").write_text(SEEDS_FILE)
    place = tmp_path / "toy.studio"
    session = Session(collection, Seeds.read(tmp_path / "seeds.toml"), place)
    session.edit({"action": "add_words", "category": "money", "words": ["rate"]})
    session.edit({"action": "rename_category", "category": "sports", "name": "games"})
    session.close()
    reopened = Session(collection, None, place)  # the file is not read again
    reopened.edit({"action": "set_excluded", "category": "money", "word": "stock", "excluded": True})
    save_into(reopened, "seeds", "new.toml", tmp_path)
    expected = (
        SEEDS_FILE.replace("[sports]", "[games]")
        .replace('# not "games"\n', '# not "games"\nformerly = ["sports"]\n')
        .replace('"stock"', '"rate"')
        + 'exclude = ["stock"]\n'
    )
    assert (tmp_path / "new.toml").read_text() == expected
    assert Seeds.read(tmp_path / "new.toml") == reopened.draft.seeds()
    other = '# mine\na = ["x"]\nb = ["y"]\n'
    reopened.edit({"action": "replace_seeds", "toml": other})
    reopened.edit({"action": "add_words", "category": "b", "words": ["z"]})
    write_export(reopened, "seeds", tmp_path / "export.toml")
    assert (tmp_path / "export.toml").read_text() == other.replace('"y"', '"y", "z"')
    reopened.close()


def test_the_state_counts_what_words_reach_and_warns_in_place(session: Session) -> None:
    state = session.edit({"action": "add_words", "category": "sports", "words": ["gaame", "goal"]})
    sports = state["categories"][0]
    by_word = {word["word"]: word for word in sports["words"]}
    assert by_word["goal"]["documents"] == 9
    assert by_word["gaame"]["documents"] == 0
    assert sports["reached"] == 12  # game, player or goal
    session.wait_until_settled(PATIENCE)
    by_word = {word["word"]: word for word in session.state()["categories"][0]["words"]}
    assert by_word["gaame"]["warnings"] == ["'gaame' (sports) does not occur; did you mean 'game'?"]
    assert by_word["goal"]["warnings"] == []
    state = session.edit({"action": "add_category", "name": "tea"})
    assert state["categories"][3]["warnings"] == [
        "'tea' has no words yet, so those of its name are used: tea."
    ]
    state = session.edit({"action": "add_category", "name": "B"})
    assert "no words yet, so no document gets" in state["categories"][4]["warnings"][0]


def test_changes_are_told_from_before_the_edit(session: Session) -> None:
    before = session.wait_until_settled(PATIENCE)
    assert session.state()["changes"] is None
    session.edit({"action": "remove_category", "category": "weather"})
    after = session.wait_until_settled(PATIENCE)
    changes = session.state()["changes"]
    moved = int((before.key != after.key).sum())
    assert changes["moved"] == moved >= 12
    assert sum(flow["count"] for flow in changes["flows"]) == moved
    assert sum(size["after"] for size in changes["sizes"]) == 36


def test_renaming_moves_no_document(session: Session) -> None:
    session.wait_until_settled(PATIENCE)
    session.edit({"action": "rename_category", "category": "money", "name": "finance"})
    session.wait_until_settled(PATIENCE)
    state = session.state()
    assert state["changes"]["moved"] == 0
    assert [category["name"] for category in state["categories"]] == ["sports", "finance", "weather"]
    assert {category["size"] for category in state["categories"]} == {12}


def test_flows_are_counted_by_hand() -> None:
    changes = Changes.between(np.array([1, 1, 1, 2, -1]), np.array([1, 2, 2, 1, 1]))
    assert changes.flows == [Flow(1, 2, 2, [1, 2]), Flow(2, 1, 1, [3]), Flow(-1, 1, 1, [4])]
    told = changes.as_dict(np.array([1, 2, 2, 1, 1]), {1: "a", 2: "b"}, [1, 2], "n{}".format)
    assert told["flows"][2] == {
        "from": None,
        "to": "a",
        "count": 1,
        "documents": [{"id": 4, "name": "n4"}],
    }
    assert told["sizes"] == [
        {"category": "a", "before": 3, "after": 3},
        {"category": "b", "before": 1, "after": 2},
    ]


@given(st.lists(st.tuples(st.integers(-1, 3), st.integers(-1, 3)), max_size=30))
def test_flows_name_the_documents_that_moved(pairs: list[tuple[int, int]]) -> None:
    before, after = (np.array([pair[side] for pair in pairs], np.intp) for side in (0, 1))
    flows = Changes.between(before, after).flows
    moves = [(here, there) for here, there in pairs if here != there]
    assert {(flow.before, flow.after): flow.count for flow in flows} == Counter(moves)
    for flow in flows:
        rows = [row for row, pair in enumerate(pairs) if pair == (flow.before, flow.after)]
        assert flow.first == rows[:SHOWN]


def test_documents_are_filtered_and_put_in_order(session: Session, toy_texts: list[str]) -> None:
    labels = session.wait_until_settled(PATIENCE)
    search = Search(toy_texts)

    def rows(**query: Any) -> list[int]:
        draft, labels, changes = session.snapshot()
        return matching_documents(Query(**query), session.collection, draft, labels, changes, search).tolist()

    assert rows() == list(range(36))
    assert rows(category="money") == list(range(1, 36, 3))
    assert rows(category="tea") == []
    assert rows(search="GOAL won") == [0, 12, 24]
    assert rows(search="goal", category="money") == []
    doubtful = rows(order="doubtful")
    assert sorted(doubtful) == list(range(36))
    assert np.all(np.diff(labels.probability[doubtful]) >= 0)
    assert labels.probability[rows(order="certain")[0]] == labels.probability.max()
    middle = float(np.median(labels.probability))
    assert set(rows(least=middle)) | set(rows(most=middle)) == set(range(36))
    assert rows(changed=True) == []


@given(st.lists(st.text("abc ", max_size=12), min_size=1, max_size=10), st.lists(st.text("abC ", max_size=5)))
def test_any_row_of_searches_finds_what_a_plain_look_would(texts: list[str], wanted: list[str]) -> None:
    search = Search(texts)
    for query in wanted:
        parts = query.casefold().split()
        expected = [row for row, text in enumerate(texts) if all(part in text.casefold() for part in parts)]
        assert search(query).tolist() == expected


def test_a_session_goes_on_where_it_was_left(
    collection: Collection, toy_seeds: dict[str, list[str]], tmp_path: Path
) -> None:
    path = tmp_path / "toy.studio"
    ledger = tmp_path / "toy.answers.csv"
    first = Session(collection, Seeds(toy_seeds), path, answers=Answers.read(ledger))
    first.edit({"action": "add_words", "category": "money", "words": ["loan"]})
    first.edit({"action": "confirm", "document": 3, "label": "sports"})
    left = first.state()
    first.close()
    other = Seeds({"other": ["a"], "seeds": ["b"]})
    again = Session(collection, other, path, answers=Answers.read(ledger))
    assert again.reopened
    for name in ("revision", "categories", "undo", "redo", "confirmed"):
        assert again.state()[name] == left[name]
    again.close()


def test_a_workspace_is_open_in_one_studio_at_a_time(collection: Collection, tmp_path: Path) -> None:
    path = tmp_path / "toy.studio"
    first = Session(collection, None, path)
    for name in ("tea", "coffee"):  # the file is another one after each edit
        first.edit({"action": "add_category", "name": name})
        with pytest.raises(InputError, match="is open in another studio"):
            Session(collection, None, path)
    assert first.edit({"action": "undo"})["saved"] is True
    first.close()
    second = Session(collection, None, path)
    assert [category["name"] for category in second.state()["categories"]] == ["tea"]
    second.close()


def test_a_workspace_stays_claimed_after_a_write_that_failed(
    collection: Collection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "no space left")

    path = tmp_path / "toy.studio"
    first = Session(collection, None, path)
    first.edit({"action": "add_category", "name": "tea"})
    monkeypatch.setattr("os.fsync", full)
    assert first.edit({"action": "add_category", "name": "coffee"})["saved"] is False
    with pytest.raises(InputError, match="is open in another studio"):
        Session(collection, None, path)
    first.close()


def test_a_workspace_that_cannot_be_written_is_told_and_loses_nothing(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "no space left")

    monkeypatch.setattr("os.fsync", full)
    state = session.edit({"action": "add_category", "name": "tea"})
    assert state["saved"] is False
    assert state["categories"][-1]["name"] == "tea"
    monkeypatch.undo()
    assert session.edit({"action": "undo"})["saved"] is True


def test_keys_follow_the_order_of_the_labels() -> None:
    draft = Draft.of(
        Seeds({"news": {"words": ["press"]}, "a": {"words": ["x"], "parent": "news"}, "b": ["y"]})
    )
    seeds = draft.seeds()
    assert seeds is not None
    assert keys_of(draft, seeds).tolist() == [draft.category("a").key, draft.category("b").key]


def test_suggestions_come_with_the_first_word(collection: Collection) -> None:
    session = Session(collection)  # not started: there are no labels
    session.edit({"action": "add_category", "name": "B"})
    assert session.suggestions("B") == {"category": "B", "suggestions": []}
    session.edit({"action": "add_words", "category": "B", "words": ["game"]})
    found = session.suggestions("B")["suggestions"]
    assert "player" in [word["word"] for word in found]
    assert all(word["near"] == ["game"] and word["documents"] > 0 for word in found)
    assert "game" not in [word["word"] for word in found]


def test_two_names_are_enough_for_labels(collection: Collection) -> None:
    session = Session(collection, pause=0.0)
    for name in ("game", "bank"):
        session.edit({"action": "add_category", "name": name})
    assert session.draft.needed() is None
    assert [category["reached"] > 0 for category in session.state()["categories"]] == [True, True]
    session.start()
    assert session.wait_until_settled(PATIENCE).seeds.named == {"game": ("game",), "bank": ("bank",)}
    assert session.suggestions("game")["suggestions"]
    session.close()
