"""Labels over HTTP: a small REST API, and the parts that keep the server safe.

Needs the extra `studio`. One topic per file: error responses (`refusal`), request bodies within limits
(`limits`, `body`, `body_memory`, `schemas`, `validation`), access (`addresses`, `token`, `headers`,
`connection`, `slow_clients`), the work (`work`; short requests in `batches`, others in a `process_pool` or a
`thread_pool`, with `waiting`), logs and metrics (`observe`, `log`, `metrics`), the responses (`api`,
`answers`, `direct`), the API description (`openapi`, `docs_page`), and the whole application (`app`, `run`).
"""
