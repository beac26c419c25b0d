"""The second opinion on each question: programs that compare a reference with its problem.

Every program computes what the problem asks for from the problem's own formulas, by numerical
differentiation, quadrature, summation, or values near a point. A formula that the verifier has
derived never takes part.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction

from ...rewards.errors import ProblemError
from ...rewards.proof.limit_questions import limit_readings
from ...rewards.reading.expression.traversal import fold, symbols_of
from ...rewards.reading.expression.tree import Expression, Number, Symbol
from ...rewards.reading.problem.clauses import clauses
from ...rewards.reading.problem.derivative import DerivativeQuestion, read_derivative, relation
from ...rewards.reading.problem.derivatives import Jet, Jets, normal, operators, read_tree
from ...rewards.reading.problem.differential_equation import (
    DifferentialEquation,
    StatedSolution,
    read_differential_equation,
    solutions,
)
from ...rewards.reading.problem.power_series import SeriesQuestion, asks_of_series, read_series
from ...rewards.reading.problem.sums import read_sum
from ...rewards.verify.values import with_constants
from .program import Program, identifiers, python
from .reading import tree_of

Ends = tuple[Expression | int, Expression | int]
#: Usual values of symbols by kind, in turn: decimals that cancel nothing, small whole numbers.
_USUAL = tuple(map(Fraction, ("7/5", "7/10", "23/10", "9/10", "19/10", "3/5")))
_WHOLE = {"integer": (3, 5, 4, 6), "even": (4, 2, 6, 8), "odd": (3, 5, 7, 1)}
#: Powers of ten of the distances of three points at which a limit is computed, and digits of the
#: arithmetic there: a quotient of differences of fourth order loses 120 at the nearest. Beyond 180
#: digits mpmath computes e to as many digits as the power of a double exponential has.
_NEAR, _FAR, _LIMIT_DIGITS = (10, 20, 30), (12, 24, 36), 150

#: The last of three values, and what remains of a geometric series of their differences; there is
#: none where these do not shrink.
_LIMIT_OF_VALUES = (
    "value, steps = values[2], [abs(values[k + 1] - values[k]) for k in (0, 1)]",
    "error = steps[1]**2/max(steps[0] - steps[1], 0) if steps[1] else 0",
)


class UncomputedError(ProblemError):
    """There is no second computation for a question of this form."""


def given_values(
    names: Mapping[str, str], kinds: Mapping[str, str]
) -> dict[str, tuple[str, Fraction]]:
    """An identifier and a usual value for each symbol that a program needs a value of.

    Args:
        names: identifiers of the symbols.
        kinds: kinds of the symbols.

    """
    given: dict[str, tuple[str, Fraction]] = {}
    for at, (name, identifier) in enumerate(names.items()):
        kind = kinds.get(name, "")
        values = _WHOLE.get(kind.removeprefix("signed ")) or _USUAL
        value = Fraction(values[at % len(values)])
        given[name] = identifier, -value if kind == "negative" else value
    return given


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
    return Program(lines, given_values(names, {}), labels, variable)


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
    return Program(lines, given_values(names, {}), ("integral", "reference"))


def equality(problem: Expression, reference: Expression, variable: str) -> Program:
    """Two formulas beside each other."""
    names = identifiers(problem, reference)
    lines = (
        f"value = {python(problem, names)} + mpf(0)",
        f"reference = {python(reference, names)} + mpf(0)",
    )
    return Program(lines, given_values(names, {}), variable=variable)


def trees_of(ends: Ends) -> list[Expression]:
    """The ends of a range that are formulas; infinities are the numbers 1 and -1."""
    return [end for end in ends if not isinstance(end, int)]


def function(name: str, parameters: Sequence[str], body: str) -> tuple[str, str, str]:
    """The lines of a function of one expression."""
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
    """A range with points between, so that the quadrature's nodes are dense in its middle."""
    if "inf" in upper and "inf" in lower:
        return f"[{lower}, -10, -1, 0, 1, 10, {upper}]"
    if "inf" in upper:
        return f"[{lower}, {lower} + 1, {lower} + 10, {upper}]"
    if "inf" in lower:
        return f"[{lower}, {upper} - 10, {upper} - 1, {upper}]"
    return f"mp.linspace({lower}, {upper}, 9)"


