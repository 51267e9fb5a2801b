"""The command that lets a model learn on."""

from __future__ import annotations

from pathlib import Path

from seedtopic.cli import options
from seedtopic.cli.console import result
from seedtopic.cli.work import fit, load_seed_model, named_tokenizer, read, summary
from seedtopic.documents.encodings import UTF8
from seedtopic.storage.model_folder import check_model_folder


def update(
    model: options.ModelFolder,
    docs: options.Docs,
    output: options.NewModel = None,
    text_field: options.TextField = None,
    confirmed: options.ConfirmedField = None,
    format: options.Format = None,
    encoding: options.Encoding = UTF8,
    tokenizer: options.Tokenizer = None,
    seed: options.Seed = 0,
    threads: options.Threads = None,
    strict: options.Strict = False,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> int:
    """Let a model learn on from further documents; it must have been fitted with --learn-on.

    Example:  seedtopic update model/ new-tickets.csv
    """
    folder = output or model
    check_model_folder(Path(folder))
    estimator = load_seed_model(model, named_tokenizer(tokenizer))
    estimator.set_params(n_threads=threads, random_state=seed)
    documents = read(
        docs,
        quiet=quiet,
        text_field=text_field,
        label_field=confirmed,
        format=format,
        encoding=encoding,
        strict=strict,
    )
    fit(estimator, documents, quiet=quiet, confirmed=confirmed, learn_on=True)
    estimator.save(folder)
    none = estimator.none_of_these()
    text, values = summary(documents, estimator.classes_, estimator.label_distributions_, none=none)
    told = f"{text}\nmodel written to {folder}"
    result(told, {**values, "model": folder}, as_json=json, quiet=quiet)
    return documents.unusable
