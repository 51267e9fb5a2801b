"""Functions compiled by numba."""
