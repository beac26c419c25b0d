r"""The evaluator of the paper on AntiderivBench, to compare results: ``method="published"``.

The evaluator has six steps for an answer F and an integrand f. The steps and their constants are
the paper's:

1. Read F from LaTeX. In the paper an unreadable answer is wrong; here its status is
  ``unparseable``.
2. Apply a chain of simplifiers to D = F' - f. If the result is 0, F is accepted.
3. Let G be SymPy's integral of f. Apply the same chain to G - F. If the result is a constant, F is
  accepted.
4. Evaluate \|D\| at x = i, -i, 1/i, -1/i for i = 1 to 1000 (3,998 points). If a value exceeds 1e-8,
  F is rejected.
5. Let a scalar minimiser look for the greatest \|D\|. If this value exceeds 1e-8, F is rejected.
6. Otherwise F is accepted.

Steps 4 and 5 run before 2 and 3. The order does not change the verdict. If steps 4 and 5 do not
reject an answer, the answer is accepted in any case. If steps 4 and 5 reject an answer, only steps
2 and 3 can accept the answer. Right answers are therefore accepted in seconds, although SymPy might
simplify their residual for hours.

The paper leaves some questions open. This module decides them as follows, where possible in favour
of the evaluator:

- latex2sympy2-extended (extra ``published``) reads the answers. Spellings unknown to
  latex2sympy2-extended are rewritten beforehand (`_SPELLINGS`). Our reader reads an answer if
  latex2sympy2-extended rejects the answer or takes the name of a function for a symbol. Our reader
  also reads all integrands.
- ``\log`` without a base is the natural logarithm, and ``e`` is its base. If an answer is an
  equation, only the right-hand side is read.
- The variable is real (otherwise ``\ln|x|`` has no derivative); other symbols are unconstrained.
- The chain is: the unchanged expression, `expand`, `simplify`, `trigsimp`, and `simplify` in
  exponentials.
- Step 3 allows a constant difference. If integration or simplification raises an exception,
  the step is skipped.
- Step 4 works in ball arithmetic with 30 digits. If a ball (an interval) has values on both sides
  of 1e-8, more digits are used, up to `MOST_DIGITS`. More digits are used only as long as the ball
  shrinks. The tolerance 1e-8 is absolute. A point is skipped if f or D is undefined or not real
  there, or if the digits do not decide.
- Step 5 is SciPy's default, Brent's method without bounds.
- If no point could be evaluated, the answer is accepted, as in the paper's text. A symbol that does
  not cancel has this effect. The flag ``nothing_evaluated`` marks such verdicts.
- An unevaluated integral of f is accepted at step 2, because its derivative is f.
- The deadline (of processor time) covers all steps. After the deadline the status is ``timeout``:
  the answer is neither accepted nor rejected. The detail says what steps 4 and 5 found.

Everything runs in a worker. No text is ever passed to `eval`. The reader builds SymPy objects from
its own grammar. (The reader calls ``parse_expr`` only for values of variables, which are not
given.) Values are computed by walking the tree, not by `sympy.lambdify`.
"""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flint import acb, fmpq

from ...errors import install
from ...numeric.ball_arithmetic.balls import Conventions, Tape, precision
from ...numeric.ball_arithmetic.compiler import compile_tape
from ...reading.expression.sympy_bridge import from_sympy, to_sympy
from ...reading.latex import ReadError
from ...reading.latex import read as read_latex
from ...verdict import Status
from ...workers.processor_time import ProcessorTimeError, processor_time

if TYPE_CHECKING:
    import sympy

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
class Evaluation:
    """The evaluator's verdict, and the number of the step that led to it."""

    status: Status
    step: int
    detail: str
    flags: tuple[str, ...] = ()
    points: int = 0


