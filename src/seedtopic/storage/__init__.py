"""Files that are whole or not there, arrays read without trust, checkpoints and model folders."""
