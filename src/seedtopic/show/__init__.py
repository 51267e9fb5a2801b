"""What the other rooms know, said once and shown on a page, in Markdown, in a notebook and in a terminal."""
