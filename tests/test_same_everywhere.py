"""A fit gives the same labels with and without C, on several processors and with any number of threads of BLAS.

OPENBLAS_CORETYPE makes OpenBLAS compute as it would on another processor; NPY_DISABLE_CPU_FEATURES does it for
numpy's exponentials and logarithms. Where numpy has another BLAS, or the processor has fewer instructions, a
process computes as it does by default.
"""

from __future__ import annotations

import gzip
import json
import os
import platform
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from seedtopic.cli.demo import docstring_seeds, load_docstrings
from seedtopic.learning.topics.kernels import c_kernel_is_built

needs_c = pytest.mark.skipif(
    not c_kernel_is_built(), reason="the C kernel is not built: install a C compiler, then seedtopic again"
)
pytestmark = [
    pytest.mark.slow,
    needs_c,
    pytest.mark.skipif(
        platform.machine() not in ("x86_64", "AMD64"), reason="on ARM, scipy rounds once where C rounds twice"
    ),
]
CORES, THREADS = ("Haswell", "SkylakeX", "Sandybridge", "Zen"), ("1", "2")
PROCESSORS = [
    {"OPENBLAS_CORETYPE": core, "OPENBLAS_NUM_THREADS": threads} for core, threads in product(CORES, THREADS)
]
OLD = {
    "OPENBLAS_CORETYPE": "Nehalem",
    "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR AVX2 FMA3 AVX512F AVX512CD AVX512_SKX",
}
MOST = 1e-12  # by which probabilities differ: most are the same to the last bit
C_MODULES = (
    "seedtopic.base._products",
    "seedtopic.learning.graph._nearest",
    "seedtopic.learning.topics.kernels._estep",
    "seedtopic.text._words",
)
FIT = """
import json, sys, warnings
for module in sys.argv[3:]:
    sys.modules[module] = None
import numpy as np
from seedtopic import SeedTopicClassifier
warnings.simplefilter("ignore")
texts, seeds = json.load(open(sys.argv[1], encoding="utf-8"))
fitted = SeedTopicClassifier(seeds, random_state=0).fit(texts)
np.save(sys.argv[2], fitted.label_distributions_)
"""


def probabilities(collection: Path, without: Sequence[str] = (), **environment: str) -> np.ndarray:
    """Fit in a process of its own, without these modules."""
    result = collection.with_suffix(".npy")
    command = [sys.executable, "-c", FIT, str(collection), str(result), *without]
    subprocess.run(command, env=os.environ | environment, check=True)
    return np.asarray(np.load(result))


def check_the_same_everywhere(texts: Sequence[str], seeds: object, folder: Path) -> None:
    collection = folder / "collection.json"
    collection.write_text(json.dumps([list(texts), seeds]), encoding="utf-8")
    here = probabilities(collection)
    elsewhere = {
        "no C": probabilities(collection, C_MODULES),
        "numpy kernel": probabilities(collection, C_MODULES[2:3], **PROCESSORS[-1]),
        "old processor": probabilities(collection, **OLD),
        **{str(processor): probabilities(collection, **processor) for processor in PROCESSORS},
    }
    for name, there in elsewhere.items():
        assert np.array_equal(here.argmax(axis=1), there.argmax(axis=1)), name
        assert np.abs(here - there).max() <= MOST, name


def test_texts_of_the_demo(tmp_path: Path) -> None:
    check_the_same_everywhere(load_docstrings().texts, docstring_seeds(), tmp_path)


@pytest.mark.corpora
@pytest.mark.parametrize(("corpus", "seeds", "step"), [("bbc_news", "SD", 1), ("reuters10", "SL", 4)])
def test_news(corpus: str, seeds: str, step: int, tmp_path: Path) -> None:
    folder = Path(os.environ["SEEDTOPIC_DATA"])
    with gzip.open(folder / f"{corpus}.jsonl.gz", "rt", encoding="utf-8") as file:
        texts = [json.loads(line)["text"] for line in file]
    listed = tomllib.loads((folder / f"{corpus}.{seeds}.toml").read_text(encoding="utf-8"))
    check_the_same_everywhere(texts[::step], listed, tmp_path)
