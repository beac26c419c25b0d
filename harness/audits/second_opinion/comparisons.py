"""The second opinion on each question: programs for comparisons of reference and problem.

Every program computes the wanted value from the problem's own formulas, by numerical
differentiation, quadrature, summation, or values near a point. Formulas derived by the verifier
never take part.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from fractions import Fraction

from ....rewards.errors import ProblemError
from ....rewards.proof.limit_questions import limit_readings
from ....rewards.reading.expression.traversal import fold, symbols_of
from ....rewards.reading.expression.tree import Expression, Number, Symbol
from ....rewards.reading.latex.readings import signed_infinity
from ....rewards.reading.problem.derivative import DerivativeQuestion, read_derivative
from ....rewards.reading.problem.derivatives import Jet, Jets, normal, operators, read_tree
from ....rewards.reading.problem.differential_equation import (
    DifferentialEquation,
    StatedSolution,
    read_differential_equation,
    solutions,
)
from ....rewards.reading.problem.layout import relation
from ....rewards.reading.problem.power_series import SeriesQuestion, asks_of_series, read_series
from ....rewards.reading.problem.question.derivative import question_of_derivative
from ....rewards.reading.problem.sums import read_sum
from ....rewards.verify.values import with_constants
from ..reading import tree_of
from .program import Program, identifiers, python

Ends = tuple[Expression | int, Expression | int]
#: Usual values of symbols by kind, in turn: decimals that cancel nothing, small whole numbers.
_USUAL = tuple(map(Fraction, ("7/5", "7/10", "23/10", "9/10", "19/10", "3/5")))
_INTEGER_VALUES = {"integer": (3, 5, 4, 6), "even": (4, 2, 6, 8), "odd": (3, 5, 7, 1)}
#: Powers of ten of the distances of three points at which a limit is computed, and of points far
#: out, each with a second choice where the first loses too many digits; digits of the arithmetic: a
#: quotient of differences of order 7 loses 105 at the second choice. Beyond 180 digits mpmath
#: computes e to as many digits as the power of a double exponential has.
_NEAR, _FAR = ((10, 20, 30), (5, 10, 15)), ((12, 24, 36), (6, 12, 18))
_LIMIT_DIGITS = 150
#: The last of three values, and what remains of a geometric series of their differences; there is
#: none where these do not shrink.
_LIMIT_OF_VALUES = (
    "value, steps = values[2], [abs(values[k + 1] - values[k]) for k in (0, 1)]",
    "error = steps[1]**2/max(steps[0] - steps[1], 0) if steps[1] else 0",
)


class UncomputedError(ProblemError):
    """No second computation for a question of the given form."""


def parameters_of(
    names: Mapping[str, str], assumptions: Mapping[str, str]
) -> dict[str, tuple[str, Fraction]]:
    """An identifier and a usual value for each symbol that a program needs a value of.

    Args:
        names: identifiers of the symbols.
        assumptions: assumptions on the symbols.

    """
    parameters: dict[str, tuple[str, Fraction]] = {}
    for at, (name, identifier) in enumerate(names.items()):
        assumption = assumptions.get(name, "")
        values = _INTEGER_VALUES.get(assumption.removeprefix("signed ")) or _USUAL
        value = Fraction(values[at % len(values)])
        parameters[name] = identifier, -value if assumption == "negative" else value
    return parameters


def slope(answer: Expression, integrand: Expression, variable: str) -> Program:
    """The numerical derivative of an antiderivative beside the integrand."""
    names = identifiers(answer, integrand, Symbol(variable))
    x = names[variable]
    lines = (
        *function("F", (x,), python(answer, names)),
        *function("f", (x,), python(integrand, names)),
        f"value = f({x}) + mpf(0)",
        f"reference = mp.diff(F, {x})",
    )
    labels = ("integrand", "derivative of the reference")
    return Program(lines, parameters_of(names, {}), labels, variable)


def integral(integrand: Expression, reference: Expression, variable: str, ends: Ends) -> Program:
    """The quadrature of a function beside a value."""
    names = identifiers(integrand, reference, *trees_of(ends), Symbol(variable))
    x = names.pop(variable)
    lower, upper = (end_in_python(end, names) for end in ends)
    lines = (
        *function("f", (x,), python(integrand, names | {variable: x})),
        f"value, error = mp.quad(f, {_path(lower, upper)}, error=True)",
        f"reference = {python(reference, names)} + mpf(0)",
    )
    return Program(lines, parameters_of(names, {}), ("integral", "reference"))


def equality(problem: Expression, reference: Expression, variable: str) -> Program:
    """Two formulas side by side."""
    names = identifiers(problem, reference)
    lines = (
        f"value = {python(problem, names)} + mpf(0)",
        f"reference = {python(reference, names)} + mpf(0)",
    )
    return Program(lines, parameters_of(names, {}), variable=variable)


def trees_of(ends: Ends) -> list[Expression]:
    """The finite ends of a range; infinities are the numbers 1 and -1."""
    return [end for end in ends if not isinstance(end, int)]


def function(name: str, parameters: Sequence[str], body: str) -> tuple[str, str, str]:
    """The lines of a function of an expression."""
    return f"def {name}({', '.join(parameters)}):", f"    return {body}", ""


def end_in_python(end: Expression | int, names: Mapping[str, str]) -> str:
    """An end of a range; infinities are the numbers 1 and -1."""
    if isinstance(end, int):
        return "mp.inf" if end > 0 else "-mp.inf"
    return _number(end, names)


def _number(tree: Expression, names: Mapping[str, str]) -> str:
    """A formula as an argument: whole numbers have the digits of mpmath in quotients, too."""
    text = python(tree, names)
    return f"mpf({text})" if fold(tree) is not None else text


def _path(lower: str, upper: str) -> str:
    """A range with intermediate points, for dense nodes of the quadrature in the middle."""
    if "inf" in upper and "inf" in lower:
        return f"[{lower}, -10, -1, 0, 1, 10, {upper}]"
    if "inf" in upper:
        return f"[{lower}, {lower} + 1, {lower} + 10, {upper}]"
    if "inf" in lower:
        return f"[{lower}, {upper} - 10, {upper} - 1, {upper}]"
    return f"mp.linspace({lower}, {upper}, 9)"


# --- questions of the course ---


def of_course(
    name: str, problem: str, reference: str, assumptions: Mapping[str, str], diverges: bool = False
) -> Iterator[Program]:
    """The programs for a question of the course; a wrong reference fails at least one program.

    Args:
        name: the name of the question.
        problem: the text of the problem.
        reference: the text of the reference.
        assumptions: assumptions on symbols.
        diverges: whether the verifier finds that the sum diverges.

    Raises:
        UncomputedError: the question has a form without a second computation.
        ProblemError: the problem is unreadable.
        UnreadError: the reference is unreadable.

    """
    return _OF_COURSE[name](problem, reference, assumptions, diverges)


class _NamedDerivatives(Jets):
    """Derivatives as symbols; derivatives of formulas become functions with names."""

    def __init__(self, variables: Mapping[str, tuple[str, ...]], applied: Collection[str]) -> None:
        self.formulas: dict[str, Expression] = {}
        super().__init__(dict(variables), applied=applied)

    def differentiated(self, tree: Expression, variable: str) -> Expression:
        """A symbol for the derivative of a formula."""
        name = tree.name if isinstance(tree, Symbol) else ""
        jet = self.names.get(name) or (Jet(name) if name in self.variables else None)
        if jet is None:
            name = f"F_{len(self.formulas) + 1}"
            jet = Jet(name, (), ())
            self.formulas[name] = tree
            self.variables = {**self.variables, name: tuple(sorted(symbols_of(tree) | {variable}))}
        return Symbol(self.symbol(jet._replace(by=tuple(sorted((*jet.by, variable))))))


class _Functions:
    """Functions of a program, and Python for their derivatives."""

    def __init__(self, names: dict[str, str], variables: Mapping[str, tuple[str, ...]]) -> None:
        self.names, self.variables = names, variables
        self.identifiers = {name: f"{names.get(name, name)}_of" for name in variables}
        self.lines: list[str] = []

    def define(self, name: str, body: str) -> None:
        """Define a function; from then on the function's name stands for the value."""
        parameters = [self.names[own] for own in self.variables[name]]
        identifier = self.identifiers[name]
        self.lines += function(identifier, parameters, body)
        self.names[name] = f"{identifier}({', '.join(parameters)})"

    def name_jets(self, jets: Mapping[str, Jet]) -> None:
        """Let the symbols of derivatives stand for numerical derivatives."""
        for symbol, jet in jets.items():
            own = self.variables[jet.function]
            at = [_number(value, self.names) for value in jet.at]
            at = at or [self.names[name] for name in own]
            orders, f = Counter(jet.by), self.identifiers[jet.function]
            # Values, derivatives of a function of one variable, and partial derivatives.
            if not jet.by:
                text = f"{f}({', '.join(at)})"
            elif len(own) == 1:
                text = f"mp.diff({f}, {at[0]}, {jet.order})"
            else:
                counts = ", ".join(str(orders[name]) for name in own)
                text = f"mp.diff({f}, ({', '.join(at)}), ({counts}))"
            self.names[symbol] = text


