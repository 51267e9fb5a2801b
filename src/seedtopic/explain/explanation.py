"""Why a document has its label: its log-odds against the runner-up, as a sum of terms."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from math import fsum
from typing import Any, Literal

from seedtopic.explain import writing
from seedtopic.explain.counterfactual import Label, Turn
from seedtopic.text.positions import Span


@dataclass(frozen=True)
class WordShare:
    """What a word adds to the log-odds, whose seed it is, and where it is in the text."""

    word: str
    log_odds: float
    seed_of: tuple[Label, ...] = ()
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True)
class Explanation:
    """Why a document has its label rather than the runner-up.

    `log_odds` is ln(probability / runner_up_probability). It is the sum of `terms`: the seeds of the two
    categories, all other words, the sentence as a whole where an encoder was used, the neighbours, the prior,
    and the limit.

    Attributes
    ----------
    text : str
    label, runner_up : str or int
    probability, runner_up_probability : float
    log_odds : float
    words : tuple of WordShare
        Every known word of the document, the strongest first.
    prior : float
        What does not depend on the words. In a topic model (WSPTM, LapSWTM, and SeedTopicClassifier with
        refine=False) it is the prior of the document, which depends on its seeds.
    sentence_meaning : float
        What an encoder makes of the text as a whole; 0 without one.
    neighbours : float
        What the neighbours in the graph add; 0 for a document that the model was not fitted to.
    limit : float
        What is subtracted because no probability may come close to 0.
    without, with_ : Turn or None
        The strongest words of the document whose removal changes the label, and the strongest words of the
        runner-up whose addition does, as few as possible; both were tried. None where ten are not enough.
    none_label, none_probability : str or None, and float
        The label of documents that belong to no category, and the probability that this is one of them.
        Above 0.5 the document has this label, and `label` is the most probable category.
    unlabelled : str or None
        Why the document has no label: "no text" or "no known word". `label` is then the first category only.
    id : str, optional
        The id of the document.

    Examples
    --------
    >>> from seedtopic import SeedTopicClassifier
    >>> texts = ["the team won the game", "a goal in the game", "the bank cut its rate", "rate of the bank"]
    >>> model = SeedTopicClassifier({"sports": ["game", "team"], "money": ["bank"]}, random_state=0)
    >>> found = model.fit(texts).explain("Which game? At what rate? A goal!")
    >>> found.label, [(share.word, share.spans) for share in found.words if share.log_odds > 0]
    ('sports', [('goal', ((28, 32),)), ('game', ((6, 10),))])
    >>> bool(abs(sum(found.terms.values()) - found.log_odds) < 1e-9)
    True
    """

    text: str
    label: Label
    probability: float
    runner_up: Label
    runner_up_probability: float
    log_odds: float
    words: tuple[WordShare, ...]
    prior: float = 0.0
    sentence_meaning: float = 0.0
    neighbours: float = 0.0
    limit: float = 0.0
    without: Turn | None = None
    with_: Turn | None = None
    none_label: str | None = None
    none_probability: float = 0.0
    unlabelled: Literal["no text", "no known word"] | None = None
    id: str | None = field(default=None, compare=False)

    @property
    def given(self) -> Label | None:
        """The label the document was given: a category, `none_label`, or None if it cannot be labelled."""
        if self.unlabelled is not None:
            return None
        none = self.none_label is not None and self.none_probability > 0.5
        return self.none_label if none and self.none_label is not None else self.label

    def names_either(self, share: WordShare) -> bool:
        """Whether a word is a seed of the label or of the runner-up."""
        return self.label in share.seed_of or self.runner_up in share.seed_of

    @property
    def terms(self) -> dict[str, float]:
        """The terms whose sum is the log-odds; the first two contain the words of the text."""
        return {
            "seeds": fsum(share.log_odds for share in self.words if self.names_either(share)),
            "learned words": fsum(share.log_odds for share in self.words if not self.names_either(share)),
            **({"sentence": self.sentence_meaning} if self.sentence_meaning else {}),
            "neighbours": self.neighbours,
            "prior": self.prior,
            "limit": self.limit,
        }

    @property
    def shares(self) -> dict[str, float]:
        """The weight of each term, for or against the label, as a share of the total weight."""
        weight = {name: abs(value) for name, value in self.terms.items()}
        total = fsum(weight.values())
        return {name: value / total if total else 0.0 for name, value in weight.items()}

    def to_dict(self) -> dict[str, Any]:
        """Give plain values for JSON; there is no label where the document cannot be labelled."""
        values = asdict(self)
        if self.unlabelled is not None:
            values.update(dict.fromkeys(("label", "probability", "runner_up", "runner_up_probability")))
        values["with"] = values.pop("with_")
        return {**values, "terms": self.terms, "shares": self.shares}

    def to_html(self) -> str:
        """Write a page with the words highlighted; it works offline."""
        return writing.as_page(self)

    def _repr_html_(self) -> str:
        return writing.as_notebook(self)

    def __str__(self) -> str:
        return writing.as_text(self)

    @property
    def sentence(self) -> str:
        """The label and how clear it is in plain words, then the numbers."""
        return writing.sentence(self)
