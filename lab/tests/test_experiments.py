"""Plans, runner, results, tables and figures, on a toy corpus; the real plans are checked, not run."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from seedtopic import InputError, MissingExtraError
from seedtopic.cli.app import app
from seedtopic.cli.console import Terminal
from seedtopic.model import WSPTM, SeedTopicClassifier
from seedtopic.model.drift import word_counts
from seedtopic_lab.corpora import Dataset
from seedtopic_lab.experiments import Recorded, find_plans, freshness, measures, read_plan, run, write_report
from seedtopic_lab.experiments import material as material_module
from seedtopic_lab.experiments.figures import FIGURES
from seedtopic_lab.experiments.freshness import code_of
from seedtopic_lab.experiments.measures import MEASURES
from seedtopic_lab.experiments.perplexity import Folded, Unigram, perplexities
from seedtopic_lab.experiments.recorded import key_of, open_results
from seedtopic_lab.experiments.results import KEY
from seedtopic_lab.experiments.systems import ENTRIES, Entry, settings
from seedtopic_lab.experiments.tables import TABLES
from seedtopic_lab.reproduce import reproduce

EXPERIMENTS = Path(__file__).parents[2] / "experiments"
PLANS = find_plans(EXPERIMENTS)
PLAN = """
title = "Toy table"
measure = "classification"
table = "scores"
scores = ["test_micro", "test_macro"]
compared = ["WSPTM", "SVM", "LapSWTM"]
corpora = ["toy"]
seeds = ["SL"]
runs = 3

[[systems]]
name = "WSPTM"
model = "WSPTM"
parameters = { max_iter = 3 }

[[systems]]
name = "LapSWTM"
model = "LapSWTM"
parameters = { max_iter = 3 }
runs = 1

[[systems]]
name = "SVM"
model = "SVM"
parameters = { min_df = 1 }
runs = 1

