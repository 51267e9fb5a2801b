"""Shared toys: a corpus whose right answer is obvious, and the rule for tests that need big corpora."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

pytest.register_assert_rewrite("contract")
# A busy machine is no failure.
settings.register_profile("seedtopic", deadline=None)
settings.load_profile("seedtopic")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if "westclass" in item.nodeid.lower():
            item.add_marker(pytest.mark.torch)
    if os.environ.get("SEEDTOPIC_DATA"):
        return
    missing = pytest.mark.skip(
        reason="SEEDTOPIC_DATA is not set: run  make test-corpora SEEDTOPIC_DATA=folder"
    )
    for item in items:
        if "corpora" in item.keywords:
            item.add_marker(missing)


@pytest.fixture(scope="session")
def toy_texts() -> list[str]:
    """Documents about sports, money and weather, some of them without any seed word."""
    sports = [
        "team won game goal",
        "player scored goal league",
        "coach praised player game",
        "league final goal",
    ]
    money = [
        "bank raised rate loan",
        "investor bought stock share",
        "stock market loan",
        "share price market",
    ]
    weather = ["rain storm wind", "snow cold wind", "sun warm sky", "storm cold cloud sky"]
    return [text for trio in zip(sports, money, weather, strict=True) for text in trio] * 3


@pytest.fixture(scope="session")
def toy_labels() -> list[str]:
    return ["sports", "money", "weather"] * 12


@pytest.fixture(scope="session")
def toy_seeds() -> dict[str, list[str]]:
    return {"sports": ["game", "player"], "money": ["bank", "stock"], "weather": ["rain", "snow", "sun"]}
