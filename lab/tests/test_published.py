"""What the paper prints, on the corpus it used; what needs a corpus is run by ``make test-corpora``."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from seedtopic import Seeds
from seedtopic.learning.signals.seeds import (
    category_prior,
    membership_degree,
    nearest_categories,
    prototype_similarity,
    prototypes,
    seed_cooccurrence,
    seed_counts,
    seed_frequency,
    seed_prior,
)
from seedtopic.text.counts import count_words
from seedtopic_lab.corpora import Dataset, fetch_corpus, published_seeds
from seedtopic_lab.experiments import Plan, Recorded, find_plans, read_plan, run
from seedtopic_lab.experiments.plan import System


@dataclass(frozen=True)
class Paper:
    """Reuters as the paper's authors tokenised it, with the seeds S^L bound to it."""

    dataset: Dataset
    counts: sp.csr_array
    membership: sp.csr_array
    truth: np.ndarray  # for counting marks and for the oracle; no model sees it
    nearest: np.ndarray


@pytest.fixture(scope="module")
def paper() -> Paper:
    dataset = fetch_corpus("reuters10_tokens")
    counts = count_words((text.split() for text in dataset.texts), min_df=1)
    seeds = Seeds(published_seeds("reuters10", "SL"))
    membership = seeds.bind(counts.vocabulary).membership
    word_totals = np.asarray(counts.matrix.sum(axis=0), dtype=np.float64)
    prototype = prototypes(seed_cooccurrence(counts.matrix, membership), membership @ word_totals)
    truth = np.array([seeds.names.index(label) for label in dataset.labels])
    nearest = nearest_categories(prototype_similarity(counts.matrix, prototype), P=1)
    return Paper(dataset, counts.matrix, membership, truth, nearest)


def seed_totals(paper: Paper) -> np.ndarray:
    return paper.membership @ np.asarray(paper.counts.sum(axis=0), dtype=np.float64)


def shared_occurrences(counts: sp.csr_array, membership: sp.csr_array) -> np.ndarray:
    """SF of Eq. 7 read another way: of each seed and word, the smaller count in each document, summed."""
    columns = counts.tocsc()
    shared = np.zeros(membership.shape)
    for category, seed in zip(*membership.nonzero(), strict=True):
        of_seed = columns[:, [seed]].toarray().ravel()
        documents = np.flatnonzero(of_seed)
        met = counts[documents].tocoo()
        smaller = np.minimum(met.data, of_seed[documents][met.row])
        shared[category] += np.bincount(met.col, weights=smaller, minlength=counts.shape[1])
    return shared


@pytest.mark.corpora
def test_the_corpus_is_the_papers(paper: Paper) -> None:
    assert paper.counts.shape == (7285, 7419)


@pytest.mark.corpora
def test_marked_labels_of_tables_1_and_3(paper: Paper) -> None:
    counted = seed_counts(paper.counts, paper.membership)
    everybody = np.arange(len(paper.truth))
    unmarked = ~counted.any(axis=1)
    assert (unmarked.sum(), (counted[everybody, paper.truth] > 0).sum()) == (4512, 1877)
    with_prototypes = (counted > 0) | paper.nearest
    assert (~with_prototypes.any(axis=1)).sum() == 0
    # The paper prints 5,012; 4,908 is what shared documents in Eq. 7 give, and shared occurrences come nearer.
    assert with_prototypes[everybody, paper.truth].sum() == 4908
    by_occurrences = nearest_categories(
        prototype_similarity(
            paper.counts,
            prototypes(shared_occurrences(paper.counts, paper.membership), seed_totals(paper)),
        ),
        P=1,
    )
    assert ((counted > 0) | by_occurrences)[everybody, paper.truth].sum() == 5028


