"""scikit-learn's own estimator checks; those that cannot apply are named, each with its reason."""

from __future__ import annotations

from typing import Any

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from seedtopic import WSPTM, LapSWTM, SeedTopicClassifier

# The checks feed matrices without a vocabulary, whose columns are then called x0, x1, ...
SEEDS = {0: ["x0"], 1: ["x1"]}
MODELS = [model(SEEDS, max_iter=3, random_state=0) for model in (WSPTM, LapSWTM, SeedTopicClassifier)]

OTHER_CLASSES = "the classes are those of the seeds, not of y"
NOT_APPLICABLE = {
    "check_classifiers_classes": OTHER_CLASSES,
    "check_classifiers_train": OTHER_CLASSES,
    "check_supervised_y_2d": OTHER_CLASSES,
    "check_classifiers_one_label": "y is not looked at: seeds decide how many classes there are",
    "check_estimator_sparse_array": OTHER_CLASSES,
    "check_estimator_sparse_matrix": OTHER_CLASSES,
    "check_classifiers_regression_target": "y is not looked at",
    "check_requires_y_none": "y is not needed",
    "check_class_weight_classifiers": "there are no class weights",
}


def not_applicable(model: Any) -> dict[str, str]:
    """Name the checks that a model need not pass; the default model looks at y as confirmed labels."""
    passed = {"check_classifiers_one_label"} if isinstance(model, SeedTopicClassifier) else set()
    return {check: reason for check, reason in NOT_APPLICABLE.items() if check not in passed}


@pytest.mark.filterwarnings("ignore:these seed words do not occur")
@pytest.mark.filterwarnings("ignore:.* labels are not names of categories")
@pytest.mark.filterwarnings("ignore:all .* documents have a confirmed label")
@pytest.mark.filterwarnings("ignore:.* confirmed labels? looks? wrong")
@pytest.mark.filterwarnings("ignore:hardly a document labelled")
@parametrize_with_checks(MODELS, expected_failed_checks=not_applicable)
def test_estimator_checks(estimator: Any, check: Any) -> None:
    check(estimator)
