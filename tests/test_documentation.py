"""Nothing public is without documentation, and the documentation has no loose ends.

What the pages show is run by test_howto.py; that Sphinx builds them without a warning is checked by make docs.
"""

from __future__ import annotations

import inspect
import re
import sys
import tomllib
from collections.abc import Callable, Iterator
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import pytest
import yaml

import seedtopic
import seedtopic.model

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
sys.path.insert(0, str(DOCS / "_ext"))

import command_pages  # noqa: E402 - from the folder named above
import module_pages  # noqa: E402
import offline  # noqa: E402

PUBLIC = {  # what users import, by module; without names, all that the module exports
    "seedtopic": (),
    "seedtopic.answers.annotation": (),
    "seedtopic.cli.demo": ("docstring_seeds", "load_docstrings"),
    "seedtopic.io.rows": ("Rows", "find_document", "read_documents"),
    "seedtopic.learning.topics.kernels": (),
    "seedtopic.model": (
        "LapSWTM",
        "SeedClassifier",
        "SeedTopicClassifier",
        "WSPTM",
        "load",
    ),
    "seedtopic.quality.audit": ("Audit", "CategoryAudit", "Sample", "draw", "estimate"),
    "seedtopic.quality.discover": ("Discovery", "NewCategory", "discover"),
    "seedtopic.quality.intervals": ("Estimate",),
    "seedtopic.quality.scores": ("CategoryScore", "Scores", "evaluate", "expected_calibration_error"),
    "seedtopic.quality.shares": ("GroupShares", "Groups", "Share", "Shares", "estimate_shares", "grouped"),
    "seedtopic.show.report": (),
    "seedtopic.web.app": ("make_app",),
    "seedtopic.web.limits": ("Limits",),
    "seedtopic_lab.experiments": (),
    "seedtopic_lab.svm": (),
}


def public_names() -> dict[str, Any]:
    """Everything that the public modules export, once, by its name."""
    found = {}
    for name, names in PUBLIC.items():
        module = import_module(name)
        for exported in names or getattr(module, "__all__", None) or module_pages.defined_in(module):
            value = getattr(module, exported)
            if inspect.isclass(value) or inspect.isfunction(value):
                found[f"{value.__module__}.{value.__qualname__}"] = value
    return found


def callables() -> Iterator[Any]:
    """Every public function, class and method, inherited ones too, for a test each."""
    found = {}
    for name, value in public_names().items():
        found[name] = value
        for method in module_pages.methods(value) if inspect.isclass(value) else ():
            held = inspect.getattr_static(value, method)
            function = getattr(held, "__func__", held)
            if inspect.isfunction(function):
                found[f"{function.__module__}.{function.__qualname__}"] = getattr(value, method)
    for name, value in found.items():
        yield pytest.param(value, id=name.removeprefix("seedtopic."))


def documented_parameters(docstring: str) -> set[str]:
    """The names in the sections Parameters and Attributes of a numpydoc docstring."""
    found: set[str] = set()
    sections = re.split(r"^(\w[\w ]*)\n-{3,}\n", docstring, flags=re.M)[1:]
    for title, body in zip(sections[::2], sections[1::2], strict=True):
        if title in ("Parameters", "Attributes", "Other Parameters"):
            names = re.findall(r"^(?=\S)(.*?)(?: :.*)?$", body.replace("\\\n", " "), re.M)
            found |= {name.strip().lstrip("*") for listed in names for name in listed.split(",")}
    return found


def test_the_parser_reads_numpydoc() -> None:
    docstring = (
        "Do.\n\nParameters\n----------\nx, y : int\n    Two.\n**z\n    Rest.\n\nReturns\n-------\nw : int\n"
    )
    assert documented_parameters(docstring) == {"x", "y", "z"}


@pytest.mark.parametrize("value", list(callables()))
def test_every_parameter_is_described(value: Callable[..., Any]) -> None:
    docstring = inspect.getdoc(value)
    assert docstring, "has no docstring"
    if inspect.isclass(value) and (issubclass(value, Exception) or getattr(value, "_is_protocol", False)):
        return  # raised by us, or called by nobody
    taken = set(inspect.signature(value).parameters) - {"self", "cls"}
    assert taken - documented_parameters(docstring) == set()


def test_every_exported_name_has_an_example_and_a_page() -> None:
    pages = module_pages.names_pages()
    for name, value in module_pages.exported().items():
        is_error = inspect.isclass(value) and issubclass(value, Exception)
        assert is_error or ">>>" in (value.__doc__ or ""), name
        assert f"seedtopic.{name}" in pages[f"{name}.rst"]
        assert name in pages["index.md"].split("{toctree}")[1].split()


@pytest.mark.torch
def test_every_module_says_what_it_is_and_has_a_page() -> None:
    pages = module_pages.modules_pages()
    for module in module_pages.modules():
        assert module.__doc__, module.__name__
        for name, value in module_pages.defined_in(module).items():
            described = f":: {module.__name__}.{name}" in pages[f"{module.__name__}.rst"]
            assert described or value in module_pages.exported().values(), f"{module.__name__}.{name}"


