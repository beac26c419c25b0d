"""Models in this process, by the package transformers."""
