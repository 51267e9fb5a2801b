"""Work shared by threads: loops over rows, and products of sparse matrices."""
