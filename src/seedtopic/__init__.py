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
from seedtopic.models import WSPTM, LapSWTM, load
from seedtopic.seeds import Seeds

__all__ = ["WSPTM", "InputError", "LapSWTM", "MissingExtraError", "SeedWarning", "Seeds", "load"]
__version__ = "0.1.0"
