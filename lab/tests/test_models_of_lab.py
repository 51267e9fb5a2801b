"""The models of lab/ keep the contract of every model."""

from __future__ import annotations

from typing import Any

import pytest

from contract import *  # noqa: F403
from seedtopic import PLDNB, STM


@pytest.fixture(scope="session", params=[STM, PLDNB], ids=lambda model: model.__name__)
def Model(request: pytest.FixtureRequest) -> Any:
    """WeSTClass, which needs torch and the order of words, has tests of its own."""
    return request.param
