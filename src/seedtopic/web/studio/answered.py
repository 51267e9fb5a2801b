"""The answers about the documents of a studio: the ledger keeps them, and here is what they come to today."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Collection as Some
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import repeat
from typing import Any

from seedtopic.answers.ledger import Answer, Answers, user
from seedtopic.answers.resolved import Documents, Resolved, newest, resolved
from seedtopic.base.errors import InputError
from seedtopic.base.wording import listed, number_of
from seedtopic.model.estimates import Measured
from seedtopic.quality.audit import measured
from seedtopic.seeds.names import NONE_OF_THESE, WITHDRAWN, Label, Names, written
from seedtopic.text.identity import identity, normal
from seedtopic.web.studio.documents import Collection
from seedtopic.web.studio.draft import Change, Draft

HOW = "studio"


class Answered:
    """What the answers of a ledger come to for the documents of a studio; one thread at a time changes it."""

    def __init__(self, ledger: Answers, collection: Collection, names: Names, apart: Some[str] = ()) -> None:
        self.ledger, self._texts, self._ids = ledger, collection.texts, collection.ids
        places: defaultdict[str, list[int]] = defaultdict(list)
        texts_of_id: defaultdict[str, list[str]] = defaultdict(list)
        for place, (text, id) in enumerate(zip(self._texts, self._ids or repeat(""), strict=False)):
            own = identity(text)
            if own:
                places[own].append(place)
            if id:
                texts_of_id[normal(id)].append(own)
        self._documents = Documents(dict(places), dict(texts_of_id))
        self.labels: Mapping[int, Label] = {}  # of documents with an answer, `NONE_OF_THESE` too
        self.skipped: frozenset[int] = frozenset()  # looked at without an answer
        self.sentence, self.n_unused = "", 0  # what became of the answers, and how many do not count here
        self.measured: Measured | None = None  # by the last blind sample that was checked
        self.problem: str | None = None  # why the file cannot be read now; what was read before counts
        self._disputes: Mapping[int, Mapping[Label, Sequence[str]]] = {}
        self.update(names, apart)

    def refresh(self) -> bool:
        """Read the ledger again if others have changed it; return whether they had."""
        try:
            self.ledger.refresh()
            self.problem = None
        except (InputError, OSError) as error:  # a program may be writing it
            self.problem = str(error)
        if self.ledger.n_readings == self._read:
            return False
        self.update()
        return True

    def update(self, names: Names | None = None, apart: Some[str] | None = None) -> None:
        """Find anew what all answers come to, after changes of the names or of what stands apart."""
        if names is not None:
            self._names = names
        if apart is not None:  # ways of answers that do not count yet: of a sample that is being checked
            self._apart = frozenset(apart)
        self._read = self.ledger.n_readings
        self.labels, self.skipped, self._disputes = {}, frozenset(), {}
        outcome = self._resolve(self._counting())
        self.measured = measured(self.ledger, self._names)
        self.count(None if self._apart else outcome)

    def count(self, outcome: Resolved | None = None) -> None:
        """Say anew what became of all answers, which takes a while where there are many."""
        if outcome is None:
            outcome = resolved(list(self.ledger), self._documents, self._names)
        self.sentence = outcome.sentence() if len(outcome) else ""
        self.n_unused = sum(
            map(len, (outcome.ties, outcome.absent, outcome.unnamed, outcome.doubtful, outcome.outvoted))
        )

    def _counting(self) -> list[Answer]:
        """Return the answers but those of people who have said last what is kept apart."""
        apart = {answer.text for answer in self.ledger if answer.how in self._apart}
        if not apart:
            return list(self.ledger)
        about = [answer for answer in self.ledger if answer.text in apart]
        last = newest(about, self._documents)
        left_out = {(text, answer.by) for text, answer in last if answer.how in self._apart}
        return [answer for answer in self.ledger if (answer.text, answer.by) not in left_out]

    def _resolve(self, rows: Sequence[Answer], texts: Some[str] = ()) -> Resolved:
        """Take in what answers come to, instead of what was known of these texts."""
        outcome = resolved(rows, self._documents, self._names)
        before = {place for text in texts for place in self._documents.places[text]}
        labels = {place: label for place, label in self.labels.items() if place not in before}
        disputes = {place: says for place, says in self._disputes.items() if place not in before}
        self.labels = {**labels, **outcome.labels, **dict.fromkeys(outcome.none, NONE_OF_THESE)}
        self.skipped = (self.skipped - before) | outcome.skipped
        self._disputes = {**disputes, **outcome.disputes}
        return outcome

    def draft(self, draft: Draft) -> Draft:
        """Return a draft with what the answers come to."""
        key_of = {category.name: category.key for category in draft.categories}
        confirmed = {}
        for place, label in self.labels.items():
            names = label if isinstance(label, tuple) else () if label == NONE_OF_THESE else (label,)
            confirmed[place] = tuple(key_of[str(name)] for name in names)
        return replace(draft, confirmed=confirmed, skipped=self.skipped)

    def say(
        self, answers: Mapping[int, str], predicted: Mapping[int, str], how: str = HOW
    ) -> tuple[Change, ...]:
        """Add answers of the user to documents, which had labels on the screen; return what has changed."""
        rows = {}
        for place, answer in answers.items():
            if text := identity(self._texts[place]):
                id = "" if self._ids is None else self._ids[place]
                rows[text] = Answer(text, id, answer, how=how, predicted=predicted.get(place, ""))
        if not rows:
            raise InputError("a document without a text can have no answer: leave it as it is.")
        before = self._mine(rows)
        self._add(list(rows.values()))
        none = Answer("", answer=WITHDRAWN, how=HOW)
        pairs = ((text, before.get(text, none), row) for text, row in rows.items())
        return tuple(
            Change(_mark(text), old.answer, row.answer, old.how if old.how in self._apart else HOW)
            for text, old, row in pairs
            if (old.answer, old.how in self._apart) != (row.answer, how in self._apart)
        )

    def turn(self, changes: Sequence[Change], *, back: bool) -> None:
        """Take answers back, or give them again; what the user has said in another way since stays."""
        texts = {_mark(answer.text): answer.text for answer in self.ledger if answer.text}
        known = [texts[change.text] for change in changes if change.text in texts]
        mine = self._mine(known)
        rows = []
        for change in changes:
            text = texts.get(change.text, "")
            last = mine[text].answer if text in mine else WITHDRAWN
            if text and back and last == change.after:
                rows.append(Answer(text, answer=change.before, how=change.way))
            elif text and not back and last == change.before:
                rows.append(Answer(text, answer=change.after, how=HOW))
        self._add(rows)

    def _add(self, rows: Sequence[Answer]) -> None:
        self.ledger.add(rows)
        texts = {row.text for row in rows if row.text in self._documents.places}
        if self.ledger.n_readings != self._read:  # somebody else has added answers, too
            self.update()
        elif texts:
            about = [row for row in self._counting() if self._documents.text_of(row) in texts]
            self._resolve(about, texts)
            self.measured = measured(self.ledger, self._names)

    def _mine(self, texts: Some[str]) -> dict[str, Answer]:
        """Return the newest answer of the user about each of some texts."""
        me, texts = user(), {*texts}
        rows = [row for row in self.ledger if row.by == me and self._documents.text_of(row) in texts]
        return dict(newest(rows, self._documents))

    def mine(self, document: int) -> str | None:
        """Return what the user has said of a document last."""
        text = identity(self._texts[document])
        answer = self._mine([text]).get(text)
        return None if answer is None or answer.answer == WITHDRAWN else answer.answer

    def label(self, answer: str) -> Label | None:
        """Return what an answer means today."""
        return self._names.label(answer)

    def and_copies(self, document: int) -> str:
        """Return what to add where an answer is about copies of a document, too."""
        n_copies = len(self._here(document)) - 1
        return f", and {number_of(n_copies, 'copy', 'copies')} of its text" if n_copies else ""

    def mark(self, document: int) -> str:
        """Return a short name of a document's text, for files that keep no texts."""
        return _mark(identity(self._texts[document]))

    def documents_of(self, marks: Some[str]) -> dict[str, int]:
        """Return the first document of each of some texts, by its `mark`."""
        if not marks:
            return {}
        of_text = ((_mark(text), places[0]) for text, places in self._documents.places.items())
        return {mark: place for mark, place in of_text if mark in marks}

    def _here(self, document: int) -> list[int]:
        """Return the documents with the text of one."""
        return self._documents.places.get(identity(self._texts[document]), [document])

    def remark(self, document: int) -> str | None:
        """Return which other documents have the answer of one, and who says what if people disagree."""
        here, sentences = self._here(document), []
        if len(here) > 1:
            sentences.append(f"{len(here):,} documents have this text, and have its answer together.")
        if (says := self._disputes.get(here[0])) is not None:
            people = [f"{listed(those)} said {written(label)}" for label, those in says.items()]
            counts = self.labels.get(document)
            outcome = "none of it counts" if counts is None else f"{written(counts)} counts"
            sentences.append(f"People disagree: {'; '.join(people)}. As it stands, {outcome}.")
        return " ".join(sentences) or None

    def as_dict(self) -> dict[str, Any]:
        return {
            "file": None if self.ledger.path is None else self.ledger.path.name,
            "sentence": self.sentence,
            "unused": self.n_unused,
            "problems": [*([] if self.problem is None else [self.problem]), *self.ledger.problems],
        }


def _mark(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
