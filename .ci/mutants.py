"""Change the code in small ways, one at a time, and see whether the tests notice.

python .ci/mutants.py [MODULE ...]   prints every change that no test noticed, and the share of those noticed
"""

from __future__ import annotations

import ast
import contextlib
import copy
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

Change = Callable[[ast.AST], None]

ROOT = Path(__file__).parents[1]
# Which tests know a module: few, so that a change is judged in seconds.
TESTS = {
    "learning/signals/prior": ["prior_and_relevance", "seed_topic_classifier", "models"],
    "learning/signals/word_weights": ["prior_and_relevance", "phrases_and_weights", "models"],
    "learning/topics/em": ["em", "graph_and_manifold", "checkpoint", "explain", "models"],
    "seeds/bound": ["seeds", "phrases_and_weights", "seed_check"],
    "seeds/files": ["seeds", "seeds_files"],
    "seeds/toml_text": ["seeds_files"],
    "seeds/seeds": ["seeds", "phrases_and_weights", "tree", "seed_check", "suggest"],
}
LEAST_SHARE = 0.85
MOST_TIMES = 5  # a change that makes the tests run so many times as long is noticed

PAIRS = [
    (ast.Add, ast.Sub), (ast.Mult, ast.Div), (ast.BitAnd, ast.BitOr), (ast.Lt, ast.LtE), (ast.Gt, ast.GtE),
    (ast.Eq, ast.NotEq), (ast.In, ast.NotIn), (ast.Is, ast.IsNot), (ast.And, ast.Or),
]  # fmt: skip
SWAPS = {
    **dict(PAIRS),
    **{other: one for one, other in PAIRS},
    **dict.fromkeys((ast.FloorDiv, ast.Pow, ast.MatMult, ast.Mod), ast.Mult),
}


def mutants(source: str) -> Iterator[tuple[int, str, str]]:
    """Give the line, a description and the whole source of every change."""
    tree = ast.parse(source)
    nodes = list(ast.walk(tree))
    skipped = {inner for node in nodes for outer in _no_code(node) for inner in ast.walk(outer)}
    for place, node in enumerate(nodes):
        if node in skipped:
            continue
        for what, change in _changes(node):
            changed = copy.deepcopy(tree)
            change(list(ast.walk(changed))[place])
            line = getattr(node, "lineno", 0)
            yield line, what, ast.unparse(ast.fix_missing_locations(changed))


def _no_code(node: ast.AST) -> list[ast.AST]:
    """Name the parts of a node that say nothing of what the code does: types, docstrings, messages."""
    parts: list[ast.AST] = []
    if isinstance(node, ast.arg | ast.AnnAssign) and node.annotation:
        parts.append(node.annotation)
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.returns:
        parts.append(node.returns)
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        parts.append(node)
    if isinstance(node, ast.Raise) and node.exc:
        parts.append(node.exc)
    if isinstance(node, ast.ClassDef | ast.FunctionDef):
        parts.extend(node.decorator_list)
    if (
        isinstance(node, ast.Assign)
        and node.col_offset == 0
        and isinstance(node.value, ast.BinOp | ast.Subscript)
    ):
        parts.append(node)  # an alias of types, such as  Name = str | int
    return parts


def _changes(node: ast.AST) -> Iterator[tuple[str, Change]]:
    """Give the small changes that a node allows, each with a description."""
    if isinstance(node, ast.BinOp | ast.BoolOp | ast.AugAssign) and type(node.op) in SWAPS:
        swapped = SWAPS[type(node.op)]
        yield f"{type(node.op).__name__} -> {swapped.__name__}", _set("op", swapped())
    elif isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPS:
        swapped = SWAPS[type(node.ops[0])]
        yield f"{type(node.ops[0]).__name__} -> {swapped.__name__}", _set("ops", [swapped(), *node.ops[1:]])
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.Invert):
        yield f"without {type(node.op).__name__}", _set("op", ast.UAdd())
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield "without Not", _set("operand", ast.UnaryOp(ast.Not(), node.operand))
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield f"{node.value} -> {not node.value}", _set("value", not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        yield f"{node.value} -> {node.value + 1}", _set("value", node.value + 1)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value:
        yield f"{node.value[:20]!r} -> other text", _set("value", "XX" + node.value)
    elif isinstance(node, ast.If | ast.IfExp | ast.While):
        yield "condition turned round", _set("test", ast.UnaryOp(ast.Not(), node.test))
    elif isinstance(node, ast.Return | ast.Assign) and node.value is not None and not _is_none(node.value):
        yield "None instead", _set("value", ast.Constant(None))
    elif isinstance(node, ast.Break):
        yield "break -> continue", _set("__class__", ast.Continue)


def _set(field: str, value: object) -> Change:
    return lambda node: setattr(node, field, value)


def _is_none(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def judge(module: str, most_seconds: float, source: str) -> bool:
    """Tell whether some test fails, or does not end, with this source in the place of a module."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "src", Path(folder, "src"), symlinks=True)
        shutil.copytree(ROOT / "tests", Path(folder, "tests"), ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "pyproject.toml", folder)
        Path(folder, "src", "seedtopic", f"{module}.py").write_text(source, encoding="utf-8")
        child = os.fork()  # the large packages are imported once, before
        if child == 0:
            _run_tests(folder, module)
        ended = time.monotonic() + most_seconds
        while True:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                return status != 0
            if time.monotonic() > ended:
                os.kill(child, 9)
                os.waitpid(child, 0)
                return True
            time.sleep(0.05)


def _run_tests(folder: str, module: str) -> None:
    os.chdir(folder)
    sys.path.insert(0, str(Path(folder, "src")))
    os.environ["PYTHONPATH"] = str(Path(folder, "src"))
    nothing = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nothing, stream)
    code = 1
    with contextlib.suppress(BaseException):
        import pytest

        files = [f"src/seedtopic/{module}.py", *(f"tests/test_{name}.py" for name in TESTS[module])]
        code = pytest.main(
            ["-x", "-q", "-p", "no:cacheprovider", "-m", "not corpora and not slow and not torch", *files]
        )
    os._exit(int(code) != 0)


def main(modules: list[str]) -> None:
    """Judge the mutants of the modules, two at a time."""
    for package in ("sklearn.linear_model", "pandas", "rich.progress", "typer"):
        __import__(package)
    noticed = total = 0
    for module in modules:
        source = (ROOT / "src" / "seedtopic" / f"{module}.py").read_text(encoding="utf-8")
        began = time.monotonic()
        if judge(module, 3600.0, ast.unparse(ast.parse(source))):
            sys.exit(f"the tests of {module} fail without any change")
        most_seconds = MOST_TIMES * (time.monotonic() - began)
        made = list(mutants(source))
        killed = 0
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            verdicts = pool.map(partial(judge, module, most_seconds), [changed for *_, changed in made])
            for done, ((line, what, _), noticed_it) in enumerate(zip(made, verdicts, strict=True), start=1):
                killed += noticed_it
                if not noticed_it:
                    print(f"survived: {module}.py:{line}: {what} ({killed} of {done})", flush=True)  # noqa: T201
        print(f"{module}: {killed} of {len(made)} changes were noticed", flush=True)  # noqa: T201
        noticed, total = noticed + killed, total + len(made)
    print(f"in all: {noticed} of {total} = {noticed / total:.1%}")  # noqa: T201
    if noticed < LEAST_SHARE * total:
        sys.exit(f"fewer than {LEAST_SHARE:.0%} were noticed")


if __name__ == "__main__":
    main(sys.argv[1:] or list(TESTS))
