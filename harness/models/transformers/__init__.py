"""Models that run in this process by the package transformers."""
