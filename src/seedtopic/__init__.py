"""Label documents from seed words alone: no labels, no GPU, no API key.

Examples
--------
>>> from seedtopic import WSPTM
>>> texts = ["the team won the game", "a goal in the last game", "the bank cut its rate", "rate of the bank"]
>>> model = WSPTM({"sports": ["game", "team"], "money": ["bank"]}, random_state=0).fit(texts)
>>> model.transduction_.tolist()
['sports', 'sports', 'money', 'money']
"""

from seedtopic.errors import InputError, MissingExtraError, SeedWarning
from seedtopic.models import PLDNB, STM, WSPTM, LapSWTM, MedLDA, WeSTClass, load
from seedtopic.seeds import Seeds

__all__ = [
    "PLDNB",
    "STM",
    "WSPTM",
    "InputError",
    "LapSWTM",
    "MedLDA",
    "MissingExtraError",
    "SeedWarning",
    "Seeds",
    "WeSTClass",
    "load",
]
__version__ = "0.1.0"
