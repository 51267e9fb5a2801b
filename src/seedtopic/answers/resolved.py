"""What answers come to: to which documents each belongs, and what counts where several disagree."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING, Self

from seedtopic.base.wording import and_more, listed, number_of
from seedtopic.seeds.names import NONE_OF_THESE, SKIPPED, WITHDRAWN, Label, Names
from seedtopic.seeds.tree import Name
from seedtopic.text.identity import identity, normal

if TYPE_CHECKING:
    from seedtopic.answers.ledger import Answer

MODEL = "model:"  # begins the name of who answered, if it was a language model
START, _MARGIN = 24, 80  # characters of a text by which most texts without an answer are told
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
SHOWN = 3


@dataclass(frozen=True)
class Resolved:
    """What answers come to for documents, which are known by their places."""

    labels: Mapping[int, Label]  # the category of a document, or several as they were given
    none: frozenset[int]  # documents that belong to none of the categories
    skipped: frozenset[int]  # documents that were looked at without an answer
    by_model: frozenset[int]  # documents with an answer of a language model alone
    # Each answer that counts today is in one of these six.
    used: Sequence[Answer]
    outvoted: Sequence[Answer]  # other people, or a person instead of a model, say otherwise
    ties: Sequence[Answer]  # as many say one thing as another
    absent: Sequence[Answer]  # no document has its text
    unnamed: Sequence[Answer]  # it is no name of a category
    doubtful: Sequence[Answer]  # it has an id alone, which several documents have
    moved: Sequence[Answer]  # those among the used whose id belongs to another text: the text counts
    near: Mapping[str, Sequence[str]]  # names like those that are unknown
    # Who says what of each text on which people disagree, by its first document; the most disputed first.
    disputes: Mapping[int, Mapping[Label, Sequence[str]]]

    def __len__(self) -> int:
        """Return how many answers count today."""
        return len(self.answers)

    @property
    def answers(self) -> list[Answer]:
        """The answers that count today, whatever has become of them."""
        return [*self.used, *self.outvoted, *self.ties, *self.absent, *self.unnamed, *self.doubtful]

    @property
    def answered(self) -> list[int]:
        """The documents with an answer that says what they are: categories, or none of these."""
        return sorted({*self.labels, *self.none})

    @property
    def lost(self) -> bool:
        """Whether somebody's answers do not count, because of what they say."""
        return bool(self.ties or self.unnamed or self.doubtful)

    def for_fit(self, n_documents: int) -> list[Name | None]:
        """Return the category of each document, the first of several, as a fit is given them."""
        labels: list[Name | None] = [None] * n_documents
        for place, label in self.labels.items():
            labels[place] = label[0] if isinstance(label, tuple) else label
        return labels

    def sentence(self) -> str:
        """Return in one sentence what became of the answers."""
        n_documents = len(self.labels) + len(self.none) + len(self.skipped)
        n_texts = len({answer.text or answer.id for answer in self.used})
        copies = f" for {number_of(n_documents, 'document')}" if n_documents > n_texts else ""
        parts = [(self.used, f"is used{copies}", f"are used{copies}")]
        parts += [
            (self.outvoted, "is outvoted", "are outvoted"),
            (self.ties, "contradicts another", "contradict each other"),
            (self.absent, "is about a text that is not here", "are about texts that are not here"),
            (self.unnamed, f"names no category ({self._unknown()})", f"name no category ({self._unknown()})"),
            (self.doubtful, "has an id of several documents", "have ids of several documents"),
        ]
        uses = [f"{len(rows):,} {one if len(rows) == 1 else several}" for rows, one, several in parts if rows]
        if self.moved:
            have = number_of(len(self.moved), "of them has", "of them have")
            uses[-1] += f"; {have} an id that another text has here, and the text counts"
        return f"{number_of(len(self), 'answer')}: {', '.join(uses) or 'none'}"

    def _unknown(self) -> str:
        names = Counter(answer.answer for answer in self.unnamed)
        shown = []
        for name, _ in names.most_common(SHOWN):
            near = self.near.get(name)
            shown.append(
                f"{name!r}" + (f", like {listed([repr(one) for one in near], 'or')}" if near else "")
            )
        return and_more(shown, len(names), "; ")


def verdicts(answers: Sequence[Answer], names: Names | None) -> dict[str, Label]:
    """Return what the answers about each text come to, for texts that are not known yet."""
    texts = list(dict.fromkeys(answer.text for answer in answers if answer.text))
    outcome = resolved(answers, Documents({text: [place] for place, text in enumerate(texts)}, {}), names)
    by_text: dict[str, Label] = {texts[place]: label for place, label in outcome.labels.items()}
    return by_text | {texts[place]: NONE_OF_THESE for place in outcome.none}


