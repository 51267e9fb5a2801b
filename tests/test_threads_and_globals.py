"""One fitted model serves many threads at once, and neither importing nor fitting changes the process."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from threading import Barrier
from typing import Any

import pytest

from seedtopic import PLDNB, STM, WSPTM, InputError, LapSWTM, MedLDA, SeedTopicClassifier, WeSTClass

N_THREADS, N_ROUNDS = 12, 3
WEST = {
    "embedding_size": 8,
    "embedding_epochs": 1,
    "n_pseudo_documents": 10,
    "n_near_words": 3,
    "n_maps": 3,
    "hidden_size": 4,
    "pretrain_epochs": 2,
    "max_batches": 3,
    "subsampling": 0.0,
}
MODELS: dict[str, Callable[[Any], Any]] = {
    "SeedTopicClassifier": lambda seeds: SeedTopicClassifier(seeds, none_label="other", random_state=0),
    "its topics": lambda seeds: SeedTopicClassifier(seeds, refine=False, mixture=False, random_state=0),
    "its numpy kernel": lambda seeds: SeedTopicClassifier(
        seeds, refine=False, mixture=False, kernel="numpy", random_state=0
    ),
    "WSPTM": lambda seeds: WSPTM(seeds, max_iter=5, random_state=0),
    "LapSWTM": lambda seeds: LapSWTM(seeds, max_iter=5, random_state=0),
    "STM": lambda seeds: STM(seeds, n_sweeps=5, random_state=0),
    "PLDNB": lambda seeds: PLDNB(seeds),
    "MedLDA": lambda seeds: MedLDA(n_topics=4, n_sweeps=5, burn_in=5, n_samples=3, random_state=0),
    "WeSTClass": lambda seeds: WeSTClass(seeds, **WEST, random_state=0),
}


def answers(model: Any, texts: list[str]) -> tuple[Any, ...]:
    try:
        told: Any = model.explain(texts[0])
    except (InputError, AttributeError):  # some cannot
        told = None
    return model.predict(texts).tolist(), model.predict_proba(texts).tobytes(), told


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow if name == "WeSTClass" else ()) for name in MODELS]
)
def test_many_threads_get_the_answers_of_one(
    name: str, toy_texts: list[str], toy_labels: list[str], toy_seeds: dict[str, list[str]]
) -> None:
    if name == "WeSTClass":
        before = import_module("torch").get_num_threads()
    model = MODELS[name](toy_seeds)
    model.fit(toy_texts, toy_labels if isinstance(model, MedLDA) else None)
    batches = [toy_texts[turn : turn + 1 + 3 * turn] for turn in range(N_THREADS)]
    alone = [answers(model, batch) for batch in batches]
    together = Barrier(N_THREADS)

    def serve(turn: int) -> bool:
        together.wait()
        return all(answers(model, batches[turn]) == alone[turn] for _ in range(N_ROUNDS))

    with ThreadPoolExecutor(N_THREADS) as pool:
        assert all(pool.map(serve, range(N_THREADS)))
    if name == "WeSTClass":  # which has PyTorch use one thread for a while
        assert import_module("torch").get_num_threads() == before


def test_models_can_be_fitted_at_the_same_time(toy_texts: list[str], toy_seeds: dict[str, list[str]]) -> None:
    def fitted(state: int) -> bytes:
        return (
            SeedTopicClassifier(toy_seeds, random_state=state).fit(toy_texts).label_distributions_.tobytes()
        )

    alone = [fitted(state) for state in range(4)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(fitted, range(4))) == alone


STATE = """
    import locale, logging, os, random, signal, sys, threading, warnings
    import numpy as np, scipy, sklearn, threadpoolctl
    import rich.progress, sklearn.preprocessing  # which draw random numbers, or import what does
    from importlib import import_module

    def there(name):  # imported now, because other packages do change things when they are imported
        try:
            return import_module(name)
        except ImportError:
            return None

    torch, *_ = map(there, TORCH)

    def state():
        return {
            "numpy errors": np.geterr(),
            "numpy printing": str(np.get_printoptions()),
            "numpy random": [part if isinstance(part, (str, int, float)) else part.tobytes() for part in np.random.get_state()],
            "random": random.getstate(),
            "handlers": list(logging.getLogger().handlers),
            "level": logging.getLogger().level,
            "disabled": logging.root.manager.disable,
            "own log": logging.getLogger("seedtopic").handlers,
            "pools": sorted((pool["filepath"], pool["num_threads"]) for pool in threadpoolctl.threadpool_info()),
            "torch": torch and torch.get_num_threads(),
            "warnings": list(warnings.filters),
            "environment": dict(os.environ),
            "locale": locale.setlocale(locale.LC_ALL),
            "signals": [signal.getsignal(number) for number in sorted(signal.valid_signals())],
            "hooks": (sys.excepthook, threading.excepthook, sys.unraisablehook),
            "folder": os.getcwd(),
            "recursion": sys.getrecursionlimit(),
            "switching": sys.getswitchinterval(),
            "threads": threading.active_count(),
            "umask": os.umask(os.umask(0o22)) and None,
            "sklearn": sklearn.get_config(),
        }

    def unchanged(before, when):
        after = state()
        for name, value in before.items():
            if name == "pools":  # further libraries may have been loaded, none may have been set otherwise
                assert set(value) <= set(after[name]), (when, name, value, after[name])
            else:
                assert value == after[name], (when, name, str(value)[:300], str(after[name])[:300])
