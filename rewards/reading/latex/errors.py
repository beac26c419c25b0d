"""Errors of the LaTeX reader. Each has the offset of the failure.

* ReadError                  the text cannot be read as a formula
  * NotClosedFormError       an unevaluated integral, derivative, limit or infinite sum
  * AlternativesError        several answers instead of a single answer
  * TooBigError              the text exceeds one of the `Limits`
"""

from __future__ import annotations


class ReadError(ValueError):
    """The text cannot be read as a formula. `expected` names the missing text at `offset`."""

    def __init__(self, expected: str, offset: int) -> None:
        super().__init__(f"at offset {offset}: expected {expected}")
        self.expected = expected
        self.offset = offset

    def __reduce__(self) -> tuple[type[ReadError], tuple[str, int]]:
        return type(self), (self.expected, self.offset)


class NotClosedFormError(ReadError):
    """The formula has an unevaluated integral, derivative, limit or infinite sum."""


class AlternativesError(ReadError):
    """The text offers several answers (a comma list, "or", a plus-minus sign) instead of one."""


class TooBigError(ReadError):
    """The text exceeds one of the `Limits` on its size."""
