"""New categories, out of documents that the categories do not explain.

`discover` clusters the documents, tells which clusters no category explains, names them and gives them seed
words, and keeps those that a fit with these words finds again.
"""

from seedtopic.advice.discovery.proposals import Discovery, NewCategory
from seedtopic.advice.discovery.search import discover

__all__ = ["Discovery", "NewCategory", "discover"]
