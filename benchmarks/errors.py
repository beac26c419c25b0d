"""The base class of this package's errors."""

from ..rewards.errors import UserError


class BenchmarkError(UserError):
    """A mistake in what was asked for or supplied; the message says what to do."""
