"""HTML for texts from the user: escaped, highlighted, on self-contained pages."""
