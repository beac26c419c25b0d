"""Terms of asymptotic expansions, computed on demand.

A *germ* is a function near t = 0, t > 0. Its expansion is a constant or a `Series`. The terms of a
series are coefficients times powers w^e, where 1/w is a function that tends to infinity (an
`Element`). The coefficients are germs in slower elements. A `Constants` object decides whether an
exact number is zero, or raises `NotExpandedError` if undecided. The germ then has no
expansion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import total_ordering
from typing import Any, Protocol, TypeAlias

from flint import fmpq

from ...reading.expression.tree import Expression


class NotExpandedError(Exception):
    """No expansion was found, so nothing is known about the function near the limit point."""


class UndefinedError(NotExpandedError):
    """The function has no real values near the limit point."""


class Constants(Protocol):
    """The arithmetic of exact numbers. A method that cannot decide raises `NotExpandedError`."""

    def value(self, node: Expression) -> Any:
        """Convert a constant expression to an exact number."""

    def number(self, value: fmpq) -> Any:
        """Convert a rational number to an exact number."""

    def apply(self, name: str, *numbers: Any) -> Any:
        """Apply the function ``name`` to numbers."""

    def rational(self, number: Any) -> fmpq | None:
        """The number as a fraction, or None if not known to be rational."""

    def is_zero(self, number: Any) -> bool:
        """Whether a number is zero."""

    def tree(self, number: Any) -> Expression:
        """Convert a number to an expression."""

    def sign(self, number: Any) -> int:
        """The sign of a number, or of a bounded function that is bounded away from zero."""


@dataclass(eq=False, slots=True)
class Element:
    """A growth rate of expansions: a function that tends to infinity, with its logarithm."""

    rank: int
    logarithm: Germ | None = None


#: An exponent: a rational number, or `Exponent` for others.
Power: TypeAlias = Any
Term: TypeAlias = "tuple[Power, Germ]"


class Series:
    """An asymptotic series: terms c w^e in increasing order of e.

    The function 1/w tends to infinity, and is an `Element`. The coefficients of computed terms may
    be zero. `Scale.normal` removes leading zeros. A finite number of terms never shows that all
    terms are zero. A series may therefore have a second representation, which ``whole_value``
    returns: a polynomial in symbols (`Scale.atom`).
    """

    __slots__ = ("element", "failed", "normal", "source", "terms", "whole_value")

    def __init__(
        self,
        element: Element,
        source: Iterator[Term],
        whole_value: Callable[[], Any] | None = None,
    ) -> None:
        self.element, self.source, self.whole_value = element, source, whole_value
        self.terms: list[Term] = []
        self.normal: Germ | None = None
        self.failed = False

    def term(self, index: int) -> Term | None:
        """The term number ``index``, counted from 0, or None if the series has fewer terms."""
        while len(self.terms) <= index:
            if self.failed:
                raise NotExpandedError("a term that could not be computed")
            # an iterator that has failed would say that there are no further terms
            self.failed = True
            following = next(self.source, None)
            self.failed = False
            if following is None:
                return None
            self.terms.append(following)
        return self.terms[index]

    def behind(self, index: int) -> Iterator[Term]:
        """Yield the terms from number ``index`` on."""
        while (term := self.term(index)) is not None:
            yield term
            index += 1


Germ: TypeAlias = "Any | Series"
#: Exponents of the elements in a leading term, the fastest element first.
Monomial: TypeAlias = list[tuple[Element, Power]]


@total_ordering
class Exponent:
    """An exponent that is not a rational number, such as the root of 2 or a parameter."""

    __slots__ = ("constants", "number")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, number: Any, constants: Constants) -> None:
        self.number, self.constants = number, constants

    def _of(self, operand: Power) -> Any:
        if isinstance(operand, Exponent):
            return operand.number
        return self.constants.number(fmpq(operand))

    def __add__(self, operand: Power) -> Power:
        return exponent_of(self.number + self._of(operand), self.constants)

    __radd__ = __add__

    def __neg__(self) -> Power:
        return exponent_of(-self.number, self.constants)

    def __mul__(self, operand: Power) -> Power:
        return exponent_of(self.number * self._of(operand), self.constants)

    __rmul__ = __mul__

    def _sign(self, operand: Power) -> int:
        difference = self.number - self._of(operand)
        return 0 if self.constants.is_zero(difference) else self.constants.sign(difference)

    def __eq__(self, operand: object) -> bool:
        return self._sign(operand) == 0

    def __lt__(self, operand: Power) -> bool:
        return self._sign(operand) < 0


def exponent_of(number: Any, constants: Constants) -> Power:
    """Convert a number to an exponent."""
    ratio = constants.rational(number)
    return Exponent(number, constants) if ratio is None else ratio
