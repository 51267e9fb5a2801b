"""The topic model: generalised EM, how (kernels) and where (runners) its E-step is computed."""
