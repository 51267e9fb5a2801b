"""Words counted at speed and in bounded memory, one stage a file: tallies, workers, runs, placing."""
