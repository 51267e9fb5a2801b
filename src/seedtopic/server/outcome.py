"""What came of a job in a process, as bytes: JSON and the response, nothing that could run code."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np

from seedtopic.base.errors import InputError
from seedtopic.model.drift import LabelStatistics
from seedtopic.server.observe import FailedElsewhere, place
from seedtopic.server.refusal import Refusal, shortened
from seedtopic.server.work import Done

Job = Callable[[bytes], Done]


def outcome_of(job: Job, body: bytes) -> tuple[dict[str, Any], bytes]:
    """Call job(body); give what is to be known of it, and the response."""
    try:
        done = job(body)
    except Refusal as refusal:
        return {"refused": [refusal.status, refusal.sentence, refusal.headers]}, b""
    except InputError as error:
        return {"refused": [422, shortened(str(error)), {}]}, b""
    except MemoryError:
        sentence = "there is too little memory for these texts: send fewer."
        return {"refused": [503, sentence, {"Retry-After": "1"}]}, b""
    except Exception as failure:
        return {"failed": [type(failure).__name__, place(failure)]}, b""
    seen = done.seen and [
        done.seen.labels.tolist(),
        done.seen.probability.tolist(),
        done.seen.unknown.tolist(),
    ]
    return {"n_texts": done.n_texts, "seen": seen}, done.content


def done_from(known: dict[str, Any], content: bytes) -> Done:
    """Give what a job gave, or raise what it raised."""
    if "refused" in known:
        raise Refusal(*known["refused"])
    if "failed" in known:
        raise FailedElsewhere(*known["failed"])
    seen = known["seen"] and LabelStatistics(*map(np.array, known["seen"]))
    return Done(content, known["n_texts"], seen)


def packed(known: dict[str, Any], content: bytes) -> bytes:
    """Write both as one message.

    Examples
    --------
    >>> unpacked(packed({"n_texts": 2, "seen": None}, b"{}"))
    ({'n_texts': 2, 'seen': None}, b'{}')
    """
    return json.dumps(known).encode() + b"\n" + content


def unpacked(message: bytes) -> tuple[dict[str, Any], bytes]:
    """Read a message of `packed`."""
    known, _, content = message.partition(b"\n")
    return json.loads(known), content
