"""Tasks that worker processes run with SymPy.

The tasks are SymPy's `simplify`, as in the code of Welleck et al., and the integration of formulas.
"""

from __future__ import annotations

from typing import Any

from ....benchmarks.lample_charton.algebra import counted_sympy
from ....benchmarks.lample_charton.algebra.backends import CALLS_PER_SECOND
from ....benchmarks.lample_charton.algebra.isolation import ForkError, load_sympy, run_in_fork
from ....benchmarks.lample_charton.algebra.work_limit import CallLimitError, call_limited
from ....benchmarks.lample_charton.codec.prefix import from_prefix
from ....benchmarks.lample_charton.codec.sympy_prefix import sympy_prefix
from ....rewards.reading.expression.sympy_bridge import to_sympy

#: The published limit in seconds, converted into calls of SymPy to be the same on any machine.
SECONDS = 1
#: The limit of an integral in seconds, converted likewise.
INTEGRAL_SECONDS = 4
_PROCESSOR_SECONDS = 15

#: SymPy's names of elementary functions; integrals with other functions are exploits.
ELEMENTARY = frozenset(
    "exp log Abs sign sin cos tan cot sec csc asin acos atan acot asec acsc "
    "sinh cosh tanh coth sech csch asinh acosh atanh acoth asech acsch".split()
)
#: The result for a formula without an integral by special functions.
_NONE: dict[str, Any] = {"integral": "", "latex": "", "functions": []}

counted_sympy.install()
load_sympy()


def simplified(tokens: str) -> dict[str, str]:
    """Simplify a formula with SymPy.

    The result has the ``tokens`` of the simplified formula. Without a usable formula, ``tokens`` is
    empty and ``reason`` says why.
    """
    try:
        result: dict[str, str] = run_in_fork(
            _simplify, tokens, processor_seconds=_PROCESSOR_SECONDS
        )
    except ForkError as error:
        return {"tokens": "", "reason": f"SymPy: {error}"}
    return result


def _simplify(tokens: str) -> dict[str, str]:
    import sympy

    def evaluate() -> Any:
        # No assumptions on x, as in the released code.
        return sympy.simplify(to_sympy(from_prefix(tokens.split())))

    try:
        simple = call_limited(SECONDS * CALLS_PER_SECOND, evaluate)
    except CallLimitError:
        return {"tokens": "", "reason": f"more than {SECONDS} s of SymPy"}
    except Exception as error:  # SymPy raises many classes
        return {"tokens": "", "reason": f"SymPy fails: {type(error).__name__}"}
    if simple.has(sympy.zoo, sympy.nan, sympy.oo, sympy.I):
        return {"tokens": "", "reason": "infinite or not real"}
    try:
        return {"tokens": " ".join(sympy_prefix(simple)), "reason": ""}
    except ValueError as error:
        return {"tokens": "", "reason": str(error)}


def integrated(tokens: str) -> dict[str, Any]:
    """Integrate a formula with SymPy. Return the integral and the special functions in it.

    If SymPy finds no integral, or an elementary integral, all values are empty.
    """
    try:
        result: dict[str, Any] = run_in_fork(
            _integrate, tokens, processor_seconds=_PROCESSOR_SECONDS
        )
    except ForkError:
        return _NONE
    return result


def _integrate(tokens: str) -> dict[str, Any]:
    import sympy

    x = sympy.Symbol("x")

    def evaluate() -> Any:
        integrand = to_sympy(from_prefix(tokens.split()))
        # SymPy integrates 402**(x**2) only in the form exp(x**2*log(402)).
        powers = [power for power in integrand.atoms(sympy.Pow) if power.base.is_Integer]
        growing = {
            power: _exponential(power) for power in powers if power.base > 1 and power.exp.has(x)
        }
        return sympy.integrate(integrand.xreplace(growing), x)

    try:
        integral = call_limited(INTEGRAL_SECONDS * CALLS_PER_SECOND, evaluate)
    except CallLimitError:
        return _NONE
    except Exception:  # SymPy raises many classes
        return _NONE
    used = {atom.func.__name__ for atom in integral.atoms(sympy.Function) if atom.has(x)}
    special = sorted(used - ELEMENTARY)
    if not special or integral.has(sympy.Integral, sympy.I, sympy.nan, sympy.Piecewise):
        return _NONE
    return {"integral": str(integral), "latex": sympy.latex(integral), "functions": special}


def elementary(tokens: str) -> str:
    """Decide whether a formula has an elementary antiderivative. The result is a text: ``yes``,
    ``no`` or empty.

    ``yes`` is followed by a space and an antiderivative in LaTeX. SymPy first integrates each term
    separately. SymPy's Risch algorithm then decides on the sum of the remaining terms. Only this
    algorithm can give ``no``. The text is empty if neither answer is found.
    """
    try:
        text: str = run_in_fork(_elementary, tokens, processor_seconds=_PROCESSOR_SECONDS)
    except ForkError:
        return ""
    return text


def _elementary(tokens: str) -> str:
    import sympy
    from sympy.integrals.risch import NonElementaryIntegral, risch_integrate

    x = sympy.Symbol("x")

    def evaluate() -> str:
        integrand = to_sympy(from_prefix(tokens.split()))
        # Powers with x in the exponent as exponentials, the extensions that Risch works in.
        integrand = integrand.replace(
            lambda factor: factor.is_Pow and factor.exp.has(x), lambda factor: _exponential(factor)
        )
        unsolved, sum_of_integrals = [], sympy.S.Zero
        for term in sympy.Add.make_args(integrand):
            integral = sympy.integrate(term, x)
            if _is_elementary(integral):
                sum_of_integrals += integral
            else:
                unsolved.append(term)
        if not unsolved:
            return f"yes {sympy.latex(sum_of_integrals)}"
        decided = risch_integrate(sympy.Add(*unsolved), x)
        if decided.has(NonElementaryIntegral):
            return "no"
        return f"yes {sympy.latex(sum_of_integrals + decided)}" if _is_elementary(decided) else ""

    def _is_elementary(integral: Any) -> bool:
        used = {atom.func.__name__ for atom in integral.atoms(sympy.Function) if atom.has(x)}
        return used <= ELEMENTARY and not integral.has(sympy.Integral, sympy.Piecewise, sympy.nan)

    try:
        return call_limited(INTEGRAL_SECONDS * CALLS_PER_SECOND, evaluate)
    except CallLimitError:
        return ""
    except Exception:  # SymPy raises many classes; Risch refuses trigonometric extensions
        return ""


def _exponential(power: Any) -> Any:
    import sympy

    return sympy.exp(power.exp * sympy.log(power.base), evaluate=False)
