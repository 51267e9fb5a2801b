"""What each view counts in the log-odds that a label is right; written by `tools/reliability.py`.

The views are those of `seedtopic.learning.classify.reliability`; "a*b" is the product of two.
"""

from __future__ import annotations

from collections.abc import Mapping

# Where meanings are known (True), and where they are not.
COEFFICIENTS: Mapping[bool, Mapping[str, float]] = {
    True: {
        "constant": -1.19,
        "learned": 0.1861,
        "taught": 0.01837,
        "meaning": -0.5157,
        "name": 2.168,
        "own_seed": 0.1629,
        "other_seed": -0.6111,
        "own_name": 0.709,
        "other_name": -0.7488,
        "bare": -0.9241,
        "taught_bare": 0.01764,
        "name_bare": 1.575,
        "guessed": 0.1545,
        "recalled": 0.3991,
        "guess": 0.219,
        "kappa": 2.154,
        "named": 0.4554,
        "seeded": 0.08843,
        "size": 1.125,
        "meaning*kappa": 1.014,
        "own_seed*seeded": 0.3661,
        "size*kappa": -0.9183,
        "size*seeded": -0.1488,
    },
    False: {
        "constant": -0.6472,
        "learned": 0.3364,
        "taught": 0.02377,
        "own_seed": 0.03659,
        "other_seed": -0.6205,
        "own_name": 0.4232,
        "other_name": -0.757,
        "bare": -1.115,
        "taught_bare": 0.01799,
        "guessed": 0.01877,
        "guess": 0.5176,
        "named": 0.1022,
        "seeded": 0.2064,
        "size": 0.9513,
        "own_seed*seeded": 0.2782,
        "size*seeded": -0.315,
    },
}
