"""Blocks of documents on the workers of a Dask cluster, and how these read and count documents."""
