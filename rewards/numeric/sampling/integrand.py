"""An integrand f prepared for decisions: its tree, parameters, sample points and values.

`prepare` has a cache, because training asks about the same integrand many times.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from ...errors import ProblemError
from ...reading.expression.sympy_bridge import from_sympy
from ...reading.expression.traversal import needs_worker, symbols_of
from ...reading.expression.tree import Expression
from ...reading.latex import to_latex
from ...reading.problem import IntegralProblem, read_integral
from ...reading.problem.conditions import Bounds, is_sign, ranges_of
from ..ball_arithmetic.balls import Conventions, Tape, UnusableError
from ..ball_arithmetic.compiler import compile_tape
from ..ball_arithmetic.jets import Ball
from ..outcome import DecisionPolicy, Outcome
from .cases import Draw
from .pool import ASSUMPTIONS, PointPool

if TYPE_CHECKING:
    import sympy

#: Independent sets of sample points per integrand; the answer's hash picks one.
VARIANTS = 2


class RealPoint(NamedTuple):
    """A point at which every part of an integrand f is real, with the value of f.

    ``plain`` is true if all conventions (`Conventions`) give the same value.
    """

    values: dict[str, Ball]
    f: Ball
    plain: bool


class Integrand:
    """A readable integrand with its variable and parameters, made by `prepare`.

    If ``differentiate`` is True, the tree is a function whose derivative is f. Otherwise the tree
    is f. ``flags`` names those ambiguous notations that were read in the less likely way.
    ``ranges`` has the intervals of the variable that the problem states.
    """

    def __init__(
        self,
        expression: Expression,
        variable: str,
        assumptions: Mapping[str, str],
        key: str,
        *,
        names: Set[str] | None = None,
        differentiate: bool = False,
        flags: tuple[str, ...] = (),
        ranges: tuple[Bounds, ...] = (),
    ) -> None:
        self.ranges = ranges
        self.expression, self.variable, self.assumptions = expression, variable, assumptions
        self.differentiate = differentiate
        self.flags = flags
        names = symbols_of(expression) if names is None else names
        self.parameters = tuple(sorted(names - {variable}))
        self.symbols = (variable, *self.parameters)
        self.key = key
        self.needs_worker = needs_worker(expression)
        self.real_points: dict[
            int, list[RealPoint]
        ] = {}  # see `rewards.verify.decision.first_point`
        #: Outcomes of answers, by text, reading and policy (`rewards.verify.antiderivative`).
        self.decided: dict[tuple[str | None, tuple[str, ...], DecisionPolicy], Outcome] = {}
        self._tapes: dict[Conventions, Tape] = {}
        self._pools: dict[tuple[Conventions, int, Draw], PointPool] = {}

    def tape(self, conventions: Conventions) -> Tape:
        if conventions not in self._tapes:
            try:
                tape = compile_tape(self.expression, self.variable, conventions)
            except UnusableError as error:
                raise ProblemError(f"the integrand cannot be used: {error}") from None
            self._tapes[conventions] = tape
        return self._tapes[conventions]

    def pool(self, conventions: Conventions, variant: int, drawn: Draw = ()) -> PointPool:
        """The pool of sample points for a convention about roots. Each variant number has its own
        points.

        If ``drawn`` has no value for a parameter, a pseudorandom value is used.
        """
        key = (conventions, variant % VARIANTS, drawn)
        if key not in self._pools:
            name = f"{self.key}|{conventions.name}|{variant % VARIANTS}"
            self._pools[key] = PointPool(
                self.tape(conventions),
                self.parameters,
                self.assumptions,
                name,
                order=int(self.differentiate),
                drawn=drawn,
            )
        return self._pools[key]


def prepare(
    integrand: str | sympy.Expr, variable: str | None, assumptions: Mapping[str, str] | None
) -> Integrand:
    """Read an integrand in the likeliest way. See `prepare_readings`."""
    return prepare_readings(integrand, variable, assumptions)[0]


def prepare_readings(
    integrand: str | sympy.Expr, variable: str | None, assumptions: Mapping[str, str] | None
) -> tuple[Integrand, ...]:
    """Read an integrand in every way that its notation allows.

    Args:
        integrand: LaTeX, with or without the integral sign and the differential, or SymPy.
        variable: the variable of integration. None means the variable of the differential. If
            there is no differential, `sole_variable` determines the variable.
        assumptions: assumptions on parameters, as in `ASSUMPTIONS`.

    Returns:
        The readings, the likeliest first. Most texts have a single reading.

    Raises:
        ProblemError: the integrand is unreadable, or the variable is wrong.

    """
    items = assumption_items(assumptions)
    if isinstance(integrand, str):
        return _prepare_text(integrand, variable, items)
    return (_finish(_from_sympy(integrand), variable, None, items, str(integrand)),)


def assumption_items(assumptions: Mapping[str, str] | None) -> tuple[tuple[str, str], ...]:
    """Convert the assumptions about parameters to a sorted tuple, which can be the key of a cache.

    Raises:
        ProblemError: an assumption is not in `ASSUMPTIONS`.

    """
    if not assumptions:
        return ()
    items = tuple(sorted(assumptions.items()))
    for name, assumption in items:
        if assumption not in ASSUMPTIONS:
            choices = ", ".join(ASSUMPTIONS)
            raise ProblemError(f"assumption on {name}: {assumption!r} is none of {choices}")
    return items


def as_latex(integrand: str | sympy.Expr) -> str:
    """Convert an integrand to LaTeX, so that a worker process can read it."""
    return integrand if isinstance(integrand, str) else to_latex(_from_sympy(integrand))


def _from_sympy(integrand: sympy.Expr) -> Expression:
    try:
        return from_sympy(integrand)
    except ValueError as error:
        raise ProblemError(
            f"integrand must be LaTeX text or a SymPy expression, not {integrand!r:.60}: {error}"
        ) from None


#: Integrands that are cached with their sample points, at about 18 KB each. More than a sweep has
#: problems: it returns to a problem only after all others.
MAX_KEPT = 4096


@lru_cache(maxsize=MAX_KEPT)
def _prepare_text(
    text: str, variable: str | None, assumptions: tuple[tuple[str, str], ...]
) -> tuple[Integrand, ...]:
    problem = read_integral(text, variable, [name for name, _ in assumptions])
    if problem.lower is not None:
        raise ProblemError(f"{text!r} has limits: it is a definite integral")
    stated, comparisons = problem.conditions
    if stated:
        assumptions = tuple(sorted({**dict(stated), **dict(assumptions)}.items()))
    readings = integrands(problem, text, variable, assumptions)
    for comparison in comparisons:
        is_known = comparison.function == "ne" or is_sign(comparison)
        compared = symbols_of(comparison)
        if compared and not is_known and readings[0].variable not in compared:
            raise ProblemError(
                f"{text!r}: of conditions, only signs, kinds of parameters and bounds of "
                f"{readings[0].variable} are known"
            )
    return readings


def integrands(
    problem: IntegralProblem,
    text: str,
    variable: str | None,
    assumptions: tuple[tuple[str, str], ...],
) -> tuple[Integrand, ...]:
    """The readings of an integral as integrands, the likeliest first.

    Args:
        problem: the integral.
        text: the text of the integral.
        variable: the variable of integration, if the caller names one.
        assumptions: the assumptions on parameters, from `assumption_items`.

    Returns:
        The readings. The ``flags`` of a reading name the ambiguities that are read in the less
        likely way.

    Raises:
        ProblemError: the variable differs from the variable of the differential, or cannot be
            determined.

    """
    return tuple(
        _finish(reading.expression, variable, problem, assumptions, text, reading.ambiguities)
        for reading in problem.readings
    )


def _finish(
    expression: Expression,
    variable: str | None,
    problem: IntegralProblem | None,
    assumptions: tuple[tuple[str, str], ...],
    key: str,
    ambiguities: tuple[str, ...] = (),
) -> Integrand:
    names = symbols_of(expression)
    named = problem.variable if problem else None
    if variable is None:
        variable = named or sole_variable(names)
    elif named is not None and named != variable:
        raise ProblemError(f"the differential is d{named} but the variable is {variable}")
    elif len(names) == 1 and variable not in names:
        raise ProblemError(f"the integrand is in {names.pop()}, but the variable is {variable}")
    second: tuple[str, ...] = ()
    if ambiguities:
        second = tuple(f"problem_{name}" for name in ambiguities if name.endswith(":second"))
    key = "|".join((f"{key}|{variable}|{assumptions}", *second))
    comparisons = problem.conditions.comparisons if problem else ()
    ranges = ranges_of(comparisons, variable)
    assumed = dict(assumptions)
    return Integrand(expression, variable, assumed, key, names=names, flags=second, ranges=ranges)


def sole_variable(names: set[str]) -> str:
    """The only possible variable of an expression whose symbols are ``names``.

    The variable is x if there are no symbols. The variable is also x if x is a symbol and all other
    symbols are customary for parameters, as in ``ax+b``.

    Raises:
        ProblemError: several variables are possible. The message names these variables.

    """
    letters = {name.partition("_")[0] for name in names - {"x"}}
    if not names or ("x" in names and letters <= _PARAMETERS):
        return "x"
    if len(names) > 1 or names <= _CONSTANTS:
        listed = ", ".join(sorted(names | ({"x"} if len(names) == 1 else set())))
        raise ProblemError(f"name the variable: it may be {listed}")
    return next(iter(names))


#: Letters that are customary for parameters beside x, and for constants without a variable.
_PARAMETERS = frozenset(
    """a b c d e g h i j k l m n p q r s A B C D E F G H I J K L M N O P Q R S T U V W Y Z
    alpha beta gamma delta epsilon kappa lambda mu nu omega sigma tau""".split()
)
_CONSTANTS = frozenset("abck")
