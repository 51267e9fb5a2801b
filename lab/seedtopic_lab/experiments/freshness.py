"""Which code made a row: a fingerprint of all code that a model's labels can come from.

It covers the functions, classes and constants of seedtopic and seedtopic_lab that are reached from the
model's class and from the counting of words: by names, through every import, and by the names of methods in
classes that are reached. Where they are does not matter, nor do docstrings, comments, imports and types, so
that code can be moved. What is imported by a computed name, as kernels are, and modules in C are not covered:
tests hold them to the same results as plain Python.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec, resolve_name
from pathlib import Path
from typing import Any

from seedtopic_lab.experiments.systems import ENTRIES

OURS = ("seedtopic", "seedtopic_lab")
ASKED = frozenset({"fit", "label_distributions_", "partial_fit", "predict", "predict_proba", "transduction_"})
_COUNTING = ("seedtopic_lab.experiments.material", "count")
_TYPES = frozenset({"annotation", "returns", "type_comment", "type_params"})

Place = tuple[str, str]  # a module and a name in it


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
    essences = sorted(repr(_essence(part)) for parts in reached(model).values() for part in parts)
    return hashlib.sha256("\n".join(essences).encode()).hexdigest()[:8]


def reached(model: str) -> dict[Place, list[ast.AST]]:
    """Return the code that a model's labels can come from, by the place of each definition.

    Parameters
    ----------
    model : str
        A name in plans.

    Examples
    --------
    >>> ("seedtopic.learning.topics.em", "run") in reached("WSPTM")
    True
    """
    module, _, name = ENTRIES.get(model, ENTRIES["WSPTM"]).path.partition(":")
    waiting, seen, attributes = [(module, name), _COUNTING], set[Place](), set(ASKED)
    code: dict[Place, list[ast.AST]] = {}
    methods: list[tuple[Place, str, ast.AST]] = []  # of classes that are reached, not yet asked for
    while waiting:
        for place in _definitions(*waiting.pop()):
            if place not in seen:
                seen.add(place)
                for statement in _module(place[0]).defined[place[1]]:
                    head, own = _split(statement)
                    code.setdefault(place, []).extend(head)
                    methods += [(place, method.name, method) for method in own]
                    waiting += _names(place[0], head, attributes)
        while ready := [each for each in methods if each[1] in attributes or each[1].startswith("__")]:
            methods = [each for each in methods if each not in ready]
            for place, _, method in ready:
                code[place].append(method)
                waiting += _names(place[0], [method], attributes)
    return code


class _Module:
    """What a module defines and imports, by name."""

    def __init__(self, module: str) -> None:
        self.defined: dict[str, list[ast.stmt]] = {}
        self.imported: dict[str, set[Place]] = {}
        try:
            spec = find_spec(module)
        except ModuleNotFoundError:  # a class of a module, which is no package
            return
        if spec is None or not (spec.origin or "").endswith(".py"):
            return
        tree = ast.parse(Path(str(spec.origin)).read_text(encoding="utf-8"))
        package = module if spec.submodule_search_locations else module.rpartition(".")[0]
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    self._add(alias.asname or alias.name, alias.name, "")
            elif isinstance(node, ast.ImportFrom):
                source = resolve_name("." * node.level + (node.module or ""), package)
                for alias in node.names:
                    self._add(alias.asname or alias.name, source, alias.name)
        _strip(tree)
        for statement in _statements(tree.body):
            for name in _defined_by(statement):
                self.defined.setdefault(name, []).append(statement)

    def _add(self, name: str, source: str, of: str) -> None:
        if source.partition(".")[0] in OURS:
            self.imported.setdefault(name, set()).add((source, of))


_module = cache(_Module)


def _strip(tree: ast.Module) -> None:
    """Remove imports, docstrings and types, which change no label."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node, clean=False):
            del node.body[0]
        for name, value in ast.iter_fields(node):
            if name in _TYPES:
                setattr(node, name, None)
            elif isinstance(value, list):
                value[:] = [part for part in value if not isinstance(part, ast.Import | ast.ImportFrom)]


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Give the statements of a module, also those under a condition."""
    for statement in body:
        if isinstance(statement, ast.If | ast.Try | ast.With):
            for field in ("body", "orelse", "finalbody"):
                yield from _statements(getattr(statement, field, []))
        else:
            yield statement


def _defined_by(statement: ast.stmt) -> list[str]:
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return [statement.name]
    targets = getattr(statement, "targets", [getattr(statement, "target", ast.Pass())])
    return [node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)]


def _definitions(module: str, name: str) -> Iterator[Place]:
    """Follow a name to where it is defined, through the modules that pass it on."""
    content = _module(module)
    if name in content.defined:
        yield module, name
        return
    for source, of in content.imported.get(name, ()):
        if of:
            yield from _definitions(source, of)
    if name not in content.imported and "__getattr__" in content.defined:  # imported when it is asked for
        home = getattr(getattr(import_module(module), name, None), "__module__", None)
        if home:
            yield from _definitions(home, name)


def _split(statement: ast.stmt) -> tuple[list[ast.AST], list[ast.FunctionDef]]:
    """Part a class from its methods, which are of use only where their names are."""
    if not isinstance(statement, ast.ClassDef):
        return [statement], []
    methods = [part for part in statement.body if isinstance(part, ast.FunctionDef)]
    rest = [part for part in statement.body if not isinstance(part, ast.FunctionDef)]
    head = ast.ClassDef(statement.name, statement.bases, statement.keywords, rest, statement.decorator_list)
    return [head], methods


def _names(module: str, nodes: list[ast.AST], attributes: set[str]) -> Iterator[Place]:
    """Give the names that code uses, and add to those of its attributes."""
    known = _module(module)
    for node in (inner for outer in nodes for inner in ast.walk(outer)):
        if isinstance(node, ast.Name) and (node.id in known.defined or node.id in known.imported):
            yield module, node.id
        elif isinstance(node, ast.Attribute):
            attributes.add(node.attr)
            if isinstance(node.value, ast.Name):
                for source, of in known.imported.get(node.value.id, ()):
                    yield f"{source}.{of}".rstrip("."), node.attr


def _essence(node: Any) -> Any:
    """Give what code is made of without its places, the same in every version of Python."""
    if isinstance(node, list):
        return [_essence(part) for part in node]
    if not isinstance(node, ast.AST):
        return repr(node)
    fields = [[name, _essence(value)] for name, value in ast.iter_fields(node) if value not in (None, [])]
    return [type(node).__name__, *fields]
