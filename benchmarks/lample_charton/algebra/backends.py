"""The computer algebra that generators use: an interface, this package's algebra, and SymPy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from ....rewards.expression.sympy_bridge import from_sympy
from ....rewards.expression.tree import Expression
from ...algebra.normal_form import Algebra, UnusableFormulaError, terms_of
from ..codec.prefix import PrefixError, Tokens, from_prefix, to_prefix
from ..codec.sympy_prefix import ASSUMPTIONS, InvalidError, check, sympy_of, sympy_prefix
from .heurisch import ended_early
from .simplify import Simplifier
from .work_limit import CallLimitError, call_limited

if TYPE_CHECKING:
    import sympy

Formula = TypeVar("Formula")

#: Calls of SymPy's functions that count as one second of SymPy; see `work_limit`.
CALLS_PER_SECOND = 1_000_000


class Backend(Protocol[Formula]):
    """Operations on formulas. One that cannot be done raises `UnusableFormulaError`."""

    variable: Formula

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
    def neg(self, formula: Formula) -> Formula: ...
    def expand(self, formula: Formula) -> Formula: ...
    def terms(self, formula: Formula) -> tuple[Formula, ...]: ...
    def prefix(self, formula: Formula) -> Tokens: ...


class OwnBackend(Algebra):
    """`normal_form.Algebra` and `Simplifier`; only integrals are SymPy's."""

    def read(self, tree: Expression) -> Expression:
        try:
            check(tree)
        except InvalidError as error:
            raise UnusableFormulaError(str(error)) from None
        return self.node(tree)

    def simplify(self, formula: Expression, seconds: int) -> Expression:
        return Simplifier(self).simplify(formula)  # has its own limits

    def integral(self, formula: Expression) -> Expression:
        """By SymPy; run it in a worker, with a limit."""
        return self.node(SympyBackend().integral_of(from_prefix(self.prefix(formula))))

    def terms(self, formula: Expression) -> tuple[Expression, ...]:
        return terms_of(formula)

    def prefix(self, formula: Expression) -> Tokens:
        try:
            return to_prefix(formula)
        except PrefixError as error:
            raise UnusableFormulaError(str(error)) from None


class SympyBackend:
    """SymPy for everything, as in the released code; time limits are counts of function calls.

    The counts are reproducible in a worker of `rewards.workers.pool`, whose hash seed is fixed, and
    in a process that has not used SymPy before (`isolation`).
    """

    def __init__(self) -> None:
        import sympy

        self.variable = sympy.Symbol("x", **{ASSUMPTIONS["x"]: True})

    def read(self, tree: Expression) -> sympy.Expr:
        try:
            return sympy_of(tree)
        except InvalidError as error:
            raise UnusableFormulaError(str(error)) from None

    def varies(self, formula: sympy.Expr) -> bool:
        return self.variable in formula.free_symbols

    def without_constants(self, formula: sympy.Expr) -> sympy.Expr:
        return formula.as_independent(self.variable, as_Add=True)[1]

    def without_factor(self, formula: sympy.Expr) -> tuple[sympy.Expr, sympy.Expr]:
        constant, rest = formula.as_independent(self.variable, as_Add=False)
        return constant, rest

    def derivative(self, formula: sympy.Expr) -> sympy.Expr:
        return formula.diff(self.variable)

    def simplify(self, formula: sympy.Expr, seconds: int) -> sympy.Expr:
        """The simplified formula, or the formula itself if that takes too long or fails."""
        import sympy

        try:
            shorter = call_limited(seconds * CALLS_PER_SECOND, sympy.simplify, formula)
        except CallLimitError:
            return formula
        except Exception:  # SymPy raises many classes; the released code continues, too
            return formula
        return formula if shorter.atoms(sympy.Dummy) else shorter

    def integral(self, formula: sympy.Expr) -> sympy.Expr:
        """By the Risch algorithm or, where that is not applicable, by SymPy's other methods.

        The released code integrates with ``risch=True`` and then calls ``doit``: an integral that
        Risch proves not to be elementary is refused; one that it cannot decide (it has no
        trigonometric and no algebraic functions) is tried by the other methods.
        """
        import sympy
        from sympy.integrals.risch import NonElementaryIntegral

        try:
            with ended_early():
                integral = sympy.integrate(formula, self.variable, risch=True)
                if isinstance(integral, NonElementaryIntegral):
                    raise UnusableFormulaError("not elementary")
                integral = integral.doit()
        except (CallLimitError, UnusableFormulaError):
            raise
        except Exception as error:  # SymPy raises many classes
            raise UnusableFormulaError(f"SymPy fails: {type(error).__name__}") from None
        refused = (sympy.Integral, sympy.Piecewise, sympy.I, sympy.zoo, sympy.nan, sympy.oo)
        if integral.has(*refused):
            raise UnusableFormulaError("no closed form")
        return integral

    def integral_of(self, tree: Expression) -> Expression:
        """`integral` from tree to tree."""
        try:
            return from_sympy(self.integral(self.read(tree)))
        except UnusableFormulaError:
            raise
        except ValueError as error:  # a function that has no tree
            raise UnusableFormulaError(str(error)) from None

    def mul(self, one: Any, other: Any) -> Any:
        return one * other

    def div(self, one: Any, other: Any) -> Any:
        return one / other

    def add(self, *terms: Any) -> Any:
        import sympy

        return sympy.Add(*terms)

    def neg(self, formula: Any) -> Any:
        return -formula

    def expand(self, formula: Any) -> Any:
        return formula

    def terms(self, formula: Any) -> tuple[Any, ...]:
        return (formula,)  # the released code looks up whole formulas

    def prefix(self, formula: sympy.Expr) -> Tokens:
        try:
            return sympy_prefix(formula)
        except PrefixError as error:
            raise UnusableFormulaError(str(error)) from None
