"""What `Seeds.check` gives: numbers, findings and notes, and the repaired seeds."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from seedtopic.advice.findings import CategoryCheck, Overlap, Problem
from seedtopic.advice.notebook import check_as_notebook
from seedtopic.advice.repair import repaired_seeds
from seedtopic.seeds import Seeds


@dataclass(frozen=True)
class SeedCheck:
    """What `Seeds.check` finds.

    Attributes
    ----------
    seeds : Seeds
    documents, reached : int
        The number of documents, and of documents that contain a seed; 0 if no documents were given.
    categories : tuple of CategoryCheck
        Empty if no documents were given.
    overlaps : tuple of Overlap
        Any two categories with seeds in the same document, the largest share first.
    findings : tuple of Problem
    problems : tuple of str
        The findings in words: what is wrong, what to do and what that changes.
    notes : tuple of str
        What is worth knowing and is not a problem, one sentence each.

    Examples
    --------
    >>> seeds = Seeds({"sports": ["game", "golf", "gaol"], "money": ["bank"]})
    >>> found = seeds.check(["a game of golf", "goal in the game", "the bank", "bank or goal"])
    >>> [(category.name, category.documents) for category in found.categories]
    [('sports', 2), ('money', 2)]
    >>> found.problems
    ("'gaol' (sports) does not occur; did you mean 'goal'? --fix replaces it: 2 documents contain 'goal'.",)
    >>> found.repaired()[0].categories["sports"]
    ('game', 'golf', 'goal')
    """

    seeds: Seeds
    documents: int
    reached: int
    categories: tuple[CategoryCheck, ...]
    overlaps: tuple[Overlap, ...]
    findings: tuple[Problem, ...]
    notes: tuple[str, ...] = ()

    @property
    def problems(self) -> tuple[str, ...]:
        """The problems: of each what is wrong, what to do and what that changes."""
        return tuple(f"{finding.sentence} {finding.advice}" for finding in self.findings)

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "documents": self.documents,
            "reached": self.reached,
            "categories": [asdict(category) for category in self.categories],
            "overlaps": [asdict(overlap) for overlap in self.overlaps],
            "problems": list(self.problems),
            "notes": list(self.notes),
        }

    def _repr_html_(self) -> str:
        return check_as_notebook(self)

    def repaired(self) -> tuple[Seeds, list[str]]:
        """Change what the findings say that `--fix` changes, and nothing else.

        Returns
        -------
        Seeds
            The repaired seeds. A category that documents are labelled with always keeps a word.
        list of str
            What was changed, one sentence each.
        """
        return repaired_seeds(self.seeds, (finding.repair for finding in self.findings if finding.repair))