GENERATED = DOCS / "reference" / "generated"
PAGES = [
    page
    for page in sorted(DOCS.rglob("*.md"))
    if GENERATED not in page.parents and "_build" not in page.parts
]


COMMANDS = dict(command_pages.walk())
COMMANDS_PAGE = command_pages.page()


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_argument_and_option_is_described(name: str) -> None:
    command = COMMANDS[name]
    assert command.help, "has no help"
    _, _, section = COMMANDS_PAGE.partition(f"## {name}\n")
    section = section.split("\n## ")[0]
    for parameter in command.params:
        assert parameter.help, f"{parameter.name} has no help"
        for written in parameter.opts if parameter.param_type_name == "option" else [parameter.metavar]:
            assert re.search(rf"^\| `[^|]*{re.escape(written)}\b", section, re.M), written


def options_of(command: Any) -> set[str]:
    return {"--help", *(written for one in command.params for written in (*one.opts, *one.secondary_opts))}


@pytest.mark.parametrize("page", ["README.md", "docs"])
def test_the_commands_and_options_that_sentences_name_exist(page: str) -> None:
    files = [ROOT / page] if page.endswith(".md") else PAGES
    every = {"--version"}.union(*map(options_of, COMMANDS.values()))
    n_named = 0
    for file in files:
        text = re.sub(r"^```.*?^```", "", file.read_text(encoding="utf-8"), flags=re.S | re.M)
        for code in re.findall(r"(?<!`)`([^`\n]+)`(?!`)", text):
            words = code.split()
            named = [word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)]
            if words[0] == "seedtopic" and len(words) > 1 and not words[1].startswith("-"):
                own = [name for name in (" ".join(words[:3]), " ".join(words[:2])) if name in COMMANDS]
                assert own, f"{file}: {code}"
                assert set(named) <= options_of(COMMANDS[own[0]]), f"{file}: {code}"
            elif words[0] == "seedtopic" or words[0].startswith("--"):
                assert set(named) <= every, f"{file}: {code}"
            n_named += len(named)
    assert n_named > (1 if page.endswith(".md") else 100)


def test_every_exit_code_is_described() -> None:
    assert {0, 1, 2} <= set(command_pages.exit_codes())
    assert all(command_pages.exit_codes().values())


def test_every_environment_variable_is_described() -> None:
    page = (DOCS / "reference" / "environment.md").read_text(encoding="utf-8")
    sources = [*ROOT.glob("src/**/*.py"), *ROOT.glob("benchmarks/*.py")]
    used = {
        name
        for file in sources
        for name in re.findall(r"(?:DASK_)?SEEDTOPIC_[A-Z_]+", file.read_text("utf-8"))
    }
    assert {"SEEDTOPIC_DATA", "SEEDTOPIC_DEBUG"} <= used
    assert [name for name in sorted(used) if f"| `{name}` |" not in page] == []


def test_every_extra_is_described() -> None:
    page = (DOCS / "install.md").read_text(encoding="utf-8")
    for folder in (ROOT, ROOT / "lab"):
        project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        assert [extra for extra in project["optional-dependencies"] if f"`{extra}`" not in page] == []


def test_every_model_has_its_mathematics() -> None:
    page = (DOCS / "mathematics" / "index.md").read_text(encoding="utf-8")
    for name in seedtopic.model.MODELS:
        link = re.search(rf"\(([\w-]+\.md)\) \| `{name}` \|", page)
        assert link, name
        assert f"seedtopic.{name}`" in (DOCS / "mathematics" / link[1]).read_text(encoding="utf-8")


pages = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
TEXTS = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
TEXTS += [ROOT / "experiments" / "README.md", ROOT / "benchmarks" / "README.md"]


def in_toctree(page: Path) -> set[Path]:
    """The pages that a page lists."""
    blocks = re.findall(r"```\{toctree\}\n(.*?)```", page.read_text(encoding="utf-8"), re.S)
    entries = [line for block in blocks for line in block.splitlines() if line and not line.startswith(":")]
    names = [re.sub(r".*<(.+)>", r"\1", entry) for entry in entries]  # an entry may have a title of its own
    return {(page.parent / f"{name}.md").resolve() for name in names}


def test_every_page_is_in_a_table_of_contents() -> None:
    reached, new = set(), {DOCS / "index.md"}
    while new:
        reached |= new
        new = {page for known in new for page in in_toctree(known) if page.is_file()} - reached
    assert [str(page.relative_to(DOCS)) for page in PAGES if page not in reached] == []


@pytest.mark.parametrize("page", [*PAGES, *TEXTS], ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_relative_link_leads_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.S)
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if link.startswith(("http:", "https:", "#")):
            continue
        target = (page.parent / link.partition("#")[0]).resolve()
        made = GENERATED in target.parents and target.name == "index.md"
        assert made or target.exists(), link


@pages
def test_every_name_that_is_linked_to_exists(page: Path) -> None:
    for name in re.findall(r"\{py:\w+\}`~?(seedtopic[\w.]*)`", page.read_text(encoding="utf-8")):
        found: Any = import_module(name.partition(".")[0])
        for end, part in enumerate(name.split(".")[1:], 2):
            if not hasattr(found, part):
                import_module(".".join(name.split(".")[:end]))
            found = getattr(found, part)


