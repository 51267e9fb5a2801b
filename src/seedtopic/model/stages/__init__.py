"""The stages of the default model."""
