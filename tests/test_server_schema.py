"""What the description of the API promises, tried out by schemathesis: requests that fit it and that do not."""

from __future__ import annotations

from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings

from seedtopic import SeedTopicClassifier
from seedtopic.web.api import Api
from seedtopic.web.app import make_app
from seedtopic.web.limits import Limits

pytestmark = pytest.mark.filterwarnings(
    "ignore"
)  # of seeds that do not occur, and of what makes the requests

OPERATIONS = [
    ("/predict", "POST"), ("/label", "POST"), ("/answers", "POST"), ("/health", "GET"), ("/version", "GET"),
    ("/metrics", "GET"),  ("/drift", "GET"),  ("/openapi.json", "GET"), ("/docs", "GET"),
]  # fmt: skip
TOKEN = "of-the-test-1234"
MAY_REFUSE = ("/label", "/answers")


@pytest.fixture(scope="module")
def described(
    toy_texts: list[str], toy_seeds: dict[str, list[str]], tmp_path_factory: pytest.TempPathFactory
) -> Any:
    model = SeedTopicClassifier(toy_seeds, random_state=0).fit(toy_texts)
    limits = Limits(most_texts=20, most_characters=500)
    answers = tmp_path_factory.mktemp("answers") / "docs.answers.csv"
    api = Api(lambda: model, limits, n_threads=1, answers=answers, token=TOKEN)
    served = make_app(api, hosts=["testserver"], log=lambda *line: None)

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            await served(scope, receive, send)
            return
        # A client begins and ends the application with every request: ours is to live through all of them.
        for event in ("startup", "shutdown"):
            await receive()
            await send({"type": f"lifespan.{event}.complete"})

    return schemathesis.openapi.from_asgi("/openapi.json", app)


def conforms(described: Any, path: str, method: str, fitting: bool, most: int) -> None:
    """Send requests made from the description, and compare the answers with it."""
    guard = {"X-Seedtopic-Token": TOKEN} if path == "/answers" else None
    mode = schemathesis.GenerationMode.POSITIVE if fitting else schemathesis.GenerationMode.NEGATIVE
    # What fits the schema may still be refused: by /label words that occur nowhere, by /answers blank texts.
    excluded = [schemathesis.checks.positive_data_acceptance] if path in MAY_REFUSE else []

    @given(case=described[path][method].as_strategy(generation_mode=mode))
    @settings(
        max_examples=most,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def tried(case: Any) -> None:
        case.call_and_validate(excluded_checks=excluded, headers=guard)

    tried()


@pytest.mark.parametrize(("path", "method"), OPERATIONS)
def test_answers_are_as_described(described: Any, path: str, method: str) -> None:
    conforms(described, path, method, True, 15)


@pytest.mark.parametrize("path", ["/predict", "/label", "/answers"])
def test_wrong_requests_are_refused_as_described(described: Any, path: str) -> None:
    conforms(described, path, "POST", False, 15)


@pytest.mark.slow
@pytest.mark.parametrize("fitting", [True, False])
@pytest.mark.parametrize("path", ["/predict", "/label", "/answers"])
def test_answers_are_as_described_at_length(described: Any, path: str, fitting: bool) -> None:
    conforms(described, path, "POST", fitting, 400)