def _derivative(
    problem: str, reference: str, assumptions: Mapping[str, str], diverges: bool
) -> Iterator[Program]:
    question = read_derivative(problem)
    target, variables, applied = _asked_formula(problem, question)
    calls = _NamedDerivatives(variables, applied)
    tree = read_tree(target, calls, {question.variable, *dict(question.point)}, values=True)
    if not calls.symbols:
        raise UncomputedError("a derivative that is named in words")
    answer = tree_of(reference, symbols_of(tree) | {question.variable, *variables})
    formulas = {**question.definitions, **calls.formulas}
    trees = [answer, tree, *formulas.values(), *dict(question.point).values()]
    curve = question.curve
    trees += [curve] if curve is not None else []
    names = identifiers(*trees, *map(Symbol, (question.variable, *variables, *formulas)))
    free = {name: names[name] for name in names if name not in formulas and name not in calls.names}
    if curve is not None:  # the value of the function is where the search for a root begins
        free[question.function] = f"{names[question.function]}0"
    point = dict(question.point)
    start = [
        f"{free[name]} = {_number(value, names)}" for name, value in point.items() if name in free
    ]
    parameters = parameters_of(
        {name: free[name] for name in free if name not in point}, assumptions
    )
    functions = _Functions(dict(names), calls.variables)
    if curve is not None:
        y = names[question.function]
        search = f"mp.findroot(lambda {y}: {python(curve, names)}, {y}0)"
        functions.define(question.function, search)
    by_parameter = question.variable not in next(iter(variables.values()), ())
    for name, formula in formulas.items():
        if name in calls.variables and not (by_parameter and name in question.definitions):
            functions.define(name, python(formula, functions.names))
    if by_parameter and question.definitions:
        met = {name: jet for name, jet in calls.names.items() if name in symbols_of(tree)}
        _along_a_curve(functions, question, met)
    else:
        functions.name_jets(calls.names)
    lines = (
        *start,
        *functions.lines,
        f"value = {python(tree, functions.names)} + mpf(0)",
        f"reference = {python(answer, functions.names)} + mpf(0)",
    )
    yield Program(lines, parameters, ("derivative", "reference"), question.variable)


