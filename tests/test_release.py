"""The files around the code say the same as the code: versions, dates, targets, extras, dependencies."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

import seedtopic

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
SECTIONS = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}  # of Keep a Changelog


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def read_yaml(name: str) -> Any:
    return yaml.safe_load(text(name))


def targets() -> set[str]:
    return set(re.findall(r"^([a-z][a-z-]*):", text("Makefile"), re.M))


def test_one_version_everywhere() -> None:
    recipe = read_yaml("recipe/recipe.yaml")
    newest = re.findall(r"^## (\S+)", text("CHANGELOG.md"), re.M)[0]
    found = {
        PROJECT["project"]["version"],
        seedtopic.__version__,
        read_yaml("CITATION.cff")["version"],
        recipe["context"]["version"],
        newest,
    }
    assert found == {seedtopic.__version__}


def test_the_changelog_has_the_usual_sections_and_the_date_of_the_citation() -> None:
    changelog = text("CHANGELOG.md")
    dates = re.findall(r"^## [\d.]+ - (\d{4}-\d\d-\d\d)$", changelog, re.M)
    assert dates[0] == str(read_yaml("CITATION.cff")["date-released"])
    assert dates == sorted(dates, reverse=True)
    for release in re.split(r"^## ", changelog, flags=re.M)[1:]:
        sections = re.findall(r"^### (.+)$", release, re.M)
        assert set(sections) <= SECTIONS
        assert len(sections) == len(set(sections))
    entries = re.findall(r"^- .+$", changelog, re.M)
    assert sorted(set(entries)) == sorted(entries), "an entry is there twice"


def test_workflows_call_targets_that_exist_and_all_that_ci_runs() -> None:
    called: set[str] = set()
    for workflow in WORKFLOWS:
        for job in yaml.safe_load(workflow.read_text(encoding="utf-8"))["jobs"].values():
            commands = [step["run"] for step in job["steps"] if "run" in step]
            named = set(re.findall(r"make ([a-z][a-z-]*)", "\n".join(commands)))
            called |= named | set(job.get("strategy", {}).get("matrix", {}).get("target", []))
            assert all(command.startswith("make ") for command in commands), commands
    assert called <= targets()
    ours = set(re.findall(r"make ([a-z-]+)", text(".ci/run"))) - {"test-corpora"}  # which are not everywhere
    assert ours <= called


@pytest.mark.parametrize("name", ["CONTRIBUTING.md", ".readthedocs.yaml", ".ci/run"])
def test_targets_that_are_named_exist(name: str) -> None:
    named = set(re.findall(r"(?:^|`|- )make ([a-z][a-z-]+)", text(name), re.M))
    assert named
    assert named <= targets()


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_pinned_and_nothing_but_publishing_may_write(workflow: Path) -> None:
    content = workflow.read_text(encoding="utf-8")
    for action in re.findall(r"uses: (\S+)", content):
        assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", action), action
    jobs = yaml.safe_load(content)
    assert jobs["permissions"] == {"contents": "read"}
    writing = {name: job["permissions"] for name, job in jobs["jobs"].items() if "permissions" in job}
    assert writing == ({"publish": {"id-token": "write"}} if workflow.stem == "release" else {})


def test_extras_that_are_named_exist() -> None:
    extras = set(PROJECT["project"]["optional-dependencies"])
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "Makefile", ROOT / "Containerfile"]
    named = set()
    for page in pages:
        found = re.findall(
            r"(?:'\.|\"\.|seedtopic|whl\)|'seedtopic)\[([a-z,-]+)\]", page.read_text(encoding="utf-8")
        )
        named |= {extra for listed in found for extra in listed.split(",")}
    assert {"studio", "dev", "docs", "release"} <= named
    assert named <= extras
    listed = set(
        re.findall(r"`([a-z-]+)`", re.findall(r"\| extra \|.*?\n\n", text("docs/install.md"), re.S)[0])
    )
    assert extras <= listed


def test_groups_are_the_extras() -> None:
    groups, extras = PROJECT["dependency-groups"], PROJECT["project"]["optional-dependencies"]
    assert {"dev", "docs", "test"} <= set(groups)
    for entry in (entry for group in groups.values() for entry in group):
        if isinstance(entry, dict):
            assert entry["include-group"] in groups
        elif entry.startswith("seedtopic["):
            assert entry[len("seedtopic[") : -1] in extras


def test_the_recipe_has_the_dependencies_of_the_package() -> None:
    recipe = read_yaml("recipe/recipe.yaml")
    ours = {requirement.replace(">=", " >=") for requirement in PROJECT["project"]["dependencies"]}
    assert set(recipe["requirements"]["run"]) - {"python"} == ours
    assert set(recipe["about"]["license_file"]) == set(PROJECT["project"]["license-files"])
    assert recipe["about"]["license"] == PROJECT["project"]["license"]


def test_every_check_that_is_left_out_has_a_reason() -> None:
    reasons = re.findall(r"^\| ((?:`[A-Z]+\d+`(?:, )?)+).* \| \S.+ \|$", text("CONTRIBUTING.md"), re.M)
    named = [code for row in reasons for code in re.findall(r"`([A-Z]+\d+)`", row)]
    assert sorted(named) == sorted(PROJECT["tool"]["repo-review"]["ignore"])


def test_the_container_runs_without_rights_and_says_whether_it_is_healthy() -> None:
    container = text("Containerfile")
    assert re.search(r"^USER [1-9]\d+$", container, re.M)
    assert container.rindex("USER") < container.index("ENTRYPOINT")
    assert "/health'" in re.search(r"^HEALTHCHECK .*\\\n.*$", container, re.M)[0]  # type: ignore[index]
    assert '"seedtopic", "serve", "/model"' in container


def test_classifiers_name_the_pythons_that_are_allowed() -> None:
    project = PROJECT["project"]
    minors = [int(found[1]) for line in project["classifiers"] if (found := re.search(r":: 3\.(\d+)$", line))]
    oldest = int(project["requires-python"].removeprefix(">=3."))
    assert minors == list(range(oldest, oldest + len(minors)))
