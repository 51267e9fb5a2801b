"""The command that serves a model over HTTP: ``seedtopic serve``."""

from __future__ import annotations

import os
import re
import warnings
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from seedtopic import model as models
from seedtopic.base.errors import InputError, MissingExtraError, SeedWarning
from seedtopic.cli import options
from seedtopic.cli.console import Quiet
from seedtopic.model import load


def _most(of: str, least: float = 1) -> Any:
    return typer.Option(min=least, help=f"Maximum number of {of}.")


def serve(
    model: options.ModelFolder,
    host: Annotated[
        str, typer.Option(help="Address to listen on; 0.0.0.0 for all network interfaces.")
    ] = "127.0.0.1",
    port: options.Port = 8000,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A host name of the server; may be repeated, * for any."),
    ] = None,
    allow_origin: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ORIGIN", help="An origin whose pages may send requests, such as https://example.org."
        ),
    ] = None,
    max_bytes: Annotated[int, _most("bytes in a request")] = 8_000_000,
    max_total_bytes: Annotated[int, _most("bytes in all requests together, beside short ones")] = 160_000_000,
    max_texts: Annotated[int, _most("texts in a request")] = 10_000,
    max_characters: Annotated[int, _most("characters in a text")] = 100_000,
    max_connections: Annotated[int, _most("simultaneous connections")] = 512,
    max_per_address: Annotated[int | None, _most("connections of an address (default: no limit)")] = None,
    max_rate: Annotated[
        float | None, _most("requests of an address per second (default: no limit)", least=0.001)
    ] = None,
    tls_cert: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Certificate for https, a PEM file; needs --tls-key.")
    ] = None,
    tls_key: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Key of the certificate, a PEM file without a password."),
    ] = None,
    timeout: Annotated[float, typer.Option(min=0.001, help="Time limit of a prediction, in seconds.")] = 30.0,
    label_timeout: Annotated[
        float, typer.Option(min=0.001, help="Time limit of a fit for /label, in seconds.")
    ] = 120.0,
    label_jobs: Annotated[
        int,
        typer.Option(min=0, help="Maximum number of fits for /label at a time; 0 turns /label off."),
    ] = 1,
    grace: Annotated[int, typer.Option(min=0, help="Seconds to finish running requests after Ctrl-C.")] = 30,
    tokenizer: options.TokenizerOption = None,
    answers: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="A file of answers: texts that people have answered get these labels. POST /answers adds to "
            "it, with the token in the environment variable SEEDTOPIC_TOKEN.",
        ),
    ] = None,
    vectors: Annotated[
        str | None,
        typer.Option(
            metavar=options.VECTORS,
            help="What a fit for /label knows of words beforehand, as in seedtopic fit; the model itself "
            "keeps what it was fitted with (default: auto).",
        ),
    ] = None,
    threads: options.Threads = None,
    quiet: Quiet = False,
) -> None:
    """Serve a fitted model over HTTP until stopped; GET /docs describes the requests.

    SIGHUP loads the model folder and the certificate again.

    Example:  seedtopic serve model/ --port 8000
    """
    try:
        from seedtopic.web.api import Api, CurrentModel
        from seedtopic.web.app import make_app
        from seedtopic.web.errors import failures_to_stderr, log_to_stderr
        from seedtopic.web.limits import Limits
        from seedtopic.web.run import listen, load_certificate, run, tls_context
    except ModuleNotFoundError as error:
        raise MissingExtraError("seedtopic serve", str(error.name), "serve") from None
    token = os.environ.get("SEEDTOPIC_TOKEN") or None  # that requests to /answers must send
    if token and not re.fullmatch(r"[!-~]{16,}", token):
        raise InputError(
            "SEEDTOPIC_TOKEN is too easy to guess, or has a blank: set it to 16 or more letters and digits, "
            "such as the output of openssl rand -hex 16."
        )
    for_label = options.read_vectors(vectors)
    if (tls_cert is None) != (tls_key is None):
        raise InputError("--tls-cert and --tls-key belong together: give both, or neither.")
    tls = None if tls_cert is None or tls_key is None else tls_context(tls_cert, tls_key)

    def loaded() -> models.SeedClassifier:
        # One thread: requests run in parallel anyway, and each is small.
        estimator = load(model, tokenizer=options.named_tokenizer(tokenizer)).set_params(n_threads=1)
        estimator.predict_all(["a first text, to compile the kernels now"])
        return cast("models.SeedClassifier", estimator)

    limits = Limits(
        most_bytes=max_bytes,
        most_total_bytes=max_total_bytes,
        most_texts=max_texts,
        most_characters=max_characters,
        predict_seconds=timeout,
        label_seconds=label_timeout,
        labellings=label_jobs,
    )
    log = failures_to_stderr if quiet else log_to_stderr
    current = CurrentModel(loaded)
    with listen(host, port) as at:
        api = Api(current, limits, threads, for_label, answers=answers, token=token, processes=True)
        if api.answers is not None:
            log("answers", api.answers.summary())
        app = make_app(api, host, allow_host or (), allow_origin or (), log, per_second=max_rate)
        api.drift.begin(current())

        async def reload() -> None:
            if tls is not None and tls_cert is not None and tls_key is not None:
                try:
                    load_certificate(tls, tls_cert, tls_key)
                except InputError as error:
                    log("reload", {"error": str(error)})
            await current.reload(api, log)

        warnings.simplefilter("ignore", SeedWarning)  # /label returns them with its answer
        run(
            app,
            at,
            limits,
            most_connections=max_connections,
            most_per_address=max_per_address,
            grace=grace,
            log=log,
            tls=tls,
            reload=reload,
        )