def _asked_formula(
    problem: str, question: DerivativeQuestion
) -> tuple[str, dict[str, tuple[str, ...]], frozenset[str]]:
    """The asked formula, the variables of functions, and functions written as f(x)."""
    target, variables = "", dict[str, tuple[str, ...]]()
    for clause in question_of_derivative(problem)[0]:
        formula = re.sub(r"\|\s*_.*\Z", "", normal(clause.formula)).rstrip("=? ")
        sides = relation(formula)
        if sides is None and (operators(formula) or re.search(r"'|\^\s*\{\s*\(|_", formula)):
            target = formula
        elif sides is not None and (own := re.match(r"([A-Za-z])\s*\(([a-z, ]+)\)\Z", sides[0])):
            variables[own[1]] = tuple(name.strip() for name in own[2].split(","))
    leading = operators(target)
    if len(leading) == 1 and leading[0].start == 0 and not leading[0].of.strip():
        # What begins with an operator asks for the derivative of all that follows.
        target = f"{target[: leading[0].end]}({target[leading[0].end :]})"
    by = next((quotient.by[-1] for quotient in leading), question.variable)
    applied = frozenset(variables)
    for name in (*question.definitions, *filter(None, [question.function])):
        if name != by:
            variables.setdefault(name, (by,))
    return target, variables, applied


def _along_a_curve(
    functions: _Functions,
    question: DerivativeQuestion,
    jets: Mapping[str, Jet],
) -> None:
    """Derivatives of y by x for functions y and x of a parameter t."""
    t = functions.names[question.variable]
    for name, formula in question.definitions.items():
        functions.lines += function(f"{name}_of", (t,), python(formula, functions.names))
    for symbol, jet in jets.items():
        if jet.at or not jet.by or jet.by[0] not in question.definitions:
            raise UncomputedError("a derivative along a curve in another form")
        text = f"{jet.function}_of"
        # Each order is the derivative by t of the order before, divided by dx/dt.
        for order in range(1, jet.order + 1):
            slope_name = f"slope{order}"
            quotient = f"mp.diff({text}, {t})/mp.diff({jet.by[0]}_of, {t})"
            functions.lines += function(slope_name, (t,), quotient)
            text = slope_name
        functions.names[symbol] = f"{text}({t})"
    for name in question.definitions:
        functions.names[name] = f"{name}_of({t})"


