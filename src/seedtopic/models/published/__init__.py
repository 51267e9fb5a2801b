"""The models of papers, and the yardsticks."""
