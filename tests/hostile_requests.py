"""More than a thousand requests that mean harm, or are merely broken, as the bytes that go over the wire."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Iterator
from typing import Any, NamedTuple


class Hostile(NamedTuple):
    """A request; `whole` unless the server has reason to wait for the rest of it."""

    name: str
    sent: bytes
    whole: bool = True


ODD_VALUES: list[Any] = [
    None, True, False, 0, -1, 1e308, -1e-308, 10**30, "", "x", [], {}, [[]], [{}], [None], [0], [True], {"": ""},
    {"a": None}, {"a": {"b": {"c": []}}}, [[["x"]]], ["x"] * 100, {"words": 1}, {"__proto__": {}},
]  # fmt: skip

ODD_STRINGS = [
    "\0", "\0\0\0goal", "\ud800", "goal \udfff", "\ufeff", "\u202egoal", "e\u0301" * 500, "\u0300" * 2000, "🎉" * 300,
    "\r\nSet-Cookie: a=b", "\r\n\r\nHTTP/1.1 200 OK", "%s%n%x", "{0}{1.__class__}", "${jndi:ldap://x}",
    "'; DROP TABLE documents; --", "<script>alert(1)</script>", "../../../../etc/passwd", "file:///etc/passwd",
    "*", "**", "a*" * 60 + "b", "(a+)+$", "a b c d e f g", " ", "\t\n\v\f", "constructor", "__class__", "NaN", "-0",
    "\u2028", "İ" * 50, "ß" * 100, "ﬀ" * 100, "x" * 200, "x" * 2999, "\x1b[2J", "٣٤٥", "①②③", "ǅ", "\uffff",
]  # fmt: skip

GOOD_PREDICT: dict[str, Any] = {"texts": ["rain and snow"]}
GOOD_LABEL: dict[str, Any] = {
    "texts": ["goal game", "bank rate", "game won", "rate cut"],
    "seeds": {"sports": ["game"], "money": ["rate"]},
}


def hostile_requests() -> list[Hostile]:
    """Give all of them, the same every time."""
    return [
        *_wrong_values(), *_odd_strings(), *_broken_json(), *_content_headers(), *_lengths(), *_chunks(), *_addresses(),
        *_other_headers(), *_request_lines(), *_garbage(), *_halves(),
    ]  # fmt: skip


def post(body: bytes, path: str = "/predict", kind: str = "application/json", more: bytes = b"") -> bytes:
    """Write a request that is well-formed but for what it is given."""
    head = (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n"
    )
    return head.encode() + more + b"\r\n" + body


def _json(value: Any, path: str = "/predict") -> bytes:
    return post(json.dumps(value).encode(), path)


def _wrong_values() -> Iterator[Hostile]:
    """Values of a wrong kind, in every place there is."""
    for number, value in enumerate(ODD_VALUES):
        places = {
            "/predict": [
                value, {"texts": value}, {"texts": [value]}, {"texts": ["rain", value]},
                {**GOOD_PREDICT, "all_labels": value}, {**GOOD_PREDICT, "all_probabilities": value},
                {**GOOD_PREDICT, "more": value}, {"text": value},
            ],
            "/label": [
                value, {**GOOD_LABEL, "texts": value}, {**GOOD_LABEL, "texts": [value, value]},
                {**GOOD_LABEL, "seeds": value}, *({**GOOD_LABEL, "seeds": seeds} for seeds in (
                    {"a": value, "b": value}, {"a": [value], "b": ["rate"]}, {"a": {"words": value}, "b": ["rate"]},
                    {"a": {"words": ["game"], "weights": value}, "b": ["rate"]},
                    {"a": {"words": ["game"], "weights": {"game": value}}, "b": ["rate"]},
                    {"a": {"words": ["game"], "exclude": value}, "b": ["rate"]},
                    {"a": {"words": ["game"], "parent": value}, "b": ["rate"]},
                )),
                {**GOOD_LABEL, "none_label": value}, {**GOOD_LABEL, "stop_words": value},
            ],
        }  # fmt: skip
        for path, bodies in places.items():
            for place, body in enumerate(bodies):
                yield Hostile(f"value {number} in place {place} of {path}", _json(body, path))


def _odd_strings() -> Iterator[Hostile]:
    """Strings that trip those who do not expect them."""
    for number, text in enumerate(ODD_STRINGS):
        yield Hostile(f"string {number} as text", _json({"texts": [text]}))
        yield Hostile(f"string {number} as key", _json({**GOOD_PREDICT, text: 1}))
        yield Hostile(f"string {number} in stop_words", _json({**GOOD_LABEL, "stop_words": text}, "/label"))
        yield Hostile(f"string {number} alone", _json({**GOOD_LABEL, "seeds": {text: [text]}}, "/label"))
        if number % 4 == 0:  # each of which is a fit
            label = {**GOOD_LABEL, "texts": [*GOOD_LABEL["texts"], text, f"game {text}"]}
            seeds = {"sports": ["game", text], "money": ["rate"], text: [text]}
            yield Hostile(
                f"string {number} in a fit", _json({**label, "seeds": seeds, "all_labels": True}, "/label")
            )
            yield Hostile(f"string {number} for none", _json({**label, "none_label": text}, "/label"))


def _broken_json() -> Iterator[Hostile]:
    good = json.dumps(GOOD_PREDICT).encode()
    for end in range(len(good)):
        yield Hostile(f"the first {end} bytes of JSON", post(good[:end]))
    draw = random.Random(7)
    for number in range(150):
        body = bytearray(json.dumps({**GOOD_PREDICT, "all_labels": True}).encode())
        for _ in range(draw.randint(1, 4)):
            body[draw.randrange(len(body))] = draw.randrange(256)
        yield Hostile(f"JSON with bytes changed, {number}", post(bytes(body)))
    for name, body in {
        "lists in lists": b"[" * 100_000, "closed lists in lists": b"[" * 50_000 + b"]" * 50_000,
        "objects in objects": b'{"a":' * 50_000, "texts in lists": b'{"texts":' + b"[" * 5000 + b"]" * 5000 + b"}",
        "many digits": b'{"texts": [' + b"9" * 5000 + b"]}", "an exponent": b'{"texts": [1e999999999]}',
        "NaN": b'{"texts": [NaN]}', "infinity": b"-Infinity", "a key twice": b'{"texts": [], "texts": ["x"]}',
        "a comment": b'{"texts": [] /* x */}', "a comma": b'{"texts": [],}', "two values": b"{}{}",
        "a mark": b"\xef\xbb\xbf" + good, "nothing": b"", "blanks": b" " * 1000, "zeros": b"\0" * 1000,
        "single quotes": b"{'texts': []}", "words": b"texts", "UTF-16": good.decode().encode("utf-16"),
        "UTF-32": good.decode().encode("utf-32"), "not UTF-8": b'{"texts": ["\xff\xfe"]}',
        "overlong": b'{"texts": ["\xc0\xaf"]}', "half a pair in bytes": b'{"texts": ["\xed\xa0\x80"]}',
        "cut in a character": '{"texts": ["é'.encode()[:-1] + b'"]}', "gzip": gzip.compress(good),
        "a bare NUL": b'{"texts": ["\0"]}', "a line feed in a string": b'{"texts": ["\n"]}',
        "a wrong escape": b'{"texts": ["\\x41"]}', "half an escape": b'{"texts": ["\\u12"]}',
        "a form": b"texts=rain", "XML": b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>',
        "too many texts": json.dumps({"texts": ["x"] * 10_001}).encode(),
        "too long a text": json.dumps({"texts": ["x" * 100_001]}).encode(),
        "many keys": json.dumps({str(n): n for n in range(20_000)}).encode(),
        "many lists": b"[" + b"[]," * 30_000 + b"[]]", "many objects": b'{"texts":[' + b"{}," * 30_000 + b"{}]}",
        "many categories": json.dumps({**GOOD_LABEL, "seeds": {str(n): ["x"] for n in range(501)}}).encode(),
        "many words": json.dumps({**GOOD_LABEL, "seeds": {"a": ["x"] * 1001, "b": ["y"]}}).encode(),
    }.items():  # fmt: skip
        yield Hostile(name, post(body))
        yield Hostile(f"{name}, to label", post(body, "/label"))


def _content_headers() -> Iterator[Hostile]:
    good = json.dumps(GOOD_PREDICT).encode()
    for kind in (
        "", "text/plain", "text/html", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
        "application/json; charset=utf-16", "application/json; charset=", "application/json;;;;", "application/jsonx",
        "APPLICATION/JSON", "application/json, text/plain", "*/*", "application", "/", "application/json\t",
        "image/svg+xml", "application/json; charset=utf-7", "x" * 1000, "application/problem+json",
    ):  # fmt: skip
        yield Hostile(f"content type {kind[:30]!r}", post(good, kind=kind))
    for coding in ("gzip", "deflate", "br", "zstd", "gzip, gzip", "identity", "x", "", "gzip;q=1"):
        encoded = gzip.compress(good) if "gzip" in coding else good
        yield Hostile(
            f"content encoding {coding!r}", post(encoded, more=b"Content-Encoding: %b\r\n" % coding.encode())
        )


def _lengths() -> Iterator[Hostile]:
    good = json.dumps(GOOD_PREDICT).encode()
    head = b"POST /predict HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    for said in (
        b"-1", b"+27", b"0x1b", b"27.0", b"1e2", b"27 27", b"27, 27", b"27, 28", b"", b" ", b"x", b"9" * 30,
        b"99999999999", b"8000001", b"\xb2", b"2_7", b"00027",
    ):  # fmt: skip
        yield Hostile(f"length {said!r}", head + b"Content-Length: %b\r\n\r\n" % said + good, whole=False)
    for said_number in (0, 1, len(good) - 1):
        sent = head + b"Content-Length: %d\r\n\r\n" % said_number + good
        yield Hostile(f"a length of {said_number} and more behind", sent)
    yield Hostile("a length and less behind", head + b"Content-Length: 1000\r\n\r\n" + good, whole=False)
    yield Hostile(
        "two lengths", head + b"Content-Length: 27\r\nContent-Length: 28\r\n\r\n" + good, whole=False
    )
    yield Hostile("no length", head + b"\r\n" + good)
    yield Hostile("an expectation", head + b"Expect: 100-continue\r\nContent-Length: 27\r\n\r\n" + good)
    yield Hostile("an odd expectation", head + b"Expect: 200-ok\r\nContent-Length: 27\r\n\r\n" + good)
    yield Hostile("an expectation of much", head + b"Expect: 100-continue\r\nContent-Length: 9999999\r\n\r\n")
    yield Hostile("a body of more than fits", post(b'{"texts": ["' + b"x" * 8_000_000 + b'"]}'))


def _chunks() -> Iterator[Hostile]:
    good = json.dumps(GOOD_PREDICT).encode()
    chunked = b"%x\r\n%b\r\n0\r\n\r\n" % (len(good), good)
    head = b"POST /predict HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    yield Hostile("chunks", head + b"Transfer-Encoding: chunked\r\n\r\n" + chunked)
    for coding in (
        b"Chunked",
        b"gzip, chunked",
        b"chunked, chunked",
        b"identity",
        b"x",
        b"chunked;q=1",
        b" chunked ",
    ):
        yield Hostile(
            f"coding {coding!r}", head + b"Transfer-Encoding: %b\r\n\r\n" % coding + chunked, whole=False
        )
    both = b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n"
    yield Hostile("chunks and a length", head + both + chunked, whole=False)
    twice = b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n"
    yield Hostile("two codings", head + twice + chunked, whole=False)
    for name, body in {
        "no size": b"\r\n\r\n", "a negative size": b"-5\r\nhello\r\n0\r\n\r\n", "no hex": b"zz\r\nhello\r\n0\r\n\r\n",
        "a huge size": b"f" * 40 + b"\r\nhello", "a large size": b"7fffffff\r\nhello", "a long extension": b"5;" + b"x" * 9000,
        "no end": b"5\r\nhello\r\n", "no line end": b"5\r\nhello0\r\n\r\n", "too much": b"2\r\nhello\r\n0\r\n\r\n",
        "trailers": b"2\r\n{}\r\n0\r\nHost: evil.example\r\n\r\n", "long trailers": b"0\r\n" + b"A: b\r\n" * 20_000 + b"\r\n",
        "a bare line feed": b"2\n{}\n0\n\n", "a sign": b"+2\r\n{}\r\n0\r\n\r\n", "a prefix": b"0x2\r\n{}\r\n0\r\n\r\n",
        "blanks": b" 2 \r\n{}\r\n0\r\n\r\n", "single bytes": b"1\r\n{\r\n1\r\n}\r\n0\r\n\r\n", "junk behind": chunked + b"junk",
        "zeros": b"0" * 3000 + b"\r\n\r\n",
    }.items():  # fmt: skip
        yield Hostile(f"chunks with {name}", head + b"Transfer-Encoding: chunked\r\n\r\n" + body, whole=False)
    small = b"".join(b"1\r\n%c\r\n" % byte for byte in good) + b"0\r\n\r\n"
    yield Hostile("chunks of one byte", head + b"Transfer-Encoding: chunked\r\n\r\n" + small)


def _addresses() -> Iterator[Hostile]:
    good = json.dumps(GOOD_PREDICT).encode()

    def request(lines: bytes) -> bytes:
        length = b"Content-Length: %d\r\n\r\n" % len(good)
        return b"POST /predict HTTP/1.1\r\n" + lines + b"Content-Type: application/json\r\n" + length + good

    for host in (
        b"evil.example", b"evil.example:80", b"127.0.0.1.evil.example", b"localhost.", b"localhost.evil", b"127.1",
        b"0x7f000001", b"2130706433", b"0.0.0.0", b"[::]", b"[::ffff:127.0.0.1]", b"[::1", b"]", b":8000", b"",
        b"127.0.0.1@evil.example", b"evil.example#127.0.0.1", b"127.0.0.1, evil.example", b"127.0.0.1 evil.example",
        b"\xff\xfe", b"a" * 5000, b"127.0.0.1:99999999", b"127.0.0.1:x", b"xn--80ak6aa92e.com", b"*", b"..",
    ):  # fmt: skip
        yield Hostile(f"host {host[:30]!r}", request(b"Host: %b\r\n" % host))
    yield Hostile("no host", request(b""))
    yield Hostile("two hosts", request(b"Host: 127.0.0.1\r\nHost: evil.example\r\n"))
    yield Hostile("another host forwarded", request(b"Host: evil.example\r\nX-Forwarded-Host: 127.0.0.1\r\n"))
    for origin in (
        b"http://evil.example", b"null", b"", b"http://127.0.0.1:1", b"https://localhost.evil.example", b"file://",
        b"http://127.0.0.1.evil.example", b"chrome-extension://x", b"\xff", b"http://127.0.0.1@evil.example", b"*",
        b"http://evil.example http://127.0.0.1", b"javascript:alert(1)", b"x" * 5000,
    ):  # fmt: skip
        yield Hostile(f"origin {origin[:30]!r}", request(b"Host: 127.0.0.1\r\nOrigin: %b\r\n" % origin))
    two = b"Host: 127.0.0.1\r\nOrigin: http://127.0.0.1\r\nOrigin: http://evil.example\r\n"
    yield Hostile("two origins", request(two))


def _other_headers() -> Iterator[Hostile]:
    good = json.dumps(GOOD_PREDICT).encode()
    for name, lines in {
        "a folded line": b"X-A: b\r\n c\r\n", "a folded first line": b" X-A: b\r\n", "no colon": b"X-A b\r\n",
        "no name": b": b\r\n", "a blank in a name": b"X A: b\r\n", "a blank behind a name": b"X-A : b\r\n",
        "a NUL": b"X-A: \0\r\n", "a bare return": b"X-A: a\rb\r\n", "a bare line feed": b"X-A: b\nX-C: d\r\n",
        "a byte of no ASCII": b"X-A: \xff\r\n", "a name of no ASCII": b"X-\xc3\xa9: b\r\n", "controls": b"X-A: \x01\x7f\r\n",
        "a long value": b"X-A: " + b"x" * 100_000 + b"\r\n", "a long name": b"X" * 100_000 + b": b\r\n",
        "a thousand lines": b"".join(b"X-%d: y\r\n" % n for n in range(1000)), "ten thousand": b"A: b\r\n" * 10_000,
        "an upgrade": b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n",
        "another upgrade": b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n",
        "a forged name": b"X-Request-ID: a\tb\"}{\r\n", "a long name of a request": b"X-Request-ID: " + b"a" * 500 + b"\r\n",
        "an odd connection": b"Connection: x, y, close, keep-alive\r\n", "a range": b"Range: bytes=0-,0-,0-,0-\r\n",
        "a method to put in place": b"X-HTTP-Method-Override: DELETE\r\n", "a path to put in place": b"X-Original-URL: /x\r\n",
        "a shell": b"User-Agent: () { :; }; /bin/sh\r\n", "a lookup": b"User-Agent: ${jndi:ldap://x/a}\r\n",
        "cookies": b"Cookie: " + b"a=b; " * 2000 + b"\r\n", "an odd token": b"X-Seedtopic-Token: \xff\xff\r\n",
        "a wish for other kinds": b"Accept: image/png\r\nAccept-Encoding: *;q=0\r\n", "TE": b"TE: trailers, x\r\n",
    }.items():  # fmt: skip
        yield Hostile(f"headers with {name}", post(good, more=lines), whole=b"\n " not in lines)


def _request_lines() -> Iterator[Hostile]:
    paths = [
        "/", "//", "/predict/", "//predict", "/PREDICT", "/predict%00", "/predict%2f..%2flabel", "/../../etc/passwd",
        "/..%2f..%2f..%2fetc%2fpasswd", "/%2e%2e/%2e%2e/etc/passwd", "/..%c0%af..%c0%afetc/passwd", "/....//....//etc/passwd",
        "/static/../../../etc/passwd", "/%252e%252e%252fetc", "/predict;a=b", "/predict?texts=rain", "/docs/../predict",
        "/\\..\\..\\windows\\win.ini", "/%ff%fe", "/%", "/%zz", "/predict#x", "*", "http://evil.example/predict",
        "http://127.0.0.1/predict", "127.0.0.1:80", "/" + "a" * 20_000, "/" + "a" * 100_000, "/?" + "a=b&" * 5000,
        "/é", "/\x01", "/<script>alert(1)</script>", "/health?x=<svg/onload=alert(1)>", "/openapi.json/", "/metrics/../x",
        "/.git/config", "/.env", "/admin", "/label", "/docs?url=http://evil.example",
    ]  # fmt: skip
    for path in paths:
        for method in ("GET", "POST"):
            line = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n".encode()
            yield Hostile(f"{method} {path[:40]!r}", line + b"Content-Length: 0\r\n\r\n")
    for method in (
        "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "HEAD", "PROPFIND", "get", "G", "X" * 5000, "A-B", "!",
        "G\0T", "GET/", "\xff", "PRI", "DEBUG", "LOCK", "post",
    ):  # fmt: skip
        for path in ("/predict", "/health", "/docs", "/nothing"):
            sent = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n\r\n".encode(
                "latin-1"
            )
            yield Hostile(f"{method[:20]!r} {path}", sent)
    for line in (
        "GET /health", "GET /health HTTP/0.9", "GET /health HTTP/1.0", "GET /health HTTP/1.2", "GET /health HTTP/2.0",
        "GET /health HTTP/3", "GET /health HTTP/11", "GET /health HTTP/1.1.1", "GET /health http/1.1", "GET /health XTTP/1.1",
        "GET  /health  HTTP/1.1", "GET\t/health\tHTTP/1.1", "GET /health HTTP/1.1 x", " GET /health HTTP/1.1", "GET HTTP/1.1",
        "/health HTTP/1.1", "GET", "", "GET /a b HTTP/1.1", "GET /health HTTP/-1.1", "GET /health HTTP/1.x",
    ):  # fmt: skip
        yield Hostile(f"line {line!r}", f"{line}\r\nHost: 127.0.0.1\r\n\r\n".encode())


def _garbage() -> Iterator[Hostile]:
    draw = random.Random(11)
    for number in range(60):
        yield Hostile(
            f"random bytes {number}", draw.randbytes(draw.randint(1, 3000)) + b"\r\n\r\n", whole=False
        )
    yield Hostile(
        "a greeting of TLS", bytes.fromhex("16030100c8010000c40303") + draw.randbytes(200), whole=False
    )
    yield Hostile(
        "the preface of HTTP/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\4\0\0\0\0\0", whole=False
    )
    yield Hostile("a greeting of SSH", b"SSH-2.0-OpenSSH_9.0\r\n", whole=False)
    yield Hostile("a command to Redis", b"*1\r\n$4\r\nPING\r\n", whole=False)
    yield Hostile("empty lines", b"\r\n" * 50_000, whole=False)
    yield Hostile("zeros", b"\0" * 100_000, whole=False)
    yield Hostile("one endless line", b"A" * 200_000, whole=False)
    good = _json(GOOD_PREDICT)
    yield Hostile("twenty requests at once", good * 20)
    yield Hostile("a good request and garbage", good + b"\xff\xfe\0garbage\r\n\r\n")
    yield Hostile("a request within a request", post(good))


def _halves() -> Iterator[Hostile]:
    good = _json(GOOD_PREDICT)
    for end in range(1, len(good), 2):
        yield Hostile(f"the first {end} bytes of a request", good[:end], whole=False)