# --- questions of the course ---


def of_course(
    name: str, problem: str, reference: str, kinds: Mapping[str, str], diverges: bool = False
) -> Iterator[Program]:
    """The programs for a question of the course, one of which a wrong reference fails.

    Args:
        name: the name of the question.
        problem: the text of the problem.
        reference: the text of the reference.
        kinds: kinds of symbols.
        diverges: the verifier says of a sum that it diverges.

    Raises:
        UncomputedError: the question has a form without a second computation.
        ProblemError: the problem is unreadable.
        UnreadError: the reference is unreadable.

    """
    return _OF_COURSE[name](problem, reference, kinds, diverges)


class _Kept(Jets):
    """Derivatives as symbols, also those of formulas, which become functions with names."""

    def __init__(self, variables: Mapping[str, tuple[str, ...]]) -> None:
        self.formulas: dict[str, Expression] = {}
        super().__init__(dict(variables))

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
        """Define a function; from then on its name stands for its value."""
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
            if not jet.by:
                text = f"{f}({', '.join(at)})"
            elif len(own) == 1:
                text = f"mp.diff({f}, {at[0]}, {jet.order})"
            else:
                counts = ", ".join(str(orders[name]) for name in own)
                text = f"mp.diff({f}, ({', '.join(at)}), ({counts}))"
            self.names[symbol] = text


def _derivative(
    problem: str, reference: str, kinds: Mapping[str, str], diverges: bool
) -> Iterator[Program]:
    question = read_derivative(problem)
    asked, variables = _asked(problem, question)
    kept = _Kept(variables)
    tree = read_tree(asked, kept, {question.variable, *dict(question.point)}, values=True)
    if not kept.symbols:
        raise UncomputedError("a derivative that is named in words")
    answer = tree_of(reference, symbols_of(tree) | {question.variable, *variables})
    formulas = {**question.definitions, **kept.formulas}
    trees = [answer, tree, *formulas.values(), *dict(question.point).values()]
    curve = question.curve
    trees += [curve] if curve is not None else []
    names = identifiers(*trees, *map(Symbol, (question.variable, *variables, *formulas)))
    free = {name: names[name] for name in names if name not in formulas and name not in kept.names}
    if curve is not None:  # the value of the function is where the search for a root begins
        free[question.function] = f"{names[question.function]}0"
    point = dict(question.point)
    start = [
        f"{free[name]} = {_number(value, names)}" for name, value in point.items() if name in free
    ]
    given = given_values({name: free[name] for name in free if name not in point}, kinds)
    functions = _Functions(dict(names), kept.variables)
    if curve is not None:
        y = names[question.function]
        search = f"mp.findroot(lambda {y}: {python(curve, names)}, {y}0)"
        functions.define(question.function, search)
    by_parameter = question.variable not in next(iter(variables.values()), ())
    for name, formula in formulas.items():
        if name in kept.variables and not (by_parameter and name in question.definitions):
            functions.define(name, python(formula, functions.names))
    if by_parameter and question.definitions:
        met = {name: jet for name, jet in kept.names.items() if name in symbols_of(tree)}
        _along_a_curve(functions, question, met)
    else:
        functions.name_jets(kept.names)
    lines = (
        *start,
        *functions.lines,
        f"value = {python(tree, functions.names)} + mpf(0)",
        f"reference = {python(answer, functions.names)} + mpf(0)",
    )
    yield Program(lines, given, ("derivative", "reference"), question.variable)


