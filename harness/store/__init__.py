"""A run's directory: append-only logs, the manifest, and sets of verdicts."""
