"""Advice about seeds: problems that the documents show, and words to add."""
