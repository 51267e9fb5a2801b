"""Model folders: their card, their words, and reading them without trust."""
