"""Documents from files and frames, and labels back into them."""
