"""The command that scores a model: ``seedtopic evaluate``."""

from __future__ import annotations

from typing import Annotated

import typer

from seedtopic.base.errors import InputError
from seedtopic.base.wording import number_of
from seedtopic.cli import options
from seedtopic.cli.answers import Answered
from seedtopic.cli.console import Terminal
from seedtopic.quality.audit import names_of
from seedtopic.quality.scores import evaluate as score
from seedtopic.seeds.names import NONE_OF_THESE
from seedtopic.show.tables import score_table


def evaluate(
    *,
    label_field: Annotated[str, typer.Option(metavar="COLUMN", help="Column of the true labels.")] = "label",
    answers: options.AnswersFile = None,
    saved: options.SavedModel,
    source: options.Source,
    terminal: Terminal,
) -> int:
    """Score a fitted model on documents whose labels are known.

    Documents without a true label are left out, and so are those of which you have said something, since the
    model may have learned from that.

    Example:  seedtopic evaluate model/ test.csv --label-field topic
    """
    model = saved.load()
    documents = source.read(terminal, options.rule_columns(model), label_field=label_field)
    predictions = model.predict_all(documents.texts).with_texts(documents.has_text)
    answered = Answered(answers=answers).ledger(source.docs).matching(documents.texts, None, names_of(model))
    learned = {*answered.answered}
    every = list(zip(documents.labels or [], predictions.labels.tolist(), strict=True))
    known = [pair for place, pair in enumerate(every) if pair[0].strip() and place not in learned]
    unknown_labels = sum(not true.strip() for true, _ in every)
    if not known:
        raise InputError(
            f"no document has a label in the column {label_field!r} of which nobody has said anything: give "
            "documents with true labels that the model has not learned from."
        )
    if unknown_labels:
        have, are = ("document has", "is") if unknown_labels == 1 else ("documents have", "are")
        terminal.note(f"{unknown_labels:,} {have} nothing in the column {label_field!r} and {are} not scored")
    if count := len(every) - unknown_labels - len(known):
        terminal.note(
            f"{number_of(count, 'document')} with answers, from which the model may have learned, not scored"
        )
    # What the model calls a category that a label names in another way, or by a former name.
    names, none = names_of(model), predictions.none_label
    called = {name: str(name) for name in predictions.classes}
    if none is not None:
        called[NONE_OF_THESE] = none
    known_as = {true: called[label] for true, _ in known if (label := names.label(true)) in called}
    scored = [(known_as.get(true, true), str(label)) for true, label in known if label is not None]
    apart = {"without_text": predictions.without_text, "without_known_word": predictions.without_known_word}
    if len(scored) < len(known):
        unknown = 0 if predictions.none_label is not None else apart["without_known_word"]
        reasons = f"{apart['without_text']:,} without a text, {unknown:,} without a known word"
        sentence = f"{len(known) - len(scored):,} of {len(known):,} documents have no label"
        if not scored:
            raise InputError(f"{sentence} ({reasons}): give documents with words that the model knows.")
        terminal.note(f"{sentence} and are not scored: {reasons}")
    true, given = zip(*scored, strict=True)
    scores = score(true, given, list(map(str, predictions.names)))
    if scores.unknown:
        named = ", ".join(f"{name!r} ({count})" for name, count in list(scores.unknown.items())[:5])
        terminal.note(f"labels that the model does not know count as errors: {named}.")
    values = {"documents": len(scored), **apart, "without_true_label": unknown_labels, **scores.as_dict()}
    terminal.result(score_table(scores), values=values)
    return documents.unusable
