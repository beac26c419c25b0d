"""The base class of this package's errors."""


class BenchmarkError(ValueError):
    """A mistake in what was asked for or supplied; the message says what to do."""
