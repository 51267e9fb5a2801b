"""The REST API: /label, /predict, /answers, /health, /version, /metrics, /drift, and its description."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import time
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from fastapi import APIRouter
from fastapi.openapi.utils import get_openapi
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.core import InfoMetricFamily
from prometheus_client.metrics_core import Metric
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from seedtopic import __version__
from seedtopic.base.errors import InputError, MissingExtraError
from seedtopic.model import SeedClassifier, SeedTopicClassifier
from seedtopic.model.drift import Fitted
from seedtopic.model.vectors import VectorsLike
from seedtopic.quality.audit import names_of
from seedtopic.show.html import escape
from seedtopic.web import schemas
from seedtopic.web.access import TOKEN_HEADER, require_token
from seedtopic.web.answers import AnswersFile, Recording
from seedtopic.web.drift import DriftWatch
from seedtopic.web.errors import CLOSE, JsonAnswer, Log, Refusal, shortened
from seedtopic.web.limits import Bodies, Limits
from seedtopic.web.observe import N_TEXTS, Metrics
from seedtopic.web.processes import Pool, ProcessPool, ThreadPool, give_back_memory
from seedtopic.web.work import SMALL, Batches, Done, Labelling, Prediction, cost

REFUSALS = {
    400: "The body is not JSON, or the request is malformed.",
    403: "The server does not accept the address in the Host or Origin header, or the token.",
    408: "The body was not complete in time.",
    413: "The body is too large.",
    415: "The Content-Type is not JSON.",
    422: "The JSON has the wrong structure, or the seeds and texts cannot be used; the error says why.",
    503: "The server is busy, has no model or cannot write: try again after the seconds in Retry-After.",
    504: "The response took too long.",
}
_REFERENCE = "#/components/schemas/{model}"
_ERROR = {"application/json": {"schema": {"$ref": _REFERENCE.format(model="Error")}}}

Handler = Callable[[Request], Awaitable[Response]]


class Api:
    """The addresses of the API, as a `router` for an application of FastAPI.

    Examples
    --------
    >>> from fastapi import FastAPI
    >>> from starlette.testclient import TestClient
    >>> texts = ["the team won the game", "a goal in the game", "the bank cut its rate", "rate of the bank"]
    >>> model = SeedTopicClassifier({"sports": ["game", "team"], "money": ["bank"]}, random_state=0)
    >>> model = model.fit(texts)
    >>> app = FastAPI()
    >>> app.include_router(Api(lambda: model).router)
    >>> TestClient(app).post("/predict", json={"texts": ["which rate?"]}).json()["labels"]
    ['money']
    """

    def __init__(
        self,
        model: Callable[[], SeedClassifier | None],  # the present one, None if there is none yet
        limits: Limits | None = None,
        n_threads: int | None = None,  # of a fit for `/label`, as are the vectors
        vectors: VectorsLike = "auto",
        *,
        answers: str | Path | None = None,  # the file whose answers texts get, and to which `/answers` adds
        token: str | None = None,  # what requests to `/answers` must send; without it, they are refused
        # Whether large requests run in processes, which can be ended whatever they do, instead of threads;
        # the program must not have other threads.
        processes: bool = False,
    ) -> None:
        self.model = model
        self.answers = None if answers is None else AnswersFile(answers)
        self.log: Log = lambda event, values: None
        self._token = token
        self.limits = limits = limits or Limits()
        self.metrics, self.drift = Metrics(), DriftWatch()
        self.metrics.registry.register(self)
        self._batches = Batches()
        self._bodies = Bodies(limits.most_bytes, limits.body_seconds, limits.most_total_bytes)
        self._prediction_job: Prediction | None = None
        self._label_job = Labelling(limits, vectors, n_threads)
        predicting = ("predicting", os.cpu_count() or 1, limits.waiting, limits.predict_seconds)
        labelling = ("labelling", max(1, limits.labellings), 0, limits.label_seconds)
        self._predicting: Pool = ProcessPool(*predicting) if processes else ThreadPool(*predicting)
        self._labelling: Pool = ProcessPool(*labelling, fresh=True) if processes else ThreadPool(*labelling)
        self._recording = ThreadPool("recording", 1, limits.waiting, limits.predict_seconds)
        self.router = APIRouter(redirect_slashes=False)
        self.paths: list[str] = []
        add, labels = self._add, schemas.Labels
        summary = "Label texts with the model of the server."
        add("/predict", self.predict, summary, labels, body=schemas.PredictRequest)
        if limits.labellings:
            summary = "Label texts from seed words, in one step."
            add("/label", self.label, summary, labels, body=schemas.LabelRequest)
        summary = "Keep what people say of texts."
        add("/answers", self.record, summary, schemas.Recorded, body=schemas.AnswersRequest)
        add("/health", self.health, "Whether predictions are available.", schemas.Health, 503)
        add("/version", self.version, "Version of the server and its model.", schemas.Version)
        add("/metrics", self.counts, "Metrics for Prometheus.", PlainTextResponse)
        add("/drift", self.compared, "How texts differ from those of the fit.", schemas.Drift)
        add("/openapi.json", self.description, "This description.", JsonAnswer)
        add("/docs", self.docs, "This description, as a page.", HTMLResponse)
        self._description = self._described()

    def _add(
        self,
        path: str,
        handler: Handler,
        summary: str,
        response: type[Any],
        *also: int,
        body: type[BaseModel] | None = None,
    ) -> None:
        """Add an address, whose response is a class of Starlette's, or the model of its JSON.

        The handler reads the body: FastAPI would read it without bounds, and parse it in the event loop.
        """
        is_model = issubclass(response, BaseModel)
        content: dict[str, Any] = {"model": response, "description": summary} if is_model else {}
        responses: dict[int | str, dict[str, Any]] = {200: content}
        for status, words in REFUSALS.items():
            if body or status in (400, 403):
                responses[status] = {"description": words, "content": _ERROR}
        responses.update(dict.fromkeys(also, content))
        extra = None
        if body is not None:
            schema = {"$ref": _REFERENCE.format(model=body.__name__)}
            extra = {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}
        self.paths.append(path)
        methods = ["GET", "HEAD"] if body is None else ["POST"]
        for answered in (methods, methods[:1]):  # by the first, which the Allow header lists
            self.router.add_api_route(
                path,
                handler,
                methods=answered,
                operation_id=path[1:].partition(".")[0],
                summary=summary,
                response_description=summary,
                include_in_schema=answered is not methods,  # HEAD is GET
                response_class=JsonAnswer if is_model else response,
                status_code=200,
                response_model=None,
                responses=responses,
                openapi_extra=extra,
            )

    def _described(self) -> dict[str, Any]:
        """Return the OpenAPI description, with the bodies that FastAPI does not know of."""
        document = get_openapi(
            title="seedtopic",
            version=__version__,
            description="Labels documents from a few seed words per category.",
            routes=self.router.routes,
            license_info={"name": "MIT", "identifier": "MIT"},
        )
        document["components"]["schemas"]["Error"] = schemas.Error.model_json_schema()
        scheme = {"type": "apiKey", "in": "header", "name": TOKEN_HEADER.decode().title()}
        document["components"]["securitySchemes"] = {"token": scheme}
        document["paths"]["/answers"]["post"]["security"] = [{"token": []}]
        for shape in (schemas.PredictRequest, schemas.LabelRequest, schemas.AnswersRequest):
            schema = schemas.within(shape, self.limits).model_json_schema(ref_template=_REFERENCE)
            document["components"]["schemas"].update({**schema.pop("$defs", {}), shape.__name__: schema})
        return document

    def replace_model(self) -> None:
        """Keep nothing of the model before; its processes end, or finish their last request."""
        model = self.model()
        self._prediction_job = None if model is None else self._prediction(model)
        self._predicting.retire(self._prediction_job)
        gc.unfreeze()
        gc.collect()
        give_back_memory()
        gc.freeze()
        self.prepare()  # last: a look for garbage copies every page that is shared with a process

    def prepare(self) -> None:
        """Start the processes that label large requests, if the API has any, with the present model."""
        model = self.model()
        if model is not None:
            self._predicting.prepare(self._prediction(model))

    def close(self) -> None:
        self._predicting.close()
        self._labelling.close()
        self._recording.close()
        if self.answers is not None:
            self.answers.close()

    async def predict(self, request: Request) -> Response:
        """Label texts with the model."""
        async with self._bodies.read(request.scope, request.receive) as body:
            model = self.model()
            if model is None:
                raise Refusal(503, "there is no model yet: try again later.", {"Retry-After": "5"})
            if self.answers is not None:
                await self.answers.look(self.log)
            job = self._prediction(model)
            texts = job.read(body) if len(body) <= SMALL else None
            if texts is not None and cost(texts) <= SMALL:
                done = await self._batches.label(job, texts)
            else:
                done = await self._predicting.run(job, body, request.receive)
            if done.seen is not None:  # otherwise it was counted with another of its batch
                self.drift.note(model, done.seen)
            return _response(request, done)

    async def label(self, request: Request) -> Response:
        """Fit a model to texts and label them."""
        async with self._bodies.read(request.scope, request.receive) as body:
            return _response(request, await self._labelling.run(self._label_job, body, request.receive))

    async def record(self, request: Request) -> Response:
        """Add answers to the file that the server was started with."""
        if self._token is None:
            sentence = "this server takes no answers: start it with a token in SEEDTOPIC_TOKEN."
            raise Refusal(403, sentence, CLOSE)
        require_token(request.scope, self._token, "send it in the header X-Seedtopic-Token")
        if self.answers is None:
            sentence = "this server was given no file of answers: start it with --answers FILE."
            raise Refusal(403, sentence, CLOSE)
        async with self._bodies.read(request.scope, request.receive) as body:
            model = self.model()
            names = None if model is None else self._prediction(model).names
            job = Recording(self.answers, names, self.limits)
            try:
                return _response(request, await self._recording.run(job, body, request.receive))
            except (InputError, OSError) as error:
                self.log("answers", {"error": shortened(str(error))})
                sentence = "the answers could not be written: see the log of the server, and send them again."
                raise Refusal(503, sentence, {"Retry-After": "5"}) from error

    async def health(self, request: Request) -> Response:
        """Return whether predictions are available."""
        ready = self.model() is not None
        return JsonAnswer({"status": "ready" if ready else "no model"}, 200 if ready else 503)

    async def version(self, request: Request) -> Response:
        """Return the versions of the server and its model."""
        return JsonAnswer({"seedtopic": __version__, "model": self._model()})

    async def counts(self, request: Request) -> Response:
        """Return the metrics."""
        return Response(generate_latest(self.metrics.registry), media_type=CONTENT_TYPE_LATEST)

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics of the model and its texts, as prometheus_client asks its collectors."""
        model = self._model() or {"name": "", "categories": [], "words": 0}
        sizes = {"categories": str(len(model["categories"])), "words": str(model["words"])}
        values = {"seedtopic": __version__, "name": model["name"], **sizes}
        yield InfoMetricFamily("seedtopic_model", "The model used for predictions.", values)
        yield from self.drift.collect()

    async def compared(self, request: Request) -> Response:
        """Return how the texts of requests differ from those of the fit."""
        return JsonAnswer(self.drift.state())

    async def description(self, request: Request) -> Response:
        """Return the OpenAPI description."""
        return JsonAnswer(self._description)

    async def docs(self, request: Request) -> Response:
        """Return the documentation page."""
        return HTMLResponse(docs_page(self._description))

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
        job = self._prediction_job
        if job is None or job.model is not model:
            job = Prediction(model, self.limits, names_of(model))
        if self.answers is not None and (job.answers is None or job.version != self.answers.version):
            # Another job: processes that were started for the one before have its answers.
            job = replace(job, answers=self.answers.answers, version=self.answers.version)
        self._prediction_job = job
        return job


