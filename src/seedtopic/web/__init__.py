"""Labels over HTTP: a small REST API, and what keeps the server safe.

Needs the extra `serve`. A request passes the middleware of `app` (with `access`), is read within `limits`,
checked against `schemas`, and labelled by `work`, in the event loop if it is short and in a process
otherwise (`processes`). `api` has the addresses, `errors` the error responses and the log, `observe` the
metrics, `drift` the comparison with the fit, and `run` the server itself, which is uvicorn.
"""
