"""What is done with the body of a request: bytes in, the response out, in whichever thread or process.

Reading JSON, too, takes long for a large body, and holds the interpreter lock. So a job takes the body as it
came, and a process that runs a job needs nothing of the request but these bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from threading import Event
from typing import Any

import numpy as np

from seedtopic.base.errors import InputError, MissingExtraError
from seedtopic.io.columns import has_text
from seedtopic.io.predictions import Extras, Labelable
from seedtopic.model import SeedClassifier, SeedTopicClassifier
from seedtopic.model.drift import Seen
from seedtopic.model.stages.first_guess import FirstGuess
from seedtopic.model.vectors import VectorsLike
from seedtopic.server.answers import answer, part_of
from seedtopic.server.body import parse_json
from seedtopic.server.refusal import Refusal, json_bytes, shortened
from seedtopic.server.schemas import Schema
from seedtopic.server.validation import check_shape


class Stopped(Exception):
    """Raised in work that no client waits for any more."""


@dataclass(frozen=True)
class Done:
    """What came of a request.

    Attributes
    ----------
    content : bytes
        The response, as JSON.
    n_texts : int
    seen : Seen, optional
        What is counted of the texts, and of those labelled together with them, to compare them with those
        of the fit.
    """

    content: bytes
    n_texts: int
    seen: Seen | None = None


@dataclass(frozen=True, eq=False)
class Prediction:
    """Labels texts with a model.

    Parameters
    ----------
    model : SeedClassifier
    schema : dict
        Of the body.

    Examples
    --------
    >>> texts = ["the team won the game", "a goal in the game", "the bank cut its rate", "rate of the bank"]
    >>> model = SeedTopicClassifier({"sports": ["game", "team"], "money": ["bank"]}, random_state=0)
    >>> from seedtopic.server.limits import Limits
    >>> from seedtopic.server.schemas import predict_request
    >>> done = Prediction(model.fit(texts), predict_request(Limits()))(b'{"texts": ["which rate?"]}')
    >>> done.n_texts, b'"labels":["money"]' in done.content
    (1, True)
    """

    model: SeedClassifier
    schema: Schema

    def __call__(self, body: bytes, stop: Event | None = None) -> Done:
        """Label the texts of one body."""
        return self.answers([self.read(body)])[0]

    def read(self, body: bytes) -> dict[str, Any]:
        """Parse a body, and refuse one that does not match the schema."""
        return _read(body, self.schema)

    def answers(self, asked: Sequence[dict[str, Any]]) -> list[Done]:
        """Label the texts of several bodies together, which takes hardly longer than one.

        Parameters
        ----------
        asked : sequence of dict
            As `read` gives them; all want all labels, or none does.

        Returns
        -------
        list of Done
            The first has what is counted of the texts of all.
        """
        texts = [text for one in asked for text in one["texts"]]
        several = asked[0].get("all_labels", False)
        probabilities, extras = self.model.predict_all(texts, several=several)
        extras = extras.with_texts(np.array([has_text(text) for text in texts], dtype=bool))
        wanted = [one.get("all_probabilities", False) for one in asked]
        classes: list[Any] = self.model.classes_.tolist()
        lists = answer(classes, probabilities, extras, all_probabilities=any(wanted))
        seen, first = Seen.of(probabilities, extras), 0
        done: list[Done] = []
        for one, with_all in zip(asked, wanted, strict=True):
            last = first + len(one["texts"])
            content = json_bytes(part_of(lists, first, last, all_probabilities=with_all))
            done.append(Done(content, last - first, None if done else seen))
            first = last
        return done


@dataclass(frozen=True, eq=False)
class Labelling:
    """Fits a model to texts and labels them.

    Parameters
    ----------
    schema : dict
        Of the body.
    vectors : see `SeedTopicClassifier`
    n_threads : int, optional
    """

    schema: Schema
    vectors: VectorsLike = "auto"
    n_threads: int | None = None

    def __call__(self, body: bytes, stop: Event | None = None) -> Done:
        """Label the texts of one body; the event ends the fit early."""
        asked = _read(body, self.schema)
        texts: list[str] = asked["texts"]
        several, wanted = asked.get("all_labels", False), asked.get("all_probabilities", False)

        def progress(stage: str, done: int, total: int) -> None:
            if stop is not None and stop.is_set():
                raise Stopped

        try:
            model = SeedTopicClassifier(
                asked["seeds"],
                vectors=self.vectors,
                random_state=0,
                n_threads=self.n_threads,
                none_label=asked.get("none_label"),
                stop_words=asked.get("stop_words", "english"),
            ).fit(texts, progress=progress)
        except (InputError, MissingExtraError) as error:
            raise Refusal(422, shortened(str(error))) from None
        all_labels = model.named_labels(model.multi_transduction_) if several else None
        labelable = Labelable.of(texts, model.has_words_)
        extras = Extras(model.paths(), model.none_of_these(), all_labels, labelable)
        given = answer(model.classes_.tolist(), model.label_distributions_, extras, all_probabilities=wanted)
        by_meaning = model.classes_[model.fitted_[FirstGuess].known].tolist()
        missing = model.seeds_.bind(model.vocabulary_).report(by_meaning)
        return Done(json_bytes({**given, "warnings": [] if missing is None else [missing]}), len(texts))


def _read(body: bytes, schema: Schema) -> dict[str, Any]:
    asked: dict[str, Any] = parse_json(body)
    check_shape(asked, schema)
    return asked
