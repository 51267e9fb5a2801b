"""A labelled corpus that needs no download: the docstrings of numpy, scipy and scikit-learn.

The three libraries are installed with this package, and people have written thousands of docstrings for
them. The sub-package of a function says what it is about, so every docstring has a true label.
"""

from __future__ import annotations

import importlib
import inspect
import re
import warnings
import zlib
from collections.abc import Iterator

from .dataset import Dataset

# Where the public names of each category are: a sub-package, and the public modules below it on the same
# subject. Sub-packages on the subject of another one are left out (numpy.linalg, numpy.fft, numpy.random,
# scipy.sparse.linalg): no reader could tell those apart by the text. So is scipy.integrate: with 33 documents
# it was confused with its neighbours when the task was first tried.
_MODULES: dict[str, tuple[str, ...]] = {
    "numpy.polynomial": (
        "numpy.polynomial",
        "numpy.polynomial.chebyshev",
        "numpy.polynomial.hermite",
        "numpy.polynomial.hermite_e",
        "numpy.polynomial.laguerre",
        "numpy.polynomial.legendre",
        "numpy.polynomial.polynomial",
    ),
    "scipy.fft": ("scipy.fft",),
    "scipy.interpolate": ("scipy.interpolate",),
    "scipy.linalg": ("scipy.linalg",),
    "scipy.ndimage": ("scipy.ndimage",),
    "scipy.optimize": ("scipy.optimize",),
    "scipy.signal": ("scipy.signal", "scipy.signal.windows"),
    "scipy.sparse": ("scipy.sparse", "scipy.sparse.csgraph"),
    "scipy.spatial": ("scipy.spatial", "scipy.spatial.distance", "scipy.spatial.transform"),
    "scipy.special": ("scipy.special",),
    "scipy.stats": ("scipy.stats",),
    "sklearn.cluster": ("sklearn.cluster",),
    "sklearn.linear_model": ("sklearn.linear_model",),
    "sklearn.metrics": ("sklearn.metrics",),
    "sklearn.preprocessing": ("sklearn.preprocessing",),
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
    found: dict[str, tuple[str, str]] = {}
    seen: set[str] = set()
    for label, modules in _MODULES.items():
        for name, text in sorted(item for module in modules for item in _documents(module)):
            label_of_text.setdefault(text, set()).add(label)
            if text not in seen:
                seen.add(text)
                found[name] = (text, label)
    # A text that two sub-packages share has no single true label.
    ids = sorted(name for name, (text, _) in found.items() if len(label_of_text[text]) == 1)
    return Dataset(
        name="docstrings",
        texts=[found[name][0] for name in ids],
        labels=[found[name][1] for name in ids],
        split=["test" if zlib.crc32(name.encode()) % 5 == 0 else "train" for name in ids],
        categories=sorted(_MODULES),
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


def prose(doc: str) -> str:
    """Reduce a docstring to its prose.

    Parameters
    ----------
    doc : str
        A docstring without its indentation.

    Returns
    -------
    str
        The text without examples, references, "See Also", signatures, markup and dotted paths.

    Examples
    --------
    >>> prose("Smooth `x`, see :func:`scipy.signal.lfilter`.\\n\\nExamples\\n--------\\n>>> 1 + 1\\n2\\n")
    'Smooth `x`, see lfilter.'
    """
    for pattern in (_NOT_PROSE, _CODE, _UNDERLINE, _DIRECTIVE, _SIGNATURE):
        doc = pattern.sub("", doc)
    return re.sub(r"\s+", " ", _DOTTED.sub(_last_part, _ROLE.sub(r"\1", doc))).strip()


def _last_part(path: re.Match[str]) -> str:
    """Shorten a dotted path to its last name; the path of a labelled sub-package gives the label away."""
    return "" if path[0] in _MODULES else path[1]


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
