"""Which code made a row: a fingerprint of the modules that can change a model's labels.

A row of other code may be out of date. The fingerprint covers the rooms in which labels are made, as far as
the model's module and the counting of words import them, and all in them but comments and docstrings. The
modules in C are not covered: tests hold them to the same results as those in Python.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from seedtopic_lab.experiments.systems import ENTRIES

ROOMS = (
    "seedtopic_lab.experiments.peers",
    "seedtopic.learning",
    "seedtopic.knowledge",
    "seedtopic.model",
    "seedtopic.model.stages",
    "seedtopic.seeds",
    "seedtopic.text",
)
_COUNTING = ("seedtopic.text.counts", "seedtopic.text.tokens")


@cache
def code_of(model: str) -> str:
    """Return the fingerprint of the code behind a model.

    Parameters
    ----------
    model : str
        A name in plans. One without an entry, such as "unigram", is measured beside WSPTM, by its code.

    Examples
    --------
    >>> len(code_of("WSPTM")), code_of("WSPTM") == code_of("STM")
    (8, False)
    """
    path = ENTRIES.get(model, ENTRIES["WSPTM"]).path
    digest = hashlib.sha256()
    for module in sorted(modules_behind(path.partition(":")[0], *_COUNTING)):
        digest.update(f"{module} {_essence(_tree(module))}\n".encode())
    return digest.hexdigest()[:8]


def modules_behind(*starts: str) -> set[str]:
    """Return modules and those they import, however indirectly, that are in the rooms where labels are made.

    Parameters
    ----------
    *starts : str
        The names of the modules.

    Examples
    --------
    >>> "seedtopic.learning.topics.em" in modules_behind("seedtopic.model.wsptm")
    True
    """
    found, waiting = set(starts), list(starts)
    while waiting:
        for name in _imported(waiting.pop()):
            if name.startswith(ROOMS) and name not in found:
                found.add(name)
                waiting.append(name)
    return found


def _imported(module: str) -> Iterator[str]:
    """Name the modules that a module imports, also inside functions; the project imports by full names."""
    for node in ast.walk(_tree(module)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            inside = (f"{node.module}.{alias.name}" for alias in node.names)
            yield from (name for name in (node.module, *inside) if _path(name))


@cache
def _path(module: str) -> Path | None:
    if not module.startswith("seedtopic."):
        return None
    try:
        spec = find_spec(module)
    except ModuleNotFoundError:  # a class of a module, which is no package
        return None
    return Path(spec.origin) if spec and spec.origin and spec.origin.endswith(".py") else None


@cache
def _tree(module: str) -> ast.Module:
    path = _path(module)
    return ast.parse(path.read_text(encoding="utf-8")) if path else ast.Module([], [])


def _essence(node: Any) -> Any:
    """Give what is left of a tree without places and docstrings, the same in every version of Python."""
    if isinstance(node, list):
        return [_essence(part) for part in node]
    if not isinstance(node, ast.AST):
        return repr(node)
    fields = dict(ast.iter_fields(node))
    if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node, clean=False):
        fields["body"] = node.body[1:]
    return [
        type(node).__name__,
        *([name, _essence(value)] for name, value in fields.items() if value not in (None, [])),
    ]
