"""The work that is spent on the judgement of a solution, counted in operations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ....numeric.ball_arithmetic.balls import Tape, UnusableError
from ....numeric.ball_arithmetic.compiler import compile_tape
from ....numeric.ball_arithmetic.jets import Ball
from ....proof.limits import Limit
from ....reading.expression.traversal import needs_worker
from ....reading.expression.tree import Expression, Symbol
from ...answers import require_worker
from ..extents import NotReadError
from ..operations import LimitAt, Operation, Side
from ..substitution import free_symbols
from .values import ACCURACY, inner_operations, operand_of, value_of

#: The assumptions on the letters of a limit.
Assumed = tuple[tuple[str, str], ...]
#: Work for a whole solution: slots of tapes that are evaluated, and evaluations of the integrands
#: of definite integrals (about 2 s of the hardest, and some hundred of the usual ones).
SLOTS, EVALUATED = 200_000, 40_000
#: Work units (a sum at 128 bits is one) for what agreement at points does not show: about 2 s.
LOOKS = 2_000_000


@dataclass
class Work:
    """The remaining budget for judging a solution, counted in operations instead of seconds."""

    slots: int = SLOTS
    evaluations: int = EVALUATED
    looks: int = LOOKS
    special: bool = True
    cached_values: dict[tuple[Operation, int], Ball | NotReadError] = field(default_factory=dict)
    proved_limits: dict[tuple[LimitAt, Assumed, bool], Limit | None] = field(default_factory=dict)
    improper: set[Operation] = field(default_factory=set)
    tapes: dict[tuple[Expression, str], Tape] = field(default_factory=dict)

    def spend(self, slots: int) -> None:
        self.slots -= slots
        if self.slots < 0:
            raise NotReadError("the work for one solution is spent")

    def look(self, units: int) -> None:
        self.looks -= units
        if self.looks < 0:
            raise NotReadError("the work for one solution is spent")

    def tape(self, tree: Expression, variable: str) -> Tape:
        """Compile an expression to a tape (a list of operations). A reused tape costs as much."""
        tape = self.tapes.get((tree, variable))
        if tape is None:
            self.allow(tree)
            try:
                tape = self.tapes[tree, variable] = compile_tape(tree, variable)
            except UnusableError as error:
                raise NotReadError(str(error)) from None
        self.spend(tape.size)
        return tape

    def allow(self, tree: Expression) -> None:
        """Require a worker for slow functions. Raise an error instead if ``special`` is False."""
        if needs_worker(tree):
            if not self.special:
                raise NotReadError("a special function that takes too long")
            require_worker(True)

    def pay(self, evaluations: int) -> None:
        self.evaluations -= evaluations
        if self.evaluations < 0:
            raise NotReadError("too many definite integrals and limits")

    def value(
        self,
        name: str,
        operations: Mapping[str, Operation],
        values: Mapping[str, Ball],
        accuracy: int = ACCURACY,
    ) -> Ball:
        """The value of a definite integral or a limit, to so many bits.

        A value without free symbols is cached.
        """
        definite = operations[name]
        inner = inner_operations(operand_of(definite), operations)
        key = definite, accuracy
        if key in self.cached_values and not inner:
            cached = self.cached_values[key]
            if isinstance(cached, NotReadError):
                raise cached
            return cached
        constant = not free_symbols(Side(Symbol(name), operations))
        try:
            value = value_of(name, operations, values, self.pay, self.improper, accuracy)
        except NotReadError as error:
            if constant:
                self.cached_values[key] = error
            raise
        if constant:
            self.cached_values[key] = value
        return value
