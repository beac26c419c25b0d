"""What can go wrong when a formula is read. Every error is a `ReadError` with an offset."""

from __future__ import annotations


class ReadError(ValueError):
    """The text is not a formula that we can read: `expected` was missing at `offset`."""

    def __init__(self, expected: str, offset: int) -> None:
        super().__init__(f"at offset {offset}: expected {expected}")
        self.expected = expected
        self.offset = offset

    def __reduce__(self) -> tuple[type[ReadError], tuple[str, int]]:
        return type(self), (self.expected, self.offset)


class NotClosedFormError(ReadError):
    """The formula holds an unevaluated integral, derivative, limit or infinite sum."""


class AlternativesError(ReadError):
    """The text offers several answers (a comma list, "or", a plus-minus sign) instead of one."""


class TooBigError(ReadError):
    """The text exceeds one of the `Limits`."""