def _limit(
    problem: str, reference: str, assumptions: Mapping[str, str], diverges: bool
) -> Iterator[Program]:
    question = limit_readings(problem, assumptions)[0]
    infinity, symbols = signed_infinity(reference), question.parameters
    tree = Number(infinity) if infinity else with_constants(tree_of(reference, symbols), symbols)
    names = identifiers(question.expression, tree, *map(Symbol, (*symbols, question.variable)))
    x = names.pop(question.variable)
    parameters = parameters_of(names, dict(question.all_assumptions))
    f = python(question.expression, names | {question.variable: x})
    is_far = isinstance(question.at, int)
    at = "" if is_far else f"{end_in_python(question.at, names)} "
    direction = question.at if isinstance(question.at, int) else question.side
    stated = python(tree, names)
    # An infinity is 1 or -1 as a value of v/(1 + |v|), so that it can be compared with numbers.
    for bounded in (True,) if infinity else (False, True):
        bound = function("finite", ("v",), "v/(1 + abs(v))") if bounded else ()
        target = f"finite({stated} + mpf(0))" if bounded and not infinity else f"{stated} + mpf(0)"
        value = f"finite(f({x}))" if bounded else f"f({x})"
        labels = ("v/(1 + |v|) near the point", "the same of the reference")
        for sign in (direction,) if direction else (1, -1):
            program = None
            for powers in reversed(_FAR if is_far else _NEAR):
                steps = (
                    f"{'+-'[sign < 0]}mpf(10)**{power if is_far else -power}" for power in powers
                )
                points = ", ".join(f"{at}{step}" for step in steps)
                lines = (
                    *function("f", (x,), f),
                    *bound,
                    f"values = [{value} for {x} in ({points})]",
                    *_LIMIT_OF_VALUES,
                    f"reference = {target}",
                )
                columns = labels if bounded else ("near the point", "reference")
                program = Program(
                    lines,
                    parameters,
                    columns,
                    digits=_LIMIT_DIGITS,
                    otherwise=program,
                    remark="of v/(1 + |v|)" if bounded else "",
                )
            assert program is not None
            yield program


def _sum(
    problem: str, reference: str, assumptions: Mapping[str, str], diverges: bool
) -> Iterator[Program]:
    if asks_of_series(problem):
        yield _series(read_series(problem), reference, assumptions)
        return
    if signed_infinity(reference):
        raise UncomputedError("an infinite sum")
    series = read_sum(problem)[0]
    tree = with_constants(tree_of(reference, series.parameters), series.parameters)
    names = identifiers(tree, *map(Symbol, (*series.parameters, series.counter)))
    k = names.pop(series.counter)
    integers = {
        name: "integer"
        for end in trees_of((series.lower, series.upper))
        for name in symbols_of(end)
    }
    declared = dict(series.conditions.assumptions) | dict(assumptions)
    parameters = parameters_of(names, integers | declared)
    term = python(series.term, names | {series.counter: k})
    lower, upper = (end_in_python(end, names) for end in (series.lower, series.upper))
    factor, addend, stated = (
        python(formula, names) for formula in (series.factor, series.outside, tree)
    )
    lines = [*function("f", (k,), f"{term} + mpf(0)"), f"reference = {stated} + mpf(0)"]
    if not isinstance(series.upper, int) and not isinstance(series.lower, int):
        totals = [f"mp.fsum(f(mpf(k)) for k in range(int({lower}), int({upper}) + 1))"]
    elif diverges:
        # Partial sums that grow as a power tend to no number.
        lines += [f"sums = [mp.fsum(f({lower} + k) for k in range(10**n)) for n in (2, 3, 4)]"]
        lines += ["grows = abs(sums[2]) > 2*abs(sums[1]) > 4*abs(sums[0])"]
        lines += ["value, error = sums[2], 0 if grows else mp.inf"]
        labels = ("sum of 10,000 terms", "reference")
        yield Program(tuple(lines), parameters, labels, remark="of 10,000 terms")
        return
    else:  # terms such as n^(-3/2) mislead the usual extrapolation, factorials that of Levin
        methods = ("", ', method="levin", levin_variant="u"')
        totals = [f"mp.nsum(f, [{lower}, {upper}]{method})" for method in methods]
    program = None
    for total in reversed(totals):
        value = f"value = ({factor})*{total} + {addend}"
        program = Program((*lines, value), parameters, ("sum", "reference"), otherwise=program)
    assert program is not None
    yield program


