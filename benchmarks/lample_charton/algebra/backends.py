"""The computer algebra that generators are written against: ours, or SymPy's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from ....rewards.expression.tree import Expression
from ..codec.prefix import PrefixError, Tokens, from_prefix
from ..codec.sympy_prefix import ASSUMPTIONS, InvalidError, check, sympy_of, sympy_prefix
from .nodes import Node, prefix_of
from .normal_form import Algebra, UnusableError
from .simplify import simplify
from .work_limit import OutOfWorkError, bounded

if TYPE_CHECKING:
    import sympy

Formula = TypeVar("Formula")

#: Calls of Python functions that stand for a second of SymPy's time; see `work`.
CALLS_PER_SECOND = 1_300_000


class Kit(Protocol[Formula]):
    """What is asked of a formula. What cannot be done is an `UnusableError`."""

    def read(self, tree: Expression) -> Formula: ...
    def varies(self, formula: Formula) -> bool: ...
    def without_constants(self, formula: Formula) -> Formula: ...
    def without_factor(self, formula: Formula) -> tuple[Formula, Formula]: ...
    def derivative(self, formula: Formula) -> Formula: ...
    def simplify(self, formula: Formula, seconds: int) -> Formula: ...
    def integral(self, formula: Formula) -> Formula: ...
    def mul(self, one: Formula, other: Formula) -> Formula: ...
    def div(self, one: Formula, other: Formula) -> Formula: ...
    def add(self, *terms: Formula) -> Formula: ...
    def sub(self, one: Formula, other: Formula) -> Formula: ...
    def expand(self, formula: Formula) -> Formula: ...
    def terms(self, formula: Formula) -> tuple[Formula, ...]: ...
    def prefix(self, formula: Formula) -> Tokens: ...
    def variable(self) -> Formula: ...


class OwnKit:
    """`algebra` and `simplify`; only integrals are SymPy's."""

    def __init__(self) -> None:
        self.algebra = Algebra()

    def read(self, tree: Expression) -> Node:
        try:
            check(tree)
        except InvalidError as error:
            raise UnusableError(str(error)) from None
        return self.algebra.read(tree)

    def varies(self, formula: Node) -> bool:
        return formula.varies

    def without_constants(self, formula: Node) -> Node:
        return self.algebra.without_constants(formula)

    def without_factor(self, formula: Node) -> tuple[Node, Node]:
        return self.algebra.without_factor(formula)

    def derivative(self, formula: Node) -> Node:
        return self.algebra.derivative(formula)

    def simplify(self, formula: Node, seconds: int) -> Node:
        return simplify(self.algebra, formula)  # its bounds are its own

    def integral(self, formula: Node) -> Node:
        """By SymPy, under a budget; run it in a worker."""
        tokens = SympyKit().integral_of(from_prefix(prefix_of(formula)))
        return self.algebra.read(tokens)

    def mul(self, one: Node, other: Node) -> Node:
        return self.algebra.mul(one, other)

    def div(self, one: Node, other: Node) -> Node:
        return self.algebra.div(one, other)

    def add(self, *terms: Node) -> Node:
        return self.algebra.add(*terms)

    def sub(self, one: Node, other: Node) -> Node:
        return self.algebra.sub(one, other)

    def expand(self, formula: Node) -> Node:
        return self.algebra.expand(formula)

    def terms(self, formula: Node) -> tuple[Node, ...]:
        return formula.args if formula.kind == "add" else (formula,)

    def prefix(self, formula: Node) -> Tokens:
        return tuple(prefix_of(formula))

    def variable(self) -> Node:
        return self.algebra.variable


class SympyKit:
    """SymPy for everything, as in the released code; its time limits are counts of calls.

    Those are the same everywhere in a worker of `rewards.workers.pool`, whose hash seed is fixed,
    and in a process that has asked SymPy nothing before (`isolation`).
    """

    def __init__(self) -> None:
        import sympy

        self._x = sympy.Symbol("x", **{ASSUMPTIONS["x"]: True})

    def read(self, tree: Expression) -> sympy.Expr:
        try:
            return sympy_of(tree)
        except InvalidError as error:
            raise UnusableError(str(error)) from None

    def varies(self, formula: sympy.Expr) -> bool:
        return self._x in formula.free_symbols

    def without_constants(self, formula: sympy.Expr) -> sympy.Expr:
        return formula.as_independent(self._x, as_Add=True)[1]

    def without_factor(self, formula: sympy.Expr) -> tuple[sympy.Expr, sympy.Expr]:
        constant, rest = formula.as_independent(self._x, as_Add=False)
        return constant, rest

    def derivative(self, formula: sympy.Expr) -> sympy.Expr:
        return formula.diff(self._x)

    def simplify(self, formula: sympy.Expr, seconds: int) -> sympy.Expr:
        """Simplified, or as it is if that takes too long or fails."""
        import sympy

        try:
            shorter = bounded(seconds * CALLS_PER_SECOND, sympy.simplify, formula)
        except OutOfWorkError:
            return formula
        except Exception:  # SymPy fails in many ways; the released code goes on, too
            return formula
        return formula if shorter.atoms(sympy.Dummy) else shorter

    def integral(self, formula: sympy.Expr) -> sympy.Expr:
        """By the Risch algorithm and, where that gives up, by all that SymPy has.

        The released code asks for ``risch=True`` and then evaluates what comes of it (``doit``): an
        integral that Risch proves to be not elementary is refused, one that it cannot do (it does
        no trigonometric and no algebraic functions) is tried by the other methods.
        """
        import sympy
        from sympy.integrals.risch import NonElementaryIntegral

        try:
            found = sympy.integrate(formula, self._x, risch=True)
            if isinstance(found, NonElementaryIntegral):
                raise UnusableError("not elementary")
            found = found.doit()
        except (OutOfWorkError, UnusableError):
            raise
        except Exception as error:  # SymPy fails in many ways
            raise UnusableError(f"SymPy fails: {type(error).__name__}") from None
        refused = (sympy.Integral, sympy.Piecewise, sympy.I, sympy.zoo, sympy.nan, sympy.oo)
        if found.has(*refused):
            raise UnusableError("no closed form")
        return found

    def integral_of(self, tree: Expression) -> Expression:
        """The same from tree to tree."""
        from ....rewards.expression.sympy_bridge import from_sympy

        try:
            return from_sympy(self.integral(self.read(tree)))
        except UnusableError:
            raise
        except ValueError as error:  # a function that we do not know
            raise UnusableError(str(error)) from None

    def mul(self, one: Any, other: Any) -> Any:
        return one * other

    def div(self, one: Any, other: Any) -> Any:
        return one / other

    def add(self, *terms: Any) -> Any:
        import sympy

        return sympy.Add(*terms)

    def sub(self, one: Any, other: Any) -> Any:
        return one - other

    def expand(self, formula: Any) -> Any:
        return formula

    def terms(self, formula: Any) -> tuple[Any, ...]:
        return (formula,)  # the released code looks a formula up as a whole

    def prefix(self, formula: sympy.Expr) -> Tokens:
        try:
            return sympy_prefix(formula)
        except PrefixError as error:
            raise UnusableError(str(error)) from None

    def variable(self) -> sympy.Expr:
        return self._x
