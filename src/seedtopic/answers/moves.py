"""How many answers move, stay or rest when names of categories change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from seedtopic.answers.ledger import Answers
from seedtopic.base.wording import number_of
from seedtopic.seeds.names import Names, written


@dataclass(frozen=True)
class Moves:
    """What becomes of the answers that count today."""

    to: Mapping[str, int]  # how many mean another category then, by that category
    stay: int
    rest: int  # how many name no category then

    @classmethod
    def of(cls, answers: Answers, before: Names, after: Names) -> Self:
        """Compare what the answers mean by the names before and after a change."""
        to: Counter[str] = Counter()
        stay = rest = 0
        for answer in answers.matching((answer.text for answer in answers), names=after).answers:
            label = after.label(answer.answer)
            rest += label is None
            if label is not None and label == before.label(answer.answer):
                stay += 1
            elif label is not None:
                to[written(label)] += 1
        return cls(dict(to.most_common()), stay, rest)

    def sentence(self) -> str:
        """Return what happens to the answers in one sentence."""
        parts = [(count, f"moves to {name!r}", f"move to {name!r}") for name, count in self.to.items()]
        its = "rests: it is kept and counts again when a category has its name"
        their = "rest: they are kept and count again when a category has their name"
        parts += [(self.stay, "stays", "stay"), (self.rest, its, their)]
        (first, one, several), *others = [part for part in parts if part[0]] or [(0, "", "move")]
        sentence = [number_of(first, f"answer {one}", f"answers {several}")]
        return ", ".join([*sentence, *(number_of(*part) for part in others)])

    def as_dict(self) -> dict[str, Any]:
        """Return the counts for JSON."""
        return {"move": dict(self.to), "stay": self.stay, "rest": self.rest}
