"""Labels, scores and shares as commands print them, and fitted models as a notebook shows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from rich.console import Group, RenderableType

from seedtopic import model as models
from seedtopic.answers.agreement import Agreement, Measure
from seedtopic.base.wording import number_of, percent
from seedtopic.model.doubts import label_issues_sentence
from seedtopic.model.estimates import tells_reliability
from seedtopic.quality.audit import Audit
from seedtopic.quality.discover import Discovery
from seedtopic.quality.intervals import Estimate
from seedtopic.quality.scores import Scores
from seedtopic.quality.shares import Shares
from seedtopic.show.html import notebook
from seedtopic.show.table import Table, bullets, columns, facts, more, size

MOST_CATEGORIES, MOST_SEEDS = 200, 8  # in a notebook, and of a category
MOST_PAIRS, MOST_CONFUSIONS = 30, 10  # of people, and of categories


def size_table(summary: Mapping[str, Any], of: str = "documents") -> Table:
    """Return how many documents, or parts of them, have which label."""
    right, sizes = summary.get("estimated_precisions"), dict(summary["categories"])
    if "left_empty" in summary:
        sizes[None] = summary["left_empty"]
    rows = []
    for name, n_documents in sizes.items():
        share = f"{n_documents / max(summary['documents'], 1):.1%}"
        row = ["(left empty)" if name is None else name, f"{n_documents:,}", share]
        if right is not None:
            row.append("" if right.get(name) is None else percent(right[name]))
        rows.append(row)
    numbers = (of, "share", *(() if right is None else ("right, about",)))
    return Table(columns("label", numbers=numbers), rows)


def score_table(scores: Scores) -> Group:
    """Return the scores of each category and of all together."""
    rows = [
        (row.category, *map(_short, (row.precision, row.recall, row.f1)), f"{row.support:,}")
        for row in scores.categories
    ]
    total = f"micro-F1 {_short(scores.micro_f1)}   macro-F1 {_short(scores.macro_f1)}"
    return Group(
        Table(columns("category", numbers=("precision", "recall", "f1", "documents")), rows), "", total
    )


def audit_table(audit: Audit) -> Group:
    """Return what checked documents say of all."""
    rows = []
    for row in audit.categories:
        name = "(none of these)" if row.category is None else row.category
        cells = (*_estimate_cells(row.precision), f"{row.labelled:.1%}", *_estimate_cells(row.share))
        rows.append((name, *cells))
    accuracy, interval = _estimate_cells(audit.accuracy)
    head = columns("category", numbers=("precision", "interval", "labelled", "share", "interval"))
    checked = (
        f"{audit.checked:,} of {number_of(audit.documents, 'document')} checked; the intervals are of 95 %."
    )
    return Group(Table(head, rows), "", f"accuracy {accuracy}, interval {interval}", checked)


def share_table(shares: Shares) -> Group:
    """Return the shares of the categories, in all documents and in each group."""
    parts: list[RenderableType] = []
    for column, groups in [(part.column, part.groups) for part in shares.by] or [("", [])]:
        rows = []
        for group in (shares.all, *groups):
            for place, share in enumerate(group.shares):
                name, n_documents = ("", "") if place else (group.name, f"{group.documents:,}")
                cells = _estimate_cells(share.share)
                rows.append((name, share.category, n_documents, f"{share.labelled:,}", *cells))
        head = columns(column, "category", numbers=("documents", "labelled", "share", "interval"))
        parts += [Table(head, rows), ""]
    based = (
        "seedtopic audit makes the shares surer"
        if shares.checked is None
        else f"the shares are corrected by {shares.checked:,} checked documents"
    )
    return Group(*parts, f"The intervals are of 95 %; {based}.")


def agreement_tables(agreement: Agreement) -> Group:
    """Return how far people agree: all, each, each two, about each category, and what they confuse."""
    of_all = [
        ("percent agreement", *_estimate_cells(agreement.percent)),
        ("Fleiss' kappa", *_kappa_cells(agreement.fleiss)),
        ("Krippendorff's alpha", *_kappa_cells(agreement.alpha)),
    ]
    people = []
    for one in agreement.people:
        without = _kappa_cells(Measure(one.alpha_without))[0]
        people.append((one.person, f"{one.answers:,}", *_estimate_cells(one.agreement), without))
    pairs = []
    for pair in agreement.pairs[:MOST_PAIRS]:
        cells = (*_estimate_cells(pair.agreement), *_kappa_cells(pair.kappa))
        pairs.append((pair.first, pair.second, f"{pair.texts:,}", *cells))
    categories = [
        (one.category, f"{one.answers:,}", *_estimate_cells(one.agreement), *_kappa_cells(one.alpha))
        for one in agreement.categories
    ]
    confusions = [
        (pair.first, pair.second, f"{pair.texts:,}", f"{pair.share:.1%}")
        for pair in agreement.confusions[:MOST_CONFUSIONS]
    ]
    measures = ("agreement", "interval")
    parts: list[RenderableType] = [
        "",
        Table(columns("person", numbers=("answers", *measures, "alpha without")), people),
        "",
        Table(columns("person", "and", numbers=("texts", *measures, "kappa", "interval")), pairs),
        *more(len(agreement.pairs), MOST_PAIRS, "pairs of people"),
        "",
        Table(columns("category", numbers=("answers", *measures, "alpha", "interval")), categories),
        "",
        Table(columns("confused", "with", numbers=("texts", "of those with either")), confusions),
        *more(len(agreement.confusions), MOST_CONFUSIONS, "pairs of categories"),
    ]
    based = (
        f"{number_of(agreement.texts, 'text')} with {agreement.answers:,} answers of two or more; the "
        "intervals are of 95 %."
    )
    return Group(Table(columns("", numbers=measures), of_all), *parts, "", based)


def discovery_table(discovery: Discovery) -> Table:
    """Return the new categories."""
    rows = []
    for new in discovery.categories:
        before = next((str(name) for name in new.before), "")
        rows.append((new.name, f"{new.documents:,}", percent(new.right), before, ", ".join(new.words)))
    numbers = ("documents", "right, about")
    return Table(columns("new category", numbers=numbers, right=("labelled until now", "words")), rows)


def _kappa_cells(of: Measure) -> tuple[str, str]:
    """Return a kappa or alpha and its interval."""
    if of.value is None:
        return "-", "-"
    interval = "-" if of.low is None or of.high is None else f"{_short(of.low)} to {_short(of.high)}"
    return _short(of.value), interval


def _estimate_cells(of: Estimate | Measure) -> tuple[str, str]:
    """Return an estimate and its interval."""
    if of.value is None or of.low is None or of.high is None:
        return "-", "-"
    return f"{of.value:.1%}", f"{100 * of.low:.1f}–{100 * of.high:.1f}%"


def _short(value: float) -> str:
    """Return three decimals without the leading zero, as scores are printed in papers."""
    return f"{value:.3f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.3f}"


def fit_in_notebook(model: models.SeedClassifier) -> str:
    """Return what a fit came to: categories, their sizes, how many labels are right, and what is in doubt."""
    known, confirmed, doubts = model.has_words_, model.confirmed_, []
    pairs = [
        ("documents", f"{len(known):,}"),
        ("categories", f"{len(model.classes_):,}"),
        ("known words", f"{len(model.vocabulary_):,}"),
    ]
    if tells_reliability(model):
        doubts = [doubt.remark for doubt in model.doubts_]
        if not np.isnan(model.estimated_accuracy_):
            pairs.append(("labels right, about", percent(model.estimated_accuracy_)))
    if confirmed.any():
        pairs.append(("confirmed labels", f"{confirmed.sum():,}"))
    if not known.all():
        pairs.append(("without a known word", f"{(~known).sum():,}"))
    if isinstance(model, models.SeedTopicClassifier):
        pairs.append(("meaning of words", model.vectors_ or "not known"))
        suspected = label_issues_sentence(model.suspect_confirmed_)
        doubts += [] if suspected is None else [suspected]
    return notebook(
        f"{type(model).__name__}, fitted",
        facts(pairs),
        _fitted_categories(model).notebook(),
        *more(len(model.classes_), MOST_CATEGORIES, "category"),
        bullets(doubts),
    )


def _fitted_categories(model: models.SeedClassifier) -> Table:
    labels, n_documents = model.transduction_[model.has_words_], len(model.has_words_)
    sizes = [int(np.count_nonzero(labels == name)) for name in model.classes_]
    right: list[list[str]] = [[]] * len(sizes)
    if tells_reliability(model):
        right = [["" if np.isnan(share) else percent(share)] for share in model.estimated_precisions_]
    rows: list[Sequence[object]] = []
    seeds = list(model.seeds_.categories.values())
    categories = list(zip(model.classes_, sizes, right, seeds, strict=True))
    for name, count, sure, words in categories[:MOST_CATEGORIES]:
        listed = ", ".join(words[:MOST_SEEDS]) + (", ..." if len(words) > MOST_SEEDS else "")
        rows.append((name, size(count, n_documents, max(sizes)), *sure, listed))
    if (none_label := model.none_label) is not None:
        documents = size(int(np.count_nonzero(labels == none_label)), n_documents, max(sizes))
        rows.append((none_label, documents, *[""] * len(right[0]), "(no category)"))
    numbers = ["right, about"] if right[0] else []
    return Table(columns("category", "documents", numbers=numbers, right=["seeds"]), rows)
