"""What could be better about seeds: checked by documents, and words worth adding."""