def evaluate(
    answer: str, integrand: str, variable: str = "x", seconds: float = math.inf
) -> Evaluation:
    """Evaluate an answer by the six steps of AntiderivBench, within a limit of processor time.

    With a time limit, the function must run in the main thread of a separate process. The module
    `rewards.verify.baselines.calls` starts such processes.
    """
    stage = _Stage()
    if math.isinf(seconds):
        return _evaluate(answer, integrand, variable, stage)
    try:
        with processor_time(seconds):
            return _evaluate(answer, integrand, variable, stage)
    except ProcessorTimeError:
        detail = f"no result in {seconds:g} s of processor time"
        if stage.refutation is None:
            return Evaluation(Status.TIMEOUT, stage.step, detail)
        step, reason = stage.refutation.step, stage.refutation.detail
        detail = f"{detail}; step {step} would reject: {reason}"
        return Evaluation(Status.TIMEOUT, stage.step, detail, points=stage.refutation.points)


@dataclass(slots=True)
class _Stage:
    """The step that an evaluation has reached, and the refutation found so far, if any."""

    step: int = 1
    refutation: Evaluation | None = None


def _evaluate(answer: str, integrand: str, variable: str, stage: _Stage) -> Evaluation:
    import sympy

    x = sympy.Symbol(variable, real=True)
    try:
        f = _read_by_ours(integrand, x)
    except (ReadError, ValueError) as error:
        detail = f"the integrand cannot be read: {_reason(error)}"
        return Evaluation(Status.ERROR, 0, detail, ("problem_error",))
    try:
        candidate = read(answer, x)
        derivative = sympy.diff(candidate, x)
    except MissingReaderError:
        raise
    except Exception as error:  # the reader raises plain Exception
        return Evaluation(Status.UNPARSEABLE, 1, f"not readable: {_reason(error)}")
    residual = derivative - f
    if residual.is_zero:
        return Evaluation(Status.CORRECT, 2, "F' - f is 0")
    stage.step = 4
    refutation = _refutation(residual, f, x)
    if refutation.status is Status.CORRECT:
        return refutation
    stage.step, stage.refutation = 2, refutation
    if _vanishes(residual, lambda form: form.is_zero is True):
        return Evaluation(Status.CORRECT, 2, "F' - f simplifies to 0", points=refutation.points)
    stage.step = 3
    integral = _integral(f, x)
    if integral is not None and _vanishes(integral - candidate, lambda form: _constant(form, x)):
        detail = "F equals the integral that SymPy finds"
        return Evaluation(Status.CORRECT, 3, detail, points=refutation.points)
    return refutation


def _refutation(residual: sympy.Expr, f: sympy.Expr, x: sympy.Symbol) -> Evaluation:
    """The verdict of steps 4 to 6. These steps evaluate F' - f at points and simplify nothing."""
    size = ResidualSize(residual, f, x)
    evaluated = 0
    for numerator, denominator in points():
        value = size(acb(fmpq(numerator, denominator)))
        if value is None:
            continue
        evaluated += 1
        if value > TOLERANCE:
            where = f"{numerator}/{denominator}" if denominator > 1 else f"{numerator}"
            return Evaluation(
                Status.INCORRECT, 4, f"|F' - f| = {value:.3g} at {where}", points=evaluated
            )
    highest = _highest(size)
    if highest > TOLERANCE:
        detail = f"the minimiser found |F' - f| = {highest:.3g}"
        return Evaluation(Status.INCORRECT, 5, detail, points=evaluated)
    flags = () if evaluated else ("nothing_evaluated",)
    return Evaluation(Status.CORRECT, 6, "not refuted", flags, evaluated)


