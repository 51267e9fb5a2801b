"""The commands that write labels: ``seedtopic label`` and ``seedtopic predict``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from seedtopic.base.errors import InputError
from seedtopic.cli import options
from seedtopic.cli.answers import Answered, names_of, refuse_to_lose
from seedtopic.cli.console import note, progress_bars, result, warnings_as_notes
from seedtopic.cli.options import (
    Counting,
    NewModel,
    SavedModel,
    Source,
    TrainingSource,
    require_classifier,
    rule_columns,
)
from seedtopic.cli.steps import (
    check_drift_output,
    drift_of,
    drift_values,
    estimate_sentences,
    fit,
    note_few,
    note_unknown,
    opened_checkpoint,
    refuse_to_overwrite,
    report_drift,
    summed_up,
    vectors_values,
    where,
    write_labels,
    write_like_input,
)
from seedtopic.io.rows import Rows
from seedtopic.io.write import check_fits, check_output
from seedtopic.model import SeedClassifier
from seedtopic.model.drift import Drift
from seedtopic.model.label_files import is_folder_of_files, label_files
from seedtopic.model.label_pieces import COLUMNS, part_rows
from seedtopic.show.tables import size_table
from seedtopic.text.parts import PER, Per


def checked_part(per: str | None, *, multi: bool, drift: bool = False) -> Per | None:
    """Read --per, and refuse options that are about whole documents."""
    found = next((known for known in PER if known == per), None)
    if per is not None and found is None:
        raise InputError(f"--per is {per!r}: use {' or '.join(PER)}.")
    for option, given in (("--multi", multi), ("--drift", drift)):
        if found is not None and given:
            raise InputError(f"{option} is about whole documents: leave it out, or leave --per out.")
    return found


def label_parts(
    output: str,
    documents: Rows,
    model: SeedClassifier,
    per: Per,
    min_probability: float,
    *,
    safe_cells: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Write the parts of documents with their labels, and count them."""
    counts: Counter[Any] = Counter()

    def counted() -> Iterator[dict[str, Any]]:
        for row in part_rows(documents, per, model.predict_all, min_probability):
            counts[row["predicted"]] += 1
            yield row

    write_like_input(output, counted(), COLUMNS, documents, safe_cells=safe_cells)
    if output == "-":
        return
    sizes = {
        "categories": {str(name): counts[name] for name in model.fitted_.labels},
        "left_empty": counts[None],
    }
    table = size_table({**sizes, "documents": counts.total()}, f"{per}s")
    written = f"{counts.total():,} {per}s of {len(documents):,} documents written to {where(output)}"
    values = {"documents": len(documents), "parts": counts.total(), **sizes, "output": output}
    result(table, written, values=values, as_json=as_json, quiet=quiet)


