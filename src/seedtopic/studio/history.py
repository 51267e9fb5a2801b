"""Undo and redo: the drafts before the present one, and the drafts that were undone."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from seedtopic.base.errors import InputError
from seedtopic.studio.draft import Draft

MOST_STEPS = 200


@dataclass(frozen=True)
class Step:
    """An earlier or later draft, and the edit between it and its neighbour."""

    draft: Draft
    done: str
    written: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)


@dataclass(frozen=True)
class History:
    """The present draft with its past and future; never changed in place."""

    present: Draft
    past: tuple[Step, ...] = ()  # the one nearest to the present is last
    future: tuple[Step, ...] = ()  # the same
    revision: int = 0  # increases with every edit, undo and redo

    @property
    def undo(self) -> str | None:
        """The edit that `undone` reverts."""
        return self.past[-1].done if self.past else None

    @property
    def redo(self) -> str | None:
        """The edit that `redone` applies again."""
        return self.future[-1].done if self.future else None

    def edited(self, draft: Draft, done: str) -> History:
        """Add a new draft; steps that were undone are dropped."""
        past = (*self.past, Step(self.present, done))[-MOST_STEPS:]
        return History(draft, past, (), self.revision + 1)

    def undone(self) -> History:
        """Go one step back."""
        if not self.past:
            raise InputError("there is nothing to undo.")
        step = self.past[-1]
        future = (*self.future, Step(self.present, step.done))
        return History(step.draft, self.past[:-1], future, self.revision + 1)

    def redone(self) -> History:
        """Go one step forward again."""
        if not self.future:
            raise InputError("there is nothing to redo.")
        step = self.future[-1]
        past = (*self.past, Step(self.present, step.done))
        return History(step.draft, past, self.future[:-1], self.revision + 1)
