"""Label documents from seed words alone: no labels, no GPU, no API key.

Examples
--------
>>> from seedtopic import SeedTopicClassifier
>>> texts = ["the team won the game", "a goal in the game", "the bank cut its rate", "rate of the bank"]
>>> model = SeedTopicClassifier({"sports": ["game", "team"], "money": ["bank"]}, random_state=0).fit(texts)
>>> model.transduction_.tolist()
['sports', 'sports', 'money', 'money']
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from seedtopic.answers.ledger import Answer, Answers
    from seedtopic.base.errors import InputError, MissingExtraError, SeedWarning, UnusableDocuments
    from seedtopic.base.progress import progress_bars
    from seedtopic.model import WSPTM, LapSWTM, SeedTopicClassifier, load
    from seedtopic.seeds import Seeds
    from seedtopic.seeds.names import Names
    from seedtopic.show.report import Report

__version__ = "0.1.0"
__all__ = [
    "WSPTM",
    "Answer",
    "Answers",
    "InputError",
    "LapSWTM",
    "MissingExtraError",
    "Names",
    "Report",
    "SeedTopicClassifier",
    "SeedWarning",
    "Seeds",
    "UnusableDocuments",
    "load",
    "progress_bars",
]

_HOME = {
    "Answer": "answers.ledger",
    "Answers": "answers.ledger",
    "InputError": "base.errors",
    "MissingExtraError": "base.errors",
    "Names": "seeds.names",
    "Report": "show.report",
    "SeedWarning": "base.errors",
    "Seeds": "seeds",
    "UnusableDocuments": "base.errors",
    "progress_bars": "base.progress",
}


def __getattr__(name: str) -> Any:
    """Import a public name, or a model of lab/, when it is first used: the command line answers at once."""
    home = import_module(f"seedtopic.{_HOME.get(name, 'model')}") if not name.startswith("_") else None
    if home is None or name not in (*__all__, *getattr(home, "MODELS", ())):
        raise AttributeError(f"module 'seedtopic' has no attribute {name!r}")
    value = getattr(home, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
