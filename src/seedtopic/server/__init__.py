"""Labels over HTTP: a small REST API, and the parts that keep the server safe.

Needs the extra `studio`. One topic per file: error responses (`refusal`), request bodies within limits
(`limits`, `body`, `schemas`, `validation`), access (`addresses`, `token`, `headers`, `slow_clients`), work in
threads (`thread_pool`), logs and metrics (`observe`, `log`, `metrics`), the responses (`api`, `answers`), the
API description (`openapi`, `docs_page`), and the whole application (`app`, `run`).
"""
