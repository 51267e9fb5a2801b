"""The content of a report, independent of the file format."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedtopic.base import json as strict_json
from seedtopic.base.errors import InputError
from seedtopic.base.files import atomic_file, check_place
from seedtopic.io.frames import given_texts, is_matrix, refuse_text_table, without_frame
from seedtopic.io.predictions import Extras, Labelable
from seedtopic.model.classifier import SeedTopicClassifier
from seedtopic.model.doubts import Doubt
from seedtopic.model.estimates import Estimate, tells_reliability
from seedtopic.model.estimator import SeedClassifier
from seedtopic.model.reading import TextReader
from seedtopic.quality.scores import Scores, evaluate
from seedtopic.quality.shares import Groups, Shares, estimate_shares, numbered_labels
from seedtopic.report.confusions import Confusions, suspected_confusions, true_confusions
from seedtopic.report.examples import Example, examples, least_certain, most_certain, shortened, texts_at
from seedtopic.report.html import to_html
from seedtopic.report.map import Map, draw_map
from seedtopic.report.markdown import to_markdown
from seedtopic.report.notebook import to_notebook
from seedtopic.report.seed_health import Seed, seed_health
from seedtopic.report.words import typical_words

Array = NDArray[np.float64]

ENDINGS = (".html", ".md", ".json")
HISTOGRAM_BINS = 20
TOP_WORDS = 10
MOST_CATEGORIES = 1_000
NO_LABEL = -1  # in the place of a category
# Parameters that are shown elsewhere, or do not affect the result.
_NOT_SHOWN = {"seeds", "vocabulary", "vectors", "runner", "n_threads", "max_memory", "tokenizer", "graph"}


@dataclass(frozen=True)
class Category:
    """A category with its seeds, its typical words, and the documents with its label."""

    name: str
    seeds: list[str]
    words: list[str]
    documents: int
    mean_probability: float | None


@dataclass(frozen=True, repr=False)
class Report:
    """A report on documents that a model has labelled.

    Attributes
    ----------
    title : str
    model, version : str
        The class of the model, and the version of the package.
    fitted : bool
        Whether the labels come from the fit rather than from `predict`.
    documents, words_known : int
    without_text, without_known_word : int
        Documents that cannot be labelled; they count for no category, and are not scored. With a label for
        documents of no category, a document without a known word has that label.
    mean_probability : float or None
        Mean probability of the labels; None if there are none.
    estimated_accuracy : float or None
        The share of labels that are right, as far as this can be told without labels; None if the model
        cannot tell. If it can, the mean probability of a category is the same for its labels.
    doubts : list of Doubt
        Why the labels of some categories are in doubt; only for the documents of the fit.
    categories : list of Category
    none : Category or None
        The documents of no category, if the model has a label for them; they count for no category.
    histogram : list of int
        Number of labels with a probability in each twentieth from 0 to 1.
    most_certain, least_certain : list of Example
    suspected : list of list of float
        For the documents of each label (rows), the share that may belong to each category instead.
    confusions : Confusions or None
    scores : Scores or None
        If true labels were given.
    seeds : list of Seed
    map : Map
    objective : list of float
        Its value in each iteration; empty if the model has none.
    settings : dict
    shares : Shares or None
        The shares of the categories in groups, if groups were given.

    Examples
    --------
    >>> from seedtopic import SeedTopicClassifier
    >>> texts = ["the team won the game", "a goal in the game", "the bank cut its rate", "rate of the bank"]
    >>> model = SeedTopicClassifier({"sports": ["game", "team"], "money": ["bank"]}, random_state=0)
    >>> report = Report.of(model.fit(texts), texts, fitted=True)
    >>> [(category.name, category.documents) for category in report.categories]
    [('sports', 2), ('money', 2)]
    >>> report.to_html().startswith("<!DOCTYPE html>")
    True
    """

    title: str
    model: str
    version: str
    fitted: bool
    documents: int
    words_known: int
    mean_probability: float | None
    categories: list[Category]
    histogram: list[int]
    most_certain: list[Example]
    least_certain: list[Example]
    suspected: list[list[float]]
    confusions: Confusions | None
    scores: Scores | None
    seeds: list[Seed]
    map: Map
    objective: list[float]
    settings: dict[str, str]
    none: Category | None = None
    without_text: int = 0
    without_known_word: int = 0
    estimated_accuracy: float | None = None
    doubts: list[Doubt] = field(default_factory=list)
    shares: Shares | None = None

    @classmethod
    def of(
        cls,
        model: SeedClassifier,
        texts: Iterable[str],
        *,
        labels: Iterable[str] | None = None,
        ids: Iterable[str] | None = None,
        by: Sequence[Groups] = (),
        fitted: bool = False,
        title: str = "Labelled documents",
    ) -> Report:
        """Make a report.

        Parameters
        ----------
        model : SeedClassifier
            A fitted model.
        texts : iterable of str, or data frame
            The documents, as in `predict`.
        labels : iterable of str, optional
            The true labels: with them the report has scores and the true confusions.
        ids : iterable of str, optional
            The ids of the documents; by default their row numbers from 0.
        by : sequence of Groups
            Groups of the documents, see `seedtopic.quality.shares.grouped`: with them the report shows
            the shares of the categories in each.
        fitted : bool
            Whether the texts are those that the model was fitted to, in the same order. If so, the labels of
            the fit are shown, otherwise those of `predict`.
        title : str
        """
        texts = without_frame(texts)
        if is_matrix(texts):
            refuse_text_table(texts)
            raise InputError("a report shows texts, which a matrix of counts does not have: give texts.")
        given = given_texts(texts)
        texts = given if isinstance(given, Collection) else list(given)
        n_documents = len(texts)
        if n_documents == 0:
            raise InputError("there are no documents to report on.")
        if len(model.classes_) > MOST_CATEGORIES:
            raise InputError(
                f"the model has {len(model.classes_):,} categories, but a report compares all pairs of them: "
                f"at most {MOST_CATEGORIES:,} are possible."
            )
        if fitted:
            probabilities, none = model.fitted_distributions(len(texts)), model.none_of_these()
            has_words = model.fitted_has_words()
        else:
            probabilities, none = model.predict_proba(texts), model.none_of_these(texts)
            has_words = model.has_known_words(texts)
        labelable = Labelable.of(texts, has_words)
        labelled = labelable.labelled(none_label=none is not None)
        counts = model.fitted_.counts_of(texts, TextReader.of(model)).matrix  # with phrases
        names = [str(name) for name in model.classes_]
        predicted, confidence = probabilities.argmax(axis=1), probabilities.max(axis=1)
        every_name = names if none is None else [*names, none.label]
        if none is not None:
            outside = none.probability > 0.5
            predicted = np.where(outside, len(names), predicted)
            confidence = np.where(outside, none.probability, confidence)
        predicted = np.where(labelled, predicted, NO_LABEL)
        top = typical_words(counts, probabilities, model.vocabulary_, TOP_WORDS)
        seeds = seed_health(model, counts, predicted)
        categories = []
        for category, name in enumerate(every_name):
            sure = confidence[predicted == category]
            mean = float(sure.mean()) if len(sure) else None
            words = [seed.word for seed in seeds if seed.category == name and category < len(names)]
            categories.append(Category(name, words, [*top, []][category], len(sure), mean))
        scores, confusions = None, None
        if labels is not None:
            true = [str(label) for label in labels]
            if len(true) != n_documents:
                raise InputError(f"there are {len(true)} true labels but {n_documents} predictions.")
            true = [label for label, known in zip(true, labelled, strict=True) if known]
            if labelled.any():
                scores = evaluate(true, [every_name[label] for label in predicted[labelled]], every_name)
                confusions = true_confusions(true, predicted[labelled], every_name)
        estimate = Estimate.of(model, predicted, confidence)
        called = [str(name) for name in (range(n_documents) if ids is None else ids)]
        if len(called) != n_documents:
            raise InputError(f"there are {n_documents} documents, but {len(called)} ids: give one for each.")
        drawn = draw_map(counts, probabilities, labelled)
        sure = most_certain(predicted, confidence, len(every_name))
        unsure = least_certain(probabilities, labelled)
        shown = texts_at([*sure, *unsure, *drawn.documents], texts)
        certain = examples(model, [*sure, *unsure], shown, called, probabilities, none)
        return cls(
            title=title,
            model=type(model).__name__,
            version=version("seedtopic"),
            fitted=fitted,
            documents=n_documents,
            words_known=len(model.vocabulary_),
            mean_probability=float(confidence[labelled].mean()) if labelled.any() else None,
            categories=categories[: len(names)],
            none=None if none is None else categories[-1],
            without_text=labelable.without_text,
            without_known_word=labelable.without_known_word,
            histogram=_histogram(confidence[labelled]),
            most_certain=certain[: len(sure)],
            least_certain=certain[len(sure) :],
            suspected=suspected_confusions(model, counts, probabilities, predicted),
            confusions=confusions,
            scores=scores,
            seeds=seeds,
            map=drawn.described(predicted, confidence, called, shown),
            objective=[float(value) for value in getattr(model, "objective_", ())],
            settings=_settings(model),
            estimated_accuracy=None if estimate is None else estimate.accuracy,
            doubts=model.doubts_ if fitted and tells_reliability(model) else [],
            shares=estimate_shares(
                every_name, *numbered_labels(probabilities, Extras(none=none, labelable=labelable)), by
            )
            if by
            else None,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return asdict(self)

    def to_html(self) -> str:
        """Return a self-contained HTML page."""
        return to_html(self)

    def __repr__(self) -> str:
        return f"<Report {self.title!r}: {self.documents:,} documents, {len(self.categories):,} categories>"

    def _repr_html_(self) -> str:
        return to_notebook(self)

    def to_markdown(self) -> str:
        """Return Markdown, without the map."""
        return to_markdown(self)

    def to_json(self) -> str:
        """Write one JSON object."""
        return strict_json.written(self.to_dict(), indent=1)

    def write(self, path: str | Path) -> None:
        """Write the report to a .html, .md or .json file; the file is never left half written.

        Parameters
        ----------
        path : path
            An existing file is replaced.
        """
        check_report_output(path)
        write = {".html": self.to_html, ".md": self.to_markdown, ".json": self.to_json}
        content = write[Path(path).suffix.lower()]()
        with atomic_file(path, "w") as file:
            file.write(content)


def check_report_output(path: str | Path) -> None:
    """Raise an error unless a report can be written to a path; call it before the work starts.

    Parameters
    ----------
    path : path

    Examples
    --------
    >>> check_report_output("report.pdf")
    Traceback (most recent call last):
        ...
    seedtopic.base.errors.InputError: a report cannot be written to report.pdf: name a .html, .md or .json \
file.
    """
    if Path(path).suffix.lower() not in ENDINGS:
        raise InputError(f"a report cannot be written to {path}: name a .html, .md or .json file.")
    check_place(Path(path), "report.html")


def _settings(model: SeedClassifier) -> dict[str, str]:
    shown = {
        name: shortened(repr(value), 60)
        for name, value in model.get_params(deep=False).items()
        if name not in _NOT_SHOWN
    }
    if isinstance(model, SeedTopicClassifier):  # not what was asked for, but what it came to
        shown["vectors"] = model.vectors_ or "none"
    return shown


def _histogram(confidence: Array) -> list[int]:
    place = np.minimum((confidence * HISTOGRAM_BINS).astype(int), HISTOGRAM_BINS - 1)
    return [int(count) for count in np.bincount(place, minlength=HISTOGRAM_BINS)]
