"""The command that shows the whole job without any file: ``seedtopic demo``."""

from __future__ import annotations

import importlib
import inspect
import re
import warnings
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from seedtopic import model as models
from seedtopic.base.errors import InputError
from seedtopic.cli import options
from seedtopic.cli.console import Terminal
from seedtopic.cli.steps import fit, vectors_values, where
from seedtopic.io.rows import Rows
from seedtopic.io.write import check_output, write_predictions
from seedtopic.quality.scores import evaluate as score
from seedtopic.show.report import Report
from seedtopic.show.table import Table, columns
from seedtopic.show.tables import score_table


@dataclass(frozen=True)
class Dataset:
    """A corpus with its true labels.

    Examples
    --------
    >>> Dataset("tiny", ["a cup", "a hat"], ["tea", "wear"], ["train", "test"], ["tea", "wear"], ["0", "1"])
    Dataset(name='tiny', 2 documents, 2 categories)
    """

    name: str
    texts: list[str]
    labels: list[str]  # of every document: for scoring only, never shown to a model
    split: list[str]  # "train" or "test", for every document
    categories: list[str]  # the distinct labels in alphabetical order, the order used everywhere
    ids: list[str]  # a unique one for every document

    def __len__(self) -> int:
        return len(self.texts)

    def __repr__(self) -> str:
        # The generated repr would print every text.
        return f"Dataset(name={self.name!r}, {len(self.texts)} documents, {len(self.categories)} categories)"


# The categories are sub-packages. Those on the subject of another one are left out (numpy.linalg, numpy.fft,
# numpy.random, scipy.sparse.linalg): no reader could tell those apart by the text. So is scipy.integrate,
# which was confused with its neighbours, with 33 documents, when the task was first tried.
_SEEDS: dict[str, str] = {
    "numpy.polynomial": "polynomial series coefficients degree",
    "scipy.fft": "fft fourier transform cosine hankel",
    "scipy.interpolate": "interpolation interpolate spline knots",
    "scipy.linalg": "eigenvalues decomposition factorization inverse triangular lapack",
    "scipy.ndimage": "image filter morphology pixel erosion",
    "scipy.optimize": "minimize optimization constraints jacobian objective root",
    "scipy.signal": "signal filter frequency sampling window",
    "scipy.sparse": "sparse csr graph nonzero",
    "scipy.spatial": "distance rotation convex hull neighbors",
    "scipy.special": "bessel gamma elliptic function",
    "scipy.stats": "probability distribution statistic hypothesis variance",
    "sklearn.cluster": "cluster clustering clusters centroids",
    "sklearn.linear_model": "regression linear regularization lasso ridge",
    "sklearn.metrics": "score precision recall accuracy metric",
    "sklearn.preprocessing": "scaling encode categorical standardize feature",
}
# The public modules below them on the same subject.
_ALSO = {
    "numpy.polynomial": ("chebyshev", "hermite", "hermite_e", "laguerre", "legendre", "polynomial"),
    "scipy.signal": ("windows",),
    "scipy.sparse": ("csgraph",),
    "scipy.spatial": ("distance", "transform"),
}

_MIN_WORDS = 20  # a shorter docstring ("Alias of ...") is not a document
_MIN_METHOD_WORDS = 60  # nor is the boilerplate of fit() and transform(), repeated in every class

# Sections with code, citations or lists of names, not prose; each ends at the next heading.
_NOT_PROSE = re.compile(
    r"^(Examples?|References|See Also)[ ]*\n-{3,}[ ]*\n.*?(?=^\S[^\n]*\n-{3,}[ ]*$|\Z)", re.M | re.S
)
_CODE = re.compile(r"^[ ]*(>>>|\.\.\. ).*$", re.M)
_UNDERLINE = re.compile(r"^[ ]*[-=~]{3,}[ ]*$", re.M)
_DIRECTIVE = re.compile(r"^[ ]*\.\. [\w-]+::.*$", re.M)
_SIGNATURE = re.compile(r"^\w+\(.*\)[ ]*$", re.M)
_ROLE = re.compile(r":[\w:]+:`~?\.?([^`<]*)(?:<[^`>]*>)?`")
_DOTTED = re.compile(r"\b(?:numpy|np|scipy|sklearn)(?:\.\w+)*\.(\w+)")
_WORD = re.compile(r"[A-Za-z]{2,}")


def load_docstrings() -> Dataset:
    """Load the docstrings of numpy, scipy and scikit-learn, labelled with their sub-package.

    The documents come from the libraries as installed, so their number varies a little with the versions.

    Returns
    -------
    Dataset
        One document per public function, class or well described method, sorted by qualified name: the short
        name and the prose of the docstring. Examples, references and "See Also" lists are left out, and so
        are the dotted paths that would name the label. The split is a stable hash of the id, about 4 to 1.

    Examples
    --------
    >>> corpus = load_docstrings()
    >>> corpus.categories[:3]
    ['numpy.polynomial', 'scipy.fft', 'scipy.interpolate']
    >>> corpus.labels[corpus.ids.index("scipy.stats.skew")]
    'scipy.stats'
    """
    label_of_text: dict[str, set[str]] = {}
    entries: dict[str, tuple[str, str]] = {}
    seen: set[str] = set()
    for label in _SEEDS:
        modules = [label, *(f"{label}.{name}" for name in _ALSO.get(label, ()))]
        for name, text in sorted(item for module in modules for item in _documents(module)):
            label_of_text.setdefault(text, set()).add(label)
            if text not in seen:
                seen.add(text)
                entries[name] = (text, label)
    # A text that two sub-packages share has no single true label.
    ids = sorted(name for name, (text, _) in entries.items() if len(label_of_text[text]) == 1)
    return Dataset(
        name="docstrings",
        texts=[entries[name][0] for name in ids],
        labels=[entries[name][1] for name in ids],
        split=["test" if zlib.crc32(name.encode()) % 5 == 0 else "train" for name in ids],
        categories=sorted(_SEEDS),
        ids=ids,
    )


