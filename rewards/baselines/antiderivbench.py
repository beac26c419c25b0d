r"""AntiderivBench's evaluator, to compare results with that paper's: ``method="published"``.

For an answer F and an integrand f, in order (the six steps and their constants are the paper's):

1. Read F from LaTeX. What cannot be read is wrong; here it is ``unparseable``.
2. D = F' - f; a chain of simplifiers. 0 accepts.
3. G = the system's own integral of f; G - F through the same chain. A constant accepts.
4. \|D\| at x = i, -i, 1/i, -1/i for i = 1 to 1000 (3,998 points). A value over 1e-8 rejects.
5. The greatest \|D\| that a scalar minimiser finds. A value over 1e-8 rejects.
6. Otherwise it is accepted.

What the paper leaves open was decided so, where possible in favour of the evaluator:

- Formulas are read by latex2sympy2-extended (extra ``published``), after spellings that it does not
  know are rewritten (`_SPELLINGS`); ``\log`` without a base and ``e`` mean the natural ones, and of
  an equation the right-hand side counts.
- The variable is real (otherwise ``\ln|x|`` has no derivative); other symbols are unconstrained.
- The chain: as it is, `expand`, `simplify`, `trigsimp`, `simplify` in exponentials.
- Step 3 allows a constant difference. If integrating or simplifying raises, the step is passed.
- Step 4 works with 30 digits, and more (up to `MOST_DIGITS`) as long as the value keeps shrinking,
  because 1e-8 is absolute. Points where D is undefined, not real, or unstable are passed over.
- Step 5 is SciPy's default, Brent's method without bounds.
- As written, an answer is accepted when not a single point could be evaluated (so a symbol that
  does not cancel is enough); the flag ``nothing_evaluated`` says so.
- An unevaluated integral of f is accepted at step 2: its derivative is f.
- The deadline covers all steps; beyond it the status is ``timeout``, which is neither verdict.

Everything runs in a worker. No path leads from the text to `eval`: the reader builds SymPy objects
from its own grammar (its one call of ``parse_expr`` takes variable values, which are not given),
and values are computed by walking the tree, not by `sympy.lambdify`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..verdict import Status

if TYPE_CHECKING:
    import sympy

__all__ = ["Finding", "MissingReaderError", "evaluate"]

TOLERANCE = 1e-8
POINTS = 1000
DIGITS = 30
MOST_DIGITS = 1920

# Names with a function of SymPy, for those that the reader leaves undefined (or does not know).
_FUNCTIONS = {
    "arccosh": "acosh",
    "arcosh": "acosh",
    "arcoth": "acoth",
    "arccoth": "acoth",
    "arcsch": "acsch",
    "arccsch": "acsch",
    "arcsech": "asech",
    "arsech": "asech",
    "arcsinh": "asinh",
    "arsinh": "asinh",
    "arctanh": "atanh",
    "artanh": "atanh",
    "arccot": "acot",
    "arccsc": "acsc",
    "arcsec": "asec",
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "cosec": "csc",
    "sinh": "sinh",
    "cosh": "cosh",
    "tanh": "tanh",
    "coth": "coth",
    "sech": "sech",
    "csch": "csch",
    "erf": "erf",
    "erfc": "erfc",
    "erfi": "erfi",
    "Ei": "Ei",
    "li": "li",
    "Si": "Si",
    "Ci": "Ci",
    "Shi": "Shi",
    "Chi": "Chi",
    "sgn": "sign",
    "sign": "sign",
    "ln": "log",
    "log": "log",
    "exp": "exp",
    "W": "LambertW",
}

_NAME = "|".join(sorted(_FUNCTIONS, key=len, reverse=True))
#: Spellings that the reader rejects or misreads -> ones that it reads.
_SPELLINGS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"\\(?:mathrm|text|operatorname\*?|mathit)\s*\{\s*(e|d|i)\s*\}", r"\1 "),
        (r"\\(?:mathrm|text|operatorname\*?)\s*\{\s*(?:log|ln)\s*\}", r"\\ln "),
        (r"\\log(?![a-zA-Z]|\s*_)", r"\\ln "),
        (r"\\(?:operatorname\*?|text|mathrm)\s*\{\s*(sin|cos|tan|cot|sec|csc)\s*\}", r"\\\1 "),
        (rf"\\(?:operatorname\*?|text)\s*\{{\s*({_NAME})\s*\}}", r"\\mathrm{\1}"),
        (
            r"\\(sech|csch|coth|cosec|arcosh|arsinh|artanh|arccosh|erfi?c?|sgn)(?![a-zA-Z])",
            r"\\mathrm{\1}",
        ),
        (r"\\mathrm\{(\w+)\}\s*\^\s*(\d|\{[^{}]*\})\s*((?:\\left)?\()", r"\\mathrm{\1}^{\2}\3"),
        (r"\\mathrm\{(\w+)\}\s*([a-zA-Z])(?![a-zA-Z])", r"\\mathrm{\1}(\2)"),
    )
)


class MissingReaderError(ImportError):
    """The extra ``published`` is not installed."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The evaluator's verdict, and the step that gave it."""

    status: Status
    step: int
    detail: str
    flags: tuple[str, ...] = ()
    points: int = 0