[paper.WSPTM]
"toy SL" = [0.9, 0.8]
"""


@pytest.fixture
def folder(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    toy_texts: list[str],
    toy_labels: list[str],
    toy_seeds: dict[str, list[str]],
) -> Path:
    """A folder with one plan, on the toy corpus of the other tests."""
    split = ["train"] * 24 + ["test"] * 12
    ids = [str(row) for row in range(36)]
    toy = Dataset("toy", toy_texts, toy_labels, split, sorted(set(toy_labels)), ids)
    seeds = dict(sorted(toy_seeds.items()))

    def fetch(name: str) -> Dataset:
        if name != "toy":
            raise InputError(f"there is no corpus {name!r}")
        return toy

    monkeypatch.setattr(material_module, "fetch_corpus", fetch)
    monkeypatch.setattr(material_module, "published_seeds", lambda name, which, *, purified, draw: seeds)
    (tmp_path / "toy.toml").write_text(PLAN)
    return tmp_path


def rows(folder: Path, measure: str = "classification") -> list[dict[str, str]]:
    with (folder / "results" / f"{measure}.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_rows_say_what_made_them(folder: Path) -> None:
    assert run(folder / "toy.toml", folder).added == 5
    first = rows(folder)[0]
    assert (first["system"], first["corpus"], first["seeds"], first["run"]) == ("WSPTM", "toy", "SL", "0")
    parameters = json.loads(first["parameters"])
    assert parameters["max_iter"] == 3
    assert parameters["rho"] == 0.9  # a default: were it changed, the row would be of another computation
    assert "n_threads" not in parameters
    assert float(first["test_micro"]) == 1.0
    svm = next(row for row in rows(folder) if row["system"] == "SVM")
    assert (svm["seeds"], svm["purified"]) == ("", "")


def test_nothing_is_run_twice_and_quick_runs_are_reused(folder: Path) -> None:
    assert run(folder / "toy.toml", folder, quick=True).added == 4
    seen: list[tuple[str, int, int]] = []
    outcome = run(folder / "toy.toml", folder, progress=lambda *step: seen.append(step))
    assert outcome.added == 1
    assert seen == [("toy", 0, 1), ("toy", 1, 1)]
    assert run(folder / "toy.toml", folder).added == 0
    assert [row["run"] for row in rows(folder) if row["system"] == "WSPTM"] == ["0", "1", "2"]


def test_a_changed_setting_is_another_computation(folder: Path) -> None:
    run(folder / "toy.toml", folder, quick=True)
    (folder / "toy.toml").write_text(PLAN.replace("max_iter = 3 }\n\n", "max_iter = 4 }\n\n", 1))
    plan = read_plan(folder / "toy.toml")
    assert Recorded.of(plan, folder).runs(plan.systems[0]) == 0
    assert run(plan, folder, quick=True).added == 2


def test_an_interrupted_run_goes_on(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = 0
    original = MEASURES["classification"]

    def interrupted(*arguments: object) -> dict[str, float]:
        nonlocal done
        done += 1
        if done == 3:
            raise KeyboardInterrupt
        return original.function(*arguments)  # type: ignore[arg-type]

    monkeypatch.setitem(
        measures.MEASURES,
        "classification",
        measures.Measure(interrupted, original.columns, original.complete),
    )
    with pytest.raises(KeyboardInterrupt):
        run(folder / "toy.toml", folder)
    assert len(rows(folder)) == 2
    assert run(folder / "toy.toml", folder).added == 3


def test_a_half_written_line_is_mended(folder: Path) -> None:
    run(folder / "toy.toml", folder)
    path = folder / "results" / "classification.csv"
    whole = path.read_bytes()
    path.write_bytes(whole[:-30])
    assert run(folder / "toy.toml", folder).added == 1
    again = rows(folder)
    assert len(again) == 5
    assert all(None not in row.values() for row in again)
    assert len({(row["model"], row["run"]) for row in again}) == 5


def test_other_columns_are_refused(folder: Path) -> None:
    (folder / "results").mkdir()
    (folder / "results" / "classification.csv").write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match="move it away"):
        run(folder / "toy.toml", folder)


def test_the_same_row_again(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    run(folder / "toy.toml", folder)
    run(folder / "toy.toml", elsewhere)
    timeless = [[{**row, "seconds": ""} for row in rows(place)] for place in (folder, elsewhere)]
    assert timeless[0] == timeless[1]


def test_what_is_not_there_is_left_out_and_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*arguments: object, **options: object) -> None:
        raise MissingExtraError("WSPTM", "torch", "westclass", distribution="./lab")

    monkeypatch.setattr(WSPTM, "fit", missing)
    outcome = run(folder / "toy.toml", folder)
    assert outcome.added == 2
    assert [sentence for sentence in outcome.skipped if "./lab[westclass]" in sentence]
    (folder / "toy.toml").write_text(PLAN.replace('corpora = ["toy"]', 'corpora = ["gone"]'))
    outcome = run(folder / "toy.toml", folder)
    assert outcome.added == 0
    assert outcome.skipped == ["5 results on gone are left out: there is no corpus 'gone'"]


def test_tables_show_ours_the_paper_and_what_is_missing(folder: Path) -> None:
    run(folder / "toy.toml", folder, quick=True)
    (folder / "README.md").write_text("Hand-written.\n<!-- begin toy -->\nold\n<!-- end toy -->\nMore.\n")
    section = write_report(read_plan(folder / "toy.toml"), folder)
    assert "| WSPTM | 1.000 (.900) / 1.000 (.800) |" in section
    assert "Not complete yet: WSPTM (2 of 3 runs)." in section
    readme = (folder / "README.md").read_text()
    assert readme == f"Hand-written.\n<!-- begin toy -->\n{section}\n<!-- end toy -->\nMore.\n"


def test_systems_with_fewer_runs_take_part_again(folder: Path) -> None:
    text = PLAN.replace('WSPTM", "SVM"', 'WSPTM"').replace('model = "LapSWTM"', 'model = "PLDNB"')
    (folder / "toy.toml").write_text(text)
    run(folder / "toy.toml", folder)
    recorded = Recorded.of(read_plan(folder / "toy.toml"), folder)
    names, every_run = recorded.matrix("test_micro", averaged=False)
    assert names == ["WSPTM", "LapSWTM"]
    assert every_run.shape == (3, 2)
    assert recorded.matrix("test_micro", averaged=True)[1].shape == (1, 2)


def test_a_random_system_with_fewer_than_three_runs_has_no_rank(folder: Path) -> None:
    (folder / "toy.toml").write_text(PLAN)
    run(folder / "toy.toml", folder)
    recorded = Recorded.of(read_plan(folder / "toy.toml"), folder)
    assert recorded.matrix("test_micro", averaged=True)[0] == ["WSPTM", "SVM"]


@pytest.mark.parametrize(("model", "shown"), [("PLDNB", ".250 ‡"), ("LapSWTM", ".250")])
def test_significance_marks(folder: Path, model: str, shown: str) -> None:
    """One run of a deterministic system is enough for a mark, one run of a random system is not."""
    text = PLAN.replace('model = "LapSWTM"', f'model = "{model}"').replace(
        'scores = ["test_micro", "test_macro"]', 'scores = ["test_micro"]'
    )
    text = text.replace("[0.9, 0.8]", "0.9").replace(
        "corpora", 'reference = {system = "WSPTM", seeds = "SL"}\ncorpora'
    )
    (folder / "toy.toml").write_text(text)
    run(folder / "toy.toml", folder)
    path = folder / "results" / "classification.csv"
    lines = path.read_text().splitlines()
    worse = [
        re.sub(r",SL,false,0,[^,]*,", ",SL,false,0,0.25,", line) if line.startswith("Lap") else line
        for line in lines
    ]
    path.write_text("\n".join(worse) + "\n")
    section = write_report(read_plan(folder / "toy.toml"), folder)
    assert f"| LapSWTM | {shown} |" in section
    assert "| WSPTM | 1.000 ±.000 (.900) |" in section


def test_a_missing_seed_list_leaves_out_its_own_rows_alone(
    folder: Path, toy_seeds: dict[str, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def published(name: str, which: str, *, purified: bool, draw: int | None) -> dict[str, list[str]]:
        if which == "SD":
            raise InputError("there is no seed list toy.SD.toml.")
        return toy_seeds

    monkeypatch.setattr(material_module, "published_seeds", published)
    (folder / "toy.toml").write_text(PLAN.replace('["SL"]', '["SD", "SL"]'))
    outcome = run(folder / "toy.toml", folder)
    assert outcome.skipped == ["4 results on toy SD are left out: there is no seed list toy.SD.toml."]
    assert outcome.added == 5  # with SL: three runs of WSPTM, one of LapSWTM; the SVM needs no seeds


def test_every_run_may_draw_its_own_purified_seeds(
    folder: Path, toy_seeds: dict[str, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def published(name: str, which: str, *, purified: bool, draw: int | None) -> dict[str, list[str]]:
        asked.append((purified, draw))
        return toy_seeds

    monkeypatch.setattr(material_module, "published_seeds", published)
    text = PLAN.replace("runs = 3", 'purified = "drawn"\nruns = 3', 1).replace('"scores"', '"spreads"')
    (folder / "toy.toml").write_text(text)
    run(folder / "toy.toml", folder)
    assert {(True, draw) for draw in range(3)} <= set(asked)
    assert "1.000 ±.000 / 1.000 ±.000" in write_report(read_plan(folder / "toy.toml"), folder)


def test_rows_of_older_code_are_checked_by_a_sample(folder: Path) -> None:
    path = folder / "toy.toml"
    run(path, folder)
    code = code_of("WSPTM")
    results = folder / "results" / "classification.csv"
    results.write_text(results.read_text().replace(code, "older"))
    assert run(path, folder).added == 0  # an older row is a row
    assert {row["code"] for row in rows(folder) if row["system"] == "WSPTM"} == {"older"}
    assert run(path, folder, renew=True).added == 0
    assert {row["code"] for row in rows(folder) if row["system"] == "WSPTM"} == {code}

    changed = [
        re.sub(r",false,(\d),[^,]*,", r",false,\1,0.123,", line).replace(code, "older")
        for line in results.read_text().splitlines()
    ]
    results.write_text("\n".join(changed) + "\n")
    assert run(path, folder, renew=True).added == 3  # the runs of WSPTM; LapSWTM has the code it should
    assert {row["test_micro"] for row in rows(folder) if row["system"] == "WSPTM"} == {"1"}


def test_the_code_behind_the_default_is_all_that_its_labels_come_from() -> None:
    modules = {module for module, _ in freshness.reached("SeedTopicClassifier")}
    assert {
        "seedtopic.learning.graph.blocks",
        "seedtopic.knowledge.tables",
        "seedtopic.model.training",
        "seedtopic.model.vectors",
        "seedtopic.seeds.bound",
    } <= modules
    assert ("seedtopic.model.vectors", "LEAST_KNOWN") in freshness.reached("SeedTopicClassifier")
    assert not any(module.startswith(("seedtopic_lab.stm", "seedtopic.web.studio")) for module in modules)


TOY_MODEL = '''"""A model."""

from __future__ import annotations

from {helper} import share

LEAST = 2


class Toy:
    """It learns."""

    def fit(self, texts: {type}) -> Toy:
        from {helper} import least  # a relative import, or not

        self.transduction_ = self._shares(texts) if least() > LEAST else None
        return self

    def _shares(self, texts):
        return share(texts)

    def tell_nobody(self, texts):
        {unasked}
'''
TOY_HELPER = '''"""{doc}"""


def share(texts):
    """{doc}"""
    return {share}  # {doc}


def least():
    return 1


def unused():
    return {unused}
'''


def test_the_fingerprint_sees_code_wherever_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fingerprint(package: str, helper: str = "helper", relative: bool = True, **parts: str) -> str:
        parts = {
            "type": "list",
            "unasked": "pass",
            "doc": "Sums.",
            "share": "sum(texts)",
            "unused": "0",
            **parts,
        }
        name = f"toys_of_{package}"
        folder = tmp_path / name
        folder.mkdir()
        (folder / "__init__.py").write_text("")
        place = f".{helper}" if relative else f"{name}.{helper}"
        (folder / "model.py").write_text(TOY_MODEL.format(helper=place, **parts))
        (folder / f"{helper}.py").write_text(TOY_HELPER.format(**parts))
        monkeypatch.setattr(freshness, "OURS", (*freshness.OURS, name))
        monkeypatch.setitem(ENTRIES, name, Entry(f"{name}.model:Toy", "texts"))
        return code_of(name)

    monkeypatch.syspath_prepend(tmp_path)
    plain = fingerprint("a")
    assert plain == fingerprint("b", helper="elsewhere", relative=False)
    assert plain == fingerprint("c", doc="Otherwise.", type="Sequence[str]")
    assert plain == fingerprint("d", unused="1", unasked="return texts")
    assert plain != fingerprint("e", share="max(texts)")


@pytest.mark.corpora
def test_no_recorded_row_is_older_than_its_code() -> None:
    """If it fails:  seedtopic reproduce all --renew."""
    older = set()
    for path in PLANS.values():
        plan = read_plan(path)
        results = open_results(plan, EXPERIMENTS)
        for task in plan.tasks():
            try:
                key = key_of(plan, task)
            except ImportError:  # packages of other people, which this environment lacks
                continue
            if results.find(key) is not None and results.is_stale(key):
                older.add((plan.name, task.system.name))
    assert not older


def test_every_recorded_row_belongs_to_a_plan() -> None:
    wanted: dict[str, set[Any]] = {}
    for path in PLANS.values():
        plan = read_plan(path)
        wanted.setdefault(plan.measure, set()).update(key_of(plan, task) for task in plan.tasks())
    for measure, keys in wanted.items():
        with (EXPERIMENTS / "results" / f"{measure}.csv").open(encoding="utf-8", newline="") as file:
            left = [row["system"] for row in csv.DictReader(file) if tuple(row[k] for k in KEY) not in keys]
        assert not left, measure


def test_marked_labels_and_corpora_by_hand(
    folder: Path, toy_texts: list[str], toy_seeds: dict[str, list[str]]
) -> None:
    seed_words = {word for words in toy_seeds.values() for word in words}
    unseeded = sum(not seed_words & set(text.split()) for text in toy_texts)
    for measure, parameters in (("marked", "{ P = 0 }"), ("corpora", "{}")):
        text = (
            PLAN.split("[[systems]]")[0]
            .replace("classification", measure)
            .replace('"scores"', f'"{measure}"')
        )
        (folder / f"{measure}.toml").write_text(
            f'{text}\n[[systems]]\nname = "one"\nruns = 1\nparameters = {parameters}\n'
        )
        run(folder / f"{measure}.toml", folder)
        assert "| toy" in write_report(read_plan(folder / f"{measure}.toml"), folder)
    marked, corpora = rows(folder, "marked")[0], rows(folder, "corpora")[0]
    assert int(marked["unmarked"]) == unseeded
    assert int(marked["true_marked"]) == 36 - unseeded  # no toy document has a seed of another category
    assert (corpora["documents"], corpora["train"], corpora["categories"]) == ("36", "24", "3")
    assert float(corpora["seeds_per_category"]) == pytest.approx(7 / 3, rel=1e-5)


def test_priors_of_a_document(folder: Path) -> None:
    text = PLAN.split("[[systems]]")[0].replace("classification", "priors").replace('"scores"', '"priors"')
    for name, more in (
        ("Eq. 1", 'prior = "alpha"'),
        ("oracle", 'prior = "b", rho = 0.5, label_frequency = "oracle"'),
    ):
        text += f'\n[[systems]]\nname = "{name}"\nruns = 1\nparameters = {{ documents = ["0"], {more} }}\n'
    (folder / "priors.toml").write_text(text)
    run(folder / "priors.toml", folder)
    alpha, oracle = (json.loads(row["priors"])["0"] for row in rows(folder, "priors"))
    assert alpha == [0.01, 10.01, 0.01]  # "team won game goal": a seed of sports, the second in the alphabet
    third = 10 * 0.5 / 3 + 0.01
    assert oracle == pytest.approx([third, third + 5, third], abs=1e-4)
    assert "| 0 | Eq. 1 | 0.01 | 10.01 | 0.01 |" in write_report(read_plan(folder / "priors.toml"), folder)


def test_unigram_perplexity_by_hand() -> None:
    train = sp.csr_array(np.array([[1.0, 1.0], [1.0, 1.0]], dtype=np.float32))
    test = sp.csr_array(np.array([[40.0, 0.0], [10.0, 30.0]], dtype=np.float32))
    found = perplexities(Unigram.of(train), test, 0)
    assert found == {"whole": pytest.approx(2.0), "completion": pytest.approx(2.0)}
    assert test.toarray().tolist() == [[40.0, 0.0], [10.0, 30.0]]  # the caller's counts are left alone


@pytest.mark.parametrize("estep", ["paper", "bayes"])
def test_topic_perplexity_against_a_slow_reference(
    toy_texts: list[str], toy_seeds: dict[str, list[str]], estep: str
) -> None:
    model = WSPTM(toy_seeds, max_iter=5, random_state=0, estep=estep, n_background=2).fit(toy_texts)
    counts = word_counts(model, toy_texts[:6])
    alpha = model.fitted_.stages[0].prior_of(counts)
    total = 0.0
    for d, row in enumerate(counts.toarray()):
        theta, theta_hat = alpha[d] / alpha[d].sum(), np.full(2, 0.5)
        for step in range(51):
            topic, background = (
                theta[:, None] * model.topic_word_,
                theta_hat[:, None] * model.background_word_,
            )
            delta = np.clip(model.relevance_ @ theta, 1e-6, 1 - 1e-6)
            evidence = delta * topic.sum(axis=0) + (1 - delta) * background.sum(axis=0)
            if step == 50:
                total += float(row @ np.log(evidence))
                break
            share = delta * topic.sum(axis=0) / evidence if estep == "bayes" else delta
            weight = row * model.word_weights_
            m = (weight * share * topic / topic.sum(axis=0)).sum(axis=1) + alpha[d]
            m_hat = (weight * (1 - share) * background / background.sum(axis=0)).sum(
                axis=1
            ) + model.alpha_background
            theta, theta_hat = m / m.sum(), m_hat / m_hat.sum()
    found = perplexities(Folded(model), counts, 0)
    assert found["whole"] == pytest.approx(np.exp(-total / counts.sum()), rel=1e-3)
    assert found["completion"] > found["whole"]


def test_figures_are_the_same_file_again(folder: Path) -> None:
    sweep = PLAN.split("[[systems]]")[0].replace("seeds =", 'figure = "sweep"\nseeds =')
    sweep += '\n[[systems]]\nmodel = "WSPTM"\nparameters = { max_iter = 2 }\nsweep = { rho = [0.1, 0.9] }\n'
    (folder / "sweep.toml").write_text(sweep)
    (folder / "ranks.toml").write_text(PLAN.replace("seeds =", 'figure = "ranks"\nseeds =', 1))
    for name in ("sweep", "ranks"):
        plan = read_plan(folder / f"{name}.toml")
        write_report(plan, folder)  # with no rows at all
        run(plan, folder, quick=True)
        assert f"figures/{name}.svg" in write_report(plan, folder)
        first = (folder / "figures" / f"{name}.svg").read_bytes()
        write_report(plan, folder)
        assert first.startswith(b"<?xml")
        assert (folder / "figures" / f"{name}.svg").read_bytes() == first
    assert [system.name for system in read_plan(folder / "sweep.toml").systems] == ["rho = 0.1", "rho = 0.9"]


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('title = "Toy table"', "title = ", "cannot be read"),
        ('corpora = ["toy"]', "", "not complete"),
        ('runs = 3', "runs = 3\ncolour = 1", "colour"),
        ('name = "SVM"', 'name = "WSPTM"', "twice"),
        ("max_iter = 3", "maxiter = 3", "no setting 'maxiter'"),
        ('model = "WSPTM"', 'model = "BERT"', "no model 'BERT'"),
        ('measure = "classification"', 'measure = "beauty"', "use one of classification"),
    ],
)  # fmt: skip
def test_wrong_plans_are_refused(folder: Path, old: str, new: str, complaint: str) -> None:
    (folder / "toy.toml").write_text(PLAN.replace(old, new, 1))
    with pytest.raises(InputError, match=complaint):
        run(folder / "toy.toml", folder)


def test_a_plan_like_another(folder: Path) -> None:
    (folder / "other.toml").write_text('like = "toy"\ntitle = "Other"\nscores = ["test_macro"]\n')
    plan = read_plan(folder / "other.toml")
    assert (plan.name, plan.title, plan.scores, len(plan.systems)) == ("other", "Other", ["test_macro"], 3)
    run(folder / "toy.toml", folder)
    assert run(plan, folder).added == 0  # the same computations
    with pytest.raises(InputError, match="does not exist"):
        read_plan(folder / "none.toml")


def test_command(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reproduce("toy", folder=str(folder), tables_only=True, terminal=Terminal())
    assert "No result is recorded" in capsys.readouterr().out
    reproduce("all", folder=str(folder), quick=True, terminal=Terminal(json=True))
    told = json.loads(capsys.readouterr().out)
    assert told == {"experiments": [{"name": "toy", "rows_added": 4, "left_out": []}]}
    with pytest.raises(InputError, match="use one of toy, or all"):
        reproduce("table99", folder=str(folder), terminal=Terminal())


def test_command_without_a_corpus(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A sentence for each thing that is missing, even with --quiet, and exit code 3; the table is still shown."""
    (folder / "toy.toml").write_text(PLAN.replace('corpora = ["toy"]', 'corpora = ["toy", "gone"]'))
    with pytest.raises(SystemExit) as left:
        app(["reproduce", "toy", "--folder", str(folder), "--quick", "--quiet"])
    assert left.value.code == 3
    told = capsys.readouterr()
    assert told.err == "seedtopic: toy: 4 results on gone are left out: there is no corpus 'gone'\n"
    assert "Traceback" not in told.out
    assert len(rows(folder)) == 4


