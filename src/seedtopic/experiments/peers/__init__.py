"""Systems that ours are compared with: a simple control, and packages that others have written.

Each is used as its documentation recommends, and has what measurements need of a model: it is made from seeds
and settings, and has `fit` and then `transduction_`, the labels of the fitted documents.
"""
