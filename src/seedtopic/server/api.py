"""The REST API: /label, /predict, /health, /version, /metrics, /drift, and its description."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from seedtopic import __version__
from seedtopic.model import SeedClassifier, SeedTopicClassifier
from seedtopic.model.vectors import VectorsLike
from seedtopic.server import schemas
from seedtopic.server.batches import SMALL, Batches, cost
from seedtopic.server.body import read_body, require_json
from seedtopic.server.body_memory import BodyMemory, Held
from seedtopic.server.docs_page import POLICY, docs_page
from seedtopic.server.drift import DriftWatch
from seedtopic.server.limits import Limits
from seedtopic.server.metrics import CONTENT_TYPE, Metrics
from seedtopic.server.observe import N_TEXTS
from seedtopic.server.openapi import openapi
from seedtopic.server.process_pool import ProcessPool
from seedtopic.server.refusal import JsonAnswer, Refusal
from seedtopic.server.thread_pool import ThreadPool
from seedtopic.server.work import Done, Labelling, Prediction

Pool = ProcessPool | ThreadPool


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
    processes : bool
        Whether large requests run in processes, which can be ended whatever they do, instead of threads. The
        program must not have other threads.

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
        model: Callable[[], SeedClassifier | None],
        limits: Limits | None = None,
        n_threads: int | None = None,
        vectors: VectorsLike = "auto",
        *,
        processes: bool = False,
    ) -> None:
        self.model = model
        self.limits = limits or Limits()
        self.metrics = Metrics()
        self.drift = DriftWatch()
        self._predict_request = schemas.predict_request(self.limits)
        self._label_request = schemas.label_request(self.limits)
        described = openapi(self._predict_request, self._label_request)
        if not self.limits.labellings:
            del described["paths"]["/label"]
        self._description = described
        self._batches = Batches()
        self._memory = BodyMemory(self.limits.most_total_bytes)
        self._prediction_job: Prediction | None = None
        self._label_job = Labelling(self._label_request, vectors, n_threads)
        predicting = ("predicting", os.cpu_count() or 1, self.limits.waiting, self.limits.predict_seconds)
        labelling = ("labelling", self.limits.labellings, 0, self.limits.label_seconds)
        self._predicting: Pool = ProcessPool(*predicting) if processes else ThreadPool(*predicting)
        self._labelling: Pool | None = None
        if self.limits.labellings:
            self._labelling = ProcessPool(*labelling, fresh=True) if processes else ThreadPool(*labelling)

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

    def forget_the_model_before(self) -> None:
        """Keep nothing of a model that was replaced; its processes end, or finish their last request."""
        model = self.model()
        self._prediction_job = None if model is None else self._prediction(model)
        if self._prediction_job is not None and isinstance(self._predicting, ProcessPool):
            self._predicting.retire(self._prediction_job)

    def prepare(self) -> None:
        """Start the processes that label large requests, if the API has any, with the present model."""
        model = self.model()
        if model is not None and isinstance(self._predicting, ProcessPool):
            self._predicting.prepare(self._prediction(model))

    def close(self) -> None:
        """Cancel the running work."""
        self._predicting.close()
        if self._labelling:
            self._labelling.close()

    async def predict(self, request: Request) -> Response:
        """Label texts with the model."""
        with self._memory.body() as held:
            body = await self._body(request, held)
            model = self.model()
            if model is None:
                raise Refusal(503, "there is no model yet: try again later.", {"Retry-After": "5"})
            job = self._prediction(model)
            asked = job.read(body) if len(body) <= SMALL else None
            if asked is not None and cost(asked) <= SMALL:
                done = await self._batches.label(job, asked)
            else:
                done = await self._predicting.run(job, body, request.receive)
            if done.seen is not None:  # otherwise it was counted with another of its batch
                self.drift.note(model, done.seen)
            return _response(request, done)

    async def label(self, request: Request) -> Response:
        """Fit a model to texts and label them."""
        assert self._labelling is not None  # otherwise there is no such route
        with self._memory.body() as held:
            body = await self._body(request, held)
            return _response(request, await self._labelling.run(self._label_job, body, request.receive))

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

    def _prediction(self, model: SeedClassifier) -> Prediction:
        if self._prediction_job is None or self._prediction_job.model is not model:
            self._prediction_job = Prediction(model, self._predict_request)
        return self._prediction_job

    async def _body(self, request: Request, held: Held) -> bytes:
        require_json(request.scope)
        limits = self.limits
        return await read_body(request.scope, request.receive, limits.most_bytes, limits.body_seconds, held)


def _response(request: Request, done: Done) -> Response:
    request.scope[N_TEXTS] = done.n_texts
    return JsonAnswer(done.content)
