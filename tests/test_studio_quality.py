"""How good labels are, in the studio: agreement with a column, and an audit that is kept apart from the labels."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seedtopic import Answers, InputError, Seeds
from seedtopic.io.rows import Rows
from seedtopic.quality.audit import estimate
from seedtopic.quality.scores import evaluate
from seedtopic.seeds.history import merged
from seedtopic.seeds.names import NONE_OF_THESE, WITHDRAWN, Names
from seedtopic.web.studio.answered import Answered
from seedtopic.web.studio.documents import Collection, Column
from seedtopic.web.studio.draft import Draft
from seedtopic.web.studio.quality import StudioSample, agreement
from seedtopic.web.studio.session import Session

PATIENCE = 60.0
SEEDS = Seeds({"a": ["x"], "b": ["y"], "c": ["z"]})


def labels_of(
    best: list[int], known: list[bool] | None = None, probability: list[float] | None = None
) -> Any:
    """Labels as a fit would give them, as far as they are looked at."""
    there = np.array([True] * len(best) if known is None else known)
    keys = np.array([1, 2, 3])
    return SimpleNamespace(
        seeds=SEEDS,
        keys=keys,
        best=np.array(best),
        known=there,
        key=np.where(there, keys[np.array(best)], -1),
        probability=np.array([0.9] * len(best) if probability is None else probability),
        settled=True,
        revision=7,
    )


def column_of(values: list[str]) -> Column:
    different = list(dict.fromkeys(values))
    return Column("truth", different, np.array([different.index(value) for value in values], np.int32))


VALUES = st.sampled_from(["a", "b", "c", "elsewhere", ""])


@given(st.lists(st.tuples(VALUES, st.integers(0, 2)), min_size=1, max_size=40))
def test_agreement_is_what_evaluate_says(pairs: list[tuple[str, int]]) -> None:
    values, best = [value for value, _ in pairs], [place for _, place in pairs]
    found = agreement(column_of(values), Draft.of(SEEDS), labels_of(best))
    compared = [(value, "abc"[place]) for value, place in pairs if value]
    assert found.documents == len(compared)
    if not any(value in ("a", "b", "c") for value, _ in compared):
        assert found.accuracy in (None, 0.0)
        return
    expected = evaluate([value for value, _ in compared], [label for _, label in compared], ["a", "b", "c"])
    assert found.accuracy == pytest.approx(expected.micro_f1)
    assert found.macro_f1 == pytest.approx(expected.macro_f1)
    for ours, theirs in zip(found.categories, expected.categories, strict=True):
        assert (ours.precision, ours.recall, ours.f1) == pytest.approx(
            (theirs.precision, theirs.recall, theirs.f1)
        )
        assert ours.support == theirs.support
    assert found.others == sum(expected.unknown.values())


def test_agreement_by_hand() -> None:
    values = ["A ".strip(), "a", "B", "c", "rest", "", "a"]
    draft = replace(Draft.of(SEEDS), confirmed={6: (1,)})
    labels = labels_of([0, 1, 1, 2, 0, 0, 0], [True, True, True, False, True, True, True])
    found = agreement(column_of(values), draft, labels)
    # Names are compared without case; a document without a label is wrong; a confirmed one is left out.
    assert (found.documents, found.accuracy) == (5, 2 / 5)
    assert [score.precision for score in found.categories] == [0.5, 0.5, 0.0]
    assert [score.recall for score in found.categories] == [0.5, 1.0, 0.0]
    assert (found.others, found.other_values) == (1, ["rest"])


def test_the_labels_of_a_column_never_reach_the_model(toy_texts: list[str]) -> None:
    rows = [{"text": text, "truth": f"{place % 3}"} for place, text in enumerate(toy_texts)]
    seen = Collection(Rows(texts=toy_texts, rows=rows), vectors=None)
    unseen = Collection(Rows(texts=toy_texts, rows=[{"text": text} for text in toy_texts]), vectors=None)
    assert seen.usual.vocabulary == unseen.usual.vocabulary
    assert (seen.usual.matrix != unseen.usual.matrix).nnz == 0


def sampled(labels: Any, draft: Draft, n: int, random_state: int) -> tuple[StudioSample, Answered]:
    """Draw a sample of documents that have nothing but different texts."""
    texts = [f"x y z text {number}" for number in range(len(labels.best))]
    collection = Collection(Rows(texts=texts, rows=[{"text": text} for text in texts]), vectors=None)
    answered = Answered(Answers(), collection, Names.of(draft))
    sample = StudioSample.of(draft, labels, n, random_state, collection.documents, answered.mark)
    return sample, answered


def test_a_sample_of_the_studio_gives_what_the_audit_gives() -> None:
    random = np.random.default_rng(3)
    best = random.integers(0, 3, 500).tolist()
    probability = random.uniform(0.4, 1.0, 500).round(3).tolist()
    draft = Draft.of(SEEDS)
    sample, answered = sampled(labels_of(best, probability=probability), draft, 60, 1)
    truth = [place if random.random() < 0.8 else (place + 1) % 4 for place in best]  # 3 is none of these
    for check in sample.checks:
        assert check.document is not None
        answer = ("a", "b", "c", NONE_OF_THESE)[truth[check.document]]
        answered.say({check.document: answer}, {check.document: check.label}, check.how)
    answers = {c.document or 0: ("a", "b", "c", None)[truth[c.document or 0]] for c in sample.checks}
    expected = estimate(["abc"[place] for place in best], probability, answers, ["a", "b", "c"])
    assert sample.result(answered) == expected.as_dict()
    measured = answered.measured
    assert measured is not None
    assert (measured.accuracy, measured.checked) == (expected.accuracy.value, 60)
    again = StudioSample.from_data(json.loads(json.dumps(sample.data()))).with_answers(answered)
    assert again == sample


def test_a_sample_survives_other_names_and_other_documents() -> None:
    sample, answered = sampled(labels_of([0, 1, 2] * 20), Draft.of(SEEDS), 20, 1)
    for check in sample.checks:
        answered.say({check.document or 0: "a"}, {check.document or 0: check.label}, check.how)
    before = sample.result(answered)
    after = merged(SEEDS, ["a", "b"], "ab")[0]
    answered.update(Names.of(after))
    result = sample.result(answered)
    assert before is not None and result is not None  # noqa: PT018
    assert [one["category"] for one in result["categories"]] == ["ab", "c", None]
    assert result["accuracy"]["value"] > before["accuracy"]["value"]  # a and b are the same now
    texts = [f"x y z text {number}" for number in range(59, 4, -1)]
    fewer = Collection(Rows(texts=texts, rows=[{}] * 55), vectors=None)
    there = Answered(answered.ledger, fewer, Names.of(after))
    found = sample.with_answers(there)
    for check, one in zip(found.checks, sample.checks, strict=True):
        assert check.document == (None if (one.document or 0) < 5 else 59 - (one.document or 0))
    shown = found.as_dict(there, None, str)
    assert len(shown["documents"]) == sum((check.document or 0) >= 5 for check in sample.checks)
    assert shown["result"] == result  # it is about the labels of then


def test_confirmed_documents_are_not_audited_and_samples_differ() -> None:
    draft = replace(Draft.of(SEEDS), confirmed=dict.fromkeys(range(30), (1,)))
    first, second = (sampled(labels_of([0] * 60), draft, 10, draw)[0] for draw in (0, 1))
    assert min(check.document or 0 for check in first.checks) >= 30
    assert sum(first.checks[0].drawn.sizes) == 30
    assert first.checks != second.checks
    with pytest.raises(InputError, match="9 documents have a label that is not confirmed"):
        sampled(labels_of([0] * 39), draft, 10, 0)


def test_a_label_is_not_told_before_its_answer() -> None:
    sample, answered = sampled(labels_of([0, 1] * 10), Draft.of(SEEDS), 10, 0)
    first, second = sample.checks[:2]
    place = first.document or 0
    answered.say({place: "b"}, {place: first.label}, first.how)
    shown = sample.as_dict(answered, None, str)["documents"]
    label = "ab"[place % 2]
    assert shown[0] == {
        "id": place,
        "name": str(place),
        "answered": True,
        "answer": "b",
        "label": label,
        "right": label == "b",
    }
    assert shown[1] == {
        "id": second.document,
        "name": str(second.document),
        "answered": False,
        "answer": None,
        "label": None,
        "right": None,
    }
    answered.say({place: WITHDRAWN}, {}, first.how)
    assert sample.answers(answered) == {}
    with pytest.raises(InputError, match="99 is not in the sample"):
        sample.check_of(99)


@pytest.mark.parametrize("damage", ["labelled", "checks", "how", "label"])
def test_a_sample_that_no_draw_has_given_is_refused(damage: str) -> None:
    data = sampled(labels_of([0, 1] * 10), Draft.of(SEEDS), 10, 0)[0].data()
    if damage == "labelled":
        data["labelled"][0][1] += 1
    elif damage == "checks":
        data["checks"].append(data["checks"][0])
    else:
        data["checks"][3][1 if damage == "how" else 2] = "elsewhere"
    with pytest.raises(ValueError, match="damaged"):
        StudioSample.from_data(data)


@pytest.fixture
def session(toy_texts: list[str], toy_seeds: dict[str, list[str]], tmp_path: Path) -> Iterator[Session]:
    names = list(toy_seeds)
    texts = [f"{text} {place}" for place, text in enumerate(toy_texts)]  # each once
    rows = [{"text": text, "truth": names[place % 3]} for place, text in enumerate(texts)]
    collection = Collection(Rows(texts=texts, rows=rows), "toy")
    ledger = Answers.read(tmp_path / "toy.answers.csv")
    opened = Session(collection, Seeds(toy_seeds), tmp_path / "toy.studio", answers=ledger, pause=0.0)
    opened.start()
    yield opened
    opened.close()


def test_an_audit_is_drawn_answered_and_opened_again(session: Session, tmp_path: Path) -> None:
    labels = session.wait_until_settled(PATIENCE)
    state = session.judge({"action": "compare", "column": "truth"})
    assert state["quality"]["agreement"]["accuracy"] == pytest.approx(
        np.mean([labels.model.classes_[best] == ["sports", "money", "weather"][row % 3] for row, best in enumerate(labels.best)])
    )  # fmt: skip
    state = session.judge({"action": "draw", "n": 12})
    documents = state["quality"]["audit"]["documents"]
    assert len(documents) == 12
    names = [category["name"] for category in state["categories"]]
    for document in documents:
        state = session.judge({"action": "answer", "document": document["id"], "category": names[0]})
    state = session.judge({"action": "answer", "document": documents[0]["id"], "category": None})
    audit = state["quality"]["audit"]
    assert audit["answered"] == 12
    assert audit["documents"][0]["answer"] is None
    assert audit["result"]["checked"] == 12
    # Nothing was fitted again, and the model has learned nothing from it.
    assert session.labels is labels
    assert state["confirmed"] == 0
    measured = state["estimate"]["measured"]
    assert measured["checked"] == 12
    assert state["estimate"]["accuracy"] == measured["accuracy"] == audit["result"]["accuracy"]["value"]
    assert "a random sample of 12 was checked" in state["estimate"]["sentence"]
    shares = [one["precision"] for one in audit["result"]["categories"][:3]]
    expected = [None if share["value"] is None else share for share in shares]
    assert [category["measured"] for category in state["categories"]] == expected
    session.close()
    ledger = Answers.read(tmp_path / "toy.answers.csv")
    assert len(ledger) == 13
    again = Session(session.collection, None, tmp_path / "toy.studio", answers=ledger, pause=0.0)
    try:
        assert again.state()["quality"]["audit"]["answered"] == 12
        assert again.state()["quality"]["compared"] == "truth"
    finally:
        again.close()


def test_answers_become_confirmed_labels_only_when_asked(session: Session) -> None:
    session.wait_until_settled(PATIENCE)
    documents = session.judge({"action": "draw", "n": 10})["quality"]["audit"]["documents"]
    for document in documents[:9]:
        session.judge({"action": "answer", "document": document["id"], "category": "money"})
    session.judge({"action": "answer", "document": documents[9]["id"], "category": None})
    assert session.draft.confirmed == {}
    measured = session.state()["quality"]["audit"]["result"]
    session.judge({"action": "use"})
    money = session.draft.category("money").key
    assert session.draft.confirmed == {
        **{document["id"]: (money,) for document in documents[:9]},
        documents[9]["id"]: (),
    }
    session.wait_until_settled(PATIENCE)
    audit = session.state()["quality"]["audit"]
    assert (audit["used"], audit["changed"], audit["result"]) == (True, True, measured)  # not measured again
    with pytest.raises(InputError, match="confirmed labels now"):
        session.judge({"action": "answer", "document": documents[0]["id"], "category": None})


def test_a_document_of_a_sample_that_is_confirmed_elsewhere_is_confirmed(session: Session) -> None:
    session.wait_until_settled(PATIENCE)
    documents = session.judge({"action": "draw", "n": 10})["quality"]["audit"]["documents"]
    document = documents[0]["id"]
    session.judge({"action": "answer", "document": document, "category": "money"})
    assert session.edit({"action": "confirm", "document": document, "label": "money"})["confirmed"] == 1
    state = session.edit({"action": "confirm", "document": document, "label": "money"})
    assert state["quality"]["audit"]["answered"] == 1
    assert [answer.answer for answer in session.answers] == ["money", "money"]
    session.edit({"action": "undo"})  # of the second time, which was nothing new
    state = session.edit({"action": "undo"})
    assert (state["confirmed"], state["quality"]["audit"]["answered"]) == (0, 1)
    assert session.edit({"action": "redo"})["confirmed"] == 1
    session.edit({"action": "undo"})
    assert session.judge({"action": "end"})["confirmed"] == 1


def test_the_answers_to_a_sample_that_is_ended_are_not_lost(session: Session) -> None:
    session.wait_until_settled(PATIENCE)
    documents = session.judge({"action": "draw", "n": 10})["quality"]["audit"]["documents"]
    session.judge({"action": "answer", "document": documents[0]["id"], "category": "money"})
    session.judge({"action": "answer", "document": documents[1]["id"], "category": "money"})
    session.judge({"action": "forget", "document": documents[1]["id"]})
    assert session.judge({"action": "end"})["confirmed"] == 1
    assert list(session.draft.confirmed) == [documents[0]["id"]]
    assert session.wait_until_settled(PATIENCE).key[documents[0]["id"]] == session.draft.category("money").key


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({"action": "compare", "column": "absent"}, "no column 'absent'"),
        ({"action": "draw", "n": 3}, "from 10 to 200"),
        ({"action": "answer", "document": 1, "category": None}, "draw a sample first"),
        ({"action": "answer", "document": 1, "category": "absent"}, "no category 'absent'"),
        ({"action": "use"}, "no answers to use"),
        ({"action": "dance"}, "'dance' is unknown"),
    ],
)
def test_what_cannot_be_done_is_refused(session: Session, request_: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        session.judge(request_)
