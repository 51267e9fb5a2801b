"""Work shared by threads: walks over rows, and products of sparse matrices."""
