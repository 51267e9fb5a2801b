"""Work on blocks of documents, wherever the blocks are: four verbs that every engine knows.

A block is any object that stays where it was made. `keep` makes blocks, `map` makes new ones of them in the
same places, `tree` adds up what functions give of them, and `broadcast` brings a value to all of them.
Functions that are given to an engine are functions of modules, so that they can be sent; they change nothing
that they are given. What they give is added up in one order, that of the blocks, so that a result depends
neither on the engine nor on who computed which block.
"""

from __future__ import annotations

from seedtopic.parallel.engine.chosen import check_runner, engine_for
from seedtopic.parallel.engine.interface import Blocks, Engine, add
from seedtopic.parallel.engine.local import LocalEngine

__all__ = ["Blocks", "Engine", "LocalEngine", "add", "check_runner", "engine_for"]
