"""The OpenAPI 3.1 description of the API, made from the schemas that requests are validated with."""

from __future__ import annotations

from typing import Any

from seedtopic import __version__
from seedtopic.server import schemas
from seedtopic.server.schemas import Schema

REFUSALS = {
    400: "The body is not JSON, or the request is malformed.",
    403: "The Host or Origin header contains an address that the server does not accept.",
    408: "The body was not complete in time.",
    413: "The body is too large.",
    415: "The Content-Type is not JSON.",
    422: "The JSON has the wrong structure, or the seeds and texts cannot be used; the error says why.",
    503: "The server is busy, or has no model: try again after the number of seconds in Retry-After.",
    504: "The response took too long.",
}
OF_BODIES = (400, 403, 408, 413, 415, 422, 503, 504)
OF_ALL = (400, 403)

_TEXTS = ["the team won the game", "a goal in the game", "the bank cut its rate", "rate of the bank"]
PREDICT_EXAMPLE = {"texts": _TEXTS[:1]}
LABEL_EXAMPLE = {"texts": _TEXTS, "seeds": {"sports": ["game", "team"], "money": ["bank"]}}


def openapi(predict_request: Schema, label_request: Schema) -> dict[str, Any]:
    """Return the description of the API.

    Parameters
    ----------
    predict_request, label_request : dict
        The schemas of the bodies, with the limits of the server.

    Examples
    --------
    >>> described = openapi({"type": "object"}, {"type": "object"})
    >>> described["openapi"], sorted(described["paths"])[:3]
    ('3.1.0', ['/docs', '/drift', '/health'])
    """
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "seedtopic",
            "version": __version__,
            "description": "Labels documents from a few seed words per category.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "paths": {
            "/predict": {
                "post": _posted("predict", "Label texts with the model of the server.", "PredictRequest")
            },
            "/label": {"post": _posted("label", "Label texts from seed words, in one step.", "LabelRequest")},
            "/health": {"get": _read("health", "Whether predictions are available.", "Health", 200, 503)},
            "/version": {"get": _read("version", "Version of the server and its model.", "Version", 200)},
            "/metrics": {"get": _read_text("metrics", "Metrics for Prometheus.", "text/plain")},
            "/drift": {"get": _read("drift", "How texts differ from those of the fit.", "Drift", 200)},
            "/openapi.json": {"get": _read_text("openapi", "This description.", "application/json")},
            "/docs": {"get": _read_text("docs", "This page.", "text/html")},
        },
        "components": {
            "schemas": {
                "PredictRequest": {**predict_request, "examples": [PREDICT_EXAMPLE]},
                "LabelRequest": {**label_request, "examples": [LABEL_EXAMPLE]},
                "Labels": schemas.labels(),
                "Health": schemas.health(),
                "Version": schemas.version(),
                "Drift": schemas.drift(),
                "Error": schemas.error(),
            },
            "responses": {f"Refusal{status}": _refusal(status) for status in REFUSALS},
        },
    }


def _posted(name: str, summary: str, body: str) -> dict[str, Any]:
    return {
        "operationId": name,
        "summary": summary,
        "requestBody": {"required": True, "content": _json(body)},
        "responses": {
            "200": {"description": "A label for each text.", "content": _json("Labels")},
            **_refusals(OF_BODIES),
        },
    }


def _read(name: str, summary: str, schema: str, *statuses: int) -> dict[str, Any]:
    given = {str(status): {"description": summary, "content": _json(schema)} for status in statuses}
    return {"operationId": name, "summary": summary, "responses": {**_refusals(OF_ALL), **given}}


def _read_text(name: str, summary: str, kind: str) -> dict[str, Any]:
    given = {"200": {"description": summary, "content": {kind: {}}}}
    return {"operationId": name, "summary": summary, "responses": {**_refusals(OF_ALL), **given}}


def _refusals(statuses: tuple[int, ...]) -> dict[str, Any]:
    return {str(status): {"$ref": f"#/components/responses/Refusal{status}"} for status in statuses}


def _refusal(status: int) -> dict[str, Any]:
    described: dict[str, Any] = {"description": REFUSALS[status], "content": _json("Error")}
    if status == 503:
        described["headers"] = {"Retry-After": {"schema": {"type": "integer"}}}
    return described


def _json(schema: str) -> dict[str, Any]:
    return {"application/json": {"schema": {"$ref": f"#/components/schemas/{schema}"}}}
