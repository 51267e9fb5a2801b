"""What is done with the body of a request: bytes in, the response out, in whichever thread or process.

Reading JSON, too, takes long for a large body, and holds the interpreter lock. So a job takes the body as it
came, and a process that runs a job needs nothing of the request but these bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from threading import Event
from typing import Any

from seedtopic.base.errors import InputError, MissingExtraError
from seedtopic.io.predictions import texts_there
from seedtopic.model import SeedTopicClassifier, TextClassifier
from seedtopic.model.drift import LabelStatistics
from seedtopic.model.vectors import VectorsLike
from seedtopic.server.answers import part_of
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
    seen : LabelStatistics, optional
        What is counted of the texts, and of those labelled together with them, to compare them with those
        of the fit.
    """

    content: bytes
    n_texts: int
    seen: LabelStatistics | None = None


@dataclass(frozen=True, eq=False)
class Prediction:
    """Labels texts with a model.

    Parameters
    ----------
    model : TextClassifier
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

    model: TextClassifier
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
        predictions = self.model.predict_all(texts, several=several).with_texts(texts_there(texts))
        wanted = [one.get("all_probabilities", False) for one in asked]
        lists = predictions.lists(all_probabilities=any(wanted))
        seen, first = LabelStatistics.of(predictions), 0
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
        predictions = model.fitted_predictions(several=several).with_texts(texts_there(texts))
        given = predictions.lists(all_probabilities=wanted)
        by_meaning = model.classes_[model.stages_.guess.known].tolist()
        missing = model.seeds_.bind(model.vocabulary_).report(by_meaning)
        return Done(json_bytes({**given, "warnings": [] if missing is None else [missing]}), len(texts))


def _read(body: bytes, schema: Schema) -> dict[str, Any]:
    asked: dict[str, Any] = parse_json(body)
    check_shape(asked, schema)
    return asked
