"""JSON Schemas of request and response bodies, for validation and for the API description."""

from __future__ import annotations

from typing import Any

from seedtopic.seeds.category import MOST_WEIGHT
from seedtopic.server.limits import Limits

Schema = dict[str, Any]

MOST_CATEGORIES, MOST_WORDS = 500, 1000
MOST_IN_A_WORD, MOST_IN_A_NAME = 200, 200

_STRINGS: Schema = {"type": "array", "items": {"type": "string"}}
_NUMBERS: Schema = {"type": "array", "items": {"type": "number"}}
_OPTIONS: Schema = {
    "all_probabilities": {
        "type": "boolean",
        "description": "Whether to return the probability of every category.",
    },
    "all_labels": {"type": "boolean", "description": "Whether to return all labels of each text."},
}


def predict_request(limits: Limits) -> Schema:
    """Return the schema of a `/predict` request."""
    return {
        "type": "object",
        "properties": {"texts": _texts(limits, least=0), **_OPTIONS},
        "required": ["texts"],
        "additionalProperties": False,
    }


def label_request(limits: Limits) -> Schema:
    """Return the schema of a `/label` request."""
    name = {"type": "string", "minLength": 1, "maxLength": MOST_IN_A_NAME}
    word = {"type": "string", "minLength": 1, "maxLength": MOST_IN_A_WORD}
    words = {"type": "array", "items": word, "maxItems": MOST_WORDS}
    weight = {"type": "number", "exclusiveMinimum": 0, "maximum": MOST_WEIGHT}
    table = {
        "type": "object",
        "properties": {
            "words": words,
            "weights": {"type": "object", "additionalProperties": weight, "maxProperties": MOST_WORDS},
            "exclude": words,
            "parent": name,
        },
        "additionalProperties": False,
    }
    seeds = {
        "type": "object",
        "description": "The words of each category, or an object as in a seeds file: "
        "words, weights, exclude, parent.",
        "propertyNames": name,
        "additionalProperties": {"oneOf": [words, table]},
        "minProperties": 2,
        "maxProperties": MOST_CATEGORIES,
    }
    none = {**name, "description": "The label of texts that belong to no category."}
    stop_words = {**name, "description": "The language of the stop words; english by default."}
    return {
        "type": "object",
        "properties": {
            "texts": _texts(limits, least=2),
            "seeds": seeds,
            **_OPTIONS,
            "none_label": none,
            "stop_words": stop_words,
        },
        "required": ["texts", "seeds"],
        "additionalProperties": False,
    }


def labels() -> Schema:
    """Return the schema of a `/predict` or `/label` response."""
    perhaps_strings = {"type": "array", "items": {"type": ["string", "null"]}}
    perhaps_numbers = {"type": "array", "items": {"type": ["number", "null"]}}
    lists = {
        "labels": (
            perhaps_strings,
            "The most probable category. Every list has null for a text that is blank or has no known word.",
        ),
        "probabilities": (perhaps_numbers, "Its probability."),
        "runners_up": (perhaps_strings, "The second best category."),
        "runner_up_probabilities": (perhaps_numbers, "Its probability."),
        "margins": (perhaps_numbers, "The probability of the best category minus that of the second best."),
        "paths": (perhaps_strings, "The path to the label, where categories have parents."),
        "none_probabilities": (
            perhaps_numbers,
            "The probability of no category, if the model gives it.",
        ),
        "all_labels": (_perhaps(_STRINGS), "All labels of a text, if requested."),
        "categories": (_STRINGS, "All categories, if all probabilities are requested."),
        "all_probabilities": (
            _perhaps(_NUMBERS),
            "In the order of categories.",
        ),
        "warnings": (_STRINGS, "Problems of the seeds; only from /label."),
    }
    return {
        "type": "object",
        "description": "Lists in the order of the texts.",
        "properties": {name: {**schema, "description": words} for name, (schema, words) in lists.items()},
        "required": [*lists][:5],
        "additionalProperties": False,
    }


def health() -> Schema:
    """Return the schema of a `/health` response."""
    status = {"type": "string", "enum": ["ready", "no model"]}
    return {"type": "object", "properties": {"status": status}, "required": ["status"]}


def version() -> Schema:
    """Return the schema of a `/version` response."""
    model = {
        "type": ["object", "null"],
        "properties": {
            "name": {"type": "string"},
            "categories": _STRINGS,
            "words": {"type": "integer"},
            "all_labels": {"type": "boolean"},
        },
        "required": ["name", "categories", "words", "all_labels"],
    }
    return {
        "type": "object",
        "properties": {"seedtopic": {"type": "string"}, "model": model},
        "required": ["seedtopic", "model"],
    }


def drift() -> Schema:
    """Return the schema of a `/drift` response."""
    perhaps = {"type": ["number", "null"]}
    signal = {
        "type": "object",
        "properties": {
            **dict.fromkeys(("fit", "now", "difference", "threshold"), perhaps),
            "look_again": {
                "type": "boolean",
                "description": "Whether it is above the threshold.",
            },
        },
        "required": ["fit", "now", "difference", "threshold", "look_again"],
    }
    share = {
        "type": "object",
        "properties": {"fit": {"type": "number"}, "now": {"type": "number"}},
        "required": ["fit", "now"],
    }
    window = {
        "type": ["object", "null"],
        "properties": {
            "look_again": {"type": "boolean"},
            "documents": {"type": "integer"},
            "fitted": {"type": "integer", "description": "Documents of the fit."},
            "shares": {"type": "object", "additionalProperties": share},
            **dict.fromkeys(("labels", "probability", "unknown_words"), signal),
            "enough": {"type": "boolean", "description": "Whether there are enough texts to judge."},
        },
    }
    return {
        "type": "object",
        "properties": {
            "known": {"type": "boolean", "description": "Whether the model remembers its fit."},
            "window": {"type": "integer", "description": "How many texts are compared together."},
            "last": {**window, "description": "The last full window; null before it."},
            "now": {**window, "description": "The texts since then."},
        },
        "required": ["known", "window", "last", "now"],
    }


def error() -> Schema:
    """Return the schema of an error response."""
    sentence = {"type": "string", "description": "What is wrong, and how to fix it."}
    return {"type": "object", "properties": {"error": sentence}, "required": ["error"]}


def _perhaps(items: Schema) -> Schema:
    """Return the schema of a list of lists, some of which may be missing."""
    return {"type": "array", "items": {**items, "type": [items["type"], "null"]}}


def _texts(limits: Limits, least: int) -> Schema:
    return {
        "type": "array",
        "description": "The texts to label.",
        "items": {"type": "string", "maxLength": limits.most_characters},
        "minItems": least,
        "maxItems": limits.most_texts,
    }