def test_without_plans_of_its_own_a_folder_gets_the_plans_of_the_package(tmp_path: Path) -> None:
    assert find_plans(tmp_path) == find_plans(tmp_path / "not there") == PLANS
    (tmp_path / "mine.toml").write_text(PLAN)
    assert list(find_plans(tmp_path)) == ["mine"]


def test_accepted_suggestions_are_measured(folder: Path, toy_seeds: dict[str, list[str]]) -> None:
    plan = """
        title = "Toy"
        measure = "suggested"
        table = "scores"
        scores = ["test_macro"]
        corpora = ["toy"]
        seeds = ["SL"]

        [[systems]]
        model = "PLDNB"
        sweep = { accept = [0, 2] }
    """
    (folder / "toy.toml").write_text(plan)
    seen: list[dict[object, tuple[str, ...]]] = []
    material = material_module.Material()
    original = measures.systems.build
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            measures.systems,
            "build",
            lambda model, **given: seen.append(given["seeds"].categories) or original(model, **given),
        )
        assert run(folder / "toy.toml", folder, material=material).added == 2
    assert seen[0] == {name: tuple(words) for name, words in toy_seeds.items()}
    assert all(set(seen[1][name]) >= set(words) for name, words in toy_seeds.items())
    recorded = rows(folder, "suggested")
    assert [row["system"] for row in recorded] == ["accept = 0", "accept = 2"]
    added = sum(len(seen[1][name]) - len(words) for name, words in toy_seeds.items())
    assert [int(row["changed"]) for row in recorded] == [0, added]
    (folder / "toy.toml").write_text(plan.replace("[0, 2]", "[11]"))
    with pytest.raises(InputError, match="from 0 to 10"):
        run(folder / "toy.toml", folder)


