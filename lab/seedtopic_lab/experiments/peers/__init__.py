"""Systems to compare with: a simple control, and packages by others.

Each is used as its documentation recommends, and has the interface that measurements need: it is made from
seeds and settings, and has `fit` and then `transduction_`, the labels of the fitted documents.
"""
