"""The routes of the studio: the page, its static files, and the API that the page calls."""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import uvicorn
from fastapi import FastAPI
from numpy.typing import NDArray
from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import QueryParams
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from seedtopic.base.errors import InputError
from seedtopic.model import SeedClassifier
from seedtopic.show.html import escape
from seedtopic.web.access import AddressCheck, TokenCheck
from seedtopic.web.api import Api
from seedtopic.web.app import SecurityHeaders
from seedtopic.web.errors import HANDLERS, JsonAnswer, Refusal, failures_to_stderr
from seedtopic.web.limits import read_json
from seedtopic.web.observe import Observe
from seedtopic.web.run import Server, address_of, listen
from seedtopic.web.studio.draft import Draft
from seedtopic.web.studio.edits import all_answers, whole_number
from seedtopic.web.studio.export import ExistsError, export_name, save_into, write_export
from seedtopic.web.studio.labels import Changes, Labels
from seedtopic.web.studio.listing import Query, Search, list_documents, matching_documents, open_document
from seedtopic.web.studio.session import Session

STATIC = Path(__file__).with_name("static")
MOST_LISTED = 500
OPEN = ("/", "/health", "/openapi.json", "/docs")  # these reveal nothing about the documents or the seeds
LARGEST_BODY, PATIENCE = 1_000_000, 20.0  # size of a request in bytes, seconds to wait for it
# The page loads its own files and calls its own server; nothing else, and nothing inline.
PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


class Studio:
    """The endpoints of one session."""

    def __init__(self, session: Session, output: Path, protected: Collection[Path] = ()) -> None:
        self.session, self.output, self.protected = session, output, protected
        self.search = Search(session.collection.texts)

    def routes(self) -> list[Route | Mount]:
        return [
            Route("/", self.page),
            Mount("/static", StaticFiles(directory=STATIC, check_dir=False)),
            Route("/api/state", _read(lambda asked: self.session.state())),
            Route("/api/edit", self.edit, methods=["POST"]),
            Route("/api/moves", _posted(self.session.moves), methods=["POST"]),
            Route("/api/quality", _posted(self.session.judge), methods=["POST"]),
            Route("/api/columns", self.columns),
            Route("/api/documents", self.documents),
            Route("/api/documents/{id}", self.document),
            Route("/api/queue", self.queue, methods=["POST"]),
            Route(
                "/api/suggestions", _read(lambda asked: self.session.suggestions(asked.get("category", "")))
            ),
            Route("/api/map", _read(lambda asked: self.session.map())),
            Route("/api/events", self.events),
            Route("/api/export", self.export),
            Route("/api/save", self.save, methods=["POST"]),
        ]

    def page(self, request: Request) -> Response:
        return FileResponse(STATIC / "index.html", media_type="text/html")

    async def edit(self, request: Request) -> Response:
        body = await _body(request)
        run = self._confirm_all if body.get("action") == "confirm_all" else self.session.edit
        return JsonAnswer(await run_in_threadpool(run, body))

    def columns(self, request: Request) -> Response:
        columns = self.session.collection.columns
        return JsonAnswer({"columns": columns.as_list(), "left_out": columns.left_out})

    def documents(self, request: Request) -> Response:
        query = _query(request.query_params)
        moment = draft, *_ = self.session.snapshot()
        listed = list_documents(query, self._rows(query, *moment), self.session.collection, *moment)
        if query.queue:
            listed["queue"] = self.session.queue.progress(draft)
        return JsonAnswer(listed)

    def _rows(
        self, query: Query, draft: Draft, labels: Labels | None, changes: Changes | None
    ) -> NDArray[np.intp]:
        """Return all documents of the list that a query asks for."""
        if query.queue:
            return self.session.queue.documents(draft, labels)
        return matching_documents(query, self.session.collection, draft, labels, changes, self.search)

    def _confirm_all(self, body: dict[str, Any]) -> dict[str, Any]:
        asked = body.get("query")
        query = _query(asked if isinstance(asked, dict) else {})
        draft, labels, changes = self.session.snapshot()
        rows = self._rows(query, draft, labels, changes)
        return self.session.confirm_many(all_answers(rows, draft, labels, body))

    async def queue(self, request: Request) -> Response:
        body = await _body(request)
        if "skip" in body:
            self.session.skip(whole_number("skip", body["skip"], len(self.session.collection) - 1))
        elif body.get("more") is True:
            self.session.queue.more()
        else:
            raise InputError("the queue can skip a document or begin another round: send skip or more.")
        return JsonAnswer(self.session.queue.progress(self.session.draft))

    def document(self, request: Request) -> Response:
        number = request.path_params["id"]
        row = int(number) if number.isdecimal() and len(number) < 16 else -1
        if not 0 <= row < len(self.session.collection):
            last = len(self.session.collection) - 1
            raise Refusal(404, f"there is no document {number[:16]}: give a number from 0 to {last}.")
        document = open_document(row, self.session.collection, *self.session.snapshot())
        return JsonAnswer({**document, "answers": self.session.answers_about(row)})

    async def events(self, request: Request) -> Response:
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        return StreamingResponse(self.session.events.listen(), 200, headers, "text/event-stream")

    def export(self, request: Request) -> Response:
        asked = request.query_params
        what = asked.get("what", "")
        name = export_name(what, asked.get("format", ""))
        folder = Path(tempfile.mkdtemp(prefix="seedtopic-"))
        remove = BackgroundTask(shutil.rmtree, folder, ignore_errors=True)
        try:
            write_export(self.session, what, folder / name)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        return FileResponse(folder / name, filename=name, background=remove)

    async def save(self, request: Request) -> Response:
        body = await _body(request)
        what, name, may_replace = str(body.get("what")), body.get("name"), body.get("replace") is True
        save = partial(save_into, self.session, what, name, self.output, self.protected)
        try:
            path = await run_in_threadpool(save, replace_file=may_replace)
        except ExistsError as error:
            raise Refusal(409, str(error)) from None
        return JsonAnswer({"path": str(path)})


