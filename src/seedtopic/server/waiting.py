"""How long a request waits for work that is done elsewhere."""

from __future__ import annotations

import asyncio
from typing import TypeVar

from starlette.types import Receive

from seedtopic.server.refusal import Refusal

Result = TypeVar("Result")


def busy(name: str) -> Refusal:
    """Return the refusal of work for which there is no place.

    Examples
    --------
    >>> busy("labelling").sentence
    'the server is busy with other labelling requests: try again later.'
    """
    sentence = f"the server is busy with other {name} requests: try again later."
    return Refusal(503, sentence, {"Retry-After": "1"})


async def within(seconds: float, work: asyncio.Future[Result], receive: Receive, name: str) -> Result:
    """Wait for work until its time is over or its client has gone; then cancel it.

    Parameters
    ----------
    seconds : float
    work : Future
    receive : ASGI receive
        The body has been read from it, so that the only message left is that the client has disconnected.
    name : str
        The kind of work, for the error message.
    """
    gone = asyncio.ensure_future(receive())
    try:
        await asyncio.wait((work, gone), timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        if work.done():
            return work.result()
        if gone.done():
            raise Refusal(400, "the connection was closed before the answer was ready.")
        raise Refusal(504, f"the {name} took longer than {seconds:g} seconds: send fewer texts.")
    finally:
        gone.cancel()
        work.cancel()