def _reason(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def points() -> Iterator[tuple[int, int]]:
    """The 3,998 points of step 4 of the evaluator, as pairs of numerator and denominator."""
    for i in range(1, POINTS + 1):
        yield i, 1
        yield -i, 1
        if i > 1:
            yield 1, i
            yield -1, i


def read(text: str, x: sympy.Symbol) -> sympy.Expr:
    """Read a formula in the symbol ``x`` as the published evaluator does."""
    try:
        formula = _read_by_library(text, x)
    except MissingReaderError:
        raise
    except Exception:  # the library raises plain Exception
        with contextlib.suppress(ReadError, ValueError):
            return _read_by_ours(text, x)
        raise
    if _holds_unread_function(formula):
        with contextlib.suppress(ReadError, ValueError):
            return _read_by_ours(text, x)
    return formula


def _read_by_library(text: str, x: sympy.Symbol) -> sympy.Expr:
    import sympy

    try:
        from latex2sympy2_extended.latex2sympy2 import ConversionConfig, latex2sympy
        from latex2sympy2_extended.math_normalization import NormalizationConfig
    except ImportError as error:
        raise MissingReaderError(
            f'method="published" reads LaTeX with latex2sympy2-extended: {install("published")}'
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


def _read_by_ours(text: str, x: sympy.Symbol) -> sympy.Expr:
    return to_sympy(read_latex(text, symbols=[x.name])[0].expression, {x.name: "real"})


def _holds_unread_function(formula: sympy.Expr) -> bool:
    """Whether a formula has a function that the LaTeX reader did not recognise.

    Such a function is undefined in the formula, or it is a symbol: ``artanh x`` becomes ``artanh``
    times x.
    """
    from sympy.core.function import AppliedUndef

    names = {re.sub(r"\\\w+\{(\w+)\}", r"\1", symbol.name) for symbol in formula.free_symbols}
    return formula.has(AppliedUndef) or not names.isdisjoint(_FUNCTIONS)


def _rebuild(node: Any, names: dict[str, Any]) -> Any:
    """Evaluate unevaluated parts of a formula, and replace undefined functions and some symbols."""
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
    """Whether a formula, or one of several simplifications of the formula, passes a test."""
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


class ResidualSize:
    """A function that computes abs(D) at a point in ball arithmetic, for D = F' - f.

    The value is None if f or D is not real, or if the precision does not suffice. The balls contain
    all rounding errors. A value that exceeds the tolerance is therefore proved to exceed it. The
    expression tree is evaluated directly, because `sympy.lambdify` executes generated code, which
    is unsafe for model output.
    """

    def __init__(self, residual: sympy.Expr, f: sympy.Expr, x: sympy.Symbol) -> None:
        self._residual, self._f = _compiled(_almost_everywhere(residual), x), _compiled(f, x)

    def __call__(self, point: acb) -> float | None:
        if self._residual is None:
            return None
        digits, radius = DIGITS, math.inf
        while digits <= MOST_DIGITS:
            with precision(math.ceil(digits * math.log2(10))):
                value = _value(self._residual, point)
                size, aside = abs(value), abs(value.imag)
                if size.upper() <= TOLERANCE:
                    return float(size.mid())
                if size.lower() > TOLERANCE and aside.upper() <= TOLERANCE:
                    real = self._f is None or _value(self._f, point).imag.contains(0)
                    return float(size.mid()) if real else None
                if aside.lower() > TOLERANCE:
                    return None
                previous, radius = radius, float(size.rad())
            # More digits would settle neither a branch cut nor a pole.
            if math.isfinite(previous) and not radius < previous:
                return None
            digits *= 2
        return None


def _compiled(form: sympy.Expr, x: sympy.Symbol) -> Tape | None:
    try:
        tape = compile_tape(from_sympy(form), x.name, _PRINCIPAL)
    except (ValueError, LookupError, RecursionError):  # a function or a size beyond us
        return None
    return tape if tape.symbols.keys() <= {x.name} else None


def _value(tape: Tape, point: acb) -> Any:
    return tape.run(point, {}, derivative=False)[tape.root][0]


def _almost_everywhere(form: sympy.Expr) -> sympy.Expr:
    """Replace functions of SymPy that expressions of this package cannot contain.

    Such functions occur in SymPy's derivatives of abs. The result equals SymPy's expression
    almost everywhere.
    """
    import sympy

    polar = form.replace(sympy.atan2, lambda y, x: sympy.arg(x + sympy.I * y))
    return polar.replace(sympy.DiracDelta, lambda *_: sympy.S.Zero)


#: The conventions of SymPy.
_PRINCIPAL = Conventions(real_roots=False)


def _highest(size: ResidualSize) -> float:
    """The largest abs(D) that SciPy's scalar minimiser finds, for the residual D = F' - f."""
    from scipy.optimize import minimize_scalar

    def negative(point: float) -> float:
        value = size(acb(float(point))) if math.isfinite(point) else None
        return 0.0 if value is None else -min(value, 1e300)

    try:
        return -float(minimize_scalar(negative).fun)
    except (RuntimeError, ArithmeticError, ValueError):
        return 0.0