def test_checked_documents_are_of_the_train_part(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = """
        title = "Toy"
        measure = "checking"
        table = "scores"
        scores = ["test_micro"]
        corpora = ["toy"]
        seeds = ["SL"]

        [[systems]]
        name = "next"
        model = "SeedTopicClassifier"
        parameters = { max_iter = 2, checked = 6, rounds = 2, choice = "next" }

        [[systems]]
        name = "random"
        model = "SeedTopicClassifier"
        parameters = { max_iter = 2, checked = 6, wrong = 1 }
    """
    (folder / "toy.toml").write_text(plan)
    given: list[list[int]] = []
    original = SeedTopicClassifier.fit

    def fit(self: SeedTopicClassifier, X: Any, y: Any = None, **more: Any) -> SeedTopicClassifier:
        given.append([] if y is None else [row for row, label in enumerate(y) if label is not None])
        return original(self, X, y, **more)

    monkeypatch.setattr(SeedTopicClassifier, "fit", fit)
    assert run(folder / "toy.toml", folder).added == 2
    assert list(map(len, given)) == [0, 3, 6, 6]
    assert set(given[1]) < set(given[2])
    assert max(map(max, given[1:])) < 24
    assert [row["named_right"] for row in rows(folder, "checking")] == ["0", "0"]
    (folder / "toy.toml").write_text(plan.replace('"next" }', '"best" }'))
    with pytest.raises(InputError, match="choice is 'best': use one of random, next"):
        run(folder / "toy.toml", folder)


def test_a_check_that_is_followed_is_measured(folder: Path) -> None:
    """Misspelt words are corrected, so that the labels are those of the seeds as they were."""
    plan = """
        title = "Toy"
        measure = "checked"
        table = "scores"
        scores = ["test_macro"]
        corpora = ["toy"]
        seeds = ["SL"]

        [[systems]]
        name = "whole"
        model = "PLDNB"

        [[systems]]
        name = "misspelt"
        model = "PLDNB"
        parameters = { damage = "misspelt", documents = 30 }
        sweep = { follow = [false, true] }
    """
    (folder / "toy.toml").write_text(plan)
    assert run(folder / "toy.toml", folder).added == 3
    recorded = {row["system"]: row for row in rows(folder, "checked")}
    assert int(recorded["whole"]["changed"]) == int(recorded["misspelt, follow = False"]["changed"]) == 0
    assert int(recorded["misspelt, follow = True"]["changed"]) > 0
    (folder / "toy.toml").write_text(plan.replace("misspelt", "burnt"))
    with pytest.raises(InputError, match="use one of none, misspelt, swapped, common"):
        run(folder / "toy.toml", folder)


@pytest.mark.parametrize("name", PLANS)
def test_the_plans_of_the_project_are_sound(name: str) -> None:
    plan = read_plan(PLANS[name])
    assert plan.measure in MEASURES
    assert not plan.table or plan.table in TABLES
    assert not plan.figure or plan.figure in FIGURES
    assert set(plan.scores) <= set(MEASURES[plan.measure].columns)
    names = {system.name for system in plan.systems}
    assert set(plan.compared) <= names
    if plan.table in ("scores", "marked", "perplexity", "priors"):
        assert set(plan.paper) <= names
    if plan.measure == "classification":
        for system in plan.systems:
            assert system.model in ENTRIES
            if system.model in ("WSPTM", "LapSWTM"):
                settings(system.model, system.parameters)


def test_the_readme_has_a_place_for_every_plan() -> None:
    readme = (Path(__file__).parents[2] / "experiments" / "README.md").read_text()
    for name in PLANS:
        assert readme.count(f"<!-- begin {name} -->") == readme.count(f"<!-- end {name} -->") == 1


@pytest.mark.corpora
def test_exact_statistics_of_the_papers_reuters(tmp_path: Path) -> None:
    run(PLANS["table1"], tmp_path)
    tokens = next(row for row in rows(tmp_path, "marked") if row["corpus"] == "reuters10_tokens")
    assert (tokens["unmarked"], tokens["true_marked"]) == ("4512", "1877")
    run(PLANS["table4"], tmp_path)
    oracle = next(row for row in rows(tmp_path, "priors") if "oracle" in row["system"])
    printed = read_plan(PLANS["table4"]).paper[oracle["system"]]["2000014"]
    assert json.loads(oracle["priors"])["2000014"] == pytest.approx(printed, abs=0.011)