def _asked(problem: str, question: DerivativeQuestion) -> tuple[str, dict[str, tuple[str, ...]]]:
    """The formula that is asked for, and the variables of the functions in it."""
    asked, variables = "", dict[str, tuple[str, ...]]()
    for clause in clauses(problem):
        formula = re.sub(r"\|\s*_.*\Z", "", normal(clause.formula)).rstrip("=? ")
        sides = relation(formula)
        if sides is None and (operators(formula) or re.search(r"'|\^\s*\{\s*\(|_", formula)):
            asked = formula
        elif sides is not None and (own := re.match(r"([A-Za-z])\s*\(([a-z, ]+)\)\Z", sides[0])):
            variables[own[1]] = tuple(name.strip() for name in own[2].split(","))
    leading = operators(asked)
    if len(leading) == 1 and leading[0].start == 0 and not leading[0].of.strip():
        # What begins with an operator asks for the derivative of all that follows.
        asked = f"{asked[: leading[0].end]}({asked[leading[0].end :]})"
    by = next((quotient.by[-1] for quotient in leading), question.variable)
    for name in (*question.definitions, *filter(None, [question.function])):
        if name != by:
            variables.setdefault(name, (by,))
    return asked, variables


def _along_a_curve(
    functions: _Functions,
    question: DerivativeQuestion,
    jets: Mapping[str, Jet],
) -> None:
    """Derivatives of y by x where both are functions of a parameter t."""
    t = functions.names[question.variable]
    for name, formula in question.definitions.items():
        functions.lines += function(f"{name}_of", (t,), python(formula, functions.names))
    for symbol, jet in jets.items():
        if jet.at or not jet.by or jet.by[0] not in question.definitions:
            raise UncomputedError("a derivative along a curve in another form")
        text = f"{jet.function}_of"
        for order in range(1, jet.order + 1):
            slope_name = f"slope{order}"
            quotient = f"mp.diff({text}, {t})/mp.diff({jet.by[0]}_of, {t})"
            functions.lines += function(slope_name, (t,), quotient)
            text = slope_name
        functions.names[symbol] = f"{text}({t})"
    for name in question.definitions:
        functions.names[name] = f"{name}_of({t})"


def _limit(
    problem: str, reference: str, kinds: Mapping[str, str], diverges: bool
) -> Iterator[Program]:
    question = limit_readings(problem, kinds)[0]
    infinity, parameters = _infinity(reference), question.parameters
    tree = (
        Number(infinity) if infinity else with_constants(tree_of(reference, parameters), parameters)
    )
    names = identifiers(question.expression, tree, *map(Symbol, (*parameters, question.variable)))
    x = names.pop(question.variable)
    given = given_values(names, dict(question.all_kinds))
    f = python(question.expression, names | {question.variable: x})
    signs = (question.side,) if question.side else (1, -1)
    near = [f"mpf(10)**-{size}" for size in _NEAR]
    if isinstance(question.at, int):
        signs, at, near = (question.at,), "", [f"mpf(10)**{size}" for size in _FAR]
    else:
        at = f"{_number(question.at, names)} "
    # An infinity is 1 or -1 as a value of v/(1 + |v|), so that it can be compared with numbers.
    for bounded in (True,) if infinity else (False, True):
        for sign in signs:
            points = ", ".join(f"{at}{'+-'[sign < 0]}{distance}" for distance in near)
            stated = python(tree, names)
            lines = [*function("f", (x,), f)]
            if bounded:
                lines += function("finite", ("v",), "v/(1 + abs(v))")
                stated = stated if infinity else f"finite({stated} + mpf(0))"
            text = f"finite(f({x}))" if bounded else f"f({x})"
            lines += [f"values = [{text} for {x} in ({points})]"]
            lines += _LIMIT_OF_VALUES
            lines += [
                f"reference = mpf({stated})" if infinity else f"reference = {stated} + mpf(0)"
            ]
            labels = ("near the point", "limit")
            if bounded:
                labels = ("v/(1 + |v|) near the point", "the same of the reference")
            yield Program(tuple(lines), given, labels, digits=_LIMIT_DIGITS)


def _infinity(reference: str) -> int:
    """The sign of an infinite reference; 0 for a formula."""
    text = re.sub(r"[\s$+]|\\infty", lambda m: "oo" if "infty" in m[0] else "", reference)
    return {"oo": 1, "-oo": -1}.get(text, 0)


