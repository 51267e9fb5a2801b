"""A report on labelled documents: one content, written as HTML, Markdown or JSON."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seedtopic.answers.ledger import Answers
from seedtopic.base import json as strict_json
from seedtopic.base.checks import check_as_many
from seedtopic.base.display import shown
from seedtopic.base.errors import InputError
from seedtopic.base.files import atomic_file, check_place
from seedtopic.base.wording import number_of
from seedtopic.io.frames import given_texts, is_matrix, refuse_text_table, without_frame
from seedtopic.io.predictions import Predictions, texts_there
from seedtopic.model.doubts import Doubt
from seedtopic.model.drift import word_counts
from seedtopic.model.estimates import Estimate, Measured, tells_reliability
from seedtopic.quality.audit import measured, names_of
from seedtopic.quality.scores import Scores, evaluate
from seedtopic.quality.shares import Groups, Shares, estimate_shares, numbered_labels
from seedtopic.show import facts
from seedtopic.show.charts import TEXT_LENGTH, Map, draw_map

if TYPE_CHECKING:  # scikit-learn takes long to import
    from seedtopic.model import SeedClassifier

__all__ = ["Report", "check_report_output"]

ENDINGS = (".html", ".md", ".json")
TOP_WORDS = 10
MOST_CATEGORIES = 1_000
NO_LABEL = -1  # in the place of a category
Array = NDArray[np.float64]


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
    measured : Measured or None
        The same as people have measured it by a random sample, which counts instead.
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
    no_objective : str
        Why there is none, which is only said on pages.
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
    categories: list[facts.Category]
    histogram: list[int]
    most_certain: list[facts.Example]
    least_certain: list[facts.Example]
    suspected: list[list[float]]
    confusions: facts.Confusions | None
    scores: Scores | None
    seeds: list[facts.Seed]
    map: Map
    objective: list[float]
    settings: dict[str, str]
    none: facts.Category | None = None
    without_text: int = 0
    without_known_word: int = 0
    estimated_accuracy: float | None = None
    measured: Measured | None = None
    doubts: list[Doubt] = field(default_factory=list)
    shares: Shares | None = None
    no_objective: str = ""

    @classmethod
    def of(
        cls,
        model: SeedClassifier,
        texts: Iterable[str],
        *,
        labels: Iterable[str] | None = None,
        ids: Collection[str] | None = None,
        rows: Sequence[int] | None = None,
        by: Sequence[Groups] = (),
        fitted: bool = False,
        answers: Answers | None = None,
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
        ids : collection of str, optional
            The ids of the documents.
        rows : sequence of int, optional
            What documents without ids are called; by default their row numbers from 0.
        by : sequence of Groups
            Groups of the documents, see `seedtopic.quality.shares.grouped`: with them the report shows
            the shares of the categories in each.
        fitted : bool
            Whether the texts are those that the model was fitted to, in the same order. If so, the labels of
            the fit are shown, otherwise those of `predict`.
        answers : Answers, optional
            What people have said of the texts: it counts instead of the model's labels, which alone are
            scored.
        title : str
        """
        texts = _checked_texts(model, texts)
        predictions = model.fitted_predictions(texts) if fitted else model.predict_all(texts)
        predictions = predictions.with_texts(texts_there(texts))
        names = list(map(str, predictions.names))
        known = None if answers is None else answers.matching(texts, ids, names_of(model))
        if known is not None:
            predictions = predictions.with_answers(known.labels, known.none)
        scores, confusions = _compared(labels, predictions, names)
        called = [str(name) for name in ((rows or range(len(texts))) if ids is None else ids)]
        check_as_many(len(texts), "document", len(called), "id")
        n_categories, probabilities = len(model.classes_), predictions.probabilities
        labelled, predicted, confidence = predictions.labelled, predictions.numbers, predictions.certainty
        counts = word_counts(model, texts)  # including phrases among the seeds
        seeds = facts.seed_health(model, counts, predicted)
        top = [*facts.typical_words(counts, probabilities, model.vocabulary_, TOP_WORDS), []]
        categories = []
        for category, name in enumerate(names):
            sure = confidence[predicted == category]
            mean = float(sure.mean()) if len(sure) else None
            words = [seed.word for seed in seeds if seed.category == name and category < n_categories]
            categories.append(facts.Category(name, words, top[category], len(sure), mean))
        estimate = Estimate.of(model, predictions.summary())
        drawn = draw_map(counts, probabilities, labelled)
        surest = facts.most_certain(predicted, confidence, len(names))
        shown_rows = [*surest, *facts.least_certain(probabilities, labelled)]
        needed = {*shown_rows, *drawn.documents}
        read = {row: text for row, text in enumerate(texts) if row in needed}  # once: they may be in a file
        certain = facts.examples(model, shown_rows, read, called, predictions)
        return cls(
            title=title,
            model=type(model).__name__,
            version=version("seedtopic"),
            fitted=fitted,
            documents=len(texts),
            words_known=len(model.vocabulary_),
            mean_probability=float(confidence[labelled].mean()) if labelled.any() else None,
            categories=categories[:n_categories],
            none=None if predictions.none_label is None else categories[-1],
            without_text=predictions.without_text,
            without_known_word=predictions.without_known_word,
            histogram=facts.histogram(confidence[labelled]),
            most_certain=certain[: len(surest)],
            least_certain=certain[len(surest) :],
            suspected=facts.suspected_confusions(model, counts, probabilities, predicted),
            confusions=confusions,
            scores=scores,
            seeds=seeds,
            map=replace(
                drawn,
                labels=predicted[drawn.documents].tolist(),
                probabilities=confidence[drawn.documents].round(4).tolist(),
                ids=[called[row] for row in drawn.documents],
                texts=[facts.shortened(read[row], TEXT_LENGTH) for row in drawn.documents],
            ),
            objective=[float(value) for value in getattr(model, "objective_", ())],
            settings=facts.model_settings(model),
            estimated_accuracy=None if estimate is None else estimate.accuracy,
            measured=None if answers is None else measured(answers, names_of(model)),
            doubts=model.doubts_ if fitted and tells_reliability(model) else [],
            shares=estimate_shares(names, *numbered_labels(predictions), by) if by else None,
            no_objective=facts.no_objective(model),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {name: value for name, value in asdict(self).items() if name != "no_objective"}

    def to_html(self) -> str:
        """Return a self-contained HTML page."""
        return shown(self, "pages.as_html")

    def __repr__(self) -> str:
        return (
            f"<Report {self.title!r}: {number_of(self.documents, 'document')}, "
            f"{number_of(len(self.categories), 'category')}>"
        )

    def _repr_html_(self) -> str:
        return shown(self, "pages.as_notebook")

    def to_markdown(self) -> str:
        """Return Markdown, without the map."""
        return shown(self, "pages.as_markdown")

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


def _compared(
    labels: Iterable[str] | None, predictions: Predictions, names: list[str]
) -> tuple[Scores, facts.Confusions] | tuple[None, None]:
    """Compare the labels with the true ones, where they are known and there are any."""
    true = [] if labels is None else [str(label) for label in labels]
    labelled = predictions.labelled & ~predictions.confirmed  # by the model
    if labels is not None:
        check_as_many(len(true), "true label", len(labelled), "prediction")
    if labels is None or not labelled.any():
        return None, None
    true = [label for label, has_label in zip(true, labelled, strict=True) if has_label]
    predicted = predictions.numbers[labelled]
    scores = evaluate(true, [names[label] for label in predicted], names)
    return scores, facts.true_confusions(true, predicted, names)


def _checked_texts(model: SeedClassifier, texts: Iterable[str]) -> Collection[str]:
    texts = without_frame(texts)
    if is_matrix(texts):
        refuse_text_table(texts)
        raise InputError("a report shows texts, which a matrix of counts does not have: give texts.")
    texts = given_texts(texts)
    texts = texts if isinstance(texts, Collection) else list(texts)
    if len(texts) == 0:
        raise InputError("there are no documents to report on.")
    if len(model.classes_) > MOST_CATEGORIES:
        raise InputError(
            f"the model has {len(model.classes_):,} categories, but a report compares all pairs of them: "
            f"at most {MOST_CATEGORIES:,} are possible."
        )
    return texts
