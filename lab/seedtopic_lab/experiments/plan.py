"""Plans: which systems run on which corpora with which seeds, how often, and how results are shown."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any, Literal

from seedtopic.base.errors import InputError
from seedtopic_lab.experiments.systems import is_supervised

QUICK_RUNS = 2
_PLANS = Path(__file__).with_name("plans")


@dataclass(frozen=True)
class System:
    """A model under its own name, with the settings of a plan.

    `swept` is the setting that a sweep varies, with its value here; None outside sweeps. `corpora` are the
    corpora of the plan that it runs on; empty for all.
    """

    name: str
    model: str
    parameters: Mapping[str, Any]
    runs: int
    quick_runs: int
    swept: tuple[str, Any] | None = None
    corpora: Sequence[str] = ()

    @property
    def unswept(self) -> str:
        """The name without the setting that a sweep varies: the same for all systems of the sweep."""
        if not self.swept:
            return self.name
        return self.name.removesuffix(_swept_name(*self.swept)).removesuffix(", ") or self.model


@dataclass(frozen=True)
class Setting:
    """A corpus and a seed set; the seed set is "" for systems that learn from labels.

    `purified` is whether a shared seed word is kept in one category: no, yes, by the draw of the recorded
    experiments, or "drawn", by another draw in each run.
    """

    corpus: str
    seeds: str = ""
    purified: bool | Literal["drawn"] = False

    @property
    def key(self) -> str:
        """The key of the paper's numbers in plans, such as "reuters10 SL"."""
        return f"{self.corpus} {self.seeds}".strip()


@dataclass(frozen=True)
class Task:
    """One measurement: a system in a setting; the run is also the random state."""

    system: System
    setting: Setting
    run: int

    @property
    def draw(self) -> int | None:
        """The random state that purifies the seeds, if every run draws anew."""
        return self.run if self.setting.purified == "drawn" else None


@dataclass(frozen=True)
class Plan:
    """A table or figure of the paper, as described in its TOML file.

    Attributes
    ----------
    name, title, text : str
        The file's name without its ending, a heading, and a sentence or two below it.
    measure : str
        The measure, see `seedtopic_lab.experiments.measures`; also the name of the CSV.
    table, figure : str
        The kinds of table and of figure, see `seedtopic_lab.experiments.tables` and `figures`; "" for none.
    systems, settings : list
        The systems to run, and the settings to run them in.
    scores : list of str
        The columns of the CSV to show.
    reference : dict
        The system that others are compared with, if any, and its seed set for t-tests.
    compared : list of str
        Systems that are ranked against each other.
    paper : dict
        The paper's numbers, in the form that the table needs.
    beside : str
        The plan whose rows the table shows as well, if any.
    points : list of dict
        The systems of a table of costs, see `seedtopic_lab.experiments.cost_points`.
    """

    name: str
    title: str
    measure: str
    table: str
    systems: list[System]
    settings: list[Setting]
    scores: list[str]
    text: str = ""
    figure: str = ""
    reference: Mapping[str, str] = field(default_factory=dict)
    compared: list[str] = field(default_factory=list)
    paper: Mapping[str, Any] = field(default_factory=dict)
    beside: str = ""
    points: list[dict[str, Any]] = field(default_factory=list)

    def settings_of(self, system: System) -> list[Setting]:
        """Return the settings of a system: those of its corpora, one per corpus if it learns from labels.

        Parameters
        ----------
        system : System
        """
        chosen = (s for s in self.settings if not system.corpora or s.corpus in system.corpora)
        return list(dict.fromkeys(self.place(system, setting) for setting in chosen))

    def place(self, system: System, setting: Setting) -> Setting:
        """Return the setting of a system's scores: that of the corpus alone if it learns from labels.

        Parameters
        ----------
        system : System
        setting : Setting
        """
        return Setting(setting.corpus) if is_supervised(system.model) else setting

    def sweeps(self) -> dict[str, dict[Any, System]]:
        """Return the systems of each sweep by the value of the setting that it varies."""
        sweeps: dict[str, dict[Any, System]] = {}
        for system in self.systems:
            if system.swept:
                sweeps.setdefault(system.unswept, {})[system.swept[1]] = system
        return sweeps

    def tasks(self, *, quick: bool = False) -> list[Task]:
        """List the measurements run by run, so that an interrupted plan has complete runs.

        Parameters
        ----------
        quick : bool
            Whether two runs of each system are enough.
        """
        tasks = [
            Task(system, setting, run)
            for system in self.systems
            for setting in self.settings_of(system)
            for run in range(min(system.runs, system.quick_runs) if quick else system.runs)
        ]
        return sorted(tasks, key=lambda task: task.run)