@pytest.mark.corpora
def test_example_priors_of_table_4(paper: Paper) -> None:
    """The printed priors use the TRUE label frequencies, not the seed counts of Eq. 5.

    Inverting the printed values gives .51 for `earn`, its true share of the corpus, while no count of seed
    words can: `earnings` occurs 967 times against 1,790 for `trade`. So the oracle array stands in here; a
    model fitted with it would not be dataless.

    The first document has no seed word, and Table 4 gives it to `acq` by its prototype. No reading of Eq. 7
    we tried does: `ship` is nearest (.0150 against .0149), by its words pipeline, terminal and gulf. Its row
    is therefore checked for Omega_d = {acq}, as printed; the second document needs no such help.
    """
    seedless, other = (paper.dataset.ids.index(name) for name in ("2000007", "2000014"))
    counted = seed_counts(paper.counts[[seedless, other]], paper.membership)
    nearest = paper.nearest[[seedless, other]].copy()
    assert nearest.argmax(axis=1).tolist() == [7, 0]  # ship, acq
    nearest[0] = np.arange(10) == 0
    degree = membership_degree(counted, nearest, tau=0.1)
    oracle = np.bincount(paper.truth) / len(paper.truth)

    lapswtm = seed_prior(counted)
    assert lapswtm.round(2).tolist() == [[0.01] * 10, [0.01] * 6 + [10.01] + [0.01] * 3]
    without_frequency = category_prior(degree, oracle, rho=0.0)
    assert without_frequency.round(2).tolist() == [
        [10.01] + [0.01] * 9,
        [1.01] + [0.01] * 5 + [9.01] + [0.01] * 3,
    ]
    printed = np.array(
        [
            [3.54, 0.15, 0.41, 4.60, 0.12, 0.25, 0.31, 0.19, 0.15, 0.38],
            # 4.60 and 1.21 are misprinted as 0.460 and 0.121.
            [2.64, 0.15, 0.41, 4.60, 0.12, 0.25, 1.21, 0.19, 0.15, 0.38],
        ]
    )
    # To two decimals; the paper cuts where it should round (2.649 is printed as 2.64).
    assert np.abs(category_prior(degree, oracle, rho=0.9) - printed).max() < 0.01
    from_seeds = seed_frequency(np.asarray(paper.counts.sum(axis=0), dtype=np.float64), paper.membership)
    assert np.abs(category_prior(degree, from_seeds, rho=0.9) - printed).max() > 1.0


FIT_NEWSGROUP = """
import json, resource, time
import numpy as np
from seedtopic import WSPTM, Seeds
from seedtopic.text.counts import count_words
from seedtopic_lab.corpora import fetch_newsgroups20, published_seeds
from seedtopic.text.tokens import stop_word_set, tokenize

seeds = Seeds(published_seeds("newsgroups20", "SD"))
texts = fetch_newsgroups20().texts
counts = count_words(tokenize(texts), stop_words=stop_word_set("english"), keep=seeds.words)
WSPTM({0: ["x0"], 1: ["x1"]}, max_iter=1, estep="bayes").fit(np.eye(4))  # compiles the kernel
model = WSPTM(seeds, vocabulary=counts.vocabulary, estep="bayes", n_background=20, random_state=0, n_threads=2)
started = time.perf_counter()
model.fit(counts.matrix)
seconds = time.perf_counter() - started
megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({"documents": len(texts), "iterations": model.n_iter_, "seconds": seconds, "megabytes": megabytes}))
"""


@pytest.mark.corpora
def test_newsgroup_fits_within_30_seconds_and_1500_megabytes(capsys: pytest.CaptureFixture[str]) -> None:
    """From counts, graph included, 30 iterations, K = G = 20, on two cores, in a process of its own."""
    command = [sys.executable, "-W", "ignore", "-c", FIT_NEWSGROUP]
    measured = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    with capsys.disabled():
        print(f"\nNewsgroup: {measured}")  # noqa: T201 - figures to read in the log
    assert (measured["documents"], measured["iterations"]) == (18846, 30)
    assert measured["seconds"] <= 30
    assert measured["megabytes"] <= 1500


def named(name: str, plan: Plan) -> System:
    return next(system for system in plan.systems if system.name == name)


@pytest.mark.corpora
@pytest.mark.parametrize("corpus", ["bbc_news", "reuters10"])
def test_the_default_model_has_its_recorded_scores(corpus: str, tmp_path: Path) -> None:
    recorded_in = Path(__file__).parents[2] / "experiments"
    plan = read_plan(find_plans(recorded_in)["default"])
    ours = replace(named("SeedTopicClassifier", plan), runs=1)
    settings = [setting for setting in plan.settings if setting.corpus == corpus]
    now = replace(plan, systems=[ours], settings=settings)
    run(now, tmp_path)
    for setting in settings:
        for score in plan.scores:
            value = Recorded.of(now, tmp_path).values(ours, setting, score)[0]
            assert value == pytest.approx(
                Recorded.of(plan, recorded_in).values(ours, setting, score)[0], abs=0.01
            )


