"""Labels over HTTP: a small REST API, and the pieces of it that keep a server safe.

Needs the extra `studio`. One idea a file: what is refused and how (`refusal`), bodies within limits (`body`,
`shapes`), whom the server answers (`addresses`, `token`, `headers`), work in threads within limits (`work`),
what is logged and counted (`observe`, `metrics`), the answers (`label`, `predict`), the description of it all
(`openapi`, `docs_page`), and the whole (`app`, `run`).
"""
