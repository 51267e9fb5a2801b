"""The commands: each parses, calls the public API, prints."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray

from seedtopic.cli import options
from seedtopic.cli.console import note, result
from seedtopic.cli.scores import score_table
from seedtopic.cli.work import (
    DEFAULT_MODEL,
    build_model,
    fit,
    named_tokenizer,
    opened_checkpoint,
    read,
    refuse_to_overwrite,
    require_classifier,
    summary,
    with_text,
    write_labels,
)
from seedtopic.datasets import docstring_seeds, load_docstrings
from seedtopic.documents import Documents
from seedtopic.documents.encodings import UTF8
from seedtopic.documents.label_columns import Extras
from seedtopic.documents.labelled_files import check_output
from seedtopic.errors import InputError
from seedtopic.evaluate import evaluate as score
from seedtopic.models import TextClassifier, load
from seedtopic.report import Report
from seedtopic.seeds import Seeds
from seedtopic.storage.model_folder import check_model_folder


def label(
    docs: options.Docs,
    seeds: options.SeedsFile,
    output: options.Output = "-",
    text_field: options.TextField = None,
    id_field: options.IdField = None,
    confirmed: options.ConfirmedField = None,
    format: options.Format = None,
    encoding: options.Encoding = UTF8,
    model: options.Model = DEFAULT_MODEL,
    settings: options.Settings = None,
    tokenizer: options.Tokenizer = None,
    stop_words: options.StopWords = None,
    none_label: options.NoneLabel = None,
    multi: options.Multi = False,
    seed: options.Seed = 0,
    threads: options.Threads = None,
    max_memory: options.MaxMemory = None,
    checkpoint: options.CheckpointFolder = None,
    min_probability: options.MinProbability = 0.0,
    strict: options.StrictFit = False,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> int:
    """Label documents from seed words in one step.

    Example:  seedtopic label tickets.csv --seeds seeds.toml -o labelled.csv
    """
    _check_labels_output(output, json)
    refuse_to_overwrite(output, docs)
    work = opened_checkpoint(checkpoint, output)
    estimator = build_model(
        model,
        Seeds.read(seeds),
        settings,
        seed=seed,
        threads=threads,
        strict=strict,
        tokenizer=named_tokenizer(tokenizer),
        stop_words=stop_words,
        max_memory=max_memory,
        none_label=none_label,
    )
    classifier = require_classifier(estimator, "--multi") if multi else None
    documents = read(
        docs,
        quiet=quiet,
        text_field=text_field,
        label_field=confirmed,
        id_field=id_field,
        format=format,
        encoding=encoding,
        strict=strict,
    )
    fit(estimator, documents, quiet=quiet, confirmed=confirmed, checkpoint=work)
    several = classifier.named_labels(classifier.multi_transduction_) if classifier else None
    extras = Extras(estimator.paths(), estimator.none_of_these(), several)
    probabilities = estimator.label_distributions_
    _write_and_tell(output, documents, estimator, probabilities, min_probability, extras, quiet, json)
    if work is not None:
        work.clear()
    return documents.unusable


def fit_command(
    docs: options.Docs,
    seeds: options.SeedsFile,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FOLDER", help="The model folder to write.")
    ],
    text_field: options.TextField = None,
    confirmed: options.ConfirmedField = None,
    learn_on: options.LearnOn = False,
    format: options.Format = None,
    encoding: options.Encoding = UTF8,
    model: options.Model = DEFAULT_MODEL,
    settings: options.Settings = None,
    tokenizer: options.Tokenizer = None,
    stop_words: options.StopWords = None,
    none_label: options.NoneLabel = None,
    seed: options.Seed = 0,
    threads: options.Threads = None,
    max_memory: options.MaxMemory = None,
    checkpoint: options.CheckpointFolder = None,
    strict: options.StrictFit = False,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> int:
    """Learn a model from documents and seed words, for predict and evaluate.

    Example:  seedtopic fit tickets.csv --seeds seeds.toml -o model/
    """
    check_model_folder(Path(output))
    work = opened_checkpoint(checkpoint, output)
    estimator = build_model(
        model,
        Seeds.read(seeds),
        settings,
        seed=seed,
        threads=threads,
        strict=strict,
        tokenizer=named_tokenizer(tokenizer),
        stop_words=stop_words,
        max_memory=max_memory,
        none_label=none_label,
    )
    documents = read(
        docs,
        quiet=quiet,
        text_field=text_field,
        label_field=confirmed,
        format=format,
        encoding=encoding,
        strict=strict,
    )
    fit(estimator, documents, quiet=quiet, confirmed=confirmed, learn_on=learn_on, checkpoint=work)
    estimator.save(output)
    if work is not None:
        work.clear()
    none = estimator.none_of_these()
    text, values = summary(documents, estimator.classes_, estimator.label_distributions_, none=none)
    result(f"{text}\nmodel written to {output}", {**values, "model": output}, as_json=json, quiet=quiet)
    return documents.unusable


def predict(
    model: options.ModelFolder,
    docs: options.Docs,
    output: options.Output = "-",
    text_field: options.TextField = None,
    id_field: options.IdField = None,
    format: options.Format = None,
    encoding: options.Encoding = UTF8,
    tokenizer: options.Tokenizer = None,
    multi: options.Multi = False,
    threads: options.Threads = None,
    min_probability: options.MinProbability = 0.0,
    strict: options.Strict = False,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> int:
    """Label new documents with a fitted model.

    Example:  seedtopic predict model/ new.jsonl -o labelled.jsonl
    """
    _check_labels_output(output, json)
    refuse_to_overwrite(output, docs)
    estimator = load(model, tokenizer=named_tokenizer(tokenizer)).set_params(n_threads=threads)
    if multi:
        require_classifier(estimator, "--multi")
    documents = read(
        docs,
        quiet=quiet,
        text_field=text_field,
        id_field=id_field,
        format=format,
        encoding=encoding,
        strict=strict,
    )
    probabilities, extras = estimator.predict_all(documents.texts, several=multi)
    _write_and_tell(output, documents, estimator, probabilities, min_probability, extras, quiet, json)
    return documents.unusable


def evaluate(
    model: options.ModelFolder,
    docs: options.Docs,
    label_field: options.LabelField = "label",
    text_field: options.TextField = None,
    format: options.Format = None,
    encoding: options.Encoding = UTF8,
    tokenizer: options.Tokenizer = None,
    threads: options.Threads = None,
    strict: options.Strict = False,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> int:
    """Score a fitted model on documents whose labels are known.

    Example:  seedtopic evaluate model/ test.csv --label-field topic
    """
    estimator = load(model, tokenizer=named_tokenizer(tokenizer)).set_params(n_threads=threads)
    documents = read(
        docs,
        quiet=quiet,
        text_field=text_field,
        label_field=label_field,
        format=format,
        encoding=encoding,
        strict=strict,
    )
    predicted = [str(label) for label in estimator.predict(documents.texts)]
    none_label = getattr(estimator, "none_label", None)
    names = [str(name) for name in estimator.classes_] + ([] if none_label is None else [none_label])
    scores = score(list(documents.labels or []), predicted, names)
    if scores.unknown:
        named = ", ".join(f"{name!r} ({count})" for name, count in list(scores.unknown.items())[:5])
        note(f"labels that the model does not know count as errors: {named}.", quiet=quiet)
    result(score_table(scores), scores.as_dict(), as_json=json, quiet=quiet)
    return documents.unusable


def demo(
    output: options.Output = "seedtopic-demo.csv",
    threads: options.Threads = None,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> None:
    """Do the whole job on real text that needs no download, and write a report beside the labels.

    The documents are the docstrings of numpy, scipy and scikit-learn; the right answer is the sub-package
    each lives in. The model is given a few words per sub-package and never sees an answer.
    """
    if output == "-":
        raise InputError("demo prints its scores on standard output: name a file for the labels with -o.")
    check_output(output)
    corpus = load_docstrings()
    note(f"labelling {len(corpus):,} docstrings in {len(corpus.categories)} categories", quiet=quiet)
    rows = [
        {"id": name, "label": answer, "text": text}
        for name, answer, text in zip(corpus.ids, corpus.labels, corpus.texts, strict=True)
    ]
    documents = Documents(texts=corpus.texts, rows=rows)
    seeds = Seeds(docstring_seeds())
    estimator = build_model(DEFAULT_MODEL, seeds, None, seed=0, threads=threads, strict=False)
    fit(estimator, documents, quiet=quiet)
    scores = score(corpus.labels, estimator.transduction_.tolist(), estimator.classes_.tolist())
    write_labels(output, documents, estimator, estimator.label_distributions_)
    page = _report_beside(output)
    made = Report.of(
        estimator, corpus.texts, labels=corpus.labels, ids=corpus.ids, fitted=True, title="The docstring demo"
    )
    made.write(page)
    best = estimator.label_distributions_.max(axis=1)
    examples = [
        f"  {corpus.ids[i]:<45.45}  {estimator.transduction_[i]:<22} {best[i]:.2f}"
        for i in range(7, len(best), max(len(best) // 6, 1))
    ]
    text = "\n".join(
        [
            score_table(scores),
            "",
            "for example:",
            *examples,
            "",
            f"all labels: {_where(output)}",
            f"report: {_where(str(page))}",
        ]
    )
    result(text, {**scores.as_dict(), "output": output, "report": str(page)}, as_json=json, quiet=quiet)


def _report_beside(output: str) -> Path:
    """Name the report of the demo after its labels."""
    path = Path(output)
    return path.with_name(path.name.partition(".")[0] + "-report.html")


def _check_labels_output(output: str, as_json: bool) -> None:
    if output == "-" and as_json:
        raise InputError(
            "standard output cannot hold both labels and --json: name a file for the labels with -o."
        )
    check_output(output)


def _write_and_tell(
    output: str,
    documents: Documents,
    model: TextClassifier,
    probabilities: NDArray[np.float64],
    min_probability: float,
    extras: Extras,
    quiet: bool,
    as_json: bool,
) -> None:
    write_labels(output, documents, model, probabilities, min_probability, extras)
    alike = (np.ptp(probabilities, axis=1) == 0) & with_text(documents)
    undecided = int(alike.sum()) if probabilities.shape[1] > 1 else 0
    if undecided:
        note(
            f"{undecided:,} documents hold no word that tells anything; all categories are alike for them",
            quiet=quiet,
        )
    text, values = summary(documents, model.classes_, probabilities, min_probability, extras.none)
    if min_probability > 0:
        note(
            f"{values['left_empty']:,} of {values['documents']:,} labels are left empty: "
            f"less probable than {min_probability:g}",
            quiet=quiet,
        )
    if output == "-":  # the labels themselves are on standard output: nothing may stand among them
        return
    told = f"{text}\nlabels written to {_where(output)}"
    result(told, {**values, "output": output}, as_json=as_json, quiet=quiet)


def _where(output: str) -> str:
    return "standard output" if output == "-" else str(Path(output).resolve())
