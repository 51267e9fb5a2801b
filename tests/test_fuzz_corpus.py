"""Inputs that a search led by coverage has kept are read, or refused in one sentence, as all inputs are."""

from __future__ import annotations

from pathlib import Path

import pytest

from fuzz_targets import TARGETS, examples

CORPUS = Path(__file__).parent / "fuzz_corpus"


@pytest.mark.parametrize("name", TARGETS)
def test_what_was_found_is_read_or_refused(name: str) -> None:
    kept = sorted((CORPUS / name).iterdir())
    assert kept
    for path in kept:
        try:
            TARGETS[name](path.read_bytes())
        except BaseException as error:
            error.add_note(str(path))
            raise


@pytest.mark.parametrize("name", TARGETS)
def test_a_search_starts_from_inputs_that_are_read(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*arguments: object) -> None:
        pytest.fail("an example was refused")

    monkeypatch.setattr("fuzz_targets.check_sentence", refused)
    for content in examples(name):
        TARGETS[name](content)
