"""Whom the server answers, what it reads, and what its answers forbid a browser: tests of each piece."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from seedtopic import InputError
from seedtopic.web.access import AddressCheck, TokenCheck
from seedtopic.web.app import ALWAYS, SecurityHeaders
from seedtopic.web.errors import HANDLERS, Refusal
from seedtopic.web.limits import Bodies, parse_json, read_json

HELLO = PlainTextResponse("hello")


@pytest.mark.parametrize(
    ("bound", "allowed", "host", "status"),
    [
        ("127.0.0.1", (), "127.0.0.1:8000", 200),
        ("127.0.0.1", (), "LOCALHOST", 200),
        ("127.0.0.1", (), "[::1]:8000", 200),
        ("127.0.0.1", (), "evil.example", 403),
        ("127.0.0.1", (), "127.0.0.1.evil.example", 403),
        ("127.0.0.1", (), "localhost.evil.example:8000", 403),
        ("127.0.0.1", (), "10.0.0.7", 403),
        ("127.0.0.1", (), "", 403),
        ("0.0.0.0", (), "10.0.0.7:8000", 200),
        ("0.0.0.0", (), "evil.example", 403),
        ("0.0.0.0", ("labels.example",), "Labels.Example:443", 200),
        ("0.0.0.0", ("*",), "anything.example", 200),
    ],
)
def test_only_the_servers_own_names_are_answered(
    bound: str, allowed: tuple[str, ...], host: str, status: int
) -> None:
    client = TestClient(AddressCheck(HELLO, bound, allowed))
    assert client.get("/", headers={"Host": host}).status_code == status


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        (None, 200),
        ("http://localhost:8000", 200),
        ("http://localhost:9000", 403),
        ("http://localhost", 403),
        ("http://evil.example", 403),
        ("null", 403),
        ("", 403),
        ("https://friend.example", 200),
        ("http://friend.example", 403),
    ],
)
def test_changes_are_made_for_pages_of_the_own_origin_alone(origin: str | None, status: int) -> None:
    client = TestClient(AddressCheck(HELLO, origins=["https://friend.example/"]), "http://localhost:8000")
    headers = {} if origin is None else {"Origin": origin}
    assert client.post("/", headers=headers).status_code == status
    assert client.get("/", headers=headers).status_code == 200


def test_a_host_named_twice_or_never_is_refused() -> None:
    async def status(headers: list[tuple[bytes, bytes]]) -> int:
        sent: list[Any] = []

        async def send(message: Any) -> None:
            sent.append(message)

        scope = {"type": "http", "method": "GET", "path": "/", "headers": headers}
        await AddressCheck(HELLO)(scope, _body(b""), send)
        return int(sent[0]["status"])

    assert asyncio.run(status([(b"host", b"localhost")])) == 200
    assert asyncio.run(status([(b"host", b"localhost"), (b"host", b"evil.example")])) == 400
    assert asyncio.run(status([])) == 400


def test_the_token_is_asked_for_where_it_protects() -> None:
    client = TestClient(TokenCheck(HELLO, "secret", lambda path: path.startswith("/api/")))
    assert client.get("/").status_code == 200
    for wrong in (
        "",
        "?token=",
        "?token=Secret",
        "?token=secret1",
        "?token=%ff",
        "?token=wrong&token=secret",
    ):
        answer = client.get("/api/state" + wrong)
        assert (answer.status_code, list(answer.json())) == (403, ["error"]), wrong
    assert client.get("/api/state?token=secret").status_code == 200
    assert client.get("/api/state", headers={"X-Seedtopic-Token": "secret"}).status_code == 200
    # A wrong header is not made good by the address.
    assert client.get("/api/state?token=secret", headers={"X-Seedtopic-Token": "no"}).status_code == 403


def test_every_answer_has_the_security_headers_and_may_have_its_own_policy() -> None:
    plain = TestClient(SecurityHeaders(HELLO)).get("/")
    assert {name: plain.headers[name] for name in ALWAYS} == ALWAYS
    assert "frame-ancestors 'none'" in plain.headers["content-security-policy"]
    assert "default-src 'none'" in plain.headers["content-security-policy"]
    own = PlainTextResponse("page", headers={"Content-Security-Policy": "default-src 'self'"})
    page = TestClient(SecurityHeaders(own)).get("/")
    assert page.headers.get_list("content-security-policy") == ["default-src 'self'"]


@pytest.mark.parametrize(
    ("error", "status", "sentence"),
    [
        (Refusal(418, "no coffee."), 418, "no coffee."),
        (InputError("no seeds are given."), 422, "no seeds are given."),
        (HTTPException(404), 404, "there is nothing at this address: GET /docs lists all addresses."),
        (RuntimeError("a secret"), 500, "the server failed while handling this request: see its log."),
    ],
)
def test_what_is_raised_becomes_one_sentence_in_json(error: Exception, status: int, sentence: str) -> None:
    async def fail(request: Request) -> Response:
        raise error

    app = Starlette(routes=[Route("/", fail)], exception_handlers=HANDLERS)
    answer = TestClient(app, raise_server_exceptions=False).get("/")
    assert (answer.status_code, answer.json()) == (status, {"error": sentence})


def _body(*parts: bytes, whole: bool = True) -> Any:
    messages: Iterator[dict[str, Any]] = iter(
        {"type": "http.request", "body": part, "more_body": not whole or number < len(parts) - 1}
        for number, part in enumerate(parts)
    )

    async def receive() -> Any:
        for message in messages:
            return message
        return await asyncio.Event().wait()  # a client that falls silent

    return receive


def _scope(**headers: str) -> dict[str, Any]:
    named = {"content-type": "application/json", **{k.replace("_", "-"): v for k, v in headers.items()}}
    return {"headers": [(k.encode(), v.encode()) for k, v in named.items()]}


async def read_body(scope: dict[str, Any], receive: Any, most_bytes: int, seconds: float) -> bytes:
    async with Bodies(most_bytes, seconds).read(scope, receive) as body:
        return body


def test_a_body_is_read_whole() -> None:
    scope, parts = _scope(content_type="application/json; charset=UTF-8"), (b'{"te', b'xts": ', b"[]}")
    assert asyncio.run(read_json(scope, _body(*parts), 100, 1)) == {"texts": []}


def test_a_body_is_limited_in_size_whatever_it_announces() -> None:
    assert asyncio.run(read_body(_scope(), _body(b"12345", b"67890"), 10, 1)) == b"1234567890"
    for scope in (_scope(), _scope(content_length="3"), _scope(content_length="9" * 5000)):
        with pytest.raises(Refusal, match="larger than 9 bytes") as raised:
            asyncio.run(read_body(scope, _body(b"12345", b"67890"), 9, 1))
        assert (raised.value.status, raised.value.headers) == (413, {"Connection": "close"})


def test_a_body_is_not_waited_for_forever() -> None:
    with pytest.raises(Refusal, match="not complete after") as raised:
        asyncio.run(read_body(_scope(), _body(b"123", whole=False), 10, 0.01))
    assert raised.value.status == 408


@pytest.mark.parametrize(
    "headers",
    [
        {"content_type": "text/plain"},
        {"content_type": ""},
        {"content_type": "application/json; charset=latin-1"},
        {"content_type": "application/jsonp"},
        {"content_encoding": "gzip"},
    ],
)
def test_a_body_must_say_that_it_is_json(headers: dict[str, str]) -> None:
    with pytest.raises(Refusal) as raised:
        asyncio.run(read_json(_scope(**headers), _body(b"{}"), 10, 1))
    assert raised.value.status == 415


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"", "Expecting value at line 1, column 1"),
        (b"{'texts': []}", "Expecting property name"),
        (b'{"texts": []} {}', "Extra data"),
        (b'{"texts": [NaN]}', "NaN is not a number"),
        (b"-Infinity", "-Infinity is not a number"),
        (b'{"a": 1, "a": 2}', "duplicate key"),
        (b"[" * 100_000, "nested too deeply"),
        (b"9" * 10_000, "a number in it is too long"),
        (b'{"texts": ["\xff"]}', "not UTF-8: byte 12"),
        (b'\xef\xbb\xbf{"texts": []}', "Unexpected UTF-8 BOM"),
    ],
)
def test_what_is_not_json_is_refused_in_a_sentence(body: bytes, why: str) -> None:
    with pytest.raises(Refusal, match=why) as raised:
        parse_json(body)
    assert raised.value.status == 400
    assert str(raised.value).endswith(".")
