"""Pages and answers over HTTP: the server and the studio."""
