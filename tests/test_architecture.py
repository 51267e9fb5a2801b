"""The shape of the source: few names at the root, few layers, short modules, shallow classes."""

from __future__ import annotations

import ast
import pkgutil
import tomllib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import seedtopic
from seedtopic import studio
from seedtopic.model import MODELS, SeedClassifier, model_class

SOURCE = Path(seedtopic.__file__).parent
PROJECT = tomllib.loads(Path(__file__).parents[1].joinpath("pyproject.toml").read_text("utf-8"))
MOST_NAMES = 27
MOST_LAYERS = 12
MOST_CLASSES = 3
MOST_LINES = 350
WHY_LONGER = "Length:"  # begins the line of a docstring that says why a module is longer


def own_classes(model: type) -> list[str]:
    """Name the classes of ours that a class is made of."""
    return [cls.__name__ for cls in model.__mro__ if cls.__module__.partition(".")[0] == "seedtopic"]


def studio_models() -> Iterator[type]:
    for module in pkgutil.iter_modules(studio.__path__, "seedtopic.web.studio."):
        for value in vars(import_module(module.name)).values():
            if isinstance(value, type) and issubclass(value, SeedClassifier):
                yield value


def says_why_longer(module: str) -> bool:
    """Tell whether the docstring of a module has a line that says why it is long."""
    lines = (ast.get_docstring(ast.parse(module)) or "").splitlines()
    return any(line.startswith(WHY_LONGER) and line.removeprefix(WHY_LONGER).strip() for line in lines)


def test_the_root_has_few_names() -> None:
    names = sorted(path.name for path in SOURCE.iterdir() if path.name != "__pycache__")
    assert len(names) <= MOST_NAMES, names


def test_the_layers_are_few_and_siblings_do_not_know_each_other() -> None:
    layers = PROJECT["tool"]["importlinter"]["contracts"][0]["layers"]
    assert 1 < len(layers) <= MOST_LAYERS
    assert [layer for layer in layers if ":" in layer] == []


def test_every_name_at_the_root_has_a_layer() -> None:
    layers = PROJECT["tool"]["importlinter"]["contracts"][0]["layers"]
    layered = {name.strip() for layer in layers for name in layer.split("|")}
    there = {module.name for module in pkgutil.iter_modules(seedtopic.__path__, "seedtopic.")}
    assert there - layered <= {"seedtopic.__main__"}
    assert layered <= there


def test_a_model_is_made_of_few_classes() -> None:
    made_of = {model.__name__: own_classes(model) for model in (*map(model_class, MODELS), *studio_models())}
    assert len(made_of) >= len(MODELS)
    assert {name: classes for name, classes in made_of.items() if len(classes) > MOST_CLASSES} == {}


@pytest.mark.parametrize(
    ("module", "says"),
    [
        ('"""Documents.\n\nLength: one table, which is read as a whole.\n"""', True),
        ('"""Documents.\n\nLength:\n"""', False),
        ('"""Documents of any length: all."""', False),
        ("# Length: one table", False),
        ("", False),
    ],
)
def test_where_a_module_says_why_it_is_long(module: str, says: bool) -> None:
    assert says_why_longer(module) == says


def test_a_module_is_short_or_says_why_it_is_not() -> None:
    texts = {path.relative_to(SOURCE).as_posix(): path.read_text("utf-8") for path in SOURCE.rglob("*.py")}
    assert len(texts) > 100
    long = {name: text.count("\n") for name, text in texts.items() if text.count("\n") > MOST_LINES}
    assert {name: lines for name, lines in long.items() if not says_why_longer(texts[name])} == {}
