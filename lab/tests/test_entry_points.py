"""The core has the models and the command of lab/ where lab/ is installed."""

from __future__ import annotations

from importlib.metadata import entry_points

import pytest
from typer.testing import CliRunner

import seedtopic
from seedtopic.cli.app import app
from seedtopic.model import MODELS, model_class


@pytest.mark.parametrize("name", [model.name for model in MODELS.values() if model.in_lab])
def test_every_model_of_lab_is_found(name: str) -> None:
    assert getattr(seedtopic, name) is model_class(name)
    assert model_class(name).__module__.startswith("seedtopic_lab.")


def test_the_core_knows_every_model_of_lab() -> None:
    ours = [point.name for point in entry_points(group="seedtopic.models") if "seedtopic_lab" in point.value]
    assert sorted(ours) == sorted(model.name for model in MODELS.values() if model.in_lab)


def test_the_help_lists_reproduce() -> None:
    shown = CliRunner().invoke(app, ["--help"])
    assert "Reproduce a table or figure of the WSPTM paper" in shown.output
