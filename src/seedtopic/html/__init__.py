"""Texts from outside as pages: escaped, highlighted, standing alone."""
