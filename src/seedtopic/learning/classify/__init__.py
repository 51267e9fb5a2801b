"""Classifiers on document vectors, fitted to soft labels."""
