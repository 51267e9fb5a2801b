"""The model that a server labels with, which can be replaced while it runs."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from seedtopic.base.errors import InputError, MissingExtraError
from seedtopic.model import SeedClassifier
from seedtopic.model.drift import Fitted
from seedtopic.server.api import Api
from seedtopic.server.heap import give_back_memory
from seedtopic.server.log import Log
from seedtopic.server.refusal import shortened


class CurrentModel:
    """A model that is loaded at the start, and again on request.

    Parameters
    ----------
    load : callable
        Returns a fitted model, ready to predict; raises an InputError if there is none.

    Examples
    --------
    >>> from seedtopic import SeedTopicClassifier
    >>> texts = ["the team won the game", "a goal in the game", "the bank cut its rate", "rate of the bank"]
    >>> seeds = {"sports": ["game", "team"], "money": ["bank"]}
    >>> current = CurrentModel(lambda: SeedTopicClassifier(seeds, random_state=0).fit(texts))
    >>> before = current()
    >>> asyncio.run(current.reload(Api(current), lambda event, values: print(event)))
    reload
    >>> current() is before
    False
    """

    def __init__(self, load: Callable[[], SeedClassifier]) -> None:
        self._load = load
        self._model = load()
        self._loading = False

    def __call__(self) -> SeedClassifier:
        return self._model

    async def reload(self, api: Api, log: Log) -> None:
        """Load the model again, while the one before serves; it stays if the new one cannot be read."""
        if self._loading:
            return
        self._loading, started = True, time.perf_counter()
        try:
            with ThreadPoolExecutor(1) as thread:
                loop = asyncio.get_running_loop()
                model, fitted = await loop.run_in_executor(thread, self._loaded)
        except (InputError, MissingExtraError) as error:
            log("reload", {"error": shortened(str(error))})
            return
        finally:
            self._loading = False
        self._model = model
        api.drift.begin(model, fitted)
        api.forget_the_model_before()
        gc.unfreeze()
        gc.collect()
        give_back_memory()
        gc.freeze()
        api.prepare()  # last: a look for garbage copies every page that is shared with a process
        log("reload", {"seconds": round(time.perf_counter() - started, 2)})

    def _loaded(self) -> tuple[SeedClassifier, Fitted | None]:
        model = self._load()
        return model, Fitted.of(model)
