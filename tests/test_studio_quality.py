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

from seedtopic import InputError, Seeds
from seedtopic.io.rows import Rows
from seedtopic.quality.audit import estimate
from seedtopic.quality.scores import evaluate
from seedtopic.web.studio.documents import Collection, Column
from seedtopic.web.studio.draft import Draft
from seedtopic.web.studio.quality import NONE, Check, StudioAudit, agreement
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


def test_a_sample_of_the_studio_gives_what_the_audit_gives() -> None:
    random = np.random.default_rng(3)
    best = random.integers(0, 3, 500).tolist()
    probability = random.uniform(0.4, 1.0, 500).round(3).tolist()
    labels, draft = labels_of(best, probability=probability), Draft.of(SEEDS)
    audit = StudioAudit.of(draft, labels, 60, 1)
    truth = [place if random.random() < 0.8 else (place + 1) % 4 for place in best]  # 3 is none of these
    for check in audit.checks:
        audit = audit.answered(check.document, (1, 2, 3, NONE)[truth[check.document]])
    answers = {check.document: ("a", "b", "c", None)[truth[check.document]] for check in audit.checks}
    expected = estimate(["abc"[place] for place in best], probability, answers, ["a", "b", "c"])
    assert audit.result() == expected.as_dict()
    again = StudioAudit.from_data(json.loads(json.dumps(audit.data())))
    assert again == audit


def test_confirmed_documents_are_not_audited_and_samples_differ() -> None:
    draft = replace(Draft.of(SEEDS), confirmed=dict.fromkeys(range(30), (1,)))
    first, second = (StudioAudit.of(draft, labels_of([0] * 60), 10, draw) for draw in (0, 1))
    assert min(check.document for check in first.checks) >= 30
    assert sum(first.sizes) == 30
    assert first.checks != second.checks
    with pytest.raises(InputError, match="9 documents have a label that is not confirmed"):
        StudioAudit.of(draft, labels_of([0] * 39), 10, 0)


def test_a_label_is_not_told_before_its_answer() -> None:
    audit = StudioAudit(7, (Check(3, 1, 1), Check(5, 1, 2)), (9,), {1: 4, 2: 5}, {1: "a", 2: "b"})
    told = audit.answered(3, 2).as_dict(Draft.of(SEEDS), None, str)
    assert told["documents"] == [
        {"id": 3, "name": "3", "answered": True, "answer": "b", "label": "a", "right": False},
        {"id": 5, "name": "5", "answered": False, "answer": None, "label": None, "right": None},
    ]
    assert audit.answered(3, 2).answered(3, None) == audit
    with pytest.raises(InputError, match="4 is not in the sample"):
        audit.answered(4, 1)


@pytest.fixture
def session(toy_texts: list[str], toy_seeds: dict[str, list[str]], tmp_path: Path) -> Iterator[Session]:
    names = list(toy_seeds)
    rows = [{"text": text, "truth": names[place % 3]} for place, text in enumerate(toy_texts)]
    collection = Collection(Rows(texts=toy_texts, rows=rows), "toy")
    opened = Session(collection, Seeds(toy_seeds), tmp_path / "toy.studio", pause=0.0)
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
    session.close()
    again = Session(session.collection, None, tmp_path / "toy.studio", pause=0.0)
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
    state = session.judge({"action": "use"})
    assert state["undo"] == "use the answers of the audit"
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
    session.edit({"action": "undo"})
    assert session.draft.confirmed == {}


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