def evaluate(answer: str, integrand: str, variable: str = "x") -> Finding:
    """The six steps, unbounded in time: run it in a worker (`rewards.baselines.calls`)."""
    import sympy

    x = sympy.Symbol(variable, real=True)
    try:
        f = read(integrand, x)
    except MissingReaderError:
        raise
    except Exception as error:
        return Finding(
            Status.ERROR,
            0,
            f"its reader cannot read the integrand: {_reason(error)}",
            ("problem_error",),
        )
    try:
        candidate = read(answer, x)
        derivative = sympy.diff(candidate, x)
    except MissingReaderError:
        raise
    except Exception as error:  # the reader raises plain Exception
        return Finding(Status.UNPARSEABLE, 1, f"not readable: {_reason(error)}")
    residual = derivative - f
    if _vanishes(residual, lambda form: form.is_zero is True):
        return Finding(Status.CORRECT, 2, "F' - f simplifies to 0")
    integral = _integral(f, x)
    if integral is not None and _vanishes(integral - candidate, lambda form: _constant(form, x)):
        return Finding(Status.CORRECT, 3, "F equals the integral that SymPy finds")
    size = _Size(residual, x)
    evaluated = 0
    for numerator, denominator in points():
        value = size(numerator, denominator)
        if value is None:
            continue
        evaluated += 1
        if value > TOLERANCE:
            where = f"{numerator}/{denominator}" if denominator > 1 else f"{numerator}"
            return Finding(
                Status.INCORRECT, 4, f"|F' - f| = {value:.3g} at {where}", points=evaluated
            )
    highest = _highest(size)
    if highest > TOLERANCE:
        detail = f"the minimiser found |F' - f| = {highest:.3g}"
        return Finding(Status.INCORRECT, 5, detail, points=evaluated)
    flags = () if evaluated else ("nothing_evaluated",)
    return Finding(Status.CORRECT, 6, "not refuted", flags, evaluated)


