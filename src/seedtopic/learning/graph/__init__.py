"""Which documents are near, and smoothing along them."""
