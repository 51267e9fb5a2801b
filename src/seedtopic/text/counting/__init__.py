"""Counting words fast and in limited memory, one stage per file: tallies, workers, runs, placing."""