def _series(question: SeriesQuestion, reference: str, assumptions: Mapping[str, str]) -> Program:
    """The Taylor coefficients of the function, computed numerically."""
    degree = fold(question.degree)
    if question.wanted not in ("polynomial", "coefficient") or question.terms or degree is None:
        raise UncomputedError("a question about a power series without a second computation")
    tree = tree_of(_REMAINDER.sub("", reference), question.parameters)
    names = identifiers(question.function, question.centre, tree, Symbol(question.variable))
    x, at = names[question.variable], _number(question.centre, names)
    names.pop(question.variable)
    own = names | {question.variable: x}
    lines = [*function("f", (x,), f"{python(question.function, own)} + mpf(0)")]
    lines += [f"terms = mp.taylor(f, {at}, {degree}, singular=True)"]
    parameters = parameters_of(names, assumptions)
    if question.wanted == "coefficient":
        lines += ["value = terms[-1]", f"reference = {python(tree, names)} + mpf(0)"]
    else:
        lines += [f"value = mp.polyval(terms[::-1], {x} - {at})"]
        lines += [f"reference = {python(tree, own)} + mpf(0)"]
        centre = fold(question.centre)
        # The polynomials are compared at a point half a unit from the centre.
        if centre is None:
            lines.insert(0, f"{x} = {at} + mpf(1)/2")
        else:
            parameters[question.variable] = x, centre + Fraction(1, 2)
    return Program(tuple(lines), parameters, ("from Taylor's terms", "reference"))


def _equation(
    problem: str, reference: str, assumptions: Mapping[str, str], diverges: bool
) -> Iterator[Program]:
    question = read_differential_equation(problem)
    for solution in solutions(reference, question):
        yield from _residuals(question, solution, {**dict(question.assumptions), **assumptions})


def _residuals(
    question: DifferentialEquation, solution: StatedSolution, assumptions: Mapping[str, str]
) -> Iterator[Program]:
    """Both sides of each equation and of each condition, with the solution substituted."""
    # Identifiers are chosen for all symbols together, so no two symbols share an identifier.
    x, own = question.variable, dict.fromkeys(question.functions, (question.variable,))
    stated = [*solution.formulas.values(), *(solution.implicit or ())]
    symbols = {x, *question.functions, *question.names}.union(*map(symbols_of, stated))
    names = identifiers(*map(Symbol, symbols - {*question.jets}))
    free = {name: names[name] for name in names if name not in question.functions}
    functions = _Functions(dict(names), own)
    # An implicit solution is a root of the relation, found numerically from a start value.
    if solution.implicit is not None:
        (y,) = question.functions
        sides = [python(side, names) for side in solution.implicit]
        search = f"mp.findroot(lambda {names[y]}: {sides[0]} - ({sides[1]}), {names[y]}0)"
        free[y] = f"{names[y]}0"
        functions.define(y, search)
    for name, formula in solution.formulas.items():
        functions.define(name, f"{python(formula, names)} + mpf(0)")
    functions.name_jets(question.jets)
    parameters = parameters_of(free, assumptions)
    # Equations hold at every x, conditions at given points: only equations vary x.
    for equations, variable in ((question.equations, x), (question.conditions, "")):
        own_parameters = {
            name: usual for name, usual in parameters.items() if variable or name != x
        }
        for lhs, rhs in equations:
            lines = (
                *functions.lines,
                f"value = {python(rhs, functions.names)} + mpf(0)",
                f"reference = {python(lhs, functions.names)} + mpf(0)",
            )
            yield Program(lines, own_parameters, ("right side", "left side"), variable)


_OF_COURSE: Mapping[str, Callable[[str, str, Mapping[str, str], bool], Iterator[Program]]] = {
    "derivative": _derivative,
    "limit": _limit,
    "sum": _sum,
    "differential_equation": _equation,
}
#: A remainder at the end of a polynomial.
_REMAINDER = re.compile(
    r"\s*\+\s*(?:\\mathcal\s*\{?\s*)?(?:[oO]\s*\}?\s*(?:\\left)?\s*\(.*|\\[cl]?dots|\.\.\.)\s*\Z"
)