def _sum(
    problem: str, reference: str, kinds: Mapping[str, str], diverges: bool
) -> Iterator[Program]:
    if asks_of_series(problem):
        yield _series(read_series(problem), reference, kinds)
        return
    if _infinity(reference):
        raise UncomputedError("an infinite sum")
    asked = read_sum(problem)[0]
    tree = with_constants(tree_of(reference, asked.parameters), asked.parameters)
    names = identifiers(tree, *map(Symbol, (*asked.parameters, asked.counter)))
    k = names.pop(asked.counter)
    whole = {
        name: "integer" for end in trees_of((asked.lower, asked.upper)) for name in symbols_of(end)
    }
    given = given_values(names, whole | dict(asked.conditions.kinds) | dict(kinds))
    term = python(asked.term, names | {asked.counter: k})
    lower, upper = (end_in_python(end, names) for end in (asked.lower, asked.upper))
    factor, outside, stated = (python(part, names) for part in (asked.factor, asked.outside, tree))
    lines = [*function("f", (k,), f"{term} + mpf(0)"), f"reference = {stated} + mpf(0)"]
    if not isinstance(asked.upper, int) and not isinstance(asked.lower, int):
        totals = [f"mp.fsum(f(mpf(k)) for k in range(int({lower}), int({upper}) + 1))"]
    elif diverges:
        # Partial sums that grow as a power have reciprocals that tend to zero.
        lines += [f"sums = [mp.fsum(f({lower} + k) for k in range(10**n)) for n in (2, 3, 4)]"]
        lines += ["values = [1/s for s in sums]", *_LIMIT_OF_VALUES]
        lines += ["reference = 1/reference"]
        yield Program(tuple(lines), given, ("1/partial sum", "1/reference"))
        return
    else:  # terms such as n^(-3/2) mislead the usual extrapolation, factorials that of Levin
        methods = ("", ', method="levin", levin_variant="u"')
        totals = [f"mp.nsum(f, [{lower}, {upper}]{method})" for method in methods]
    program = None
    for total in reversed(totals):
        value = f"value = ({factor})*{total} + {outside}"
        program = Program((*lines, value), given, ("sum", "reference"), otherwise=program)
    assert program is not None
    yield program


def _series(question: SeriesQuestion, reference: str, kinds: Mapping[str, str]) -> Program:
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
    if question.wanted == "coefficient":
        lines += ["value = terms[-1]", f"reference = {python(tree, names)} + mpf(0)"]
    else:
        lines += [f"{x} = {at} + mpf(1)/2", f"value = mp.polyval(terms[::-1], {x} - {at})"]
        lines += [f"reference = {python(tree, own)} + mpf(0)"]
    return Program(tuple(lines), given_values(names, kinds), ("from Taylor's terms", "reference"))


def _equation(
    problem: str, reference: str, kinds: Mapping[str, str], diverges: bool
) -> Iterator[Program]:
    question = read_differential_equation(problem)
    for solution in solutions(reference, question):
        yield from _residuals(question, solution, {**dict(question.kinds), **kinds})


def _residuals(
    question: DifferentialEquation, solution: StatedSolution, kinds: Mapping[str, str]
) -> Iterator[Program]:
    """Both sides of each equation and of each condition, with the solution in them."""
    x, own = question.variable, dict.fromkeys(question.functions, (question.variable,))
    stated = [*solution.formulas.values(), *(solution.implicit or ())]
    symbols = {x, *question.functions, *question.names}.union(*map(symbols_of, stated))
    names = identifiers(*map(Symbol, symbols - {*question.jets}))
    free = {name: names[name] for name in names if name not in question.functions}
    functions = _Functions(dict(names), own)
    if solution.implicit is not None:
        (y,) = question.functions
        sides = [python(side, names) for side in solution.implicit]
        search = f"mp.findroot(lambda {names[y]}: {sides[0]} - ({sides[1]}), {names[y]}0)"
        free[y] = f"{names[y]}0"
        functions.define(y, search)
    for name, formula in solution.formulas.items():
        functions.define(name, f"{python(formula, names)} + mpf(0)")
    functions.name_jets(question.jets)
    given = given_values(free, kinds)
    for equations, variable in ((question.equations, x), (question.conditions, "")):
        for left, right in equations:
            lines = (
                *functions.lines,
                f"value = {python(right, functions.names)} + mpf(0)",
                f"reference = {python(left, functions.names)} + mpf(0)",
            )
            yield Program(lines, given, ("right side", "left side"), variable)


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
