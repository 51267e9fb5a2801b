"""Labels over HTTP: a small REST API, and the pieces of it that keep a server safe.

Needs the extra `studio`. One idea a file: what is refused and how (`refusal`), bodies within limits
(`limits`, `body`, `schemas`, `validation`), whom the server answers (`addresses`, `token`, `headers`,
`slow_clients`), work in threads within limits (`work`), what is logged and counted (`observe`, `log`,
`metrics`), the answers (`api`, `answers`), the description of it all (`openapi`, `docs_page`), and the whole
(`app`, `run`).
"""
