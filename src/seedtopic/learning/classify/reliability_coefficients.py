"""What each view counts in the log-odds that a label is right; written by `tools/reliability.py`.

The views are those of `seedtopic.learning.classify.reliability`; "a*b" is the product of two.
"""

from __future__ import annotations

from collections.abc import Mapping

# Where meanings are known (True), and where they are not.
COEFFICIENTS: Mapping[bool, Mapping[str, float]] = {
    True: {
        "constant": -1.302,
        "learned": 0.2077,
        "taught": 0.02759,
        "meaning": -0.5534,
        "name": 0.8014,
        "own_seed": 0.2061,
        "other_seed": -0.5254,
        "own_name": 0.7574,
        "other_name": -0.6545,
        "bare": -0.7707,
        "taught_bare": 0.01232,
        "name_bare": 2.067,
        "guessed": 0.05474,
        "recalled": 0.4734,
        "guess": 0.2101,
        "kappa": 2.083,
        "named": 0.3546,
        "seeded": 0.1306,
        "size": 1.191,
        "size*kappa": -0.9377,
        "size*seeded": -0.1494,
        "meaning*kappa": 1.259,
        "own_seed*seeded": 0.3598,
    },
    False: {
        "constant": -0.4866,
        "learned": 0.3416,
        "taught": 0.02294,
        "own_seed": 0.1031,
        "other_seed": -0.5938,
        "own_name": 0.4802,
        "other_name": -0.5702,
        "bare": -0.991,
        "taught_bare": 0.02028,
        "guessed": -0.03973,
        "guess": 0.419,
        "named": -0.003764,
        "seeded": 0.2466,
        "size": 1.002,
        "size*seeded": -0.319,
        "own_seed*seeded": 0.3232,
    },
}
