"""The topic model: generalised EM, its E-step over shards of documents, and the kernels that compute it."""
