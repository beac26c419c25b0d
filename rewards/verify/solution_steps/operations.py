"""Unevaluated operations, such as integrals, and a side of an equation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...reading.expression.tree import Expression
from ...reading.problem import Limit


@dataclass(frozen=True, slots=True)
class Integral:
    """An integral. The limits of an indefinite integral are None."""

    integrand: Expression
    variable: str
    limits: tuple[Limit, Limit] | None = None


@dataclass(frozen=True, slots=True)
class Derivative:
    """The derivative of a tree. In a partial derivative, all other symbols are constants."""

    of: Expression
    variable: str
    partial: bool = False


@dataclass(frozen=True, slots=True)
class Differential:
    """``dx`` outside an integral."""

    variable: str


@dataclass(frozen=True, slots=True)
class Change:
    """The change of F between two limits, written ``[F]_a^b``.

    ``variable`` is None if the limits do not name the variable.
    """

    of: Expression
    variable: str | None
    limits: tuple[Limit, Limit]


@dataclass(frozen=True, slots=True)
class LimitAt:
    """The limit of a tree at a point.

    The integers -1 and 1 as ``point`` stand for minus and plus infinity. ``side`` is -1 for a limit
    from the left, 1 for a limit from the right, and 0 for both sides.
    """

    of: Expression
    variable: str
    point: Limit
    side: int = 0


@dataclass(frozen=True, slots=True)
class Value:
    """The value of a function at a point, or of the function's derivative: ``F'(2)``."""

    function: str
    at: Expression
    order: int = 0


@dataclass(frozen=True, slots=True)
class Series:
    """The sum of a term over all whole numbers from ``lower`` on."""

    term: Expression
    index: str
    lower: Expression


Operation = Integral | Derivative | Differential | Change | LimitAt | Value | Series


@dataclass(frozen=True, slots=True)
class Side:
    """A tree, and the operations (integrals, derivatives, ..) for which some symbols stand."""

    expression: Expression
    operations: Mapping[str, Operation]

    def has(self, *classes: type[Operation]) -> bool:
        """Whether the side has an operation of one of the given classes."""
        return bool(self.operations) and any(
            isinstance(operation, classes) for operation in self.operations.values()
        )