def label(
    *,
    seeds: options.SeedsFile,
    output: options.LabelsFile = "-",
    answered: Answered,
    multi: options.Multi = False,
    min_probability: options.MinProbability = 0.0,
    safe_cells: options.SafeCells = False,
    per: options.PerOption = None,
    source: TrainingSource,
    id_field: options.IdField = None,
    new: NewModel,
    counting: Counting,
    checkpoint: options.CheckpointFolder = None,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> int:
    """Label documents from seed words in one step.

    Example:  seedtopic label tickets.csv --seeds seeds.toml -o labelled.csv
    """
    _check_labels_output(output, json)
    refuse_to_overwrite(output, source.docs)
    refuse_to_lose(output, source, answered)
    part = checked_part(per, multi=multi)
    progress_folder = opened_checkpoint(checkpoint, output)
    model = new.build(seeds, counting, strict=source.strict)
    if multi:
        require_classifier(model, "--multi")
    documents = source.read(
        quiet=quiet,
        columns=rule_columns(model),
        label_field=answered.column,
        id_field=id_field,
        max_memory=counting.max_memory,
    )
    check_fits(output, documents)
    answers = answered.collect(source, documents, names_of(model), quiet=quiet)
    fit(model, documents, quiet=quiet, answers=answers, checkpoint=progress_folder)
    note_few(model, int(model.has_words_.sum()), quiet=quiet)
    if part is None:
        predictions = model.fitted_predictions(len(documents), several=multi).with_texts(documents.has_text)
        predictions = predictions.with_answers(answers.labels, answers.none)
        write_labels(output, documents, predictions, min_probability, safe_cells=safe_cells)
        values = summed_up(predictions.summary(min_probability), model, documents.unusable, min_probability)
        _sum_up(output, model, values, min_probability, quiet, json, True)
    else:
        label_parts(
            output, documents, model, part, min_probability, safe_cells=safe_cells, quiet=quiet, as_json=json
        )
    if progress_folder is not None:
        progress_folder.clear()
    return documents.unusable


def predict(
    *,
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="The file to write: .csv, .tsv, .jsonl, .xlsx or .parquet; - for CSV on standard output; or "
            "a folder, with a slash at its end, for a labelled file of each file.",
        ),
    ] = "-",
    multi: options.Multi = False,
    min_probability: options.MinProbability = 0.0,
    safe_cells: options.SafeCells = False,
    per: options.PerOption = None,
    drift: Annotated[
        str | None,
        typer.Option(
            "--drift",
            metavar="FILE",
            help="The .json file to write a comparison with the documents of the fit to.",
        ),
    ] = None,
    answers: options.AnswersFile = None,
    saved: SavedModel,
    source: Source,
    id_field: options.IdField = None,
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
    quiet: options.Quiet = False,
    json: options.Json = False,
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
        _check_labels_output(output, json)
        refuse_to_overwrite(output, source.docs)
        refuse_to_lose(output, source, Answered(answers=answers))
    part = checked_part(per, multi=multi, drift=drift is not None)
    if drift is not None:
        check_drift_output(drift, source.docs)
    model = saved.load()
    if multi:
        require_classifier(model, "--multi")
    if part is not None:
        documents = source.read(quiet=quiet, columns=rule_columns(model), id_field=id_field)
        label_parts(
            output, documents, model, part, min_probability, safe_cells=safe_cells, quiet=quiet, as_json=json
        )
        return documents.unusable
    with _saying_how_to_continue(in_folder), warnings_as_notes(), progress_bars(quiet=quiet) as progress:
        done = label_files(
            model,
            source.docs,
            output,
            **source.how(),
            id_field=id_field,
            multi=multi,
            min_probability=min_probability,
            safe_cells=safe_cells,
            answers=Answered(answers=answers).ledger(source.docs).verdicts(names_of(model)),
            n_workers=saved.threads if workers is None else workers,
            scheduler=scheduler,
            progress=progress,
        )
    for sentence in done.noticed.notes:
        note(sentence, quiet=quiet)
    for sentence in done.noticed.problems:
        note(sentence)  # despite --quiet, because the exit code needs its reason
    if done.n_kept:
        note(
            f"{done.n_kept:,} of {done.n_files:,} files were labelled by an earlier run of this command and "
            "are kept",
            quiet=quiet,
        )
    values = summed_up(done.noticed.summary, model, done.noticed.unusable, min_probability)
    compared = drift_of(model, done.noticed.statistics)
    _sum_up(output, model, values, min_probability, quiet, json, False, compared)
    report_drift(compared, model, drift, quiet=quiet)
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


def _check_labels_output(output: str, as_json: bool) -> None:
    if output == "-" and as_json:
        raise InputError(
            "standard output cannot hold both labels and --json: name a file for the labels with -o."
        )
    check_output(output)


def _sum_up(
    output: str,
    model: SeedClassifier,
    values: dict[str, Any],
    min_probability: float,
    quiet: bool,
    as_json: bool,
    fitted: bool,
    compared: Drift | None = None,
) -> None:
    note_unknown(values["without_known_word"], model.none_label, quiet=quiet)
    if min_probability > 0:
        note(
            f"{values['left_empty']:,} of {values['documents']:,} labels left empty, with a probability "
            f"below {min_probability:g}",
            quiet=quiet,
        )
    estimates = estimate_sentences(model, values, fitted=fitted)
    if output == "-":  # the labels themselves are on standard output: nothing may stand among them
        for sentence in estimates:
            note(sentence.removesuffix("."), quiet=quiet)
        return
    result(
        size_table(values),
        *estimates,
        f"labels written to {where(output)}",
        values={**values, **vectors_values(model), **drift_values(compared), "output": output},
        as_json=as_json,
        quiet=quiet,
    )