def _reason(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def points() -> Iterator[tuple[int, int]]:
    """The 3,998 points of step 4, as numerator and denominator."""
    for i in range(1, POINTS + 1):
        yield i, 1
        yield -i, 1
        if i > 1:
            yield 1, i
            yield -1, i


def read(text: str, x: sympy.Symbol) -> sympy.Expr:
    """The formula as the evaluator reads it, in the symbol ``x``."""
    import sympy

    try:
        from latex2sympy2_extended.latex2sympy2 import ConversionConfig, latex2sympy
        from latex2sympy2_extended.math_normalization import NormalizationConfig
    except ImportError as error:
        raise MissingReaderError(
            'method="published" reads LaTeX with latex2sympy2-extended: '
            "pip install 'calculus-harness[published]'"
        ) from error
    for pattern, replacement in _SPELLINGS:
        text = pattern.sub(replacement, text)
    config = ConversionConfig(interpret_as_mixed_fractions=False, lowercase_symbols=False)
    tidy = NormalizationConfig(malformed_operators=True)  # \frac1x, \sqrt2
    parsed = latex2sympy(text, normalization_config=tidy, conversion_config=config)
    if isinstance(parsed, sympy.Eq):
        parsed = parsed.rhs
    if not isinstance(parsed, sympy.Expr):
        raise ValueError(f"not a formula but {type(parsed).__name__}")
    names = {x.name: x, "e": sympy.E}
    return _rebuild(parsed, names)


def _rebuild(node: Any, names: dict[str, Any]) -> Any:
    """Evaluate unevaluated parts, and replace undefined functions and symbols."""
    import sympy

    if isinstance(node, sympy.Symbol):
        return names.get(node.name, node)
    if not node.args:
        return node
    args = [_rebuild(argument, names) for argument in node.args]
    if isinstance(node, sympy.core.function.AppliedUndef):
        name = re.sub(r"\\(?:text|mathrm|operatorname)\{(\w+)\}", r"\1", node.func.__name__)
        if name in _FUNCTIONS:
            return getattr(sympy, _FUNCTIONS[name])(*args)
        if len(name) == 1 and len(args) == 1:  # a symbol before a bracket: a product
            return names.get(name, sympy.Symbol(name)) * args[0]
    return node.func(*args)


def _constant(form: sympy.Expr, x: sympy.Symbol) -> bool:
    return x not in form.free_symbols


def _vanishes(form: sympy.Expr, test: Callable[[sympy.Expr], bool]) -> bool:
    """Whether some simplifier turns ``form`` into one that passes ``test``."""
    import sympy

    chain: tuple[Callable[[sympy.Expr], sympy.Expr], ...] = (
        lambda e: e,
        sympy.expand,
        sympy.simplify,
        sympy.trigsimp,
        lambda e: sympy.simplify(e.rewrite(sympy.exp)),
    )
    for simplifier in chain:
        try:
            if test(simplifier(form)):
                return True
        except MemoryError:
            raise
        except Exception:  # a failure of SymPy: try the next simplifier
            continue
    return False


def _integral(f: sympy.Expr, x: sympy.Symbol) -> sympy.Expr | None:
    import sympy

    try:
        integral = sympy.integrate(f, x)
    except MemoryError:
        raise
    except Exception:
        return None
    return None if integral.has(sympy.Integral) else integral


# SymPy's functions -> mpmath's, where the names differ.
_NUMERICAL = {
    "Abs": "fabs",
    "ceiling": "ceil",
    "Ei": "ei",
    "Si": "si",
    "Ci": "ci",
    "Shi": "shi",
    "Chi": "chi",
    "LambertW": "lambertw",
    "polygamma": "psi",
    "uppergamma": "gammainc",
    "elliptic_f": "ellipf",
    "elliptic_e": "ellipe",
    "elliptic_k": "ellipk",
    "elliptic_pi": "ellippi",
}
_SAME_NAME = frozenset(
    "exp log sin cos tan cot sec csc asin acos atan acot asec acsc sinh cosh tanh coth sech csch "
    "asinh acosh atanh acoth asech acsch sign floor re im conjugate arg erf erfc erfi li gamma "
    "loggamma digamma zeta polylog expint factorial binomial besselj bessely besseli besselk "
    "airyai airybi fresnels fresnelc".split()
)


class _Size:
    """abs(D) at a point; None where D is undefined, not real, or unstable.

    It walks the tree: `sympy.lambdify` executes generated code, which is unsafe for model output.
    """

    def __init__(self, residual: sympy.Expr, x: sympy.Symbol) -> None:
        import mpmath

        self._mp = mpmath.mp
        self._x = x
        self._steps: list[tuple[Callable[..., Any], tuple[int, ...]]] = []
        self._known: dict[Any, int] = {}
        self._usable = True
        try:
            self._place(residual)
        except (LookupError, AttributeError, RecursionError):
            self._usable = False

    def __call__(self, numerator: float, denominator: int = 1) -> float | None:
        digits, before = DIGITS, None
        while self._usable and digits <= MOST_DIGITS:
            value = self._value(numerator, denominator, digits)
            if value is None:
                return None
            size = abs(value)
            if size <= TOLERANCE:
                return float(size)
            # Rounding errors shrink with the precision, a true difference stays.
            if before is not None and abs(size - before) <= size / 1000:
                return float(size) if abs(value.imag) <= TOLERANCE else None
            digits, before = 2 * digits, size
        return None

    def _value(self, numerator: float, denominator: int, digits: int) -> Any:
        with self._mp.workdps(digits):
            try:
                values: list[Any] = [self._mp.mpf(numerator) / denominator]
                for function, places in self._steps:
                    values.append(function(*[values[place] for place in places]))
                value = self._mp.mpmathify(values[-1])
                return value if self._mp.isfinite(value) else None
            except MemoryError:
                raise
            except Exception:  # a pole, an overflow, a series that does not converge
                return None

    def _place(self, node: Any) -> int:
        """The index of a node's value. Raises `LookupError` for an unknown function."""
        if node == self._x:
            return 0
        if node not in self._known:
            places = tuple(self._place(argument) for argument in node.args)
            self._steps.append((self._operation(node), places))
            self._known[node] = len(self._steps)
        return self._known[node]

    def _operation(self, node: Any) -> Callable[..., Any]:
        mp = self._mp
        if node.is_number and not node.args:
            return lambda: node._to_mpmath(mp.prec)
        name = node.func.__name__
        if node.is_Add:
            return lambda *args: mp.fsum(args)
        if node.is_Mul:
            return lambda *args: mp.fprod(args)
        if node.is_Pow:
            return lambda base, exponent: mp.power(base, exponent)
        if name == "lowergamma":
            return lambda order, upper: mp.gammainc(order, 0, upper)
        if name in _NUMERICAL or name in _SAME_NAME:
            function: Callable[..., Any] = getattr(mp, _NUMERICAL.get(name, name))
            return function
        raise LookupError(name)


def _highest(size: _Size) -> float:
    """The greatest value of abs(D) that SciPy's scalar minimiser evaluates."""
    from scipy.optimize import minimize_scalar

    def negative(point: float) -> float:
        value = size(float(point)) if math.isfinite(point) else None
        return 0.0 if value is None else -min(value, 1e300)

    try:
        return -float(minimize_scalar(negative).fun)
    except (RuntimeError, ArithmeticError, ValueError):
        return 0.0