def _response(request: Request, done: Done) -> Response:
    request.scope[N_TEXTS] = done.n_texts
    return JsonAnswer(done.content)


def docs_page(document: dict[str, Any]) -> str:
    """Return an OpenAPI description as a page without scripts or styles, which loads nothing."""
    title = f"{document['info']['title']} {document['info']['version']}"
    shapes = document["components"]["schemas"]
    parts = [f"<h1>{escape(title)}</h1><p>{escape(document['info']['description'])} For programs: "]
    parts.append('<a href="openapi.json">openapi.json</a>.</p>')
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            parts.append(f"<h2>{method.upper()} <code>{escape(path)}</code></h2>")
            parts.append(f"<p>{escape(operation['summary'])}</p>")
            if "requestBody" in operation:
                schema = operation["requestBody"]["content"]["application/json"]["schema"]
                shape = shapes[schema["$ref"].rpartition("/")[2]]
                for name, field in shape["properties"].items():
                    parts.append(f"<p><code>{escape(name)}</code>: {escape(field['description'])}</p>")
                parts.append(f"<pre>{escape(json.dumps(shape['examples'][0], indent=1))}</pre>")
    head = f'<meta charset="utf-8"><title>{escape(title)}</title>'
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head><body>{"".join(parts)}</body></html>\n'


class CurrentModel:
    """A model that is loaded at the start, and again on request."""

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
            with ThreadPoolExecutor(1) as thread:  # which ends here: processes fork without other threads
                model, fit = await asyncio.get_running_loop().run_in_executor(thread, self._read)
        except (InputError, MissingExtraError) as error:
            log("reload", {"error": shortened(str(error))})
            return
        finally:
            self._loading = False
        self._model = model
        api.drift.begin(model, fit)
        api.replace_model()
        log("reload", {"seconds": round(time.perf_counter() - started, 2)})

    def _read(self) -> tuple[SeedClassifier, Fitted | None]:
        model = self._load()
        return model, Fitted.of(model)
