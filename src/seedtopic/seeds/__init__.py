"""What a user knows about each category: read from a file, checked, and found in a vocabulary."""

from __future__ import annotations

from seedtopic.seeds.bound import BoundSeeds
from seedtopic.seeds.seeds import Seeds
from seedtopic.seeds.tree import Name

__all__ = ["BoundSeeds", "Name", "Seeds"]