def find_plans(folder: str | Path) -> dict[str, Path]:
    """Find plans by name, tables before figures and 9 before 10.

    Parameters
    ----------
    folder : path
        A folder with plans of its own; without any, the plans of the package are meant.

    Examples
    --------
    >>> list(find_plans("a folder without plans"))[:3]
    ['table1', 'table3', 'table4']
    """
    paths = list(Path(folder).glob("*.toml")) or list(_PLANS.glob("*.toml"))
    return {path.stem: path for path in sorted(paths, key=lambda path: _natural(path.stem))}


def read_plan(path: str | Path) -> Plan:
    """Read a plan; missing entries are taken from the plan that it names with `like`.

    Parameters
    ----------
    path : path
        The path of its TOML file.
    """
    path = Path(path)
    content = _read(path)
    try:
        runs = content.pop("runs", 1)
        purified = content.pop("purified", False)
        places = product(
            content.pop("corpora"),
            content.pop("seeds"),
            purified if isinstance(purified, list) else [purified],
        )
        systems = [system for given in content.pop("systems") for system in _systems(given, runs)]
        plan = Plan(
            name=path.stem, systems=systems, settings=[Setting(*place) for place in places], **content
        )
    except (KeyError, TypeError) as error:
        raise InputError(f"the plan {path} is not complete or has an entry too many: {error}.") from None
    repeated = len(systems) - len({system.name for system in systems})
    if repeated:
        raise InputError(
            f"the plan {path} names {repeated} systems twice: give every system a different name."
        )
    for system in systems:
        unknown = set(system.corpora) - {setting.corpus for setting in plan.settings}
        if unknown:
            raise InputError(
                f"the plan {path} runs {system.name} on {', '.join(sorted(unknown))}: "
                "choose from the plan's own corpora."
            )
    return plan


def _read(path: Path) -> dict[str, Any]:
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"the plan {path} does not exist.") from None
    except (OSError, ValueError) as error:
        raise InputError(f"the plan {path} cannot be read: {error}.") from None
    like = content.pop("like", None)
    return {**_read(path.with_name(f"{like}.toml")), **content} if like else content


def _systems(given: dict[str, Any], runs: int) -> list[System]:
    """Make one system from an entry, or one for each value of its sweep."""
    given = {"runs": runs, "quick_runs": QUICK_RUNS, "parameters": {}, "model": "", **given}
    sweep = given.pop("sweep", None)
    if not sweep:
        return [System(**given)]
    (setting, values), *rest = sweep.items()
    if rest:
        raise InputError(f"a sweep varies one setting; got {', '.join(sweep)}: write a system for each.")
    prefix = f"{given.pop('name')}, " if "name" in given else ""
    return [
        System(
            **{**given, "parameters": {**given["parameters"], setting: value}},
            name=prefix + _swept_name(setting, value),
            swept=(setting, value),
        )
        for value in values
    ]


def _swept_name(setting: str, value: Any) -> str:
    return f"{setting} = {value}"


def _natural(name: str) -> tuple[int, str, int]:
    kind, number = re.fullmatch(r"(.*?)(\d*)", name).groups()  # type: ignore[union-attr]
    return (["table", "figure"].index(kind) if kind in ("table", "figure") else 2, kind, int(number or 0))
