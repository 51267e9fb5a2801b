"""Undo and redo: the drafts before the present one, and those that were undone."""

from __future__ import annotations

from dataclasses import dataclass

from seedtopic.errors import InputError
from seedtopic.studio.draft import Draft

MOST_STEPS = 200


@dataclass(frozen=True)
class Step:
    """A draft beside the present one, and what was done between the two."""

    draft: Draft
    done: str


@dataclass(frozen=True)
class History:
    """The present draft with the way that led to it; never changed in place.

    Attributes
    ----------
    present : Draft
    past, future : tuple of Step
        The nearest last.
    revision : int
        Grows with every edit, undo and redo.

    Examples
    --------
    >>> history = History(Draft()).edited(Draft(confirmed={1: 2}), "confirm document 1 as sport")
    >>> history.undone().present == Draft(), history.undone().redone().present == history.present
    (True, True)
    >>> history.undone().redo, history.undone().revision
    ('confirm document 1 as sport', 2)
    """

    present: Draft
    past: tuple[Step, ...] = ()
    future: tuple[Step, ...] = ()
    revision: int = 0

    @property
    def undo(self) -> str | None:
        """What `undone` takes back."""
        return self.past[-1].done if self.past else None

    @property
    def redo(self) -> str | None:
        """What `redone` does again."""
        return self.future[-1].done if self.future else None

    def edited(self, draft: Draft, done: str) -> History:
        """Go on with another draft; what was undone is forgotten."""
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