# Micro and macro-F1 on the test part with purified seeds, by the name in table 6: below the recorded mean by about the
# spread of a run. The paper ranks these systems.
FLOORS = {
    "WSPTM, Bayes": {
        ("reuters10", "SL"): (0.875, 0.785),
        ("reuters10", "SD"): (0.89, 0.82),
        ("newsgroups20", "SL"): (0.72, 0.69),
        ("newsgroups20", "SD"): (0.765, 0.735),
    },
    "WSPTM": {
        ("reuters10", "SL"): (0.80, 0.755),
        ("reuters10", "SD"): (0.825, 0.77),
        ("newsgroups20", "SL"): (0.69, 0.67),
        ("newsgroups20", "SD"): (0.72, 0.685),
    },
    "LapSWTM, Bayes": {
        ("reuters10", "SL"): (0.80, 0.805),
        ("reuters10", "SD"): (0.84, 0.805),
        ("newsgroups20", "SL"): (0.665, 0.62),
        ("newsgroups20", "SD"): (0.755, 0.73),
    },
    "LapSWTM": {
        ("reuters10", "SL"): (0.75, 0.725),
        ("reuters10", "SD"): (0.86, 0.80),
        ("newsgroups20", "SL"): (0.625, 0.585),
        ("newsgroups20", "SD"): (0.725, 0.695),
    },
    "PL-DNB": {
        ("reuters10", "SL"): (0.855, 0.74),
        ("reuters10", "SD"): (0.855, 0.785),
        ("newsgroups20", "SL"): (0.675, 0.645),
        ("newsgroups20", "SD"): (0.74, 0.71),
    },
    "STM": {
        ("reuters10", "SL"): (0.84, 0.745),
        ("reuters10", "SD"): (0.88, 0.80),
        ("newsgroups20", "SL"): (0.60, 0.545),
        ("newsgroups20", "SD"): (0.72, 0.69),
    },
    "WeSTClass": {
        ("reuters10", "SL"): (0.74, 0.61),
        ("reuters10", "SD"): (0.79, 0.71),
        ("newsgroups20", "SL"): (0.58, 0.54),
        ("newsgroups20", "SD"): (0.70, 0.68),
    },
    "SVM (supervised)": {("reuters10", ""): (0.965, 0.93), ("newsgroups20", ""): (0.825, 0.82)},
    "MedLDA (supervised)": {("reuters10", ""): (0.94, 0.87), ("newsgroups20", ""): (0.79, 0.785)},
}
SCORES = ("test_micro", "test_macro")
QUICK = ("WSPTM, Bayes", "WSPTM", "LapSWTM, Bayes", "LapSWTM", "PL-DNB")
RECORDED_IN = Path(__file__).parents[2] / "experiments"


def table_6() -> Plan:
    return read_plan(find_plans(RECORDED_IN)["table6"])


def test_every_system_of_the_paper_has_floors_in_every_setting() -> None:
    plan = table_6()
    assert set(plan.paper) <= set(FLOORS)
    for name, floors in FLOORS.items():
        places = {(setting.corpus, setting.seeds) for setting in plan.settings_of(named(name, plan))}
        assert set(floors) == places, name


@pytest.mark.parametrize("name", FLOORS)
def test_the_recorded_scores_are_above_the_floors_but_not_far(name: str) -> None:
    """A floor far below the record would let a model get worse unseen."""
    plan = table_6()
    recorded, system = Recorded.of(plan, RECORDED_IN), named(name, plan)
    for setting in plan.settings_of(system):
        if not recorded.rows(system, setting):
            pytest.skip(f"{name} is not recorded, or its packages are missing here")
        assert recorded.can_be_judged(system, setting), (name, setting)
        for score, floor in zip(SCORES, FLOORS[name][setting.corpus, setting.seeds], strict=True):
            mean = np.mean(recorded.values(system, setting, score))
            assert floor <= mean <= floor + 0.08, (name, setting, score)


def check_anew(name: str, corpora: list[str], runs: int, spread: float, folder: Path) -> None:
    """Fit a system again; its scores are above its floors, and the recorded ones but for the spread."""
    plan = table_6()
    system = replace(named(name, plan), runs=runs)
    settings = [setting for setting in plan.settings_of(system) if setting.corpus in corpora]
    now = replace(plan, systems=[system], settings=settings)
    outcome = run(now, folder)
    assert not outcome.skipped
    fresh, before = Recorded.of(now, folder), Recorded.of(plan, RECORDED_IN)
    for setting in settings:
        for score, floor in zip(SCORES, FLOORS[name][setting.corpus, setting.seeds], strict=True):
            value = np.mean(fresh.values(system, setting, score))
            recorded = np.mean(before.values(system, setting, score)[:runs])
            assert value >= floor - spread, (name, setting, score)
            assert value == pytest.approx(recorded, abs=0.01 + spread), (name, setting, score)


@pytest.mark.corpora
@pytest.mark.parametrize("name", QUICK)
def test_quick_systems_reach_their_floors_and_the_recorded_scores(name: str, tmp_path: Path) -> None:
    """One setting for all four tasks; WSPTM as the mean of three runs."""
    runs = 3 if name.startswith("WSPTM") else 1
    check_anew(name, ["reuters10", "newsgroups20"], runs, 0.0, tmp_path)


@pytest.mark.corpora
def test_stm_reaches_its_floors_on_reuters(tmp_path: Path) -> None:
    check_anew("STM", ["reuters10"], 3, 0.0, tmp_path)


@pytest.mark.corpora
def test_westclass_reaches_its_floors_on_reuters(tmp_path: Path) -> None:
    """Its sums differ from machine to machine: one run may be off by twice the spread of three."""
    pytest.importorskip("torch")
    pytest.importorskip("gensim")
    check_anew("WeSTClass", ["reuters10"], 1, 0.05, tmp_path)
