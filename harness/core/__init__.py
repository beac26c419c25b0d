"""Types and helpers that every other package of the harness uses; nothing here asks a model."""
