"""The computer algebra of generators: ours, or SymPy.

Both algebras have the same operations. An impossible operation raises `UnusableFormulaError`.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, TypeAlias

from ....rewards.reading.expression.sympy_bridge import from_sympy
from ....rewards.reading.expression.tree import Expression
from ...algebra.normal_form import Algebra, UnusableFormulaError, terms_of
from ..codec.prefix import to_prefix
from ..codec.sympy_prefix import ASSUMPTIONS, check, sympy_of, sympy_prefix
from .heurisch import ended_early
from .simplify import Simplifier
from .work_limit import CallLimitError, call_limited

if TYPE_CHECKING:
    import sympy

#: Calls of SymPy's functions that count as one second of SymPy; see `work_limit`.
CALLS_PER_SECOND = 1_000_000


class OwnBackend(Algebra):
    """`normal_form.Algebra` and `Simplifier`; only integrals are SymPy's."""

    terms = staticmethod(terms_of)
    prefix = staticmethod(to_prefix)

    def read(self, tree: Expression) -> Expression:
        check(tree)
        return self.node(tree)

    def simplify(self, formula: Expression, seconds: int) -> Expression:
        return Simplifier(self).simplify(formula)  # has its own limits

    def integral(self, formula: Expression) -> Expression:
        """The integral by SymPy; to be called in a worker, with a limit."""
        integral = SympyBackend().integral(sympy_of(formula))
        try:
            return self.node(from_sympy(integral))
        except ValueError as error:  # a function that has no tree
            raise UnusableFormulaError(str(error)) from None


class SympyBackend:
    """SymPy for everything, as in the released code; time limits are counts of function calls.

    The counts are reproducible in a worker of `rewards.workers.pool`, whose hash seed is fixed, and
    in a process that has not used SymPy before (`isolation`).
    """

    read = staticmethod(sympy_of)
    prefix = staticmethod(sympy_prefix)
    mul = staticmethod(operator.mul)
    div = staticmethod(operator.truediv)
    neg = staticmethod(operator.neg)
    # The released code looks up integrals of unexpanded formulas.
    expand = staticmethod(lambda formula: formula)
    terms = staticmethod(lambda formula: (formula,))

    def __init__(self) -> None:
        import sympy

        self.variable = sympy.Symbol("x", **{ASSUMPTIONS["x"]: True})
        self.add = sympy.Add

    def varies(self, formula: sympy.Expr) -> bool:
        return self.variable in formula.free_symbols

    def without_constants(self, formula: sympy.Expr) -> sympy.Expr:
        return formula.as_independent(self.variable, as_Add=True)[1]

    def without_factor(self, formula: sympy.Expr) -> Any:
        return formula.as_independent(self.variable, as_Add=False)

    def derivative(self, formula: sympy.Expr) -> sympy.Expr:
        return formula.diff(self.variable)

    def simplify(self, formula: sympy.Expr, seconds: int) -> sympy.Expr:
        """The simplified formula, or the formula itself if the simplification takes too long or
        fails.
        """
        import sympy

        try:
            shorter = call_limited(seconds * CALLS_PER_SECOND, sympy.simplify, formula)
        except (CallLimitError, Exception):  # SymPy raises many classes
            return formula
        return formula if shorter.atoms(sympy.Dummy) else shorter

    def integral(self, formula: sympy.Expr) -> sympy.Expr:
        """The integral by the Risch algorithm or, if not applicable, by SymPy's other methods.

        The released code integrates with ``risch=True`` and then calls ``doit``: an integral with a
        proof of non-elementarity is refused; an integral outside of SymPy's Risch algorithm
        (without trigonometric and algebraic functions) is tried by the other methods.
        """
        import sympy
        from sympy.integrals.risch import NonElementaryIntegral

        try:
            with ended_early():
                integral = sympy.integrate(formula, self.variable, risch=True)
                if not isinstance(integral, NonElementaryIntegral):
                    integral = integral.doit()
        except Exception as error:  # SymPy raises many classes
            raise UnusableFormulaError(f"SymPy fails: {type(error).__name__}") from None
        refused = (sympy.Integral, sympy.Piecewise, sympy.I, sympy.zoo, sympy.nan, sympy.oo)
        if integral.has(*refused):
            raise UnusableFormulaError("no closed form")
        return integral


Backend: TypeAlias = OwnBackend | SympyBackend
