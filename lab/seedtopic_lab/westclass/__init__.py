"""WeSTClass: weakly supervised neural text classification, one idea a file; see `model` for the estimator."""

from __future__ import annotations

from seedtopic_lab.westclass.model import WeSTClass

__all__ = ["WeSTClass"]