def create_app(
    session: Session, output: Path, token: str, host: str = "127.0.0.1", protected: Collection[Path] = ()
) -> ASGIApp:
    """Make the application of a session."""

    def model() -> SeedClassifier | None:
        labels = session.labels  # read once: another thread may set it to None
        return None if labels is None else labels.model

    ledger = session.answers.path
    api = Api(model, n_threads=1, vectors=session.collection.vectors, answers=ledger, token=token)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        session.start()
        yield
        api.close()
        await run_in_threadpool(session.close)

    routes: list[Any] = Studio(session, output, protected).routes()
    app = FastAPI(
        routes=routes,
        openapi_url=None,  # the API has its own
        middleware=[
            Middleware(SecurityHeaders, policy=PAGE_POLICY),
            Middleware(AddressCheck, host=host),
            Middleware(TokenCheck, token=token, protects=needs_token),
        ],
        exception_handlers=HANDLERS,
        lifespan=lifespan,
    )
    app.include_router(api.router)
    return Observe(app, api.metrics, failures_to_stderr, [*(route.path for route in routes), *api.paths])


def needs_token(path: str) -> bool:
    """Return whether a path needs the token: all do but the page, its files and the API description."""
    return path not in OPEN and not path.startswith("/static/")


def _read(content: Callable[[QueryParams], Any]) -> Callable[[Request], Response]:
    """Return a handler of GET requests; Starlette runs it in a thread."""
    return lambda request: JsonAnswer(content(request.query_params))


def _posted(work: Callable[[dict[str, Any]], Any]) -> Callable[[Request], Awaitable[Response]]:
    """Return a handler of POST requests, whose work is done in a thread."""

    async def answered(request: Request) -> Response:
        return JsonAnswer(await run_in_threadpool(work, await _body(request)))

    return answered


async def _body(request: Request) -> dict[str, Any]:
    body = await read_json(request.scope, request.receive, LARGEST_BODY, PATIENCE)
    if not isinstance(body, dict):
        raise Refusal(400, "the body of the request is not a JSON object.")
    return body


def _query(values: Mapping[str, Any]) -> Query:
    asked = {name: str(value) for name, value in values.items()}
    order = asked.get("order", "given")
    if order not in ("given", "doubtful", "certain"):
        raise InputError(f"order is {order!r:.60}: use given, doubtful or certain.")
    texts, flags = ("search", "category", "column", "value", "sort"), ("changed", "descending", "queue")
    others: dict[str, Any] = {name: asked.get(name, "")[:1000] for name in texts}
    others |= {name: asked.get(name) in ("1", "true") for name in flags}
    return Query(
        offset=_number(asked.get("offset", "0"), "offset", int, 0, 2**31),
        limit=_number(asked.get("limit", "50"), "limit", int, 0, MOST_LISTED),
        least=_number(asked.get("least", "0"), "least", float, 0, 1),
        most=_number(asked.get("most", "1"), "most", float, 0, 1),
        order=order,  # type: ignore[arg-type]
        **others,
    )


def _number(text: str, name: str, kind: Callable[[str], Any], least: float, most: float) -> Any:
    try:
        value = kind(text)
    except ValueError:
        value = None
    if value is None or not least <= value <= most:
        raise InputError(f"{name} is {text!r:.60}: give a number from {least:g} to {most:g}.")
    return value


HERE = "127.0.0.1"


def serve(
    session: Session, output: Path, port: int, ready: Callable[[str], None], protected: Collection[Path] = ()
) -> None:
    """Serve a session until it is interrupted."""
    listening = listen(HERE, port)
    token = secrets.token_urlsafe(32)  # of characters that are allowed in a URL
    app = create_app(session, output.resolve(), token, HERE, protected)
    config = uvicorn.Config(app, log_level="error", access_log=False, timeout_graceful_shutdown=2)
    address = f"{address_of(listening)}/#token={token}"

    async def end_streams() -> None:  # which would block the shutdown
        session.events.close()

    server = Server(config, end_streams, lambda: ready(address))
    try:
        server.run(sockets=[listening])
    except KeyboardInterrupt:  # uvicorn raises the signal again after it has shut down
        pass
    finally:
        listening.close()


@contextmanager
def redirect_file(address: str) -> Iterator[Path]:
    """Write a page that leads to an address, readable by this user only, and remove it in the end."""
    page = (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>seedtopic studio</title>'
        '<meta name="referrer" content="no-referrer">'
        f'<meta http-equiv="refresh" content="0; url={escape(address)}">'
        f'<a href="{escape(address)}">Open the studio</a></html>\n'
    )
    with TemporaryDirectory(prefix="seedtopic-") as folder:  # which nobody else can enter
        path = Path(folder, "studio.html")
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(page)
        yield path
