"""The REST API: /label, /predict, /health, /version, /metrics, /drift, and its description."""

from __future__ import annotations

import os
from collections.abc import Callable
from threading import Event
from typing import Any

import numpy as np
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from seedtopic import __version__
from seedtopic.documents.columns import has_text
from seedtopic.documents.label_columns import Extras
from seedtopic.documents.labelable import Labelable
from seedtopic.errors import MissingExtraError
from seedtopic.models import SeedTopicClassifier, TextClassifier
from seedtopic.models.drift import Seen
from seedtopic.models.vectors import VectorsLike
from seedtopic.server import schemas
from seedtopic.server.answers import answer
from seedtopic.server.body import read_json
from seedtopic.server.docs_page import POLICY, docs_page
from seedtopic.server.drift import DriftWatch
from seedtopic.server.limits import Limits
from seedtopic.server.metrics import CONTENT_TYPE, Metrics
from seedtopic.server.observe import N_TEXTS
from seedtopic.server.openapi import openapi
from seedtopic.server.refusal import JsonAnswer, Refusal
from seedtopic.server.thread_pool import Stopped, ThreadPool
from seedtopic.server.validation import check_shape

# Requests up to this many characters take about a millisecond, as long as handing them to a thread.
SMALL = 4000


class Api:
    """The endpoints of the API.

    Parameters
    ----------
    model : callable
        Returns the fitted model, or None if there is none yet; it may return another model each time.
    limits : Limits
    n_threads : int, optional
        Threads of a fit for `/label`; all cores if None.
    vectors : see `SeedTopicClassifier`
        What a fit for `/label` knows of words beforehand.

    Examples
    --------
    >>> from starlette.applications import Starlette
    >>> from starlette.testclient import TestClient
    >>> texts = ["the team won the game", "a goal in the game", "the bank cut its rate", "rate of the bank"]
    >>> model = SeedTopicClassifier({"sports": ["game", "team"], "money": ["bank"]}, random_state=0)
    >>> model = model.fit(texts)
    >>> client = TestClient(Starlette(routes=Api(lambda: model).routes()))
    >>> client.post("/predict", json={"texts": ["which rate?"]}).json()["labels"]
    ['money']
    """

    def __init__(
        self,
        model: Callable[[], TextClassifier | None],
        limits: Limits | None = None,
        n_threads: int | None = None,
        vectors: VectorsLike = "auto",
    ) -> None:
        self.model = model
        self.limits = limits or Limits()
        self.metrics = Metrics()
        self.drift = DriftWatch()
        self._n_threads, self._vectors = n_threads, vectors
        self._predict_request = schemas.predict_request(self.limits)
        self._label_request = schemas.label_request(self.limits)
        described = openapi(self._predict_request, self._label_request)
        if not self.limits.labellings:
            del described["paths"]["/label"]
        self._description = described
        cores = os.cpu_count() or 1
        self._predicting = ThreadPool("predicting", cores, self.limits.waiting, self.limits.predict_seconds)
        self._labelling: ThreadPool | None = None
        if self.limits.labellings:
            self._labelling = ThreadPool("labelling", self.limits.labellings, 0, self.limits.label_seconds)

    def routes(self) -> list[Route]:
        """Return the routes; the application also needs the handlers of `seedtopic.server.refusal`."""
        return [
            Route("/predict", self.predict, methods=["POST"]),
            *([Route("/label", self.label, methods=["POST"])] if self._labelling else []),
            Route("/health", self.health, methods=["GET"]),
            Route("/version", self.version, methods=["GET"]),
            Route("/metrics", self.counts, methods=["GET"]),
            Route("/drift", self.compared, methods=["GET"]),
            Route("/openapi.json", self.description, methods=["GET"]),
            Route("/docs", self.docs, methods=["GET"]),
        ]

    def close(self) -> None:
        """Cancel the running work."""
        self._predicting.close()
        if self._labelling:
            self._labelling.close()

    async def predict(self, request: Request) -> Response:
        """Label texts with the model."""
        body = await self._body(request, self._predict_request)
        model = self.model()
        if model is None:
            raise Refusal(503, "there is no model yet: try again later.", {"Retry-After": "5"})
        texts: list[str] = body["texts"]

        def labels(stop: Event | None = None) -> tuple[Response, Seen]:
            probabilities, extras = model.predict_all(texts, several=body.get("all_labels", False))
            extras = extras.with_texts(np.array([has_text(text) for text in texts], dtype=bool))
            wanted = body.get("all_probabilities", False)
            given = answer(model.classes_.tolist(), probabilities, extras, all_probabilities=wanted)
            return JsonAnswer(given), Seen.of(probabilities, extras)

        if sum(map(len, texts)) + len(texts) * 40 <= SMALL:
            response, seen = labels()
        else:
            response, seen = await self._predicting.run(labels, request.receive)
        self.drift.note(model, seen)
        return response

    async def label(self, request: Request) -> Response:
        """Fit a model to texts and label them."""
        assert self._labelling is not None  # otherwise there is no such route
        body = await self._body(request, self._label_request)
        texts: list[str] = body["texts"]
        several, wanted = body.get("all_labels", False), body.get("all_probabilities", False)
        model = SeedTopicClassifier(
            body["seeds"],
            vectors=self._vectors,
            random_state=0,
            n_threads=self._n_threads,
            none_label=body.get("none_label"),
            stop_words=body.get("stop_words", "english"),
        )

        def labels(stop: Event) -> Response:
            def progress(stage: str, done: int, total: int) -> None:
                if stop.is_set():
                    raise Stopped

            try:
                model.fit(texts, progress=progress)
            except MissingExtraError as error:
                raise Refusal(422, str(error)) from None
            all_labels = model.named_labels(model.multi_transduction_) if several else None
            labelable = Labelable.of(texts, model.has_words_)
            extras = Extras(model.paths(), model.none_of_these(), all_labels, labelable)
            given = answer(
                model.classes_.tolist(), model.label_distributions_, extras, all_probabilities=wanted
            )
            by_meaning = model.classes_[model.stages_.guess.known].tolist()
            missing = model.seeds_.bind(model.vocabulary_).report(by_meaning)
            return JsonAnswer({**given, "warnings": [] if missing is None else [missing]})

        return await self._labelling.run(labels, request.receive)

    async def health(self, request: Request) -> Response:
        """Return whether predictions are available."""
        ready = self.model() is not None
        return JsonAnswer({"status": "ready" if ready else "no model"}, 200 if ready else 503)

    async def version(self, request: Request) -> Response:
        """Return the versions of the server and its model."""
        return JsonAnswer({"seedtopic": __version__, "model": self._model()})

    async def counts(self, request: Request) -> Response:
        """Return the metrics."""
        model = self._model() or {"name": "", "categories": [], "words": 0}
        said = {
            "seedtopic": __version__,
            "name": model["name"],
            "categories": len(model["categories"]),
            "words": model["words"],
        }
        return Response(self.metrics.text(said, self.drift.lines()), media_type=CONTENT_TYPE)

    async def compared(self, request: Request) -> Response:
        """Return how the texts of requests differ from those of the fit."""
        return JsonAnswer(self.drift.state())

    async def description(self, request: Request) -> Response:
        """Return the OpenAPI description."""
        return JsonAnswer(self._description)

    async def docs(self, request: Request) -> Response:
        """Return the documentation page."""
        return HTMLResponse(docs_page(self._description), headers={"Content-Security-Policy": POLICY})

    def _model(self) -> dict[str, Any] | None:
        model = self.model()
        if model is None:
            return None
        return {
            "name": type(model).__name__,
            "categories": [str(name) for name in model.classes_],
            "words": len(model.vocabulary_),
            "all_labels": isinstance(model, SeedTopicClassifier),
        }

    async def _body(self, request: Request, schema: schemas.Schema) -> Any:
        limits = self.limits
        body = await read_json(request.scope, request.receive, limits.most_bytes, limits.body_seconds)
        check_shape(body, schema)
        request.scope[N_TEXTS] = len(body["texts"])
        return body