def docstring_seeds() -> dict[str, list[str]]:
    """Return seed words for `load_docstrings`, written from what each sub-package is for.

    Returns
    -------
    dict of str to list of str
        A handful of words per category.

    Examples
    --------
    >>> docstring_seeds()["scipy.stats"]
    ['probability', 'distribution', 'statistic', 'hypothesis', 'variance']
    """
    return {category: words.split() for category, words in _SEEDS.items()}


def prose(doc: str) -> str:
    """Reduce a docstring to its prose."""
    for pattern in (_NOT_PROSE, _CODE, _UNDERLINE, _DIRECTIVE, _SIGNATURE):
        doc = pattern.sub("", doc)
    # Of a dotted path its last name stays; the path of a labelled sub-package gives the label away.
    doc = _DOTTED.sub(lambda path: "" if path[0] in _SEEDS else path[1], _ROLE.sub(r"\1", doc))
    return re.sub(r"\s+", " ", doc).strip()


def _documents(module_name: str) -> Iterator[tuple[str, str]]:
    """Yield (qualified name, text) for every public name of a module with a long enough docstring."""
    # Deprecated names warn when they are imported or looked up; the caller need not see that.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = importlib.import_module(module_name)
        for name in sorted(module.__all__):
            member = getattr(module, name, None)
            if not callable(member):
                continue
            yield from _document(f"{module_name}.{name}", member, _MIN_WORDS)
            if inspect.isclass(member):
                for attribute, method in sorted(vars(member).items()):
                    if not attribute.startswith("_") and callable(method):
                        yield from _document(f"{module_name}.{name}.{attribute}", method, _MIN_METHOD_WORDS)


def _document(name: str, member: object, min_words: int) -> Iterator[tuple[str, str]]:
    doc = prose(inspect.getdoc(member) or "")
    if len(_WORD.findall(doc)) >= min_words:
        yield name, f"{name.rpartition('.')[2]}: {doc}"


EXAMPLES = 6
ABOUT_VECTORS = (
    "The model knows what English words mean from a table of word vectors that comes",
    "with seedtopic, made from GloVe and all-MiniLM-L6-v2. To do without it, pass",
    "vectors=None to SeedTopicClassifier, or --vectors none to the other commands.",
)


def demo(
    *,
    output: Annotated[
        str,
        options.output("The labels to write: .csv, .tsv, .jsonl, .xlsx or .parquet."),
    ] = "seedtopic-demo.csv",
    threads: options.Threads = None,
    terminal: Terminal,
) -> None:
    """Try everything on real text, without a download, and write the labels and a report.

    The documents are the docstrings of numpy, scipy and scikit-learn. The right label of each is its
    sub-package; the model is given a few words per sub-package and never sees a label.

    Example:  seedtopic demo
    """
    if output == "-":
        raise InputError("demo prints its scores on standard output: name a file for the labels with -o.")
    check_output(output)
    corpus = load_docstrings()
    terminal.note(f"labelling {len(corpus):,} docstrings in {len(corpus.categories)} categories")
    rows = [
        {"id": name, "label": answer, "text": text}
        for name, answer, text in zip(corpus.ids, corpus.labels, corpus.texts, strict=True)
    ]
    documents = Rows(texts=corpus.texts, rows=rows)
    model = models.SeedTopicClassifier(docstring_seeds(), random_state=0, n_threads=threads)
    fit(model, documents, terminal)
    with Terminal().warnings():
        write_predictions(output, documents, model.fitted_predictions())
    page = Path(output).with_name(Path(output).name.partition(".")[0] + "-report.html")
    Report.of(
        model, corpus.texts, labels=corpus.labels, ids=corpus.ids, fitted=True, title="The docstring demo"
    ).write(page)
    best = model.label_distributions_.max(axis=1)
    examples = [
        (corpus.ids[i], model.transduction_[i], f"{best[i]:.2f}")
        for i in range(7, len(best), max(len(best) // EXAMPLES, 1))
    ]
    scores = score(corpus.labels, model.transduction_.tolist(), model.classes_.tolist())
    terminal.result(
        score_table(scores),
        "",
        Table(columns("for example", "label", numbers=("probability",)), examples),
        "",
        f"labels written to {where(output)}",
        f"report written to {where(page)}",
        "",
        *ABOUT_VECTORS,
        values={**scores.as_dict(), **vectors_values(model), "output": output, "report": str(page)},
    )
