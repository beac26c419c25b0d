"""The base class of this package's errors."""

from ..rewards.errors import UserError


class BenchmarkError(UserError):
    """A mistake in a request or in supplied data; the message has the remedy."""
