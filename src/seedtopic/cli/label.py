"""The commands that write labels: ``seedtopic label`` and ``seedtopic predict``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from seedtopic import model as models
from seedtopic.base.errors import InputError
from seedtopic.base.files import check_place
from seedtopic.cli import options, steps
from seedtopic.cli.answers import Answered, refuse_to_lose
from seedtopic.cli.console import Terminal
from seedtopic.io.rows import Rows
from seedtopic.io.write import check_fits, write_predictions, write_rows
from seedtopic.model.drift import Fitted
from seedtopic.model.drift import drift as compared_with
from seedtopic.model.label_files import is_folder_of_files, label_files
from seedtopic.model.label_pieces import COLUMNS, part_rows
from seedtopic.quality.audit import measured, names_of
from seedtopic.show.tables import size_table
from seedtopic.text.parts import PER, Per


def checked_part(per: str | None, *, multi: bool, drift: bool = False) -> Per | None:
    """Read --per, and refuse options that are about whole documents."""
    part = next((known for known in PER if known == per), None)
    if per is not None and part is None:
        raise InputError(f"--per is {per!r}: use {' or '.join(PER)}.")
    for option, value in (("--multi", multi), ("--drift", drift)):
        if part is not None and value:
            raise InputError(f"{option} is about whole documents: leave it out, or leave --per out.")
    return part


def label_parts(
    output: str,
    documents: Rows,
    model: models.SeedClassifier,
    per: Per,
    min_probability: float,
    terminal: Terminal,
    *,
    safe_cells: bool,
) -> None:
    """Write the parts of documents with their labels, and count them."""
    counts: Counter[Any] = Counter()

    def rows() -> Iterator[dict[str, Any]]:
        for row in part_rows(documents, per, model.predict_all, min_probability):
            counts[row["predicted"]] += 1
            yield row

    with Terminal().warnings():  # which are told despite --quiet
        write_rows(output, rows(), COLUMNS, replace(documents.style, safe_cells=safe_cells))
    if output == "-":
        return
    sizes = {
        "categories": {str(name): counts[name] for name in model.fitted_.labels},
        "left_empty": counts[None],
    }
    table = size_table({**sizes, "documents": counts.total()}, f"{per}s")
    written = f"{counts.total():,} {per}s of {len(documents):,} documents written to {steps.where(output)}"
    values = {"documents": len(documents), "parts": counts.total(), **sizes, "output": output}
    terminal.result(table, written, values=values)


@dataclass(frozen=True, kw_only=True)
class LabelSource(options.TrainingSource, options.NamedSource):
    """Documents to fit a model to, and to label by it."""


def label(
    *,
    seeds: options.SeedsFile,
    output: Annotated[str, options.output(f"The file to write: {options.TABLES}.")] = "-",
    answered: Answered,
    multi: options.Multi = False,
    min_probability: options.MinProbability = 0.0,
    safe_cells: options.SafeCells = False,
    per: options.PerOption = None,
    source: LabelSource,
    new: options.NewModel,
    counting: options.Counting,
    checkpoint: options.Checkpoint = None,
    terminal: Terminal,
) -> int:
    """Label documents from seed words in one step.

    Example:  seedtopic label tickets.csv --seeds seeds.toml -o labelled.csv
    """
    steps.check_table(output, source.docs, "labels", terminal)
    refuse_to_lose(output, source, answered)
    part = checked_part(per, multi=multi)
    progress_folder = steps.opened_checkpoint(checkpoint, output)
    model = new.build(seeds, counting, strict=source.strict)
    if multi:
        options.require_classifier(model, "--multi")
    own, most = answered.column, counting.max_memory
    documents = source.read(terminal, options.rule_columns(model), label_field=own, max_memory=most)
    check_fits(output, documents)
    names = names_of(model)
    ledger, answers = answered.collect(source, documents, names, terminal)
    steps.fit(model, documents, terminal, answers=answers, checkpoint=progress_folder)
    steps.note_few(model, int(model.has_words_.sum()), terminal)
    if part is None:
        predictions = model.fitted_predictions(len(documents), several=multi).with_texts(documents.has_text)
        predictions = predictions.with_answers(answers.labels, answers.none)
        with Terminal().warnings():  # which are told despite --quiet
            style = replace(documents.style, safe_cells=safe_cells)
            write_predictions(output, documents, predictions, min_probability, style)
        summary, sample = predictions.summary(min_probability), measured(ledger, names)
        values = steps.summed_up(summary, model, documents.unusable, min_probability, sample)
        _sum_up(output, model, values, min_probability, terminal, fitted=True)
    else:
        label_parts(output, documents, model, part, min_probability, terminal, safe_cells=safe_cells)
    if progress_folder is not None:
        progress_folder.clear()
    return documents.unusable


def predict(
    *,
    output: Annotated[
        str,
        options.output(
            f"The file to write: {options.TABLES}; or a folder, with a slash at its end, for a labelled "
            "file of each file."
        ),
    ] = "-",
    multi: options.Multi = False,
    min_probability: options.MinProbability = 0.0,
    safe_cells: options.SafeCells = False,
    per: options.PerOption = None,
    drift: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="The .json file to write a comparison with the documents of the fit to."
        ),
    ] = None,
    answers: options.AnswersFile = None,
    saved: options.SavedModel,
    source: options.NamedSource,
    workers: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Processes that label documents (default: all cores).",
            rich_help_panel=options.RESOURCES,
        ),
    ] = None,
    scheduler: options.Scheduler = None,
    terminal: Terminal,
) -> int:
    """Label new documents with a fitted model.

    Files of any size are labelled in little memory. If the output is a folder, a labelled file is written
    for each file; the same command continues after an interruption. If the documents are not like those of
    the fit, a message says so.

    Example:  seedtopic predict model/ new.jsonl -o labelled.jsonl

    Example:  seedtopic predict model/ 'new/part-?.parquet' -o labelled/
    """
    in_folder = is_folder_of_files(output, source.docs)
    if not in_folder:
        steps.check_table(output, source.docs, "labels", terminal)
        refuse_to_lose(output, source, Answered(answers=answers))
    part = checked_part(per, multi=multi, drift=drift is not None)
    if drift is not None:
        if Path(drift).suffix.lower() != ".json":
            raise InputError(f"--drift is {drift}: name a .json file.")
        steps.refuse_to_overwrite(drift, source.docs)
        check_place(Path(drift), "drift.json")
    model = saved.load()
    if multi:
        options.require_classifier(model, "--multi")
    if part is not None:
        documents = source.read(terminal, options.rule_columns(model))
        label_parts(output, documents, model, part, min_probability, terminal, safe_cells=safe_cells)
        return documents.unusable
    ledger, names = Answered(answers=answers).ledger(source.docs), names_of(model)
    with _saying_how_to_continue(in_folder), Terminal().warnings(), terminal.progress() as progress:
        done = label_files(
            model,
            source.docs,
            output,
            **source.how(),
            multi=multi,
            min_probability=min_probability,
            safe_cells=safe_cells,
            answers=ledger.verdicts(names),
            n_workers=saved.threads if workers is None else workers,
            scheduler=scheduler,
            progress=progress,
        )
    options.show_report(terminal, done.noticed)
    if done.n_kept:
        earlier = f"{done.n_kept:,} of {done.n_files:,} files were labelled by an earlier run of this command"
        terminal.note(f"{earlier} and are kept")
    sample = measured(ledger, names)
    values = steps.summed_up(done.noticed.summary, model, done.noticed.unusable, min_probability, sample)
    compared = None if (fit := Fitted.of(model)) is None else compared_with(fit, done.noticed.statistics)
    if compared is not None:
        values["drift"] = compared.as_dict()
    _sum_up(output, model, values, min_probability, terminal, fitted=False)
    steps.report_drift(compared, model, drift, terminal)
    return done.noticed.unusable


@contextmanager
def _saying_how_to_continue(in_folder: bool) -> Iterator[None]:
    """Say that finished files are kept if the user interrupts the command."""
    try:
        yield
    except KeyboardInterrupt:
        if not in_folder:
            raise
        raise KeyboardInterrupt(
            "interrupted; finished files are kept: run the same command to continue."
        ) from None


def _sum_up(
    output: str,
    model: models.SeedClassifier,
    values: dict[str, Any],
    min_probability: float,
    terminal: Terminal,
    *,
    fitted: bool,
) -> None:
    steps.note_unknown(values["without_known_word"], model.none_label, terminal)
    if min_probability > 0:
        left_empty = f"{values['left_empty']:,} of {values['documents']:,} labels left empty"
        terminal.note(f"{left_empty}, with a probability below {min_probability:g}")
    estimates = steps.estimate_sentences(model, values, fitted=fitted)
    if output == "-":  # the labels themselves are on standard output: nothing may stand among them
        for sentence in estimates:
            terminal.note(sentence.removesuffix("."))
        return
    terminal.result(
        size_table(values),
        *estimates,
        f"labels written to {steps.where(output)}",
        values={**values, **steps.vectors_values(model), "output": output},
    )
