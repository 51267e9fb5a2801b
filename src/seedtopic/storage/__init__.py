"""Files that are never half written, arrays from untrusted files, checkpoints and model folders."""