ARCHITECTURE = (DOCS / "architecture.md").read_text(encoding="utf-8")
SOURCE = ROOT / "src" / "seedtopic"


def rooms() -> dict[str, set[str]]:
    """Return what each room may import, by the table of the architecture."""
    rows = re.findall(r"^\| `(\w+)/` \| .+ \| (.+) \|$", ARCHITECTURE, re.M)
    above: dict[str, set[str]] = {}
    for name, cell in rows:
        above[name] = {"nothing of ours": set(), "all": set(above)}.get(cell, set(cell.split(", ")))
    return above


def test_the_rooms_are_those_of_the_package_in_the_order_of_the_layers() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (layers,) = (one["layers"] for one in project["tool"]["importlinter"]["contracts"] if "layers" in one)
    there = sorted(part.name for part in iter_modules(seedtopic.__path__) if part.ispkg)
    assert sorted(rooms()) == there
    assert {f"seedtopic.{name}" for name in there} == set(layers)
    place = {layer.removeprefix("seedtopic."): -number for number, layer in enumerate(layers)}
    assert [
        (name, low) for name, lower in rooms().items() for low in lower if place[low] >= place[name]
    ] == []


@pytest.mark.parametrize("room", rooms())
def test_a_room_imports_what_the_architecture_says(room: str) -> None:
    declared = {"seeds": {"quality"}}.get(room, set())  # the doors up: Seeds.check and Seeds.suggest
    for path in (SOURCE / room).rglob("*.py"):
        imported = re.findall(r"^ *(?:from|import) seedtopic\.(\w+)", path.read_text(encoding="utf-8"), re.M)
        assert set(imported) <= rooms()[room] | declared | {room}, path


def test_the_files_and_names_on_the_page_of_the_architecture_exist() -> None:
    named = set(re.findall(r"`((?:\w+/)+\w+\.(?:py|md|toml))`", ARCHITECTURE))
    assert len(named) > 30
    homes = (SOURCE, ROOT)
    assert [file for file in sorted(named) if not any((home / file).is_file() for home in homes)] == []
    folders = set(re.findall(r"`((?:\w+/)+)`", ARCHITECTURE))
    homes = (*homes, SOURCE / "learning", SOURCE / "model", SOURCE / "web")
    assert [folder for folder in sorted(folders) if not any((home / folder).is_dir() for home in homes)] == []
    pairs = re.findall(r"`((?:\w+/)+\w+)\.py` `([\w.]+)`", ARCHITECTURE)
    pairs += [pair[::-1] for pair in re.findall(r"`([\w.]+)` \(`((?:\w+/)+\w+)\.py`", ARCHITECTURE)]
    assert len(pairs) > 40
    for file, name in pairs:
        if (SOURCE / f"{file}.py").is_file():
            module = f"seedtopic.{file.replace('/', '.')}".removesuffix(".__init__")
            attrgetter(name)(import_module(module))
        else:
            assert re.search(rf"^{name}\b", (ROOT / f"{file}.py").read_text(encoding="utf-8"), re.M), name


def test_the_page_of_the_architecture_can_be_read_in_one_sitting() -> None:
    assert len(ARCHITECTURE.splitlines()) <= 220


def test_the_citation_names_this_version_and_the_paper_of_every_model() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "message", "title", "authors", "version", "license"} <= set(cited)
    assert (cited["cff-version"], cited["version"]) == ("1.2.0", seedtopic.__version__)
    for paper in cited["references"]:
        assert {"type", "title", "authors", "year"} <= set(paper)
        assert paper["type"] in ("article", "conference-paper")
        assert all({"family-names", "given-names"} == set(author) for author in paper["authors"])
    notes = " ".join(paper["notes"] for paper in cited["references"])
    assert [name for name in seedtopic.model.MODELS if name not in notes] == []


def test_the_license_stands_beside_the_code() -> None:
    assert (ROOT / "LICENSE").read_text(encoding="utf-8").startswith("MIT License")


def test_every_command_is_shown_on_a_page() -> None:
    told = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    assert [name for name in COMMANDS if not re.search(rf"{name}\b", told)] == []


def test_what_a_page_loads_from_elsewhere_is_found(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(
        '<a href="https://a.org/x">a link is no load</a><img src="here.svg"><script src="//b.org/x.js"></script>'
        '<link rel="stylesheet" href="https://c.org/x.css">'
    )
    (tmp_path / "page.css").write_text("@import url('https://d.org/f.css'); a {background: url(here.png)}")
    assert list(offline.loaded_from_elsewhere(tmp_path)) == [
        "page.css loads https://d.org/f.css",
        "page.html loads //b.org/x.js",
        "page.html loads https://c.org/x.css",
    ]


def test_every_target_of_the_makefile_is_described() -> None:
    phony = re.findall(r"^\.PHONY: (.+)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert [name for name in " ".join(phony).split() if f"make {name} " not in page] == []