def resolved(answers: Sequence[Answer], documents: Documents, names: Names | None) -> Resolved:
    """Find the documents of answers, and what the answers about each text come to."""
    labels: dict[str, Label | None] = {}
    about: defaultdict[str, list[Answer]] = defaultdict(list)
    parts: dict[str, list[Answer]] = {name: [] for name in _PARTS}
    resting: set[str] = set()  # texts of which a person has said what is no category today
    for text, answer in newest(answers, documents):
        if answer.answer not in labels:
            labels[answer.answer] = answer.answer if names is None else names.label(answer.answer)
        label = labels[answer.answer]
        if label == WITHDRAWN:
            continue
        if text in documents.places:
            part = "unnamed" if label is None else None
        else:
            has_several = not answer.text and len(documents.texts_of_id.get(answer.id, ())) > 1
            part = "doubtful" if has_several else "absent"
        if part is None:
            about[text].append(answer)
        else:
            parts[part].append(answer)
            if part == "unnamed" and not answer.by.startswith(MODEL):
                resting.add(text)
    label_of: dict[int, Label] = {}
    outside: dict[Label, set[int]] = {NONE_OF_THESE: set(), SKIPPED: set()}
    by_model: set[int] = set()
    disputes: dict[int, Mapping[Label, Sequence[str]]] = {}
    margins: dict[int, tuple[float, int]] = {}
    for text, group in about.items():
        # Those of people decide if there are any; who skipped the text has no say.
        voters = [answer for answer in group if not answer.by.startswith(MODEL)] or group
        voters = [answer for answer in voters if labels[answer.answer] != SKIPPED] or voters
        if text in resting and voters[0].by.startswith(MODEL):  # whom a person contradicts
            parts["outvoted"] += group
            continue
        says: defaultdict[Label, list[str]] = defaultdict(list)
        for answer in voters:
            says[labels[answer.answer] or ""].append(answer.by)
        first, *others = sorted(says.items(), key=lambda vote: -len(vote[1]))
        is_tie = bool(others) and len(others[0][1]) == len(first[1])
        verdict = None if is_tie else first[0]
        for answer in group:
            agrees = verdict is not None and labels[answer.answer] == verdict
            tied = verdict is None and answer in voters
            parts["used" if agrees else "ties" if tied else "outvoted"].append(answer)
            here_by_id = documents.texts_of_id.get(answer.id)
            if agrees and answer.text and here_by_id and answer.text not in here_by_id:
                parts["moved"].append(answer)
        here = documents.places[text]
        if others:
            disputes[here[0]] = says
            # By what share of the votes the first wins; of equal ones, those with more votes come first.
            margins[here[0]] = (len(first[1]) - len(others[0][1])) / len(voters), -len(voters)
        if verdict in outside:
            outside[verdict] |= set(here)
        elif verdict is not None:
            label_of |= dict.fromkeys(here, verdict)
        if verdict is not None and voters[0].by.startswith(MODEL):
            by_model |= set(here)
    near = {} if names is None else {answer.answer: names.near(answer.answer) for answer in parts["unnamed"]}
    return Resolved(
        labels=dict(sorted(label_of.items())),
        none=frozenset(outside[NONE_OF_THESE]),
        skipped=frozenset(outside[SKIPPED]),
        by_model=frozenset(by_model),
        near=near,
        disputes=dict(sorted(disputes.items(), key=lambda dispute: margins[dispute[0]])),
        **parts,
    )


_PARTS = ("used", "outvoted", "ties", "absent", "unnamed", "doubtful", "moved")


@dataclass(frozen=True)
class Documents:
    """The documents that answers may be about."""

    places: Mapping[str, list[int]]  # of each text that has an answer
    texts_of_id: Mapping[str, list[str]]  # of each id that an answer has

    @classmethod
    def of(cls, answers: Sequence[Answer], texts: Iterable[str], ids: Iterable[str] | None) -> Self:
        """Look through all documents once."""
        wanted_texts = {answer.text for answer in answers}
        wanted_ids = {answer.id for answer in answers} - {""}
        wanted_texts.discard("")
        starts = {text[:START] for text in wanted_texts}
        places: defaultdict[str, list[int]] = defaultdict(list)
        of_id: defaultdict[str, list[str]] = defaultdict(list)
        of_documents = repeat("") if ids is None else ids
        for place, (text, id) in enumerate(zip(texts, of_documents, strict=ids is not None)):
            id = normal(id) if wanted_ids else id
            asked = id in wanted_ids
            if not asked and (start := text[:_MARGIN]).isascii():
                # As `identity` begins: most texts without an answer need no closer look.
                begin = " ".join(start.split())
                if len(begin) > START and begin[:START] not in starts:
                    continue
            own = identity(text)
            if asked:
                of_id[id].append(own)
            if own and (asked or own in wanted_texts):
                places[own].append(place)
        return cls(places, of_id)

    def text_of(self, answer: Answer) -> str:
        """Return the text that an answer is about; nothing if its id does not say so."""
        if answer.text:
            return answer.text
        own = self.texts_of_id.get(answer.id, ())
        return own[0] if len(own) == 1 else ""


def newest(answers: Iterable[Answer], documents: Documents) -> Iterator[tuple[str, Answer]]:
    """Yield the newest answer of each person about each text, after the text."""
    newest: dict[tuple[str, str, str], Answer] = {}
    for answer in answers:
        text = documents.text_of(answer)
        key = text, "" if text else answer.id, answer.by
        before = newest.get(key)
        # What a spreadsheet has made of a time cannot be compared; rows are in the order of time, too.
        if (
            before is None
            or not (_TIME.fullmatch(before.at) and _TIME.fullmatch(answer.at))
            or before.at <= answer.at
        ):
            newest[key] = answer
    return ((text, answer) for (text, _, _), answer in newest.items())