"""


def run(script: str, torch: str = "") -> str:
    names = ("torch", "sympy", "gensim.models", "torch._dynamo") if torch else ("nothing",)
    before = textwrap.dedent(STATE).replace("TORCH", repr(names))
    done = subprocess.run(
        [sys.executable, "-c", before + textwrap.dedent(script)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def test_importing_changes_nothing_and_prints_nothing() -> None:
    said = run("""
        before = state()
        import seedtopic
        for name in seedtopic.__all__:
            getattr(seedtopic, name)
        import seedtopic.cli.app, seedtopic_lab.experiments, seedtopic.cli.demo, seedtopic.show.report, seedtopic.base.engine
        unchanged(before, "import")
    """)
    assert said == ""


@pytest.mark.parametrize(
    "names",
    [
        "SeedTopicClassifier WSPTM LapSWTM STM PLDNB MedLDA",
        pytest.param("WeSTClass", marks=pytest.mark.slow),
    ],
)
def test_fitting_and_labelling_change_nothing_and_print_nothing(names: str) -> None:
    script = """
        import seedtopic, tempfile
        texts = ["the team won the game", "a goal in the game", "the bank cut its rate", "rate of the bank"] * 5
        seeds = {"sports": ["game", "team"], "money": ["bank"]}
        labels = ["sports", "sports", "money", "money"] * 5
        np.seterr(over="raise"); np.random.seed(5); random.seed(5)
        before = state()
        small = dict(embedding_size=4, embedding_epochs=1, n_pseudo_documents=5, n_near_words=2, n_maps=2,
                     hidden_size=2, pretrain_epochs=1, max_batches=1, subsampling=0.0)
        for name in NAMES:
            model = getattr(seedtopic, name)(random_state=0, **(small if name == "WeSTClass" else {}))
            model = model if name == "MedLDA" else model.set_params(seeds=seeds)
            model.fit(texts, labels if name == "MedLDA" else None).predict(texts)
            with tempfile.TemporaryDirectory() as folder:
                model.save(folder + "/model")
                seedtopic.load(folder + "/model").predict_proba(texts)
            unchanged(before, name)
            if name == "SeedTopicClassifier":
                seedtopic.Report.of(model, texts).to_html()
                model.explain(texts[0])
                seedtopic.Seeds(seeds).check(texts)
                unchanged(before, "report")
    """
    assert run(script.replace("NAMES", repr(names.split())), "torch" if names == "WeSTClass" else "") == ""
