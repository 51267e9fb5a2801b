"""The reference of the Python names, made from docstrings: a page for each exported name and module."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from types import ModuleType
from typing import TYPE_CHECKING, Any

from generated import write_pages

import seedtopic
import seedtopic_lab
from seedtopic.model import MODELS

if TYPE_CHECKING:  # the tests read this, where Sphinx need not be
    from sphinx.application import Sphinx

LEFT_OUT = {
    "seedtopic.__main__",
    "seedtopic.learning.graph._nearest",
    "seedtopic.learning.topics.kernels._estep",
    "seedtopic.base._products",
    "seedtopic.text._words",
}


def modules() -> list[ModuleType]:
    """Give every module of the package and of lab/ but the C extensions."""
    found = [
        part.name
        for package in (seedtopic, seedtopic_lab)
        for part in walk_packages(package.__path__, f"{package.__name__}.")
    ]
    return [import_module(name) for name in found if name not in LEFT_OUT]


def exported() -> dict[str, Any]:
    """Give what the package itself exports, with the models of lab/."""
    return {name: getattr(seedtopic, name) for name in sorted({*seedtopic.__all__, *MODELS}, key=str.lower)}


def defined_in(module: ModuleType) -> dict[str, Any]:
    """Give the public names that a module defines and documents, in the order of its source."""
    own = {}
    for name, value in vars(module).items():
        plain = value.__wrapped__ if hasattr(value, "cache_info") else value  # a cache wraps it
        if name.startswith("_") or not (inspect.isclass(plain) or inspect.isfunction(plain)):
            continue
        if plain.__module__ == module.__name__ and plain.__doc__:
            own[name] = value
    return own


def methods(cls: type) -> list[str]:
    """Name the documented public methods and properties that are ours, not scikit-learn's."""
    found = []
    for name in dir(cls):
        if name.startswith("_"):
            continue
        value = inspect.getattr_static(cls, name)
        function = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
        function = getattr(function, "func", function)  # of a cached property
        ours = getattr(function, "__module__", None) or ""
        if (
            inspect.isfunction(function)
            and ours.startswith("seedtopic")
            and inspect.getdoc(getattr(cls, name))
        ):
            found.append(name)
    return found


def first_sentence(value: Any) -> str:
    """Give what the docstring begins with."""
    return " ".join((inspect.getdoc(value) or "").split("\n\n")[0].split())


def _titled(title: str) -> list[str]:
    return [title, "=" * len(title), ""]


def _described(module: str, name: str, value: Any) -> list[str]:
    if not inspect.isclass(value):
        return [f".. autofunction:: {module}.{name}", ""]
    kind = "exception" if issubclass(value, BaseException) else "class"
    lines = [f".. auto{kind}:: {module}.{name}"]
    if kind == "class" and methods(value):
        lines.append(f"   :members: {', '.join(methods(value))}")
    return [*lines, ""]


def _module_page(module: ModuleType, elsewhere: set[int]) -> str:
    lines = [*_titled(module.__name__), f".. automodule:: {module.__name__}", "   :no-members:", ""]
    own = defined_in(module)
    listed = {name: getattr(module, name) for name in getattr(module, "__all__", ()) if name not in own}
    listed |= {name: value for name, value in own.items() if id(value) in elsewhere}
    for name, value in listed.items():
        if getattr(value, "__doc__", None) and hasattr(value, "__qualname__"):
            target = _home(name, value)
            lines.append(f"- :py:obj:`{name} <{target}>`: {first_sentence(value)}")
    lines.append("")
    for name, value in own.items():
        if id(value) not in elsewhere:
            lines += _described(module.__name__, name, value)
    return "\n".join(lines)


def _home(name: str, value: Any) -> str:
    """Give the name under which a value is documented."""
    return f"seedtopic.{name}" if name in exported() else f"{value.__module__}.{value.__qualname__}"


def _index(names: Iterator[str] | list[str], title: str, text: str, rows: list[str]) -> str:
    toctree = ["```{toctree}", ":hidden:", ":maxdepth: 1", "", *names, "```", ""]
    return "\n".join([f"# {title}", "", text, "", *rows, "", *toctree])


def names_pages() -> dict[str, str]:
    """Write a page for each name that the package exports, and their index."""
    found = exported()
    pages = {
        f"{name}.rst": "\n".join([*_titled(name), *_described("seedtopic", name, value)])
        for name, value in found.items()
    }
    rows = ["| name | |", "|---|---|"]
    for name, value in found.items():
        rows.append(f"| {{py:obj}}`~seedtopic.{name}` | {first_sentence(value)} |")
    in_lab = ", ".join(model.name for model in MODELS.values() if model.in_lab)
    text = (
        "`from seedtopic import ...`: these names are a promise, and every model is a scikit-learn "
        f"estimator; {in_lab} need `pip install ./lab`."
    )
    return {**pages, "index.md": _index(list(found), "Python: what you import", text, rows)}


def modules_pages() -> dict[str, str]:
    """Write a page for each module, and their index."""
    elsewhere = {id(value) for value in exported().values()}
    found = modules()
    pages = {f"{module.__name__}.rst": _module_page(module, elsewhere) for module in found}
    rows = ["| module | |", "|---|---|"]
    for module in found:
        rows.append(f"| {{py:mod}}`{module.__name__}` | {first_sentence(module)} |")
    text = (
        "Every module with what it defines, for those who read or extend the code; see the "
        "[architecture](/architecture.md) for how they belong together. `seedtopic.cli.demo`, "
        "`seedtopic.io`, `seedtopic.quality.scores` and `seedtopic_lab.experiments` are of use by "
        "themselves."
    )
    return {
        **pages,
        "index.md": _index([module.__name__ for module in found], "Module by module", text, rows),
    }


def generate(app: Sphinx) -> None:
    """Write the pages where Sphinx finds them."""
    from sphinx.ext.autodoc.mock import mock

    folder = Path(app.srcdir) / "reference" / "generated"
    with mock(app.config.autodoc_mock_imports):
        write_pages(folder / "names", names_pages())
        write_pages(folder / "modules", modules_pages())


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx when to write."""
    app.connect("builder-inited", generate)
    return {"parallel_read_safe": True}
